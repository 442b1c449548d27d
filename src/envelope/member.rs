//! The members that mean something, and where a frame has them.

use core::num::NonZero;

use super::names;
use crate::json::{Glance, RawStr};
use crate::scan::{Descend, Level, Span, Syntax};

/// A member that means something, of the message or of its error object: its number, counted from 1, so
/// that none takes no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member(NonZero<u8>);

impl Member {
    pub(super) const JSONRPC: Self = Self::at(0);
    pub(super) const ID: Self = Self::at(1);
    pub(super) const METHOD: Self = Self::at(2);
    pub(super) const PARAMS: Self = Self::at(3);
    pub(super) const RESULT: Self = Self::at(4);
    pub(super) const ERROR: Self = Self::at(5);
    pub(super) const CODE: Self = Self::at(6);
    pub(super) const MESSAGE: Self = Self::at(7);
    pub(super) const DATA: Self = Self::at(8);

    /// The member of exactly this name, after unescaping.
    pub(super) fn named(level: Level, name: Glance) -> Option<Self> {
        Self::packed(level, name.packed())
    }

    /// The member of this name, packed as in a [`Glance`].
    pub(super) fn packed(level: Level, name: u64) -> Option<Self> {
        let (first, names): (_, &[u64]) = match level {
            Level::Top => (0, const { &packed(MESSAGE) }),
            Level::Inner => (6, const { &packed(ERROR) }),
        };
        (first..).zip(names).find(|(_, known)| name == **known).map(|(index, _)| Self::at(index))
    }

    /// The member at this index.
    const fn at(index: u8) -> Self {
        Self(NonZero::<u8>::MIN.saturating_add(index))
    }

    fn index(self) -> usize {
        usize::from(self.0.get()).wrapping_sub(1)
    }

    const fn bit(self) -> u16 {
        1 << self.0.get()
    }
}

/// The names of the members of a message, and of its error object, in the order of their numbers.
const MESSAGE: &[&str; 6] = &["jsonrpc", "id", "method", "params", "result", "error"];
const ERROR: &[&str; 3] = &["code", "message", "data"];

/// Names as [`Glance::packed`] gives them.
const fn packed<const N: usize>(names: &[&str; N]) -> [u64; N] {
    let mut all = [1; N];
    let (mut to, mut from): (&mut [u64], &[&str]) = (&mut all, names);
    while let ([packed, to_rest @ ..], [name, from_rest @ ..]) = (to, from) {
        let mut bytes = name.as_bytes();
        while let [byte, rest @ ..] = bytes {
            *packed = *packed << 8 | u64::from_be_bytes([0, 0, 0, 0, 0, 0, 0, *byte]);
            bytes = rest;
        }
        (to, from) = (to_rest, from_rest);
    }
    all
}

/// A set of members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Set(u16);

impl Set {
    pub(super) const EMPTY: Self = Self(0);

    pub(super) const fn has(self, member: Member) -> bool {
        self.0 & member.bit() != 0
    }

    /// Puts a member in, and says whether it was not there before.
    pub(super) const fn insert(&mut self, member: Member) -> bool {
        let new = !self.has(member);
        self.0 |= member.bit();
        new
    }
}

/// What the scanner has reported of a message and of its error object.
// In the order of the fields: a microcontroller has short instructions for the first bytes of a struct.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(super) struct Members {
    /// A part of the frame was too deep, and what was reported since then is not to be relied on.
    pub(super) too_deep: bool,
    /// A method is a string: if there are several, any of them.
    pub(super) string_method: bool,
    /// Some member of the message, or of its error object, means nothing.
    pub(super) has_unknown: bool,
    pub(super) shape: Shape,
    /// The members under way, of the message and of its error object, if they mean something.
    under_way: Each<Option<Member>>,
    pub(super) present: Set,
    pub(super) repeated: Set,
    /// Members whose name was reported before any part that is too deep.
    pub(super) reliable: Set,
    /// Where the first name is that was there before, of the message and of its error object; 0 if there is
    /// none.
    first_repeated: Each<u32>,
    /// Members of the message that mean nothing; elements, if it is an array after all.
    others: u32,
    /// Where the first escape of half a character is in a name of the message; 0 if there is none.
    first_lone_surrogate: u32,
    /// Where the value of each member is; of one that appears twice, the first.
    values: [Span; 9],
}

/// What the frame is as JSON.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Shape {
    Object,
    Array,
    /// Anything else: in a batch, an array too.
    Scalar,
    /// It has a fault of syntax, or is too deep.
    Faulty(Syntax),
    /// It is longer than offsets in a frame can say.
    #[default]
    TooLong,
}

/// What is noted of each object.
#[derive(Clone, Copy, Debug, Default)]
struct Each<T> {
    message: T,
    error: T,
}

impl<T> Each<T> {
    const fn of(&mut self, level: Level) -> &mut T {
        match level {
            Level::Top => &mut self.message,
            Level::Inner => &mut self.error,
        }
    }
}

impl Members {
    /// Where the member's value is; of one that is absent or has no end, an empty stretch.
    pub(super) fn value(&self, member: Member) -> Span {
        self.values.get(member.index()).copied().unwrap_or_default()
    }

    /// Where the name of the first member is that was there before, of the message and of its error
    /// object; 0 where there is none.
    pub(super) const fn first_repeated(&self) -> [(u32, Level); 2] {
        let Each { message, error } = self.first_repeated;
        [(message, Level::Top), (error, Level::Inner)]
    }

    /// How many members of the message mean nothing; of an array, how many elements it has.
    pub(super) const fn others(&self) -> u32 {
        self.others
    }

    /// Where the first escape of half a character is in a name of the message.
    pub(super) fn first_lone_surrogate(&self) -> Option<u32> {
        (self.first_lone_surrogate > 0).then_some(self.first_lone_surrogate)
    }

    /// Takes down the name of a member, whose opening quote stands here, and says whether to enter its value.
    #[inline(always)]
    pub(super) fn name(&mut self, level: Level, name: RawStr<'_>, quote: u32) -> Descend {
        let name = name.glance();
        let member = Member::named(level, name);
        *self.under_way.of(level) = member;
        let Some(member) = member else {
            self.has_unknown = true;
            if level == Level::Top {
                self.count_other();
                if self.first_lone_surrogate == 0 {
                    self.first_lone_surrogate = names::lone_surrogate(name, quote).unwrap_or(0);
                }
            }
            return Descend::Skip;
        };
        if !self.too_deep {
            self.reliable.insert(member);
        }
        if self.present.insert(member) {
            return if member == Member::ERROR { Descend::Enter } else { Descend::Skip };
        }
        self.repeated.insert(member);
        let first = self.first_repeated.of(level);
        if *first == 0 {
            *first = quote;
        }
        Descend::Skip
    }

    /// Takes down where the value of the member under way begins.
    #[inline]
    pub(super) fn begin_value(&mut self, level: Level, start: usize) {
        if let Some(value) = self.value_under_way(level) {
            value.begin(start);
        }
    }

    /// Takes down where it ends.
    #[inline]
    pub(super) fn end_value(&mut self, level: Level, end: usize, is_string: bool) {
        self.string_method |=
            level == Level::Top && is_string && self.under_way.message == Some(Member::METHOD);
        if let Some(value) = self.value_under_way(level) {
            value.end_at(end);
        }
    }

    /// The value of the member under way, if that means something, and is the first.
    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    fn value_under_way(&mut self, level: Level) -> Option<&mut Span> {
        let member = (*self.under_way.of(level))?;
        self.values.get_mut(member.index()).filter(|value| value.end() == 0)
    }

    /// Counts a member that means nothing, or an element.
    pub(super) const fn count_other(&mut self) {
        // There are fewer than bytes in the frame.
        self.others = self.others.wrapping_add(1);
    }

    /// Takes down a member that is known to be there once, with its value here.
    pub(super) fn read(&mut self, member: Member, value: Span) {
        self.present.insert(member);
        self.reliable.insert(member);
        if let Some(kept) = self.values.get_mut(member.index()) {
            *kept = value;
        }
    }
}
