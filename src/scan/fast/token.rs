//! Tokens: strings, numbers and words, one at a time.

use super::{Kernels, LONG, word};
use crate::cast::index;

/// A kernel is not worth its call for a string with so few escapes.
const FEW: u32 = 1;

/// So many escapes are left alone where a kernel has not got on.
const FRUITLESS: u32 = 8;

/// The text, which ends at its end or, in a stream of `LINES`, at a line end.
///
/// In lines, a CR is no whitespace: what has one before its line end is left to the plain scanner.
pub(super) struct Scanner<'text, K, const LINES: bool> {
    pub(super) text: &'text [u8],
    pub(super) kernels: K,
}

impl<K: Kernels, const LINES: bool> Scanner<'_, K, LINES> {
    /// The byte there; behind the end a NUL, which is nothing that the grammar knows.
    #[inline(always)]
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    /// The byte there and the one behind it.
    #[inline(always)]
    pub(super) fn pair(&self, at: usize) -> [u8; 2] {
        match word::chunk(self.text, at) {
            Some(pair) => *pair,
            None => [self.byte(at), 0],
        }
    }

    /// The four bytes from there on, the first of them in the lowest bits; behind the end NULs.
    #[inline(always)]
    pub(super) fn quad(&self, at: usize) -> u32 {
        match word::chunk(self.text, at) {
            Some(quad) => u32::from_le_bytes(*quad),
            None => self.last_quad(at),
        }
    }

    #[inline(never)]
    fn last_quad(&self, at: usize) -> u32 {
        u32::from_le_bytes([0, 1, 2, 3].map(|ahead: usize| self.byte(at.wrapping_add(ahead))))
    }

    /// Where the whitespace ends that begins there.
    #[inline(always)]
    pub(super) fn space(&self, at: usize) -> usize {
        if self.byte(at) > b' ' { at } else { self.some_space(at) }
    }

    #[inline(always)]
    fn some_space(&self, at: usize) -> usize {
        let is_space = match LINES {
            true => matches!(self.byte(at), b' ' | b'\t'),
            false => matches!(self.byte(at), b' ' | b'\t' | b'\n' | b'\r'),
        };
        if !is_space {
            return at;
        }
        let next = at.wrapping_add(1);
        if self.byte(next) > b' ' { next } else { self.long_space(next) }
    }

    /// Over whitespace, of which there may be none.
    #[inline(never)]
    fn long_space(&self, mut at: usize) -> usize {
        loop {
            let others = word::not_space::<LINES>(word::load(self.text, at));
            if others != 0 {
                return at.wrapping_add(index(word::before(others)));
            }
            at = at.wrapping_add(8);
        }
    }

    /// From behind the opening quote of a string to behind its closing one, and whether it was short and
    /// plain: then there is no escape in it.
    #[inline(always)]
    pub(super) fn string(&self, start: usize, near: &mut K::Near) -> Option<(usize, bool)> {
        let at = self.kernels.short(self.text, start, near);
        self.string_from(start, at)
    }

    /// The same, of which the beginning up to some place was found to be plain.
    #[inline(always)]
    pub(super) fn string_from(&self, start: usize, at: usize) -> Option<(usize, bool)> {
        if self.byte(at) == b'"' {
            Some((at.wrapping_add(1), true))
        } else {
            self.long_string(start, at).map(|end| (end, false))
        }
    }

    /// What is left of a string that is long, or has an escape or a byte beyond ASCII where the rest
    /// begins, and none before.
    #[inline(never)]
    fn long_string(&self, start: usize, from: usize) -> Option<usize> {
        let mut at = from;
        let mut beyond_ascii = false;
        // Where the clean bytes began.
        let mut clean = start;
        // So many escapes are gone over one by one before a kernel is asked.
        let mut alone = FEW;
        loop {
            match self.byte(at) {
                b'"' => break,
                b'\\' if alone > 0 => {
                    alone = alone.wrapping_sub(1);
                    at = self.escape(at)?;
                    clean = at;
                }
                b'\\' => {
                    let (stop, beyond) = self.kernels.escaped(self.text, at);
                    beyond_ascii |= beyond;
                    if stop == at {
                        alone = FRUITLESS;
                    }
                    at = stop;
                    clean = at;
                }
                0..0x20 => return None,
                _ => {
                    if at.wrapping_sub(clean) >= LONG {
                        let (stop, beyond) = self.kernels.clean(self.text, at);
                        beyond_ascii |= beyond;
                        at = stop;
                        clean = stop;
                    }
                    let word = word::load(self.text, at);
                    let special = word::special(word);
                    let length = if special == 0 { 8 } else { word::before(special) };
                    let seen = if special == 0 { word } else { word::first(word, length) };
                    beyond_ascii |= word::is_beyond_ascii(seen);
                    at = at.wrapping_add(index(length));
                }
            }
        }
        if beyond_ascii && !self.is_utf8(start, at) {
            return None;
        }
        Some(at.wrapping_add(1))
    }

    #[inline(always)]
    fn is_utf8(&self, start: usize, end: usize) -> bool {
        self.text.get(start..end).is_some_and(|string| self.kernels.is_utf8(string))
    }

    /// From the backslash of an escape to behind it.
    #[inline(always)]
    fn escape(&self, at: usize) -> Option<usize> {
        match self.byte(at.wrapping_add(1)) {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(at.wrapping_add(2)),
            b'u' => {
                let digits = self.text.get(at.wrapping_add(2)..)?.first_chunk::<4>()?;
                digits.iter().all(u8::is_ascii_hexdigit).then_some(at.wrapping_add(6))
            }
            _ => None,
        }
    }

    /// Over the number that begins there.
    #[inline(always)]
    pub(super) fn number(&self, start: usize) -> Option<usize> {
        match self.few_digits(start) {
            None => self.long_number(start),
            end => end,
        }
    }

    /// Over the number that begins there, if it is an integer of a few digits, as most are.
    #[inline(always)]
    pub(super) fn few_digits(&self, start: usize) -> Option<usize> {
        let word = word::load(self.text, start);
        let [first, second, ..] = word.to_le_bytes();
        if !first.is_ascii_digit() {
            return None;
        }
        // One digit is guessed by the machine, and what comes next does not wait for it.
        let more = second.is_ascii_digit();
        let length = if more { word::before(word::not_digit(word)) } else { 1 };
        if length < 8 && (first != b'0' || !more) {
            let next = word::byte(word >> (length << 3));
            if next != b'.' && next | 0x20 != b'e' {
                return Some(start.wrapping_add(index(length)));
            }
        }
        None
    }

    #[inline(never)]
    pub(super) fn long_number(&self, start: usize) -> Option<usize> {
        self.any_number(start)
    }

    /// Over the number that begins there, whatever it is.
    #[inline(always)]
    pub(super) fn any_number(&self, start: usize) -> Option<usize> {
        let mut at = start;
        if self.byte(at) == b'-' {
            at = at.wrapping_add(1);
        }
        at = match self.byte(at) {
            b'0' => at.wrapping_add(1),
            b'1'..=b'9' => self.digits(at.wrapping_add(1)),
            _ => return None,
        };
        if self.byte(at) == b'.' {
            at = self.some_digits(at.wrapping_add(1))?;
        }
        if matches!(self.byte(at), b'e' | b'E') { self.power(at) } else { Some(at) }
    }

    /// Over the power of ten that a number ends with.
    #[inline(never)]
    fn power(&self, start: usize) -> Option<usize> {
        let mut at = start.wrapping_add(1);
        if matches!(self.byte(at), b'+' | b'-') {
            at = at.wrapping_add(1);
        }
        self.some_digits(at)
    }

    #[inline(always)]
    fn some_digits(&self, start: usize) -> Option<usize> {
        let end = self.digits(start);
        (end > start).then_some(end)
    }

    /// Over the digits that begin there, of which there may be none.
    #[inline(always)]
    fn digits(&self, mut at: usize) -> usize {
        loop {
            let others = word::not_digit(word::load(self.text, at));
            if others != 0 {
                return at.wrapping_add(index(word::before(others)));
            }
            at = at.wrapping_add(8);
        }
    }

    /// Over a word that begins there.
    #[inline(always)]
    pub(super) fn word(&self, at: usize) -> Option<usize> {
        match self.byte(at) {
            b't' => self.literal(at, b"true"),
            b'f' => self.literal(at, b"false"),
            b'n' => self.literal(at, b"null"),
            _ => None,
        }
    }

    #[inline(always)]
    fn literal<const N: usize>(&self, at: usize, word: &[u8; N]) -> Option<usize> {
        let there = self.text.get(at..)?.first_chunk::<N>()?;
        (there == word).then_some(at.wrapping_add(N))
    }
}
