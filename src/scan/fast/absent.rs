//! The fast scanner without the feature `fast`. It passes nothing, so the compiler removes the code that
//! depends on a pass.

use super::{Sink, Span};

/// Always returns `None`.
pub(crate) const fn document(_: &[u8], _: u8, _: &mut impl Sink) -> Option<Span> {
    None
}

/// Always returns `None`.
pub(crate) const fn line(_: &[u8], _: u8, _: &mut impl Sink) -> Option<(Span, usize)> {
    None
}

/// Never called: it takes a span of a text that has passed, and none has.
pub(crate) const fn has_backslash(_: &[u8], _: Span) -> bool {
    true
}

/// Never called: it takes a span of a text that has passed, and none has.
pub(crate) const fn is_digits(_: &[u8], _: Span) -> bool {
    false
}

/// Always returns `None`.
pub(crate) const fn container(_: &[u8], _: usize, _: u8, _: usize) -> Option<usize> {
    None
}

/// Always returns `None`.
pub(crate) const fn string_end(_: &[u8], _: usize) -> Option<usize> {
    None
}

/// Always returns 0.
#[must_use]
pub const fn base64_run(_: &[u8]) -> usize {
    0
}
