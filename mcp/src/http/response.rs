//! The check of a response, for clients and gateways.

use tautline::{Fault, Id, Message, Outcome, Profile, Response, Severity};

use super::field::{Fields, Single};
use super::finding::Place;
use super::media::{EVENTS, Media};
use super::{Each, Field, Finding, is_session_id, status};
use crate::{Era, Revision, rule};

/// The maximum number of requests in a batch whose responses are checked. A response to none of these may be to a later
/// one.
const MOST: u32 = 64;

/// A request that was sent, and what has come back so far.
///
/// The caller passes the [head](Self::head) of the response, then each [message](Self::message) of its body or of its
/// events, and then the [end](Self::end).
///
/// ```
/// use tautline_mcp::http::{Content, Exchange, Received};
/// use tautline_mcp::{Message, Revision, rule};
///
/// let revision = Revision::V2025_11_25;
/// let sent = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
/// let mut exchange = Exchange::post(revision, Message::parse(sent, &revision.profile()).unwrap());
/// let headers: [(&[u8], &[u8]); 1] = [(b"Content-Type", b"application/json")];
/// assert_eq!(exchange.head(200, headers.into_iter(), |_| {}), Content::Message);
/// let body = br#"{"jsonrpc":"2.0","id":"1","result":{"tools":[]}}"#;
/// let mut found = Vec::new();
/// exchange.message(Message::parse(body, &exchange.profile()), |finding| found.push(finding.rule()));
/// assert_eq!(found, [rule::RESPONSE_ID_REWRITTEN]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Exchange<'a> {
    revision: Revision,
    sent: Sent<'a>,
    so_far: Progress,
}

/// The state of the response in an [`Exchange`]. It borrows nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    status: u16,
    content: Content,
    /// One bit for each request in the body that was answered.
    answered: u64,
    is_acknowledged: bool,
}

#[derive(Clone, Copy, Debug)]
enum Sent<'a> {
    Post(Message<'a>),
    Get(Resuming),
    Delete,
}

/// The use of `Last-Event-ID` by a GET request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "the header is there or not")]
pub enum Resuming {
    /// It resumes one, on which a response may come.
    Yes,
    /// It opens a new stream, on which none may.
    No,
}

/// How to read the body of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Content {
    /// One JSON message.
    Message,
    /// Events, whose data are messages.
    Events,
    /// Nothing.
    Nothing,
    /// Not as messages: the body belongs to HTTP, such as the page of a proxy.
    Other,
}

/// The kind of a message in a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Received {
    /// A response to a request that was sent, or a batch with one.
    Answer,
    /// A notification of the server.
    Notification,
    /// A request of the server (up to 2025-11-25).
    Request,
    /// A message that belongs to nothing that was sent, or a frame that is no message. A finding says why.
    Stray,
}

impl<'a> Exchange<'a> {
    /// Creates the exchange of a POST with this message.
    #[must_use]
    pub const fn post(revision: Revision, message: Message<'a>) -> Self {
        Self::new(revision, Sent::Post(message))
    }

    /// Creates the exchange of a GET, which opens or resumes a stream (up to 2025-11-25).
    #[must_use]
    pub const fn get(revision: Revision, resuming: Resuming) -> Self {
        Self::new(revision, Sent::Get(resuming))
    }

    /// Creates the exchange of a DELETE, which ends a session (up to 2025-11-25).
    #[must_use]
    pub const fn delete(revision: Revision) -> Self {
        Self::new(revision, Sent::Delete)
    }

    const fn new(revision: Revision, sent: Sent<'a>) -> Self {
        let so_far =
            Progress { status: 0, content: Content::Other, answered: 0, is_acknowledged: false };
        Self { revision, sent, so_far }
    }

    /// Returns what has come back so far. A caller that does not keep the exchange can drop it, and
    /// [continue](Self::resumed) with the same request later.
    ///
    /// ```
    /// use tautline_mcp::http::Exchange;
    /// use tautline_mcp::{Message, Revision, rule};
    ///
    /// let revision = Revision::LATEST;
    /// let sent = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    /// let sent = || Exchange::post(revision, Message::parse(sent, &revision.profile()).unwrap());
    /// let headers: [(&[u8], &[u8]); 1] = [(b"Content-Type", b"text/event-stream")];
    /// let answer = br#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}"#;
    /// let answer = || Message::parse(answer, &revision.profile());
    ///
    /// let mut exchange = sent();
    /// exchange.head(200, headers.into_iter(), |_| {});
    /// exchange.message(answer(), |_| {});
    /// let so_far = exchange.progress();
    ///
    /// // Later, a second answer comes.
    /// let mut exchange = sent().resumed(so_far);
    /// let mut found = Vec::new();
    /// exchange.message(answer(), |finding| found.push(finding.rule()));
    /// assert_eq!(found, [rule::RESPONSE_DUPLICATE]);
    /// ```
    #[must_use]
    pub const fn progress(&self) -> Progress {
        self.so_far
    }

    /// Returns the exchange after this has come back.
    #[must_use]
    pub const fn resumed(self, so_far: Progress) -> Self {
        Self { so_far, ..self }
    }

    /// Returns the profile to parse the messages of the response under.
    #[must_use]
    pub const fn profile(&self) -> Profile {
        self.revision.profile().http_response_body()
    }

    /// Checks the status and the headers, and returns how to read the body.
    ///
    /// A 404 in the legacy era, for a request that named a session, ends that session: the client must send `initialize`
    /// again. A 400 whose body is no error of the [modern era](crate::Era::Modern) shows a server of the legacy era.
    pub fn head<'h>(
        &mut self,
        status: u16,
        headers: impl Iterator<Item = (&'h [u8], &'h [u8])> + Clone,
        mut report: impl FnMut(Finding),
    ) -> Content {
        let each = |visit: &mut dyn FnMut(&'h [u8], &'h [u8])| {
            headers.clone().for_each(|(name, value)| visit(name, value));
        };
        self.so_far.status = status;
        self.so_far.content = self.check_head(&each, &mut report);
        self.so_far.content
    }

    fn check_head(&self, each: Each<'_, '_>, report: &mut dyn FnMut(Finding)) -> Content {
        let fields = Fields::of(each);
        let mut note = |rule, place| report(Finding::new(rule, place));
        if self.revision.era() == Era::Legacy {
            match fields.single(Field::SessionId) {
                Single::Repeated => note(rule::HTTP_HEADER_REPEATED, Field::SessionId.into()),
                Single::Value(id) if !is_session_id(id) => {
                    note(rule::SESSION_ID_SYNTAX, Field::SessionId.into());
                }
                _ => {}
            }
        }
        let declared = fields.single(Field::ContentType).value().and_then(Media::parse);
        let is_json = declared.is_some_and(|declared| declared.is_json_text());
        let is_events = declared.is_some_and(|declared| declared.is(EVENTS));
        let is_success = matches!(self.so_far.status, 200..=299);
        if !is_success {
            return if is_json { Content::Message } else { Content::Other };
        }
        if matches!(self.sent, Sent::Delete) {
            return Content::Other;
        }
        if let Sent::Post(message) = self.sent
            && !has_request(&message)
        {
            if self.so_far.status != status::ACCEPTED {
                note(rule::HTTP_STATUS, Place::default());
            }
            return Content::Nothing;
        }
        if self.so_far.status != status::OK {
            note(rule::HTTP_STATUS, Place::default());
        }
        let is_stream = matches!(self.sent, Sent::Get(_));
        if is_events {
            let buffering = fields.single(Field::Buffering).value();
            if self.revision.era() == Era::Modern
                && !buffering.is_some_and(|value| value.eq_ignore_ascii_case(b"no"))
            {
                note(rule::EVENTS_BUFFERED, Field::Buffering.into());
            }
            Content::Events
        } else if is_json && !is_stream {
            Content::Message
        } else {
            note(rule::HTTP_RESPONSE_TYPE, Field::ContentType.into());
            Content::Other
        }
    }

    /// Checks a message in the body of the response, or in the data of an event. An event without data is no message.
    ///
    /// Offsets refer to the message.
    pub fn message(
        &mut self,
        message: Result<Message<'_>, Fault<'_>>,
        mut report: impl FnMut(Finding),
    ) -> Received {
        self.check(message, &mut report)
    }

    fn check(
        &mut self,
        message: Result<Message<'_>, Fault<'_>>,
        report: &mut dyn FnMut(Finding),
    ) -> Received {
        let place = Place::in_body(Some(0));
        if self.so_far.content == Content::Nothing {
            report(Finding::new(rule::HTTP_BODY_UNEXPECTED, place));
            return Received::Stray;
        }
        let message = match message {
            Ok(message) => message,
            Err(fault) => {
                report(Finding::in_body(fault.rule(), Severity::Error, Some(fault.offset())));
                return Received::Stray;
            }
        };
        let Message::Batch(batch) = &message else { return self.check_one(&message, report) };
        let mut received = Received::Stray;
        for element in batch.iter() {
            let one = match element.message() {
                Ok(message) => self.check_one(&message, report),
                Err(fault) => {
                    let offset = Some(fault.offset());
                    report(Finding::in_body(fault.rule(), Severity::Error, offset));
                    Received::Stray
                }
            };
            if received != Received::Answer && one != Received::Stray {
                received = one;
            }
        }
        received
    }

    /// Checks a message that is no batch.
    fn check_one(&mut self, message: &Message<'_>, report: &mut dyn FnMut(Finding)) -> Received {
        let place = Place::in_body(Some(0));
        match message {
            Message::Response(response) => self.check_response(response, report),
            Message::Notification(note) => {
                if self.is_answered() {
                    report(Finding::new(rule::MESSAGE_AFTER_RESPONSE, place));
                }
                if self.listens()
                    && !self.so_far.is_acknowledged
                    && note.method() != *"notifications/subscriptions/acknowledged"
                {
                    report(Finding::new(rule::SUBSCRIPTION_UNACKNOWLEDGED, place));
                }
                self.so_far.is_acknowledged = true;
                Received::Notification
            }
            Message::Request(_) if self.revision.era() == Era::Modern => {
                report(Finding::new(rule::WRONG_DIRECTION, place));
                Received::Stray
            }
            Message::Request(_) => {
                if self.is_answered() {
                    report(Finding::new(rule::MESSAGE_AFTER_RESPONSE, place));
                }
                Received::Request
            }
            // A batch never contains batches.
            Message::Batch(_) => Received::Stray,
        }
    }

    fn check_response(
        &mut self,
        response: &Response<'_>,
        report: &mut dyn FnMut(Finding),
    ) -> Received {
        let place = Place::in_body(Some(0));
        let mut note = |rule| report(Finding::new(rule, place));
        let is_success = self.so_far.status == status::OK;
        let is_due = match response.outcome() {
            Outcome::Result(_) => is_success,
            // A stream has begun before its error was known.
            Outcome::Error(_) if self.so_far.content == Content::Events => true,
            Outcome::Error(error) => match (self.revision.era(), error.code()) {
                (Era::Modern, Some(code)) => {
                    let due = status::of_error(self.revision, code);
                    let is_demanded = matches!(code.value(), -32601 | -32022..=-32020);
                    !is_demanded || self.so_far.status == due
                }
                _ => true,
            },
        };
        if !is_due {
            note(rule::HTTP_STATUS);
        }
        let is_result = matches!(response.outcome(), Outcome::Result(_));
        if self.listens() && is_result && self.so_far.content == Content::Message {
            note(rule::HTTP_RESPONSE_TYPE);
        }
        let sent = match &self.sent {
            Sent::Post(message) => *message,
            Sent::Get(Resuming::Yes) => return Received::Answer,
            Sent::Get(Resuming::No) if !is_success => return Received::Answer,
            Sent::Get(Resuming::No) => {
                note(rule::RESPONSE_UNEXPECTED);
                return Received::Stray;
            }
            Sent::Delete => return Received::Answer,
        };
        let Some(id) = response.id() else {
            // The server could not read the id, or has refused something that has none.
            if is_success {
                note(rule::RESPONSE_UNEXPECTED);
                return Received::Stray;
            }
            return Received::Answer;
        };
        let (mut place_of, mut is_rewritten, mut is_long) = (None, false, false);
        each_request(&sent, &mut |at, request: Id<'_>| {
            is_long = at == MOST;
            if place_of.is_none() || is_rewritten {
                if request == id {
                    (place_of, is_rewritten) = (Some(at), false);
                } else if request.is_like(&id) && place_of.is_none() {
                    (place_of, is_rewritten) = (Some(at), true);
                }
            }
        });
        let Some(at) = place_of else {
            if is_long {
                return Received::Answer;
            }
            note(rule::RESPONSE_UNEXPECTED);
            return Received::Stray;
        };
        if is_rewritten {
            note(rule::RESPONSE_ID_REWRITTEN);
        }
        let bit = 1_u64.checked_shl(at).unwrap_or(0);
        if self.so_far.answered & bit != 0 {
            note(rule::RESPONSE_DUPLICATE);
            return Received::Stray;
        }
        self.so_far.answered |= bit;
        Received::Answer
    }

    /// Checks the end of the response: each request has one answer. Do not call it for a stream that the client is going to
    /// resume, or has closed itself.
    pub fn end(&self, mut report: impl FnMut(Finding)) {
        let is_open = self.so_far.status == status::OK && !self.is_answered() && !self.listens();
        if is_open && matches!(self.sent, Sent::Post(message) if has_request(&message)) {
            report(Finding::new(rule::UNANSWERED_REQUEST, Place::default()));
        }
    }

    /// Returns whether each request of the body was answered.
    #[must_use]
    pub fn is_answered(&self) -> bool {
        let Sent::Post(message) = &self.sent else { return false };
        let mut due = 0;
        each_request(message, &mut |at, _| due |= 1_u64.checked_shl(at).unwrap_or(0));
        due != 0 && self.so_far.answered & due == due
    }

    /// Returns whether the request is `subscriptions/listen`.
    fn listens(&self) -> bool {
        match &self.sent {
            Sent::Post(Message::Request(request)) => request.method() == *"subscriptions/listen",
            _ => false,
        }
    }
}

/// Calls a function with the number and the id of each request in a body, up to the first one that is beyond [`MOST`].
fn each_request(message: &Message<'_>, visit: &mut dyn FnMut(u32, Id<'_>)) {
    match message {
        Message::Request(request) => visit(0, request.id()),
        Message::Batch(batch) => {
            let elements = batch.iter().filter_map(|element| element.message().ok());
            let requests = elements.filter_map(|element| match element {
                Message::Request(request) => Some(request.id()),
                _ => None,
            });
            (0..=MOST).zip(requests).for_each(|(at, id)| visit(at, id));
        }
        _ => {}
    }
}

fn has_request(message: &Message<'_>) -> bool {
    let mut has = false;
    each_request(message, &mut |_, _| has = true);
    has
}
