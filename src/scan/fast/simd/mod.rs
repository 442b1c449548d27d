//! Kernels for vector units: the only module of the crate with `unsafe` code in it.
//!
//! The language demands it to call a function that is compiled for instructions that not every machine
//! has. Each back end is a token that exists only where those are there, so that whoever holds one may
//! call. Loads go through slices like all others. Beside that, x86-64 is asked to fetch ahead, by way of
//! a pointer.
//!
//! A target has one vector unit at most, its [`Unit`]. That of x86-64 is looked for at run time with `std`;
//! without it, and on the others, it is there where the whole crate is compiled for it.

#![allow(unsafe_code, reason = "entering functions that are compiled for a vector unit")]

#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128"),
)))]
mod absent;
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(not(target_arch = "x86_64"))]
mod everywhere;
#[cfg(any(
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128"),
))]
mod lanes;
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;

#[cfg(target_arch = "x86_64")]
pub(crate) use avx2::Avx2 as Unit;
#[cfg(all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"))]
pub(crate) type Unit = everywhere::Everywhere<neon::Neon>;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) type Unit = everywhere::Everywhere<simd128::Simd128>;
#[cfg(not(any(
    target_arch = "x86_64",
    all(target_arch = "aarch64", target_feature = "neon", target_endian = "little"),
    all(target_arch = "wasm32", target_feature = "simd128"),
)))]
pub(crate) type Unit = everywhere::Everywhere<absent::Absent>;

use super::bits::{BLOCK, RareUnits, Text, Units};
use super::blocks::{AHEAD, Blocks};

/// What a vector unit says of blocks.
trait Vectors: Blocks {
    /// Whether there is a quote, a backslash or a control character among the bytes, and whether there
    /// is one beyond ASCII.
    fn odd(self, block: &[u8; 2 * BLOCK]) -> (bool, bool);

    fn text(self, block: &[u8; BLOCK]) -> Text;

    fn hex_digits(self, block: &[u8; BLOCK]) -> u64;

    fn units(self, block: &[u8; BLOCK]) -> Units;

    fn rare_units(self, block: &[u8; BLOCK]) -> RareUnits;
}

/// The kernel over the inside of a string, which stops before the first block that is cut.
#[inline(always)]
fn text(vectors: impl Vectors, bytes: &[u8], from: usize) -> (usize, bool) {
    let mut at = from;
    let mut seen = false;
    while let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        vectors.prefetch(bytes, at.wrapping_add(AHEAD));
        let text = vectors.text(block);
        let stretch = text.stretch(|| vectors.hex_digits(block));
        if stretch.is_whole() {
            // Not what was counted: that would have to be known before the next block is loaded.
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

/// The kernel over the inside of a string without anything special in it.
#[inline(always)]
fn clean(vectors: impl Vectors, bytes: &[u8], from: usize) -> (usize, bool) {
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

/// Whether the inside of a string is valid UTF-8.
#[inline(always)]
fn is_utf8(vectors: impl Vectors, string: &[u8]) -> bool {
    let mut at = 0_usize;
    // The places at the beginning of a block that are owed to the last character of the one before.
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
    // What is left begins inside of a character, if the last block ended there.
    let cut = string.get(..at).unwrap_or(b"").iter().rev().take(3).position(|&byte| byte >= 0xC0);
    if let (Some(before), true) = (cut, owed != 0) {
        at = at.wrapping_sub(before).wrapping_sub(1);
    }
    core::str::from_utf8(string.get(at..).unwrap_or(b"")).is_ok()
}

#[cfg(test)]
mod tests {
    use super::super::bits::one_by_one;
    use super::super::blocks::tests::check;
    use super::{BLOCK, Unit, Vectors};

    fn check_more(vectors: impl Vectors, block: &[u8; BLOCK]) {
        let text = one_by_one::text(block);
        let mut seen = vectors.text(block);
        if text.backslashes == 0 {
            // What may follow a backslash is not looked for where there is none.
            (seen.simple, seen.unicode) = (text.simple, text.unicode);
        }
        assert_eq!(seen, text, "{block:?}");
        assert_eq!(vectors.hex_digits(block), one_by_one::hex_digits(block), "{block:?}");
        assert_eq!(vectors.units(block), one_by_one::units(block), "{block:?}");
        assert_eq!(vectors.rare_units(block), one_by_one::rare_units(block), "{block:?}");

        let is_odd = text.quotes | text.backslashes | text.controls != 0;
        for half in 0..2 {
            let mut both = [b'a'; 2 * BLOCK];
            both[half * BLOCK..][..BLOCK].copy_from_slice(block);
            assert_eq!(vectors.odd(&both), (is_odd, text.beyond_ascii != 0), "{block:?}");
        }
    }

    #[test]
    fn every_byte_in_every_place() {
        let Some(unit) = Unit::detect() else { return };
        #[cfg(not(target_arch = "x86_64"))]
        let unit = unit.0;
        for block in one_by_one::blocks() {
            check(unit, &block);
            check_more(unit, &block);
        }
    }
}
