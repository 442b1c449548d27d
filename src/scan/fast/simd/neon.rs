//! NEON, of all 64-bit machines of Arm with an operating system.
//!
//! Targets without it, and those that are big-endian, have the portable kernels.

use core::arch::aarch64::{
    uint8x16_t, vandq_u8, vceqq_u8, vcgeq_u8, vcleq_u8, vcombine_u8, vcreate_u8, vdupq_n_u8,
    vgetq_lane_u64, vmaxvq_u8, vorrq_u8, vpaddq_u8, vqtbl1q_u8, vreinterpretq_u64_u8, vsubq_u8,
};

use super::super::bits::{BLOCK, Decimals, Numbers, RareUnits, Text, Units};
use super::Vectors;
use super::everywhere::Built;

/// The proof that the machine has NEON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neon(());

impl Built for Neon {
    // This module is there only where the whole crate is compiled for NEON.
    const HERE: Option<Self> = Some(Self(()));
}

impl Vectors for Neon {
    #[inline(always)]
    fn odd(self, block: &[u8; 2 * BLOCK]) -> (bool, bool) {
        // SAFETY: a `Neon` exists only where the whole crate is compiled for what this is compiled for.
        unsafe { odd(block) }
    }

    #[inline(always)]
    fn special(self, block: &[u8; BLOCK]) -> u64 {
        // SAFETY: as above.
        unsafe { specials(block) }
    }

    #[inline(always)]
    fn text(self, block: &[u8; BLOCK]) -> Text {
        // SAFETY: as above.
        unsafe { text(block) }
    }

    #[inline(always)]
    fn numbers(self, block: &[u8; BLOCK]) -> Numbers {
        // SAFETY: as above.
        unsafe { numbers(block) }
    }

    #[inline(always)]
    fn decimals(self, block: &[u8; BLOCK]) -> Decimals {
        // SAFETY: as above.
        unsafe { decimals(block) }
    }

    #[inline(always)]
    fn units(self, block: &[u8; BLOCK]) -> Units {
        // SAFETY: as above.
        unsafe { units(block) }
    }

    #[inline(always)]
    fn rare_units(self, block: &[u8; BLOCK]) -> RareUnits {
        // SAFETY: as above.
        unsafe { rare_units(block) }
    }

    /// Text comes in the order of its bytes, which these machines fetch ahead by themselves.
    #[inline(always)]
    fn prefetch(self, _: &[u8], _: usize) {}
}

#[inline]
#[target_feature(enable = "neon")]
fn odd(block: &[u8; 2 * BLOCK]) -> (bool, bool) {
    let mut stops = vdupq_n_u8(0);
    let mut all = stops;
    for vector in block.as_chunks::<16>().0 {
        let vector = load(vector);
        stops = vorrq_u8(stops, special(vector));
        all = vorrq_u8(all, vector);
    }
    (vmaxvq_u8(stops) != 0, vmaxvq_u8(all) >= 0x80)
}

#[inline]
#[target_feature(enable = "neon")]
fn specials(block: &[u8; BLOCK]) -> u64 {
    mask(quarters(block).map(|quarter| vorrq_u8(special(quarter), beyond_ascii(quarter))))
}

/// Quotes, backslashes and control characters.
#[inline]
#[target_feature(enable = "neon")]
fn special(vector: uint8x16_t) -> uint8x16_t {
    let quotes_or_backslashes = vorrq_u8(equal(vector, b'"'), equal(vector, b'\\'));
    vorrq_u8(quotes_or_backslashes, at_most(vector, 0x1F))
}

#[inline]
#[target_feature(enable = "neon")]
fn beyond_ascii(vector: uint8x16_t) -> uint8x16_t {
    at_least(vector, 0x80)
}

#[inline]
#[target_feature(enable = "neon")]
fn text(block: &[u8; BLOCK]) -> Text {
    let quarters = quarters(block);
    let backslashes = mask(quarters.map(|quarter| equal(quarter, b'\\')));
    let mut text = Text {
        quotes: mask(quarters.map(|quarter| equal(quarter, b'"'))),
        backslashes,
        controls: mask(quarters.map(|quarter| at_most(quarter, 0x1F))),
        beyond_ascii: mask(quarters.map(|quarter| beyond_ascii(quarter))),
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
#[target_feature(enable = "neon")]
fn simple(vector: uint8x16_t) -> uint8x16_t {
    // No byte is looked up where it would equal 0xFF.
    let table = [
        0xFF, 0xFF, b'b', 0xFF, b't', 0xFF, b'f', 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, b'\\', 0xFF, b'n',
        b'/',
    ];
    let found = vqtbl1q_u8(load(&table), vandq_u8(vector, vdupq_n_u8(0x0F)));
    let quotes_or_r = vorrq_u8(equal(vector, b'"'), equal(vector, b'r'));
    vorrq_u8(vceqq_u8(found, vector), quotes_or_r)
}

#[inline]
#[target_feature(enable = "neon")]
fn hex_digits(vector: uint8x16_t) -> uint8x16_t {
    let lower = vorrq_u8(vector, vdupq_n_u8(0x20));
    let letters = at_most(vsubq_u8(lower, vdupq_n_u8(b'a')), 5);
    vorrq_u8(digits(vector), letters)
}

#[inline]
#[target_feature(enable = "neon")]
fn digits(vector: uint8x16_t) -> uint8x16_t {
    at_most(vsubq_u8(vector, vdupq_n_u8(b'0')), 9)
}

#[inline]
#[target_feature(enable = "neon")]
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
#[target_feature(enable = "neon")]
fn decimals(block: &[u8; BLOCK]) -> Decimals {
    let quarters = quarters(block);
    let lower = quarters.map(|quarter| vorrq_u8(quarter, vdupq_n_u8(0x20)));
    Decimals {
        pluses: mask(quarters.map(|quarter| equal(quarter, b'+'))),
        points: mask(quarters.map(|quarter| equal(quarter, b'.'))),
        exponents: mask(lower.map(|quarter| equal(quarter, b'e'))),
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn units(block: &[u8; BLOCK]) -> Units {
    let quarters = quarters(block);
    let beyond_ascii = mask(quarters.map(|quarter| beyond_ascii(quarter)));
    if beyond_ascii == 0 {
        return Units::default();
    }
    let continuations =
        mask(quarters.map(|quarter| equal(vandq_u8(quarter, vdupq_n_u8(0xC0)), 0x80)));
    Units {
        continuations,
        leads: beyond_ascii & !continuations,
        long_leads: mask(quarters.map(|quarter| at_least(quarter, 0xE0))),
        rare: mask(quarters.map(|quarter| {
            let e0_or_ed = vorrq_u8(equal(quarter, 0xE0), equal(quarter, 0xED));
            vorrq_u8(e0_or_ed, vorrq_u8(c0_or_c1(quarter), at_least(quarter, 0xF0)))
        })),
    }
}

#[inline]
#[target_feature(enable = "neon")]
fn rare_units(block: &[u8; BLOCK]) -> RareUnits {
    let quarters = quarters(block);
    RareUnits {
        never: mask(quarters.map(|quarter| vorrq_u8(c0_or_c1(quarter), at_least(quarter, 0xF5)))),
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
#[target_feature(enable = "neon")]
fn c0_or_c1(vector: uint8x16_t) -> uint8x16_t {
    equal(vandq_u8(vector, vdupq_n_u8(0xFE)), 0xC0)
}

#[inline]
#[target_feature(enable = "neon")]
fn at_least(vector: uint8x16_t, byte: u8) -> uint8x16_t {
    vcgeq_u8(vector, vdupq_n_u8(byte))
}

#[inline]
#[target_feature(enable = "neon")]
fn equal(vector: uint8x16_t, byte: u8) -> uint8x16_t {
    vceqq_u8(vector, vdupq_n_u8(byte))
}

#[inline]
#[target_feature(enable = "neon")]
fn at_most(vector: uint8x16_t, byte: u8) -> uint8x16_t {
    vcleq_u8(vector, vdupq_n_u8(byte))
}

/// A bit for each byte, all of whose bits are the same.
#[inline]
#[target_feature(enable = "neon")]
fn mask(quarters: [uint8x16_t; 4]) -> u64 {
    // Each byte keeps the bit of its place among eight. Then neighbours are added until the eight are
    // one byte.
    let places = vcreate_u8(0x8040_2010_0804_0201);
    let [a, b, c, d] = quarters.map(|quarter| vandq_u8(quarter, vcombine_u8(places, places)));
    let eighths = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(eighths, eighths)))
}

#[inline]
#[target_feature(enable = "neon")]
fn quarters(block: &[u8; BLOCK]) -> [uint8x16_t; 4] {
    let mut quarters = block.as_chunks::<16>().0.iter();
    [(); 4].map(|()| quarters.next().map_or(vdupq_n_u8(0), |quarter| load(quarter)))
}

/// Compilers know that this is one load.
#[inline]
#[target_feature(enable = "neon")]
fn load(bytes: &[u8; 16]) -> uint8x16_t {
    let mut words = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
    let mut next = || words.next().unwrap_or(0);
    vcombine_u8(vcreate_u8(next()), vcreate_u8(next()))
}
