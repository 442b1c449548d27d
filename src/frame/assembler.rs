//! Frames from chunks that are pushed.

use core::fmt;

use super::storage::Storage;
use super::{Found, Frame, FrameEvent, Framing, Splitter};
use crate::bytes::copy;
use crate::cast::u32_from;

/// Assembles frames from chunks, however the chunks are split.
///
/// A frame that lies entirely in a chunk is borrowed from it. Only a frame that spans chunks is copied into
/// the storage, once.
///
/// ```
/// use tautline::frame::{Assembler, FrameEvent};
///
/// let mut assembler = Assembler::new([0; 64]);
/// let mut frames = Vec::new();
/// for mut chunk in [&b"{\"id\":1}\n{\"i"[..], b"d\":2}", b"\n"] {
///     while let Some(event) = assembler.next(&mut chunk) {
///         let FrameEvent::Frame(frame) = event else { panic!() };
///         frames.push(frame.bytes().to_vec());
///     }
/// }
/// assert_eq!(frames, [b"{\"id\":1}", b"{\"id\":2}"]);
/// ```
///
/// With another framing, here LSP's:
///
/// ```
/// use tautline::frame::{Assembler, ContentLength, FrameEvent};
///
/// let mut assembler = Assembler::with_framing([0; 64], ContentLength::new(64));
/// let mut chunk: &[u8] = b"Content-Length: 8\r\n\r\n{\"id\":1}";
/// let Some(FrameEvent::Frame(frame)) = assembler.next(&mut chunk) else { panic!() };
/// assert_eq!((frame.bytes(), frame.offset()), (&b"{\"id\":1}"[..], 21));
/// ```
#[derive(Clone)]
pub struct Assembler<S, F = Splitter> {
    framing: F,
    storage: S,
    /// The number of bytes in the storage: the beginning of the current frame.
    kept: usize,
}

impl<S: Storage> Assembler<S> {
    /// Creates an assembler for lines, at the start of a stream. The frame limit is the size of the
    /// storage; for a `HeapBuffer`, it is the limit that it was created with.
    #[must_use]
    pub fn new(storage: S) -> Self {
        Self::with_limit(storage, u32::MAX)
    }

    /// Creates an assembler for lines of at most `limit` bytes, or the size of the storage if that is
    /// smaller.
    #[must_use]
    pub fn with_limit(storage: S, limit: u32) -> Self {
        Self::with_framing(storage, Splitter::new(limit))
    }
}

impl<S: Storage, F: Framing> Assembler<S, F> {
    /// Creates an assembler for this framing, which must be new. Its limit is lowered to what the storage
    /// can hold.
    #[must_use]
    pub fn with_framing(storage: S, mut framing: F) -> Self {
        framing.lower_limit(u32_from(storage.longest_frame(0)));
        Self { framing, storage, kept: 0 }
    }

    /// Returns the framing, which knows the position in the stream.
    #[must_use]
    pub const fn framing(&self) -> &F {
        &self.framing
    }

    /// Returns the number of bytes that it keeps of an incomplete frame, at the front of the storage.
    #[doc(hidden)]
    #[must_use]
    pub const fn kept(&self) -> usize {
        self.kept
    }

    /// Continues after [`Desynchronised`](FrameEvent::Desynchronised), by
    /// [resynchronising](Framing::resync) to the next frame.
    pub fn resync(&mut self) {
        self.framing.resync();
    }

    /// Takes bytes off the front of the input, up to the end of the next frame.
    ///
    /// `None` means that all of the input was consumed. The exception is after
    /// [`Desynchronised`](FrameEvent::Desynchronised): `None` then leaves the input untouched until a
    /// [resync](Self::resync).
    pub fn next<'a, 'input: 'a>(&'a mut self, input: &mut &'input [u8]) -> Option<FrameEvent<'a>> {
        self.next_watched(input, |_| {}).map(|(event, _)| event)
    }

    /// Like [`next`](Self::next), but also returns the framing, and passes the bytes of oversized frames to
    /// `watch` before they are dropped. It gets all bytes of a frame, in pieces, before the
    /// [`Oversized`](FrameEvent::Oversized) event.
    pub(crate) fn next_watched<'a, 'input: 'a>(
        &'a mut self,
        input: &mut &'input [u8],
        mut watch: impl FnMut(&[u8]),
    ) -> Option<(FrameEvent<'a>, &'a F)> {
        let (found, bytes) = self.find(input, &mut watch)?;
        self.lend(found, bytes)
    }

    /// Ends the stream, and returns what is left of it, if anything.
    ///
    /// A frame returned from here is not [terminated](Frame::is_terminated).
    pub fn finish(&mut self) -> Option<FrameEvent<'_>> {
        self.finish_watched(|_| {}).map(|(event, _)| event)
    }

    /// Like [`finish`](Self::finish), but also returns the framing, and passes the bytes of oversized and
    /// [`Unfinished`](FrameEvent::Unfinished) frames to `watch` as they are dropped.
    pub(crate) fn finish_watched(
        &mut self,
        mut watch: impl FnMut(&[u8]),
    ) -> Option<(FrameEvent<'_>, &F)> {
        self.take_back();
        loop {
            let found = self.framing.finish();
            if found == Found::NeedMore {
                return None;
            }
            if let Some((found, bytes)) = self.take(found, b"", &mut watch) {
                return self.lend(found, bytes);
            }
        }
    }

    /// Returns whether the next input begins a new line.
    pub(crate) fn is_at_line_start(&self) -> bool {
        self.framing.is_at_line_start()
    }

    /// Takes the first line of the input, whose LF is known to be at this index and which is not blank.
    /// Returns `None`, and loses nothing, if the line is oversized.
    #[inline(always)]
    pub(crate) fn take_line<'input>(
        &mut self,
        input: &mut &'input [u8],
        at: usize,
    ) -> Option<Frame<'input>> {
        self.take_back();
        self.storage.note_frame(0);
        self.framing.take_line(input, at)
    }

    /// Takes bytes off the front of the input, up to something to lend, with its bytes if none are kept.
    /// Lending is a separate step: the borrow checker rejects a loop that may continue after it has lent
    /// something.
    fn find<'input>(
        &mut self,
        input: &mut &'input [u8],
        watch: &mut impl FnMut(&[u8]),
    ) -> Option<(Found, &'input [u8])> {
        self.take_back();
        while !input.is_empty() || self.framing.is_pending() {
            let seen = *input;
            let step = self.framing.step(seen);
            *input = seen.get(step.consumed..).unwrap_or(b"");
            if F::CAN_LOSE && step.found == Found::NeedMore {
                break;
            }
            let taken = self.take(step.found, seen, watch);
            if taken.is_some() {
                return taken;
            }
        }
        None
    }

    /// Acts on the result of a step, and returns what there is to lend, with its bytes if none are kept.
    fn take<'input>(
        &mut self,
        found: Found,
        seen: &'input [u8],
        watch: &mut impl FnMut(&[u8]),
    ) -> Option<(Found, &'input [u8])> {
        let bytes = found.piece(seen);
        match found {
            Found::Frame(_) if self.kept == 0 => {
                self.storage.note_frame(0);
                return Some((found, bytes));
            }
            Found::Frame(_) | Found::Keep(_) | Found::KeepHeld(_) => {
                let is_kept = self.keep(bytes);
                if !is_kept {
                    self.drop_kept(watch);
                    watch(bytes);
                }
                match found {
                    Found::Frame(_) if is_kept => self.storage.note_frame(self.kept),
                    Found::Frame(_) => return Some((Found::Oversized, b"")),
                    _ if is_kept => return None,
                    _ => {
                        self.framing.give_up();
                        return None;
                    }
                }
            }
            Found::Blank => self.drop_kept(&mut |_| {}),
            Found::Overflow => self.drop_kept(watch),
            Found::Discard(_) | Found::DiscardHeld(_) => watch(bytes),
            // Nothing is kept of an oversized frame.
            Found::Oversized => self.storage.note_frame(0),
            Found::Unfinished if F::CAN_LOSE => self.drop_kept(watch),
            _ => {}
        }
        found.is_event::<F>().then_some((found, b""))
    }

    /// Appends a piece to the kept bytes. A piece within the limit fits, unless memory has run out.
    fn keep(&mut self, piece: &[u8]) -> bool {
        let end = self.kept.saturating_add(piece.len());
        if S::GROWS && !self.storage.reserve_piece(end) {
            return false;
        }
        if let Some(room) = self.storage.bytes_mut().get_mut(self.kept..end) {
            copy(piece, room);
        }
        self.kept = end;
        true
    }

    /// Drops the kept bytes of a frame that will not be delivered.
    fn drop_kept(&mut self, watch: &mut impl FnMut(&[u8])) {
        let kept = core::mem::take(&mut self.kept);
        if let Some(kept @ [_, ..]) = self.storage.bytes().get(..kept) {
            watch(kept);
            self.storage.release(0);
        }
    }

    /// Reclaims the storage from the frame that was lent last.
    #[inline]
    fn take_back(&mut self) {
        if S::GROWS && self.kept == 0 {
            self.storage.release(0);
        }
    }

    /// Lends what was found, with these bytes if none are kept.
    fn lend<'a>(&'a mut self, found: Found, bytes: &'a [u8]) -> Option<(FrameEvent<'a>, &'a F)> {
        let bytes = match core::mem::take(&mut self.kept) {
            0 => bytes,
            kept => self.storage.bytes().get(..kept).unwrap_or_default(),
        };
        Some((found.event(&self.framing, bytes)?, &self.framing))
    }
}

impl<S, F: fmt::Debug> fmt::Debug for Assembler<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Assembler")
            .field("framing", &self.framing)
            .field("kept", &self.kept)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use super::Assembler;
    use crate::frame::FrameEvent;

    #[test]
    fn all_of_an_oversized_line_is_shown_in_order_before_its_event() {
        let mut assembler = Assembler::new([0; 4]);
        let mut seen = Vec::new();
        let mut shown = Vec::new();
        for mut chunk in [&b"a\nab"[..], b"cd", b"\r", b"ef\r", b"\nb\n12", b"345"] {
            while let Some((event, _)) = assembler.next_watched(&mut chunk, |piece| {
                assert!(!piece.is_empty(), "there is nothing to see in it");
                shown.extend_from_slice(piece);
            }) {
                let is_oversized = matches!(event, FrameEvent::Oversized(_));
                seen.push((core::mem::take(&mut shown), is_oversized));
            }
        }
        let last = assembler.finish_watched(|piece| shown.extend_from_slice(piece));
        assert!(matches!(last, Some((FrameEvent::Oversized(_), _))), "{last:?}");
        seen.push((shown, true));
        let line = |bytes: &[u8]| (bytes.to_vec(), true);
        let frame = (Vec::new(), false);
        assert_eq!(seen, [frame.clone(), line(b"abcd\ref"), frame, line(b"12345")]);
    }
}
