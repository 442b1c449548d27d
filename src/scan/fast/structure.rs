//! The structure of valid text in blocks of sixty-four bytes: brackets of one kind, and where strings begin and end.
//!
//! Skipping needs no more than this. Brackets are counted a block at a time.

use super::bits::{BLOCK, Delimiters, Strings};
use super::lanes::Lanes;
use super::word;
use crate::cast::index;
use crate::scan::StringEnd;
use crate::scan::marks::Marks;

/// A walk over the blocks of a text.
#[derive(Debug)]
pub(super) struct Structure<'text, L> {
    unit: L,
    text: &'text [u8],
    open: u8,
    /// The offset of the next block.
    at: usize,
    strings: Strings,
    /// The marks of the last block that are still ahead, and its offset.
    ahead: u64,
    start: usize,
    /// The end of the last block with a backslash.
    escapes_end: usize,
    /// The number of blocks in a row that were plain contents of a string.
    plain: u32,
    string_end: StringEnd,
}

/// A string is long after this many such blocks.
const FEW: u32 = 3;

/// A block.
struct Seen {
    start: usize,
    quotes: u64,
    opening: u64,
    closing: u64,
}

impl<'text, L: Lanes> Structure<'text, L> {
    /// Creates a walk that begins at index `at`, outside of strings, and finds this kind of brackets.
    #[inline(always)]
    pub(super) fn new(
        unit: L,
        text: &'text [u8],
        at: usize,
        open: u8,
        string_end: StringEnd,
    ) -> Self {
        let strings = Strings::default();
        Self {
            unit,
            text,
            open,
            at,
            strings,
            ahead: 0,
            start: at,
            escapes_end: 0,
            plain: 0,
            string_end,
        }
    }

    #[inline(always)]
    fn block(&mut self) -> Option<Seen> {
        let start = self.at;
        let found = match word::chunk(self.text, start) {
            Some(block) => self.unit.delimiters(block, self.open),
            None => self.last()?,
        };
        self.at = start.wrapping_add(BLOCK);
        if found.backslashes != 0 {
            self.escapes_end = self.at;
        }
        let (quotes, inside) = self.strings.next(&found);
        self.plain = if inside == u64::MAX { self.plain.wrapping_add(1) } else { 0 };
        if self.plain >= FEW && self.strings.is_plain() {
            self.go_on_in_string();
        }
        Some(Seen {
            start,
            quotes,
            opening: found.opening & !inside,
            closing: found.closing & !inside,
        })
    }

    /// Continues at the closing quote of a long string.
    #[inline(never)]
    fn go_on_in_string(&mut self) {
        self.at = (self.string_end)(self.text, self.at);
        self.plain = 0;
        // The skipped bytes were not searched for backslashes, so assume that there are some.
        self.escapes_end = self.at;
    }

    /// Computes the masks of the last, partial block.
    #[inline(never)]
    fn last(&self) -> Option<Delimiters> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        if let Some(block) = self.text.last_chunk() {
            // Take the last 64 bytes of the text and drop those before the block.
            let before = u32::try_from(BLOCK.wrapping_sub(rest.len())).unwrap_or(0) & 63;
            return Some(self.unit.delimiters(block, self.open).after(before));
        }
        let mut block = [0; BLOCK];
        crate::bytes::copy(rest, &mut block);
        Some(self.unit.delimiters(&block, self.open))
    }
}

impl<L: Lanes> Marks for Structure<'_, L> {
    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.ahead == 0 {
            let seen = self.block()?;
            (self.ahead, self.start) = (seen.quotes | seen.opening | seen.closing, seen.start);
        }
        let at = self.start.wrapping_add(index(self.ahead.trailing_zeros()));
        self.ahead &= self.ahead.wrapping_sub(1);
        Some(at)
    }

    #[inline(always)]
    fn may_have_escapes(&self, string: usize) -> bool {
        string < self.escapes_end
    }
}

/// Returns the index after the bracket that closes the outermost of `depth` open brackets of one kind. The search
/// begins at index `at`, outside strings.
#[inline(always)]
pub(super) fn container(
    unit: impl Lanes,
    text: &[u8],
    at: usize,
    open: u8,
    mut depth: usize,
    string_end: StringEnd,
) -> usize {
    let mut blocks = Structure::new(unit, text, at, open, string_end);
    while let Some(Seen { start, opening, mut closing, .. }) = blocks.block() {
        let closed = index(closing.count_ones());
        if closed >= depth {
            let mut left = depth;
            while closing != 0 {
                let place = closing.trailing_zeros();
                let before = opening & !(u64::MAX << place);
                left = left.wrapping_sub(1);
                if left.wrapping_add(index(before.count_ones())) == 0 {
                    return start.wrapping_add(index(place)).wrapping_add(1);
                }
                closing &= closing.wrapping_sub(1);
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
    use super::{Structure, container};
    use crate::scan::marks::Marks;

    fn string_end(text: &[u8], at: usize) -> usize {
        let mut at = at;
        while text[at] != b'"' {
            at += if text[at] == b'\\' { 2 } else { 1 };
        }
        at
    }

    /// Returns the marks of a text, found one byte at a time.
    fn marks(text: &str) -> Vec<usize> {
        let (mut marks, mut is_inside, mut is_escaped) = (Vec::new(), false, false);
        for (at, byte) in text.bytes().enumerate() {
            if is_escaped {
                is_escaped = false;
                continue;
            }
            match byte {
                b'\\' if is_inside => is_escaped = true,
                b'"' => {
                    is_inside = !is_inside;
                    marks.push(at);
                }
                b'{' | b'}' if !is_inside => marks.push(at),
                _ => {}
            }
        }
        marks
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
                let text = std::format!("{before}{value},\"}}\"]}}");
                let end = before.len() + value.len();
                let unit = OneByOne { gathers: false };
                assert_eq!(
                    container(unit, text.as_bytes(), before.len(), b'{', 0, string_end),
                    end,
                    "{text}"
                );
                assert_eq!(
                    container(unit, text.as_bytes(), before.len() + 1, b'{', 1, string_end),
                    end
                );
                let mut walk = Structure::new(unit, text.as_bytes(), 0, b'{', string_end);
                let found: Vec<usize> = core::iter::from_fn(|| walk.next()).collect();
                assert_eq!(found, marks(&text), "{text}");
            }
        }
    }

    #[test]
    fn a_container_without_an_end_ends_with_the_text() {
        let text = b"{\"a\":[{}]";
        assert_eq!(
            container(OneByOne { gathers: false }, text, 0, b'{', 0, string_end),
            text.len()
        );
    }
}
