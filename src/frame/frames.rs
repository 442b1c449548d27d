//! Frames of one slice.

use core::fmt;

use super::{Contiguous, Ended, Found, Frame, FrameEvent, Splitter};
use crate::cast::index_in_memory;
use crate::excerpt::Excerpt;

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
#[derive(Clone)]
pub struct Frames<'buf, F = Splitter> {
    framing: F,
    stream: &'buf [u8],
    /// The bytes that the framing has not consumed.
    rest: &'buf [u8],
}

impl<'buf> Frames<'buf> {
    /// Iterates over the lines of `stream`; those over `limit` bytes are [`Oversized`](super::Oversized).
    #[must_use]
    pub const fn new(stream: &'buf [u8], limit: u32) -> Self {
        Self { framing: Splitter::new(limit), stream, rest: stream }
    }

    /// Returns the number of blank lines skipped so far.
    #[must_use]
    pub const fn blank_lines(&self) -> u64 {
        self.framing.blank_lines()
    }

    /// Returns the offset of the current line in the stream.
    pub(crate) const fn line_start(&self) -> u64 {
        self.framing.line_start()
    }

    /// Returns the remaining input, if a line begins there.
    pub(crate) fn line(&self) -> Option<&'buf [u8]> {
        self.framing.is_at_line_start().then_some(self.rest)
    }

    /// Takes the line that begins here, whose LF is known to be at this index and which is not blank.
    /// Returns `None`, and loses nothing, if the line is oversized.
    #[inline(always)]
    pub(crate) fn take_line(&mut self, at: usize) -> Option<Frame<'buf>> {
        self.framing.take_line(&mut self.rest, at)
    }
}

impl<'buf, F: Contiguous> Frames<'buf, F> {
    /// Iterates over the frames of `stream` in another framing, which must be new.
    #[must_use]
    pub const fn with_framing(stream: &'buf [u8], framing: F) -> Self {
        Self { framing, stream, rest: stream }
    }

    /// Returns the framing, which knows the position in the stream.
    #[must_use]
    pub const fn framing(&self) -> &F {
        &self.framing
    }

    /// Continues after [`Desynchronised`](FrameEvent::Desynchronised), by
    /// [resynchronising](super::Framing::resync) to the next frame.
    pub fn resync(&mut self) {
        self.framing.resync();
    }
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
            // The pieces of a frame are contiguous in the stream.
            let Ended { offset, length, .. } = self.framing.ended();
            let start = index_in_memory(offset);
            let bytes = self.stream.get(start..start.wrapping_add(index_in_memory(length)));
            if let Some(event) = found.event(&self.framing, bytes.unwrap_or_default()) {
                return Some(event);
            }
            if found == Found::NeedMore {
                return None;
            }
        }
    }
}

impl core::iter::FusedIterator for Frames<'_> {}

impl<F: fmt::Debug> fmt::Debug for Frames<'_, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frames")
            .field("framing", &self.framing)
            .field("rest", &Excerpt(self.rest))
            .finish_non_exhaustive()
    }
}
