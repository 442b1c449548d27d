//! The common part of all writers: everything except writing.

use super::Queue;
use crate::encode::Encoder;
use crate::envelope::Rules;
use crate::frame::{Framing, Storage};

/// The messages to be sent, and how far they have got.
#[derive(Debug)]
pub(super) struct Outbox<S, F> {
    pub(super) encoder: Encoder<Queue<S, F>>,
    /// True if the underlying writer has accepted bytes since it was flushed.
    unflushed: bool,
}

/// The next step of a writer that sends everything.
pub(super) enum Step<'a> {
    /// Write some of these bytes. There is at least one.
    Write(&'a [u8]),
    /// Flush the underlying writer.
    Flush,
}

impl<S: Storage, F: Framing> Outbox<S, F> {
    pub(super) const fn new(storage: S, rules: &Rules) -> Self {
        Self { encoder: Encoder::with_rules(Queue::new(storage), rules), unflushed: false }
    }

    /// Returns the next step, or `None` if everything was sent.
    pub(super) fn next_step(&mut self) -> Option<Step<'_>> {
        match self.encoder.output().unsent() {
            Some(unsent) => {
                // Set before the call: the writer may accept some of the bytes and fail when it is flushed.
                self.unflushed = true;
                Some(Step::Write(unsent))
            }
            None => self.unflushed.then_some(Step::Flush),
        }
    }

    /// Records that the underlying writer accepted this many bytes.
    pub(super) fn took(&mut self, bytes: usize) {
        self.encoder.output_mut().took(bytes);
    }

    /// Records that the underlying writer was flushed.
    pub(super) const fn flushed(&mut self) {
        self.unflushed = false;
    }
}
