//! AVX2, available on most x86-64 machines since 2013.

use core::arch::x86_64::{
    __m256i, _MM_HINT_T0, _mm_prefetch, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8,
    _mm256_max_epu8, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8,
    _mm256_setr_epi64x, _mm256_shuffle_epi8, _mm256_sub_epi8,
};

use super::super::bits::{BLOCK, Decimals, Delimiters, Numbers, RareUnits, Text, Units};
use super::super::blocks::{self, Blocks, Near};
use super::super::entry::{self, Entry};
use super::super::kernels::{Kernels, Open, Unclear};
use super::super::structure::{self, Delimited, Structure};
use super::numbers;
use super::pext::Pext;
use super::vectors::{self, Vectors};
use crate::scan::marks::MarksVisitor;
use crate::scan::{Sink, Span, StringEnd};

/// The proof that the machine has AVX2 and the bit instructions that came with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2 {
    /// The number of bytes of a container after which [windows](super::pext) take over, if the machine has the
    /// instructions that they need.
    patience: usize,
}

/// The value with the lowest cost: shorter containers end before windows pay off.
const PATIENCE: usize = 256;

impl Avx2 {
    /// Detects the features: at run time with `std`, otherwise from the compilation target.
    #[inline(always)]
    pub(crate) fn detect() -> Option<Self> {
        #[cfg(feature = "std")]
        let has = std::is_x86_feature_detected!("avx2")
            && std::is_x86_feature_detected!("bmi1")
            && std::is_x86_feature_detected!("lzcnt");
        #[cfg(not(feature = "std"))]
        let has =
            cfg!(all(target_feature = "avx2", target_feature = "bmi1", target_feature = "lzcnt"));
        has.then_some(Self { patience: PATIENCE })
    }

    /// Returns the token with another patience, for tests.
    #[cfg(all(feature = "std", any(test, fuzzing)))]
    pub(in super::super) const fn with_patience(self, patience: usize) -> Self {
        let _ = self.patience;
        Self { patience }
    }

    /// Returns whether the machine has the instructions that windows need.
    #[cfg(all(feature = "std", any(test, fuzzing)))]
    pub(in super::super) fn has_windows(self) -> bool {
        Pext::detect(self).is_some()
    }

    /// Returns the index after a [container](structure::container).
    #[inline]
    pub(crate) fn container(
        self,
        text: &[u8],
        at: usize,
        open: u8,
        depth: usize,
        string_end: StringEnd,
    ) -> usize {
        // SAFETY: an `Avx2` exists only if `detect` has found the features that this function is compiled
        // for.
        unsafe { container_with_avx2(self, text, at, open, depth, string_end) }
    }

    /// Visits the quotes and curly brackets of a text.
    #[inline]
    pub(crate) fn visit_marks(
        self,
        text: &[u8],
        visitor: &mut impl MarksVisitor,
        string_end: StringEnd,
    ) {
        // SAFETY: as above.
        unsafe { visit_with_avx2(self, text, visitor, string_end) }
    }
}

#[target_feature(enable = "avx2,bmi1,lzcnt")]
fn document_with_avx2(
    kernels: impl Kernels,
    text: &[u8],
    max_depth: u8,
    sink: &mut impl Sink,
) -> Option<Span> {
    entry::one_document(kernels, text, max_depth, sink)
}

#[target_feature(enable = "avx2,bmi1,lzcnt")]
fn line_with_avx2(
    kernels: impl Kernels,
    bytes: &[u8],
    max_depth: u8,
    sink: &mut impl Sink,
) -> Option<(Span, usize)> {
    entry::one_line(kernels, bytes, max_depth, sink)
}

impl Kernels for Avx2 {
    type Near = Near;

    const HAS_WINDOWS: bool = true;

    #[inline(always)]
    fn patience(self) -> usize {
        self.patience
    }

    #[inline(always)]
    fn rest<const LINES: bool>(
        self,
        text: &[u8],
        from: usize,
        open: Open,
    ) -> Result<usize, Unclear> {
        // The rest must be long enough to be worth it. In tests with little patience it always is.
        let worthwhile = from.wrapping_add(self.patience.wrapping_mul(2));
        let has_more = || {
            text.get(from..worthwhile)
                .is_some_and(|more| !LINES || memchr::memchr(b'\n', more).is_none())
        };
        match Pext::detect(self) {
            Some(pext) if has_more() => pext.rest::<LINES>(text, from, open),
            _ => Err(Unclear::Other),
        }
    }

    #[inline(always)]
    fn short(self, text: &[u8], from: usize, near: &mut Near) -> usize {
        blocks::short(self, text, from, near)
    }

    #[inline(always)]
    fn clean(self, text: &[u8], from: usize) -> (usize, bool) {
        // SAFETY: an `Avx2` exists only if `detect` has found the features that this function is compiled
        // for.
        unsafe { clean_with_avx2(self, text, from) }
    }

    #[inline(always)]
    fn escaped(self, text: &[u8], from: usize) -> (usize, bool) {
        // SAFETY: as above.
        unsafe { text_with_avx2(self, text, from) }
    }

    #[inline(always)]
    fn whole(self, text: &[u8], from: usize) -> usize {
        let pext = if self.patience < usize::MAX { Pext::detect(self) } else { None };
        pext.map_or(from, |pext| pext.text(text, from))
    }

    #[inline(always)]
    fn numbers(self, text: &[u8], from: usize) -> usize {
        // SAFETY: as above.
        unsafe { numbers_with_avx2(self, text, from) }
    }

    #[inline(always)]
    fn is_utf8(self, string: &[u8]) -> bool {
        // SAFETY: as above.
        unsafe { is_utf8_with_avx2(self, string) }
    }
}

/// The whole scanner is compiled for the vector unit, so that short strings are inlined.
impl Entry for Avx2 {
    #[inline(always)]
    fn document(self, text: &[u8], max_depth: u8, sink: &mut impl Sink) -> Option<Span> {
        // SAFETY: as above.
        unsafe { document_with_avx2(self, text, max_depth, sink) }
    }

    #[inline(always)]
    fn line(self, bytes: &[u8], max_depth: u8, sink: &mut impl Sink) -> Option<(Span, usize)> {
        // SAFETY: as above.
        unsafe { line_with_avx2(self, bytes, max_depth, sink) }
    }
}

#[target_feature(enable = "avx2,bmi1,lzcnt")]
fn clean_with_avx2(vectors: Avx2, text: &[u8], from: usize) -> (usize, bool) {
    vectors::clean(vectors, text, from)
}

#[target_feature(enable = "avx2,bmi1,lzcnt")]
fn text_with_avx2(vectors: Avx2, text: &[u8], from: usize) -> (usize, bool) {
    vectors::text(vectors, text, from)
}

#[target_feature(enable = "avx2,bmi1,lzcnt")]
fn numbers_with_avx2(vectors: Avx2, text: &[u8], from: usize) -> usize {
    blocks::numbers(vectors, text, from)
}

#[target_feature(enable = "avx2,bmi1,lzcnt")]
fn is_utf8_with_avx2(vectors: Avx2, string: &[u8]) -> bool {
    vectors::is_utf8(vectors, string)
}

#[target_feature(enable = "avx2,bmi1,lzcnt")]
fn container_with_avx2(
    unit: Avx2,
    text: &[u8],
    at: usize,
    open: u8,
    depth: usize,
    string_end: StringEnd,
) -> usize {
    structure::container(unit, text, at, open, depth, string_end)
}

#[target_feature(enable = "avx2,bmi1,lzcnt")]
fn visit_with_avx2(
    unit: Avx2,
    text: &[u8],
    visitor: &mut impl MarksVisitor,
    string_end: StringEnd,
) {
    visitor.visit(Structure::new(unit, text, 0, b'{', string_end));
}

impl Delimited for Avx2 {
    #[inline(always)]
    fn delimiters(self, block: &[u8; BLOCK], open: u8) -> Delimiters {
        // SAFETY: as above.
        unsafe { delimiters(block, open) }
    }
}

impl Blocks for Avx2 {
    #[inline(always)]
    fn special(self, block: &[u8; BLOCK]) -> u64 {
        // SAFETY: as above.
        unsafe { specials(block) }
    }

    #[inline(always)]
    fn numbers(self, block: &[u8; BLOCK]) -> Numbers {
        // SAFETY: as above.
        unsafe { numbers(block) }
    }

    #[inline(always)]
    fn decimals(self, block: &[u8; BLOCK]) -> Decimals {
        // SAFETY: as above.
        unsafe { decimals(block) }
    }

    #[inline(always)]
    fn plain_numbers(self, bytes: &[u8], from: usize) -> usize {
        // SAFETY: as above.
        unsafe { numbers::plain(self, bytes, from) }
    }

    #[inline(always)]
    fn prefetch(self, bytes: &[u8], at: usize) {
        if let Some(byte) = bytes.get(at) {
            // SAFETY: every x86-64 machine has the instruction, which has no visible effect, and the address
            // is inside the slice.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(core::ptr::from_ref(byte).cast()) }
        }
    }
}

impl Vectors for Avx2 {
    #[inline(always)]
    fn odd(self, block: &[u8; 2 * BLOCK]) -> (bool, bool) {
        // SAFETY: as above.
        unsafe { odd(block) }
    }

    #[inline(always)]
    fn text(self, block: &[u8; BLOCK]) -> Text {
        // SAFETY: as above.
        unsafe { text(block) }
    }

    #[inline(always)]
    fn hex_digits(self, block: &[u8; BLOCK]) -> u64 {
        // SAFETY: as above.
        unsafe { hex_digits(block) }
    }

    #[inline(always)]
    fn units(self, block: &[u8; BLOCK]) -> Units {
        // SAFETY: as above.
        unsafe { units(block) }
    }

    #[inline(always)]
    fn rare_units(self, block: &[u8; BLOCK]) -> RareUnits {
        // SAFETY: as above.
        unsafe { rare_units(block) }
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
fn odd(block: &[u8; 2 * BLOCK]) -> (bool, bool) {
    let mut stops = _mm256_set1_epi8(0);
    let mut all = stops;
    for vector in block.as_chunks::<32>().0 {
        let vector = load(vector);
        stops = _mm256_or_si256(stops, special(vector));
        all = _mm256_or_si256(all, vector);
    }
    (_mm256_movemask_epi8(stops) != 0, _mm256_movemask_epi8(all) != 0)
}

#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
fn specials(block: &[u8; BLOCK]) -> u64 {
    mask(halves(block).map(|half| {
        // As signed values, bytes beyond ASCII are less than all others.
        let controls_or_beyond = _mm256_cmpgt_epi8(splat(0x20), half);
        _mm256_or_si256(quotes_or_backslashes(half), controls_or_beyond)
    }))
}

/// Finds quotes, backslashes and control characters.
#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
fn special(vector: __m256i) -> __m256i {
    _mm256_or_si256(quotes_or_backslashes(vector), at_most(vector, 0x1F))
}

#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
pub(super) fn quotes_or_backslashes(vector: __m256i) -> __m256i {
    _mm256_or_si256(equal(vector, b'"'), equal(vector, b'\\'))
}

#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
fn delimiters(block: &[u8; BLOCK], open: u8) -> Delimiters {
    let halves = halves(block);
    Delimiters {
        quotes: mask(halves.map(|half| equal(half, b'"'))),
        backslashes: mask(halves.map(|half| equal(half, b'\\'))),
        opening: mask(halves.map(|half| equal(half, open))),
        // Each closing bracket is two after the opening one.
        closing: mask(halves.map(|half| equal(half, open.wrapping_add(2)))),
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
fn text(block: &[u8; BLOCK]) -> Text {
    let halves = halves(block);
    let backslashes = mask(halves.map(|half| equal(half, b'\\')));
    let mut text = Text {
        quotes: mask(halves.map(|half| equal(half, b'"'))),
        backslashes,
        controls: mask(halves.map(|half| at_most(half, 0x1F))),
        beyond_ascii: mask(halves),
        ..Text::default()
    };
    if backslashes != 0 {
        text.simple = mask(halves.map(|half| simple(half)));
        text.unicode = mask(halves.map(|half| equal(half, b'u')));
    }
    text
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
fn digits(vector: __m256i) -> __m256i {
    at_most(_mm256_sub_epi8(vector, splat(b'0')), 9)
}

#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
pub(super) fn numbers(block: &[u8; BLOCK]) -> Numbers {
    let halves = halves(block);
    Numbers {
        digits: mask(halves.map(|half| digits(half))),
        zeros: mask(halves.map(|half| equal(half, b'0'))),
        commas: mask(halves.map(|half| equal(half, b','))),
        minuses: mask(halves.map(|half| equal(half, b'-'))),
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
fn decimals(block: &[u8; BLOCK]) -> Decimals {
    let halves = halves(block);
    let lower = halves.map(|half| _mm256_or_si256(half, splat(0x20)));
    Decimals {
        pluses: mask(halves.map(|half| equal(half, b'+'))),
        points: mask(halves.map(|half| equal(half, b'.'))),
        exponents: mask(lower.map(|half| equal(half, b'e'))),
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
fn units(block: &[u8; BLOCK]) -> Units {
    let halves = halves(block);
    let beyond_ascii = mask(halves);
    if beyond_ascii == 0 {
        return Units::default();
    }
    let continuations =
        mask(halves.map(|half| _mm256_cmpgt_epi8(splat(0xC0), half))) & beyond_ascii;
    Units {
        continuations,
        leads: beyond_ascii & !continuations,
        long_leads: mask(halves.map(|half| at_least(half, 0xE0))),
        rare: mask(halves.map(|half| {
            let e0_or_ed = _mm256_or_si256(equal(half, 0xE0), equal(half, 0xED));
            _mm256_or_si256(e0_or_ed, _mm256_or_si256(c0_or_c1(half), at_least(half, 0xF0)))
        })),
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
fn rare_units(block: &[u8; BLOCK]) -> RareUnits {
    let halves = halves(block);
    RareUnits {
        never: mask(halves.map(|half| _mm256_or_si256(c0_or_c1(half), at_least(half, 0xF5)))),
        longest_leads: mask(halves.map(|half| at_least(half, 0xF0))),
        e0: mask(halves.map(|half| equal(half, 0xE0))),
        ed: mask(halves.map(|half| equal(half, 0xED))),
        f0: mask(halves.map(|half| equal(half, 0xF0))),
        f4: mask(halves.map(|half| equal(half, 0xF4))),
        from_90: mask(halves.map(|half| at_least(half, 0x90))),
        from_a0: mask(halves.map(|half| at_least(half, 0xA0))),
    }
}

#[inline]
#[target_feature(enable = "avx2,bmi1,lzcnt")]
fn c0_or_c1(vector: __m256i) -> __m256i {
    equal(_mm256_and_si256(vector, splat(0xFE)), 0xC0)
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
fn at_least(vector: __m256i, byte: u8) -> __m256i {
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
