//! Frames out of chunks that are pushed.

use super::storage::Storage;
use super::{Found, Frame, FrameEvent, Framing, Oversized, Ready, Splitter};
use crate::bytes::copy;
use crate::cast::{index_u64, u32_from};

/// Puts frames together out of chunks, however they are cut.
///
/// A frame that lies whole in a chunk is borrowed from it. Only a frame that spans chunks is copied,
/// once, into the storage.
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
/// In another framing, here that of LSP:
///
/// ```
/// use tautline::frame::{Assembler, ContentLength, FrameEvent};
///
/// let mut assembler = Assembler::with_framing([0; 64], ContentLength::new(64));
/// let mut chunk: &[u8] = b"Content-Length: 8\r\n\r\n{\"id\":1}";
/// let Some(FrameEvent::Frame(frame)) = assembler.next(&mut chunk) else { panic!() };
/// assert_eq!((frame.bytes(), frame.offset()), (&b"{\"id\":1}"[..], 21));
/// ```
#[derive(Clone, Debug)]
pub struct Assembler<S, F = Splitter> {
    framing: F,
    storage: S,
    /// How much of the storage is the beginning of the frame under way.
    kept: usize,
}

impl<S: Storage> Assembler<S> {
    /// An assembler of lines at the start of a stream. The limit on frames is the storage's size: of
    /// `Growing`, the limit it was made with.
    #[must_use]
    pub fn new(storage: S) -> Self {
        Self::with_limit(storage, u32::MAX)
    }

    /// An assembler of lines of at most `limit` bytes, or as many as the storage holds.
    #[must_use]
    pub fn with_limit(storage: S, limit: u32) -> Self {
        Self::with_framing(storage, Splitter::new(limit))
    }

    /// The splitter, which knows the position in the stream.
    #[must_use]
    pub const fn splitter(&self) -> &Splitter {
        &self.framing
    }
}

impl<S: Storage, F: Framing> Assembler<S, F> {
    /// An assembler in this framing, which has seen nothing yet, and whose limit is lowered to what the
    /// storage holds.
    #[must_use]
    pub fn with_framing(storage: S, mut framing: F) -> Self {
        framing.lower_limit(u32_from(storage.longest_frame(0)));
        Self { framing, storage, kept: 0 }
    }

    /// The framing, which knows the position in the stream.
    #[must_use]
    pub const fn framing(&self) -> &F {
        &self.framing
    }

    /// Goes on after [`Desynchronised`](FrameEvent::Desynchronised), by [hunting](Framing::hunt) for
    /// the next frame.
    pub fn hunt(&mut self) {
        self.framing.hunt();
    }

    /// Takes bytes off the front of the input, up to the end of the next frame.
    ///
    /// `None` says that the input is used up: nothing of it needs to be shown again. Only behind
    /// [`Desynchronised`](FrameEvent::Desynchronised) it says that there is nothing more to be had,
    /// and leaves the input as it is, until it is told to [hunt](Self::hunt).
    pub fn next<'a, 'input: 'a>(&'a mut self, input: &mut &'input [u8]) -> Option<FrameEvent<'a>> {
        self.next_watched(input, |_| {})
    }

    /// Like [`next`](Self::next), with the framing beside the event: an
    /// [`EventStream`](super::EventStream) knows the type of the event and the last id.
    pub fn next_with_framing<'a, 'input: 'a>(
        &'a mut self,
        input: &mut &'input [u8],
    ) -> Option<(FrameEvent<'a>, &'a F)> {
        self.next_with_framing_watched(input, |_| {})
    }

    /// Like [`next_with_framing`](Self::next_with_framing), and shows what [`next_watched`] does.
    ///
    /// [`next_watched`]: Self::next_watched
    pub fn next_with_framing_watched<'a, 'input: 'a>(
        &'a mut self,
        input: &mut &'input [u8],
        mut watch: impl FnMut(&[u8]),
    ) -> Option<(FrameEvent<'a>, &'a F)> {
        let ready = self.advance(input, &mut watch)?;
        Some((self.lend(ready), &self.framing))
    }

    /// Whether a line begins with what comes next.
    pub(crate) fn is_at_line_start(&self) -> bool {
        self.framing.is_at_line_start()
    }

    /// Takes the line that the input begins with, is not blank, and whose LF is known to stand at this
    /// index; `None`, with nothing lost, if it is over the limit.
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

    /// Like [`next`](Self::next), and shows the bytes of frames over the limit before they are
    /// dropped: all of a frame, in pieces, before its [`Oversized`](FrameEvent::Oversized).
    pub fn next_watched<'a, 'input: 'a>(
        &'a mut self,
        input: &mut &'input [u8],
        mut watch: impl FnMut(&[u8]),
    ) -> Option<FrameEvent<'a>> {
        let ready = self.advance(input, &mut watch)?;
        Some(self.lend(ready))
    }

    /// Says that the stream has ended, and gives what was left of it, if anything.
    ///
    /// A frame that comes from here was not [terminated](Frame::is_terminated).
    pub fn finish(&mut self) -> Option<FrameEvent<'_>> {
        self.finish_watched(|_| {})
    }

    /// Like [`finish`](Self::finish), and shows what is dropped: of a frame over the limit, and of one
    /// that is [`Unfinished`](FrameEvent::Unfinished).
    pub fn finish_watched(&mut self, mut watch: impl FnMut(&[u8])) -> Option<FrameEvent<'_>> {
        self.take_back();
        loop {
            let found = self.framing.finish();
            if found == Found::NeedMore {
                return None;
            }
            if let Some(ready) = self.take(found, &mut watch) {
                return Some(self.lend(ready));
            }
        }
    }

    /// Takes bytes off the front of the input, up to something that is ready.
    fn advance<'input>(
        &mut self,
        input: &mut &'input [u8],
        watch: &mut impl FnMut(&[u8]),
    ) -> Option<Ready<'input>> {
        self.take_back();
        while !input.is_empty() || self.framing.is_pending() {
            let step = self.framing.step(input);
            *input = input.get(step.consumed..).unwrap_or(b"");
            if F::CAN_LOSE && step.found == Found::NeedMore {
                break;
            }
            if let Some(ready) = self.take(step.found, watch) {
                return Some(ready);
            }
        }
        None
    }

    /// Does what a step says, up to a frame that is ready.
    fn take<'input>(
        &mut self,
        found: Found<'input>,
        watch: &mut impl FnMut(&[u8]),
    ) -> Option<Ready<'input>> {
        match found {
            Found::Frame(frame) => {
                self.storage.note_frame(0);
                return Some(Ready::Here(FrameEvent::Frame(frame)));
            }
            Found::Keep(piece) => {
                if !self.keep(piece) {
                    self.framing.give_up();
                    self.drop_kept(watch);
                    watch(piece);
                }
            }
            Found::Carried { tail, ended } => {
                if self.keep(tail) {
                    self.storage.note_frame(core::mem::take(&mut self.kept));
                    return Some(Ready::Kept(ended));
                }
                self.drop_kept(watch);
                watch(tail);
                let oversized = Oversized { ended, limit: self.framing.limit() };
                return Some(Ready::Here(FrameEvent::Oversized(oversized)));
            }
            Found::Blank => self.drop_kept(&mut |_| {}),
            Found::Overflow => self.drop_kept(watch),
            Found::Discard(piece) => watch(piece),
            Found::Oversized(oversized) => {
                // Nothing is kept of it.
                self.storage.note_frame(0);
                return Some(Ready::Here(FrameEvent::Oversized(oversized)));
            }
            Found::Unfinished(unfinished) if F::CAN_LOSE => {
                self.drop_kept(watch);
                return Some(Ready::Here(FrameEvent::Unfinished(unfinished)));
            }
            Found::Desynchronised(lost) if F::CAN_LOSE => {
                return Some(Ready::Here(FrameEvent::Desynchronised(lost)));
            }
            Found::ByteOrderMark
            | Found::NeedMore
            | Found::Unfinished(_)
            | Found::Desynchronised(_) => {}
        }
        None
    }

    /// Puts a piece behind what is kept. What the limit allows fits, unless memory has run out.
    fn keep(&mut self, piece: &[u8]) -> bool {
        let end = self.kept.saturating_add(piece.len());
        if !self.storage.reserve(end) {
            return false;
        }
        if let Some(room) = self.storage.bytes_mut().get_mut(self.kept..end) {
            copy(piece, room);
        }
        self.kept = end;
        true
    }

    /// Drops what is kept, of what no frame will come of.
    fn drop_kept(&mut self, watch: &mut impl FnMut(&[u8])) {
        let kept = core::mem::take(&mut self.kept);
        if let Some(kept @ [_, ..]) = self.storage.bytes().get(..kept) {
            watch(kept);
            self.storage.release(0);
        }
    }

    /// Takes the storage back from the frame that was lent last.
    #[inline]
    fn take_back(&mut self) {
        if S::GROWS && self.kept == 0 {
            self.storage.release(0);
        }
    }

    fn lend<'a>(&'a self, ready: Ready<'a>) -> FrameEvent<'a> {
        match ready {
            Ready::Here(event) => event,
            Ready::Kept(ended) => {
                let bytes = self.storage.bytes().get(..index_u64(ended.length)).unwrap_or(b"");
                FrameEvent::Frame(Frame::new(bytes, ended, F::DELIMITER))
            }
        }
    }
}
