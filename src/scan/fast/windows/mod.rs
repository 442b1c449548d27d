//! Scanning in windows: the rest of a long container, in blocks of sixty-four bytes and without a branch for each
//! token.
//!
//! The fast scanner goes from token to token, and pays for each of them with branches that are hard to predict. Once a
//! container has proved long, this module takes over to its end. It has the same contract: it accepts only valid text.
//!
//! Text is scanned in windows of up to 64 blocks ([`window`]). Bytes that are [`uncommon`] in strings are handled
//! first, then strings, then the [`tokens`] outside of strings with their [`brackets`], and finally the [`scalars`].
//! `docs/blocks.md` explains the design.

mod brackets;
mod masks;
mod scalars;
#[cfg(test)]
mod tests;
mod text;
mod tokens;
mod uncommon;
mod window;

use text::character_start;
pub(super) use text::text;

use super::bits::BLOCK;
use super::kernels::{Open, Unclear};
use super::lanes::Lanes;
use tokens::Start;
use window::{Place, State, Window, whole_blocks};

/// The number of blocks in the first window: a container that is only just long wastes little.
const FEW: u32 = 4;

/// Returns the offset after the bracket that closes the outermost of the open containers.
///
/// The rest begins at an element of an array that is not its first, or at a name. With `LINES`, an LF ends the text.
#[inline(always)]
pub(super) fn rest<const LINES: bool>(
    masks: impl Lanes,
    text: &[u8],
    from: usize,
    open: Open,
) -> Result<usize, Unclear> {
    let start = if open.arrays & 1 == 0 { Start::Name } else { Start::Element };
    let mut state = State::new(open);
    let mut window = Window::new(start);
    let mut place = Place { text, start: from, blocks: 0 };
    let mut most = FEW;
    loop {
        place.blocks = whole_blocks(place.text, place.start).min(most);
        most = most.wrapping_mul(4).min(64);
        if place.blocks > 0 {
            let end = window.scan::<LINES>(masks, &mut place, open, &mut state)?;
            if let Some(end) = end {
                return Ok(end);
            }
        }
        if place.blocks == 0 {
            break;
        }
        place.start = place.offset(place.blocks);
        if state.is_in_long_string {
            place.start = go_on_in_string(masks, place.text, place.start, &mut state);
        }
    }
    // The last bytes, with spaces after them, and with the block before them.
    let left = place.text.get(place.start..).unwrap_or_default();
    if LINES && let Some(end) = crate::bytes::find(b'\n', left) {
        place.end(place.start.wrapping_add(end));
    }
    let mut room = [b' '; 3 * BLOCK];
    let before = place.start.min(BLOCK);
    let rest = place.text.get(place.start.wrapping_sub(before)..).unwrap_or_default();
    crate::bytes::copy(rest, room.get_mut(BLOCK.wrapping_sub(before)..).unwrap_or_default());
    let mut last = Place { text: &room, start: BLOCK, blocks: 1 };
    let end = window.scan::<LINES>(masks, &mut last, open, &mut state)?;
    let end = end.ok_or(Unclear::Fault)?;
    Ok(place.start.wrapping_add(end.wrapping_sub(BLOCK)))
}

/// Continues in a long string with the code for long strings. Returns the offset where windows continue.
#[inline(always)]
fn go_on_in_string(masks: impl Lanes, bytes: &[u8], from: usize, state: &mut State) -> usize {
    // The scan must begin at the start of a character.
    let start = if state.is_beyond_ascii { character_start(bytes, from) } else { from };
    let at = masks.apart(|| text(masks, bytes, start));
    if at <= from {
        return from;
    }
    state.is_beyond_ascii = false;
    at
}

impl Window {
    /// Scans a window. Returns the offset after the bracket that ends the scan, if it is there.
    #[inline(always)]
    fn scan<const LINES: bool>(
        &mut self,
        masks: impl Lanes,
        place: &mut Place<'_>,
        open: Open,
        state: &mut State,
    ) -> Result<Option<usize>, Unclear> {
        let has_uncommon = self.look(masks, place);
        let mut is_wrong = false;
        if has_uncommon || state.escaped != 0 || state.is_beyond_ascii {
            let check = || self.check_uncommon::<LINES>(masks, place, state);
            is_wrong |= masks.apart(check);
            if place.blocks == 0 {
                return Ok(None);
            }
        }
        is_wrong |= self.strings(masks, place, state);
        // The second half of the window.
        state.is_in_long_string = state.inside != 0
            && state.escaped == 0
            && self.busy().last().is_none_or(|&last| u32::from(last) >> 6 < place.blocks >> 1)
            && place.blocks > 3;
        if self.busy().is_empty() {
            return if is_wrong { Err(Unclear::Fault) } else { Ok(None) };
        }
        let (scalars, has_wrong_token, end) = self.structure(masks, place, state);
        is_wrong |= has_wrong_token;
        is_wrong |= self.check_scalars(masks, place, scalars, state);
        if state.brackets.is_too_deep(open.levels) {
            return Err(Unclear::Other);
        }
        if is_wrong || state.brackets.is_wrong() {
            return Err(Unclear::Fault);
        }
        Ok(end)
    }

    #[inline(always)]
    fn check_uncommon<const LINES: bool>(
        &mut self,
        masks: impl Lanes,
        place: &mut Place<'_>,
        state: &mut State,
    ) -> bool {
        let uncommon = self.whitespace::<LINES>(masks, place);
        // Without blocks, the carried state is for the last bytes.
        place.blocks > 0 && self.escapes_and_characters(masks, place, &uncommon, state)
    }
}
