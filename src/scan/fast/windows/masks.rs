//! The operations that the passes need from the machine: masks of blocks, and two operations on masks.

use super::super::bits::BLOCK;
use super::super::blocks::Blocks;

/// The greatest number of blocks in a window.
pub(super) const MOST: usize = 64;

/// A mask for each block of a window.
pub(in super::super) type PerBlock = [u64; MOST];

/// Computes the masks of blocks, one bit per byte.
pub(in super::super) trait Masks: Blocks {
    fn quotes(self, block: &[u8; BLOCK]) -> u64;

    /// Marks what is not plain in a string: backslashes, control characters and bytes beyond ASCII.
    fn uncommon(self, block: &[u8; BLOCK]) -> u64;

    /// Returns whether the bytes are plain in a string, and in ASCII.
    fn is_plain(self, blocks: &[u8; 4 * BLOCK]) -> bool;

    fn has_control(self, block: &[u8; BLOCK]) -> bool;

    fn has_control_or_beyond_ascii(self, block: &[u8; BLOCK]) -> bool;

    fn equal(self, block: &[u8; BLOCK], byte: u8) -> u64;

    fn beyond_ascii(self, block: &[u8; BLOCK]) -> u64;

    /// Marks the bytes that may follow a backslash, except `u`.
    fn simple_escapes(self, block: &[u8; BLOCK]) -> u64;

    fn hex_digits(self, block: &[u8; BLOCK]) -> u64;

    /// Returns whether each character that ends in the block, or is cut off in it by another byte, is valid UTF-8. The
    /// second argument has the 64 bytes that begin one byte before the block, then two, then three.
    fn is_utf8(self, block: &[u8; BLOCK], before: [&[u8; BLOCK]; 3]) -> bool;

    fn classes(self, block: &[u8; BLOCK]) -> Classes;

    /// Runs the closure in a function of its own, compiled for the same instructions.
    fn apart<R>(self, work: impl FnOnce() -> R) -> R;

    /// Marks the places with an odd number of bits up to and including them.
    fn parity(self, bits: u64) -> u64;
}

/// The masks that tell tokens apart. The control characters 0C and 1A may be among them: they are faults anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Classes {
    pub(in super::super) brackets: u64,
    /// Curly brackets, colons and commas: the operators that have bit 5.
    pub(in super::super) bit5: u64,
    /// Opening brackets and colons: the operators that have bit 1.
    pub(in super::super) bit1: u64,
    pub(in super::super) spaces: u64,
}

/// Returns the positions of the set bits.
#[inline(always)]
pub(super) fn places(mut bits: u64) -> impl Iterator<Item = u32> {
    core::iter::from_fn(move || {
        let place = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (place < 64).then_some(place)
    })
}

/// Returns the mask of a block.
#[inline(always)]
pub(super) fn of(masks: &PerBlock, block: usize) -> u64 {
    masks.get(block).copied().unwrap_or(0)
}

/// Sets the mask of a block.
#[inline(always)]
pub(super) fn set(masks: &mut PerBlock, block: usize, mask: u64) {
    if let Some(place) = masks.get_mut(block) {
        *place = mask;
    }
}

/// Returns a map with the bit of this block, if `is` is true.
#[inline(always)]
pub(super) fn bit(is: bool, block: usize) -> u64 {
    u64::from(is) << (block & 63)
}
