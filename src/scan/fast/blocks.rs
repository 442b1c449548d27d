//! The kernels for short strings and for numbers, in blocks of sixty-four bytes, on top of any back end that
//! computes the masks.

use super::bits::{AHEAD, BLOCK, Carry, Decimals, Numbers};
#[cfg(any(test, feature = "simd"))]
use super::decimals;
#[cfg(any(test, feature = "simd"))]
use super::lanes::Lanes;
use super::word;

/// Computes the masks of blocks.
pub(super) trait Blocks: Copy {
    /// Marks quotes, backslashes, control characters and bytes beyond ASCII.
    fn special(self, block: &[u8; BLOCK]) -> u64;

    fn numbers(self, block: &[u8; BLOCK]) -> Numbers;

    fn decimals(self, block: &[u8; BLOCK]) -> Decimals;

    /// Scans numbers that are separated by commas and have no exponents, from after a comma on. Returns the offset
    /// after a comma up to which they are known to be valid.
    #[inline(always)]
    fn plain_numbers(self, bytes: &[u8], from: usize) -> usize {
        let _ = bytes;
        from
    }

    /// Prefetches the bytes at `at`, if there are any.
    fn prefetch(self, bytes: &[u8], at: usize);
}

#[cfg(any(test, feature = "simd"))]
impl<L: Lanes> Blocks for L {
    #[inline(always)]
    fn special(self, block: &[u8; BLOCK]) -> u64 {
        // Short strings are also scanned in functions that are not compiled for the machine.
        self.compiled(|| {
            let bytes = self.load(block);
            self.mask(self.or(self.delimiter(bytes), self.below_or_beyond_ascii(bytes, b' ')))
        })
    }

    #[inline(always)]
    fn numbers(self, block: &[u8; BLOCK]) -> Numbers {
        let bytes = self.load(block);
        Numbers {
            digits: self.mask(self.digit(bytes)),
            zeros: self.mask(self.is(bytes, b'0')),
            commas: self.mask(self.is(bytes, b',')),
            minuses: self.mask(self.is(bytes, b'-')),
        }
    }

    #[inline(always)]
    fn decimals(self, block: &[u8; BLOCK]) -> Decimals {
        let bytes = self.load(block);
        Decimals {
            pluses: self.mask(self.is(bytes, b'+')),
            points: self.mask(self.is(bytes, b'.')),
            exponents: self.mask(self.is(self.or(bytes, self.splat(b' ')), b'e')),
        }
    }

    #[inline(always)]
    fn plain_numbers(self, bytes: &[u8], from: usize) -> usize {
        decimals::plain(self, bytes, from)
    }

    #[inline(always)]
    fn prefetch(self, bytes: &[u8], at: usize) {
        Lanes::prefetch(self, bytes, at);
    }
}

/// The mask of the last block that was scanned.
///
/// The special bytes alternate between the opening quote and the closing quote of a string. So the end of the
/// next string is known before the scanner reaches its beginning.
#[derive(Debug)]
pub(crate) struct Near {
    /// The offset of the block, or a value beyond any text if there is none.
    start: usize,
    /// The special bytes of the block, at least those that are still ahead.
    special: u64,
}

impl Default for Near {
    #[inline(always)]
    fn default() -> Self {
        Self { start: usize::MAX / 2, special: 0 }
    }
}

impl Near {
    /// Returns the offset of the next special byte, or of the end of the block.
    #[inline(always)]
    fn next(&self) -> usize {
        self.start.wrapping_add(crate::cast::index(self.special.trailing_zeros()))
    }

    #[inline(always)]
    fn look(&mut self, blocks: impl Blocks, bytes: &[u8], start: usize) {
        blocks.prefetch(bytes, start.wrapping_add(AHEAD));
        self.start = start;
        self.special = match word::chunk(bytes, start) {
            Some(block) => blocks.special(block),
            None => last(blocks, bytes, start),
        };
    }
}

/// The length limit for a short string, in bytes.
const SHORT: usize = 4 * BLOCK;

/// True if the scanner foresees where the next string ends. On aarch64, shifting the mask takes fewer instructions.
const FORESEES: bool = !cfg!(target_arch = "aarch64");

/// Scans a short string.
#[inline(always)]
pub(super) fn short(blocks: impl Blocks, bytes: &[u8], from: usize, near: &mut Near) -> usize {
    let place = from.wrapping_sub(near.start);
    if FORESEES && near.special != 0 && near.next().wrapping_add(1) == from {
        near.special &= near.special.wrapping_sub(1);
    } else if place < BLOCK {
        near.special &= u64::MAX << place;
    } else {
        near.look(blocks, bytes, from);
    }
    loop {
        let stop = near.next();
        if near.special != 0 {
            if FORESEES {
                near.special &= near.special.wrapping_sub(1);
            }
            return stop;
        }
        if stop.wrapping_sub(from) >= SHORT {
            return stop;
        }
        near.look(blocks, bytes, stop);
    }
}

/// Computes the mask of the last, partial block. The end of the text is marked too, and stops any scan.
#[inline(never)]
fn last(blocks: impl Blocks, bytes: &[u8], start: usize) -> u64 {
    let left = bytes.len().saturating_sub(start);
    match bytes.last_chunk::<BLOCK>() {
        // Take the last 64 bytes of the text and drop those before the block.
        Some(block) if left > 0 => {
            let before = u32::try_from(BLOCK.wrapping_sub(left)).unwrap_or(0) & 63;
            blocks.special(block) >> before | !(u64::MAX >> before)
        }
        _ => {
            let mut block = [0; BLOCK];
            crate::bytes::copy(bytes.get(start..).unwrap_or(b""), &mut block);
            blocks.special(&block)
        }
    }
}

/// Scans a run of numbers.
#[inline(always)]
pub(super) fn numbers(blocks: impl Blocks, bytes: &[u8], from: usize) -> usize {
    let mut at = blocks.plain_numbers(bytes, from);
    let mut whole = at;
    let mut carry = Carry::START;
    while let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        blocks.prefetch(bytes, at.wrapping_add(AHEAD));
        let numbers = blocks.numbers(block);
        let are_integers = numbers.are_integers(!numbers.commas, &carry);
        let decimals = if are_integers { None } else { Some(blocks.decimals(block)) };
        let stops = numbers.stops(decimals, &mut carry);
        let length = crate::cast::index(numbers.whole(stops));
        if length > 0 {
            whole = at.wrapping_add(length);
        }
        if stops != 0 {
            break;
        }
        at = at.wrapping_add(BLOCK);
    }
    whole
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::Portable;
    use super::super::bits::one_by_one;
    use super::{BLOCK, Blocks};

    pub(in super::super) fn check(blocks: impl Blocks, block: &[u8; BLOCK]) {
        let special =
            one_by_one::mask(block, |byte| matches!(byte, b'"' | b'\\' | 0..0x20 | 0x80..));
        assert_eq!(blocks.special(block), special, "{block:?}");
        assert_eq!(blocks.numbers(block), one_by_one::numbers(block), "{block:?}");
        assert_eq!(blocks.decimals(block), one_by_one::decimals(block), "{block:?}");
    }

    #[test]
    fn every_byte_in_every_place() {
        for block in one_by_one::blocks() {
            check(Portable, &block);
        }
    }
}
