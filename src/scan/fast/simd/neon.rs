//! NEON, which all 64-bit Arm machines with an operating system have.
//!
//! Targets without it, and big-endian ones, use the portable kernels.

use core::arch::aarch64::{
    uint8x16_t, vabdq_u8, vandq_u8, vceqq_u8, vcltq_s8, vdupq_n_s8, vdupq_n_u8, veorq_u8,
    vget_lane_u64, vld1q_u8, vld4q_u8, vmaxvq_u8, vorrq_u8, vqsubq_u8, vqtbl1q_u8,
    vreinterpret_u64_u8, vreinterpretq_s8_u8, vreinterpretq_u16_u8, vshrn_n_u16, vshrq_n_u8,
    vtstq_u8,
};

use super::super::bits::BLOCK;
use super::super::lanes::Lanes;

/// The proof that the machine has NEON. This module is compiled only if the whole crate is compiled for NEON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neon(());

/// Wraps NEON instructions.
macro_rules! neon {
    ($instructions:expr) => {
        // SAFETY: the whole crate is compiled for these instructions.
        unsafe { $instructions }
    };
}

type Bytes = [uint8x16_t; 4];

/// Applies an operation to each quarter of two blocks.
#[inline(always)]
fn each(one: Bytes, other: Bytes, work: impl Fn(uint8x16_t, uint8x16_t) -> uint8x16_t) -> Bytes {
    let ([a, b, c, d], [e, f, g, h]) = (one, other);
    [work(a, e), work(b, f), work(c, g), work(d, h)]
}

impl Lanes for Neon {
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

    /// Each vector has every fourth byte: the first those at 0, 4, 8 and so on. This makes masks cheap.
    #[inline(always)]
    fn load(self, block: &[u8; BLOCK]) -> Bytes {
        // A block has as many bytes as the vectors, wherever it begins.
        let bytes = neon!(vld4q_u8(block.as_ptr()));
        [bytes.0, bytes.1, bytes.2, bytes.3]
    }

    #[inline(always)]
    fn and(self, one: Bytes, other: Bytes) -> Bytes {
        each(one, other, |one, other| neon!(vandq_u8(one, other)))
    }

    #[inline(always)]
    fn or(self, one: Bytes, other: Bytes) -> Bytes {
        each(one, other, |one, other| neon!(vorrq_u8(one, other)))
    }

    #[inline(always)]
    fn xor(self, one: Bytes, other: Bytes) -> Bytes {
        each(one, other, |one, other| neon!(veorq_u8(one, other)))
    }

    #[inline(always)]
    fn same(self, one: Bytes, other: Bytes) -> Bytes {
        each(one, other, |one, other| neon!(vceqq_u8(one, other)))
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> Bytes {
        [neon!(vdupq_n_u8(byte)); 4]
    }

    #[inline(always)]
    fn less(self, bytes: Bytes, byte: u8) -> Bytes {
        each(bytes, self.splat(byte), |one, other| neon!(vqsubq_u8(one, other)))
    }

    #[inline(always)]
    fn below_or_beyond_ascii(self, bytes: Bytes, byte: u8) -> Bytes {
        // As signed values, bytes beyond ASCII are less than all others.
        let least = neon!(vdupq_n_s8(byte.cast_signed()));
        bytes.map(|quarter| neon!(vcltq_s8(vreinterpretq_s8_u8(quarter), least)))
    }

    #[inline(always)]
    fn upper(self, bytes: Bytes) -> Bytes {
        bytes.map(|quarter| neon!(vshrq_n_u8::<4>(quarter)))
    }

    #[inline(always)]
    fn look_up(self, table: &[u8; 16], bytes: Bytes) -> Bytes {
        let table = neon!(vld1q_u8(table.as_ptr()));
        self.and(bytes, self.splat(0xF)).map(|places| neon!(vqtbl1q_u8(table, places)))
    }

    #[inline(always)]
    fn mask(self, found: Bytes) -> u64 {
        // Each byte keeps the bit of its position among four, in both halves. Shifting takes one half of each.
        let places = [0x11, 0x22, 0x44, 0x88].map(|place| neon!(vdupq_n_u8(place)));
        let [a, b, c, d] = self.and(found, places);
        neon!({
            let fours = vreinterpretq_u16_u8(vorrq_u8(vorrq_u8(a, b), vorrq_u8(c, d)));
            vget_lane_u64::<0>(vreinterpret_u64_u8(vshrn_n_u16::<4>(fours)))
        })
    }

    #[inline(always)]
    fn bit<const BIT: u32>(self, bytes: Bytes) -> u64 {
        self.mask(each(bytes, self.splat(1 << BIT), |one, other| neon!(vtstq_u8(one, other))))
    }

    /// The quote and the backslash are equally far from 0x3F.
    #[inline(always)]
    fn delimiter(self, bytes: Bytes) -> Bytes {
        let distance = each(bytes, self.splat(0x3F), |one, other| neon!(vabdq_u8(one, other)));
        self.is(distance, 0x3F - b'"')
    }

    #[inline(always)]
    fn are_zero(self, bytes: Bytes) -> bool {
        let [a, b, c, d] = bytes;
        neon!(vmaxvq_u8(vorrq_u8(vorrq_u8(a, b), vorrq_u8(c, d)))) == 0
    }
}
