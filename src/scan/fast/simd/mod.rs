//! Kernels for vector units: the only module of the crate with `unsafe` code in it.
//!
//! The language demands it for one thing, to call a function that is compiled for instructions that
//! not every machine has. Each back end is a token that exists only where those are there, so that
//! whoever holds one may call. Loads go through slices like all others.

#![allow(unsafe_code, reason = "entering functions that are compiled for a vector unit")]

#[cfg(target_arch = "x86_64")]
mod avx2;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2;

use super::bits::{BLOCK, Numbers, Text};

/// What a vector unit says of blocks.
trait Vectors: Copy {
    /// Whether there is a quote, a backslash or a control character among the bytes, and whether there
    /// is one beyond ASCII.
    fn odd(self, block: &[u8; 2 * BLOCK]) -> (bool, bool);

    fn text(self, block: &[u8; BLOCK]) -> Text;

    fn numbers(self, block: &[u8; BLOCK]) -> Numbers;
}

/// The kernel over the inside of a string, which stops before the first block that is cut.
#[inline(always)]
fn text(vectors: impl Vectors, bytes: &[u8], from: usize) -> (usize, bool) {
    let mut at = from;
    let mut seen = false;
    while let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let text = vectors.text(block);
        let stretch = text.stretch();
        seen |= text.is_beyond_ascii(stretch.length);
        at = at.wrapping_add(crate::cast::index(stretch.length));
        if stretch.is_last {
            break;
        }
        while let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
            let (is_odd, beyond_ascii) = vectors.odd(block);
            if is_odd {
                break;
            }
            seen |= beyond_ascii;
            at = at.wrapping_add(2 * BLOCK);
        }
    }
    (at, seen)
}

/// The kernel over numbers.
#[inline(always)]
fn numbers(vectors: impl Vectors, bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let stretch = vectors.numbers(block).stretch();
        at = at.wrapping_add(crate::cast::index(stretch.length));
        if stretch.is_last {
            break;
        }
    }
    at
}
