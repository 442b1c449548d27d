//! The second look at a frame that was kept until the revision of its session was known.

use std::collections::VecDeque;

use tautline::{ErrorCode, Fault, Message, Profile, Rule};
use tautline_mcp::{ParamsView, Revision, Role};

use super::late::{Element, Late, Waiting};
use super::{Judge, TwoSides};
use crate::frame::{FindingReport, Kind, Reporter};

/// Judges the messages of a frame that has waited.
struct Again<'a> {
    judge: &'a mut TwoSides,
    from: Role,
    revision: Revision,
    /// Its messages, and what is no message in it, in order.
    elements: VecDeque<Element>,
}

impl Judge for Again<'_> {
    fn profile(&self) -> Profile {
        self.revision.profile()
    }

    fn message(
        &mut self,
        message: &Message<'_>,
        _params: Option<&ParamsView<'_>>,
        report: &mut dyn FnMut(FindingReport),
    ) -> Option<ErrorCode> {
        if let Some(Element::Waits(followed)) = self.elements.pop_front() {
            let reports = self.judge.judge_by(self.revision, self.from, message, followed);
            reports.into_iter().for_each(report);
        }
        None
    }

    fn fault(&mut self, fault: &Fault<'_>, _text: &[u8], _report: &mut dyn FnMut(FindingReport)) {
        self.elements.pop_front();
        self.judge.excuse_frame(self.from, fault.frame());
    }
}

impl TwoSides {
    /// Judges the frames that wait by a revision.
    pub(super) fn catch_up(&mut self, revision: Revision) {
        for frame in self.waiting.take() {
            let Waiting { from, at, piece, bytes, report: before, elements } = frame;
            let mut reporter = Reporter::new(self.framing, self.limit);
            let mut again = Again { judge: self, from, revision, elements };
            let piece = piece.with_bytes(&bytes);
            let mut report = reporter.frame(&piece, &mut again, b"").into_owned();
            if before.message.kind == Kind::Invalid {
                // What was said about it took its neighbours into account.
                report = before.clone();
            }
            // A frame that is no message after all has no other faults.
            if report.message.kind != Kind::Invalid {
                // The end of the frame was judged in its stream.
                let is_other = |finding: &FindingReport| finding.rule != Rule::UNTERMINATED_FRAME;
                report.messages_mut().for_each(|one| one.findings.retain(is_other));
                report.add_missing(&before);
            }
            let revision = Some(revision);
            self.late.push(Late { from, at, bytes, report, before, revision });
        }
    }
}
