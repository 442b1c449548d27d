//! Numbers and words: `true`, `false` and `null`.

use super::super::blocks::Blocks as _;
use super::super::lanes::Lanes;
use super::super::word::{chunk, load};
use super::masks::{of, places};
use super::tokens::Scalars;
use super::window::{Place, State, Window};
use crate::cast::index;

impl Window {
    /// Compares words, and checks that all other scalars are numbers. Returns whether one is wrong.
    #[inline(always)]
    pub(super) fn check_scalars(
        &self,
        masks: impl Lanes,
        place: &Place<'_>,
        scalars: Scalars,
        state: &mut State,
    ) -> bool {
        let mut is_wrong = false;
        let mut numbers_carry = state.numbers;
        // A block after one that ends in a scalar is visited too: it may end a number wrongly.
        let visited = (scalars.some | scalars.last << 1 | state.in_scalar) & self.tokens.all();
        for at in places(visited) {
            let Some(&start) = self.starts.get(index(at)) else { continue };
            let start = place.start.wrapping_add(usize::from(start));
            let Some(block) = chunk(place.text, start) else { continue };
            let scalars = of(&self.tokens.scalars, index(at));
            let numbers = masks.numbers(block);
            let first = scalars & !(scalars << 1 | state.in_scalar);
            state.in_scalar = scalars >> 63;
            let words = first & !(numbers.digits | numbers.minuses);
            // Adding the first byte of a word to its bytes carries to the byte after it, and leaves those of numbers.
            let (sum, over) = scalars.overflowing_add(words);
            let sum = sum.wrapping_add(u64::from(state.in_word));
            // A word that is longer than a block is wrong, so it does not matter where it ends.
            state.in_word = over;
            let bytes = scalars & sum;
            let mut left = words;
            loop {
                // Most blocks have one word, or none.
                let offset = start.wrapping_add(index(left.trailing_zeros() & 63));
                is_wrong |= left != 0 && !is_word(load(place.text, offset));
                left &= left.wrapping_sub(1);
                if left == 0 {
                    break;
                }
            }
            let are_integers = numbers.are_integers(bytes, &numbers_carry);
            let decimals = if are_integers { None } else { Some(masks.decimals(block)) };
            is_wrong |= numbers.faults(bytes, first & bytes, decimals, &mut numbers_carry) != 0;
        }
        state.numbers = numbers_carry;
        is_wrong
    }
}

/// Returns whether these bytes begin with a word and a byte before which a scalar may end.
#[inline(always)]
const fn is_word(bytes: u64) -> bool {
    const fn is(bytes: u64, word: [u8; 8], length: u32) -> bool {
        (bytes ^ u64::from_le_bytes(word)) << (64_u32.wrapping_sub(length << 3) & 63) == 0
    }
    let [.., fifth, sixth, _, _] = bytes.to_le_bytes();
    let of_four = is(bytes, *b"true\0\0\0\0", 4) | is(bytes, *b"null\0\0\0\0", 4);
    of_four & ends_scalar(fifth) | is(bytes, *b"false\0\0\0", 5) & ends_scalar(sixth)
}

/// Returns whether a scalar may end before this byte.
#[inline(always)]
const fn ends_scalar(byte: u8) -> bool {
    matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r' | 0)
}
