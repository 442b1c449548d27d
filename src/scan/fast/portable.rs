//! Kernels in portable, safe Rust, in shapes that compilers turn into vectors.

use super::{Kernels, LONG, word};

/// Thirty-two bytes at a time, with no branch between them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

const BLOCK: usize = 32;

impl Kernels for Portable {
    type Near = ();

    #[inline(always)]
    fn short(self, text: &[u8], from: usize, (): &mut ()) -> (usize, bool) {
        let mut at = from;
        let mut seen = 0;
        while at.wrapping_sub(from) < LONG {
            let word = word::load(text, at);
            let special = word::special(word);
            if special != 0 {
                let clean = word::before(special);
                seen |= word::first(word, clean);
                at = at.wrapping_add(crate::cast::index(clean));
                break;
            }
            seen |= word;
            at = at.wrapping_add(8);
        }
        (at, word::is_beyond_ascii(seen))
    }

    #[inline(never)]
    fn clean(self, text: &[u8], from: usize) -> (usize, bool) {
        let mut at = from;
        let mut seen = [0_u8; BLOCK];
        while let Some(block) = text.get(at..).and_then(|rest| rest.first_chunk::<BLOCK>()) {
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
        }
        (at, seen.iter().fold(0, |any, byte| any | byte) >= 0x80)
    }

    #[inline(always)]
    fn escaped(self, _: &[u8], from: usize) -> (usize, bool) {
        // No shape for it was found that is faster than one escape at a time.
        (from, false)
    }

    #[inline(never)]
    fn numbers(self, text: &[u8], from: usize) -> usize {
        // Integers alone. Each byte is judged by the two before it, which is why those are in the block.
        let mut at = from;
        loop {
            let before = at.wrapping_sub(2);
            let Some(window) =
                text.get(before..).and_then(|rest| rest.first_chunk::<{ BLOCK + 2 }>())
            else {
                break;
            };
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
        }
        super::behind_last_comma(text, from, at)
    }
}
