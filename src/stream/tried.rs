//! What the faster way has left to the plain one.

use super::Received;
use crate::envelope::healthy::Unclear;
use crate::envelope::{Message, Rules, Skimmed};
use crate::frame::FrameEvent;

/// A line that is not plainly a message, as far as the input goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tried {
    /// Where in the stream the line begins.
    pub(super) offset: u64,
    pub(super) unclear: Unclear,
}

impl Tried {
    /// What the next line turned out to be, without trying the same twice.
    pub(super) fn judge<'buf>(
        self,
        event: FrameEvent<'buf>,
        skim: impl FnOnce() -> Option<Skimmed<'buf>>,
        rules: &Rules,
    ) -> Received<'buf> {
        Received::judged(event, skim, rules, |frame| {
            // Its end was there, so it was tried as a whole.
            if frame.offset() == self.offset && frame.is_terminated() {
                Message::parse_unclear(frame.bytes(), frame.delimiter(), rules, self.unclear)
            } else {
                Message::parse_frame(frame, rules)
            }
        })
    }
}
