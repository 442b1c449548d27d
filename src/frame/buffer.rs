//! Frames from a buffer that is filled by a reader.

use core::fmt;

use super::storage::{LINE_END, Storage};
use super::window::{Until, Window};
use super::{Found, FrameEvent, Framing, Splitter};
use crate::bytes::move_to_front;
use crate::cast::{index, u32_from};

/// Finds frames in storage that the caller reads into.
///
/// The caller fills the [spare room](Self::spare), [commits](Self::commit) what it has filled, and takes
/// frames until there are no more. Frames are borrowed from the storage. The beginning of an incomplete
/// frame moves to the front of the storage at most once. An [`EventStream`](super::EventStream)'s data that
/// spans several lines is joined in place.
///
/// ```
/// use std::io::Read;
/// use tautline::frame::{FrameBuffer, FrameEvent};
///
/// # fn main() -> std::io::Result<()> {
/// let mut wire: &[u8] = b"{\"id\":1}\n{\"id\":2}\n";
/// let mut buffer = FrameBuffer::new([0; 16]);
/// let mut ids = Vec::new();
/// loop {
///     let read = wire.read(buffer.spare())?;
///     if read == 0 {
///         break;
///     }
///     buffer.commit(read);
///     while let Some(event) = buffer.next() {
///         let FrameEvent::Frame(frame) = event else { panic!() };
///         ids.push(frame.bytes()[6]);
///     }
/// }
/// assert!(buffer.finish().is_none());
/// assert_eq!(ids, *b"12");
/// # Ok(())
/// # }
/// ```
///
/// With another framing, here LSP's:
///
/// ```
/// use tautline::frame::{ContentLength, FrameBuffer, FrameEvent};
///
/// let wire = b"Content-Length: 8\r\n\r\n{\"id\":1}";
/// let mut buffer = FrameBuffer::with_framing([0; 64], ContentLength::new(64));
/// buffer.spare()[..wire.len()].copy_from_slice(wire);
/// buffer.commit(wire.len());
/// let Some(FrameEvent::Frame(frame)) = buffer.next() else { panic!() };
/// assert_eq!(frame.bytes(), b"{\"id\":1}");
/// ```
#[derive(Clone)]
pub struct FrameBuffer<S, F = Splitter> {
    framing: F,
    storage: S,
    /// The number of bytes of the storage that were filled.
    filled: usize,
    /// `window.scanned <= filled`
    window: Window,
}

impl<S: Storage> FrameBuffer<S> {
    /// Creates a buffer for lines, at the start of a stream. The frame limit is the size of the storage
    /// less 2 bytes for the line end; for a `HeapBuffer`, it is the limit that it was created with.
    #[must_use]
    pub fn new(storage: S) -> Self {
        Self::with_limit(storage, u32::MAX)
    }

    /// Creates a buffer for lines of at most `limit` bytes, or what the storage can hold if that is less.
    #[must_use]
    pub fn with_limit(storage: S, limit: u32) -> Self {
        Self::with_framing(storage, Splitter::new(limit))
    }
}

impl<S: Storage, F: Framing> FrameBuffer<S, F> {
    /// Creates a buffer for this framing, which must be new. Its limit is lowered to the size of the
    /// storage less 2 bytes.
    #[must_use]
    pub fn with_framing(storage: S, mut framing: F) -> Self {
        framing.lower_limit(u32_from(storage.longest_frame(LINE_END)));
        Self { framing, storage, filled: 0, window: Window::NEW }
    }

    /// Returns the framing, which knows the position in the stream.
    #[must_use]
    pub const fn framing(&self) -> &F {
        &self.framing
    }

    /// Continues after [`Desynchronised`](FrameEvent::Desynchronised), by
    /// [resynchronising](Framing::resync) to the next frame.
    pub fn resync(&mut self) {
        self.framing.resync();
    }

    /// Returns the room to fill. Check that it is not empty, because a read into empty room looks like the
    /// end of the stream. It is empty in these cases only:
    ///
    /// - the storage is empty, or no memory is available;
    /// - the storage is full, and [`next`](Self::next) was not called until it returned `None`;
    /// - the framing waits for a [resync](Self::resync).
    ///
    /// If memory for a frame runs out, the frame is given up, as if it were oversized.
    #[must_use]
    pub fn spare(&mut self) -> &mut [u8] {
        self.make_room(&mut |_| {});
        self.made_room()
    }

    /// Returns the [spare](Self::spare) room, after [`next`](Self::next) has returned `None` and made room.
    pub(crate) fn made_room(&mut self) -> &mut [u8] {
        self.storage.bytes_mut().get_mut(self.filled..).unwrap_or_default()
    }

    /// Records that this many bytes of the spare room were filled. Bytes past its end do not count.
    pub fn commit(&mut self, filled: usize) {
        let room = self.storage.bytes().len();
        self.filled = self.filled.saturating_add(filled).min(room);
    }

    /// Returns the next frame or other event, if its end was filled in.
    #[expect(clippy::should_implement_trait, reason = "it lends, which an iterator can't")]
    pub fn next(&mut self) -> Option<FrameEvent<'_>> {
        self.next_watched(|_| {}).map(|(event, _)| event)
    }

    /// Like [`next`](Self::next), but also returns the framing, and passes the bytes of oversized frames to
    /// `watch` before they are dropped. It gets all bytes of a frame, in pieces, before the
    /// [`Oversized`](FrameEvent::Oversized) event.
    pub fn next_watched(&mut self, watch: impl FnMut(&[u8])) -> Option<(FrameEvent<'_>, &F)> {
        let found = self.find(Until::Read, watch)?;
        self.lend(found)
    }

    /// Ends the stream, and returns the next remaining frame: first those not yet taken with
    /// [`next`](Self::next), then a last line without its newline, which is not
    /// [terminated](super::Frame::is_terminated). `None` means that there are no more.
    pub fn finish(&mut self) -> Option<FrameEvent<'_>> {
        self.finish_watched(|_| {}).map(|(event, _)| event)
    }

    /// Like [`finish`](Self::finish), but also returns the framing, and passes the bytes of oversized and
    /// unfinished frames to `watch` before they are dropped.
    pub fn finish_watched(&mut self, watch: impl FnMut(&[u8])) -> Option<(FrameEvent<'_>, &F)> {
        let found = self.find(Until::End, watch)?;
        self.lend(found)
    }

    /// Returns the bytes that were read but not scanned, if a line begins with them.
    #[cfg(any(feature = "std", feature = "embedded-io-v0_7", feature = "embedded-io-async-v0_7"))]
    pub(crate) fn line(&self) -> Option<&[u8]> {
        let unseen = self.storage.bytes().get(self.window.scanned..self.filled)?;
        self.framing.is_at_line_start().then_some(unseen)
    }

    /// Takes [that line](Self::line), whose LF is known to be at this index and which is not blank. Returns
    /// `None`, and loses nothing, if the line is oversized.
    #[cfg(any(feature = "std", feature = "embedded-io-v0_7", feature = "embedded-io-async-v0_7"))]
    pub(crate) fn take_line(&mut self, at: usize) -> Option<Found> {
        let mut unseen = self.storage.bytes().get(self.window.scanned..self.filled)?;
        let ended = self.framing.take_line(&mut unseen, at)?.ended();
        self.framing.record(ended);
        self.window.scanned = self.filled.saturating_sub(unseen.len());
        Some(Found::Frame(super::Piece::NONE))
    }

    /// Makes room after that [line](Self::line), which does not end in the buffer, and leaves it unscanned.
    /// Returns false if the line may be oversized, or there is no memory for more of it.
    #[cfg(any(feature = "std", feature = "embedded-io-v0_7", feature = "embedded-io-async-v0_7"))]
    pub(crate) fn leave_line(&mut self) -> bool {
        if self.filled.saturating_sub(self.window.scanned) > index(self.framing.limit()) {
            return false;
        }
        if self.window.scanned > 0 {
            self.drop_done(self.window.scanned);
        }
        self.grow()
    }

    /// Finds the next frame. Lending is a separate step: the borrow checker rejects a loop that may
    /// continue after it has lent something.
    #[inline(always)]
    pub(crate) fn find(&mut self, until: Until, mut watch: impl FnMut(&[u8])) -> Option<Found> {
        let bytes = self.storage.bytes_mut().get_mut(..self.filled).unwrap_or_default();
        let found = self.window.find(&mut self.framing, bytes, until, &mut watch);
        if found.is_none() && until == Until::Read {
            self.make_room(&mut watch);
        }
        found
    }

    /// Lends what was found last.
    #[inline(always)]
    pub(crate) fn lend(&mut self, found: Found) -> Option<(FrameEvent<'_>, &F)> {
        let frame = self.window.place(found, &self.framing);
        self.storage.note_frame(frame.len());
        let bytes = frame.bytes(self.storage.bytes());
        Some((found.event(&self.framing, bytes)?, &self.framing))
    }

    /// Makes room after the filled bytes, if there is none.
    fn make_room(&mut self, watch: &mut impl FnMut(&[u8])) {
        self.compact();
        if !S::GROWS || self.grow() {
            return;
        }
        // Memory has run out. Giving up the current frame frees what is kept of it. If it was given up
        // before, nothing is kept.
        if self.filled > 0 && self.window.scanned == self.filled {
            self.window.give_up(&mut self.framing, self.storage.bytes(), watch);
            self.compact();
        }
    }

    /// Makes the storage larger if it is full and can grow. Returns false if it stays full because it can't.
    fn grow(&mut self) -> bool {
        if self.filled < self.storage.bytes().len() {
            return true;
        }
        // No line needs more than the frame limit and its line end. If that much is filled, there are
        // complete frames in it, and taking them makes room.
        let most = index(self.framing.limit()).saturating_add(LINE_END);
        S::GROWS && self.storage.reserve(self.filled.saturating_add(LINE_END).min(most))
    }

    /// Drops consumed bytes that are no longer needed, and moves the rest to the front.
    ///
    /// Once the beginning of a frame is at the front, it stays there until the frame has ended, so no byte
    /// moves twice.
    fn compact(&mut self) {
        if self.window.scanned == self.filled {
            self.filled = self.window.close_gap::<F>();
        }
        let done = self.window.done(&self.framing);
        let filled = self.filled;
        if done == 0 || done > filled {
            return;
        }
        // While there are frames to be taken, move no more bytes than are dropped. Otherwise asking for
        // room between two frames would move all the others each time.
        if self.window.scanned < filled && done < filled.saturating_sub(done) {
            return;
        }
        self.drop_done(done);
    }

    /// Drops this many bytes, and moves the rest to the front.
    fn drop_done(&mut self, done: usize) {
        if let Some(bytes) = self.storage.bytes_mut().get_mut(..self.filled) {
            move_to_front(bytes, done);
        }
        self.window.removed(done);
        self.filled -= done;
        self.storage.release(self.filled);
    }
}

impl<S, F: fmt::Debug> fmt::Debug for FrameBuffer<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrameBuffer")
            .field("framing", &self.framing)
            .field("filled", &self.filled)
            .field("window", &self.window)
            .finish_non_exhaustive()
    }
}
