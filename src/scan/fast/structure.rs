//! The structure of valid text in blocks of sixty-four bytes: brackets of one kind, colons, and where strings begin and
//! end.
//!
//! Skipping needs no more than this. Brackets are counted a block at a time.

use super::bits::{BLOCK, Delimiters, Strings};
use super::lanes::Lanes;
use super::word;
use crate::cast::{index, index_u64, u32_from};
use crate::scan::marks::Marks;

/// A walk over the blocks of a text.
#[derive(Debug)]
struct Structure<'text, L> {
    unit: L,
    text: &'text [u8],
    open: u8,
    /// The offset of the next block.
    at: usize,
    strings: Strings,
    /// The end of the last block with a backslash.
    escapes_end: usize,
    /// The number of blocks in a row that were plain contents of a string.
    plain: u32,
}

/// A string is long after this many such blocks.
const FEW: u32 = 3;

/// A block.
struct Seen {
    start: usize,
    quotes: u64,
    /// The bytes of strings, with their opening quotes.
    inside: u64,
    opening: u64,
    closing: u64,
    /// Colons and all brackets of the kind.
    marks: u64,
}

impl<'text, L: Lanes> Structure<'text, L> {
    /// Creates a walk that begins at index `at`, outside of strings, and finds this kind of brackets.
    #[inline(always)]
    fn new(unit: L, text: &'text [u8], at: usize, open: u8) -> Self {
        let strings = Strings::default();
        Self { unit, text, open, at, strings, escapes_end: 0, plain: 0 }
    }

    #[inline(always)]
    fn block(&mut self) -> Option<Seen> {
        let start = self.at;
        let found = match word::chunk(self.text, start) {
            Some(block) => self.unit.delimiters(block, self.open),
            None => last(self.unit, self.text, start, self.open)?,
        };
        self.at = start.wrapping_add(BLOCK);
        if found.backslashes != 0 {
            self.escapes_end = self.at;
        }
        let unit = self.unit;
        let (quotes, inside) = self.strings.next(&found, |quotes| unit.parity(quotes));
        self.plain = if inside == u64::MAX { self.plain.wrapping_add(1) } else { 0 };
        if self.plain >= FEW && self.strings.is_plain() {
            self.go_on_in_string();
        }
        Some(Seen {
            start,
            quotes,
            inside,
            opening: found.opening & !inside,
            closing: found.closing & !inside,
            marks: found.marks & !inside,
        })
    }

    /// Continues at the closing quote of a long string.
    #[inline(always)]
    fn go_on_in_string(&mut self) {
        let Self { unit, text, at, .. } = *self;
        // Few strings are long.
        self.at = unit.apart(|| string_end(unit, text, at));
        self.plain = 0;
        // The skipped bytes may have had backslashes.
        self.escapes_end = self.at;
    }
}

/// Computes the masks of the last, partial block, which begins at index `at`.
// Not a method, so that the fields of the walk stay in registers.
#[inline(never)]
fn last(unit: impl Lanes, text: &[u8], at: usize, open: u8) -> Option<Delimiters> {
    unit.apart(|| {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        if let Some(block) = text.last_chunk() {
            // Take the last 64 bytes of the text and drop those before the block.
            let before = u32::try_from(BLOCK.wrapping_sub(rest.len())).unwrap_or(0) & 63;
            return Some(unit.delimiters(block, open).after(before));
        }
        let mut block = [0; BLOCK];
        crate::bytes::copy(rest, &mut block);
        Some(unit.delimiters(&block, open))
    })
}

/// The marks of a text.
#[derive(Debug)]
pub(super) struct MarksIn<'text, L> {
    blocks: Structure<'text, L>,
    /// All ones if quotes are marks.
    quotes: u64,
    /// The offset of the last block, its marks that are still ahead, and the quotes in it that begin strings.
    start: u32,
    ahead: u64,
    begins: u64,
    /// The last quote before the block that begins a string.
    begin_before: u32,
}

impl<'text, L: Lanes> MarksIn<'text, L> {
    /// Creates a walk over the marks of a text. Quotes are among them if `with_quotes`.
    #[inline(always)]
    pub(super) fn new(unit: L, text: &'text [u8], with_quotes: bool) -> Self {
        Self {
            blocks: Structure::new(unit, text, 0, b'{'),
            quotes: if with_quotes { u64::MAX } else { 0 },
            start: 0,
            ahead: 0,
            begins: 0,
            begin_before: 0,
        }
    }

    /// Returns the last position of the mask before the block ends, or else `before`.
    #[inline(always)]
    const fn last_of(&self, mask: u64, before: u32) -> u32 {
        let place = 63_u32.wrapping_sub(mask.leading_zeros());
        if mask == 0 { before } else { self.start.wrapping_add(place) }
    }
}

impl<L: Lanes> Marks for MarksIn<'_, L> {
    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        while self.ahead == 0 {
            self.begin_before = self.last_of(self.begins, self.begin_before);
            let seen = self.blocks.block()?;
            self.start = u32_from(seen.start);
            self.ahead = seen.marks | seen.quotes & self.quotes;
            self.begins = seen.quotes & seen.inside;
        }
        let at = self.start.wrapping_add(self.ahead.trailing_zeros());
        self.ahead &= self.ahead.wrapping_sub(1);
        Some(at)
    }

    #[inline(always)]
    fn string_before(&self, mark: u32) -> u32 {
        let place = mark.wrapping_sub(self.start);
        self.last_of(self.begins & !u64::MAX.wrapping_shl(place), self.begin_before)
    }

    #[inline(always)]
    fn may_have_escapes(&self, string: u32) -> bool {
        index(string) < self.blocks.escapes_end
    }
}

/// Returns the index of the quote that ends a string, from an index in it that is not inside an escape. Returns the
/// length of the text if there is none.
#[inline(always)]
pub(super) fn string_end(unit: impl Lanes, text: &[u8], at: usize) -> usize {
    let (mut at, mut strings) = (at, Strings::default());
    while let Some(block) = word::chunk(text, at) {
        let bytes = unit.load(block);
        let delimiter = unit.delimiter(bytes);
        if strings.carry() != 0 || !unit.are_zero(delimiter) {
            let backslashes = unit.mask(unit.is(bytes, b'\\'));
            let quotes = strings.delimiting(unit.mask(unit.is(bytes, b'"')), backslashes);
            if quotes != 0 {
                return at.wrapping_add(index(quotes.trailing_zeros()));
            }
        }
        at = at.wrapping_add(BLOCK);
    }
    at = at.wrapping_add(index_u64(strings.carry()));
    loop {
        match text.get(at) {
            Some(b'\\') => at = at.wrapping_add(2),
            Some(b'"') => return at,
            Some(_) => at = at.wrapping_add(1),
            None => return text.len(),
        }
    }
}

/// Returns the index after the bracket that closes the outermost of `depth` open brackets of one kind, at least one.
/// The search begins at index `at`, outside strings.
#[inline(always)]
pub(super) fn container(
    unit: impl Lanes,
    text: &[u8],
    at: usize,
    open: u8,
    mut depth: usize,
) -> usize {
    let mut blocks = Structure::new(unit, text, at, open);
    while let Some(Seen { start, opening, mut closing, .. }) = blocks.block() {
        let closed = index(closing.count_ones());
        // Whether a block has a closing bracket at all is hard to foresee, so nothing depends on it alone.
        if closed >= depth {
            let mut left = depth;
            loop {
                let place = closing.trailing_zeros();
                let before = opening & !u64::MAX.wrapping_shl(place);
                left = left.wrapping_sub(1);
                if left.wrapping_add(index(before.count_ones())) == 0 {
                    return start.wrapping_add(index(place)).wrapping_add(1);
                }
                closing &= closing.wrapping_sub(1);
                if closing == 0 {
                    break;
                }
            }
        }
        depth = depth.wrapping_add(index(opening.count_ones())).wrapping_sub(closed);
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use std::string::String;
    use std::vec::Vec;

    use super::super::bits::one_by_one::Random;
    use super::super::one_by_one::OneByOne;
    use super::{MarksIn, container, string_end};
    use crate::scan::marks::Marks;

    /// Returns the marks of a text with quotes, found one byte at a time, and the string that began last before each.
    fn marks(text: &str) -> Vec<(u32, u32)> {
        let (mut marks, mut is_inside, mut is_escaped) = (Vec::new(), false, false);
        let mut begin = 0;
        for (at, byte) in (0..).zip(text.bytes()) {
            if is_escaped {
                is_escaped = false;
                continue;
            }
            match byte {
                b'\\' if is_inside => is_escaped = true,
                b'"' => {
                    is_inside = !is_inside;
                    marks.push((at, begin));
                    begin = if is_inside { at } else { begin };
                }
                b'{' | b'}' | b':' if !is_inside => marks.push((at, begin)),
                _ => {}
            }
        }
        marks
    }

    /// Returns the marks of a text, found with masks.
    fn marks_in(text: &str, with_quotes: bool) -> Vec<(u32, u32)> {
        let unit = OneByOne { gathers: false };
        let mut walk = MarksIn::new(unit, text.as_bytes(), with_quotes);
        core::iter::from_fn(|| walk.next().map(|at| (at, walk.string_before(at)))).collect()
    }

    /// Writes a value of random depth.
    fn write(random: &mut Random, depth: u32, out: &mut String) {
        let long = "long, plain text: ".repeat(20);
        let pieces = ["a", "{", "}", "[", "]", "\\\"", "\\\\", "\\u0022", ", ", &long];
        match random.next() % if depth == 0 { 2 } else { 4 } {
            0 => {
                out.push('"');
                for _ in 0..random.next() % 12 {
                    out.push_str(pieces[random.next() % pieces.len()]);
                }
                out.push('"');
            }
            1 => out.push_str(["1", "true", "-12.5e+3"][random.next() % 3]),
            kind => {
                let (open, close) = if kind == 2 { ('[', ']') } else { ('{', '}') };
                out.push(open);
                for number in 0..random.next() % 6 {
                    out.push_str(if number == 0 { "" } else { "," });
                    if kind == 3 {
                        out.push_str("\"k\":");
                    }
                    write(random, depth - 1, out);
                }
                out.push(close);
            }
        }
    }

    #[test]
    fn containers_end_and_marks_stand_where_they_do_byte_by_byte() {
        let mut random = Random(3);
        for _ in 0..3000 {
            let mut value = String::from("{\"k\":");
            write(&mut random, 6, &mut value);
            value.push('}');
            for before in
                ["", "\"{\",  ", "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,"]
            {
                let text = std::format!("{before}{value},{{}},\"}}\"]}}");
                let end = before.len() + value.len();
                let unit = OneByOne { gathers: false };
                let inside = before.len() + 1;
                assert_eq!(container(unit, text.as_bytes(), inside, b'{', 1), end, "{text}");
                let expected = marks(&text);
                assert_eq!(marks_in(&text, true), expected, "{text}");
                let is_no_quote = |mark: &&(u32, u32)| text.as_bytes()[mark.0 as usize] != b'"';
                let expected: Vec<_> = expected.iter().filter(is_no_quote).copied().collect();
                assert_eq!(marks_in(&text, false), expected, "{text}");
            }
        }
    }

    #[test]
    fn a_container_without_an_end_ends_with_the_text() {
        let text = b"{\"a\":[{}]";
        assert_eq!(container(OneByOne { gathers: false }, text, 1, b'{', 1), text.len());
    }

    /// Quotes and backslashes are in every place of a block, and the end of the string, too.
    #[test]
    fn a_string_ends_at_its_first_quote_without_escape() {
        let unit = OneByOne { gathers: false };
        for piece in ["", "a", r#"\""#, r"\\", r#"\\\""#, r#"a\"bc\\"#] {
            for before in 0..140 {
                for after in [0, 1, 2, 62, 63, 64, 65, 200] {
                    let inside = [&"x".repeat(before), piece, piece, &"y".repeat(after)].concat();
                    for more in ["", "\"", &",\"\\\"".repeat(40)] {
                        let text = std::format!("\"{inside}{piece}\"{more}");
                        let end = text.len() - more.len() - 1;
                        assert_eq!(string_end(unit, text.as_bytes(), 1), end, "{text}");
                        let cut = &text.as_bytes()[..end];
                        assert_eq!(string_end(unit, cut, 1), end, "{text}");
                    }
                }
            }
        }
    }
}
