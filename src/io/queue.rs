//! What all writers have in common: messages that are to be sent, and how much of them was.

use crate::bytes::{copy, move_to_front};
use crate::encode::{EncodeError, Output, Refused};
use crate::frame::Storage;

/// Whole messages on their way out, kept in storage that was lent or given.
///
/// It is the output of the encoder of a writer. Where there is no room for a message beside those that
/// were not sent yet, it is [refused](EncodeError::DoesNotFit), and may be tried again when more was
/// sent.
#[derive(Clone, Debug)]
pub struct Queue<S> {
    storage: S,
    /// So many bytes of the storage are in use.
    filled: usize,
    /// So many of those were sent: `sent <= filled`.
    sent: usize,
}

impl<S: Storage> Queue<S> {
    pub(super) const fn new(storage: S) -> Self {
        Self { storage, filled: 0, sent: 0 }
    }

    /// How many bytes are still to be sent.
    #[must_use]
    pub const fn pending(&self) -> usize {
        self.filled.saturating_sub(self.sent)
    }

    /// What is still to be sent; `None` if that is nothing.
    pub(super) fn unsent(&self) -> Option<&[u8]> {
        let unsent = self.storage.bytes().get(self.sent..self.filled)?;
        (!unsent.is_empty()).then_some(unsent)
    }

    /// So many bytes more were sent.
    pub(super) fn took(&mut self, sent: usize) {
        self.sent = self.sent.saturating_add(sent).min(self.filled);
        if self.sent == self.filled {
            (self.sent, self.filled) = (0, 0);
            self.storage.release(0);
        }
    }

    /// Puts whole lines that were written elsewhere.
    pub(super) fn put_lines(&mut self, lines: &[u8]) -> Result<(), EncodeError> {
        if !lines.is_empty() && !lines.ends_with(b"\n") {
            return Err(EncodeError::Payload);
        }
        self.put(lines).map_err(|_| EncodeError::DoesNotFit { needed: lines.len() })
    }

    /// Makes room for so many bytes behind what is filled.
    fn make_room(&mut self, length: usize) -> bool {
        // What moves is not to be more than what is done with, unless there is no other way.
        if self.sent >= self.pending() {
            self.compact();
        }
        if self.storage.reserve(self.filled.saturating_add(length)) {
            return true;
        }
        self.compact();
        self.storage.reserve(self.filled.saturating_add(length))
    }

    /// Moves what is still to be sent to the front.
    fn compact(&mut self) {
        let pending = self.pending();
        if self.sent == 0 {
            return;
        }
        if let Some(bytes) = self.storage.bytes_mut().get_mut(..self.filled) {
            move_to_front(bytes, self.sent);
        }
        (self.sent, self.filled) = (0, pending);
    }
}

impl<S: Storage> Output for Queue<S> {
    /// Counted from what is to be sent first, so that it stays true when that moves.
    fn mark(&self) -> usize {
        self.pending()
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        let fits = self.filled.saturating_add(bytes.len()) <= self.storage.bytes().len();
        if !fits && !self.make_room(bytes.len()) {
            return Err(Refused::Full);
        }
        let end = self.filled.saturating_add(bytes.len());
        let room = self.storage.bytes_mut().get_mut(self.filled..end).ok_or(Refused::Full)?;
        copy(bytes, room);
        self.filled = end;
        Ok(())
    }

    fn rewind(&mut self, mark: usize) {
        self.filled = self.sent.saturating_add(mark).min(self.filled);
    }
}
