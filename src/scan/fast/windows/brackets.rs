//! Brackets: whether each container is closed by its own kind, and holds what its kind may hold.

use super::super::bits::BLOCK;
use super::super::kernels::Open;
use super::masks::MOST;
use crate::cast::index;

/// The open containers.
///
/// The container that is scanned was opened earlier, so the stack does not begin empty.
#[derive(Clone, Debug)]
pub(super) struct Brackets {
    /// The highest bit of each byte says whether a container is an object. The outermost is at 1. Bytes at greater
    /// depths than any so far are 0.
    stack: [u8; 256],
    depth: u8,
    /// The brackets of a window, as far as they are not compared yet: their bytes, with the highest bit set in an
    /// object.
    brackets: [u8; MOST * BLOCK + FEW],
    count: usize,
    /// The highest bit is set if a bracket did not fit.
    misfits: u8,
}

/// The number of brackets that are moved at once.
const FEW: usize = 4;

impl Brackets {
    pub(super) fn new(open: Open) -> Self {
        let mut stack = [0; 256];
        let depth = open.arrays.ilog2();
        let outer = stack.iter_mut().skip(1).zip((0..depth).rev());
        outer.for_each(|(kind, place)| *kind = if open.arrays >> place & 1 == 1 { ARRAY } else { OBJECT });
        Self { stack, depth: depth as u8, brackets: [0; MOST * BLOCK + FEW], count: 0, misfits: 0 }
    }

    pub(super) const fn is_wrong(&self) -> bool {
        self.misfits >> 7 == 1
    }

    /// Returns whether more containers were open than `levels` allows, or as many.
    pub(super) fn is_too_deep(&self, levels: u8) -> bool {
        self.stack.get(usize::from(levels).wrapping_add(1)).is_none_or(|&kind| kind != 0)
    }

    /// Adds the brackets of a block.
    #[inline(always)]
    pub(super) fn add(&mut self, block: &[u8; BLOCK], brackets: u64, in_object: u64) {
        let mut left = brackets;
        let mut to = self.count;
        self.count = to.wrapping_add(index(brackets.count_ones()));
        loop {
            let Some(few) = self.brackets.get_mut(to..).and_then(|rest| rest.first_chunk_mut::<FEW>()) else { break };
            for bracket in few {
                let at = left.trailing_zeros() & 63;
                left &= left.wrapping_sub(1);
                let byte = block.get(index(at)).copied().unwrap_or(0);
                *bracket = byte | ((in_object >> at) as u8) << 7;
            }
            to = to.wrapping_add(FEW);
            if to >= self.count {
                break;
            }
        }
    }

    /// Compares the brackets of the window. Returns the number of the bracket that ends the scan.
    #[inline(always)]
    pub(super) fn compare(&mut self) -> Option<u32> {
        let mut depth = self.depth;
        let mut misfits = self.misfits;
        let mut end = None;
        for (number, &bracket) in (0..).zip(self.brackets.iter().take(self.count)) {
            misfits |= self.stack.get(usize::from(depth)).copied().unwrap_or(0) ^ bracket;
            // The byte above that of the open container may change if a bracket closes.
            if let Some(above) = self.stack.get_mut(usize::from(depth.wrapping_add(1))) {
                *above = bracket << 2;
            }
            // Opening brackets have bit 1.
            depth = depth.wrapping_add(bracket & 2).wrapping_sub(1);
            if depth == 0 {
                end = Some(number);
                break;
            }
        }
        (self.depth, self.misfits, self.count) = (depth, misfits, 0);
        end
    }
}

/// The kinds of containers: their opening brackets, with the highest bit set for objects.
const ARRAY: u8 = b'[' << 2;
const OBJECT: u8 = b'{' << 2;
