//! The ways over short strings and over numbers, in blocks of sixty-four bytes, for whoever can say
//! where in a block the bytes of each kind are.

use super::bits::{BLOCK, Carry, Decimals, Numbers};
use super::word;

/// What is said of blocks.
pub(super) trait Blocks: Copy {
    /// Where there are quotes, backslashes, control characters and bytes beyond ASCII.
    fn special(self, block: &[u8; BLOCK]) -> u64;

    fn numbers(self, block: &[u8; BLOCK]) -> Numbers;

    fn decimals(self, block: &[u8; BLOCK]) -> Decimals;

    /// Has the bytes there fetched from memory, if there are any, for when they are needed.
    fn prefetch(self, bytes: &[u8], at: usize);
}

/// So far ahead bytes are fetched: a walk over text waits for memory at each step if nobody has asked
/// before.
pub(super) const AHEAD: usize = 2048;

/// What is known of the block of the text that was looked at last.
///
/// The bytes that are special are gone through one by one, a quote that opens a string and one that closes
/// it: where the next string ends is known before anybody has come to where it begins.
#[derive(Debug)]
pub(crate) struct Near {
    /// Where the block begins; far from any text, where there was none.
    start: usize,
    /// The special bytes of the block that were not passed yet.
    special: u64,
}

impl Default for Near {
    #[inline(always)]
    fn default() -> Self {
        Self { start: usize::MAX / 2, special: 0 }
    }
}

impl Near {
    /// Where the next special byte is, or the end of the block.
    #[inline(always)]
    fn next(&self) -> usize {
        self.start.wrapping_add(crate::cast::index(self.special.trailing_zeros()))
    }

    #[inline(always)]
    fn pass(&mut self) {
        self.special &= self.special.wrapping_sub(1);
    }

    #[inline(always)]
    fn look(&mut self, blocks: impl Blocks, bytes: &[u8], start: usize) {
        blocks.prefetch(bytes, start.wrapping_add(AHEAD));
        self.start = start;
        self.special = match word::chunk(bytes, start) {
            Some(block) => blocks.special(block),
            None => last(blocks, bytes, start),
        };
    }
}

/// So many bytes are a short string.
const SHORT: usize = 4 * BLOCK;

/// The way over short strings.
#[inline(always)]
pub(super) fn short(blocks: impl Blocks, bytes: &[u8], from: usize, near: &mut Near) -> usize {
    if near.special != 0 && near.next().wrapping_add(1) == from {
        near.pass();
    } else {
        let place = from.wrapping_sub(near.start);
        if place < BLOCK {
            near.special &= u64::MAX << place;
        } else {
            near.look(blocks, bytes, from);
        }
    }
    loop {
        let stop = near.next();
        if near.special != 0 {
            near.pass();
            return stop;
        }
        if stop.wrapping_sub(from) >= SHORT {
            return stop;
        }
        near.look(blocks, bytes, stop);
    }
}

/// The block that the text ends in, whose end stops whatever is under way.
#[inline(never)]
fn last(blocks: impl Blocks, bytes: &[u8], start: usize) -> u64 {
    let left = bytes.len().saturating_sub(start);
    match bytes.last_chunk::<BLOCK>() {
        // The last bytes that make a block, without those that come before.
        Some(block) if left > 0 => {
            let before = u32::try_from(BLOCK.wrapping_sub(left)).unwrap_or(0) & 63;
            blocks.special(block) >> before | !(u64::MAX >> before)
        }
        _ => {
            let mut block = [0; BLOCK];
            crate::bytes::copy(bytes.get(start..).unwrap_or(b""), &mut block);
            blocks.special(&block)
        }
    }
}

/// The kernel over numbers.
#[inline(always)]
pub(super) fn numbers(blocks: impl Blocks, bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    let mut whole = from;
    let mut carry = Carry::START;
    while let Some(block) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        blocks.prefetch(bytes, at.wrapping_add(AHEAD));
        let numbers = blocks.numbers(block);
        let stops = numbers.stops(&mut carry, || blocks.decimals(block));
        let length = crate::cast::index(numbers.whole(stops));
        if length > 0 {
            whole = at.wrapping_add(length);
        }
        if stops != 0 {
            break;
        }
        at = at.wrapping_add(BLOCK);
    }
    whole
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::Portable;
    use super::super::bits::one_by_one;
    use super::{BLOCK, Blocks};

    pub(in super::super) fn check(blocks: impl Blocks, block: &[u8; BLOCK]) {
        let text = one_by_one::text(block);
        let special = text.quotes | text.backslashes | text.controls | text.beyond_ascii;
        assert_eq!(blocks.special(block), special, "{block:?}");
        assert_eq!(blocks.numbers(block), one_by_one::numbers(block), "{block:?}");
        assert_eq!(blocks.decimals(block), one_by_one::decimals(block), "{block:?}");
    }

    #[test]
    fn every_byte_in_every_place() {
        for block in one_by_one::blocks() {
            check(Portable, &block);
        }
    }
}
