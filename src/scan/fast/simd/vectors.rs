//! The kernels shared by all vector units.

use super::super::bits::{BLOCK, RareUnits, Text, Units};
use super::super::blocks::{AHEAD, Blocks};
use super::super::structure::Delimited;

/// The masks of a vector unit.
pub(super) trait Vectors: Blocks + Delimited {
    /// Returns whether the bytes contain a quote, a backslash or a control character, and whether they
    /// contain one beyond ASCII.
    fn odd(self, block: &[u8; 2 * BLOCK]) -> (bool, bool);

    fn text(self, block: &[u8; BLOCK]) -> Text;

    fn hex_digits(self, block: &[u8; BLOCK]) -> u64;

    fn units(self, block: &[u8; BLOCK]) -> Units;

    fn rare_units(self, block: &[u8; BLOCK]) -> RareUnits;
}

/// Scans string contents with escapes, up to the first block that ends inside an escape.
#[inline(always)]
pub(super) fn text(vectors: impl Vectors, bytes: &[u8], from: usize) -> (usize, bool) {
    let mut at = from;
    let mut seen = false;
    while let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        vectors.prefetch(bytes, at.wrapping_add(AHEAD));
        let text = vectors.text(block);
        let stretch = text.stretch(|| vectors.hex_digits(block));
        if stretch.is_whole() {
            // Check the whole block, not only the counted bytes: the next load would have to wait for the
            // count.
            seen |= text.beyond_ascii != 0;
            at = at.wrapping_add(BLOCK);
            continue;
        }
        seen |= text.is_beyond_ascii(stretch.length);
        at = at.wrapping_add(crate::cast::index(stretch.length));
        if stretch.is_last {
            break;
        }
    }
    (at, seen)
}

/// Scans string contents without special bytes.
#[inline(always)]
pub(super) fn clean(vectors: impl Vectors, bytes: &[u8], from: usize) -> (usize, bool) {
    let mut at = from;
    let mut seen = false;
    while let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        vectors.prefetch(bytes, at.wrapping_add(AHEAD));
        vectors.prefetch(bytes, at.wrapping_add(AHEAD + BLOCK));
        let (is_odd, beyond_ascii) = vectors.odd(block);
        if is_odd {
            break;
        }
        seen |= beyond_ascii;
        at = at.wrapping_add(2 * BLOCK);
    }
    (at, seen)
}

/// Returns whether the contents of a string are valid UTF-8.
#[inline(always)]
pub(super) fn is_utf8(vectors: impl Vectors, string: &[u8]) -> bool {
    let mut at = 0_usize;
    // The positions at the start of a block that must continue the last character of the previous one.
    let mut owed = 0;
    while let Some(block) = string.get(at..).and_then(|rest| rest.first_chunk()) {
        let units = vectors.units(block);
        if units.rare == 0 {
            let Some(next) = units.follow(owed) else { return false };
            owed = next;
            at = at.wrapping_add(BLOCK);
        } else {
            let Some(length) = units.follow_rare(&vectors.rare_units(block), owed) else {
                return false;
            };
            owed = 0;
            at = at.wrapping_add(crate::cast::index(length));
        }
    }
    // If the last block ended inside a character, the rest begins at the start of that character.
    let cut = string.get(..at).unwrap_or(b"").iter().rev().take(3).position(|&byte| byte >= 0xC0);
    if let (Some(before), true) = (cut, owed != 0) {
        at = at.wrapping_sub(before).wrapping_sub(1);
    }
    core::str::from_utf8(string.get(at..).unwrap_or(b"")).is_ok()
}
