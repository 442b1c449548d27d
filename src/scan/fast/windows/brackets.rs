//! Brackets: whether each container is closed by its own kind, and holds what its kind may hold.

use super::tokens::Verdict;

/// The empty stack of open containers. A stack has one bit for each container, the innermost lowest, set for an object.
/// A marker bit lies above them. The marker looks like an object, because the outermost container may follow a colon.
const OUTSIDE: u64 = 1;

/// The greatest number of open containers that a stack has bits for.
const DEEPEST: u32 = 62;

/// The open containers.
///
/// The container that is scanned was opened earlier, so the stack does not begin empty.
#[derive(Clone, Debug)]
pub(super) struct Brackets {
    stack: u64,
    /// All stacks so far, one over the other.
    stacks: u64,
    /// True if a bracket did not fit.
    pub(super) is_wrong: bool,
    count: usize,
    kinds: [u8; 4096 + 8],
}

impl Brackets {
    pub(super) const fn new(stack: u64) -> Self {
        Self { stack, stacks: stack, is_wrong: false, count: 0, kinds: [0; 4096 + 8] }
    }

    /// Returns whether more containers were open than `levels` allows or a stack has bits for.
    pub(super) const fn is_too_deep(&self, levels: u32) -> bool {
        let depth = 63_u32.wrapping_sub(self.stacks.leading_zeros());
        depth > levels || depth > DEEPEST
    }

    /// Adds the brackets of a block.
    #[inline(always)]
    pub(super) fn add(&mut self, block: u32, verdict: &Verdict) {
        let &Verdict { mut brackets, opening, curly, in_object } = verdict;
        let _ = block;
        let count = brackets.count_ones() as usize;
        let from = self.count;
        self.count += count;
        let mut kind = || {
            let at = brackets.trailing_zeros();
            brackets &= brackets.wrapping_sub(1);
            (opening.wrapping_shr(at) & 1 | (curly.wrapping_shr(at) & 1) << 1 | (in_object.wrapping_shr(at) & 1) << 2) as u8
        };
        let mut to = from;
        loop {
            if let Some(four) = self.kinds.get_mut(to..to + 4) {
                for place in four {
                    *place = kind();
                }
            }
            to += 4;
            if to >= from + count { break }
        }
    }

    /// Returns the number of the bracket that ends the scan.
    #[inline(always)]
    pub(super) fn compare(&mut self) -> Option<u32> {
        let mut stack = self.stack;
        let mut stacks = self.stacks;
        let mut misfits = 0;
        let mut end = None;
        for (number, &kind) in self.kinds.iter().take(self.count).enumerate() {
            let kind = u64::from(kind);
            misfits |= stack ^ kind >> 2;
            let open = kind & 1;
            stack = (stack << open) >> (open ^ 1) | (kind >> 1 & open);
            stacks |= stack;
            if stack == OUTSIDE {
                end = Some(number as u32);
                break;
            }
        }
        self.is_wrong |= misfits & 1 != 0;
        self.stacks = stacks;
        self.stack = stack;
        self.count = 0;
        end
    }
}
