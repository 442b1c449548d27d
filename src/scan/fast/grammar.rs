//! Values: what follows what, over any number of them.

use super::token::Scanner;
use super::{Kernels, word};
use crate::scan::{Descend, Known, Level, Sink, Span};

/// Offsets in a frame have 32 bits.
const LONGEST: usize = crate::cast::index(u32::MAX);

/// So many numbers have to stand one behind the other in an array before a kernel is called.
const MANY: u8 = 4;

/// Deeper than this is left to the plain scanner.
const MAX_DEPTH: u8 = 127;

impl<K: Kernels, const LINES: bool> Scanner<'_, K, LINES> {
    /// Over the outermost object or array.
    #[inline(always)]
    pub(super) fn outermost(&self, max_depth: u8, sink: &mut impl Sink) -> Option<Span> {
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
            at = match self.byte(at) {
                b'"' => self.string(at.wrapping_add(1), near)?.0,
                _ => self.value(at, inside, near)?,
            };
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
        match self.byte(at) {
            b'"' => at = at.wrapping_add(1),
            b'}' => return Some(at.wrapping_add(1)),
            _ => return None,
        }
        // Behind the opening quote of a name.
        loop {
            let name = at;
            let following = || word::load(self.text, name.wrapping_add(8));
            at = match sink.known(level, word::load(self.text, name), following) {
                Known::Member(length) => name.wrapping_add(length),
                known => {
                    let (end, descend) = match known {
                        Known::Name(length, descend) => (name.wrapping_add(length), descend),
                        _ => {
                            let (end, _) = self.string(name, near)?;
                            (end, sink.name(level, Span::within(name.wrapping_sub(1), end)))
                        }
                    };
                    let value = self.colon(end)?;
                    match self.byte(value) {
                        b'"' => {
                            let (end, is_short) = self.string(value.wrapping_add(1), near)?;
                            let span = Span::within(value, end);
                            if is_short {
                                sink.plain(level, span)
                            } else {
                                sink.value(level, span)
                            }
                            end
                        }
                        byte => {
                            let is_entered = TOP && descend == Descend::Enter && byte == b'{';
                            let end = if is_entered {
                                self.inner(value, inside, sink)?
                            } else {
                                self.value(value, inside, near)?
                            };
                            sink.value(level, Span::within(value, end));
                            end
                        }
                    }
                }
            };
            at = match self.pair(at) {
                [b',', b'"'] => at.wrapping_add(2),
                [b'}', _] => return Some(at.wrapping_add(1)),
                _ => {
                    at = self.space(at);
                    match self.byte(at) {
                        b',' => self.quote(at.wrapping_add(1))?,
                        b'}' => return Some(at.wrapping_add(1)),
                        _ => return None,
                    }
                }
            };
        }
    }

    #[inline(never)]
    fn inner<S: Sink>(&self, start: usize, inside: u8, sink: &mut S) -> Option<usize> {
        self.object::<S, false>(start, inside.checked_sub(1)?, sink)
    }

    /// To behind the opening quote of the name that comes next.
    #[inline(always)]
    fn quote(&self, at: usize) -> Option<usize> {
        let at = self.space(at);
        (self.byte(at) == b'"').then_some(at.wrapping_add(1))
    }

    /// From behind a name to where its value begins.
    #[inline(always)]
    fn colon(&self, at: usize) -> Option<usize> {
        match self.pair(at) {
            [b':', b'!'..=0xFF] => Some(at.wrapping_add(1)),
            _ => {
                let at = self.space(at);
                (self.byte(at) == b':').then(|| self.space(at.wrapping_add(1)))
            }
        }
    }

    /// From behind a name's opening quote to where its value begins.
    #[inline(always)]
    fn name(&self, at: usize, near: &mut K::Near) -> Option<usize> {
        let (end, _) = self.string(at, near)?;
        self.colon(end)
    }

    /// Over a value that is no string, of which nothing is reported, with so many containers inside
    /// each other at most.
    #[inline(always)]
    fn value(&self, at: usize, max_depth: u8, near: &mut K::Near) -> Option<usize> {
        match self.byte(at) {
            b'{' | b'[' => self.container(at, max_depth, near),
            b'-' | b'0'..=b'9' => self.number(at),
            _ => self.word(at),
        }
    }

    /// Over an object or array, from its opening bracket.
    #[inline(always)]
    fn container(&self, start: usize, max_depth: u8, near: &mut K::Near) -> Option<usize> {
        // A bit for each container around the innermost one: whether it is an object. There are rarely
        // so many that they need a second word.
        let mut outer: u64 = 0;
        let mut outermost: u64 = 0;
        let mut in_object = false;
        let mut depth: u8 = 0;
        let mut numbers: u8 = 0;
        let mut at = start;
        loop {
            match self.byte(at) {
                b'"' => {
                    at = self.string(at.wrapping_add(1), near)?.0;
                    numbers = 0;
                }
                open @ (b'{' | b'[') => {
                    if depth >= max_depth {
                        return None;
                    }
                    let is_object = open == b'{';
                    let close = open.wrapping_add(2);
                    at = self.space(at.wrapping_add(1));
                    let first = self.byte(at);
                    if first != close {
                        if depth >= 64 {
                            outermost = outermost << 1 | outer >> 63;
                        }
                        outer = outer << 1 | u64::from(in_object);
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
                if in_object && self.pair(at) == *b",\"" {
                    at = self.name(at.wrapping_add(2), near)?;
                    break;
                }
                at = self.space(at);
                let byte = self.byte(at);
                if byte == b',' {
                    if in_object {
                        at = self.name(self.quote(at.wrapping_add(1))?, near)?;
                        break;
                    }
                    at = self.space(at.wrapping_add(1));
                    if numbers >= MANY {
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
                if depth >= 64 {
                    outer |= outermost << 63;
                    outermost >>= 1;
                }
            }
        }
    }
}
