//! A window: consecutive blocks, which are scanned in several passes.
//!
//! Each pass leaves a mask for each block, and a *map* with one bit for each block that a later pass has to visit. No
//! pass branches on the contents of a block, because one mispredicted branch costs about as much as a third of a block.

use super::super::bits::{AHEAD, BLOCK, Carry};
use super::super::kernels::Open;
use super::super::lanes::Lanes;
use super::super::word;
use super::brackets::Brackets;
use super::masks::{MOST, PerBlock, of, set};
use super::tokens::{Scalars, Start, Tokens};
use crate::cast::index;

/// The blocks of a window, as earlier passes have left them.
#[derive(Debug)]
pub(super) struct Window {
    /// The bytes that are not plain in a string: first all, and then the line breaks and tabs alone.
    pub(super) uncommon: PerBlock,
    /// The offsets of the busy blocks in the window.
    pub(super) starts: [u16; MOST],
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
    fn all_blocks(&self) -> &[[u8; BLOCK]] {
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
        Self { uncommon: [0; MOST], starts: [0; MOST], tokens: Tokens::new(start) }
    }

    /// Finds quotes and what is not plain in a string. Returns whether there is any of the latter.
    #[inline(always)]
    pub(super) fn look(&mut self, masks: impl Lanes, place: &Place<'_>) -> bool {
        let rows = self.tokens.quotes.iter_mut().zip(&mut self.uncommon);
        let blocks = place.all_blocks().get(..index(place.blocks)).unwrap_or_default();
        let mut any = 0;
        let mut ahead = place.start.wrapping_add(AHEAD);
        for (block, (quotes, uncommon)) in blocks.iter().zip(rows) {
            masks.prefetch(place.text, ahead);
            ahead = ahead.wrapping_add(BLOCK);
            *quotes = masks.quotes(block);
            *uncommon = masks.uncommon(block);
            any |= *uncommon;
        }
        any != 0
    }

    /// Finds what is inside strings, and keeps the masks of the blocks that have more. Returns whether there is a line
    /// break or a tab in a string.
    #[inline(always)]
    pub(super) fn strings(
        &mut self,
        masks: impl Lanes,
        place: &Place<'_>,
        state: &mut State,
    ) -> bool {
        let Tokens { quotes, inside, spaces, count, .. } = &mut self.tokens;
        let mut busy = 0_usize;
        let mut wrong = 0;
        let mut before = state.inside;
        for (at, start) in (0..MOST.min(index(place.blocks))).zip((0..).step_by(BLOCK)) {
            let (quote, uncommon) = (of(quotes, at), of(&self.uncommon, at));
            // Each quote begins a string or ends one.
            let within = masks.parity(quote) ^ before;
            before = 0_u64.wrapping_sub(within >> 63);
            wrong |= uncommon & within;
            // The uncommon bytes that are left are whitespace.
            let here = busy & (MOST - 1);
            set(spaces, here, uncommon);
            set(quotes, here, quote);
            set(inside, here, within);
            if let Some(place) = self.starts.get_mut(here) {
                *place = start;
            }
            busy = busy.wrapping_add(usize::from(within & !quote != u64::MAX));
        }
        state.inside = before;
        *count = busy;
        wrong != 0
    }

    /// Returns the offsets of the busy blocks in the window.
    #[inline(always)]
    pub(super) fn busy(&self) -> &[u16] {
        self.starts.get(..self.tokens.count).unwrap_or_default()
    }

    /// Checks the tokens of the busy blocks, and compares their brackets. Returns where scalars are,
    /// whether a token is wrong, and the offset after the bracket that ends the scan.
    #[inline(always)]
    pub(super) fn structure(
        &mut self,
        masks: impl Lanes,
        place: &Place<'_>,
        state: &mut State,
    ) -> (Scalars, bool, Option<usize>) {
        let blocks = place.all_blocks();
        let starts = self.starts.get(..self.tokens.count).unwrap_or_default();
        let tokens = &mut self.tokens;
        let rows = tokens.brackets.iter_mut().zip(&mut tokens.bit5);
        let rows = rows.zip(tokens.bit1.iter_mut().zip(&mut tokens.spaces));
        for (&start, ((brackets, bit5), (bit1, spaces))) in starts.iter().zip(rows) {
            let Some(block) = blocks.get(usize::from(start) / BLOCK) else { continue };
            let classes = masks.classes(block);
            (*brackets, *bit5, *bit1) = (classes.brackets, classes.bit5, classes.bit1);
            *spaces |= classes.spaces;
        }
        let (scalars, is_wrong) = tokens.judge();
        // The window in which the scan ends is compared by positions in any case.
        let is_done =
            masks.gathers() && masks.apart(|| state.brackets.compare_groups(masks, tokens));
        let mut end = None;
        if !is_done {
            for (&start, &in_object) in starts.iter().zip(&tokens.in_object) {
                set(&mut self.uncommon, usize::from(start) / BLOCK, in_object);
            }
            let brackets = tokens.brackets.get(..starts.len()).unwrap_or_default();
            end = masks.apart(|| state.brackets.compare(starts, brackets, blocks, &self.uncommon));
        }
        (
            scalars,
            is_wrong,
            end.map(|end| place.start.wrapping_add(usize::from(end)).wrapping_add(1)),
        )
    }
}
