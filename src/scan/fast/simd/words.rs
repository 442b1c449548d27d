//! Operations of the x86-64 machines that need no wide vectors.

use core::arch::x86_64::{
    _MM_HINT_T0, _mm_clmulepi64_si128, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_prefetch,
    _mm_set1_epi8,
};

#[inline(always)]
pub(super) fn prefetch(bytes: &[u8], at: usize) {
    // SAFETY: every x86-64 machine has the instruction. It has no visible effect, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().wrapping_add(at).cast()) };
}

/// Marks the places with an odd number of bits up to and including them: multiplies by ones without carrying.
#[inline]
#[target_feature(enable = "pclmulqdq")]
pub(super) fn parity(bits: u64) -> u64 {
    let bits = _mm_cvtsi64_si128(bits.cast_signed());
    _mm_cvtsi128_si64(_mm_clmulepi64_si128::<0>(bits, _mm_set1_epi8(-1))).cast_unsigned()
}

/// The operations of [`Lanes`](super::super::lanes::Lanes) on words and memory, which do not depend on the width of the
/// vectors. The macro that wraps the instructions of the machine states why they are here.
macro_rules! on_words {
    ($wrapped:ident) => {
        #[inline(always)]
        fn prefetch(self, bytes: &[u8], at: usize) {
            words::prefetch(bytes, at);
        }

        #[inline(always)]
        fn gathers(self) -> bool {
            detect::has_fast_pext()
        }

        #[inline(always)]
        fn gather(self, bits: u64, places: u64) -> u64 {
            $wrapped!(core::arch::x86_64::_pext_u64(bits, places))
        }

        #[inline(always)]
        fn parity(self, bits: u64) -> u64 {
            $wrapped!(words::parity(bits))
        }
    };
}
pub(super) use on_words;
