//! Brackets: whether each container is closed by its own kind, and holds what its kind may hold.

use super::super::bits::BLOCK;
use super::super::kernels::Open;
use super::masks::{PerBlock, of};
use crate::cast::index;

/// The open containers.
///
/// The container that is scanned was opened earlier, so the stack does not begin empty.
#[derive(Clone, Debug)]
pub(super) struct Brackets {
    /// The lowest bit of each byte says whether a container is an object. The outermost is at 1. Bytes at greater depths
    /// than any so far are 0.
    stack: [u8; 256],
    depth: u8,
    /// The lowest bit is set if a bracket did not fit.
    misfits: u64,
}

/// The number of positions that are written at once.
const FEW: usize = 4;

/// The greatest number of positions.
const MOST: usize = 512;

impl Brackets {
    pub(super) fn new(open: Open) -> Self {
        let mut stack = [0; 256];
        let depth = open.arrays.ilog2();
        let outer = stack.iter_mut().skip(1).zip((0..depth).rev());
        outer.for_each(|(kind, place)| {
            *kind = kind_of(if open.arrays >> place & 1 == 1 { b'[' } else { b'{' });
        });
        Self { stack, depth: depth as u8, misfits: 0 }
    }

    pub(super) const fn is_wrong(&self) -> bool {
        self.misfits & 1 == 1
    }

    /// Returns whether more containers were open than `levels` allows, or as many.
    pub(super) fn is_too_deep(&self, levels: u8) -> bool {
        self.stack.get(usize::from(levels).wrapping_add(1)).is_none_or(|&kind| kind != 0)
    }

    /// Compares the brackets of a window, from the masks of its blocks. Returns the position of the bracket that ends
    /// the scan.
    #[inline(always)]
    pub(super) fn compare(
        &mut self,
        starts: &[u16],
        masks: &[u64],
        text: &[[u8; BLOCK]],
        in_object: &PerBlock,
    ) -> Option<u16> {
        let mut positions = [0; MOST];
        let mut count = 0;
        for (&start, &brackets) in starts.iter().zip(masks) {
            if count > MOST - BLOCK - FEW {
                let end =
                    self.compare_some(positions.get(..count)?, text.as_flattened(), in_object);
                if end.is_some() {
                    return end;
                }
                count = 0;
            }
            // Few blocks have more brackets than are written at once.
            let mut left = brackets;
            let mut to = count;
            count = count.wrapping_add(index(brackets.count_ones()));
            loop {
                for position in positions.get_mut(to..to.wrapping_add(FEW))? {
                    *position = start.wrapping_add(left.trailing_zeros() as u16);
                    left &= left.wrapping_sub(1);
                }
                if left == 0 {
                    break;
                }
                to = to.wrapping_add(FEW);
            }
        }
        self.compare_some(positions.get(..count)?, text.as_flattened(), in_object)
    }

    #[inline(always)]
    fn compare_some(
        &mut self,
        positions: &[u16],
        text: &[u8],
        in_object: &PerBlock,
    ) -> Option<u16> {
        let Self { stack, .. } = self;
        let mut depth = self.depth;
        let mut misfits = 0;
        let mut end = None;
        for &position in positions {
            let byte = text.get(usize::from(position)).copied().unwrap_or(0);
            let row = usize::from(position >> 6 & 63);
            let is_in_object = of(in_object, row).wrapping_shr(position.into());
            misfits |=
                u64::from(stack.get(usize::from(depth)).copied().unwrap_or(0)) ^ is_in_object;
            // The byte above that of the open container may change if a bracket closes.
            if let Some(above) = stack.get_mut(usize::from(depth.wrapping_add(1))) {
                *above = kind_of(byte);
            }
            // Opening brackets have bit 1.
            depth = depth.wrapping_add(byte & 2).wrapping_sub(1);
            if depth == 0 {
                end = Some(position);
                break;
            }
        }
        self.depth = depth;
        self.misfits |= misfits;
        end
    }
}

/// Returns a byte that is not 0, with the lowest bit set for curly brackets.
const fn kind_of(bracket: u8) -> u8 {
    bracket >> 5
}
