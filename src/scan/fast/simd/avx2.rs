//! AVX2, available on most x86-64 machines since 2013.

use core::arch::x86_64::{
    __m256i, _mm_cvtsi32_si128, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8,
    _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8, _mm256_setr_epi64x,
    _mm256_shuffle_epi8, _mm256_sll_epi16, _mm256_srli_epi16, _mm256_subs_epu8, _mm256_testz_si256,
    _mm256_xor_si256,
};

use super::super::bits::BLOCK;
use super::super::lanes::Lanes;
use super::avx512::Avx512;
use super::{detect, words};

/// The proof that the machine has AVX2, and other instructions that all machines with AVX2 have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2 {
    /// True if AVX-512 is not used for long stretches, even if it is there.
    is_narrow: bool,
}

#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
fn apart<R>(work: impl FnOnce() -> R) -> R {
    work()
}

// The token scanner is compiled for these three, and inlines only what needs no others.
#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
fn compiled<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// Wraps the instructions.
macro_rules! avx2 {
    ($instructions:expr) => {
        // SAFETY: an `Avx2` exists only if [`detect`] has found these instructions.
        unsafe { $instructions }
    };
}

/// Applies an instruction to both halves of a block.
macro_rules! both {
    ($bytes:expr, $half:ident => $instructions:expr) => {{
        let [low, high] = $bytes;
        let $half = low;
        let low = avx2!($instructions);
        let $half = high;
        [low, avx2!($instructions)]
    }};
    ($one:expr, $other:expr, $instruction:ident) => {{
        let ([one_low, one_high], [other_low, other_high]) = ($one, $other);
        avx2!([$instruction(one_low, other_low), $instruction(one_high, other_high)])
    }};
}

impl Lanes for Avx2 {
    type Bytes = [__m256i; 2];

    type Wider = Avx512;

    const PATIENCE: usize = 256;

    #[inline(always)]
    fn detect() -> Option<Self> {
        detect::has_avx2().then_some(Self { is_narrow: false })
    }

    #[inline(always)]
    fn wider(self) -> Option<Avx512> {
        // Short messages never ask.
        (!self.is_narrow && detect::has_avx512()).then_some(Avx512(()))
    }

    #[cfg(all(feature = "std", any(test, fuzzing)))]
    fn narrow(self) -> Self {
        Self { is_narrow: true }
    }

    #[inline(always)]
    fn apart<R>(self, work: impl FnOnce() -> R) -> R {
        avx2!(apart(work))
    }

    #[inline(always)]
    fn compiled<R>(self, work: impl FnOnce() -> R) -> R {
        avx2!(compiled(work))
    }

    /// Compilers turn this into two loads.
    #[inline(always)]
    fn load(self, block: &[u8; BLOCK]) -> Self::Bytes {
        let mut words = block.as_chunks::<8>().0.iter().map(|word| i64::from_le_bytes(*word));
        let mut next = || words.next().unwrap_or(0);
        let (a, b, c, d) = (next(), next(), next(), next());
        let (e, f, g, h) = (next(), next(), next(), next());
        avx2!([_mm256_setr_epi64x(a, b, c, d), _mm256_setr_epi64x(e, f, g, h)])
    }

    #[inline(always)]
    fn and(self, one: Self::Bytes, other: Self::Bytes) -> Self::Bytes {
        both!(one, other, _mm256_and_si256)
    }

    #[inline(always)]
    fn or(self, one: Self::Bytes, other: Self::Bytes) -> Self::Bytes {
        both!(one, other, _mm256_or_si256)
    }

    #[inline(always)]
    fn xor(self, one: Self::Bytes, other: Self::Bytes) -> Self::Bytes {
        both!(one, other, _mm256_xor_si256)
    }

    #[inline(always)]
    fn same(self, one: Self::Bytes, other: Self::Bytes) -> Self::Bytes {
        both!(one, other, _mm256_cmpeq_epi8)
    }

    #[inline(always)]
    fn splat(self, byte: u8) -> Self::Bytes {
        [avx2!(_mm256_set1_epi8(byte.cast_signed())); 2]
    }

    #[inline(always)]
    fn less(self, bytes: Self::Bytes, byte: u8) -> Self::Bytes {
        both!(bytes, self.splat(byte), _mm256_subs_epu8)
    }

    #[inline(always)]
    fn below_or_beyond_ascii(self, bytes: Self::Bytes, byte: u8) -> Self::Bytes {
        // As signed values, bytes beyond ASCII are less than all others.
        both!(self.splat(byte), bytes, _mm256_cmpgt_epi8)
    }

    #[inline(always)]
    fn upper(self, bytes: Self::Bytes) -> Self::Bytes {
        self.and(both!(bytes, half => _mm256_srli_epi16::<4>(half)), self.splat(0xF))
    }

    #[inline(always)]
    fn look_up(self, table: &[u8; 16], bytes: Self::Bytes) -> Self::Bytes {
        let mut words = table.as_chunks::<8>().0.iter().map(|word| i64::from_le_bytes(*word));
        let [low, high] = [words.next().unwrap_or(0), words.next().unwrap_or(0)];
        let table = avx2!(_mm256_setr_epi64x(low, high, low, high));
        both!([table; 2], bytes, _mm256_shuffle_epi8)
    }

    #[inline(always)]
    fn mask(self, found: Self::Bytes) -> u64 {
        let [low, high] = found;
        let (low, high) = avx2!((_mm256_movemask_epi8(low), _mm256_movemask_epi8(high)));
        u64::from(low.cast_unsigned()) | u64::from(high.cast_unsigned()) << 32
    }

    #[inline(always)]
    fn bit<const BIT: u32>(self, bytes: Self::Bytes) -> u64 {
        let distance = 7_u32.wrapping_sub(BIT).cast_signed();
        self.mask(both!(bytes, half => _mm256_sll_epi16(half, _mm_cvtsi32_si128(distance))))
    }

    #[inline(always)]
    fn are_zero(self, bytes: Self::Bytes) -> bool {
        let [low, high] = bytes;
        avx2!({
            let any = _mm256_or_si256(low, high);
            _mm256_testz_si256(any, any) == 1
        })
    }

    words::on_words!(avx2);
}
