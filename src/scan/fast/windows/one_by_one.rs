//! The masks of windows, computed one byte at a time, for tests.

use super::super::bits::{BLOCK, Decimals, Numbers, one_by_one};
use super::super::blocks::Blocks;
use super::masks::{Classes, Masks};
use one_by_one::mask;

#[derive(Clone, Copy, Debug)]
pub(in super::super) struct OneByOne;

impl Blocks for OneByOne {
    fn special(self, block: &[u8; BLOCK]) -> u64 {
        self.quotes(block) | self.uncommon(block)
    }

    fn numbers(self, block: &[u8; BLOCK]) -> Numbers {
        one_by_one::numbers(block)
    }

    fn decimals(self, block: &[u8; BLOCK]) -> Decimals {
        one_by_one::decimals(block)
    }

    fn prefetch(self, _: &[u8], _: usize) {}
}

impl Masks for OneByOne {
    fn quotes(self, block: &[u8; BLOCK]) -> u64 {
        self.equal(block, b'"')
    }

    fn uncommon(self, block: &[u8; BLOCK]) -> u64 {
        mask(block, |byte| matches!(byte, b'\\' | 0..0x20 | 0x80..))
    }

    fn is_plain(self, blocks: &[u8; 4 * BLOCK]) -> bool {
        blocks.iter().all(|byte| matches!(byte, 0x20..0x80) && !b"\"\\".contains(byte))
    }

    fn has_control(self, block: &[u8; BLOCK]) -> bool {
        block.iter().any(|&byte| byte < 0x20)
    }

    fn has_control_or_beyond_ascii(self, block: &[u8; BLOCK]) -> bool {
        block.iter().any(|byte| matches!(byte, 0..0x20 | 0x80..))
    }

    fn equal(self, block: &[u8; BLOCK], byte: u8) -> u64 {
        mask(block, |other| other == byte)
    }

    fn beyond_ascii(self, block: &[u8; BLOCK]) -> u64 {
        mask(block, |byte| byte >= 0x80)
    }

    fn simple_escapes(self, block: &[u8; BLOCK]) -> u64 {
        one_by_one::text(block).simple
    }

    fn hex_digits(self, block: &[u8; BLOCK]) -> u64 {
        one_by_one::hex_digits(block)
    }

    fn is_utf8(self, block: &[u8; BLOCK], before: [&[u8; BLOCK]; 3]) -> bool {
        let bytes = [&before[2][..3], block].concat();
        // A character may have begun earlier, and may end later.
        let ends = |skipped: usize| {
            let result = core::str::from_utf8(&bytes[skipped..]);
            result.is_ok() || result.is_err_and(|error| error.error_len().is_none())
        };
        let continued = bytes.iter().take_while(|&&byte| byte & 0xC0 == 0x80).count();
        // The bytes before the block were checked with the block before, so continuation bytes may be skipped.
        (0..=continued.min(3)).any(ends)
    }

    fn classes(self, block: &[u8; BLOCK]) -> Classes {
        let operators =
            |bit: u8| mask(block, |byte| b"{}[]:,\x0C\x1A".contains(&byte) && byte & 1 << bit != 0);
        Classes {
            brackets: operators(6),
            bit5: operators(5),
            bit1: operators(1),
            spaces: self.equal(block, b' '),
        }
    }

    fn apart<R>(self, work: impl FnOnce() -> R) -> R {
        work()
    }

    fn parity(self, bits: u64) -> u64 {
        (0..64).fold(0, |all, place| {
            all | u64::from((bits << (63 - place)).count_ones() % 2 == 1) << place
        })
    }
}
