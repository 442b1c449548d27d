//! NEON, which all 64-bit Arm machines with an operating system have.
//!
//! Targets without it, and big-endian ones, use the portable kernels.

use core::arch::aarch64::{
    uint8x16_t, vandq_u8, vceqq_u8, vcltq_s8, vcombine_u8, vcreate_u8, vdupq_n_s8, vdupq_n_u8,
    veorq_u8, vgetq_lane_u64, vmaxvq_u8, vorrq_u8, vpaddq_u8, vqsubq_u8, vqtbl1q_u8,
    vreinterpretq_s8_u8, vreinterpretq_u64_u8, vshrq_n_u8, vtstq_u8,
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

/// Compilers turn this into one load.
#[inline(always)]
fn load(bytes: &[u8; 16]) -> uint8x16_t {
    let mut words = bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
    let mut next = || words.next().unwrap_or(0);
    let (low, high) = (next(), next());
    neon!(vcombine_u8(vcreate_u8(low), vcreate_u8(high)))
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

    #[inline(always)]
    fn load(self, block: &[u8; BLOCK]) -> Bytes {
        let mut quarters = block.as_chunks::<16>().0.iter();
        [(); 4].map(|()| quarters.next().map_or(neon!(vdupq_n_u8(0)), load))
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
        let table = load(table);
        self.and(bytes, self.splat(0xF)).map(|places| neon!(vqtbl1q_u8(table, places)))
    }

    #[inline(always)]
    fn mask(self, found: Bytes) -> u64 {
        // Each byte keeps the bit of its position in its group of eight. Pairwise additions then merge each group into
        // one byte.
        let places = [load(&[1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128]); 4];
        let [a, b, c, d] = self.and(found, places);
        neon!({
            let eighths = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
            vgetq_lane_u64::<0>(vreinterpretq_u64_u8(vpaddq_u8(eighths, eighths)))
        })
    }

    #[inline(always)]
    fn bit<const BIT: u32>(self, bytes: Bytes) -> u64 {
        self.mask(each(bytes, self.splat(1 << BIT), |one, other| neon!(vtstq_u8(one, other))))
    }

    #[inline(always)]
    fn are_zero(self, bytes: Bytes) -> bool {
        let [a, b, c, d] = bytes;
        neon!(vmaxvq_u8(vorrq_u8(vorrq_u8(a, b), vorrq_u8(c, d)))) == 0
    }
}
