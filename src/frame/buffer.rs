//! Frames from a buffer that is filled by a reader, and which part of the stream is in the buffer.

use core::fmt;

use super::storage::{LINE_END, Storage};
use super::{Ended, Found, FrameEvent, Framing, Piece, Splitter, Step};
use crate::bytes::{copy, move_to_front};
use crate::cast::{index, index_in_memory, u32_from, u64_from};

/// Finds frames in storage that the caller reads into.
///
/// The caller fills the [spare room](Self::spare), [commits](Self::commit) what it has filled, and takes
/// frames until there are no more. Frames are borrowed from the storage. The beginning of an incomplete
/// frame moves to the front of the storage at most once. The data of a [server-sent event](super::ServerSentEvents)
/// that spans several lines is joined in place.
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
        let found = self.find(Until::Read, |_| {})?;
        self.lend(found).map(|(event, _)| event)
    }

    /// Ends the stream, and returns the next remaining frame: first those not yet taken with
    /// [`next`](Self::next), then a last line without its newline, which is not
    /// [terminated](super::Frame::is_terminated). `None` means that there are no more.
    pub fn finish(&mut self) -> Option<FrameEvent<'_>> {
        let found = self.find(Until::End, |_| {})?;
        self.lend(found).map(|(event, _)| event)
    }

    /// Returns the bytes that were read but not scanned, if a line begins with them.
    #[cfg(any(feature = "std", feature = "embedded-io-v0_7"))]
    pub(crate) fn line(&self) -> Option<&[u8]> {
        let unseen = self.storage.bytes().get(self.window.scanned..self.filled)?;
        self.framing.is_at_line_start().then_some(unseen)
    }

    /// Takes [that line](Self::line), whose LF is known to be at this index and which is not blank. Returns
    /// `None`, and loses nothing, if the line is oversized.
    #[cfg(any(feature = "std", feature = "embedded-io-v0_7"))]
    pub(crate) fn take_line(&mut self, at: usize) -> Option<Found> {
        let mut unseen = self.storage.bytes().get(self.window.scanned..self.filled)?;
        let ended = self.framing.take_line(&mut unseen, at)?.ended();
        self.framing.record(ended);
        self.window.scanned = self.filled.saturating_sub(unseen.len());
        Some(Found::Frame(Piece::NONE))
    }

    /// Makes room after that [line](Self::line), which does not end in the buffer, and leaves it unscanned.
    /// Returns false if the line may be oversized, or there is no memory for more of it.
    #[cfg(any(feature = "std", feature = "embedded-io-v0_7"))]
    pub(crate) fn leave_line(&mut self) -> bool {
        if self.filled.saturating_sub(self.window.scanned) > index(self.framing.limit()) {
            return false;
        }
        if self.window.scanned > 0 {
            self.drop_done(self.window.scanned);
        }
        self.grow()
    }

    /// Finds the next frame, and passes the bytes of oversized and unfinished frames to `watch` before they are
    /// dropped. Lending is a separate step: the borrow checker rejects a loop that may continue after it has lent
    /// something.
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
            self.filled = self.window.close_gap(&self.framing);
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

/// Tracks which part of the stream lies in a buffer, and how much of it was scanned.
///
/// Nothing is copied out of the buffer. A frame that is not contiguous on the wire is joined in place: its
/// pieces move forward, each once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// The offset in the stream of the buffer's first byte. Not maintained for frames that are joined.
    base: u64,
    /// The number of bytes of the buffer that the framing has consumed.
    pub(crate) scanned: usize,
    /// The range of the current frame, from `start` to `end`, if it is joined and something is kept of it.
    /// Otherwise both are 0.
    start: usize,
    end: usize,
}

/// How far to look for a frame.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    /// Up to the last byte that was read.
    Read,
    /// Up to the end of the stream, which also ends the last line.
    End,
}

impl Window {
    pub(crate) const NEW: Self = Self { base: 0, scanned: 0, start: 0, end: 0 };

    /// Finds the next frame or other event in a buffer with these bytes. Returns `None` if all of them were
    /// consumed.
    #[inline(always)]
    pub(crate) fn find<F: Framing>(
        &mut self,
        framing: &mut F,
        bytes: &mut [u8],
        until: Until,
        watch: &mut impl FnMut(&[u8]),
    ) -> Option<Found> {
        loop {
            let from = self.scanned;
            let unseen = bytes.get(from..).unwrap_or_default();
            let Step { consumed, mut found } = framing.step(unseen);
            self.scanned = from.saturating_add(consumed);
            // Read this now: the framing forgets it when the frame ends.
            let mut kept = (0, 0);
            if F::CAN_LOSE && !framing.keeps_nothing() {
                kept = self.kept(framing);
            }
            if found == Found::NeedMore && until == Until::End {
                found = framing.finish();
            }
            match found {
                Found::Frame(tail) if !framing.is_contiguous() => {
                    return Some(Found::Frame(self.end(tail, from)));
                }
                Found::Frame(_) | Found::Oversized => return Some(found),
                Found::Keep(piece) if !framing.is_contiguous() => {
                    self.join(from.saturating_add(piece.start), piece.len(), bytes);
                }
                Found::KeepHeld(held) if !framing.is_contiguous() => {
                    // The last byte consumed leaves room for the held one.
                    let place = from.saturating_sub(held.len());
                    self.join(place, held.len(), bytes);
                    let end = self.end.saturating_sub(held.len());
                    copy(held, bytes.get_mut(end..self.end).unwrap_or_default());
                }
                Found::Discard(_) | Found::DiscardHeld(_) => watch(found.piece(unseen)),
                Found::Overflow => self.show(self.kept(framing), bytes, watch),
                Found::NeedMore => return None,
                Found::Unfinished if F::CAN_LOSE => {
                    self.show(kept, bytes, watch);
                    return Some(found);
                }
                Found::Desynchronised(_) if F::CAN_LOSE => return Some(found),
                Found::Keep(_)
                | Found::KeepHeld(_)
                | Found::Blank
                | Found::ByteOrderMark
                | Found::Unfinished
                | Found::Desynchronised(_) => {}
            }
        }
    }

    /// Ends a joined frame, and returns the range of all of it. `tail` is its last piece or its only one.
    fn end(&mut self, tail: Piece, from: usize) -> Piece {
        let all = match self.end {
            0 => {
                Piece { start: from.saturating_add(tail.start), end: from.saturating_add(tail.end) }
            }
            end => Piece { start: self.start, end },
        };
        (self.start, self.end) = (0, 0);
        all
    }

    /// Returns the range in the buffer of the frame found last, or an empty one if it is not a frame.
    #[inline(always)]
    pub(crate) fn place<F: Framing>(&self, found: Found, framing: &F) -> Piece {
        match found {
            Found::Frame(all) if !framing.is_contiguous() => all,
            Found::Frame(_) => {
                let Ended { offset, length, .. } = framing.ended();
                let start = index_in_memory(offset.wrapping_sub(self.base));
                Piece { start, end: start.wrapping_add(index_in_memory(length)) }
            }
            _ => Piece::NONE,
        }
    }

    /// Appends the piece at this place to the current frame.
    fn join(&mut self, place: usize, length: usize, bytes: &mut [u8]) {
        if self.end == 0 {
            (self.start, self.end) = (place, place);
        }
        let to_piece = bytes.get_mut(self.end..place.saturating_add(length));
        move_to_front(to_piece.unwrap_or_default(), place.saturating_sub(self.end));
        self.end = self.end.saturating_add(length);
    }

    /// Returns the start and the length of what is kept of the current frame.
    fn kept<F: Framing>(&self, framing: &F) -> (usize, usize) {
        let Ended { offset, length, .. } = framing.current();
        match framing.is_contiguous() {
            true => (index_in_memory(offset.wrapping_sub(self.base)), index_in_memory(length)),
            false => (self.start, self.end.saturating_sub(self.start)),
        }
    }

    /// Shows what was kept of an abandoned frame.
    fn show(&mut self, kept: (usize, usize), bytes: &[u8], watch: &mut impl FnMut(&[u8])) {
        let (start, length) = kept;
        let kept = bytes.get(start..start.saturating_add(length)).unwrap_or_default();
        if !kept.is_empty() {
            watch(kept);
        }
        (self.start, self.end) = (0, 0);
    }

    /// Gives up the current frame, and shows what these bytes contain of it.
    fn give_up<F: Framing>(
        &mut self,
        framing: &mut F,
        bytes: &[u8],
        watch: &mut impl FnMut(&[u8]),
    ) {
        self.show(self.kept(framing), bytes, watch);
        framing.give_up();
    }

    /// Returns the number of bytes at the front of the buffer that are no longer needed.
    pub(crate) fn done<F: Framing>(&self, framing: &F) -> usize {
        if framing.keeps_nothing() {
            return self.scanned;
        }
        if framing.is_contiguous() {
            return self.kept(framing).0;
        }
        match self.end {
            // An LF may still have to be inserted before the next byte.
            0 => self.scanned.saturating_sub(1),
            _ => self.start,
        }
    }

    /// Accounts for the removal of this many bytes from the front of the buffer, at most those that are
    /// [done](Self::done).
    pub(crate) fn removed(&mut self, count: usize) {
        self.base += u64_from(count);
        self.start = self.start.saturating_sub(count);
        self.end = self.end.saturating_sub(count);
        self.scanned = self.scanned.saturating_sub(count);
    }

    /// Accounts for the removal of a whole, unscanned line from the front of the buffer.
    #[cfg(feature = "tokio-util-v0_7")]
    pub(crate) fn passed(&mut self, count: usize) {
        self.base += u64_from(count);
    }

    /// Removes the bytes after the kept ones from a fully scanned buffer, and returns how many are left.
    /// Nothing moves.
    pub(crate) fn close_gap<F: Framing>(&mut self, framing: &F) -> usize {
        if !framing.is_contiguous() && self.end > 0 {
            // An LF may still have to be inserted before the next byte.
            self.scanned = self.scanned.min(self.end.saturating_add(1));
        }
        self.scanned
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::{FrameBuffer, Until};
    use crate::frame::Found;

    #[test]
    fn all_of_an_oversized_line_is_shown_in_order_before_its_event() {
        let mut buffer = FrameBuffer::with_limit([0; 8], 4);
        let mut seen = Vec::new();
        let mut shown = Vec::new();
        for chunk in [&b"a\nab"[..], b"cd", b"\r", b"ef\r", b"\nb\n12", b"345"] {
            buffer.spare()[..chunk.len()].copy_from_slice(chunk);
            buffer.commit(chunk.len());
            while let Some(found) = buffer.find(Until::Read, |piece| shown.extend_from_slice(piece))
            {
                seen.push((core::mem::take(&mut shown), found == Found::Oversized));
            }
        }
        let last = buffer.find(Until::End, |piece| shown.extend_from_slice(piece));
        assert_eq!(last, Some(Found::Oversized));
        seen.push((shown, true));
        let line = |bytes: &[u8]| (bytes.to_vec(), true);
        let frame = (Vec::new(), false);
        assert_eq!(seen, [frame.clone(), line(b"abcd\ref"), frame, line(b"12345")]);
    }
}
