//! Kernels in portable, safe Rust, in shapes that compilers turn into vectors.

use super::bits::{BLOCK, Decimals, Numbers};
use super::blocks::{self, AHEAD, Blocks, Near};
use super::{Kernels, word};

/// Bits for blocks of sixty-four bytes, and loops over thirty-two with no branch between them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

const HALF: usize = 32;

/// So many bytes are fetched at once.
const STRETCH: usize = 1024;

impl Kernels for Portable {
    type Near = Near;

    #[inline(always)]
    fn short(self, text: &[u8], from: usize, near: &mut Near) -> usize {
        blocks::short(self, text, from, near)
    }

    #[inline(never)]
    fn clean(self, text: &[u8], from: usize) -> (usize, bool) {
        let mut at = from;
        let mut seen = [0_u8; HALF];
        while let Some(block) = word::chunk::<HALF>(text, at) {
            let mut stops = [0_u8; HALF];
            for (stop, &byte) in stops.iter_mut().zip(block) {
                *stop = u8::from((byte == b'"') | (byte == b'\\') | (byte < 0x20));
            }
            if stops.iter().fold(0, |any, stop| any | stop) != 0 {
                break;
            }
            for (seen, byte) in seen.iter_mut().zip(block) {
                *seen |= byte;
            }
            at = at.wrapping_add(HALF);
            self.prefetch(text, at.wrapping_add(AHEAD));
        }
        (at, seen.iter().fold(0, |any, byte| any | byte) >= 0x80)
    }

    #[inline(never)]
    fn escaped(self, text: &[u8], from: usize) -> (usize, bool) {
        // Escapes of two bytes alone. Each byte is judged with the one before it, so that a backslash
        // behind a backslash stops the kernel: which of them escapes is not for it to say.
        let mut at = from;
        let mut seen = [0_u8; HALF];
        while let Some(window) = word::chunk::<{ HALF + 1 }>(text, at.wrapping_sub(1)) {
            let mut stops = [0_u8; HALF];
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
            at = at.wrapping_add(HALF);
            self.prefetch(text, at.wrapping_add(AHEAD));
        }
        // Not between a backslash and what it escapes.
        if at > from && text.get(at.wrapping_sub(1)) == Some(&b'\\') {
            at = at.wrapping_sub(1);
        }
        (at, seen.iter().fold(0, |any, byte| any | byte) >= 0x80)
    }

    #[inline(never)]
    fn numbers(self, text: &[u8], from: usize) -> usize {
        integers(self, text, from).unwrap_or_else(|| blocks::numbers(self, text, from))
    }
}

/// The same over integers alone, if there are enough of them. Each byte is judged by the two before it,
/// which is why those are in the block.
#[inline(always)]
fn integers(portable: Portable, text: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while let Some(window) = word::chunk::<{ HALF + 2 }>(text, at.wrapping_sub(2)) {
        let mut stops = [0_u8; HALF];
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
            *stop = u8::from(is_other | is_empty | is_sign_inside | is_sign_alone | is_zero_led);
        }
        if stops.iter().fold(0, |any, stop| any | stop) != 0 {
            break;
        }
        at = at.wrapping_add(HALF);
        portable.prefetch(text, at.wrapping_add(AHEAD));
    }
    (at > from).then(|| super::behind_last_comma(text, from, at))
}

/// What is asked of sixty-four bytes at a time, in loops of which compilers make vectors.
impl Blocks for Portable {
    #[inline(always)]
    fn special(self, block: &[u8; BLOCK]) -> u64 {
        mask(block, |byte| (byte == b'"') | (byte == b'\\') | (byte.cast_signed() < 0x20))
    }

    #[inline(always)]
    fn numbers(self, block: &[u8; BLOCK]) -> Numbers {
        Numbers {
            digits: mask(block, is_digit),
            zeros: mask(block, |byte| byte == b'0'),
            commas: mask(block, |byte| byte == b','),
            minuses: mask(block, |byte| byte == b'-'),
        }
    }

    #[inline(always)]
    fn decimals(self, block: &[u8; BLOCK]) -> Decimals {
        Decimals {
            pluses: mask(block, |byte| byte == b'+'),
            points: mask(block, |byte| byte == b'.'),
            exponents: mask(block, |byte| byte | 0x20 == b'e'),
        }
    }

    /// Reads a byte of each of the next cache lines, for nothing else than that they be near when they are
    /// needed. Many at once, since all that comes behind such a read waits for it.
    #[inline(always)]
    fn prefetch(self, bytes: &[u8], at: usize) {
        if at % STRETCH < BLOCK
            && let Some(stretch) = bytes.get(at..at.wrapping_add(STRETCH))
        {
            let lines = stretch.as_chunks::<BLOCK>().0.iter();
            core::hint::black_box(lines.fold(0, |any, [first, ..]| any | first));
        }
    }
}

const fn is_digit(byte: u8) -> bool {
    byte.wrapping_sub(b'0') < 10
}

/// A bit for each byte of a block that is so.
#[inline(always)]
fn mask(block: &[u8; BLOCK], is: impl Fn(u8) -> bool) -> u64 {
    // Of each eight bytes, the eighth of the block that they are makes the bit. So they can be put one
    // upon the other, and what is there then lies the wrong way round.
    const EIGHTHS: [[u8; 8]; 8] =
        [[1; 8], [2; 8], [4; 8], [8; 8], [16; 8], [32; 8], [64; 8], [128; 8]];
    let mut marks = [0_u8; BLOCK];
    for ((mark, &byte), &eighth) in marks.iter_mut().zip(block).zip(EIGHTHS.as_flattened()) {
        *mark = u8::from(is(byte)).wrapping_mul(eighth);
    }
    let words = marks.as_chunks::<8>().0.iter();
    turned(words.fold(0, |all, word| all | u64::from_le_bytes(*word)))
}

/// Bit 8i + j becomes bit 8j + i: squares of one, then two, then four are swapped across the middle.
#[inline(always)]
const fn turned(word: u64) -> u64 {
    let ones = (word ^ word >> 7) & 0x00AA_00AA_00AA_00AA;
    let word = word ^ ones ^ ones << 7;
    let twos = (word ^ word >> 14) & 0x0000_CCCC_0000_CCCC;
    let word = word ^ twos ^ twos << 14;
    let fours = (word ^ word >> 28) & 0x0000_0000_F0F0_F0F0;
    word ^ fours ^ fours << 28
}
