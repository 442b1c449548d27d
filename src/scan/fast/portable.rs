//! Kernels in portable, safe Rust, written so that compilers vectorise them.

use super::bits::{AHEAD, BLOCK, Decimals, Numbers};
use super::blocks::{self, Blocks, Near};
use super::entry::Entry;
use super::kernels::Kernels;
use super::word;

/// Masks for blocks of sixty-four bytes, and branch-free loops over thirty-two bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

const HALF: usize = 32;

/// The number of bytes prefetched at once.
const STRETCH: usize = 1024;

impl Entry for Portable {}

impl Kernels for Portable {
    type Near = Near;

    #[inline(always)]
    fn short(self, text: &[u8], from: usize, near: &mut Near) -> usize {
        blocks::short(self, text, from, near)
    }

    #[inline(never)]
    fn text(self, text: &[u8], from: usize) -> usize {
        // Escapes of two bytes only. Each byte is checked with the one before it, so a backslash after a
        // backslash stops the kernel: which of them escapes cannot be told here.
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
        // Do not stop between a backslash and the byte it escapes.
        if at > from && text.get(at.wrapping_sub(1)) == Some(&b'\\') {
            at = at.wrapping_sub(1);
        }
        if seen.iter().fold(0, |any, byte| any | byte) < 0x80 {
            return at;
        }
        match core::str::from_utf8(text.get(from..at).unwrap_or_default()) {
            Ok(_) => at,
            Err(error) => from.wrapping_add(error.valid_up_to()),
        }
    }

    #[inline(never)]
    fn numbers(self, text: &[u8], from: usize) -> usize {
        integers(self, text, from).unwrap_or_else(|| blocks::numbers(self, text, from))
    }
}

/// Scans a run of integers, if there are enough of them. Each byte is checked with the two before it, so the
/// window begins two bytes early.
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
    (at > from).then(|| behind_last_comma(text, from, at))
}

/// Computes the masks in loops that compilers vectorise.
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

    /// Reads one byte of each of the next cache lines to bring them into the cache. It reads many at once,
    /// since later instructions wait for each read.
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

/// Returns a mask of the bytes for which `is` holds.
#[inline(always)]
fn mask(block: &[u8; BLOCK], is: impl Fn(u8) -> bool) -> u64 {
    // The mark of a byte is the bit of its group of eight. So the groups can be combined with OR, which
    // leaves the result transposed.
    const EIGHTHS: [[u8; 8]; 8] =
        [[1; 8], [2; 8], [4; 8], [8; 8], [16; 8], [32; 8], [64; 8], [128; 8]];
    let mut marks = [0_u8; BLOCK];
    for ((mark, &byte), &eighth) in marks.iter_mut().zip(block).zip(EIGHTHS.as_flattened()) {
        *mark = u8::from(is(byte)).wrapping_mul(eighth);
    }
    let words = marks.as_chunks::<8>().0.iter();
    turned(words.fold(0, |all, word| all | u64::from_le_bytes(*word)))
}

/// Transposes an 8 by 8 bit matrix: bit 8i + j becomes bit 8j + i. Swaps squares of one, then two, then four.
#[inline(always)]
const fn turned(word: u64) -> u64 {
    let ones = (word ^ word >> 7) & 0x00AA_00AA_00AA_00AA;
    let word = word ^ ones ^ ones << 7;
    let twos = (word ^ word >> 14) & 0x0000_CCCC_0000_CCCC;
    let word = word ^ twos ^ twos << 14;
    let fours = (word ^ word >> 28) & 0x0000_0000_F0F0_F0F0;
    word ^ fours ^ fours << 28
}

/// Returns the offset after the last comma in `from..at`, or `from` if there is none.
fn behind_last_comma(text: &[u8], from: usize, at: usize) -> usize {
    let run = text.get(from..at).unwrap_or(b"");
    let after = run.iter().rev().position(|&byte| byte == b',').unwrap_or(run.len());
    at.wrapping_sub(after)
}
