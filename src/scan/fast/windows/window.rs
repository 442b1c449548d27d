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
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    /// All ones inside a string.
    pub(super) inside: u64,
    /// One if the next byte is escaped.
    pub(super) escaped: u64,
    /// True if the last block had bytes beyond ASCII.
    pub(super) is_beyond_ascii: bool,
    /// One if the last byte belonged to a scalar, or to a number.
    in_scalar: u64,
    pub(super) in_number: u64,
    /// The next bytes, as far as they belong to a word that was compared.
    pub(super) word: u64,
    pub(super) numbers: Carry,
    /// True if the last blocks were nothing but string.
    pub(super) is_in_long_string: bool,
    pub(super) tokens: Tokens,
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
    pub(super) const fn new(tokens: Tokens, stack: u64) -> Self {
        Self {
            inside: 0,
            escaped: 0,
            is_beyond_ascii: false,
            in_scalar: 0,
            in_number: 0,
            word: 0,
            numbers: Carry::START,
            is_in_long_string: false,
            tokens,
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

    /// Gathers the tokens of the busy blocks, and checks them against the grammar. Returns the map of the blocks that
    /// have scalars, and whether a token is wrong.
    #[inline(always)]
    pub(super) fn structure(
        &mut self,
        masks: impl Masks,
        place: &Place<'_>,
        busy: u64,
        state: &mut State,
    ) -> (u64, bool) {
        let mut is_wrong = false;
        let mut tokens = state.tokens;
        let mut in_scalar = state.in_scalar;
        let blocks = place.all_blocks();
        state.brackets.passed = 0;
        self.scalars = [0; MOST];
        for number in places(busy) {
            let Some(block) = blocks.get(index(number)) else { continue };
            let (quotes, inside) = (of(&self.quotes, number), of(&self.inside, number));
            let Classes { brackets, bit5, bit1, spaces } = masks.classes(block);
            let operators = brackets | bit5;
            // The uncommon bytes that are left are whitespace.
            let scalars = !(inside | quotes | operators | spaces | of(&self.uncommon, number));
            let first = scalars & !(scalars << 1 | in_scalar);
            in_scalar = scalars >> 63;
            set(&mut self.scalars, number, scalars);

            let strings = quotes & inside;
            let new = operators & !inside | strings | first;
            if !tokens.has_room(new.count_ones()) {
                is_wrong |= judge(masks, &mut tokens, &mut state.brackets);
                if !tokens.has_room(new.count_ones()) {
                    let half = new & (u64::MAX >> 32);
                    tokens.gather(masks, half, brackets, bit5, bit1 | strings);
                    is_wrong |= judge(masks, &mut tokens, &mut state.brackets);
                    tokens.gather(masks, new ^ half, brackets, bit5, bit1 | strings);
                    continue;
                }
            }
            tokens.gather(masks, new, brackets, bit5, bit1 | strings);
        }
        is_wrong |= judge(masks, &mut tokens, &mut state.brackets);
        state.brackets.compare(masks);
        (state.tokens, state.in_scalar) = (tokens, in_scalar);
        (masks.not_zero(&self.scalars, place.blocks) & place.all(), is_wrong)
    }

    /// Returns the offset after the bracket with this number.
    pub(super) fn after_bracket(
        &self,
        masks: impl Masks,
        place: &Place<'_>,
        bracket: u32,
    ) -> Option<usize> {
        let mut left = bracket;
        for ((number, block), inside) in (0..place.blocks).zip(place.all_blocks()).zip(&self.inside)
        {
            let brackets = masks.classes(block).brackets & !inside;
            let count = brackets.count_ones();
            if left < count {
                let at = places(brackets).nth(index(left))?;
                return Some(place.offset(number).wrapping_add(index(at)).wrapping_add(1));
            }
            left = left.wrapping_sub(count);
        }
        None
    }
}

/// Checks the gathered tokens, and adds their brackets.
#[inline(always)]
fn judge(masks: impl Masks, tokens: &mut Tokens, brackets: &mut Brackets) -> bool {
    let verdict = tokens.judge();
    brackets.add(masks, &verdict);
    verdict.is_wrong
}

impl Tokens {
    /// Adds the new tokens of a block.
    #[inline(always)]
    fn gather(&mut self, masks: impl Masks, new: u64, brackets: u64, bit5: u64, bit1: u64) {
        let to = self.count;
        let gather = |bits| masks.gather(bits, new).wrapping_shl(to);
        self.brackets |= gather(brackets);
        self.bit5 |= gather(bit5);
        self.bit1 |= gather(bit1);
        self.count = to.wrapping_add(new.count_ones());
    }
}
