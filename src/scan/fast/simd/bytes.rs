//! The proof that the machine has AVX2, and operations on its vectors of 32 bytes.

use core::arch::x86_64::{
    __m256i, _mm256_cmpeq_epi8, _mm256_max_epu8, _mm256_min_epu8, _mm256_movemask_epi8,
    _mm256_or_si256, _mm256_set1_epi8, _mm256_setr_epi64x, _mm256_shuffle_epi8, _mm256_sub_epi8,
};

use super::super::bits::BLOCK;
use super::detect;

/// The proof that the machine has AVX2 and the bit instructions that came with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2 {
    /// The number of bytes of a container after which [windows](super::super::windows) take over, if the machine has what they need.
    pub(super) patience: usize,
}

/// The value with the lowest cost: shorter containers end before windows pay off.
const PATIENCE: usize = 256;

impl Avx2 {
    #[inline(always)]
    pub(crate) fn detect() -> Option<Self> {
        detect::has_avx2().then_some(Self { patience: PATIENCE })
    }

    /// Returns the token with another patience, for tests.
    #[cfg(all(feature = "std", any(test, fuzzing)))]
    pub(in super::super) const fn with_patience(self, patience: usize) -> Self {
        let _ = self.patience;
        Self { patience }
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
pub(super) fn quotes_or_backslashes(vector: __m256i) -> __m256i {
    _mm256_or_si256(equal(vector, b'"'), equal(vector, b'\\'))
}

/// Finds the bytes that may follow a backslash, except `u`. Most are looked up by their lower four bits.
#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
pub(super) fn simple(vector: __m256i) -> __m256i {
    // Byte 0xFF cannot match the entries of 0xFF: a byte beyond ASCII is looked up as 0.
    let table: [u8; 16] = [
        0xFF, 0xFF, b'b', 0xFF, b't', 0xFF, b'f', 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, b'\\', 0xFF, b'n',
        b'/',
    ];
    let found = _mm256_cmpeq_epi8(look_up(&table, vector), vector);
    let quotes_or_r = _mm256_or_si256(equal(vector, b'"'), equal(vector, b'r'));
    _mm256_or_si256(found, quotes_or_r)
}

#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
pub(super) fn hex_digits(block: &[u8; BLOCK]) -> u64 {
    mask(halves(block).map(|half| {
        let lower = _mm256_or_si256(half, splat(0x20));
        let letters = at_most(_mm256_sub_epi8(lower, splat(b'a')), 5);
        _mm256_or_si256(digits(half), letters)
    }))
}

#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
pub(super) fn digits(vector: __m256i) -> __m256i {
    at_most(_mm256_sub_epi8(vector, splat(b'0')), 9)
}

#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
pub(super) fn splat(byte: u8) -> __m256i {
    _mm256_set1_epi8(byte.cast_signed())
}

#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
pub(super) fn equal(vector: __m256i, byte: u8) -> __m256i {
    _mm256_cmpeq_epi8(vector, splat(byte))
}

/// Finds the bytes that are at most `byte`, unsigned.
#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
pub(super) fn at_most(vector: __m256i, byte: u8) -> __m256i {
    _mm256_cmpeq_epi8(_mm256_min_epu8(vector, splat(byte)), vector)
}

/// Finds the bytes that are at least `byte`, unsigned.
#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
pub(super) fn at_least(vector: __m256i, byte: u8) -> __m256i {
    _mm256_cmpeq_epi8(_mm256_max_epu8(vector, splat(byte)), vector)
}

/// Collects the highest bit of each byte.
#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
pub(super) fn mask([low, high]: [__m256i; 2]) -> u64 {
    let bits = |half| u64::from(_mm256_movemask_epi8(half).cast_unsigned());
    bits(low) | bits(high) << 32
}

#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
pub(super) fn halves(block: &[u8; BLOCK]) -> [__m256i; 2] {
    let mut halves = block.as_chunks::<32>().0.iter();
    [halves.next(), halves.next()].map(|half| half.map_or(splat(0), |half| load(half)))
}

/// Compilers turn this into one load.
#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
pub(super) fn load(bytes: &[u8; 32]) -> __m256i {
    let mut words = bytes.as_chunks::<8>().0.iter().map(|word| i64::from_le_bytes(*word));
    let mut next = || words.next().unwrap_or(0);
    _mm256_setr_epi64x(next(), next(), next(), next())
}

/// Looks up each byte in a table by its lower four bits. A byte beyond ASCII yields 0.
#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
pub(super) fn look_up(table: &[u8; 16], bytes: __m256i) -> __m256i {
    let mut words = table.as_chunks::<8>().0.iter().map(|word| i64::from_le_bytes(*word));
    let [low, high] = [words.next().unwrap_or(0), words.next().unwrap_or(0)];
    _mm256_shuffle_epi8(_mm256_setr_epi64x(low, high, low, high), bytes)
}
