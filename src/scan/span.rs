//! Places in a frame.

use crate::cast::{index, u32_from};

/// A stretch of a frame, as byte offsets from its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Span {
    start: u32,
    /// `start <= end`
    end: u32,
}

impl Span {
    /// From one index up to, and not including, another.
    pub(crate) fn new(start: usize, end: usize) -> Self {
        Self { start: u32_from(start), end: u32_from(end) }
    }

    /// From one index up to, and not including, another, in a text no longer than offsets can say.
    #[cfg(feature = "fast")]
    #[inline(always)]
    pub(super) const fn within(start: usize, end: usize) -> Self {
        Self { start: crate::cast::u32_within(start), end: crate::cast::u32_within(end) }
    }

    /// From one offset up to, and not including, another.
    pub(crate) const fn between(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// Begins a stretch of which it is not known where it ends. It is empty until it does.
    pub(crate) fn begin(&mut self, start: usize) {
        self.start = u32_from(start);
    }

    /// Ends a stretch that has begun.
    pub(crate) fn end_at(&mut self, end: usize) {
        self.end = u32_from(end);
    }

    /// The offset of the first byte.
    #[must_use]
    pub const fn start(self) -> u32 {
        self.start
    }

    /// The offset behind the last byte.
    #[must_use]
    pub const fn end(self) -> u32 {
        self.end
    }

    /// The length in bytes.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Whether there are no bytes in it.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The span of something that may be absent, which has an empty span then.
    pub(crate) const fn if_any(self) -> Option<Self> {
        if self.is_empty() { None } else { Some(self) }
    }

    /// The bytes of the frame that the span was taken from.
    ///
    /// Of another, shorter slice it is `None` or whatever stands there.
    #[must_use]
    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    pub fn of(self, frame: &[u8]) -> Option<&[u8]> {
        frame.get(index(self.start)..index(self.end))
    }
}
