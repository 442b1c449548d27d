//! NEON, which all 64-bit Arm machines with an operating system have.
//!
//! Targets without it, and big-endian ones, use the portable kernels.

use core::arch::aarch64::{
    uint8x16_t, vandq_u8, vceqq_u8, vcgeq_u8, vcleq_u8, vcombine_u8, vcreate_u8, vdupq_n_u8,
    vgetq_lane_u64, vmaxvq_u8, vorrq_u8, vpaddq_u8, vqtbl1q_u8, vreinterpretq_u64_u8, vsubq_u8,
};

use super::everywhere::Built;
use super::lanes::Lanes;

/// The proof that the machine has NEON.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Neon(());

impl Built for Neon {
    // This module is compiled only if the whole crate is compiled for NEON.
    const HERE: Option<Self> = Some(Self(()));
}

/// Wraps NEON instructions.
macro_rules! neon {
    ($instructions:expr) => {
        // SAFETY: a `Neon` exists only if the whole crate is compiled for these instructions.
        unsafe { $instructions }
    };
}

impl Lanes for Neon {
    type Vector = uint8x16_t;

    /// Compilers turn this into one load.
    #[inline(always)]
    fn load(self, bytes: &[u8; 16]) -> uint8x16_t {
        let mut words = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
        let mut next = || words.next().unwrap_or(0);
        let (low, high) = (next(), next());
        neon!(vcombine_u8(vcreate_u8(low), vcreate_u8(high)))
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> uint8x16_t {
        neon!(vdupq_n_u8(byte))
    }

    #[inline(always)]
    fn and(self, one: uint8x16_t, other: uint8x16_t) -> uint8x16_t {
        neon!(vandq_u8(one, other))
    }

    #[inline(always)]
    fn or(self, one: uint8x16_t, other: uint8x16_t) -> uint8x16_t {
        neon!(vorrq_u8(one, other))
    }

    #[inline(always)]
    fn subtract(self, from: uint8x16_t, what: uint8x16_t) -> uint8x16_t {
        neon!(vsubq_u8(from, what))
    }

    #[inline(always)]
    fn equal(self, one: uint8x16_t, other: uint8x16_t) -> uint8x16_t {
        neon!(vceqq_u8(one, other))
    }

    #[inline(always)]
    fn at_most(self, vector: uint8x16_t, most: uint8x16_t) -> uint8x16_t {
        neon!(vcleq_u8(vector, most))
    }

    #[inline(always)]
    fn at_least(self, vector: uint8x16_t, least: uint8x16_t) -> uint8x16_t {
        neon!(vcgeq_u8(vector, least))
    }

    #[inline(always)]
    fn look_up(self, table: uint8x16_t, places: uint8x16_t) -> uint8x16_t {
        neon!(vqtbl1q_u8(table, places))
    }

    #[inline(always)]
    fn beyond_ascii(self, vector: uint8x16_t) -> uint8x16_t {
        self.is_at_least(vector, 0x80)
    }

    #[inline(always)]
    fn any(self, found: uint8x16_t) -> bool {
        neon!(vmaxvq_u8(found)) != 0
    }

    #[inline(always)]
    fn mask(self, found: [uint8x16_t; 4]) -> u64 {
        // Each byte keeps the bit of its position in its group of eight. Pairwise additions then merge each
        // group into one byte.
        let places = self.load(&[1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128]);
        let [a, b, c, d] = found.map(|quarter| self.and(quarter, places));
        neon!({
            let eighths = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
            vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(eighths, eighths)))
        })
    }
}
