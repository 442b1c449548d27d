//! Numbers and words: `true`, `false` and `null`.

use super::super::word::load;
use super::masks::{Masks, places};
use super::window::{Place, State, Window, of, set};
use crate::cast::index;

impl Window {
    /// Compares words, takes their bytes from the [scalars](Self::scalars), and checks that the rest are numbers. Returns
    /// whether a scalar is wrong.
    #[inline(always)]
    pub(super) fn check_scalars(
        &mut self,
        masks: impl Masks,
        place: &Place<'_>,
        with_scalars: u64,
        with_words: u64,
        state: &mut State,
    ) -> bool {
        let mut is_wrong = self.take_words(place, with_words, state);
        // A block after one that ends in a number is visited too: it may end the number wrongly.
        let mut left = with_scalars | state.in_number;
        let mut in_number = state.in_number;
        while left != 0 {
            let number = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            let Some(block) = place.block(number) else { continue };
            let bytes = if with_scalars >> number & 1 == 1 { of(&self.scalars, number) } else { 0 };
            let first = bytes & !(bytes << 1 | in_number);
            in_number = bytes >> 63;
            left |= in_number.wrapping_shl(number) << 1 & place.all();
            let numbers = masks.numbers(block);
            let decimals = || masks.decimals(block);
            is_wrong |= numbers.faults(bytes, first, &mut state.numbers, decimals) != 0;
        }
        state.in_number = in_number;
        is_wrong
    }

    /// Compares the words, and takes their bytes from the scalars. Returns whether one is wrong.
    #[inline(always)]
    fn take_words(&mut self, place: &Place<'_>, with_words: u64, state: &mut State) -> bool {
        let mut is_wrong = false;
        let first = of(&self.scalars, 0) & !core::mem::take(&mut state.word);
        set(&mut self.scalars, 0, first);
        for number in places(with_words) {
            let mut scalars = of(&self.scalars, number);
            // The bytes of the last word in the next block.
            let mut over = 0;
            for at in places(of(&self.words, number)) {
                let offset = place.offset(number).wrapping_add(index(at));
                let length = word(load(place.text, offset));
                let bytes = !(u64::MAX << length);
                let behind = place.text.get(offset.wrapping_add(index(length))).copied();
                // If it is no word, this is its first letter.
                is_wrong |= !behind.is_some_and(ends_scalar);
                scalars &= !bytes.wrapping_shl(at);
                over = bytes >> 1 >> (63_u32.wrapping_sub(at) & 63);
            }
            set(&mut self.scalars, number, scalars);
            let next = number.wrapping_add(1);
            if next < place.blocks {
                let scalars = of(&self.scalars, next) & !over;
                set(&mut self.scalars, next, scalars);
            } else {
                state.word = over;
            }
        }
        is_wrong
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
