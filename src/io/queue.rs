//! What all writers have in common: messages that are to be sent, and how much of them was.

use core::cell::Cell;

use crate::bytes::copy;
use crate::encode::{EncodeError, Output, Refused, without_carriage_returns};
use crate::frame::Storage;

/// The length in bytes of what ends a message.
const NEWLINE: usize = 1;

/// Whole messages on their way out, kept in storage that was lent or given.
///
/// It is the output of the encoder of a writer. Where there is no room for a message beside those that
/// were not sent yet, it is [refused](EncodeError::DoesNotFit), and may be tried again when more was
/// sent.
///
/// A queue in `Growing` storage has room for a message of the storage's limit and its newline. Once it is
/// empty, it keeps at most 256 KiB of memory; if it took more, it keeps 64 KiB. If another message that needs as
/// much is among the eight that follow, it keeps the memory for more of them until eight others have come in a row.
#[derive(Clone, Debug)]
pub struct Queue<S> {
    /// A ring: behind its last byte comes its first. So nothing moves but when it grows, however little a slow
    /// peer takes at a time.
    storage: S,
    /// Where in the storage the byte is that is to be sent next.
    start: usize,
    /// How many there are from there on.
    pending: usize,
    /// So many of those come before the message that is written now.
    complete: usize,
}

impl<S: Storage> Queue<S> {
    pub(super) const fn new(storage: S) -> Self {
        Self { storage, start: 0, pending: 0, complete: 0 }
    }

    /// How many bytes are still to be sent.
    #[must_use]
    pub const fn pending(&self) -> usize {
        self.pending
    }

    /// What is to be sent next, and lies in one piece; `None` if there is nothing to be sent.
    pub(super) fn unsent(&self) -> Option<&[u8]> {
        let bytes = self.storage.bytes();
        let end = self.start.saturating_add(self.pending).min(bytes.len());
        bytes.get(self.start..end).filter(|unsent| !unsent.is_empty())
    }

    /// So many bytes more were sent.
    pub(super) fn took(&mut self, sent: usize) {
        let sent = sent.min(self.pending);
        self.start = self.behind(sent);
        self.pending -= sent;
        self.complete = self.complete.saturating_sub(sent);
        self.release_if_empty();
    }

    /// Begins at the front again if there is nothing to be sent, and gives back the memory of a giant.
    fn release_if_empty(&mut self) {
        if self.pending == 0 {
            self.start = 0;
            self.storage.release(0);
        }
    }

    /// Puts whole lines that were written elsewhere.
    pub(super) fn put_lines(&mut self, lines: &[u8]) -> Result<(), EncodeError> {
        if !lines.is_empty() && !lines.ends_with(b"\n") {
            return Err(EncodeError::Payload);
        }
        let mark = self.mark();
        for piece in without_carriage_returns(lines) {
            if self.put(piece).is_err() {
                self.rewind(mark);
                return Err(EncodeError::DoesNotFit { needed: lines.len() });
            }
        }
        Ok(())
    }

    /// Where so many bytes behind the start are.
    fn behind(&self, bytes: usize) -> usize {
        let (at, size) = (self.start.saturating_add(bytes), self.storage.bytes().len());
        if at < size { at } else { at.saturating_sub(size) }
    }

    /// Makes room for so many bytes in all, and says whether there is.
    fn make_room(&mut self, length: usize) -> bool {
        let before = self.storage.bytes().len();
        // Storage that grows may have more than its limit, to read into.
        let most = self.storage.longest_frame(NEWLINE).saturating_add(NEWLINE);
        if S::GROWS && length > most {
            return false;
        }
        if length <= before {
            return true;
        }
        // What has come round moves when the storage grows, so it grows to twice its size at least.
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

    /// Some of the bytes have come round, and so those before this old end of the storage have to be
    /// those before its end.
    fn move_to_back(&mut self, old_end: usize) {
        // `copy_within` says the same, with a panic for a range outside of the slice.
        let cells = Cell::from_mut(self.storage.bytes_mut()).as_slice_of_cells();
        let moved = cells.get(self.start..old_end).unwrap_or_default();
        for (to, from) in cells.iter().rev().zip(moved.iter().rev()) {
            to.set(from.get());
        }
        self.start = cells.len().saturating_sub(moved.len());
    }
}

impl<S: Storage> Output for Queue<S> {
    /// Counted from what is to be sent first, which nothing moves while a message is written.
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
        // Only the end of a message has a newline.
        if S::GROWS && bytes.ends_with(b"\n") {
            self.storage.note_frame(pending.saturating_sub(self.complete));
            self.complete = pending;
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
}

/// The methods that every writer has, to be put into its `impl`: they ask the writer below, or the queue.
macro_rules! accessors {
    () => {
        /// What puts messages into the queue; they are sent by [`flush`](Self::flush). One for which the
        /// queue has no room is [refused](crate::encode::EncodeError::DoesNotFit), and the queue is as it
        /// was.
        pub const fn encoder(&mut self) -> &mut $crate::encode::Encoder<$crate::io::Queue<S>> {
            &mut self.encoder
        }

        /// Puts lines into the queue that were encoded elsewhere, as the reply of an
        /// [endpoint](crate::endpoint::Endpoint::receive) or the
        /// [parts](crate::encode::Forward::parts) of a message that is passed on. Empty input is not a line.
        /// A raw CR becomes a space, so that nobody splits a line there.
        ///
        /// # Errors
        ///
        /// [`EncodeError::Payload`](crate::encode::EncodeError::Payload) if the last line has no newline;
        /// [`EncodeError::DoesNotFit`](crate::encode::EncodeError::DoesNotFit) if the queue has not the
        /// room.
        pub fn put_lines(&mut self, lines: &[u8]) -> Result<(), $crate::encode::EncodeError> {
            self.encoder.output_mut().put_lines(lines)
        }

        /// How many bytes are still to be sent.
        #[must_use]
        pub const fn pending(&self) -> usize {
            self.encoder.output().pending()
        }

        /// The writer.
        pub const fn writer(&self) -> &W {
            &self.writer
        }

        /// The writer. What is written to it directly may land inside of a message.
        pub const fn writer_mut(&mut self) -> &mut W {
            &mut self.writer
        }

        /// The writer. What is [pending](Self::pending) is dropped.
        #[must_use]
        pub fn into_inner(self) -> W {
            self.writer
        }
    };
}
pub(super) use accessors;

#[cfg(all(test, feature = "std"))]
mod tests {
    use super::Queue;
    use crate::encode::Output;
    use crate::frame::{Growing, Storage};

    fn size<S: Storage>(queue: &Queue<S>) -> usize {
        queue.storage.bytes().len()
    }

    /// Each time the storage grows, what has come round moves: if it grew by a little each time, a slow peer
    /// would make the work quadratic.
    #[test]
    fn a_queue_that_has_come_round_doubles() {
        let mut queue = Queue::new(Growing::default());
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
