//! AVX-512 with the instructions for bytes, which Intel has had since Ice Lake, and AMD since Zen 4.

use core::arch::x86_64::{
    __m512i, _mm_loadu_si128, _mm512_and_si512, _mm512_broadcast_i32x4, _mm512_cmpeq_epi8_mask,
    _mm512_cmplt_epi8_mask, _mm512_loadu_si512, _mm512_movepi8_mask, _mm512_movm_epi8,
    _mm512_or_si512, _mm512_set1_epi8, _mm512_shuffle_epi8, _mm512_srli_epi16, _mm512_subs_epu8,
    _mm512_test_epi8_mask, _mm512_xor_si512,
};

use super::super::bits::BLOCK;
use super::super::lanes::Lanes;
use super::{detect, words};

/// The proof that the machine has AVX-512, and the other instructions of the machine with AVX2.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(pub(super) ());

#[inline(never)]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
fn apart<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// Wraps the instructions.
macro_rules! avx512 {
    ($instructions:expr) => {
        // SAFETY: an `Avx512` exists only if [`detect`] has found these instructions.
        unsafe { $instructions }
    };
}

/// Compilers know that a comparison has bits as its result, and leave out the way to bytes and back.
impl Lanes for Avx512 {
    type Bytes = __m512i;

    type Wider = Self;

    /// Only AVX2 [widens](Lanes::wider) to it.
    #[inline(always)]
    fn detect() -> Option<Self> {
        None
    }

    #[inline(always)]
    fn apart<R>(self, work: impl FnOnce() -> R) -> R {
        avx512!(apart(work))
    }

    #[inline(always)]
    fn load(self, block: &[u8; BLOCK]) -> Self::Bytes {
        // A block has as many bytes as the vector, wherever it begins.
        avx512!(_mm512_loadu_si512(block.as_ptr().cast()))
    }

    #[inline(always)]
    fn and(self, one: Self::Bytes, other: Self::Bytes) -> Self::Bytes {
        avx512!(_mm512_and_si512(one, other))
    }

    #[inline(always)]
    fn or(self, one: Self::Bytes, other: Self::Bytes) -> Self::Bytes {
        avx512!(_mm512_or_si512(one, other))
    }

    #[inline(always)]
    fn xor(self, one: Self::Bytes, other: Self::Bytes) -> Self::Bytes {
        avx512!(_mm512_xor_si512(one, other))
    }

    #[inline(always)]
    fn same(self, one: Self::Bytes, other: Self::Bytes) -> Self::Bytes {
        avx512!(_mm512_movm_epi8(_mm512_cmpeq_epi8_mask(one, other)))
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> Self::Bytes {
        avx512!(_mm512_set1_epi8(byte.cast_signed()))
    }

    #[inline(always)]
    fn less(self, bytes: Self::Bytes, byte: u8) -> Self::Bytes {
        avx512!(_mm512_subs_epu8(bytes, self.splat(byte)))
    }

    #[inline(always)]
    fn below_or_beyond_ascii(self, bytes: Self::Bytes, byte: u8) -> Self::Bytes {
        // As signed values, bytes beyond ASCII are less than all others.
        avx512!(_mm512_movm_epi8(_mm512_cmplt_epi8_mask(bytes, self.splat(byte))))
    }

    #[inline(always)]
    fn upper(self, bytes: Self::Bytes) -> Self::Bytes {
        self.and(avx512!(_mm512_srli_epi16::<4>(bytes)), self.splat(0xF))
    }

    #[inline(always)]
    fn look_up(self, table: &[u8; 16], bytes: Self::Bytes) -> Self::Bytes {
        let table = avx512!(_mm512_broadcast_i32x4(_mm_loadu_si128(table.as_ptr().cast())));
        avx512!(_mm512_shuffle_epi8(table, bytes))
    }

    #[inline(always)]
    fn mask(self, found: Self::Bytes) -> u64 {
        avx512!(_mm512_movepi8_mask(found))
    }

    #[inline(always)]
    fn bit<const BIT: u32>(self, bytes: Self::Bytes) -> u64 {
        avx512!(_mm512_test_epi8_mask(bytes, self.splat(1 << BIT)))
    }

    #[inline(always)]
    fn are_zero(self, bytes: Self::Bytes) -> bool {
        avx512!(_mm512_test_epi8_mask(bytes, bytes)) == 0
    }

    words::on_words!(avx512);
}
