//! An open exchange: its request, and then its response.

use tautline_mcp::http::{Field, Resuming};
use tautline_mcp::{Era, KnownMethod, Revision, Role};

use super::answer::{Answer, ENCODED};
use super::body::{Body, Whole};
use super::coding::Coding;
use super::known::Known;
use super::part::{Part, bytes_of};
use super::report::HeadReport;
use super::rules::{self, Request};
use super::sender;
use super::sent::{NO_BODY, Sent, SentKind, emit};
use super::sessions::{Kind, Sessions};
use super::skeleton::skeleton;
use crate::source::out::{At, Out, id_of_request};
use crate::source::recording::{RequestHead, ResponseHead};
use crate::source::{Event, SourceError};

/// The state that the exchanges of an endpoint share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub known: Known,
    pub sessions: Sessions,
}

/// An exchange.
#[derive(Debug)]
pub(super) struct Exchange {
    head: Request,
    /// The bytes in the head.
    head_length: usize,
    limit: u32,
    pub session: Option<usize>,
    /// True if the session is new.
    is_first: bool,
    coding: Coding,
    body: Body,
    /// The body of the request after its end.
    whole: Option<Whole>,
    is_sent: bool,
    /// The id of a request without a session.
    busy: Option<String>,
    pub(super) sent: Sent,
    pub(super) answer: Answer,
}

impl Exchange {
    pub fn new(head: &RequestHead<'_>, limit: u32) -> Self {
        let headers = bytes_of(&head.headers);
        let coding = Coding::of(&headers);
        let head_length = headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        Self {
            head_length,
            head: Request { method: head.method.clone().into_owned(), headers },
            coding,
            limit,
            session: None,
            is_first: false,
            body: Body::new(limit),
            whole: None,
            is_sent: false,
            busy: None,
            sent: Sent {
                revision: Revision::LATEST,
                kind: SentKind::Unknown,
                method: None,
                id: None,
                session_id: None,
                progress: None,
            },
            answer: Answer::None,
        }
    }

    fn is_post(&self) -> bool {
        self.head.method == "POST"
    }

    /// Returns the number of bytes that are kept of the bodies and of the head of the request.
    pub fn kept(&self) -> usize {
        let Sent { id, session_id, kind, .. } = &self.sent;
        let texts = [&self.busy, &self.busy, id].into_iter().flatten().map(String::len);
        let skeleton = if let SentKind::Post(message, _) = kind { message.len() } else { 0 };
        let sent = texts.sum::<usize>() + session_id.as_ref().map_or(0, Vec::len) + skeleton;
        let bodies = self.body.kept() + self.answer.kept(self.limit);
        self.head_length + sent + bodies
    }

    /// Drops the bodies that are kept, as if the recording lacked them.
    pub fn cut(&mut self, at: At, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
        self.body.cut();
        self.answer.drop_kept(self.limit, at, out)
    }

    /// Forgets a request without a session.
    pub fn forget(&mut self, sessions: &mut Sessions) {
        if let Some((session, request)) = self.session.zip(self.busy.take()) {
            sessions.ended(session, request);
        }
    }

    /// Returns the session and the id of a request that waits for its answer.
    pub fn waits(mut self) -> Option<(usize, String)> {
        self.session.zip(self.sent.waiting())
    }

    /// Assigns the exchange to a session, if this part ends the request.
    pub fn find_session(&mut self, part: &Part<'_>, shared: &mut Shared) {
        let ends = match part {
            Part::Request(_) => !self.is_post(),
            Part::Bytes { .. } | Part::Omitted { .. } => false,
            Part::Response(_) | Part::Closed { .. } | Part::Aborted { .. } => true,
        };
        if self.session.is_some() || !ends {
            return;
        }
        let mut whole = self.body.take();
        // A response may come before the end of the body was seen.
        let has_ended = matches!(part, Part::Closed { from: Role::Client, .. });
        if matches!(&whole, Whole::Bytes(bytes) if !has_ended && !rules::is_json(bytes)) {
            whole = Whole::Cut;
        }
        let method = match &whole {
            Whole::Bytes(bytes) => rules::method_of(bytes),
            _ => None,
        };
        let is_modern = self.head.revision().is_some_and(|one| one.era() == Era::Modern);
        let kind = match method {
            Some(KnownMethod::Initialize) => Kind::Initialize,
            Some(KnownMethod::ServerDiscover) => Kind::Probe,
            _ if is_modern => Kind::Modern,
            _ => Kind::Other,
        };
        let id = self.head.header(Field::SessionId).filter(|_| !is_modern);
        let request = match &whole {
            Whole::Bytes(bytes) if id.is_none() => id_of_request(bytes),
            _ => None,
        };
        let (session, is_first) = shared.sessions.of_request(id, kind, request.as_deref());
        if let Some(request) = &request {
            shared.sessions.began(session, request);
        }
        self.busy = request;
        self.sent.session_id = id.map(<[u8]>::to_vec);
        self.sent.method = method;
        self.session = Some(session);
        self.is_first = is_first;
        self.whole = Some(whole);
    }

    /// Observes a part. Returns whether the exchange is still open.
    pub fn part(
        &mut self,
        part: &Part<'_>,
        at: At,
        shared: &mut Shared,
        out: &mut Out<'_, '_>,
    ) -> Result<bool, SourceError> {
        if self.session.is_some() && !self.is_sent {
            self.send(at, &shared.known, out)?;
        }
        match (part, sender(part)) {
            (Part::Request(_), _) => {}
            (Part::Response(head), _) => self.respond(head, at, shared, out)?,
            (Part::Bytes { bytes, .. }, Role::Client) => self.push(bytes, at, out)?,
            (Part::Omitted { .. }, Role::Client) => {
                self.coding.skip();
                self.body.cut();
            }
            (Part::Closed { .. }, Role::Client) => {}
            (Part::Bytes { bytes, .. }, Role::Server) => {
                let Self { answer, sent, .. } = self;
                answer.push(bytes, sent, at, &mut shared.known, out)?;
            }
            (Part::Omitted { .. }, Role::Server) => self.answer.cut(self.limit, at, out)?,
            (Part::Closed { .. }, Role::Server) => {
                let Self { answer, sent, .. } = self;
                answer.finish(sent, at, &mut shared.known, out)?;
                return Ok(false);
            }
            (Part::Aborted { .. }, from) => {
                // A client that is gone waits for nothing. In the modern era, it has cancelled its request.
                if from == Role::Client
                    && let Some(id) = self.sent.waiting()
                {
                    out.event(Event::Answered { from: Role::Server, id }, at)?;
                }
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Adds bytes of the body of the request.
    fn push(&mut self, bytes: &[u8], at: At, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
        let Self { coding, body, .. } = self;
        let pushed: Result<(), SourceError> = coding.decode(bytes, |bytes| {
            body.push(bytes);
            Ok(())
        });
        pushed?;
        if !self.coding.is_readable() {
            self.body.cut();
            out.say(ENCODED, at)?;
        }
        Ok(())
    }

    /// Judges the request, and emits its message.
    fn send(&mut self, at: At, known: &Known, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
        self.is_sent = true;
        if self.is_first {
            out.event(Event::Http, at)?;
        }
        let whole = self.whole.take().unwrap_or(Whole::Empty);
        let body = match &whole {
            Whole::Bytes(bytes) if self.is_post() => Some(bytes.as_slice()),
            _ => None,
        };
        let (mut report, revision) = rules::request(&self.head, body, known);
        self.sent.revision = revision;
        self.sent.kind = match (self.head.method.as_str(), body) {
            ("POST", Some(body)) => match skeleton(body, revision) {
                Some((message, has_request)) => SentKind::Post(message, has_request),
                None => SentKind::Unknown,
            },
            ("GET", _) => match self.head.header(Field::LastEventId) {
                Some(_) => SentKind::Get(Resuming::Yes),
                None => SentKind::Get(Resuming::No),
            },
            ("DELETE", _) => SentKind::Delete,
            _ => SentKind::Unknown,
        };
        self.sent.id = body.and_then(id_of_request);
        report.has_frame = self.is_post() && matches!(whole, Whole::Bytes(_) | Whole::Long(_));
        emit(report, at, out)?;
        match whole {
            _ if !self.is_post() => Ok(()),
            Whole::Bytes(bytes) => out.frame(Role::Client, &bytes, at),
            Whole::Long(long) => {
                out.long(Role::Client, *long, at)?;
                // Its id is not read, so its answer is not known to be one.
                out.missing(&[Role::Client], at)
            }
            Whole::Empty => Ok(()),
            Whole::Cut => {
                out.say(NO_BODY, at)?;
                out.missing(&[Role::Client], at)
            }
        }
    }

    /// Judges the head of the response.
    fn respond(
        &mut self,
        head: &ResponseHead<'_>,
        at: At,
        shared: &mut Shared,
        out: &mut Out<'_, '_>,
    ) -> Result<(), SourceError> {
        let headers = bytes_of(&head.headers);
        let status = head.status;
        // 1xx are not the response.
        if status < 200 {
            return Ok(());
        }
        self.learn(status, &headers, shared);
        let (revision, has_request) = (self.sent.revision, self.sent.has_request());
        let judged =
            self.sent.with(|rules| rules::response(rules, revision, has_request, status, &headers));
        let (report, content) = match judged {
            Some((report, content)) => (report, Some(content)),
            None => (HeadReport::of(Role::Server), None),
        };
        self.answer = Answer::new(status, &headers, content, report, self.limit);
        self.answer.begin(&self.sent, at, out)
    }

    /// Notes what a response says about sessions.
    fn learn(&mut self, status: u16, headers: &[super::part::Field], shared: &mut Shared) {
        let given = super::part::value_of(headers, Field::SessionId.name());
        if let (Some(given), Some(KnownMethod::Initialize), 200..=299) =
            (given, self.sent.method, status)
        {
            shared.known.opened(given);
            shared.sessions.bind(given, self.session.unwrap_or_default());
            self.sent.session_id = Some(given.to_vec());
        }
        let has_ended = match self.sent.kind {
            SentKind::Delete => matches!(status, 200..=299 | 404),
            _ => status == 404 && self.sent.revision.era() == Era::Legacy,
        };
        if let Some(id) = self.sent.session_id.as_deref().filter(|_| has_ended) {
            shared.known.ended(id);
            shared.sessions.retire(id);
        }
    }
}
