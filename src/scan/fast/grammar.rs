//! Values and the structure around them.

use super::kernels::{Kernels, LONGEST, Open, Unclear};
use super::token::Scanner;
use super::word;
use crate::scan::{Descend, IS_FETCHED, Known, Level, Sink, Span};

/// The number of consecutive numbers in an array before a kernel is called.
const MANY: u8 = 4;

/// The plain scanner handles deeper nesting.
const MAX_DEPTH: u8 = 127;

/// The stack of open containers when it is empty: only the marker bit above their bits.
const OUTSIDE: u64 = 1;

/// The number of containers whose bits fit in one word.
const WITHIN_ONE_WORD: u8 = 63;

impl<K: Kernels, const LINES: bool> Scanner<'_, K, LINES> {
    /// Scans the outermost object or array.
    #[inline(always)]
    pub(super) fn outermost(&self, max_depth: u8, sink: &mut impl Sink) -> Option<Span> {
        let inside = max_depth.min(MAX_DEPTH).checked_sub(1)?;
        // No limit allows a line longer than this. The cut also tells the compiler how large offsets can be.
        let text = Self { text: self.text.get(..LONGEST).unwrap_or(self.text), ..*self };
        text.outermost_within(inside, sink)
    }

    #[inline(always)]
    fn outermost_within(&self, inside: u8, sink: &mut impl Sink) -> Option<Span> {
        let start = self.space(0);
        let end = match self.byte(start) {
            b'{' => self.object::<_, true>(start, inside, sink)?,
            b'[' if !IS_FETCHED => self.array(start, inside, sink)?,
            // Scalars alone on a line are rare, and mostly errors.
            _ => return None,
        };
        Some(Span::within(start, end))
    }

    /// Scans an array whose elements are counted.
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

    /// Scans an object whose members are reported: the outermost, or one that the sink enters.
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
        // At the byte after the opening quote of a name.
        loop {
            let name = at;
            let following = || word::load(self.text, name.wrapping_add(8));
            at = match sink.known(level, word::load(self.text, name), following) {
                Known::Member(length) => name.wrapping_add(length),
                Known::Name(length, descend) => {
                    let value = self.space(name.wrapping_add(length));
                    self.member::<_, TOP>(value, inside, near, sink, descend)?
                }
                Known::Nothing => {
                    let (end, _) = self.string(name, near)?;
                    let descend = sink.name(level, Span::within(name.wrapping_sub(1), end));
                    let value = self.colon(end)?;
                    self.member::<_, TOP>(value, inside, near, sink, descend)?
                }
            };
            let mut next = self.pair(at);
            if next[0] <= b' ' {
                at = self.space(at);
                next = self.pair(at);
            }
            at = at.wrapping_add(1);
            match next {
                [b',', b'"'] => at = at.wrapping_add(1),
                [b',', _] => at = self.quote(at)?,
                [b'}', _] => return Some(at),
                _ => return None,
            }
        }
    }

    /// Scans and reports the value of a member.
    #[inline(always)]
    fn member<S: Sink, const TOP: bool>(
        &self,
        start: usize,
        inside: u8,
        near: &mut K::Near,
        sink: &mut S,
        descend: Descend,
    ) -> Option<usize> {
        let level = if TOP { Level::Top } else { Level::Inner };
        let (end, is_plain) = match self.byte(start) {
            b'"' => self.string(start.wrapping_add(1), near)?,
            b'{' if TOP && descend == Descend::Enter && IS_FETCHED => return None,
            b'{' if TOP && descend == Descend::Enter => (self.inner(start, inside, sink)?, false),
            b'{' | b'[' => {
                let patience = self.kernels.patience();
                (self.container::<true>(start, inside, near, patience)?, false)
            }
            b'-' | b'0'..=b'9' => match self.few_digits(start) {
                Some(end) => (end, true),
                None => (self.long_number(start)?, false),
            },
            _ => (self.word(start)?, false),
        };
        let span = Span::within(start, end);
        if is_plain {
            sink.plain(level, span)
        } else {
            sink.value(level, span)
        }
        Some(end)
    }

    #[inline(never)]
    fn inner<S: Sink>(&self, start: usize, inside: u8, sink: &mut S) -> Option<usize> {
        self.object::<S, false>(start, inside.checked_sub(1)?, sink)
    }

    /// Returns the offset after the opening quote of the next name.
    #[inline(always)]
    fn quote(&self, at: usize) -> Option<usize> {
        let at = self.space(at);
        (self.byte(at) == b'"').then_some(at.wrapping_add(1))
    }

    /// Scans from the end of a name to the start of its value.
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

    /// Scans from after a name's opening quote to the start of its value. Returns that offset and the byte
    /// there.
    #[inline(always)]
    fn name(&self, at: usize, near: &mut K::Near) -> Option<(usize, u8)> {
        let stop = self.kernels.short(self.text, at, near);
        let next = self.quad(stop);
        if next & 0xFFFF == word::quad(b"\":\0\0") {
            let value = stop.wrapping_add(2);
            let [_, _, first, _] = next.to_le_bytes();
            if first > b' ' {
                return Some((value, first));
            }
            let value = self.space(value);
            return Some((value, self.byte(value)));
        }
        let (end, _) = self.string_from(at, stop)?;
        let value = self.colon(end)?;
        Some((value, self.byte(value)))
    }

    /// Scans a value that is not a string and reports nothing about it. `max_depth` is the number of
    /// containers that may still be nested.
    #[inline(always)]
    fn value(&self, at: usize, max_depth: u8, near: &mut K::Near) -> Option<usize> {
        match self.byte(at) {
            // Elements are many, and mostly short.
            b'{' | b'[' => {
                let patience = self.kernels.patience().saturating_mul(8);
                self.container::<true>(at, max_depth, near, patience)
            }
            b'-' | b'0'..=b'9' => self.number(at),
            _ => self.word(at),
        }
    }

    /// Scans an object or array from its opening bracket.
    #[inline(always)]
    fn container<const OUTER: bool>(
        &self,
        start: usize,
        max_depth: u8,
        near: &mut K::Near,
        patience: usize,
    ) -> Option<usize> {
        let here = max_depth.min(WITHIN_ONE_WORD);
        // One bit for each open container, the innermost lowest, set for an array. A marker bit lies above
        // them.
        let mut open = OUTSIDE;
        let deepest = OUTSIDE << here;
        // At a value, or in an object at the byte after the opening quote of a name.
        let mut at = start;
        let mut patience = start.saturating_add(patience);
        loop {
            let byte;
            (at, byte) = if open & 1 == 0 { self.name(at, near)? } else { (at, self.byte(at)) };
            match byte {
                b'"' => {
                    let start = at.wrapping_add(1);
                    let stop = self.kernels.short(self.text, start, near);
                    if self.quad(stop) & 0xFF_FFFF == word::quad(b"\",\"\0") {
                        at = stop.wrapping_add(if open & 1 == 0 { 3 } else { 2 });
                        continue;
                    }
                    at = self.string_from(start, stop)?.0;
                }
                b'{' | b'[' if open >= deepest => {
                    let left = max_depth.wrapping_sub(here);
                    at = if OUTER && !IS_FETCHED { self.deep(at, left)? } else { return None };
                }
                b'{' => {
                    at = self.space(at.wrapping_add(1));
                    let first = self.byte(at);
                    at = at.wrapping_add(1);
                    if first == b'"' {
                        open <<= 1;
                        continue;
                    }
                    if first != b'}' {
                        return None;
                    }
                }
                b'[' => {
                    at = self.space(at.wrapping_add(1));
                    if self.byte(at) != b']' {
                        open = open << 1 | 1;
                        continue;
                    }
                    at = at.wrapping_add(1);
                }
                b'-' | b'0'..=b'9' => {
                    at = self.number(at)?;
                    if let [b',', b'-' | b'0'..=b'9'] = self.pair(at)
                        && open & 1 == 1
                    {
                        at = self.numbers(at.wrapping_add(1))?;
                    }
                }
                _ => at = self.word(at)?,
            }
            // After a value: the closing brackets of the containers it ends, or a comma.
            loop {
                if open == OUTSIDE {
                    return Some(at);
                }
                let in_object = open & 1 == 0;
                let mut next = self.pair(at);
                if next[0] <= b' ' {
                    at = self.space(at);
                    next = self.pair(at);
                }
                if next[0] == b',' {
                    at = at.wrapping_add(1);
                    if in_object {
                        at = if next[1] == b'"' { at.wrapping_add(1) } else { self.quote(at)? };
                    } else if next[1] <= b' ' {
                        at = self.space(at);
                    }
                    if K::HAS_WINDOWS && at > patience {
                        match self.rest(at, open, max_depth) {
                            Err(Unclear::Other) => patience = usize::MAX,
                            end => return end.ok(),
                        }
                    }
                    break;
                }
                if next[0] != if in_object { b'}' } else { b']' } {
                    return None;
                }
                at = at.wrapping_add(1);
                open >>= 1;
            }
        }
    }

    /// Scans the rest of a container, from an element of an array that is not its first, or from the byte after the
    /// opening quote of a name.
    #[inline(never)]
    fn rest(&self, at: usize, open: u64, max_depth: u8) -> Result<usize, Unclear> {
        let from = at.wrapping_sub(if open & 1 == 0 { 1 } else { 0 });
        let open = Open { arrays: open, levels: max_depth };
        self.kernels.rest::<LINES>(self.text, from, open)
    }

    /// Scans a container nested too deep for the bits of one word.
    #[inline(never)]
    fn deep(&self, start: usize, max_depth: u8) -> Option<usize> {
        // Passing the caller's `Near` would force it into memory in every outer call.
        self.container::<false>(start, max_depth, &mut K::Near::default(), usize::MAX)
    }

    /// Scans the number at `start`, the second of a run in an array, and the rest of the run.
    #[inline(never)]
    fn numbers(&self, start: usize) -> Option<usize> {
        let mut at = start;
        let mut count: u8 = 1;
        loop {
            at = match self.few_digits(at) {
                Some(end) => end,
                None => self.any_number(at)?,
            };
            let [b',', b'-' | b'0'..=b'9'] = self.pair(at) else { return Some(at) };
            at = at.wrapping_add(1);
            count = count.saturating_add(1);
            if count == MANY {
                count = 0;
                let end = self.kernels.numbers(self.text, at);
                if !matches!(self.byte(end), b'-' | b'0'..=b'9') {
                    return Some(end.wrapping_sub(1));
                }
                at = end;
            }
        }
    }
}
