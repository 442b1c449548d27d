//! The output of the readers of recordings.

use std::collections::HashSet;

use tautline::frame::FramingKind;
use tautline::{Envelope, Message, Profile, Rule};
use tautline_mcp::Role;

use super::json_error::{JsonError, Quote};
use super::{Ending, Event, Place, Receive, SourceError};
use crate::frame::{FrameReport, MaxFindings, Piece};
use crate::wire::Wire;

/// The receiver of events, and the state that all readers need.
pub(super) struct Out<'r, 'a> {
    receive: &'r mut Receive<'a>,
    limit: u32,
    said: HashSet<&'static str>,
    frames: u64,
    /// True if a frame or a breach was emitted since the session began.
    is_in_session: bool,
}

/// A frame over the limit, which arrives piece by piece. It is skimmed, and not kept.
#[derive(Debug)]
pub(super) struct Long {
    wire: Wire,
    reports: Vec<FrameReport<'static>>,
}

impl Long {
    pub fn new(limit: u32) -> Self {
        let wire = Wire::new(FramingKind::Ndjson, limit, &Profile::JSON_RPC);
        Self { wire, reports: Vec::new() }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        // Line breaks between the tokens would end the frame.
        let mut line = bytes.to_vec();
        line.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
        self.read(&line);
    }

    fn finish(mut self) -> Vec<FrameReport<'static>> {
        self.read(b"\n");
        self.reports
    }

    fn read(&mut self, line: &[u8]) {
        let Self { wire, reports } = self;
        // Keeping a report does not fail.
        let _ = wire.push(line, &mut |event, _| {
            let report =
                FrameReport::of_event(&event, &Profile::JSON_RPC, MaxFindings::AtMost(100));
            reports.extend(report.map(FrameReport::into_owned));
            Ok(())
        });
    }
}

/// The place and time of a record.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub line: u64,
    pub time: Option<i64>,
}

impl From<At> for Place {
    fn from(At { line, time }: At) -> Self {
        Self { source: 0, line: Some(line), time }
    }
}

const HTTP_FAILED: &str =
    "some responses of HTTP failed without a message of JSON-RPC in them, and are not judged";

/// Returns the id of a request as it was written, or `None` for anything else.
pub(super) fn id_of_request(frame: &[u8]) -> Option<String> {
    let envelope = Envelope::read(frame, &Profile::JSON_RPC);
    let is_request = matches!(envelope.message(), Ok(Message::Request(_)));
    envelope.id().filter(|_| is_request)?.as_str().map(str::to_owned)
}

impl<'r, 'a> Out<'r, 'a> {
    /// Creates a receiver of frames up to this length, in bytes.
    pub fn new(receive: &'r mut Receive<'a>, limit: u32) -> Self {
        Self { receive, limit, said: HashSet::new(), frames: 0, is_in_session: false }
    }

    /// Returns the maximum length of a frame, in bytes.
    pub const fn limit(&self) -> u32 {
        self.limit
    }

    /// Returns the number of frames so far.
    pub const fn frames(&self) -> u64 {
        self.frames
    }

    pub fn event(&mut self, event: Event<'_>, at: At) -> Result<(), SourceError> {
        (self.receive)(event, at.into()).map_err(SourceError::Receive)
    }

    /// Passes on an event, and counts its frame.
    pub fn pass_on(&mut self, event: Event<'_>, at: At) -> Result<(), SourceError> {
        if matches!(event, Event::Frame { .. } | Event::Start { .. } | Event::Broken { .. }) {
            self.frames += 1;
            self.is_in_session = true;
        }
        self.event(event, at)
    }

    /// Emits a message, or the bytes that were sent instead of one.
    pub fn frame(&mut self, from: Role, bytes: &[u8], at: At) -> Result<(), SourceError> {
        self.frames += 1;
        self.is_in_session = true;
        if bytes.len() as u64 <= u64::from(self.limit) {
            return self.event(Event::Frame { from, piece: Piece::whole(bytes, at.line) }, at);
        }
        let mut long = Long::new(self.limit);
        long.push(bytes);
        self.long(from, long, at)
    }

    /// Emits a frame over the limit.
    pub fn long(&mut self, from: Role, long: Long, at: At) -> Result<(), SourceError> {
        let mut reports = long.finish().into_iter();
        reports
            .try_for_each(|report| self.event(Event::Broken { from, report: Box::new(report) }, at))
    }

    /// Emits a finding whose bytes the tool has not kept.
    pub fn breach(
        &mut self,
        from: Role,
        rule: Rule,
        words: String,
        at: At,
    ) -> Result<(), SourceError> {
        self.broken(from, FrameReport::of_rule(rule, words), at)
    }

    /// Emits the error of a client that could not parse a line of the server as JSON, with the part that it quotes.
    pub fn json_error(&mut self, error: &JsonError<'_>, at: At) -> Result<(), SourceError> {
        let from = Role::Server;
        match error.quote {
            Quote::Whole(line) => self.frame(from, line.as_bytes(), at),
            Quote::Start(start) => {
                self.frames += 1;
                self.is_in_session = true;
                let piece = Piece::whole(start.as_bytes(), at.line);
                self.event(Event::Start { from, piece }, at)
            }
            Quote::Other => {
                let why = if error.is_at_end() {
                    ": the line is empty, or it ends too early"
                } else {
                    ""
                };
                let words = format!(
                    "the client could not parse a line as JSON, and the log does not have the line: {}{why}",
                    error.words
                );
                self.breach(from, Rule::NOT_JSON, words, at)
            }
        }
    }

    fn broken(
        &mut self,
        from: Role,
        report: FrameReport<'static>,
        at: At,
    ) -> Result<(), SourceError> {
        self.frames += 1;
        self.is_in_session = true;
        self.event(Event::Broken { from, report: Box::new(report) }, at)
    }

    pub fn stderr(&mut self, text: &[u8], at: At) -> Result<(), SourceError> {
        let text = [text, b"\n"].concat();
        self.event(Event::Stderr { text: &text }, at)
    }

    /// Emits a note on what the tool has lost or changed, once.
    pub fn say(&mut self, words: &'static str, at: At) -> Result<(), SourceError> {
        if self.said.insert(words) {
            self.event(Event::Loss(words.to_owned()), at)?;
        }
        Ok(())
    }

    /// Emits, once, that the tool has rewritten messages.
    pub fn rewritten(&mut self, words: &'static str, at: At) -> Result<(), SourceError> {
        if self.said.insert(words) {
            self.event(Event::Rewritten, at)?;
            self.event(Event::Loss(words.to_owned()), at)?;
        }
        Ok(())
    }

    /// Notes that an HTTP exchange failed without a message, so that its status is the answer to these requests.
    pub fn http_failed(
        &mut self,
        ids: impl IntoIterator<Item = String>,
        at: At,
    ) -> Result<(), SourceError> {
        self.say(HTTP_FAILED, at)?;
        let mut answered = |id| self.event(Event::Answered { from: Role::Server, id }, at);
        ids.into_iter().try_for_each(&mut answered)
    }

    /// Notes that frames of these sides are missing.
    pub fn missing(&mut self, sides: &[Role], at: At) -> Result<(), SourceError> {
        sides.iter().try_for_each(|&from| self.event(Event::Missing { from, answers: None }, at))
    }

    /// Ends the session, if one has begun.
    pub fn end(&mut self, how: &str, at: At) -> Result<(), SourceError> {
        self.finish(how, Ending::Normal, at)
    }

    /// Ends the session, if one has begun, because the process of the server has failed.
    pub fn fail(&mut self, how: &str, at: At) -> Result<(), SourceError> {
        self.finish(how, Ending::Failed, at)
    }

    fn finish(&mut self, how: &str, ending: Ending, at: At) -> Result<(), SourceError> {
        if !std::mem::take(&mut self.is_in_session) {
            return Ok(());
        }
        self.event(Event::End { how: how.to_owned(), ending }, at)
    }
}
