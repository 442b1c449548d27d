//! The blocks that have more than plain strings: line breaks, escapes, and characters beyond ASCII.

use super::super::bits::{BLOCK, escaped};
use super::super::lanes::Lanes;
use super::super::word;
use super::masks::{MOST, PerBlock, bit, of, places, set};
use super::window::{Place, State, Window, whole_blocks};
use crate::cast::index;

/// The blocks that have uncommon bytes, by what these bytes are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Uncommon {
    backslashes: PerBlock,
    /// The map of the blocks that have backslashes.
    with_backslashes: u64,
    /// The map of the blocks that have bytes beyond ASCII.
    beyond_ascii: u64,
    /// The map of the blocks that have control characters other than whitespace.
    controls: u64,
}

impl Window {
    /// Leaves only the line breaks and tabs in [`uncommon`](Self::uncommon), and returns the other bytes.
    ///
    /// With `LINES`, the first LF ends the text. The LF and the bytes after it are removed from the place, and so is a
    /// CR directly before it. Any other CR counts as a fault.
    #[inline(always)]
    pub(super) fn whitespace<const LINES: bool>(
        &mut self,
        masks: impl Lanes,
        place: &mut Place<'_>,
    ) -> Uncommon {
        let rows = self.uncommon.iter().take(index(place.blocks)).enumerate();
        let map = rows.fold(0, |map, (at, &uncommon)| map | bit(uncommon != 0, at));
        // A CR at the end of the window may be directly before the LF.
        let after = place.offset(place.blocks);
        if LINES && place.text.get(after) == Some(&b'\n') {
            place.end(after);
        }
        let mut backslashes = [0; MOST];
        let (mut with_backslashes, mut beyond_ascii, mut controls) = (0, 0, 0);
        for number in places(map) {
            let Some(block) = place.block(number) else { continue };
            let at = index(number);
            let uncommon = of(&self.uncommon, at);
            let beyond = masks.beyond_ascii(block);
            beyond_ascii |= bit(beyond != 0, at);
            // A block with bytes beyond ASCII often has no other uncommon bytes.
            if uncommon == beyond {
                set(&mut self.uncommon, at, 0);
                continue;
            }
            let feeds = masks.equal(block, b'\n');
            if LINES && feeds != 0 {
                place.end(place.offset(number).wrapping_add(index(feeds.trailing_zeros())));
                break;
            }
            let mut spaces = feeds | masks.equal(block, b'\t');
            if !LINES {
                spaces |= masks.equal(block, b'\r');
            }
            let here = masks.equal(block, b'\\');
            set(&mut self.uncommon, at, spaces);
            set(&mut backslashes, at, here);
            with_backslashes |= bit(here != 0, at);
            controls |= bit(uncommon & !(beyond | spaces | here) != 0, at);
        }
        let all = place.all();
        Uncommon {
            backslashes,
            with_backslashes: with_backslashes & all,
            beyond_ascii: beyond_ascii & all,
            controls: controls & all,
        }
    }

    /// Removes escaped quotes from the quotes, and checks escapes and characters. Returns whether one is
    /// wrong.
    ///
    /// The next block is visited too, because an escape or a character may continue there. Finding out first whether
    /// one does would make each block wait for the one before.
    #[inline(always)]
    pub(super) fn escapes_and_characters(
        &mut self,
        masks: impl Lanes,
        place: &Place<'_>,
        uncommon: &Uncommon,
        state: &mut State,
    ) -> bool {
        let Uncommon { backslashes, with_backslashes, beyond_ascii, controls } = uncommon;
        let mut is_wrong = *controls != 0;
        let visited = with_backslashes | with_backslashes << 1 | state.escaped;
        for number in places(visited & place.all()) {
            let Some(block) = place.block(number) else { continue };
            let escaped = escaped(of(backslashes, index(number)), &mut state.escaped);
            let quotes = of(&self.tokens.quotes, index(number));
            set(&mut self.tokens.quotes, index(number), quotes & !escaped);
            let unusual = escaped & !masks.simple_escapes(block);
            if unusual != 0 {
                let unicode = unusual & masks.equal(block, b'u');
                is_wrong |= unusual != unicode & followed_by_digits(masks, place, number);
            }
        }
        let visited = beyond_ascii | beyond_ascii << 1 | u64::from(state.is_beyond_ascii);
        state.is_beyond_ascii = beyond_ascii >> (place.blocks.wrapping_sub(1) & 63) & 1 == 1;
        for number in places(visited & place.all()) {
            let (Some(block), Some(before)) = (place.block(number), place.before(number)) else {
                return true;
            };
            is_wrong |= !masks.is_utf8(block, before);
        }
        is_wrong
    }
}

impl Place<'_> {
    /// Ends the text before the LF at this offset.
    pub(super) fn end(&mut self, at: usize) {
        let line = self.text.get(..at).unwrap_or_default();
        self.text = line.strip_suffix(b"\r").unwrap_or(line);
        self.blocks = self.blocks.min(whole_blocks(self.text, self.start));
    }

    /// Returns the 64 bytes that begin one, two and three bytes before a block.
    #[inline(always)]
    pub(super) fn before(&self, number: u32) -> Option<[&[u8; BLOCK]; 3]> {
        let offset = self.offset(number);
        let before = |bytes: usize| word::chunk(self.text, offset.wrapping_sub(bytes));
        Some([before(1)?, before(2)?, before(3)?])
    }
}

/// Marks the bytes of a block that are followed by four hexadecimal digits.
#[inline(always)]
pub(super) fn followed_by_digits(masks: impl Lanes, place: &Place<'_>, number: u32) -> u64 {
    let Some(block) = place.block(number) else { return 0 };
    let here = masks.hex_digits(block);
    // The digits of the last four bytes are in the next block.
    let next = word::load(place.text, place.offset(number).wrapping_add(BLOCK)).to_le_bytes();
    let next = [0, 1, 2, 3]
        .into_iter()
        .zip(next)
        .fold(0, |digits, (at, byte)| digits | u64::from(byte.is_ascii_hexdigit()) << at);
    let ahead = |bytes: u32| here >> bytes | next << 64_u32.wrapping_sub(bytes);
    ahead(1) & ahead(2) & ahead(3) & ahead(4)
}
