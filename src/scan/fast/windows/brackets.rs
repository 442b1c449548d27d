//! Brackets: whether each container is closed by its own kind, and holds what its kind may hold.

use super::masks::Masks;
use super::tokens::Verdict;

/// The empty stack of open containers. A stack has one bit for each container, the innermost lowest, set for an object.
/// A marker bit lies above them. The marker looks like an object, because the outermost container may follow a colon.
const OUTSIDE: u64 = 1;

/// The greatest number of open containers that a stack has bits for.
const DEEPEST: u32 = 62;

/// The number of brackets in a group.
const GROUP: u32 = 64;

/// The open containers, and a group of brackets that has not been compared with them.
///
/// The container that is scanned was opened earlier, so the stack does not begin empty.
#[derive(Clone, Copy, Debug)]
pub(super) struct Brackets {
    stack: u64,
    /// True if a bracket did not fit.
    pub(super) is_wrong: bool,
    /// An upper bound on the number of containers open at the same time.
    pub(super) depth: u32,
    /// The number of brackets compared in this window.
    pub(super) passed: u32,
    /// The number of the bracket that ended the scan, counted from the start of the window.
    pub(super) last: Option<u32>,
    group: Group,
}

#[derive(Clone, Copy, Debug, Default)]
struct Group {
    count: u32,
    opening: u64,
    curly: u64,
    in_object: u64,
}

impl Brackets {
    pub(super) const fn new(stack: u64) -> Self {
        let group = Group { count: 0, opening: 0, curly: 0, in_object: 0 };
        Self { stack, is_wrong: false, depth: 0, passed: 0, last: None, group }
    }

    /// Returns whether more containers were, or may have been, open than `levels` allows or a stack has bits for.
    pub(super) const fn is_too_deep(&self, levels: u32) -> bool {
        self.depth > levels || self.depth > DEEPEST
    }

    /// Adds the brackets of a word of tokens.
    #[inline(always)]
    pub(super) fn add(&mut self, masks: impl Masks, verdict: &Verdict) {
        let count = verdict.brackets.count_ones();
        if self.group.count.wrapping_add(count) > GROUP {
            self.compare(masks);
        }
        let to = self.group.count;
        let gather = |bits| masks.gather(bits, verdict.brackets).wrapping_shl(to);
        self.group.opening |= gather(verdict.opening);
        self.group.curly |= gather(verdict.curly);
        self.group.in_object |= gather(verdict.in_object);
        self.group.count = to.wrapping_add(count);
    }

    /// Compares the brackets of the group with the stack.
    #[inline(always)]
    pub(super) fn compare(&mut self, masks: impl Masks) {
        masks.apart(|| self.compare_group(masks));
    }

    #[inline(always)]
    fn compare_group(&mut self, masks: impl Masks) {
        let group = core::mem::take(&mut self.group);
        if self.last.is_none() && group.count > 0 && !self.compare_pairs(masks, group) {
            self.compare_each(group);
        }
        self.passed = self.passed.wrapping_add(group.count);
    }

    /// Compares a group, pairs first. Returns false, and changes nothing, if the scan ends in the group.
    ///
    /// An opening bracket forms a pair with the next bracket if that one closes. Their kinds must agree. The bracket
    /// after the pair must be in the same kind of container as the first bracket of the pair, because it is the same
    /// container. When pairs are removed, other brackets become pairs. The brackets that are left are compared with the
    /// stack.
    #[inline(always)]
    fn compare_pairs(&mut self, masks: impl Masks, group: Group) -> bool {
        let Group { count, mut opening, mut curly, mut in_object } = group;
        let mut valid = u64::MAX >> (GROUP.wrapping_sub(count) & 63);
        let mut wrong = 0;
        let mut rounds: u32 = 0;
        loop {
            let pairs = opening & (valid & !opening) >> 1 & valid >> 2;
            if pairs == 0 {
                break;
            }
            wrong |= pairs & (curly ^ curly >> 1 | in_object ^ in_object >> 2);
            let rest = valid & !(pairs | pairs << 1);
            opening = masks.gather(opening, rest);
            curly = masks.gather(curly, rest);
            in_object = masks.gather(in_object, rest);
            valid = masks.gather(rest, rest);
            rounds = rounds.wrapping_add(1);
        }
        let mut stack = self.stack;
        let mut stacks = stack;
        let mut misfits = 0;
        while valid != 0 {
            misfits |= stack ^ in_object;
            stack = pushed_or_popped(stack, opening, curly);
            if stack == OUTSIDE {
                return false;
            }
            stacks |= stack;
            opening >>= 1;
            curly >>= 1;
            in_object >>= 1;
            valid >>= 1;
        }
        self.stack = stack;
        self.is_wrong |= (wrong | misfits & 1) != 0;
        self.note_depth(stacks, rounds);
        true
    }

    /// Compares the brackets of a group one by one up to the end of the scan.
    fn compare_each(&mut self, group: Group) {
        let Group { count, mut opening, mut curly, mut in_object } = group;
        let mut stacks = self.stack;
        for number in 0..count {
            self.is_wrong |= (self.stack ^ in_object) & 1 != 0;
            self.stack = pushed_or_popped(self.stack, opening, curly);
            stacks |= self.stack;
            if self.stack == OUTSIDE {
                self.last = Some(self.passed.wrapping_add(number));
                break;
            }
            opening >>= 1;
            curly >>= 1;
            in_object >>= 1;
        }
        self.note_depth(stacks, 0);
    }

    /// Records the depth of these stacks, with `rounds` rounds of pairs nested in them.
    #[inline(always)]
    fn note_depth(&mut self, stacks: u64, rounds: u32) {
        let levels = 63_u32.wrapping_sub(stacks.leading_zeros()).wrapping_add(rounds);
        self.depth = self.depth.max(levels);
    }
}

#[inline(always)]
const fn pushed_or_popped(stack: u64, opening: u64, curly: u64) -> u64 {
    if opening & 1 == 1 { stack << 1 | curly & 1 } else { stack >> 1 }
}
