//! Conversions between the integer widths of the crate, each lossless or saturating, in one place.
//!
//! Offsets in a stream are `u64`, offsets in a frame `u32`, and the language indexes with `usize`.
//! `From` does not connect them, because Rust also runs where `usize` has 16 bits.

/// Converts a length in memory to a distance in a stream.
#[expect(clippy::as_conversions, reason = "no platform of Rust has a usize wider than 64 bits")]
pub(crate) const fn u64_from(n: usize) -> u64 {
    n as u64
}

/// Converts a length to an offset in a frame, saturating.
#[doc(hidden)]
pub fn u32_from(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Converts an offset in a frame to an index. An offset that does not fit becomes an index past the end of
/// any slice.
#[expect(clippy::as_conversions, reason = "cut on 16-bit platforms only, and checked there")]
#[doc(hidden)]
pub const fn index(n: u32) -> usize {
    let index = n as usize;
    if index as u32 == n { index } else { usize::MAX }
}

/// Converts a distance in a stream to an index. A distance that does not fit becomes an index past the end of
/// any slice.
pub(crate) fn index_u64(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

/// Converts a distance in a stream between two positions in memory.
///
/// The comparison in [`index_u64`] is a noticeable cost on a microcontroller.
#[expect(clippy::as_conversions, reason = "a length in memory always fits in an index")]
pub(crate) const fn index_in_memory(n: u64) -> usize {
    n as usize
}

/// Converts a length to an offset in a frame. The caller has checked that it fits.
#[inline(always)]
#[expect(clippy::as_conversions, reason = "callers have looked at the length of the frame")]
pub(crate) const fn u32_within(n: usize) -> u32 {
    n as u32
}

/// Converts the length of a text in a table, where all texts are short.
#[expect(
    clippy::as_conversions,
    reason = "callers are tables, and a longer text would be seen in their tests"
)]
#[doc(hidden)]
pub const fn u8_within(n: usize) -> u8 {
    n as u8
}
