//! Masks of the blocks of a window, one bit per byte.

/// The greatest number of blocks in a window.
pub(super) const MOST: usize = 64;

/// A mask for each block of a window.
pub(super) type PerBlock = [u64; MOST];

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
