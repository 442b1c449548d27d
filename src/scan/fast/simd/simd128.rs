//! The 128-bit vectors of WebAssembly, if the crate is compiled for them.

use core::arch::wasm32::{
    i8x16_lt, i8x16_shl, u8x16_bitmask, u8x16_eq, u8x16_shr, u8x16_splat, u8x16_sub_sat,
    u8x16_swizzle, u64x2, v128, v128_and, v128_any_true, v128_or, v128_xor,
};

use super::super::bits::BLOCK;
use super::super::lanes::Lanes;

/// The proof that the machine has vectors: otherwise it would reject a module that uses them. This module is compiled
/// only if the whole crate is compiled for vectors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simd128(());

type Bytes = [v128; 4];

/// Applies an operation to each quarter of two blocks.
#[inline(always)]
fn each(one: Bytes, other: Bytes, work: impl Fn(v128, v128) -> v128) -> Bytes {
    let ([a, b, c, d], [e, f, g, h]) = (one, other);
    [work(a, e), work(b, f), work(c, g), work(d, h)]
}

/// Compilers turn this into one load.
#[inline(always)]
fn load(bytes: &[u8; 16]) -> v128 {
    let mut words = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
    let mut next = || words.next().unwrap_or(0);
    u64x2(next(), next())
}

impl Lanes for Simd128 {
    type Bytes = Bytes;

    type Wider = Self;

    #[inline(always)]
    fn detect() -> Option<Self> {
        Some(Self(()))
    }

    #[inline(never)]
    fn apart<R>(self, work: impl FnOnce() -> R) -> R {
        work()
    }

    #[inline(always)]
    fn load(self, block: &[u8; BLOCK]) -> Bytes {
        let mut quarters = block.as_chunks::<16>().0.iter();
        [(); 4].map(|()| quarters.next().map_or(u8x16_splat(0), load))
    }

    #[inline(always)]
    fn and(self, one: Bytes, other: Bytes) -> Bytes {
        each(one, other, |one, other| v128_and(one, other))
    }

    #[inline(always)]
    fn or(self, one: Bytes, other: Bytes) -> Bytes {
        each(one, other, |one, other| v128_or(one, other))
    }

    #[inline(always)]
    fn xor(self, one: Bytes, other: Bytes) -> Bytes {
        each(one, other, |one, other| v128_xor(one, other))
    }

    #[inline(always)]
    fn same(self, one: Bytes, other: Bytes) -> Bytes {
        each(one, other, |one, other| u8x16_eq(one, other))
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> Bytes {
        [u8x16_splat(byte); 4]
    }

    #[inline(always)]
    fn less(self, bytes: Bytes, byte: u8) -> Bytes {
        each(bytes, self.splat(byte), |one, other| u8x16_sub_sat(one, other))
    }

    #[inline(always)]
    fn below_or_beyond_ascii(self, bytes: Bytes, byte: u8) -> Bytes {
        // As signed values, bytes beyond ASCII are less than all others.
        each(bytes, self.splat(byte), |one, other| i8x16_lt(one, other))
    }

    #[inline(always)]
    fn upper(self, bytes: Bytes) -> Bytes {
        bytes.map(|quarter| u8x16_shr(quarter, 4))
    }

    #[inline(always)]
    fn look_up(self, table: &[u8; 16], bytes: Bytes) -> Bytes {
        let table = load(table);
        self.and(bytes, self.splat(0xF)).map(|places| u8x16_swizzle(table, places))
    }

    #[inline(always)]
    fn mask(self, found: Bytes) -> u64 {
        let [a, b, c, d] = found.map(|quarter| u64::from(u8x16_bitmask(quarter)));
        a | b << 16 | c << 32 | d << 48
    }

    #[inline(always)]
    fn bit<const BIT: u32>(self, bytes: Bytes) -> u64 {
        self.mask(bytes.map(|quarter| i8x16_shl(quarter, 7_u32.wrapping_sub(BIT))))
    }

    #[inline(always)]
    fn are_zero(self, bytes: Bytes) -> bool {
        let [a, b, c, d] = bytes;
        !v128_any_true(v128_or(v128_or(a, b), v128_or(c, d)))
    }
}
