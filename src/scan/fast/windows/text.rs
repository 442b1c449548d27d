//! Long strings: escapes and characters in one pass, until the string ends.

use super::super::bits::{AHEAD, BLOCK, escaped};
use super::super::lanes::Lanes;
use super::masks::{MOST, PerBlock, bit, of, places, set};
use super::uncommon::followed_by_digits;
use super::window::{Place, whole_blocks};
use crate::cast::index;

/// The number of blocks that are scanned before their escapes and characters are checked.
const BATCH: u32 = 32;

/// Returns how far the contents of a string are known to be valid, including UTF-8. The scan begins outside escapes and
/// at the start of a character. It stops at such a place before the string ends, or where only checked digits of an
/// escape are left. It does not report what is wrong there, if anything.
#[inline(always)]
pub(in super::super) fn text(masks: impl Lanes, text: &[u8], from: usize) -> usize {
    let mut place = Place { text, start: clean(masks, text, from), blocks: 0 };
    // One if the next byte is escaped.
    let mut carry = 0;
    let mut is_beyond_ascii = false;
    let mut unusual: PerBlock = [0; MOST];
    loop {
        let most = whole_blocks(text, place.start).min(BATCH);
        place.blocks = 0;
        // Maps of the blocks with escapes that are not simple, and with control characters or characters beyond ASCII.
        let (mut with_unusual, mut others) = (0, 0);
        let mut escaped_next = carry;
        for number in 0..most {
            let Some(block) = place.block(number) else { break };
            masks.prefetch(text, place.offset(number).wrapping_add(AHEAD));
            let mut next = escaped_next;
            let escaped = escaped(masks.equal(block, b'\\'), &mut next);
            if masks.quotes(block) & !escaped != 0 {
                break;
            }
            escaped_next = next;
            let bad_or_unicode = escaped & !masks.simple_escapes(block);
            set(&mut unusual, index(number), bad_or_unicode);
            with_unusual |= bit(bad_or_unicode != 0, index(number));
            others |= bit(masks.has_control_or_beyond_ascii(block), index(number));
            place.blocks = number.wrapping_add(1);
        }
        if place.blocks == 0
            || !is_valid(masks, &place, &unusual, with_unusual, others, is_beyond_ascii)
        {
            break;
        }
        carry = escaped_next;
        is_beyond_ascii = others >> (place.blocks.wrapping_sub(1) & 63) & 1 == 1;
        place.start = place.offset(place.blocks);
        if place.blocks < BATCH {
            break;
        }
    }
    if place.start == from {
        from
    } else if carry == 1 {
        place.start.wrapping_sub(1)
    } else {
        character_start(text, place.start)
    }
}

/// Skips plain ASCII.
#[inline(always)]
fn clean(masks: impl Lanes, bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    let blocks = bytes.get(from..).unwrap_or_default().as_chunks().0.as_chunks::<4>().0;
    for block in blocks {
        masks.prefetch_four(bytes, at);
        if !masks.is_plain(block) {
            break;
        }
        at = at.wrapping_add(4 * BLOCK);
    }
    at
}

/// Returns whether the unusual escapes and the characters of some blocks are valid.
#[inline(always)]
fn is_valid(
    masks: impl Lanes,
    place: &Place<'_>,
    unusual: &PerBlock,
    with_unusual: u64,
    others: u64,
    is_beyond_ascii: bool,
) -> bool {
    let mut is_wrong = false;
    for number in places(with_unusual) {
        let Some(block) = place.block(number) else { return false };
        let unicode = masks.equal(block, b'u') & followed_by_digits(masks, place, number);
        is_wrong |= of(unusual, index(number)) & !unicode != 0;
    }
    for number in places((others | others << 1 | u64::from(is_beyond_ascii)) & place.all()) {
        let (Some(block), Some(before)) = (place.block(number), place.before(number)) else {
            return false;
        };
        is_wrong |= masks.has_control(block);
        is_wrong |= !masks.is_utf8(block, before);
    }
    !is_wrong
}

/// Returns the start of a character that may continue at this offset. If no character continues there, returns the
/// offset, or the start of the character before it.
pub(super) fn character_start(text: &[u8], at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default().iter().rev().take(3);
    let back = before.take_while(|&&byte| byte >= 0x80).position(|&byte| byte >= 0xC0);
    at.wrapping_sub(back.map_or(0, |back| back.wrapping_add(1)))
}
