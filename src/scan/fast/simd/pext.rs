//! The masks of windows, on x86-64 machines that gather bits fast.
//!
//! These are all machines by Intel with AVX2, and machines by AMD since Zen 3. Before Zen 3, one `pext` takes as long
//! as a hundred other instructions.

use core::arch::x86_64::{
    __cpuid, __m256i, _mm_clmulepi64_si128, _mm_cvtsi128_si64, _mm_set_epi64x, _mm_set1_epi8,
    _mm256_and_si256, _mm256_cmpeq_epi8,     _mm256_cmpgt_epi8, _mm256_movemask_epi8, _mm256_or_si256,
    _mm256_slli_epi16, _mm256_srli_epi16, _mm256_subs_epu8, _mm256_testz_si256,
    _mm256_xor_si256, };
use core::sync::atomic::{AtomicU8, Ordering};

use super::super::bits::{BLOCK, Decimals, Numbers};
use super::super::blocks::Blocks;
use super::super::kernels::{Open, Unclear};
use super::super::windows::pairs::{BY_LOWER_HALF, BY_NEXT_BYTE, BY_UPPER_HALF, CONTINUED};
use super::super::windows::{self, Classes, Masks};
use super::bytes::{
    Avx2, at_most, equal, halves, hex_digits, load, look_up, mask, quotes_or_backslashes, simple,
    splat,
};

/// The proof that the machine has AVX2, BMI2 and PCLMULQDQ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pext(Avx2);

/// Holds 2 if the machine has the features and is fast, 1 if not, and 0 if the processor was not asked yet, which takes
/// long.
static IS_FAST: AtomicU8 = AtomicU8::new(0);

impl Pext {
    #[inline]
    pub(super) fn detect(avx2: Avx2) -> Option<Self> {
        let is_fast = match IS_FAST.load(Ordering::Relaxed) {
            0 => {
                let is_fast = has_features() && !is_microcoded();
                IS_FAST.store(if is_fast { 2 } else { 1 }, Ordering::Relaxed);
                is_fast
            }
            known => known == 2,
        };
        is_fast.then_some(Self(avx2))
    }

    /// Scans the [rest](windows::rest) of a container.
    #[inline]
    pub(super) fn rest<const LINES: bool>(
        self,
        text: &[u8],
        from: usize,
        open: Open,
    ) -> Result<usize, Unclear> {
        // SAFETY: a `Pext` exists only if `detect` has found the features that this function is compiled for.
        unsafe { rest::<LINES>(self, text, from, open) }
    }

    /// Scans the contents of a [long string](windows::text).
    #[inline]
    pub(super) fn text(self, bytes: &[u8], from: usize) -> usize {
        // SAFETY: as above.
        unsafe { text(self, bytes, from) }
    }
}

fn has_features() -> bool {
    #[cfg(feature = "std")]
    let has = std::is_x86_feature_detected!("bmi2")
        && std::is_x86_feature_detected!("popcnt")
        && std::is_x86_feature_detected!("pclmulqdq");
    #[cfg(not(feature = "std"))]
    let has =
        cfg!(all(target_feature = "bmi2", target_feature = "popcnt", target_feature = "pclmulqdq"));
    has
}

/// Returns whether the processor runs `pext` as a loop, as the processors of AMD and of Hygon did before Zen 3.
fn is_microcoded() -> bool {
    // SAFETY: every x86-64 machine has the instruction.
    #[allow(unused_unsafe, reason = "newer compilers know this")]
    let (vendor, version) = unsafe { (__cpuid(0), __cpuid(1)) };
    let is_of_amd = vendor.ecx == u32::from_le_bytes(*b"cAMD");
    let is_of_hygon = vendor.ecx == u32::from_le_bytes(*b"uine");
    let family = (version.eax >> 8 & 0xF).wrapping_add(version.eax >> 20 & 0xFF);
    const ZEN_3: u32 = 0x19;
    (is_of_amd || is_of_hygon) && family < ZEN_3
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
fn rest<const LINES: bool>(
    masks: Pext,
    text: &[u8],
    from: usize,
    open: Open,
) -> Result<usize, Unclear> {
    windows::rest::<LINES>(masks, text, from, open)
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
fn text(masks: Pext, bytes: &[u8], from: usize) -> usize {
    windows::text(masks, bytes, from)
}

#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
fn apart<R>(work: impl FnOnce() -> R) -> R {
    work()
}

impl Blocks for Pext {
    #[inline(always)]
    fn special(self, block: &[u8; BLOCK]) -> u64 {
        self.0.special(block)
    }

    #[inline(always)]
    fn numbers(self, block: &[u8; BLOCK]) -> Numbers {
        self.0.numbers(block)
    }

    #[inline(always)]
    fn decimals(self, block: &[u8; BLOCK]) -> Decimals {
        self.0.decimals(block)
    }

    #[inline(always)]
    fn prefetch(self, bytes: &[u8], at: usize) {
        self.0.prefetch(bytes, at);
    }
}

/// Enters a function that is compiled for the features of a [`Pext`].
macro_rules! enter {
    ($call:expr) => {
        // SAFETY: a `Pext` exists only if `detect` has found these features.
        unsafe { $call }
    };
}

impl Masks for Pext {
    #[inline(always)]
    fn quotes(self, block: &[u8; BLOCK]) -> u64 {
        self.equal(block, b'"')
    }

    #[inline(always)]
    fn uncommon(self, block: &[u8; BLOCK]) -> u64 {
        enter!(uncommon(block))
    }

    #[inline(always)]
    fn is_plain(self, blocks: &[u8; 4 * BLOCK]) -> bool {
        enter!(is_plain(blocks))
    }

    #[inline(always)]
    fn has_control(self, block: &[u8; BLOCK]) -> bool {
        enter!(has_control(block))
    }

    #[inline(always)]
    fn has_control_or_beyond_ascii(self, block: &[u8; BLOCK]) -> bool {
        enter!(has_control_or_beyond_ascii(block))
    }

    #[inline(always)]
    fn equal(self, block: &[u8; BLOCK], byte: u8) -> u64 {
        enter!(mask(halves(block).map(|half| equal(half, byte))))
    }

    #[inline(always)]
    fn beyond_ascii(self, block: &[u8; BLOCK]) -> u64 {
        enter!(mask(halves(block)))
    }

    #[inline(always)]
    fn simple_escapes(self, block: &[u8; BLOCK]) -> u64 {
        enter!(mask(halves(block).map(|half| simple(half))))
    }

    #[inline(always)]
    fn hex_digits(self, block: &[u8; BLOCK]) -> u64 {
        enter!(hex_digits(block))
    }

    #[inline(always)]
    fn is_utf8(self, block: &[u8; BLOCK], before: [&[u8; BLOCK]; 3]) -> bool {
        enter!(is_utf8(block, before))
    }

    #[inline(always)]
    fn classes(self, block: &[u8; BLOCK]) -> Classes {
        enter!(classes(block))
    }

    #[inline(always)]
    fn apart<R>(self, work: impl FnOnce() -> R) -> R {
        enter!(apart(work))
    }

    /// Multiplies by ones without carrying.
    #[inline(always)]
    fn parity(self, bits: u64) -> u64 {
        enter!(parity(bits))
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
fn parity(bits: u64) -> u64 {
    let bits = _mm_set_epi64x(0, bits.cast_signed());
    _mm_cvtsi128_si64(_mm_clmulepi64_si128::<0>(bits, _mm_set1_epi8(-1))).cast_unsigned()
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
fn uncommon(block: &[u8; BLOCK]) -> u64 {
    mask(
        halves(block)
            .map(|half| _mm256_or_si256(equal(half, b'\\'), control_or_beyond_ascii(half))),
    )
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
fn is_plain(blocks: &[u8; 4 * BLOCK]) -> bool {
    let mut others = splat(0);
    for half in blocks.as_chunks::<32>().0 {
        let half = load(half);
        let special = _mm256_or_si256(quotes_or_backslashes(half), control_or_beyond_ascii(half));
        others = _mm256_or_si256(others, special);
    }
    _mm256_movemask_epi8(others) == 0
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
fn has_control(block: &[u8; BLOCK]) -> bool {
    let [low, high] = halves(block).map(|half| at_most(half, 0x1F));
    _mm256_movemask_epi8(_mm256_or_si256(low, high)) != 0
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
fn has_control_or_beyond_ascii(block: &[u8; BLOCK]) -> bool {
    let [low, high] = halves(block).map(|half| control_or_beyond_ascii(half));
    _mm256_movemask_epi8(_mm256_or_si256(low, high)) != 0
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
fn control_or_beyond_ascii(half: __m256i) -> __m256i {
    // As signed values, bytes beyond ASCII are less than all others.
    _mm256_cmpgt_epi8(splat(0x20), half)
}

#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
fn classes(block: &[u8; BLOCK]) -> Classes {
    // Each lower half of a byte looks up one operator. Square brackets differ from curly ones in one bit.
    let table = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, b':', b'{', b',', b'}', 0, 0];
    let halves = halves(block);
    let operators = halves.map(|half| {
        let either = _mm256_or_si256(half, splat(0x20));
        _mm256_and_si256(_mm256_cmpeq_epi8(look_up(&table, half), either), half)
    });
    Classes {
        brackets: mask(operators.map(|half| _mm256_slli_epi16::<1>(half))),
        bit5: mask(operators.map(|half| _mm256_slli_epi16::<2>(half))),
        bit1: mask(operators.map(|half| _mm256_slli_epi16::<6>(half))),
        spaces: mask(halves.map(|half| equal(half, b' '))),
    }
}

/// Looks up the faults of each pair of bytes, as [pairs](windows::pairs) describes.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
fn is_utf8(block: &[u8; BLOCK], before: [&[u8; BLOCK]; 3]) -> bool {
    let lower = |half| _mm256_and_si256(half, splat(0xF));
    let upper = |half| lower(_mm256_srli_epi16::<4>(half));
    let [one, two, three] = before.map(|block| halves(block));
    let faults = |now, one, two, three| {
        let by_first = _mm256_and_si256(
            look_up(&BY_UPPER_HALF, upper(one)),
            look_up(&BY_LOWER_HALF, lower(one)),
        );
        let found = _mm256_and_si256(by_first, look_up(&BY_NEXT_BYTE, upper(now)));
        // Subtracting leaves the highest bit in the bytes that begin a character of at least three bytes, or of four.
        let third = _mm256_subs_epu8(two, splat(0xE0 - CONTINUED));
        let fourth = _mm256_subs_epu8(three, splat(0xF0 - CONTINUED));
        let continued = _mm256_and_si256(_mm256_or_si256(third, fourth), splat(CONTINUED));
        _mm256_xor_si256(found, continued)
    };
    let [low, high] = halves(block);
    let ([one, one_high], [two, two_high], [three, three_high]) = (one, two, three);
    let all =
        _mm256_or_si256(faults(low, one, two, three), faults(high, one_high, two_high, three_high));
    _mm256_testz_si256(all, all) == 1
}

#[cfg(test)]
mod tests {
    use super::super::super::bits::BLOCK;
    use super::super::super::bits::one_by_one::{Random, blocks};
    use super::super::super::windows::Masks;
    use super::super::super::windows::one_by_one::OneByOne;
    use super::{Avx2, Pext};

    #[test]
    fn every_byte_in_every_place() {
        let Some(pext) = Avx2::detect().and_then(Pext::detect) else { return };
        for block in &blocks().collect::<std::vec::Vec<_>>() {
            assert_eq!(pext.quotes(block), OneByOne.quotes(block), "{block:?}");
            assert_eq!(pext.uncommon(block), OneByOne.uncommon(block), "{block:?}");
            assert_eq!(pext.has_control(block), OneByOne.has_control(block), "{block:?}");
            assert_eq!(
                pext.has_control_or_beyond_ascii(block),
                OneByOne.has_control_or_beyond_ascii(block),
                "{block:?}"
            );
            for place in 0..4 {
                let mut blocks = [b'a'; 4 * BLOCK];
                blocks[place * BLOCK..][..BLOCK].copy_from_slice(block);
                assert_eq!(pext.is_plain(&blocks), OneByOne.is_plain(&blocks), "{block:?}");
            }
            assert_eq!(pext.equal(block, b'u'), OneByOne.equal(block, b'u'), "{block:?}");
            assert_eq!(pext.beyond_ascii(block), OneByOne.beyond_ascii(block), "{block:?}");
            assert_eq!(pext.simple_escapes(block), OneByOne.simple_escapes(block), "{block:?}");
            assert_eq!(pext.hex_digits(block), OneByOne.hex_digits(block), "{block:?}");
            assert_eq!(pext.classes(block), OneByOne.classes(block), "{block:?}");
        }
    }

    #[test]
    fn bits_are_gathered_and_counted() {
        let Some(pext) = Avx2::detect().and_then(Pext::detect) else { return };
        let mut random = Random(1);
        let mut word = || (random.next() as u64) << 33 ^ random.next() as u64;
        for _ in 0..10_000 {
            let (bits, places) = (word(), word() & word());
            assert_eq!(pext.parity(places), OneByOne.parity(places));
        }
    }

    #[test]
    fn characters_are_valid_where_they_are_one_by_one() {
        let Some(pext) = Avx2::detect().and_then(Pext::detect) else { return };
        let pieces: [&[u8]; 14] = [
            b"a",
            "é".as_bytes(),
            "€".as_bytes(),
            "🚀".as_bytes(),
            b"\x80",
            b"\xC1\x80",
            b"\xC3",
            b"\xE0\x9F\x80",
            b"\xED\xA0\x80",
            b"\xE2\x82",
            b"\xF0\x8F\x80\x80",
            b"\xF4\x90\x80\x80",
            b"\xF0\x9F\x9A",
            b"\xFF",
        ];
        let mut random = Random(3);
        for round in 0..100_000 {
            let kinds = if round % 3 == 0 { pieces.len() } else { 4 };
            let mut bytes = std::vec::Vec::new();
            while bytes.len() < 3 * BLOCK {
                bytes.extend(pieces[random.next() % kinds]);
            }
            // The bytes before the block begin with a character, so that it is clear how they continue.
            let mut start = BLOCK;
            while bytes[start - 3] & 0xC0 == 0x80 {
                start += 1;
            }
            let chunk = |at: usize| bytes[at..].first_chunk().unwrap();
            let before = [chunk(start - 1), chunk(start - 2), chunk(start - 3)];
            let are_valid = core::str::from_utf8(&bytes[start - 3..start]);
            if are_valid.is_err_and(|error| error.error_len().is_some()) {
                continue;
            }
            assert_eq!(
                pext.is_utf8(chunk(start), before),
                OneByOne.is_utf8(chunk(start), before),
                "{}",
                bytes[start - 3..start + BLOCK].escape_ascii()
            );
        }
    }
}
