//! Brackets: whether each container is closed by its own kind, and holds what its kind may hold.

use super::super::bits::BLOCK;
use super::super::kernels::Open;
use super::super::lanes::Lanes;
use super::masks::{PerBlock, of};
use super::tokens::Tokens;
use crate::cast::index;

/// The empty stack of open containers. A stack has one bit for each container, the innermost lowest, set for an object.
/// A marker bit lies above them. The marker looks like an object, because the outermost container may follow a colon.
const OUTSIDE: u64 = 1;

/// The greatest number of open containers that a stack has bits for.
const DEEPEST: u32 = 62;

/// The open containers.
///
/// The container that is scanned was opened earlier, so the stack does not begin empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Brackets {
    stack: u64,
    /// An upper bound on the number of containers open at the same time.
    depth: u32,
    /// The lowest bit is set if a bracket did not fit.
    misfits: u64,
}

/// The number of positions that are written at once.
const FEW: usize = 4;

/// The greatest number of positions.
const MOST: usize = 512;

impl Brackets {
    pub(super) const fn new(open: Open) -> Self {
        // The stack is never 0.
        let marker = 1_u64 << (63 ^ open.arrays.leading_zeros());
        let stack = marker | !open.arrays & marker.wrapping_sub(1);
        Self { stack, depth: 0, misfits: 0 }
    }

    pub(super) const fn is_wrong(&self) -> bool {
        self.misfits & 1 == 1
    }

    /// Returns whether more containers were, or may have been, open than `levels` allows or a stack has bits for.
    pub(super) fn is_too_deep(&self, levels: u8) -> bool {
        self.depth > DEEPEST.min(levels.into())
    }

    /// Compares the brackets of a window, by their positions. Returns the position of the bracket that ends the scan.
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
                    let [place, ..] = left.trailing_zeros().to_le_bytes();
                    *position = start.wrapping_add(place.into());
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
        let Self { mut stack, mut misfits, .. } = *self;
        let mut stacks = stack;
        let mut end = None;
        for &position in positions {
            let byte = u64::from(text.get(usize::from(position)).copied().unwrap_or(0));
            let row = usize::from(position >> 6 & 63);
            misfits |= stack ^ of(in_object, row).wrapping_shr(position.into());
            // Opening brackets have bit 1, and curly ones bit 5.
            let opens = byte >> 1 & 1;
            stack = stack << opens >> (opens ^ 1) | byte >> 5 & opens;
            stacks |= stack;
            if stack == OUTSIDE {
                end = Some(position);
                break;
            }
        }
        self.note(stack, stacks, misfits, 0);
        end
    }

    /// Compares the brackets of a window in groups. Returns false, and changes nothing, if the scan ends in the window.
    #[inline(always)]
    pub(super) fn compare_groups(&mut self, lanes: impl Lanes, tokens: &Tokens) -> bool {
        let mut compared = *self;
        let mut group = Group::default();
        let rows = tokens.brackets.iter().zip(&tokens.bit1).zip(&tokens.bit5);
        let rows = rows.zip(&tokens.in_object).take(tokens.count);
        for (((&brackets, &opening), &curly), &in_object) in rows {
            let count = brackets.count_ones();
            if group.count.wrapping_add(count) > 64 {
                if !compared.compare_pairs(lanes, &group) {
                    return false;
                }
                group = Group::default();
            }
            let gather = |bits| lanes.gather(bits, brackets).wrapping_shl(group.count);
            group.opening |= gather(opening);
            group.curly |= gather(curly);
            group.in_object |= gather(in_object);
            group.count = group.count.wrapping_add(count);
        }
        let is_open = compared.compare_pairs(lanes, &group);
        if is_open {
            *self = compared;
        }
        is_open
    }

    /// Compares a group. Returns false if the scan ends in the group.
    ///
    /// An opening bracket forms a pair with the next bracket if that one closes. Their kinds must agree. The bracket
    /// after the pair must be in the same kind of container as the first bracket of the pair, because it is the same
    /// container. When pairs are removed, other brackets become pairs. The brackets that are left are compared with the
    /// stack.
    #[inline(always)]
    fn compare_pairs(&mut self, lanes: impl Lanes, group: &Group) -> bool {
        let Group { count, mut opening, mut curly, mut in_object } = *group;
        let mut valid = u64::MAX.checked_shr(64_u32.wrapping_sub(count)).unwrap_or(0);
        let mut wrong = 0;
        let mut rounds: u32 = 0;
        loop {
            let pairs = opening & (valid & !opening) >> 1 & valid >> 2;
            if pairs == 0 {
                break;
            }
            wrong |= pairs & (curly ^ curly >> 1 | in_object ^ in_object >> 2);
            let rest = valid & !(pairs | pairs << 1);
            opening = lanes.gather(opening, rest);
            curly = lanes.gather(curly, rest);
            in_object = lanes.gather(in_object, rest);
            valid = lanes.gather(rest, rest);
            rounds = rounds.wrapping_add(1);
        }
        let mut stack = self.stack;
        let mut stacks = stack;
        let mut misfits = self.misfits | u64::from(wrong != 0);
        while valid != 0 {
            misfits |= stack ^ in_object;
            let opens = opening & 1;
            stack = stack << opens >> (opens ^ 1) | curly & opens;
            if stack == OUTSIDE {
                return false;
            }
            stacks |= stack;
            opening >>= 1;
            curly >>= 1;
            in_object >>= 1;
            valid >>= 1;
        }
        self.note(stack, stacks, misfits, rounds);
        true
    }

    /// Records the stack. All stacks are in `stacks`, and pairs that are nested in as many rounds were open above them.
    #[inline(always)]
    fn note(&mut self, stack: u64, stacks: u64, misfits: u64, rounds: u32) {
        let depth = 63_u32.wrapping_sub(stacks.leading_zeros()).wrapping_add(rounds);
        *self = Self { stack, misfits, depth: self.depth.max(depth) };
    }
}

/// Up to 64 brackets, with a bit for each.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    count: u32,
    opening: u64,
    curly: u64,
    in_object: u64,
}
