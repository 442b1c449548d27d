//! A window: consecutive blocks, which are scanned in several passes.
//!
//! Each pass leaves a mask for each block, and a *map* with one bit for each block that a later pass has to visit. No
//! pass branches on the contents of a block, because one mispredicted branch costs about as much as a third of a block.

use super::super::bits::{BLOCK, Carry};
use super::super::blocks::AHEAD;
use super::super::word;
use super::brackets::Brackets;
use super::masks::{Classes, MOST, Masks, PerBlock, bit, of, places, set};
use super::tokens::{Scalars, Start, Tokens};
use super::super::kernels::Open;
use crate::cast::index;

/// The blocks of a window, as earlier passes have left them.
#[derive(Debug)]
pub(super) struct Window {
    /// The bytes that are not plain in a string: first all, and then the line breaks and tabs alone.
    pub(super) uncommon: PerBlock,
    /// The numbers of the busy blocks.
    pub(super) numbers: [u32; MOST],
    /// The masks of the busy blocks. At first, quotes are those of all blocks.
    pub(super) tokens: Tokens,
}

/// The state carried from one window to the next.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// All ones inside a string.
    pub(super) inside: u64,
    /// One if the next byte is escaped.
    pub(super) escaped: u64,
    /// True if the last block had bytes beyond ASCII.
    pub(super) is_beyond_ascii: bool,
    /// One if the last byte belonged to a scalar.
    pub(super) in_scalar: u64,
    /// True if the last byte belonged to a word.
    pub(super) in_word: bool,
    pub(super) numbers: Carry,
    /// True if the last blocks were nothing but string.
    pub(super) is_in_long_string: bool,
    pub(super) brackets: Brackets,
}

/// The place of a window in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'text> {
    pub(super) text: &'text [u8],
    pub(super) start: usize,
    /// The number of blocks.
    pub(super) blocks: u32,
}

impl Place<'_> {
    /// Returns a block.
    #[inline(always)]
    pub(super) fn block(&self, number: u32) -> Option<&[u8; BLOCK]> {
        word::chunk(self.text, self.offset(number))
    }

    /// Returns the blocks, and those after them.
    #[inline(always)]
    pub(super) fn all_blocks(&self) -> &[[u8; BLOCK]] {
        self.text.get(self.start..).unwrap_or_default().as_chunks().0
    }

    #[inline(always)]
    pub(super) fn offset(&self, number: u32) -> usize {
        self.start.wrapping_add(index(number).wrapping_mul(BLOCK))
    }

    /// Returns the map of all blocks.
    #[inline(always)]
    pub(super) fn all(&self) -> u64 {
        u64::MAX.checked_shr(64_u32.wrapping_sub(self.blocks)).unwrap_or(0)
    }
}

/// Returns the number of whole blocks in a text from an offset on, as far as a window can have them.
#[inline(always)]
pub(super) fn whole_blocks(text: &[u8], from: usize) -> u32 {
    let blocks = text.len().saturating_sub(from) / BLOCK;
    crate::cast::u32_within(blocks.min(MOST))
}

impl State {
    /// The state outside of tokens.
    pub(super) fn new(open: Open) -> Self {
        Self {
            inside: 0,
            escaped: 0,
            is_beyond_ascii: false,
            in_scalar: 0,
            in_word: false,
            numbers: Carry::START,
            is_in_long_string: false,
            brackets: Brackets::new(open),
        }
    }
}

impl Window {
    pub(super) const fn new(start: Start) -> Self {
        Self { uncommon: [0; MOST], numbers: [0; MOST], tokens: Tokens::new(start) }
    }

    /// Finds quotes and what is not plain in a string. Returns the map of the blocks that have any of the latter.
    #[inline(always)]
    pub(super) fn look(&mut self, masks: impl Masks, place: &Place<'_>) -> u64 {
        let rows = self.tokens.quotes.iter_mut().zip(&mut self.uncommon);
        let mut map = 0;
        for ((number, block), (quotes, uncommon)) in
            (0..place.blocks).zip(place.all_blocks()).zip(rows)
        {
            masks.prefetch(place.text, place.offset(number).wrapping_add(AHEAD));
            *quotes = masks.quotes(block);
            *uncommon = masks.uncommon(block);
            map |= bit(*uncommon != 0, index(number));
        }
        map
    }

    /// Finds what is inside strings, and keeps the masks of the blocks that have anything else. Returns whether there is
    /// a line break or a tab in a string.
    #[inline(always)]
    pub(super) fn strings(
        &mut self,
        masks: impl Masks,
        place: &Place<'_>,
        state: &mut State,
    ) -> bool {
        let Tokens { quotes, inside, spaces, count, .. } = &mut self.tokens;
        let mut busy = 0_usize;
        let mut wrong = 0;
        for (number, at) in (0..place.blocks).zip(0..MOST) {
            let (quote, uncommon) = (of(quotes, at), of(&self.uncommon, at));
            // Each quote begins a string or ends one.
            let within = masks.parity(quote) ^ state.inside;
            state.inside = 0_u64.wrapping_sub(within >> 63);
            wrong |= uncommon & within;
            // The uncommon bytes that are left are whitespace.
            set(spaces, busy, uncommon);
            set(quotes, busy, quote);
            set(inside, busy, within);
            if let Some(place) = self.numbers.get_mut(busy) {
                *place = number;
            }
            busy = busy.wrapping_add(usize::from(within & !quote != u64::MAX));
        }
        *count = busy;
        wrong != 0
    }

    /// Checks the tokens of the busy blocks against the grammar, and adds their brackets. Returns where scalars are,
    /// whether a token is wrong, and the offset after the bracket that ends the scan.
    #[inline(always)]
    pub(super) fn structure(
        &mut self,
        masks: impl Masks,
        place: &Place<'_>,
        state: &mut State,
    ) -> (Scalars, bool, Option<usize>) {
        let blocks = place.all_blocks();
        let tokens = &mut self.tokens;
        for (at, &number) in self.numbers.iter().take(tokens.count).enumerate() {
            let Some(block) = blocks.get(index(number)) else { continue };
            let Classes { brackets, bit5, bit1, spaces } = masks.classes(block);
            set(&mut tokens.brackets, at, brackets);
            set(&mut tokens.bit5, at, bit5);
            set(&mut tokens.bit1, at, bit1);
            let others = of(&tokens.spaces, at);
            set(&mut tokens.spaces, at, spaces | others);
        }
        let (scalars, is_wrong) = tokens.judge();
        for (at, &number) in self.numbers.iter().take(tokens.count).enumerate() {
            let Some(block) = blocks.get(index(number)) else { continue };
            state.brackets.add(block, of(&tokens.brackets, at), of(&tokens.in_object, at));
        }
        let end = state.brackets.compare().and_then(|bracket| self.offset_after(place, bracket));
        (scalars, is_wrong, end)
    }

    /// Returns the offset after this bracket of the window.
    fn offset_after(&self, place: &Place<'_>, bracket: u32) -> Option<usize> {
        let mut left = bracket;
        for (number, brackets) in self.numbers.iter().zip(&self.tokens.brackets).take(self.tokens.count) {
            let count = brackets.count_ones();
            if left < count {
                let at = places(*brackets).nth(index(left))?;
                return Some(place.offset(*number).wrapping_add(index(at)).wrapping_add(1));
            }
            left = left.wrapping_sub(count);
        }
        None
    }
}
