//! The common part of all writers: the messages to be sent, the encoder before them, and how much of them was sent.

use core::cell::Cell;

use super::{Outbox, Step};
use crate::bytes::{copy, is_blank};
use crate::encode::{EncodeError, Encoder, Output, Refused, without_carriage_returns};
use crate::envelope::Profile;
#[cfg(feature = "std")]
use crate::frame::HeapBuffer;
use crate::frame::{Framing, Splitter, Storage};

/// The length in bytes of a message's newline.
const NEWLINE: usize = 1;

/// A queue of complete outgoing messages, in borrowed or owned storage.
///
/// It is the output of a writer's encoder. If a message does not fit next to those not yet sent, it is
/// [refused](EncodeError::DoesNotFit), and can be retried when more has been sent.
///
/// The encoder writes lines, and the queue converts them to frames of its framing. This adds at most 36
/// bytes to each message. They count towards the room, but not towards the length that the encoder reports.
///
/// A queue in a `HeapBuffer` has room for a message of the storage's limit and its newline. Once it is
/// empty, it keeps at most 256 KiB of memory; if it took more, it shrinks to 64 KiB. If another message of
/// that size is among the next eight, it keeps the memory until eight smaller ones have come in a row.
#[derive(Clone)]
pub struct Queue<S, F: Framing = Splitter> {
    /// A ring buffer, so bytes move only when it grows, however few bytes a slow peer accepts at a time.
    storage: S,
    /// The index in the storage of the next byte to be sent.
    start: usize,
    /// The number of bytes to be sent.
    pending: usize,
    /// The number of these bytes that come before the message being written.
    complete: usize,
    form: F::Form,
}

impl<S: Storage, F: Framing> Queue<S, F> {
    const fn new(storage: S, form: F::Form) -> Self {
        Self { storage, start: 0, pending: 0, complete: 0, form }
    }

    /// Returns the number of bytes still to be sent.
    #[must_use]
    pub const fn pending(&self) -> usize {
        self.pending
    }

    /// Returns the next bytes to be sent, as far as they are contiguous; `None` if there are none.
    fn unsent(&self) -> Option<&[u8]> {
        let bytes = self.storage.bytes();
        let end = self.start.saturating_add(self.pending).min(bytes.len());
        bytes.get(self.start..end).filter(|unsent| !unsent.is_empty())
    }

    /// Records that this many more bytes were sent.
    fn took(&mut self, sent: usize) {
        let sent = sent.min(self.pending);
        self.start = self.behind(sent);
        self.pending -= sent;
        self.complete = self.complete.saturating_sub(sent);
        self.release_if_empty();
    }

    /// If there is nothing to be sent, starts at the front again and releases the memory of a large
    /// message.
    fn release_if_empty(&mut self) {
        if self.pending == 0 {
            self.start = 0;
            self.storage.release(0);
        }
    }

    /// Adds complete lines that were encoded elsewhere, all of them or none.
    pub(super) fn put_lines(&mut self, lines: &[u8]) -> Result<(), EncodeError> {
        if !lines.is_empty() && !lines.ends_with(b"\n") {
            return Err(EncodeError::Payload);
        }
        let mark = self.mark();
        let put = if F::writes_lines(self.form) {
            self.put_line(lines)
        } else {
            let mut lines = lines.split_inclusive(|&byte| byte == b'\n');
            lines.try_for_each(|line| if is_blank(line) { Ok(()) } else { self.put_line(line) })
        };
        put.map_err(|_| {
            self.rewind(mark);
            let error = EncodeError::does_not_fit(lines.len());
            #[cfg(feature = "alloc")]
            let error = error.beside(self.room());
            error
        })
    }

    fn put_line(&mut self, line: &[u8]) -> Result<(), Refused> {
        without_carriage_returns(line).try_for_each(|piece| self.put(piece))?;
        self.commit()
    }

    /// Converts the last line to a frame.
    fn frame(&mut self) -> Result<(), Refused> {
        // The newline is not part of the message.
        self.pending = self.pending.saturating_sub(NEWLINE).max(self.complete);
        let head = F::head(self.form, self.pending.saturating_sub(self.complete));
        let head = head.as_bytes();
        let message = self.pending;
        // The message makes room for its head, whose length was not known before. Each byte moves once.
        self.put(head)?;
        let cells = Cell::from_mut(self.storage.bytes_mut()).as_slice_of_cells();
        let size = cells.len();
        let cell = |at: usize| {
            let at = self.start.saturating_add(at);
            cells.get(if at < size { at } else { at.saturating_sub(size) })
        };
        for at in (self.complete..message).rev() {
            if let (Some(from), Some(to)) = (cell(at), cell(at.saturating_add(head.len()))) {
                to.set(from.get());
            }
        }
        for (at, byte) in (self.complete..).zip(head) {
            if let Some(to) = cell(at) {
                to.set(*byte);
            }
        }
        self.put(F::tail(self.form))
    }

    /// Returns the index in the storage that is this many bytes after the start.
    fn behind(&self, bytes: usize) -> usize {
        let (at, size) = (self.start.saturating_add(bytes), self.storage.bytes().len());
        if at < size { at } else { at.saturating_sub(size) }
    }

    /// Returns the maximum number of bytes to be sent. Storage that grows may have more than its limit, as room to
    /// read into.
    fn most(&self) -> usize {
        self.storage.longest_frame(NEWLINE).saturating_add(NEWLINE)
    }

    /// Makes room for this many bytes in total, and returns whether it could.
    fn make_room(&mut self, length: usize) -> bool {
        let before = self.storage.bytes().len();
        let most = self.most();
        if S::GROWS && length > most {
            return false;
        }
        if length <= before {
            return true;
        }
        // Bytes that have wrapped around move when the storage grows, so it at least doubles.
        let doubled = before.saturating_mul(2).min(most).max(length);
        let has_doubled = S::GROWS && self.storage.reserve(doubled);
        if !has_doubled && !self.storage.reserve(length) {
            return false;
        }
        if self.start.saturating_add(self.pending) > before {
            self.move_to_back(before);
        }
        true
    }

    /// Moves the bytes before the old end to the new end, because the bytes after them have wrapped around.
    fn move_to_back(&mut self, old_end: usize) {
        // `copy_within` would do the same, but can panic.
        let cells = Cell::from_mut(self.storage.bytes_mut()).as_slice_of_cells();
        let moved = cells.get(self.start..old_end).unwrap_or_default();
        for (to, from) in cells.iter().rev().zip(moved.iter().rev()) {
            to.set(from.get());
        }
        self.start = cells.len().saturating_sub(moved.len());
    }
}

impl<S: Storage, F: Framing> Output for Queue<S, F> {
    /// Counted from the next byte to be sent, which does not change while a message is written.
    fn mark(&self) -> usize {
        self.pending
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        let pending = self.pending.saturating_add(bytes.len());
        if !self.make_room(pending) {
            return Err(Refused::Full);
        }
        let end = self.behind(self.pending);
        let (front, back) =
            self.storage.bytes_mut().split_at_mut_checked(end).ok_or(Refused::Full)?;
        copy(bytes, back);
        copy(bytes.get(back.len()..).unwrap_or_default(), front);
        self.pending = pending;
        Ok(())
    }

    fn commit(&mut self) -> Result<(), Refused> {
        if !F::writes_lines(self.form) {
            self.frame()?;
        }
        if S::GROWS || !F::writes_lines(self.form) {
            self.storage.note_frame(self.pending.saturating_sub(self.complete));
            self.complete = self.pending;
        }
        Ok(())
    }

    fn rewind(&mut self, mark: usize) {
        self.pending = self.pending.min(mark);
        self.complete = self.complete.min(mark);
        if S::GROWS {
            self.release_if_empty();
        }
    }

    #[cfg(feature = "alloc")]
    fn room(&self) -> Option<usize> {
        Some(self.most().saturating_sub(self.pending))
    }
}

#[cfg(feature = "std")]
impl<F: Framing> Queue<HeapBuffer, F> {
    /// Sets the maximum number of bytes to be sent.
    pub(super) const fn set_limit(&mut self, limit: u32) {
        // The storage adds the newline.
        self.storage.set_limit(limit.saturating_sub(1));
    }
}

impl<S, F: Framing> core::fmt::Debug for Queue<S, F> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Queue").field("pending", &self.pending).finish_non_exhaustive()
    }
}

impl<S: Storage, F: Framing> Outbox<S, F> {
    pub(super) const fn new(storage: S, form: F::Form, profile: &Profile) -> Self {
        let queue = Queue::new(storage, form);
        Self { encoder: Encoder::with_profile(queue, profile), unflushed: false }
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

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::Queue;
    use crate::encode::Output;
    use crate::frame::{HeapBuffer, Storage};

    fn size<S: Storage>(queue: &Queue<S>) -> usize {
        queue.storage.bytes().len()
    }

    /// Bytes that have wrapped around move each time the storage grows. If it grew in small steps, a slow
    /// peer would make the work quadratic.
    #[test]
    fn a_queue_that_has_come_round_doubles() {
        let mut queue = Queue::new(HeapBuffer::default(), ());
        let message = [&[b'x'; 1023][..], b"\n"].concat();
        for _ in 0..60 {
            queue.put(&message).unwrap();
        }
        queue.took(50 * 1024);
        let (mut before, mut grown) = (0, 0);
        while queue.pending() < 15 << 20 {
            queue.put(&message).unwrap();
            let now = size(&queue);
            grown += usize::from(now != before);
            before = now;
        }
        assert!(grown <= 10, "{grown}");
        let mut sent = std::vec::Vec::new();
        while let Some(unsent) = queue.unsent() {
            let length = unsent.len().min(100_000);
            sent.extend_from_slice(&unsent[..length]);
            queue.took(length);
        }
        assert!(sent.len() >= 15 << 20 && sent.chunks(1024).all(|line| line == message));
    }
}
