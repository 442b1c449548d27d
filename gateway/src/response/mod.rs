//! A response: its head, then its JSON body or its events, judged as they come.
//!
//! [`Asked`] is kept of the request. [`Response::head`] returns the first step:
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
//! answers nothing that was asked, or has its id in another type. A JSON body with such a message is replaced by an
//! error. In a stream, the event is removed, with the fields that came with it. Other findings are only reported.
//!
//! An event that is removed may have been the answer. If the stream then ends and a request has none, an error is
//! appended for it, so that no caller waits in vain. A stream that ends without an answer for another reason is
//! reported, and not changed: the client may resume it.
//!
//! A JSON body with the status of an error is judged if it is a JSON-RPC message, or an object with a member `jsonrpc`.
//! All else, such as the error of an authorization server, belongs to HTTP and passes.
//!
//! The body of a 202 answers nothing, so it is dropped. A success of another content type than MCP has cannot be
//! judged.
//!
//! # What is kept
//!
//! Of a JSON body, and of the data of one event, at most [`Terms::limit`] bytes are kept, and of all lines of one event
//! 64 KiB more. Anything longer is refused, or passed on and reported as not judged. An event that is
//! longer is always removed if the rules are enforced, because its beginning is gone.

mod asked;
mod error;
mod events;
mod judge;
mod steps;
mod stream;
#[cfg(test)]
mod tests;

use tautline::{RawJson, Rule};
use tautline_mcp::http::{Content, Progress};
use tautline_mcp::rule;

pub use self::asked::Asked;
pub use self::steps::{BodyStep, HeadStep, Note, Piece, Terms};

use self::judge::{Bad, Judge};
use self::stream::Stream;
use crate::encoding::is_encoded;
use crate::report;

/// A response that is judged.
#[derive(Debug)]
pub struct Response {
    asked: Asked,
    terms: Terms,
    so_far: Progress,
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

impl Response {
    /// Creates the response to a request, before anything has come.
    #[must_use]
    pub fn new(asked: Asked, terms: Terms) -> Self {
        let so_far = asked.exchange().progress();
        let reading = Reading::Done;
        Self { asked, terms, so_far, is_success: false, reading }
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
            return self.unjudged(report::rule::IDS_TOO_LONG, self.terms.passes_unjudged, report);
        }
        let mut exchange = self.asked.exchange();
        let content =
            exchange.head(status, headers.clone(), |finding| report(Note::Finding(finding)));
        self.so_far = exchange.progress();
        self.is_success = matches!(status, 200..=299);
        let is_read = matches!(content, Content::Message | Content::Events);
        if is_read && !ended && is_encoded(headers.clone()) {
            return self.unjudged(report::rule::BODY_ENCODED, self.terms.passes_compressed, report);
        }
        let enforces = self.terms.enforces;
        match content {
            Content::Message if ended => match self.judge_whole(b"", report) {
                BodyStep::Pass => HeadStep::Pass,
                BodyStep::Refuse(reply) => HeadStep::Refuse(reply),
            },
            Content::Message => {
                self.reading = Reading::Whole(Vec::new());
                if enforces { HeadStep::Hold } else { HeadStep::Observe }
            }
            Content::Events => {
                self.reading = Reading::Events(Box::new(Stream::new(self.terms)));
                if ended {
                    self.piece(b"", true, report);
                    return HeadStep::Pass;
                }
                if enforces { HeadStep::Stream } else { HeadStep::Observe }
            }
            Content::Nothing if ended => HeadStep::Pass,
            Content::Nothing => {
                self.reading = Reading::Unexpected;
                if self.removes_unexpected() { HeadStep::Stream } else { HeadStep::Observe }
            }
            // The finding about the content type was reported.
            _ if self.is_success && !self.asked.ends_session() => {
                self.unjudged(rule::HTTP_RESPONSE_TYPE, self.terms.passes_unjudged, report)
            }
            _ => HeadStep::Pass,
        }
    }

    /// Judges the next piece of a body that is [observed](HeadStep::Observe) or [streamed](HeadStep::Stream). `ended`
    /// is true for the last piece, which may be empty. Do not call it with `ended` for a body that was cut off.
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
                let mut judge = self.judge(report);
                let mut piece = stream.read(bytes, &mut judge);
                if ended {
                    stream.end(bytes, &mut piece, &self.asked, &mut judge);
                }
                self.so_far = judge.progress();
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

    /// Returns the number of bytes of memory that the body or the event takes so far.
    #[must_use]
    pub fn kept(&self) -> usize {
        match &self.reading {
            Reading::Whole(read) => read.capacity(),
            Reading::Events(stream) => stream.kept(),
            Reading::Done | Reading::Unexpected | Reading::Dropped => 0,
        }
    }

    /// Judges a whole body that was [held](HeadStep::Hold). If it is longer than the limit, any part that is longer
    /// will do.
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
        self.so_far = judge.progress();
        let rule = bad.map_or(Rule::FRAME_TOO_LONG, |bad| bad.rule);
        match self.unjudged(rule, self.terms.passes_unjudged, &mut report) {
            HeadStep::Refuse(reply) => BodyStep::Refuse(reply),
            _ => BodyStep::Pass,
        }
    }

    fn judge<'a, 'r>(&'a self, report: &'r mut dyn FnMut(Note)) -> Judge<'a, 'r> {
        Judge::new(&self.asked, &self.terms, self.so_far, report)
    }

    /// Refuses a response that cannot be judged, or passes it on.
    fn unjudged(&self, rule: Rule, passes: bool, report: &mut dyn FnMut(Note)) -> HeadStep {
        report(if passes { Note::Unjudged(rule) } else { Note::Refused(rule) });
        if passes || !self.terms.enforces {
            return HeadStep::Pass;
        }
        HeadStep::Refuse(error::reply(&self.asked, rule))
    }

    fn judge_whole(&self, body: &[u8], report: &mut dyn FnMut(Note)) -> BodyStep {
        let mut judge = self.judge(report);
        let message = judge.parse(body);
        if !self.is_success && message.is_err() && !resembles_message(body) {
            return BodyStep::Pass;
        }
        if let Some(Bad { rule, .. }) = judge.message(message) {
            judge.note(Note::Refused(rule));
            if self.terms.enforces {
                return BodyStep::Refuse(error::reply(&self.asked, rule));
            }
        }
        judge.end();
        BodyStep::Pass
    }

    const fn removes_unexpected(&self) -> bool {
        self.terms.enforces && !self.asked.owes_errors()
    }

    /// Removes a body that there must not be, or passes it on.
    fn drop_unexpected(&mut self, report: &mut dyn FnMut(Note)) -> Piece {
        let (removes, owes_errors) = (self.removes_unexpected(), self.asked.owes_errors());
        let mut judge = self.judge(report);
        // It is unexpected, whatever it is.
        judge.too_long();
        if !owes_errors {
            judge.note(Note::Removed(rule::HTTP_BODY_UNEXPECTED));
        }
        if removes {
            self.reading = Reading::Dropped;
            return Piece::Replace(Vec::new());
        }
        Piece::Keep
    }
}

/// Returns whether a body that is no message is meant to be one. Other errors belong to HTTP.
fn resembles_message(body: &[u8]) -> bool {
    RawJson::parse(body).is_ok_and(|body| body.member("jsonrpc").is_some())
}
