//! Frames that are judged late, because the protocol or the revision of their session was not known when they came.

use std::collections::VecDeque;

use tautline::{ErrorCode, Fault, Message, Profile};
use tautline_mcp::{Finding, Revision, Role};

use super::payload::is_part_of_a_shape;
use super::{At, Judge, TwoSides};
use crate::frame::{FindingReport, FrameReport, MaxFindings, Piece};

/// The maximum number of frames that wait, and of their bytes.
const MOST: usize = 256;
const MOST_BYTES: usize = 1 << 20;

/// The findings of the session on each message of a frame.
pub(super) type Followed = VecDeque<Vec<Finding>>;

/// A frame that waits.
#[derive(Debug)]
struct Waiting {
    from: Role,
    at: At,
    piece: Piece<'static>,
    bytes: Box<[u8]>,
    /// The findings that were reported.
    reported: Vec<FindingReport>,
    /// What the session has found, if it has observed the frame.
    followed: Option<Followed>,
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
    /// The findings that were reported before.
    reported: Vec<FindingReport>,
    /// The revision that it was judged by.
    pub revision: Revision,
}

impl Queue {
    /// Adds a frame. `followed` are the findings of the session, if it has observed the frame.
    pub fn add(
        &mut self,
        (from, at): (Role, At),
        piece: &Piece<'_>,
        report: &FrameReport<'_>,
        followed: Option<Followed>,
    ) {
        let size = self.bytes.saturating_add(piece.bytes().len());
        if self.is_full() || size > MOST_BYTES {
            self.left_out += 1;
            return;
        }
        self.bytes = size;
        let findings = report.messages().flat_map(|message| &message.findings);
        self.frames.push(Waiting {
            from,
            at,
            piece: piece.with_bytes(&[]),
            bytes: piece.bytes().into(),
            reported: findings.cloned().collect(),
            followed,
        });
    }

    /// Returns whether no room is left.
    pub fn is_full(&self) -> bool {
        self.left_out > 0 || self.frames.len() >= MOST
    }

    /// Returns the number of frames for which there was no room.
    pub const fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Drops the frames: their protocol has no rules beyond the envelope.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

impl Late {
    /// Returns whether a finding was not reported before, neither as it is nor by a rule that says less.
    pub fn is_new(&self, finding: &FindingReport) -> bool {
        !self.reported.iter().any(|other| {
            other.column == finding.column
                && (other.rule == finding.rule || is_part_of_a_shape(other.rule))
        })
    }
}

/// Judges the messages of a frame that has waited.
struct Again<'a> {
    judge: &'a mut TwoSides,
    from: Role,
    revision: Option<Revision>,
    /// What the session has found, if it has observed the frame.
    followed: Option<Followed>,
    /// What the session finds now.
    found: Followed,
}

impl Judge for Again<'_> {
    fn profile(&self) -> Profile {
        self.revision.map_or(Profile::JSON_RPC, Revision::profile)
    }

    fn message(
        &mut self,
        message: &Message<'_>,
        report: &mut dyn FnMut(FindingReport),
    ) -> Option<ErrorCode> {
        let found = match &mut self.followed {
            Some(followed) => followed.pop_front().unwrap_or_default(),
            None => self.judge.follow(self.from, message).0,
        };
        match self.revision {
            Some(revision) => {
                let reports = self.judge.judge_by(revision, self.from, message, found);
                reports.into_iter().for_each(report);
            }
            None => self.found.push_back(found),
        }
        None
    }

    fn fault(&mut self, fault: &Fault<'_>, _text: &[u8], _report: &mut dyn FnMut(FindingReport)) {
        if self.followed.is_none() {
            self.judge.follow_fault(self.from, fault);
        }
    }
}

impl TwoSides {
    /// Judges the frames that wait by a revision or, if there is none yet, lets the session observe those that it has
    /// not observed.
    pub(super) fn catch_up(&mut self, revision: Option<Revision>) {
        for mut frame in std::mem::take(&mut self.waiting.frames) {
            if revision.is_none() && frame.followed.is_some() {
                self.waiting.frames.push(frame);
                continue;
            }
            let from = frame.from;
            let followed = frame.followed.take();
            let mut again = Again { judge: self, from, revision, followed, found: VecDeque::new() };
            let piece = frame.piece.with_bytes(&frame.bytes);
            let report = FrameReport::of_frame(&piece, &mut again, MaxFindings::AtMost(100));
            match revision {
                Some(revision) => {
                    let mut report = report.into_owned();
                    let (at, reported, bytes) = (frame.at, frame.reported, frame.bytes);
                    report.add_missing(&reported);
                    self.late.push(Late { from, at, bytes, report, reported, revision });
                }
                None => {
                    frame.followed = Some(again.found);
                    self.waiting.frames.push(frame);
                }
            }
        }
        if revision.is_some() {
            self.waiting.bytes = 0;
        }
    }
}
