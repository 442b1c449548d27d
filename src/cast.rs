//! Conversions between the integer widths of the crate, each lossless or saturating, in one place.
//!
//! Offsets in a stream are `u64`, offsets in a frame `u32`, and the language indexes with `usize`.
//! `From` does not connect them, because Rust also runs where `usize` has 16 bits.

/// A length in memory as a distance in a stream.
#[expect(clippy::as_conversions, reason = "no platform of Rust has a usize wider than 64 bits")]
pub(crate) const fn u64_from(n: usize) -> u64 {
    n as u64
}

/// A length as an offset in a frame; what does not fit is cut to the largest offset there is.
pub(crate) fn u32_from(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// An offset in a frame as an index; what does not fit is an index past the end of any slice.
#[expect(clippy::as_conversions, reason = "cut on 16-bit platforms only, and checked there")]
pub(crate) const fn index(n: u32) -> usize {
    let index = n as usize;
    if index as u32 == n { index } else { usize::MAX }
}

/// A distance in a stream as an index; what does not fit is an index past the end of any slice.
pub(crate) fn index_u64(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// A distance in a stream between two places that both lie in memory, or at the ends of it.
///
/// A microcontroller feels the comparison that [`index_u64`] takes.
#[expect(clippy::as_conversions, reason = "what lies in memory is no longer than an index can say")]
pub(crate) const fn index_in_memory(n: u64) -> usize {
    n as usize
}

/// An offset in a frame that is known to be no longer than offsets in a frame can say.
#[inline(always)]
#[expect(clippy::as_conversions, reason = "callers have looked at the length of the frame")]
pub(crate) const fn u32_within(n: usize) -> u32 {
    n as u32
}

/// The length of a text in a table, in which all are short.
#[expect(
    clippy::as_conversions,
    reason = "callers are tables, and a longer text would be seen in their tests"
)]
pub(crate) const fn u8_within(n: usize) -> u8 {
    n as u8
}
