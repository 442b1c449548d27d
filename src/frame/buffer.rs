//! Frames out of a buffer that is filled from a reader.

use core::cell::Cell;

use super::frames::lying_in;
use super::storage::Storage;
use super::{Ended, Found, Frame, FrameEvent, Oversized, Splitter, Step};
use crate::cast::{index, index_in_memory, u32_from, u64_from};

/// Room for the CR and the LF behind a frame that fills the rest of the storage.
pub(super) const LINE_END: usize = 2;

/// Finds frames in storage that the caller reads into.
///
/// The caller fills the [spare room](Self::spare), [commits](Self::commit) what it has filled, and
/// takes frames until there are no more. Frames are borrowed from the storage; the beginning of a line
/// that is still under way is moved to the front of it, at most once.
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
#[derive(Clone, Debug)]
pub struct FrameBuffer<S> {
    splitter: Splitter,
    storage: S,
    /// Where in the stream the storage's first byte is.
    base: u64,
    /// So many bytes of the storage were filled.
    filled: usize,
    /// So many of those the splitter has consumed: `scanned <= filled`.
    scanned: usize,
}

/// Up to where a line is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    /// Up to the last byte that was read.
    Read,
    /// Up to the end of the stream, which is the end of its last line.
    End,
}

/// A line that is ready, and lies in the storage.
pub(crate) enum Ready {
    Frame(Ended),
    Oversized(Oversized),
}

impl<S: Storage> FrameBuffer<S> {
    /// A buffer at the start of a stream. The limit on frames is the storage's size less 2 bytes for
    /// the line end: of `Growing`, the limit it was made with.
    #[must_use]
    pub fn new(storage: S) -> Self {
        Self::with_limit(storage, u32::MAX)
    }

    /// A buffer for frames of at most `limit` bytes, or as many as the storage has room for.
    #[must_use]
    pub fn with_limit(storage: S, limit: u32) -> Self {
        let limit = limit.min(u32_from(storage.longest_frame(LINE_END)));
        Self { splitter: Splitter::new(limit), storage, base: 0, filled: 0, scanned: 0 }
    }

    /// The splitter, which knows the position in the stream.
    #[must_use]
    pub const fn splitter(&self) -> &Splitter {
        &self.splitter
    }

    /// Room to fill. It is empty only if the storage is, or full of bytes that
    /// [`next`](Self::next) was not asked about until it had no more, or there is no memory at all.
    /// Reading into empty room looks like the end of the stream, so it is worth a check.
    ///
    /// A line for which no more memory can be had is given up, as if it were over the limit.
    #[must_use]
    pub fn spare(&mut self) -> &mut [u8] {
        self.make_room(&mut |_| {});
        self.made_room()
    }

    /// The [spare](Self::spare) room, where [`next`](Self::next) has had no more: then it was made.
    pub(crate) fn made_room(&mut self) -> &mut [u8] {
        self.storage.bytes_mut().get_mut(self.filled..).unwrap_or_default()
    }

    /// Says that so many bytes of the spare room were filled; no more than there is room for count.
    pub fn commit(&mut self, filled: usize) {
        let room = self.storage.bytes().len();
        self.filled = self.filled.saturating_add(filled).min(room);
    }

    /// The next line that is not blank, if the end of it was filled in.
    #[expect(clippy::should_implement_trait, reason = "it lends, which an iterator can't")]
    pub fn next(&mut self) -> Option<FrameEvent<'_>> {
        self.next_watched(|_| {})
    }

    /// Like [`next`](Self::next), and shows the bytes of lines over the limit before they are
    /// dropped: all of a line, in pieces, before its [`Oversized`](FrameEvent::Oversized).
    pub fn next_watched(&mut self, watch: impl FnMut(&[u8])) -> Option<FrameEvent<'_>> {
        let ready = self.find_until(Until::Read, watch)?;
        Some(self.lend(ready))
    }

    /// Takes the end of the stream into account, and returns the next line that is left: first those that
    /// [`next`](Self::next) was not asked for, then the rest without a newline, which is not
    /// [terminated](Frame::is_terminated). `None` means that there are no more.
    pub fn finish(&mut self) -> Option<FrameEvent<'_>> {
        self.finish_watched(|_| {})
    }

    /// Like [`finish`](Self::finish), and shows the bytes of oversized lines before they are dropped.
    pub fn finish_watched(&mut self, watch: impl FnMut(&[u8])) -> Option<FrameEvent<'_>> {
        let ready = self.find_until(Until::End, watch)?;
        Some(self.lend(ready))
    }

    /// What was read and not looked at, if a line begins there.
    #[cfg(any(feature = "std", feature = "embedded-io-v0_7", feature = "embedded-io-async-v0_7"))]
    pub(crate) fn line(&self) -> Option<&[u8]> {
        let unseen = self.storage.bytes().get(self.scanned..self.filled)?;
        self.splitter.is_at_line_start().then_some(unseen)
    }

    /// Takes [that line](Self::line), which is not blank, and whose LF is known to stand at this index of it;
    /// `None`, with nothing lost, if it is over the limit.
    #[cfg(any(feature = "std", feature = "embedded-io-v0_7", feature = "embedded-io-async-v0_7"))]
    pub(crate) fn take_line(&mut self, at: usize) -> Option<Ready> {
        let mut unseen = self.storage.bytes().get(self.scanned..self.filled)?;
        let frame = self.splitter.take_line(&mut unseen, at)?;
        self.scanned = self.filled.saturating_sub(unseen.len());
        Some(Ready::Frame(frame.ended()))
    }

    /// Finds the next line there is up to here, and lends nothing yet.
    #[inline(always)]
    pub(crate) fn find_until(
        &mut self,
        until: Until,
        mut watch: impl FnMut(&[u8]),
    ) -> Option<Ready> {
        loop {
            let unseen = self.storage.bytes().get(self.scanned..self.filled);
            let Step { consumed, mut found } = self.splitter.step(unseen.unwrap_or(b""));
            self.scanned = self.scanned.saturating_add(consumed);
            if found == Found::NeedMore && until == Until::End {
                found = self.splitter.finish();
            }
            match found {
                Found::Discard(piece) => watch(piece),
                Found::NeedMore => {
                    if until == Until::Read {
                        self.make_room(&mut watch);
                    }
                    return None;
                }
                found => {
                    if let Some(ready) = self.take(found, &mut watch) {
                        return Some(ready);
                    }
                }
            }
        }
    }

    /// What a step says that is not about single pieces; those to keep lie in the storage already.
    fn take(&self, found: Found<'_>, watch: &mut impl FnMut(&[u8])) -> Option<Ready> {
        match found {
            Found::Frame(frame) => Some(Ready::Frame(frame.ended())),
            Found::Carried { ended, .. } => Some(Ready::Frame(ended)),
            Found::Oversized(oversized) => Some(Ready::Oversized(oversized)),
            Found::Overflow => {
                self.show_kept(watch);
                None
            }
            Found::Keep(_)
            | Found::Discard(_)
            | Found::Blank
            | Found::ByteOrderMark
            // Lines are never lost, and are frames without their newline too.
            | Found::Unfinished(_)
            | Found::Desynchronised(_)
            | Found::NeedMore => None,
        }
    }

    /// Shows what is kept of the line under way, which is to be dropped.
    fn show_kept(&self, watch: &mut impl FnMut(&[u8])) {
        let kept = lying_in(self.storage.bytes(), self.base, self.splitter.said());
        if !kept.is_empty() {
            watch(kept);
        }
    }

    /// Lends the line that was found last.
    #[inline(always)]
    pub(crate) fn lend(&mut self, ready: Ready) -> FrameEvent<'_> {
        match ready {
            Ready::Frame(ended) => {
                self.storage.note_frame(index_in_memory(ended.length));
                let bytes = lying_in(self.storage.bytes(), self.base, ended);
                FrameEvent::Frame(Frame::line_of(bytes, ended))
            }
            Ready::Oversized(oversized) => {
                // Nothing is kept of it.
                self.storage.note_frame(0);
                FrameEvent::Oversized(oversized)
            }
        }
    }

    /// Makes room behind what is filled, where there is none.
    fn make_room(&mut self, watch: &mut impl FnMut(&[u8])) {
        self.compact();
        if !S::GROWS || self.filled < self.storage.bytes().len() {
            return;
        }
        // No line needs more than a frame of the limit and its line end. If as much is filled, complete
        // lines are waiting in it, and taking them makes room.
        let most = index(self.splitter.limit()).saturating_add(LINE_END);
        if self.storage.reserve(self.filled.saturating_add(LINE_END).min(most)) {
            return;
        }
        // Memory has run out. Giving up the line under way frees what is kept of it.
        if self.filled > 0 && self.scanned == self.filled && !self.splitter.is_discarding() {
            self.show_kept(watch);
            self.splitter.give_up();
            self.compact();
        }
    }

    /// Drops what is done with, and moves the rest to the front.
    ///
    /// Once a line's beginning is at the front, it stays there until the line has ended, so that no
    /// byte is moved twice.
    fn compact(&mut self) {
        let done = match self.splitter.keeps_nothing() {
            true => self.scanned,
            false => index_in_memory(self.splitter.line_start().wrapping_sub(self.base)),
        };
        let filled = self.filled;
        if done == 0 || done > filled {
            return;
        }
        // As long as there are lines to be taken, what moves is not to be more than what is done with:
        // whoever asks for room between two lines would have all the others moved each time.
        if self.scanned < filled && done < filled.saturating_sub(done) {
            return;
        }
        if let Some(bytes) = self.storage.bytes_mut().get_mut(..filled) {
            // `copy_within` says the same, with a panic for a range outside of the slice.
            let cells = Cell::from_mut(bytes).as_slice_of_cells();
            for (to, from) in cells.iter().zip(cells.get(done..).unwrap_or_default()) {
                to.set(from.get());
            }
        }
        self.base += u64_from(done);
        self.filled -= done;
        self.scanned = self.scanned.saturating_sub(done);
        self.storage.release(self.filled);
    }
}
