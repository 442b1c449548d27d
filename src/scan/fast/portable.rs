//! Kernels in portable, safe Rust, in shapes that compilers turn into vectors.

use super::{Kernels, LONG, Sink, Span, word};

/// Thirty-two bytes at a time, with no branch between them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

const BLOCK: usize = 32;

/// The doors of the scanner, each a function of its own, since the registers are few.
impl Portable {
    #[inline(never)]
    pub(crate) fn document(self, text: &[u8], max_depth: u8, sink: &mut impl Sink) -> Option<Span> {
        super::document(self, text, max_depth, sink)
    }

    #[inline(never)]
    pub(crate) fn line(
        self,
        bytes: &[u8],
        max_depth: u8,
        sink: &mut impl Sink,
    ) -> Option<(Span, usize)> {
        super::line(self, bytes, max_depth, sink)
    }
}

impl Kernels for Portable {
    type Near = ();

    #[inline(always)]
    fn short(self, text: &[u8], from: usize, (): &mut ()) -> usize {
        let mut at = from;
        while at.wrapping_sub(from) < LONG {
            let special = word::special_or_beyond_ascii(word::load(text, at));
            if special != 0 {
                return at.wrapping_add(crate::cast::index(word::before(special)));
            }
            at = at.wrapping_add(8);
        }
        at
    }

    #[inline(never)]
    fn clean(self, text: &[u8], from: usize) -> (usize, bool) {
        let mut at = from;
        let mut seen = [0_u8; BLOCK];
        while let Some(block) = word::chunk::<BLOCK>(text, at) {
            let mut stops = [0_u8; BLOCK];
            for (stop, &byte) in stops.iter_mut().zip(block) {
                *stop = u8::from((byte == b'"') | (byte == b'\\') | (byte < 0x20));
            }
            if stops.iter().fold(0, |any, stop| any | stop) != 0 {
                break;
            }
            for (seen, byte) in seen.iter_mut().zip(block) {
                *seen |= byte;
            }
            at = at.wrapping_add(BLOCK);
            touch(text, at.wrapping_add(AHEAD));
        }
        (at, seen.iter().fold(0, |any, byte| any | byte) >= 0x80)
    }

    #[inline(never)]
    fn escaped(self, text: &[u8], from: usize) -> (usize, bool) {
        // Escapes of two bytes alone. Each byte is judged with the one before it, so that a backslash
        // behind a backslash stops the kernel: which of them escapes is not for it to say.
        let mut at = from;
        let mut seen = [0_u8; BLOCK];
        while let Some(window) = word::chunk::<{ BLOCK + 1 }>(text, at.wrapping_sub(1)) {
            let mut stops = [0_u8; BLOCK];
            let pairs = window.iter().zip(window.iter().skip(1));
            for (stop, (&before, &byte)) in stops.iter_mut().zip(pairs) {
                let is_escaped = before == b'\\';
                let may_be_escaped = (byte == b'n')
                    | (byte == b'"')
                    | (byte == b't')
                    | (byte == b'r')
                    | (byte == b'/')
                    | (byte == b'b')
                    | (byte == b'f');
                let is_quote = byte == b'"';
                *stop = u8::from(
                    (byte < 0x20) | (is_escaped & !may_be_escaped) | (is_quote & !is_escaped),
                );
            }
            if stops.iter().fold(0, |any, stop| any | stop) != 0 {
                break;
            }
            for (seen, byte) in seen.iter_mut().zip(window.iter().skip(1)) {
                *seen |= byte;
            }
            at = at.wrapping_add(BLOCK);
            touch(text, at.wrapping_add(AHEAD));
        }
        // Not between a backslash and what it escapes.
        if at > from && text.get(at.wrapping_sub(1)) == Some(&b'\\') {
            at = at.wrapping_sub(1);
        }
        (at, seen.iter().fold(0, |any, byte| any | byte) >= 0x80)
    }

    #[inline(never)]
    fn numbers(self, text: &[u8], from: usize) -> usize {
        // Integers alone. Each byte is judged by the two before it, which is why those are in the block.
        let mut at = from;
        while let Some(window) = word::chunk::<{ BLOCK + 2 }>(text, at.wrapping_sub(2)) {
            let mut stops = [0_u8; BLOCK];
            let triples = window.iter().zip(window.iter().skip(1)).zip(window.iter().skip(2));
            for (stop, ((&second, &first), &byte)) in stops.iter_mut().zip(triples) {
                let is_digit = byte.wrapping_sub(b'0') < 10;
                let follows_digit = first.wrapping_sub(b'0') < 10;
                let follows_start = (second == b',') | (second == b'-');
                let is_other = !(is_digit | (byte == b',') | (byte == b'-'));
                let is_empty = (byte == b',') & !follows_digit;
                let is_sign_inside = (byte == b'-') & (first != b',');
                let is_sign_alone = (first == b'-') & !is_digit;
                let is_zero_led = (first == b'0') & follows_start & is_digit;
                *stop =
                    u8::from(is_other | is_empty | is_sign_inside | is_sign_alone | is_zero_led);
            }
            if stops.iter().fold(0, |any, stop| any | stop) != 0 {
                break;
            }
            at = at.wrapping_add(BLOCK);
            touch(text, at.wrapping_add(AHEAD));
        }
        super::behind_last_comma(text, from, at)
    }
}

/// So far ahead bytes are fetched: a walk over text waits for memory at each step if nobody has asked
/// before.
const AHEAD: usize = 2048;

/// Reads a byte for nothing else than that it be near when it is needed.
///
/// Not before a first block was passed: where kernels stop at once, all would wait for the byte.
#[inline(always)]
fn touch(text: &[u8], at: usize) {
    core::hint::black_box(text.get(at).copied());
}
