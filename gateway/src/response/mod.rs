//! A response: its head, then its JSON body or its events, judged as they come.
//!
//! [`Asked`] is what is kept of the request. [`Response::head`] says what to do with the body:
//!
//! | step | the proxy |
//! |---|---|
//! | [`Pass`](HeadStep::Pass) | passes everything on, and shows nothing more |
//! | [`Observe`](HeadStep::Observe) | passes everything on, and shows each piece to [`Response::piece`] |
//! | [`Hold`](HeadStep::Hold) | holds the head and the body, and shows the whole body to [`Response::whole`] |
//! | [`Stream`](HeadStep::Stream) | passes the head on without `Content-Length`, and of the body what [`Response::piece`] returns |
//! | [`Refuse`](HeadStep::Refuse) | sends a reply in place of the response |
//!
//! # What is refused
//!
//! If the rules are enforced, a client gets no message that is invalid under the profile of the revision, and none that
//! answers nothing that was asked. A JSON body with such a message is replaced by an error. In a stream, the event is
//! removed, with the fields that came with it. Other findings are only reported.
//!
//! An event that is removed may have been the answer. If the stream then ends and a request has none, an error is appended
//! for it, so that no caller waits in vain. A stream that ends without an answer for another reason is reported, and not
//! changed: the client may resume it.
//!
//! A JSON body with the status of an error is judged if it is a JSON-RPC message, or an object with a member `jsonrpc`. All
//! else, such as the error of an authorization server, belongs to HTTP and passes.
//!
//! The body of a 202 answers nothing, so it is dropped. A success of another content type than MCP has cannot be judged.
//!
//! # What is kept
//!
//! Of a JSON body, and of the data of one event, at most [`Terms::limit`] bytes are kept, and of all lines of one event 64 KiB
//! more. What is longer is refused, or passed on and reported as not judged.

mod asked;
mod error;
mod events;
mod judge;
#[cfg(test)]
mod tests;

use tautline::{RawJson, Rule};
use tautline_mcp::http::{Content, Finding, Progress};
use tautline_mcp::{Era, rule};

pub use self::asked::Asked;
pub use self::events::Piece;

use self::events::{Event, Events};
use self::judge::{Bad, Judge};
use crate::reply::Reply;

/// The settings that a response is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// True to refuse what breaks the rules, and not only to report it.
    pub enforces: bool,
    /// True for the [strict profile](tautline_mcp::Revision::strict_profile).
    pub strict: bool,
    /// The maximum length of a JSON body, or of the data of an event, in bytes.
    pub limit: u32,
    /// True to pass bodies with a `Content-Encoding`, which cannot be judged.
    pub passes_compressed: bool,
    /// True to pass other bodies that cannot be judged.
    pub passes_unjudged: bool,
}

/// The reason why a response is refused or not judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// It breaks this rule.
    Rule(Rule),
    /// It has a `Content-Encoding`.
    Compressed,
    /// The ids of the request are too long to be kept.
    LongIds,
}

impl Cause {
    /// Returns the name, which is that of the rule if there is one.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rule(rule) => rule::name(rule),
            Self::Compressed => "compressed",
            Self::LongIds => "long-ids",
        }
    }
}

/// What is reported about a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// A rule is broken. Offsets refer to the message.
    Finding(Finding),
    /// The body or an event is passed on without a judgement.
    Unjudged(Cause),
    /// The response was refused.
    Refused(Cause),
    /// An event or a body was removed.
    Removed(Cause),
    /// An error was appended for a request without an answer, because an event was removed.
    Answered(Cause),
}

/// What to do with a response after its head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeadStep {
    /// Pass everything on. There is nothing more to judge.
    Pass,
    /// Pass everything on, and show each piece of the body on the way.
    Observe,
    /// Hold the head and the body, and show the body when it has ended, or when it exceeds the limit.
    Hold,
    /// Pass the head on without `Content-Length`. Pass on what is returned for each piece of the body.
    Stream,
    /// Send this reply instead.
    Refuse(Reply),
}

/// What to do with a body that was held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyStep {
    /// Pass the response on.
    Pass,
    /// Send this reply instead.
    Refuse(Reply),
}

/// A response that is judged.
#[derive(Debug)]
pub struct Response {
    asked: Asked,
    terms: Terms,
    so_far: Progress,
    content: Content,
    is_success: bool,
    reading: Reading,
}

/// The state of reading the body.
#[derive(Debug)]
enum Reading {
    /// Nothing more is to be read.
    Done,
    /// One message, of which these bytes have come.
    Whole(Vec<u8>),
    Events(Box<Stream>),
    /// A body that there must not be.
    Unexpected,
    /// The rest of such a body.
    Dropped,
}

/// A stream of events, and what has become of them.
#[derive(Debug)]
struct Stream {
    events: Events,
    /// The reason why an event was removed that may have been an answer.
    lost: Option<Cause>,
    /// True if an event was passed on that was not judged.
    has_unjudged: bool,
}

impl Response {
    /// Creates the response to a request, before anything has come.
    #[must_use]
    pub fn new(asked: Asked, terms: Terms) -> Self {
        let so_far = asked.exchange().progress();
        let (content, reading) = (Content::Other, Reading::Done);
        Self { asked, terms, so_far, content, is_success: false, reading }
    }

    /// Judges the status and the headers. `ended` is true if there is no body.
    pub fn head<'h>(
        &mut self,
        status: u16,
        headers: impl Iterator<Item = (&'h [u8], &'h [u8])> + Clone,
        ended: bool,
        mut report: impl FnMut(Note),
    ) -> HeadStep {
        let report: &mut dyn FnMut(Note) = &mut report;
        if self.asked.has_long_ids() {
            return self.unjudged(Cause::LongIds, self.terms.passes_unjudged, report);
        }
        let mut exchange = self.asked.exchange();
        self.content =
            exchange.head(status, headers.clone(), |finding| report(Note::Finding(finding)));
        self.so_far = exchange.progress();
        self.is_success = matches!(status, 200..=299);
        let is_read = matches!(self.content, Content::Message | Content::Events);
        if is_read && !ended && headers.clone().any(is_compression) {
            return self.unjudged(Cause::Compressed, self.terms.passes_compressed, report);
        }
        let enforces = self.terms.enforces;
        match self.content {
            Content::Message if ended => match self.judge_whole(b"", report) {
                BodyStep::Pass => HeadStep::Pass,
                BodyStep::Refuse(reply) => HeadStep::Refuse(reply),
            },
            Content::Message => {
                self.reading = Reading::Whole(Vec::new());
                if enforces { HeadStep::Hold } else { HeadStep::Observe }
            }
            Content::Events => {
                let events = Events::new(self.terms.limit, enforces);
                let stream = Stream { events, lost: None, has_unjudged: false };
                self.reading = Reading::Events(Box::new(stream));
                if ended {
                    self.piece(b"", true, report);
                    return HeadStep::Pass;
                }
                if enforces { HeadStep::Stream } else { HeadStep::Observe }
            }
            Content::Nothing if ended => HeadStep::Pass,
            Content::Nothing => {
                self.reading = Reading::Unexpected;
                let removes = enforces && !self.asked.owes_errors();
                if removes { HeadStep::Stream } else { HeadStep::Observe }
            }
            // The finding about the content type was reported.
            _ if self.is_success && !self.asked.ends_session() => {
                let cause = Cause::Rule(rule::HTTP_RESPONSE_TYPE);
                self.unjudged(cause, self.terms.passes_unjudged, report)
            }
            _ => HeadStep::Pass,
        }
    }

    /// Judges the next piece of a body that is [observed](HeadStep::Observe) or [streamed](HeadStep::Stream). `ended` is true
    /// for the last piece, which may be empty. Do not call it with `ended` for a body that was cut off.
    pub fn piece(&mut self, bytes: &[u8], ended: bool, mut report: impl FnMut(Note)) -> Piece {
        let report: &mut dyn FnMut(Note) = &mut report;
        match core::mem::replace(&mut self.reading, Reading::Done) {
            Reading::Done => Piece::Keep,
            Reading::Whole(mut read) => {
                let length = read.len().saturating_add(bytes.len());
                if u32::try_from(length).is_ok_and(|length| length <= self.terms.limit) {
                    read.extend_from_slice(bytes);
                    if ended {
                        self.judge_whole(&read, report);
                    } else {
                        self.reading = Reading::Whole(read);
                    }
                } else {
                    self.too_long(report);
                }
                Piece::Keep
            }
            Reading::Events(mut stream) => {
                let piece = self.read_events(&mut stream, bytes, ended, report);
                self.reading = if ended { Reading::Done } else { Reading::Events(stream) };
                piece
            }
            reading @ (Reading::Unexpected | Reading::Dropped) if bytes.is_empty() => {
                self.reading = reading;
                Piece::Keep
            }
            Reading::Unexpected => self.drop_unexpected(report),
            Reading::Dropped => {
                self.reading = Reading::Dropped;
                Piece::Replace(Vec::new())
            }
        }
    }

    /// Judges a whole body that was [held](HeadStep::Hold). If it is longer than the limit, any part that is longer will do.
    pub fn whole(&mut self, body: &[u8], mut report: impl FnMut(Note)) -> BodyStep {
        self.reading = Reading::Done;
        if u32::try_from(body.len()).is_ok_and(|length| length <= self.terms.limit) {
            self.judge_whole(body, &mut report)
        } else {
            self.too_long(&mut report)
        }
    }

    /// Refuses a body that was [held](HeadStep::Hold) and is longer than the limit, or reports it.
    pub fn too_long(&mut self, mut report: impl FnMut(Note)) -> BodyStep {
        self.reading = Reading::Done;
        let mut judge = self.judge(&mut report);
        let bad = judge.too_long();
        self.so_far = judge.exchange.progress();
        let cause = Cause::Rule(bad.map_or(Rule::FRAME_TOO_LONG, |bad| bad.rule));
        match self.unjudged(cause, false, &mut report) {
            HeadStep::Refuse(reply) => BodyStep::Refuse(reply),
            _ => BodyStep::Pass,
        }
    }

    fn judge<'a, 'r>(&'a self, report: &'r mut dyn FnMut(Note)) -> Judge<'a, 'r> {
        Judge::new(&self.asked, &self.terms, (self.so_far, self.content), report)
    }

    /// Refuses a response that cannot be judged, or passes it on.
    fn unjudged(&self, cause: Cause, passes: bool, report: &mut dyn FnMut(Note)) -> HeadStep {
        if passes || !self.terms.enforces {
            report(Note::Unjudged(cause));
            return HeadStep::Pass;
        }
        report(Note::Refused(cause));
        HeadStep::Refuse(error::reply(&self.asked, cause))
    }

    fn judge_whole(&self, body: &[u8], report: &mut dyn FnMut(Note)) -> BodyStep {
        let mut judge = self.judge(report);
        let message = judge.parse(body);
        if !self.is_success && message.is_err() && !resembles_message(body) {
            return BodyStep::Pass;
        }
        let bad = judge.message(message).filter(|_| self.terms.enforces);
        if let Some(Bad { rule, .. }) = bad {
            judge.note(Note::Refused(Cause::Rule(rule)));
            return BodyStep::Refuse(error::reply(&self.asked, Cause::Rule(rule)));
        }
        judge.end();
        BodyStep::Pass
    }

    /// Drops a body that there must not be, or passes it on.
    fn drop_unexpected(&mut self, report: &mut dyn FnMut(Note)) -> Piece {
        let removes = self.terms.enforces && !self.asked.owes_errors();
        let mut judge = self.judge(report);
        // It is unexpected, whatever it is.
        judge.too_long();
        if removes {
            judge.note(Note::Removed(Cause::Rule(rule::HTTP_BODY_UNEXPECTED)));
            self.reading = Reading::Dropped;
            return Piece::Replace(Vec::new());
        }
        Piece::Keep
    }

    fn read_events(
        &mut self,
        stream: &mut Stream,
        bytes: &[u8],
        ended: bool,
        report: &mut dyn FnMut(Note),
    ) -> Piece {
        let mut judge = Judge::new(&self.asked, &self.terms, (self.so_far, self.content), report);
        let Stream { events, lost, has_unjudged } = stream;
        let enforces = self.terms.enforces;
        let mut piece = events.read(bytes, &mut |event| {
            let bad = match event {
                Event::Message(text) => {
                    let message = judge.parse(text);
                    judge.message(message)
                }
                Event::TooLong => judge.too_long(),
            };
            let Some(Bad { rule, may_be_answer }) = bad else { return false };
            let cause = Cause::Rule(rule);
            if enforces {
                judge.note(Note::Removed(cause));
                *lost = lost.or(may_be_answer.then_some(cause));
            } else if event == Event::TooLong {
                judge.note(Note::Unjudged(cause));
                *has_unjudged = true;
            }
            enforces
        });
        if ended {
            if events.finish() {
                let cause = Cause::Rule(Rule::UNFINISHED_FRAME);
                judge.note(if enforces { Note::Removed(cause) } else { Note::Unjudged(cause) });
            }
            if let Some(cause) = lost.filter(|_| !self.asked.listens()) {
                append_errors(&self.asked, &mut judge, events, cause, bytes, &mut piece);
            }
            let may_resume = self.asked.revision().era() == Era::Legacy && events.has_id();
            if !may_resume && !*has_unjudged {
                judge.end();
            }
        }
        self.so_far = judge.exchange.progress();
        piece
    }
}

/// Appends an error for each request without an answer.
fn append_errors(
    asked: &Asked,
    judge: &mut Judge<'_, '_>,
    events: &Events,
    cause: Cause,
    bytes: &[u8],
    piece: &mut Piece,
) {
    let mut out = Vec::new();
    asked.each_id(&mut |id| {
        if let Some(line) = error::line(id, cause)
            && judge.is_due(&line)
        {
            judge.note(Note::Answered(cause));
            // The line has its end, and an empty one ends the event.
            out.extend_from_slice(b"data: ");
            out.extend_from_slice(&line);
            out.push(b'\n');
        }
    });
    if out.is_empty() {
        return;
    }
    let mut all = match core::mem::replace(piece, Piece::Keep) {
        Piece::Keep => bytes.to_vec(),
        Piece::Replace(other) => other,
    };
    // The stream may have ended in a comment.
    if !events.ends_line() {
        all.push(b'\n');
    }
    all.append(&mut out);
    *piece = Piece::Replace(all);
}

/// Returns whether a body that is no message is meant to be one. Other errors belong to HTTP.
fn resembles_message(body: &[u8]) -> bool {
    RawJson::parse(body).is_ok_and(|body| body.member("jsonrpc").is_some())
}

/// Returns whether a header says that the body is compressed, or encoded in another way.
fn is_compression((name, value): (&[u8], &[u8])) -> bool {
    name.eq_ignore_ascii_case(b"content-encoding")
        && value
            .split(|&byte| byte == b',')
            .map(<[u8]>::trim_ascii)
            .any(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case(b"identity"))
}
