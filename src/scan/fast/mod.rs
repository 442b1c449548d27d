//! The fast scanner: the same verdict as the [plain](super::plain) one on what is healthy, and no
//! verdict on anything else.
//!
//! It goes by the grammar one token at a time, which is what short messages are made of, with eight
//! bytes of a string or a number looked at together. Where a text is of one kind for long, a
//! [kernel](Kernels) takes over: on evidence alone, so that short messages do not pay for it.
//!
//! What it does not pass is not said to be wrong. The plain scanner is asked then, and says what and
//! where; so every offset is exact, and nothing here has to say it.

#[cfg(any(test, feature = "simd"))]
mod bits;
#[cfg(all(feature = "std", any(test, fuzzing)))]
mod forced;
mod portable;
#[cfg(feature = "simd")]
mod simd;
mod word;

#[cfg(all(feature = "std", any(test, fuzzing)))]
pub(crate) use forced::BackEnd;
#[cfg(all(feature = "std", test))]
pub(crate) use forced::entered;
pub(crate) use portable::Portable;
#[cfg(all(feature = "simd", target_arch = "x86_64"))]
pub(crate) use simd::Avx2;
pub(crate) use word::has_backslash;

use super::{Descend, Level, Sink, Span};

/// What goes over long stretches of one kind.
///
/// A kernel never rejects. It stops at the last place up to which all is well, and the scanner goes on
/// from there one token at a time.
pub(crate) trait Kernels: Copy {
    /// What is remembered of the bytes around the last string, so that the next one has it cheaper.
    type Near: Default;

    /// Over the inside of a string, up to a quote, a backslash or a control character, or so far that
    /// the string is long. Says where it stopped, and whether there were bytes beyond ASCII.
    fn short(self, text: &[u8], from: usize, near: &mut Self::Near) -> (usize, bool);

    /// Over the inside of a string that has no quotes, escapes and control characters in it. Says
    /// where it stopped, and whether there were bytes beyond ASCII.
    fn clean(self, text: &[u8], from: usize) -> (usize, bool);

    /// The same, over escapes as well, from outside of one to outside of one.
    fn escaped(self, text: &[u8], from: usize) -> (usize, bool);

    /// Over numbers with commas between them and nothing else, from behind a comma to behind a comma.
    fn numbers(self, text: &[u8], from: usize) -> usize;

    /// Whether the inside of a string is valid UTF-8, which nothing but strings has to be.
    #[inline(never)]
    fn is_utf8(self, string: &[u8]) -> bool {
        core::str::from_utf8(string).is_ok()
    }
}

/// Goes over a text that is one object or array and nothing else but whitespace, reporting to the sink
/// as the plain scanner does. `None` is no verdict, and leaves the sink with half of what there is.
#[inline(always)]
pub(crate) fn document(
    kernels: impl Kernels,
    text: &[u8],
    max_depth: u8,
    sink: &mut impl Sink,
) -> Option<Span> {
    let scanner = Scanner::<_, false> { text, kernels };
    let span = scanner.outermost(max_depth, sink)?;
    let end = scanner.space(crate::cast::index(span.end()));
    (end == text.len()).then_some(span)
}

/// Goes over the line that the bytes begin with, and gives its value, and where its LF is.
#[inline(always)]
pub(crate) fn line(
    kernels: impl Kernels,
    bytes: &[u8],
    max_depth: u8,
    sink: &mut impl Sink,
) -> Option<(Span, usize)> {
    let scanner = Scanner::<_, true> { text: bytes, kernels };
    let span = scanner.outermost(max_depth, sink)?;
    let end = scanner.space(crate::cast::index(span.end()));
    (bytes.get(end) == Some(&b'\n')).then_some((span, end))
}

/// The text, which ends at its end or, in a stream of `LINES`, at an LF.
struct Scanner<'text, K, const LINES: bool> {
    text: &'text [u8],
    kernels: K,
}

/// Offsets in a frame have 32 bits.
const LONGEST: usize = crate::cast::index(u32::MAX);

/// So many bytes of a string have to be clean before a kernel is called.
const LONG: usize = 48;

/// So many numbers have to stand in an array before a kernel is called.
const MANY: u8 = 4;

/// Deeper than this is left to the plain scanner.
const MAX_DEPTH: u8 = 127;

impl<K: Kernels, const LINES: bool> Scanner<'_, K, LINES> {
    /// The byte there; behind the end a NUL, which is nothing that the grammar knows.
    #[inline(always)]
    fn byte(&self, at: usize) -> u8 {
        self.text.get(at).copied().unwrap_or(0)
    }

    /// Where the whitespace ends that begins there.
    #[inline(always)]
    fn space(&self, at: usize) -> usize {
        if self.byte(at) > b' ' { at } else { self.some_space(at) }
    }

    #[inline(always)]
    fn some_space(&self, mut at: usize) -> usize {
        while matches!(self.byte(at), b' ' | b'\t' | b'\r') || !LINES && self.byte(at) == b'\n' {
            at = at.wrapping_add(1);
        }
        at
    }

    /// From behind the opening quote of a string to behind its closing one.
    #[inline(always)]
    fn string(&self, start: usize, near: &mut K::Near) -> Option<usize> {
        let (at, beyond_ascii) = self.kernels.short(self.text, start, near);
        if self.byte(at) != b'"' {
            return self.long_string(start, at, beyond_ascii);
        }
        if beyond_ascii && !self.is_utf8(start, at) {
            return None;
        }
        Some(at.wrapping_add(1))
    }

    /// What is left of a string that is long, or has an escape where the rest begins.
    #[inline(never)]
    fn long_string(&self, start: usize, from: usize, beyond_ascii: bool) -> Option<usize> {
        let mut at = from;
        let mut beyond_ascii = beyond_ascii;
        // Where the clean bytes began.
        let mut clean = start;
        loop {
            match self.byte(at) {
                b'"' => break,
                b'\\' => {
                    let (stop, beyond) = self.kernels.escaped(self.text, at);
                    beyond_ascii |= beyond;
                    at = if stop == at { self.escape(at)? } else { stop };
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
                    at = at.wrapping_add(crate::cast::index(length));
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

    /// Over the digits that begin there, of which there may be none.
    #[inline(always)]
    fn digits(&self, mut at: usize) -> usize {
        loop {
            let others = word::not_digit(word::load(self.text, at));
            if others != 0 {
                return at.wrapping_add(crate::cast::index(word::before(others)));
            }
            at = at.wrapping_add(8);
        }
    }

    /// Over the number that begins there.
    #[inline(always)]
    fn number(&self, start: usize) -> Option<usize> {
        let mut at = start;
        if self.byte(at) == b'-' {
            at = at.wrapping_add(1);
        }
        at = match self.byte(at) {
            b'0' => at.wrapping_add(1),
            b'1'..=b'9' => match self.byte(at.wrapping_add(1)) {
                b'0'..=b'9' => self.digits(at.wrapping_add(2)),
                _ => at.wrapping_add(1),
            },
            _ => return None,
        };
        if self.byte(at) == b'.' {
            at = self.some_digits(at.wrapping_add(1))?;
        }
        if matches!(self.byte(at), b'e' | b'E') {
            at = at.wrapping_add(1);
            if matches!(self.byte(at), b'+' | b'-') {
                at = at.wrapping_add(1);
            }
            at = self.some_digits(at)?;
        }
        Some(at)
    }

    #[inline(always)]
    fn some_digits(&self, start: usize) -> Option<usize> {
        let end = self.digits(start);
        (end > start).then_some(end)
    }

    /// Over a word that begins there.
    #[inline(always)]
    fn literal<const N: usize>(&self, at: usize, word: &[u8; N]) -> Option<usize> {
        let there = self.text.get(at..)?.first_chunk::<N>()?;
        (there == word).then_some(at.wrapping_add(N))
    }

    /// From behind a name's opening quote to where its value begins.
    #[inline(always)]
    fn name(&self, at: usize, near: &mut K::Near) -> Option<usize> {
        let end = self.string(at, near)?;
        self.colon(end)
    }

    /// From behind a name to where its value begins.
    #[inline(always)]
    fn colon(&self, at: usize) -> Option<usize> {
        let at = self.space(at);
        (self.byte(at) == b':').then(|| self.space(at.wrapping_add(1)))
    }

    /// Over a value that nothing is reported of, with so many containers inside each other at most.
    #[inline(always)]
    fn value(&self, at: usize, max_depth: u8, near: &mut K::Near) -> Option<usize> {
        match self.byte(at) {
            b'"' => self.string(at.wrapping_add(1), near),
            b'{' | b'[' => self.container(at, max_depth, near),
            b'-' | b'0'..=b'9' => self.number(at),
            _ => self.word(at),
        }
    }

    #[inline(always)]
    fn word(&self, at: usize) -> Option<usize> {
        match self.byte(at) {
            b't' => self.literal(at, b"true"),
            b'f' => self.literal(at, b"false"),
            b'n' => self.literal(at, b"null"),
            _ => None,
        }
    }

    /// Over an object or array, from its opening bracket.
    #[inline(always)]
    fn container(&self, start: usize, max_depth: u8, near: &mut K::Near) -> Option<usize> {
        // A bit for each container around the innermost one: whether it is an object.
        let mut outer: u128 = 0;
        let mut in_object = false;
        let mut depth: u8 = 0;
        let mut numbers: u8 = 0;
        let mut at = start;
        loop {
            match self.byte(at) {
                b'"' => at = self.string(at.wrapping_add(1), near)?,
                open @ (b'{' | b'[') => {
                    if depth >= max_depth {
                        return None;
                    }
                    let is_object = open == b'{';
                    let close = open.wrapping_add(2);
                    at = self.space(at.wrapping_add(1));
                    let first = self.byte(at);
                    if first != close {
                        outer = outer << 1 | u128::from(in_object);
                        in_object = is_object;
                        depth = depth.wrapping_add(1);
                        if is_object {
                            if first != b'"' {
                                return None;
                            }
                            at = self.name(at.wrapping_add(1), near)?;
                        }
                        continue;
                    }
                    at = at.wrapping_add(1);
                }
                b'-' | b'0'..=b'9' => {
                    at = self.number(at)?;
                    numbers = numbers.saturating_add(1);
                }
                _ => at = self.word(at)?,
            }
            // Behind a value: the ends of what it is the last of, or a comma.
            loop {
                if depth == 0 {
                    return Some(at);
                }
                at = self.space(at);
                let byte = self.byte(at);
                if byte == b',' {
                    at = self.space(at.wrapping_add(1));
                    if in_object {
                        if self.byte(at) != b'"' {
                            return None;
                        }
                        at = self.name(at.wrapping_add(1), near)?;
                    } else if numbers >= MANY {
                        numbers = 0;
                        if self.byte(at.wrapping_sub(1)) == b',' {
                            at = self.space(self.kernels.numbers(self.text, at));
                        }
                    }
                    break;
                }
                if byte != if in_object { b'}' } else { b']' } {
                    return None;
                }
                at = at.wrapping_add(1);
                numbers = 0;
                depth = depth.wrapping_sub(1);
                in_object = outer & 1 == 1;
                outer >>= 1;
            }
        }
    }

    /// Over the outermost object or array.
    #[inline(always)]
    fn outermost(&self, max_depth: u8, sink: &mut impl Sink) -> Option<Span> {
        let inside = max_depth.min(MAX_DEPTH).checked_sub(1)?;
        // A longer line is over every limit; a longer text is left to whoever says so.
        let text = Self { text: self.text.get(..LONGEST).unwrap_or(self.text), ..*self };
        text.outermost_within(inside, sink)
    }

    #[inline(always)]
    fn outermost_within(&self, inside: u8, sink: &mut impl Sink) -> Option<Span> {
        let start = self.space(0);
        let end = match self.byte(start) {
            b'{' => self.object::<_, true>(start, inside, sink)?,
            b'[' => self.array(start, inside, sink)?,
            // Alone on a line these are rare, and mostly wrong.
            _ => return None,
        };
        Some(Span::within(start, end))
    }

    /// Over an array whose elements are counted.
    #[inline(never)]
    fn array(&self, start: usize, inside: u8, sink: &mut impl Sink) -> Option<usize> {
        let near = &mut K::Near::default();
        let mut at = self.space(start.wrapping_add(1));
        if self.byte(at) == b']' {
            return Some(at.wrapping_add(1));
        }
        loop {
            at = self.value(at, inside, near)?;
            sink.element();
            at = self.space(at);
            match self.byte(at) {
                b',' => at = self.space(at.wrapping_add(1)),
                b']' => return Some(at.wrapping_add(1)),
                _ => return None,
            }
        }
    }

    /// Over an object whose members are reported: the outermost, or one that the sink enters.
    #[inline(always)]
    fn object<S: Sink, const TOP: bool>(
        &self,
        start: usize,
        inside: u8,
        sink: &mut S,
    ) -> Option<usize> {
        let level = if TOP { Level::Top } else { Level::Inner };
        let near = &mut K::Near::default();
        let mut at = self.space(start.wrapping_add(1));
        if self.byte(at) == b'}' {
            return Some(at.wrapping_add(1));
        }
        loop {
            if self.byte(at) != b'"' {
                return None;
            }
            let name = at.wrapping_add(1);
            let (end, descend) = match sink.known(level, word::load(self.text, name)) {
                Some((length, descend)) => (name.wrapping_add(length), descend),
                None => {
                    let end = self.string(name, near)?;
                    (end, sink.name(level, Span::within(at, end)))
                }
            };
            at = self.colon(end)?;
            let value = at;
            at = if TOP && descend == Descend::Enter && self.byte(at) == b'{' {
                self.inner(at, inside, sink)?
            } else {
                self.value(at, inside, near)?
            };
            sink.value(level, Span::within(value, at));
            at = self.space(at);
            match self.byte(at) {
                b',' => at = self.space(at.wrapping_add(1)),
                b'}' => return Some(at.wrapping_add(1)),
                _ => return None,
            }
        }
    }

    #[inline(never)]
    fn inner<S: Sink>(&self, start: usize, inside: u8, sink: &mut S) -> Option<usize> {
        self.object::<S, false>(start, inside.checked_sub(1)?, sink)
    }
}

/// Behind the last comma before a place, if that is behind where a kernel began.
fn behind_last_comma(text: &[u8], from: usize, at: usize) -> usize {
    let run = text.get(from..at).unwrap_or(b"");
    let after = run.iter().rev().position(|&byte| byte == b',').unwrap_or(run.len());
    at.wrapping_sub(after)
}
