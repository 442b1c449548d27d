//! AVX2, available on most x86-64 machines since 2013.

use core::arch::x86_64::{
    __m256i, _MM_HINT_T0, _mm_prefetch, _mm256_and_si256, _mm256_cmpgt_epi8, _mm256_movemask_epi8,
    _mm256_or_si256, _mm256_set1_epi8,
};

use super::super::bits::{BLOCK, Decimals, Delimiters, Numbers, RareUnits, Text, Units};
use super::super::blocks::{self, Blocks, Near};
use super::super::entry::{self, Entry};
use super::super::kernels::{Kernels, Open, Unclear};
use super::super::structure::{self, Delimited, Structure};
use super::bytes::{
    Avx2, at_least, at_most, digits, equal, halves, hex_digits, load, mask, quotes_or_backslashes,
    simple, splat,
};
use super::numbers;
use super::pext::Pext;
use super::vectors::{self, Vectors};
use crate::scan::marks::MarksVisitor;
use crate::scan::{Sink, Span, StringEnd};

impl Avx2 {
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
        // SAFETY: every x86-64 machine has the instruction. It has no visible effect, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(bytes.as_ptr().wrapping_add(at).cast()) }
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
