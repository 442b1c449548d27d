//! The 128-bit vectors of WebAssembly, where the crate is compiled for them.

use core::arch::wasm32::{
    u8x16_bitmask, u8x16_eq, u8x16_ge, u8x16_le, u8x16_splat, u8x16_sub, u8x16_swizzle, u64x2,
    v128, v128_and, v128_any_true, v128_or,
};

use super::super::bits::{BLOCK, Decimals, Numbers, RareUnits, Text, Units};
use super::Vectors;
use super::everywhere::Built;

/// The proof that the machine has vectors: it takes no module with them in it otherwise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simd128(());

impl Built for Simd128 {
    // This module is there only where the whole crate is compiled for vectors.
    const HERE: Option<Self> = Some(Self(()));
}

impl Vectors for Simd128 {
    #[inline(always)]
    fn odd(self, block: &[u8; 2 * BLOCK]) -> (bool, bool) {
        odd(block)
    }

    #[inline(always)]
    fn special(self, block: &[u8; BLOCK]) -> u64 {
        specials(block)
    }

    #[inline(always)]
    fn text(self, block: &[u8; BLOCK]) -> Text {
        text(block)
    }

    #[inline(always)]
    fn numbers(self, block: &[u8; BLOCK]) -> Numbers {
        numbers(block)
    }

    #[inline(always)]
    fn decimals(self, block: &[u8; BLOCK]) -> Decimals {
        decimals(block)
    }

    #[inline(always)]
    fn units(self, block: &[u8; BLOCK]) -> Units {
        units(block)
    }

    #[inline(always)]
    fn rare_units(self, block: &[u8; BLOCK]) -> RareUnits {
        rare_units(block)
    }

    /// There is no such instruction.
    #[inline(always)]
    fn prefetch(self, _: &[u8], _: usize) {}
}

#[inline]
#[target_feature(enable = "simd128")]
fn odd(block: &[u8; 2 * BLOCK]) -> (bool, bool) {
    let mut stops = u8x16_splat(0);
    let mut all = stops;
    for vector in block.as_chunks::<16>().0 {
        let vector = load(vector);
        stops = v128_or(stops, special(vector));
        all = v128_or(all, vector);
    }
    (v128_any_true(stops), u8x16_bitmask(all) != 0)
}

#[inline]
#[target_feature(enable = "simd128")]
fn specials(block: &[u8; BLOCK]) -> u64 {
    // The highest bit is what counts, and bytes beyond ASCII have it.
    mask(quarters(block).map(|quarter| v128_or(special(quarter), quarter)))
}

/// Quotes, backslashes and control characters.
#[inline]
#[target_feature(enable = "simd128")]
fn special(vector: v128) -> v128 {
    let quotes_or_backslashes = v128_or(equal(vector, b'"'), equal(vector, b'\\'));
    v128_or(quotes_or_backslashes, at_most(vector, 0x1F))
}

#[inline]
#[target_feature(enable = "simd128")]
fn text(block: &[u8; BLOCK]) -> Text {
    let quarters = quarters(block);
    let backslashes = mask(quarters.map(|quarter| equal(quarter, b'\\')));
    let mut text = Text {
        quotes: mask(quarters.map(|quarter| equal(quarter, b'"'))),
        backslashes,
        controls: mask(quarters.map(|quarter| at_most(quarter, 0x1F))),
        beyond_ascii: mask(quarters),
        ..Text::default()
    };
    if backslashes != 0 {
        text.simple = mask(quarters.map(|quarter| simple(quarter)));
        text.unicode = mask(quarters.map(|quarter| equal(quarter, b'u')));
        text.hex_digits = mask(quarters.map(|quarter| hex_digits(quarter)));
    }
    text
}

/// What may stand behind a backslash, but for `u`. Most of it is looked up by its lower four bits.
#[inline]
#[target_feature(enable = "simd128")]
fn simple(vector: v128) -> v128 {
    // No byte is looked up where it would equal 0xFF.
    let table = [
        0xFF, 0xFF, b'b', 0xFF, b't', 0xFF, b'f', 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, b'\\', 0xFF, b'n',
        b'/',
    ];
    let found = u8x16_swizzle(load(&table), v128_and(vector, u8x16_splat(0x0F)));
    let quotes_or_r = v128_or(equal(vector, b'"'), equal(vector, b'r'));
    v128_or(u8x16_eq(found, vector), quotes_or_r)
}

#[inline]
#[target_feature(enable = "simd128")]
fn hex_digits(vector: v128) -> v128 {
    let lower = v128_or(vector, u8x16_splat(0x20));
    let letters = at_most(u8x16_sub(lower, u8x16_splat(b'a')), 5);
    v128_or(digits(vector), letters)
}

#[inline]
#[target_feature(enable = "simd128")]
fn digits(vector: v128) -> v128 {
    at_most(u8x16_sub(vector, u8x16_splat(b'0')), 9)
}

#[inline]
#[target_feature(enable = "simd128")]
fn numbers(block: &[u8; BLOCK]) -> Numbers {
    let quarters = quarters(block);
    Numbers {
        digits: mask(quarters.map(|quarter| digits(quarter))),
        zeros: mask(quarters.map(|quarter| equal(quarter, b'0'))),
        commas: mask(quarters.map(|quarter| equal(quarter, b','))),
        minuses: mask(quarters.map(|quarter| equal(quarter, b'-'))),
    }
}

#[inline]
#[target_feature(enable = "simd128")]
fn decimals(block: &[u8; BLOCK]) -> Decimals {
    let quarters = quarters(block);
    let lower = quarters.map(|quarter| v128_or(quarter, u8x16_splat(0x20)));
    Decimals {
        pluses: mask(quarters.map(|quarter| equal(quarter, b'+'))),
        points: mask(quarters.map(|quarter| equal(quarter, b'.'))),
        exponents: mask(lower.map(|quarter| equal(quarter, b'e'))),
    }
}

#[inline]
#[target_feature(enable = "simd128")]
fn units(block: &[u8; BLOCK]) -> Units {
    let quarters = quarters(block);
    let beyond_ascii = mask(quarters);
    if beyond_ascii == 0 {
        return Units::default();
    }
    let continuations =
        mask(quarters.map(|quarter| equal(v128_and(quarter, u8x16_splat(0xC0)), 0x80)));
    Units {
        continuations,
        leads: beyond_ascii & !continuations,
        long_leads: mask(quarters.map(|quarter| at_least(quarter, 0xE0))),
        rare: mask(quarters.map(|quarter| {
            let e0_or_ed = v128_or(equal(quarter, 0xE0), equal(quarter, 0xED));
            v128_or(e0_or_ed, v128_or(c0_or_c1(quarter), at_least(quarter, 0xF0)))
        })),
    }
}

#[inline]
#[target_feature(enable = "simd128")]
fn rare_units(block: &[u8; BLOCK]) -> RareUnits {
    let quarters = quarters(block);
    RareUnits {
        never: mask(quarters.map(|quarter| v128_or(c0_or_c1(quarter), at_least(quarter, 0xF5)))),
        longest_leads: mask(quarters.map(|quarter| at_least(quarter, 0xF0))),
        e0: mask(quarters.map(|quarter| equal(quarter, 0xE0))),
        ed: mask(quarters.map(|quarter| equal(quarter, 0xED))),
        f0: mask(quarters.map(|quarter| equal(quarter, 0xF0))),
        f4: mask(quarters.map(|quarter| equal(quarter, 0xF4))),
        from_90: mask(quarters.map(|quarter| at_least(quarter, 0x90))),
        from_a0: mask(quarters.map(|quarter| at_least(quarter, 0xA0))),
    }
}

#[inline]
#[target_feature(enable = "simd128")]
fn c0_or_c1(vector: v128) -> v128 {
    equal(v128_and(vector, u8x16_splat(0xFE)), 0xC0)
}

#[inline]
#[target_feature(enable = "simd128")]
fn at_least(vector: v128, byte: u8) -> v128 {
    u8x16_ge(vector, u8x16_splat(byte))
}

#[inline]
#[target_feature(enable = "simd128")]
fn equal(vector: v128, byte: u8) -> v128 {
    u8x16_eq(vector, u8x16_splat(byte))
}

#[inline]
#[target_feature(enable = "simd128")]
fn at_most(vector: v128, byte: u8) -> v128 {
    u8x16_le(vector, u8x16_splat(byte))
}

/// The highest bit of each byte.
#[inline]
#[target_feature(enable = "simd128")]
fn mask(quarters: [v128; 4]) -> u64 {
    let [a, b, c, d] = quarters.map(|quarter| u64::from(u8x16_bitmask(quarter)));
    a | b << 16 | c << 32 | d << 48
}

#[inline]
#[target_feature(enable = "simd128")]
fn quarters(block: &[u8; BLOCK]) -> [v128; 4] {
    let mut quarters = block.as_chunks::<16>().0.iter();
    [(); 4].map(|()| quarters.next().map_or(u8x16_splat(0), |quarter| load(quarter)))
}

/// Compilers know that this is one load.
#[inline]
#[target_feature(enable = "simd128")]
fn load(bytes: &[u8; 16]) -> v128 {
    let mut words = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
    let mut next = || words.next().unwrap_or(0);
    u64x2(next(), next())
}
