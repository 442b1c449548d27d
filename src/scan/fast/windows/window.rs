//! A window: consecutive blocks, which are scanned in several passes.
//!
//! Each pass leaves a mask for each block, and a *map* with one bit for each block that a later pass has to visit. No
//! pass branches on the contents of a block, because one mispredicted branch costs about as much as a third of a block.

use super::super::bits::{BLOCK, Carry};
use super::super::blocks::AHEAD;
use super::super::word;
use super::brackets::Brackets;
use super::masks::{Classes, MOST, Masks, PerBlock, places};
use super::tokens::Tokens;
use crate::cast::index;

/// The masks of the blocks of a window, as earlier passes have left them.
#[derive(Debug)]
pub(super) struct Window {
    /// Quotes: first all, and then those that are not escaped.
    pub(super) quotes: PerBlock,
    /// The bytes that are not plain in a string: first all, and then the line breaks and tabs alone.
    pub(super) uncommon: PerBlock,
    /// Strings with their opening quotes, without their closing ones.
    pub(super) inside: PerBlock,
    /// The bytes of scalars.
    pub(super) scalars: PerBlock,
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
    /// One if the last byte belonged to a scalar, or to a number.
    pub(super) in_number: u64,
    /// The next bytes, as far as they belong to a word that was compared.
    pub(super) word: u64,
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

/// Returns the mask of a block.
#[inline(always)]
pub(super) fn of(masks: &PerBlock, number: u32) -> u64 {
    masks.get(index(number & 63)).copied().unwrap_or(0)
}

/// Sets the mask of a block.
#[inline(always)]
pub(super) fn set(masks: &mut PerBlock, number: u32, mask: u64) {
    if let Some(place) = masks.get_mut(index(number & 63)) {
        *place = mask;
    }
}

/// Returns a map with the bit of this block, if `is` is true.
#[inline(always)]
pub(super) fn bit(is: bool, number: u32) -> u64 {
    u64::from(is) << (number & 63)
}

impl State {
    /// The state outside of tokens.
    pub(super) const fn new(stack: u64) -> Self {
        Self {
            inside: 0,
            escaped: 0,
            is_beyond_ascii: false,
            in_number: 0,
            word: 0,
            numbers: Carry::START,
            is_in_long_string: false,
            brackets: Brackets::new(stack),
        }
    }
}

impl Window {
    pub(super) const fn new() -> Self {
        const NONE: PerBlock = [0; MOST];
        Self { quotes: NONE, uncommon: NONE, inside: NONE, scalars: NONE }
    }

    /// Finds quotes and what is not plain in a string. Returns the map of the blocks that have any of the latter.
    #[inline(always)]
    pub(super) fn look(&mut self, masks: impl Masks, place: &Place<'_>) -> u64 {
        let rows = self.quotes.iter_mut().zip(&mut self.uncommon);
        for ((number, block), (quotes, uncommon)) in
            (0..place.blocks).zip(place.all_blocks()).zip(rows)
        {
            masks.prefetch(place.text, place.offset(number).wrapping_add(AHEAD));
            *quotes = masks.quotes(block);
            *uncommon = masks.uncommon(block);
        }
        masks.not_zero(&self.uncommon, place.blocks) & place.all()
    }

    /// Finds what is inside strings. Returns the map of the blocks that have anything else, and whether there is a line
    /// break or a tab in a string.
    #[inline(always)]
    pub(super) fn strings(
        &mut self,
        masks: impl Masks,
        place: &Place<'_>,
        state: &mut State,
    ) -> (u64, bool) {
        let (mut busy, mut wrong) = (0, 0);
        let rows = self.quotes.iter().zip(&self.uncommon).zip(&mut self.inside);
        for (number, ((quotes, uncommon), inside)) in (0..place.blocks).zip(rows) {
            // Each quote begins a string or ends one.
            *inside = masks.parity(*quotes) ^ state.inside;
            state.inside = 0_u64.wrapping_sub(*inside >> 63);
            wrong |= uncommon & *inside;
            busy |= bit(*inside & !quotes != u64::MAX, number);
        }
        (busy, wrong != 0)
    }

    /// Checks the tokens of the busy blocks against the grammar, and adds their brackets. Returns the map of the blocks
    /// that have scalars, and whether a token is wrong.
    #[inline(always)]
    pub(super) fn structure(
        &mut self,
        masks: impl Masks,
        place: &Place<'_>,
        busy: u64,
        tokens: &mut Tokens,
        state: &mut State,
    ) -> (u64, bool, Option<usize>) {
        let blocks = place.all_blocks();
        tokens.count = 0;
        for number in places(busy) {
            let Some(block) = blocks.get(index(number)) else { continue };
            let Classes { brackets, bit5, bit1, spaces } = masks.classes(block);
            let i = tokens.count & 63;
            tokens.quotes[i] = of(&self.quotes, number);
            tokens.inside[i] = of(&self.inside, number);
            tokens.brackets[i] = brackets;
            tokens.bit5[i] = bit5;
            tokens.bit1[i] = bit1;
            // The uncommon bytes that are left are whitespace.
            tokens.spaces[i] = spaces | of(&self.uncommon, number);
            tokens.count += 1;
        }
        let wrong = tokens.judge();
        for i in 0..tokens.count.min(64) {
            state.brackets.add(0, &super::tokens::Verdict {
                brackets: tokens.brackets[i],
                opening: tokens.opening[i + 1],
                curly: tokens.bit5[i],
                in_object: tokens.in_object[i],
            });
        }
        let end = state.brackets.compare().and_then(|bracket| {
            let mut left = bracket;
            for (i, number) in places(busy).enumerate() {
                let brackets = tokens.brackets[i & 63];
                let count = brackets.count_ones();
                if left < count {
                    let at = places(brackets).nth(index(left))?;
                    return Some(place.offset(number).wrapping_add(index(at)).wrapping_add(1));
                }
                left = left.wrapping_sub(count);
            }
            None
        });
        self.scalars = [0; MOST];
        for (i, number) in places(busy).enumerate() {
            set(&mut self.scalars, number, tokens.scalars[(i & 63) + 1]);
        }
        (masks.not_zero(&self.scalars, place.blocks) & place.all(), wrong, end)
    }
}
