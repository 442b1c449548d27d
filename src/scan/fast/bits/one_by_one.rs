//! The same masks, computed one byte at a time, for tests.

use super::{BLOCK, Decimals, Delimiters, Numbers, RareUnits, Text, Units};

pub(in super::super) fn mask(block: &[u8], is: impl Fn(u8) -> bool) -> u64 {
    block.iter().enumerate().map(|(at, &byte)| u64::from(is(byte)) << at).sum()
}

pub(in super::super) fn text(block: &[u8; BLOCK]) -> Text {
    Text {
        quotes: mask(block, |byte| byte == b'"'),
        backslashes: mask(block, |byte| byte == b'\\'),
        controls: mask(block, |byte| byte < 0x20),
        beyond_ascii: mask(block, |byte| byte >= 0x80),
        simple: mask(block, |byte| b"\"\\/bfnrt".contains(&byte)),
        unicode: mask(block, |byte| byte == b'u'),
    }
}

pub(in super::super) fn delimiters(block: &[u8; BLOCK], open: u8) -> Delimiters {
    Delimiters {
        quotes: mask(block, |byte| byte == b'"'),
        backslashes: mask(block, |byte| byte == b'\\'),
        opening: mask(block, |byte| byte == open),
        closing: mask(block, |byte| byte == open + 2),
    }
}

pub(in super::super) fn hex_digits(block: &[u8; BLOCK]) -> u64 {
    mask(block, |byte| byte.is_ascii_hexdigit())
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

pub(in super::super) fn units(block: &[u8; BLOCK]) -> Units {
    Units {
        continuations: mask(block, |byte| byte & 0xC0 == 0x80),
        leads: mask(block, |byte| byte >= 0xC0),
        long_leads: mask(block, |byte| byte >= 0xE0),
        rare: mask(block, |byte| matches!(byte, 0xC0 | 0xC1 | 0xE0 | 0xED | 0xF0..)),
    }
}

pub(in super::super) fn rare_units(block: &[u8; BLOCK]) -> RareUnits {
    RareUnits {
        never: mask(block, |byte| matches!(byte, 0xC0 | 0xC1 | 0xF5..)),
        longest_leads: mask(block, |byte| byte >= 0xF0),
        e0: mask(block, |byte| byte == 0xE0),
        ed: mask(block, |byte| byte == 0xED),
        f0: mask(block, |byte| byte == 0xF0),
        f4: mask(block, |byte| byte == 0xF4),
        from_90: mask(block, |byte| byte >= 0x90),
        from_a0: mask(block, |byte| byte >= 0xA0),
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
