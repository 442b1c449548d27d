//! The current frame in a buffer that holds the last part of the stream.

use super::{Ended, Found, Framing, Piece, Step};
use crate::bytes::{copy, move_to_front};
use crate::cast::{index_in_memory, u64_from};

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
                Found::Frame(tail) if !F::IS_CONTIGUOUS => {
                    return Some(Found::Frame(self.end(tail, from)));
                }
                Found::Frame(_) | Found::Oversized => return Some(found),
                Found::Keep(piece) if !F::IS_CONTIGUOUS => {
                    self.join(from.saturating_add(piece.start), piece.len(), bytes);
                }
                Found::KeepHeld(held) if !F::IS_CONTIGUOUS => {
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
            Found::Frame(all) if !F::IS_CONTIGUOUS => all,
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
        match F::IS_CONTIGUOUS {
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
    pub(super) fn give_up<F: Framing>(
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
        if F::IS_CONTIGUOUS {
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
    pub(crate) fn close_gap<F: Framing>(&mut self) -> usize {
        if !F::IS_CONTIGUOUS && self.end > 0 {
            // An LF may still have to be inserted before the next byte.
            self.scanned = self.scanned.min(self.end.saturating_add(1));
        }
        self.scanned
    }
}
