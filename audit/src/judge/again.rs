//! The second look at a frame that was kept until the revision of its session was known.

use std::collections::VecDeque;

use tautline::{ErrorCode, Fault, Message, Profile, Rule};
use tautline_mcp::{Revision, Role};

use super::late::{Followed, Late};
use super::{Judge, TwoSides};
use crate::frame::{FindingReport, Kind, Reporter};

/// Judges the messages of a frame that has waited.
struct Again<'a> {
    judge: &'a mut TwoSides,
    from: Role,
    revision: Option<Revision>,
    /// The findings of the session, if it has observed the frame.
    followed: Option<Followed>,
    /// The findings of the session, if it observes the frame now.
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
                let reports = self.judge.judge_by(revision, self.from, (message, true), found);
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
        if self.revision.is_some() {
            self.judge.excuse(self.from, fault.frame());
        }
    }
}

impl TwoSides {
    /// Judges the frames that wait by a revision or, if there is none yet, lets the session observe those that it has
    /// not observed.
    pub(super) fn catch_up(&mut self, revision: Option<Revision>) {
        for mut frame in self.waiting.take() {
            if revision.is_none() && frame.followed.is_some() {
                self.waiting.put_back(frame);
                continue;
            }
            let from = frame.from;
            let followed = frame.followed.take();
            let mut reporter = Reporter::new(self.framing, self.limit);
            let mut again = Again { judge: self, from, revision, followed, found: VecDeque::new() };
            let piece = frame.piece.with_bytes(&frame.bytes);
            let mut report = reporter.frame(&piece, &mut again, b"");
            if frame.report.message.kind == Kind::Invalid {
                // What was said about it took its neighbours into account.
                report = frame.report.clone();
            }
            match revision {
                Some(revision) => {
                    let mut report = report.into_owned();
                    let (at, before, bytes) = (frame.at, frame.report, frame.bytes);
                    // A frame that is no message after all has no other faults.
                    if report.message.kind != Kind::Invalid {
                        // The end of the frame was judged in its stream.
                        let is_other =
                            |finding: &FindingReport| finding.rule != Rule::UNTERMINATED_FRAME;
                        report.messages_mut().for_each(|one| one.findings.retain(is_other));
                        report.add_missing(&before);
                    }
                    let revision = Some(revision);
                    self.late.push(Late { from, at, bytes, report, before, revision });
                }
                None => {
                    frame.followed = Some(again.found);
                    self.waiting.put_back(frame);
                }
            }
        }
    }
}
