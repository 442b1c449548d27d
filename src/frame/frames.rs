//! Frames over one whole slice.

use super::{Contiguous, Ended, Found, Frame, FrameEvent, Splitter};
use crate::cast::index_in_memory;

/// The frames of a slice that holds the whole stream.
///
/// ```
/// use tautline::frame::{FrameEvent, Frames};
///
/// let mut frames = Frames::new(b"{\"id\":1}\r\n\n{\"id\":2}", 1024);
/// let Some(FrameEvent::Frame(first)) = frames.next() else { panic!() };
/// assert_eq!((first.line(), first.bytes()), (1, &b"{\"id\":1}"[..]));
/// let Some(FrameEvent::Frame(last)) = frames.next() else { panic!() };
/// assert_eq!((last.line(), last.offset(), last.is_terminated()), (3, 11, false));
/// assert!(frames.next().is_none());
/// ```
#[derive(Clone, Debug)]
pub struct Frames<'buf, F = Splitter> {
    framing: F,
    stream: &'buf [u8],
    /// What the framing has not consumed.
    rest: &'buf [u8],
}

impl<'buf> Frames<'buf> {
    /// The lines of `stream`; those over `limit` bytes are [`Oversized`](super::Oversized).
    #[must_use]
    pub const fn new(stream: &'buf [u8], limit: u32) -> Self {
        Self { framing: Splitter::new(limit), stream, rest: stream }
    }

    /// How many blank lines were skipped so far.
    #[must_use]
    pub const fn blank_lines(&self) -> u64 {
        self.framing.blank_lines()
    }

    /// Where in the stream the line under way begins.
    pub(crate) const fn line_start(&self) -> u64 {
        self.framing.line_start()
    }

    /// What is left, if a line begins here.
    pub(crate) fn line(&self) -> Option<&'buf [u8]> {
        self.framing.is_at_line_start().then_some(self.rest)
    }

    /// Takes the line that begins here, is not blank, and whose LF is known to stand at this index;
    /// `None`, with nothing lost, if it is over the limit.
    #[inline(always)]
    pub(crate) fn take_line(&mut self, at: usize) -> Option<Frame<'buf>> {
        self.framing.take_line(&mut self.rest, at)
    }
}

impl<'buf, F: Contiguous> Frames<'buf, F> {
    /// The frames of `stream` in another framing, which has seen nothing yet.
    #[must_use]
    pub const fn with_framing(stream: &'buf [u8], framing: F) -> Self {
        Self { framing, stream, rest: stream }
    }

    /// The framing, which knows the position in the stream.
    #[must_use]
    pub const fn framing(&self) -> &F {
        &self.framing
    }

    /// Goes on after [`Desynchronised`](FrameEvent::Desynchronised), by
    /// [hunting](super::Framing::hunt) for the next frame.
    pub fn hunt(&mut self) {
        self.framing.hunt();
    }

    /// A frame that was said in pieces, which all lie in the stream, one behind the other.
    fn carried(&self, ended: Ended) -> Frame<'buf> {
        Frame::new(lying_in(self.stream, 0, ended), ended, F::DELIMITER)
    }
}

/// The bytes of a frame in memory that holds a stretch of the stream, from `base` on.
pub(super) fn lying_in(memory: &[u8], base: u64, ended: Ended) -> &[u8] {
    let start = index_in_memory(ended.offset.wrapping_sub(base));
    let end = start.wrapping_add(index_in_memory(ended.length));
    memory.get(start..end).unwrap_or(b"")
}

impl<'buf, F: Contiguous> Iterator for Frames<'buf, F> {
    type Item = FrameEvent<'buf>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let step = self.framing.step(self.rest);
            self.rest = self.rest.get(step.consumed..).unwrap_or(b"");
            let found = match step.found {
                Found::NeedMore => self.framing.finish(),
                found => found,
            };
            return Some(match found {
                Found::Frame(frame) => FrameEvent::Frame(frame),
                Found::Carried { ended, .. } => FrameEvent::Frame(self.carried(ended)),
                Found::Oversized(oversized) => FrameEvent::Oversized(oversized),
                Found::Unfinished(unfinished) if F::CAN_LOSE => FrameEvent::Unfinished(unfinished),
                Found::Desynchronised(lost) if F::CAN_LOSE => FrameEvent::Desynchronised(lost),
                Found::NeedMore => return None,
                Found::Keep(_)
                | Found::Blank
                | Found::Overflow
                | Found::Discard(_)
                | Found::ByteOrderMark
                | Found::Unfinished(_)
                | Found::Desynchronised(_) => continue,
            });
        }
    }
}

impl core::iter::FusedIterator for Frames<'_> {}
