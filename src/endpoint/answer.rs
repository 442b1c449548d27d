//! Answers: the room for one, and what became of it.

use crate::encode::{EncodeError, Encoder, Error, Message, Output, Payload, Slice};
use crate::envelope::Id;

/// Room for the answer to one call, which each way of answering uses up.
///
/// The answer to a notification is dropped.
#[derive(Debug)]
#[must_use]
pub struct Answer<'a, 'out> {
    pub(super) id: Option<Id<'a>>,
    pub(super) sheet: &'a mut Sheet<'out>,
}

/// A call was answered, or will be.
#[derive(Debug)]
pub struct Answered(pub(super) State);

/// What became of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It is on the sheet, if there was room for it.
    Done,
    /// The handler will write it at another time.
    Later,
}

impl Answer<'_, '_> {
    /// The call was done, with this result.
    pub fn result(self, result: impl Payload) -> Answered {
        self.write(|message, id| message.result(id.into(), result))
    }

    /// The call failed, with this error. Without data, returning a [`Failure`](super::Failure) is
    /// shorter.
    pub fn error(self, error: Error<'_, impl Payload>) -> Answered {
        self.write(|message, id| message.error(Some(id.into()), error))
    }

    /// The call will be answered later, by an [`Encoder`] and with its id, which the handler keeps.
    ///
    /// Not in a batch, whose answers are one message: there it fails the call with -32603.
    pub fn later(self) -> Answered {
        Answered(State::Later)
    }

    fn write(self, write: impl FnOnce(Message<'_, '_>, Id<'_>)) -> Answered {
        if let Some(id) = self.id {
            // What could not be written is not on the sheet, and that is looked at afterwards.
            let _ = self.sheet.write(|message| write(message, id));
        }
        Answered(State::Done)
    }
}

/// Where the answers to one frame are written: one message and a newline, or an array of messages.
#[derive(Debug)]
pub(super) struct Sheet<'out> {
    encoder: Encoder<Slice<'out>>,
    batch: Option<BatchSheet>,
}

#[derive(Clone, Copy, Debug)]
struct BatchSheet {
    /// An answer was written.
    begun: bool,
    /// What the answers that are still to come need at least.
    reserved: usize,
}

impl<'out> Sheet<'out> {
    pub(super) const fn new(encoder: Encoder<Slice<'out>>) -> Self {
        Self { encoder, batch: None }
    }

    /// Says that a batch is answered, whose answers need so many bytes at least, each with a comma or
    /// a bracket before it.
    ///
    /// If that much is there, no answer may use the room that others need to say at least that they
    /// failed.
    pub(super) fn begin_batch(&mut self, needed: usize) {
        let fits = needed.saturating_add(CLOSE.len()) <= self.encoder.output().capacity();
        self.batch = Some(BatchSheet { begun: false, reserved: if fits { needed } else { 0 } });
    }

    /// Says that it is the turn of an answer that needs so many bytes at least.
    pub(super) const fn next_of_batch(&mut self, needed: usize) {
        if let Some(batch) = &mut self.batch {
            batch.reserved = batch.reserved.saturating_sub(needed);
        }
    }

    /// Writes one answer, whole or not at all.
    pub(super) fn write(&mut self, write: impl FnOnce(Message<'_, '_>)) -> Result<(), EncodeError> {
        let Some(batch) = self.batch else {
            return self.encoder.whole(b"", b"\n", write).map(|_| ());
        };
        let reserved = batch.reserved.saturating_add(CLOSE.len());
        self.encoder.output_mut().reserve(reserved);
        let before: &[u8] = if batch.begun { b"," } else { b"[" };
        self.encoder.whole(before, b"", write)?;
        self.batch = Some(BatchSheet { begun: true, ..batch });
        Ok(())
    }

    /// Ends the answers, and gives what there is of them.
    pub(super) fn finish(mut self) -> &'out [u8] {
        self.encoder.output_mut().reserve(0);
        if self.batch.is_some_and(|batch| batch.begun) {
            // The room for it was kept free all along.
            let _ = self.encoder.output_mut().put(CLOSE);
        }
        self.encoder.into_output().into_written()
    }

    /// Leaves nothing behind.
    pub(super) fn abandon(mut self) {
        self.encoder.output_mut().rewind(0);
    }

    pub(super) const fn is_batch(&self) -> bool {
        self.batch.is_some()
    }

    /// How much was written.
    pub(super) fn length(&self) -> usize {
        self.encoder.output().mark()
    }

    /// Takes back what was written since there was so much.
    pub(super) fn rewind(&mut self, length: usize) {
        self.encoder.output_mut().rewind(length);
        if let Some(batch) = &mut self.batch {
            batch.begun = length > 0;
        }
    }
}

/// The end of a batch.
const CLOSE: &[u8] = b"]\n";
