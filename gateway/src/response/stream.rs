//! A stream of events, whose messages are judged.

use tautline::Rule;
use tautline_mcp::Era;

use super::asked::Asked;
use super::error;
use super::events::{Event, Events};
use super::judge::{Bad, Judge};
use super::{Note, Piece, Terms};

/// A stream of events, and what has become of them.
#[derive(Debug)]
pub(super) struct Stream {
    events: Events,
    enforces: bool,
    /// The reason why an event was removed that may have been an answer.
    lost: Option<Rule>,
    /// True if an event was passed on that was not judged.
    has_unjudged: bool,
}

impl Stream {
    pub(super) const fn new(terms: Terms) -> Self {
        let Terms { enforces, limit, .. } = terms;
        Self { events: Events::new(limit, enforces), enforces, lost: None, has_unjudged: false }
    }

    /// Returns the number of bytes of memory that the current event takes.
    pub(super) fn kept(&self) -> usize {
        self.events.kept()
    }

    /// Judges the events in the next piece.
    pub(super) fn read(&mut self, bytes: &[u8], judge: &mut Judge<'_, '_>) -> Piece {
        let Self { events, lost, has_unjudged, .. } = self;
        let enforces = self.enforces;
        events.read(bytes, &mut |event| {
            let bad = match event {
                Event::Message(text) => {
                    let message = judge.parse(text);
                    judge.message(message)
                }
                Event::TooLong => judge.too_long(),
            };
            let Some(Bad { rule, may_be_answer }) = bad else { return false };
            judge.note(Note::Removed(rule));
            if enforces {
                *lost = lost.or(may_be_answer.then_some(rule));
            } else if event == Event::TooLong {
                *has_unjudged = true;
            }
            enforces
        })
    }

    /// Ends the stream after these bytes, in whose place this piece is passed on. Appends an error for each request
    /// without an answer, if the answer may have been removed.
    pub(super) fn end(
        &mut self,
        bytes: &[u8],
        piece: &mut Piece,
        asked: &Asked,
        judge: &mut Judge<'_, '_>,
    ) {
        if self.events.finish() {
            judge.note(Note::Removed(Rule::UNFINISHED_FRAME));
        }
        if let Some(cause) = self.lost.filter(|_| !asked.listens()) {
            let errors = errors(asked, judge, cause);
            if !errors.is_empty() {
                let mut all = match core::mem::replace(piece, Piece::Keep) {
                    Piece::Keep => bytes.to_vec(),
                    Piece::Replace(other) => other,
                };
                // The stream may have ended in a comment.
                if !self.events.ends_line() {
                    all.push(b'\n');
                }
                all.extend_from_slice(&errors);
                *piece = Piece::Replace(all);
            }
        }
        let may_resume = asked.revision().era() == Era::Legacy && self.events.has_id();
        if !may_resume && !self.has_unjudged {
            judge.end();
        }
    }
}

/// Returns an event with an error for each request without an answer.
fn errors(asked: &Asked, judge: &mut Judge<'_, '_>, cause: Rule) -> Vec<u8> {
    let mut events = Vec::new();
    asked.each_id(&mut |id| {
        if let Some(line) = error::line(id, cause)
            && judge.is_due(&line)
        {
            judge.note(Note::Answered(cause));
            // The line has its end, and an empty one ends the event.
            events.extend_from_slice(b"data: ");
            events.extend_from_slice(&line);
            events.push(b'\n');
        }
    });
    events
}
