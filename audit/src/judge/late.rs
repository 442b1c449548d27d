//! Frames that are judged late, because the protocol or the revision of their session was not known when they came.

use std::collections::VecDeque;

use tautline::Severity;
use tautline_mcp::judge::{Followed, is_part_of_a_shape};
use tautline_mcp::{Finding, Revision, Role, rule};

use super::At;
use crate::frame::{FindingReport, FrameReport, Piece};

/// The maximum number of frames that wait, and of their bytes.
const MOST: usize = 256;
const MOST_BYTES: usize = 1 << 20;

/// A message of a frame, or what was no message, until the frame is judged late.
#[derive(Debug)]
pub(super) enum Element {
    /// The message waits, with what the session has found in it.
    Waits(Followed),
    /// The message was judged, or it was no message.
    Done,
}

/// A frame that waits.
#[derive(Debug)]
pub(super) struct Waiting {
    pub from: Role,
    pub at: At,
    pub piece: Piece<'static>,
    pub bytes: Box<[u8]>,
    /// The report that was made of it.
    pub report: FrameReport<'static>,
    /// Its messages, and what is no message in it, in order.
    pub elements: VecDeque<Element>,
}

/// The frames that wait, in the order of the wire.
#[derive(Debug, Default)]
pub(super) struct Queue {
    frames: Vec<Waiting>,
    bytes: usize,
    /// The number of frames for which there was no room.
    left_out: u64,
}

/// A frame that was judged late.
#[derive(Debug)]
pub(crate) struct Late {
    pub from: Role,
    pub at: At,
    pub bytes: Box<[u8]>,
    /// All findings, including those that were reported before.
    pub report: FrameReport<'static>,
    /// The report that was made before.
    pub before: FrameReport<'static>,
    /// The revision that it was judged by, if the protocol is MCP.
    pub revision: Option<Revision>,
}

impl Queue {
    /// Adds a frame, and returns whether there was room. `elements` are its messages.
    pub fn add(
        &mut self,
        (from, at): (Role, At),
        piece: &Piece<'_>,
        report: &FrameReport<'_>,
        elements: VecDeque<Element>,
    ) -> bool {
        let size = self.bytes.saturating_add(piece.bytes().len());
        if self.is_full() || size > MOST_BYTES {
            self.left_out += 1;
            return false;
        }
        self.bytes = size;
        self.frames.push(Waiting {
            from,
            at,
            piece: piece.with_bytes(&[]),
            bytes: piece.bytes().into(),
            report: report.clone().into_owned(),
            elements,
        });
        true
    }

    /// Returns whether no frame waits.
    pub const fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Takes the frames out, the oldest first.
    pub fn take(&mut self) -> Vec<Waiting> {
        self.bytes = 0;
        std::mem::take(&mut self.frames)
    }

    /// Returns whether no room is left.
    pub fn is_full(&self) -> bool {
        self.left_out > 0 || self.frames.len() >= MOST
    }

    /// Returns the number of frames for which there was no room.
    pub const fn left_out(&self) -> u64 {
        self.left_out
    }
}

impl Waiting {
    /// Ends the wait without a judgement beyond the envelope, apart from the findings of the session for which `is_kept` is
    /// true.
    pub fn into_late(self, is_kept: impl Fn(&Finding) -> bool) -> Late {
        let Self { from, at, bytes, report: before, elements, .. } = self;
        let mut report = before.clone();
        // The whole of a batch is no element.
        let messages = report.messages_mut().skip(usize::from(before.batch.is_some()));
        for (message, element) in messages.zip(&elements) {
            let Element::Waits(followed) = element else { continue };
            let found = followed.findings().iter().filter(|one| is_kept(one));
            message.findings.extend(found.map(FindingReport::of));
        }
        Late { from, at, bytes, report, before, revision: None }
    }
}

/// Returns whether a finding is reported before its frame is judged late. Some warnings are errors in MCP, and a batch may
/// be one as a whole.
pub(crate) fn is_certain(finding: &FindingReport, is_batch: bool) -> bool {
    let is_stricter = finding.severity < rule::severity(finding.rule);
    finding.severity != Severity::Warning || !(is_batch || is_stricter)
}

impl Late {
    /// Returns whether a finding was not reported before, neither as it is nor by a rule that says less.
    pub fn is_new(&self, finding: &FindingReport) -> bool {
        let before = self.before.messages().flat_map(|message| &message.findings);
        let is_batch = self.before.batch.is_some();
        !before.filter(|other| is_certain(other, is_batch)).any(|other| {
            other.column == finding.column
                && (other.rule == finding.rule && other.severity >= finding.severity
                    || is_part_of_a_shape(other.rule))
        })
    }
}
