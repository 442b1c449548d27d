//! Spans of a frame.

use crate::cast::{index, u32_from};

/// Returns where a part of a text begins in it, in bytes from its start, or `None` if `part` is not a slice of `text`.
///
/// ```
/// use tautline::{RawJson, scan};
///
/// let text = br#"{"a":[1]}"#;
/// let value = RawJson::parse(text)?.member("a").unwrap();
/// assert_eq!(scan::offset_of(value.as_bytes(), text), Some(5));
/// assert_eq!(scan::offset_of(b"[1]", text), None);
/// # Ok::<(), scan::SyntaxError>(())
/// ```
#[must_use]
pub fn offset_of(part: &[u8], text: &[u8]) -> Option<usize> {
    // It follows from the addresses, here and nowhere else: a view that carries its offset would take three registers
    // instead of two.
    let before = part.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    (part.len() <= text.len().checked_sub(before)?).then_some(before)
}

/// A part of a frame, as byte offsets from its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Span {
    start: u32,
    /// At least `start`.
    end: u32,
}

impl Span {
    /// Creates a span from one index up to, and not including, another.
    #[doc(hidden)]
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: u32_from(start), end: u32_from(end) }
    }

    /// Creates a span from one index up to, and not including, another, in a text that 32-bit offsets can
    /// address.
    #[cfg_attr(not(feature = "fast"), expect(dead_code, reason = "for the fast scanner"))]
    #[inline(always)]
    pub(super) const fn within(start: usize, end: usize) -> Self {
        Self { start: crate::cast::u32_within(start), end: crate::cast::u32_within(end) }
    }

    /// Creates a span from one offset up to, and not including, another.
    #[doc(hidden)]
    pub const fn between(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// Begins a span whose end is not known yet. It is empty until [`end_at`](Self::end_at).
    pub(crate) fn begin(&mut self, start: usize) {
        self.start = u32_from(start);
    }

    /// Ends a span that has begun.
    pub(crate) fn end_at(&mut self, end: usize) {
        self.end = u32_from(end);
    }

    /// Returns the offset of the first byte.
    #[must_use]
    pub const fn start(self) -> u32 {
        self.start
    }

    /// Returns the offset after the last byte.
    #[must_use]
    pub const fn end(self) -> u32 {
        self.end
    }

    /// Returns the length in bytes.
    #[must_use]
    pub const fn len(self) -> u32 {
        self.end.saturating_sub(self.start)
    }

    /// Returns whether the span has no bytes.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns `None` for an empty span, which stands for something absent.
    pub(crate) const fn if_any(self) -> Option<Self> {
        if self.is_empty() { None } else { Some(self) }
    }

    /// Returns the bytes of the frame that the span was taken from.
    ///
    /// For another slice it returns unrelated bytes, or `None` if the slice is too short.
    #[must_use]
    #[cfg_attr(
        all(any(target_os = "none", target_os = "unknown"), not(feature = "fast")),
        inline(never)
    )]
    pub fn of(self, frame: &[u8]) -> Option<&[u8]> {
        frame.get(index(self.start)..index(self.end))
    }
}
