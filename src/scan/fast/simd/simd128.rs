//! The 128-bit vectors of WebAssembly, if the crate is compiled for them.

use core::arch::wasm32::{
    u8x16_bitmask, u8x16_eq, u8x16_ge, u8x16_le, u8x16_splat, u8x16_sub, u8x16_swizzle, u64x2,
    v128, v128_and, v128_any_true, v128_or,
};

use super::everywhere::Built;
use super::lanes::Lanes;

/// The proof that the machine has vectors: otherwise it would reject a module that uses them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Simd128(());

impl Built for Simd128 {
    // This module is compiled only if the whole crate is compiled for vectors.
    const HERE: Option<Self> = Some(Self(()));
}

impl Lanes for Simd128 {
    type Vector = v128;

    /// Compilers turn this into one load.
    #[inline(always)]
    fn load(self, bytes: &[u8; 16]) -> v128 {
        let mut words = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
        let mut next = || words.next().unwrap_or(0);
        u64x2(next(), next())
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> v128 {
        u8x16_splat(byte)
    }

    #[inline(always)]
    fn and(self, one: v128, other: v128) -> v128 {
        v128_and(one, other)
    }

    #[inline(always)]
    fn or(self, one: v128, other: v128) -> v128 {
        v128_or(one, other)
    }

    #[inline(always)]
    fn subtract(self, from: v128, what: v128) -> v128 {
        u8x16_sub(from, what)
    }

    #[inline(always)]
    fn equal(self, one: v128, other: v128) -> v128 {
        u8x16_eq(one, other)
    }

    #[inline(always)]
    fn at_most(self, vector: v128, most: v128) -> v128 {
        u8x16_le(vector, most)
    }

    #[inline(always)]
    fn at_least(self, vector: v128, least: v128) -> v128 {
        u8x16_ge(vector, least)
    }

    #[inline(always)]
    fn look_up(self, table: v128, places: v128) -> v128 {
        u8x16_swizzle(table, places)
    }

    /// Only the highest bit of each byte is needed, and bytes beyond ASCII already have it set.
    #[inline(always)]
    fn beyond_ascii(self, vector: v128) -> v128 {
        vector
    }

    #[inline(always)]
    fn any(self, found: v128) -> bool {
        v128_any_true(found)
    }

    #[inline(always)]
    fn mask(self, found: [v128; 4]) -> u64 {
        let [a, b, c, d] = found.map(|quarter| u64::from(u8x16_bitmask(quarter)));
        a | b << 16 | c << 32 | d << 48
    }
}
