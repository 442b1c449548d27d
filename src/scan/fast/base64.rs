//! Runs of Base64, in blocks of sixty-four bytes. Both halves of a byte look up the ranges of the alphabet that have it.

use super::bits::BLOCK;
use super::lanes::Lanes;
use super::word;

/// The bytes `+` and `/`.
const SIGN: u8 = 1;
const DIGIT: u8 = 2;
/// The letters `A` to `O` or `a` to `o`.
const EARLY: u8 = 4;
/// The letters `P` to `Z` or `p` to `z`.
const LATE: u8 = 8;

/// The ranges with this lower half.
const BY_LOWER_HALF: [u8; 16] = {
    let mut ranges = [EARLY | LATE | DIGIT; 16];
    ranges[0x0] = LATE | DIGIT;
    ranges[0xA] = EARLY | LATE;
    ranges[0xB] = EARLY | SIGN;
    ranges[0xC] = EARLY;
    ranges[0xD] = EARLY;
    ranges[0xE] = EARLY;
    ranges[0xF] = EARLY | SIGN;
    ranges
};

/// The ranges with this upper half.
const BY_UPPER_HALF: [u8; 16] =
    [0, 0, SIGN, DIGIT, EARLY, LATE, EARLY, LATE, 0, 0, 0, 0, 0, 0, 0, 0];

/// The number of blocks that are looked at together.
const TOGETHER: usize = 4;

/// Returns the index up to which the bytes are known to be of the alphabet of Base64 (RFC 4648, section 4), without its
/// padding. It is at most 255 less than the index of the first other byte.
#[inline(always)]
pub(super) fn run(lanes: impl Lanes, bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(blocks) = word::chunk::<{ TOGETHER * BLOCK }>(bytes, at) {
        lanes.prefetch_four(bytes, at);
        let mut others = lanes.splat(0);
        for block in blocks.as_chunks().0 {
            others = lanes.or(others, other(lanes, block));
        }
        if !lanes.are_zero(others) {
            break;
        }
        at = at.wrapping_add(TOGETHER * BLOCK);
    }
    at
}

/// Finds the bytes that are not of the alphabet.
#[inline(always)]
fn other<L: Lanes>(lanes: L, block: &[u8; BLOCK]) -> L::Bytes {
    let bytes = lanes.load(block);
    let by_lower = lanes.look_up(&BY_LOWER_HALF, lanes.and(bytes, lanes.splat(0xF)));
    let by_upper = lanes.look_up(&BY_UPPER_HALF, lanes.upper(bytes));
    lanes.is(lanes.and(by_lower, by_upper), 0)
}

#[cfg(test)]
mod tests {
    use super::super::bits::one_by_one;
    use super::super::lanes::Lanes;
    use super::super::one_by_one::OneByOne;
    use super::{BLOCK, TOGETHER, other, run};

    fn is_digit(byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
    }

    fn check_all(lanes: impl Lanes) {
        for block in one_by_one::blocks() {
            let expected = one_by_one::mask(&block, |byte| !is_digit(byte));
            assert_eq!(lanes.mask(other(lanes, &block)), expected, "{block:?}");
        }
        let step = TOGETHER * BLOCK;
        for length in [0, 1, step - 1, step, step + 1, 3 * step, 3 * step + 17] {
            let mut text = std::vec![b'a'; length];
            assert_eq!(run(lanes, &text), length / step * step);
            for place in 0..length {
                text[place] = b'=';
                assert_eq!(run(lanes, &text), place / step * step, "{place} of {length}");
                text[place] = b'/';
            }
        }
    }

    #[test]
    fn a_run_ends_before_the_first_other_byte() {
        check_all(OneByOne { gathers: false });
        #[cfg(feature = "simd")]
        if let Some(machine) = super::super::simd::Machine::detect() {
            check_all(machine);
            machine.wider().into_iter().for_each(check_all);
        }
    }
}
