//! Tokens: strings, numbers and literals, one at a time.

use super::kernels::{Kernels, LONG};
use super::word;
use crate::cast::index;

/// The number of escapes in a string that do not justify a kernel call.
const FEW: u32 = 1;

/// The number of escapes scanned one by one after a kernel has made no progress.
const FRUITLESS: u32 = 8;

/// The text to scan. It ends at its last byte or, with `LINES`, at a line end.
///
/// With `LINES`, a CR is not whitespace: a line with a CR before its line end is left to the plain scanner.
pub(super) struct Scanner<'text, K, const LINES: bool> {
    pub(super) text: &'text [u8],
    pub(super) kernels: K,
}

impl<K: Kernels, const LINES: bool> Scanner<'_, K, LINES> {
    /// Returns the byte at `at`. After the end it returns NUL, which no grammar rule accepts.
    #[inline(always)]
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    /// Returns the byte at `at` and the next one.
    #[inline(always)]
    pub(super) fn pair(&self, at: usize) -> [u8; 2] {
        match word::chunk(self.text, at) {
            Some(pair) => *pair,
            None => [self.byte(at), 0],
        }
    }

    /// Returns the four bytes from `at`, the first in the lowest bits. Bytes after the end are NUL.
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

    /// Skips whitespace from `at`, and returns the offset after it.
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

    /// Skips any amount of whitespace, including none.
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

    /// Scans a string from after its opening quote to after its closing one. The flag is true if the string
    /// was short and plain, which rules out escapes.
    #[inline(always)]
    pub(super) fn string(&self, start: usize, near: &mut K::Near) -> Option<(usize, bool)> {
        let at = self.kernels.short(self.text, start, near);
        self.string_from(start, at)
    }

    /// Scans a string whose beginning, up to `at`, is known to be plain.
    #[inline(always)]
    pub(super) fn string_from(&self, start: usize, at: usize) -> Option<(usize, bool)> {
        if self.byte(at) == b'"' {
            Some((at.wrapping_add(1), true))
        } else {
            self.long_string(start, at).map(|end| (end, false))
        }
    }

    /// Scans the rest of a string that is long, or has its first escape or byte beyond ASCII at `from`.
    #[inline(never)]
    fn long_string(&self, start: usize, from: usize) -> Option<usize> {
        let mut at = from;
        let mut beyond_ascii = false;
        // The start of the part whose UTF-8 is not validated yet.
        let mut unchecked = start;
        // The start of the current clean stretch.
        let mut clean = start;
        // The number of escapes to scan one by one before the next kernel call.
        let mut alone = FEW;
        loop {
            match self.byte(at) {
                b'"' => break,
                b'\\' if alone > 0 => {
                    alone = alone.wrapping_sub(1);
                    at = self.escape(at)?;
                    clean = at;
                }
                0..0x20 => return None,
                byte if byte == b'\\' || at.wrapping_sub(clean) >= LONG => {
                    if beyond_ascii {
                        unchecked = self.checked(unchecked, at)?;
                    } else {
                        unchecked = at;
                    }
                    let stop = self.kernels.text(self.text, unchecked);
                    if stop > at {
                        (at, unchecked, beyond_ascii) = (stop, stop, false);
                    } else {
                        alone = FRUITLESS;
                    }
                    clean = at;
                }
                _ => {
                    let word = word::load(self.text, at);
                    let special = word::special(word);
                    let length = if special == 0 { 8 } else { word::before(special) };
                    let seen = if special == 0 { word } else { word::first(word, length) };
                    beyond_ascii |= word::is_beyond_ascii(seen);
                    at = at.wrapping_add(index(length));
                }
            }
        }
        if beyond_ascii && self.checked(unchecked, at)? != at {
            return None;
        }
        Some(at.wrapping_add(1))
    }

    /// Checks the characters of a part of a string. Returns its end, or the start of a character that the end cuts off.
    fn checked(&self, start: usize, end: usize) -> Option<usize> {
        match core::str::from_utf8(self.text.get(start..end)?) {
            Ok(_) => Some(end),
            Err(error) if error.error_len().is_none() => {
                Some(start.wrapping_add(error.valid_up_to()))
            }
            Err(_) => None,
        }
    }

    /// Scans an escape, from its backslash.
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

    /// Scans a number.
    #[inline(always)]
    pub(super) fn number(&self, start: usize) -> Option<usize> {
        match self.few_digits(start) {
            None => self.long_number(start),
            end => end,
        }
    }

    /// Scans a number that is an integer of a few digits, as most are.
    #[inline(always)]
    pub(super) fn few_digits(&self, start: usize) -> Option<usize> {
        let word = word::load(self.text, start);
        let [first, second, ..] = word.to_le_bytes();
        if !first.is_ascii_digit() {
            return None;
        }
        // The branch on a single digit is predicted, so the next token does not wait for the length.
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

    /// Scans a number of any form.
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

    /// Scans the exponent of a number.
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

    /// Scans digits, possibly none.
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

    /// Scans a literal.
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
