//! The same masks, computed one byte at a time, for tests.

use super::{BLOCK, Decimals, Delimiters, Numbers};

pub(in super::super) fn mask(block: &[u8], is: impl Fn(u8) -> bool) -> u64 {
    block.iter().enumerate().map(|(at, &byte)| u64::from(is(byte)) << at).sum()
}

pub(in super::super) fn delimiters(block: &[u8; BLOCK], open: u8) -> Delimiters {
    Delimiters {
        quotes: mask(block, |byte| byte == b'"'),
        backslashes: mask(block, |byte| byte == b'\\'),
        opening: mask(block, |byte| byte == open),
        closing: mask(block, |byte| byte == open + 2),
        marks: mask(block, |byte| byte == open || byte == open + 2 || byte == b':'),
    }
}

pub(in super::super) fn numbers(block: &[u8; BLOCK]) -> Numbers {
    Numbers {
        digits: mask(block, |byte| byte.is_ascii_digit()),
        zeros: mask(block, |byte| byte == b'0'),
        commas: mask(block, |byte| byte == b','),
        minuses: mask(block, |byte| byte == b'-'),
    }
}

pub(in super::super) fn decimals(block: &[u8; BLOCK]) -> Decimals {
    Decimals {
        pluses: mask(block, |byte| byte == b'+'),
        points: mask(block, |byte| byte == b'.'),
        exponents: mask(block, |byte| byte | 0x20 == b'e'),
    }
}

/// A linear congruential generator (Knuth's MMIX), so that every run tests the same blocks.
pub(in super::super) struct Random(pub(in super::super) u64);

impl Random {
    pub(in super::super) fn next(&mut self) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize
    }
}

/// Blocks with every byte value at every position.
pub(in super::super) fn blocks() -> impl Iterator<Item = [u8; BLOCK]> {
    // The first surroundings have nothing special in them, the second have backslashes.
    let around = [[b'5'; BLOCK], core::array::from_fn(|at| b"\\u1"[at % 3])];
    (0..=u8::MAX).flat_map(move |byte| {
        let alone = around.into_iter().flat_map(move |around| {
            (0..BLOCK).map(move |place| {
                let mut block = around;
                block[place] = byte;
                block
            })
        });
        // A block in which all bytes differ.
        alone.chain([core::array::from_fn(|at| byte.wrapping_add(at as u8))])
    })
}
