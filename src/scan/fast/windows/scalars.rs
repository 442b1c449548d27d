//! Numbers and words: `true`, `false` and `null`.

use super::super::word::load;
use super::masks::{Masks, places};
use super::window::{Place, State, Window, of};
use crate::cast::index;

impl Window {
    /// Compares words, and checks that all other [scalars](Self::scalars) are numbers. Returns whether one is wrong.
    #[inline(always)]
    pub(super) fn check_scalars(
        &self,
        masks: impl Masks,
        place: &Place<'_>,
        with_scalars: u64,
        state: &mut State,
    ) -> bool {
        let mut is_wrong = false;
        let mut in_number = state.in_number;
        // The bytes of the last word that are in this block.
        let mut over = state.word;
        // A block after one that ends in a number is visited too: it may end the number wrongly.
        let mut left = with_scalars | in_number;
        while left != 0 {
            let number = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            let Some(block) = place.block(number) else { continue };
            let mut bytes = of(&self.scalars, number) & !over;
            over = 0;
            let numbers = masks.numbers(block);
            let first = bytes & !(bytes << 1 | in_number);
            let words = first & !(numbers.digits | numbers.minuses);
            for at in places(words) {
                let offset = place.offset(number).wrapping_add(index(at));
                let length = word_at(place, offset);
                let word = !(u64::MAX << length);
                // Any other bytes stay marked, and cannot be a number.
                bytes &= !word.wrapping_shl(at);
                over = word >> 1 >> (63_u32.wrapping_sub(at) & 63);
            }
            in_number = bytes >> 63;
            left |= in_number.wrapping_shl(number) << 1 & place.all();
            let decimals = || masks.decimals(block);
            is_wrong |= numbers.faults(bytes, first & bytes, &mut state.numbers, decimals) != 0;
        }
        (state.in_number, state.word) = (in_number, over);
        is_wrong
    }
}

/// Returns the length of the word at this offset, or 0 if there is no word, or more bytes follow it.
#[inline(always)]
fn word_at(place: &Place<'_>, offset: usize) -> u32 {
    let length = word(load(place.text, offset));
    match place.text.get(offset.wrapping_add(index(length))) {
        Some(&byte) if ends_scalar(byte) => length,
        _ => 0,
    }
}

/// Returns the length of the word that these bytes begin with, or 0.
#[inline(always)]
const fn word(bytes: u64) -> u32 {
    const fn is(bytes: u64, word: [u8; 8], length: u32) -> bool {
        (bytes ^ u64::from_le_bytes(word)) << (64_u32.wrapping_sub(length << 3) & 63) == 0
    }
    let of_four = is(bytes, *b"true\0\0\0\0", 4) | is(bytes, *b"null\0\0\0\0", 4);
    if of_four {
        4
    } else if is(bytes, *b"false\0\0\0", 5) {
        5
    } else {
        0
    }
}

/// Returns whether a scalar may end before this byte.
#[inline(always)]
const fn ends_scalar(byte: u8) -> bool {
    matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r')
}
