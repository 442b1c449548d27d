//! The body of a response: a message, a stream of events, or something else.

use tautline::frame::FramingKind;
use tautline::{Message, Profile};
use tautline_mcp::Role;
use tautline_mcp::http::{Content, Resuming};

use super::body::{Body, Whole};
use super::checks;
use super::coding::Coding;
use super::known::Known;
use super::part::{self, value_of};
use super::report::HeadReport;
use super::rules;
use super::sent::{NO_BODY, Sent, SentKind, emit};
use super::tail::Tail;
use crate::frame::{FrameReport, MaxFindings};
use crate::source::out::{At, Out};
use crate::source::{Event, SourceError, text};
use crate::wire::{Around, Wire, WireEvent};

pub(super) const ENCODED: &str = "some bodies are broken, or compressed by another method than gzip and deflate, and \
    are not judged";

/// The body of a response.
#[derive(Debug)]
pub(super) enum Answer {
    /// There is no response yet.
    None,
    Response(Box<Response>),
}

#[derive(Debug)]
pub(super) struct Response {
    status: u16,
    /// The content by the rules, if the request is known.
    content: Option<Content>,
    /// The findings in the head, until a message or the end comes.
    head: Option<HeadReport>,
    is_json: bool,
    coding: Coding,
    reading: Reading,
}

#[derive(Debug)]
enum Reading {
    /// One message, or what came instead.
    Whole(Body),
    Events(Box<Wire>, Tail),
}

fn events(limit: u32) -> Reading {
    let wire = Wire::new(FramingKind::Sse, limit, &Profile::JSON_RPC);
    Reading::Events(Box::new(wire), Tail::default())
}

impl Answer {
    pub fn new(
        status: u16,
        headers: &[part::Field],
        content: Option<Content>,
        head: HeadReport,
        limit: u32,
    ) -> Self {
        let types = value_of(headers, "content-type").unwrap_or_default().to_ascii_lowercase();
        let is = |name: &[u8]| {
            types.split(|byte| b";,".contains(byte)).any(|part| part.trim_ascii() == name)
        };
        let coding = Coding::of(headers);
        let reading = match is(b"text/event-stream") && coding.is_readable() {
            true => events(limit),
            false => Reading::Whole(Body::new(limit)),
        };
        Self::Response(Box::new(Response {
            status,
            content,
            head: Some(head),
            is_json: is(b"application/json"),
            coding,
            reading,
        }))
    }

    /// Returns the number of bytes that are kept of a message or an event. An event is kept up to the limit.
    pub fn kept(&self, limit: u32) -> usize {
        match self {
            Self::Response(response) => match &response.reading {
                Reading::Whole(body) => body.kept(),
                Reading::Events(_, tail) => tail.length.min(limit as usize),
            },
            Self::None => 0,
        }
    }

    /// Drops a body that is one message, or an event that has not ended.
    pub fn drop_kept(
        &mut self,
        limit: u32,
        at: At,
        out: &mut Out<'_, '_>,
    ) -> Result<(), SourceError> {
        let Self::Response(response) = self else { return Ok(()) };
        match &mut response.reading {
            Reading::Whole(body) => {
                body.cut();
                Ok(())
            }
            Reading::Events(_, Tail { length: 0, .. }) => Ok(()),
            Reading::Events(..) => {
                // The rest is read from the next event that is whole.
                response.reading = events(limit);
                out.say(NO_BODY, at)?;
                out.missing(&[Role::Server], at)
            }
        }
    }

    /// Emits the findings in the head of a stream, whose messages may come late.
    pub fn begin(&mut self, sent: &Sent, at: At, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
        let Self::Response(response) = self else { return Ok(()) };
        match response.reading {
            Reading::Events(..) => response.head(sent, at, out),
            Reading::Whole(_) => Ok(()),
        }
    }

    pub fn push(
        &mut self,
        bytes: &[u8],
        sent: &mut Sent,
        at: At,
        known: &mut Known,
        out: &mut Out<'_, '_>,
    ) -> Result<(), SourceError> {
        let Self::Response(response) = self else { return Ok(()) };
        let was_readable = response.coding.is_readable();
        let mut coding = std::mem::replace(&mut response.coding, Coding::of(&[]));
        let pushed = coding.decode(bytes, |bytes| {
            match &mut response.reading {
                Reading::Whole(body) => body.push(bytes),
                Reading::Events(wire, tail) => {
                    tail.push(bytes);
                    let events = events_of(wire, Some(bytes));
                    for event in events {
                        response.event(event, sent, at, known, out)?;
                    }
                }
            }
            Ok(())
        });
        let is_broken = was_readable && !coding.is_readable();
        response.coding = coding;
        pushed?;
        if is_broken && matches!(response.reading, Reading::Events(..)) {
            out.say(ENCODED, at)?;
            out.missing(&[Role::Server], at)?;
        }
        Ok(())
    }

    /// Notes that bytes are missing.
    pub fn cut(&mut self, limit: u32, at: At, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
        let Self::Response(response) = self else { return Ok(()) };
        response.coding.skip();
        match &mut response.reading {
            Reading::Whole(body) => {
                body.cut();
                Ok(())
            }
            Reading::Events(..) => {
                // The rest is read from the next event that is whole.
                response.reading = events(limit);
                out.say(NO_BODY, at)?;
                out.missing(&[Role::Server], at)
            }
        }
    }

    /// Ends the response.
    pub fn finish(
        &mut self,
        sent: &mut Sent,
        at: At,
        known: &mut Known,
        out: &mut Out<'_, '_>,
    ) -> Result<(), SourceError> {
        let Self::Response(mut response) = std::mem::replace(self, Self::None) else {
            return Ok(());
        };
        match &mut response.reading {
            Reading::Events(wire, _) => {
                let events = events_of(wire, None);
                for event in events {
                    response.event(event, sent, at, known, out)?;
                }
                Ok(())
            }
            Reading::Whole(body) => {
                let whole = body.take();
                response.whole(whole, sent, at, known, out)
            }
        }
    }
}

/// The data of an event: a message, or the report of a broken one.
enum Data {
    Message(Vec<u8>),
    Broken(Box<FrameReport<'static>>),
}

/// Returns the data of the events that these bytes complete, or that the end of the stream completes.
fn events_of(wire: &mut Wire, bytes: Option<&[u8]>) -> Vec<Data> {
    let mut events = Vec::new();
    let profile = Profile::JSON_RPC;
    let mut keep = |event: WireEvent<'_>, _: &Around<'_>| {
        match event.frame() {
            Some(frame) => events.push(Data::Message(frame.bytes().to_vec())),
            None => {
                let report = FrameReport::of_event(&event, &profile, MaxFindings::AtMost(100));
                events.extend(report.map(|report| Data::Broken(Box::new(report.into_owned()))));
            }
        }
        Ok(())
    };
    // Keeping an event does not fail.
    let _ = match bytes {
        Some(bytes) => wire.push(bytes, &mut keep).map(|_| ()),
        None => wire.finish(&mut keep),
    };
    events
}

impl Response {
    fn has_failed(&self) -> bool {
        self.status >= 400
    }

    /// Emits the findings in the head, which belong to no message.
    fn head(&mut self, sent: &Sent, at: At, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
        let Some(mut head) = self.head.take() else { return Ok(()) };
        head.method = sent.method.map(|method| method.name().to_owned());
        emit(head, at, out)
    }

    fn event(
        &mut self,
        data: Data,
        sent: &mut Sent,
        at: At,
        known: &mut Known,
        out: &mut Out<'_, '_>,
    ) -> Result<(), SourceError> {
        match data {
            Data::Message(bytes) => self.message(&bytes, sent, at, known, out),
            Data::Broken(report) => out.event(Event::Broken { from: Role::Server, report }, at),
        }
    }

    /// Judges and emits a message.
    fn message(
        &mut self,
        bytes: &[u8],
        sent: &mut Sent,
        at: At,
        known: &mut Known,
        out: &mut Out<'_, '_>,
    ) -> Result<(), SourceError> {
        let is_get = matches!(sent.kind, SentKind::Get(Resuming::No));
        let about = (sent.revision, is_get, self.status);
        let content = self.content.unwrap_or(Content::Other);
        let around = sent.with(|rules| rules::answer(rules, about, content, bytes));
        let mut head = self.head.take().unwrap_or_else(|| HeadReport::of(Role::Server));
        if let Some(around) = around {
            head.add(around);
        }
        head.has_frame = true;
        emit(head, at, out)?;
        if let Some(method) = sent.method
            && let Ok(message) = Message::parse(bytes, &sent.revision.profile())
        {
            known.learn(method, sent.session_id.as_deref(), &message);
        }
        out.frame(Role::Server, bytes, at)
    }

    /// Judges and emits a body that is not a stream.
    fn whole(
        &mut self,
        whole: Whole,
        sent: &mut Sent,
        at: At,
        known: &mut Known,
        out: &mut Out<'_, '_>,
    ) -> Result<(), SourceError> {
        let is_post = !matches!(sent.kind, SentKind::Get(_) | SentKind::Delete);
        let has_body = !matches!(whole, Whole::Empty);
        if self.content == Some(Content::Nothing) && has_body {
            self.unexpected(sent);
        }
        let is_encoded = !self.coding.is_readable() && !matches!(whole, Whole::Cut);
        let is_message = is_post && self.is_json && !is_encoded;
        match whole {
            _ if is_encoded && is_post => {
                self.head(sent, at, out)?;
                out.say(ENCODED, at)?;
                out.missing(&[Role::Server], at)
            }
            Whole::Bytes(bytes)
                if is_message && (!self.has_failed() || text::mentions_jsonrpc(&bytes)) =>
            {
                self.message(&bytes, sent, at, known, out)
            }
            Whole::Long(long) if is_message => {
                if let Some(head) = &mut self.head {
                    head.has_frame = true;
                }
                self.head(sent, at, out)?;
                out.long(Role::Server, *long, at)?;
                match sent.id.take() {
                    Some(id) => out.event(Event::Answered { from: Role::Server, id }, at),
                    None => Ok(()),
                }
            }
            Whole::Cut if is_message => {
                self.head(sent, at, out)?;
                out.say(NO_BODY, at)?;
                out.missing(&[Role::Server], at)
            }
            _ => {
                let has_named_it = self.head.as_ref().is_some_and(|head| {
                    head.findings
                        .iter()
                        .any(|one| one.rule == tautline_mcp::rule::HTTP_RESPONSE_TYPE)
                });
                self.head(sent, at, out)?;
                if self.has_failed() && is_post {
                    return out.http_failed(sent.id.take(), at);
                }
                match sent.id.take().filter(|_| has_named_it) {
                    Some(id) => out.event(Event::Answered { from: Role::Server, id }, at),
                    None => Ok(()),
                }
            }
        }
    }

    /// Adds the finding on a body where none belongs.
    fn unexpected(&mut self, sent: &mut Sent) {
        let revision = sent.revision;
        let found = sent.with(rules::unexpected);
        if let (Some(findings), Some(head)) = (found, &mut self.head) {
            head.findings.extend(findings);
            head.fail(&checks::ACCEPTED, revision);
        }
    }
}
