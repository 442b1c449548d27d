//! The members that JSON-RPC defines, and where they are in a frame.

use core::num::NonZero;

use crate::cast::u32_from;
use crate::json::{Glance, RawStr};
use crate::scan::{Descend, Level, Span, Syntax};

/// A standard member of the message or of its error object: its number, counted from 1, so that an `Option` of it takes
/// no more room.
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

    /// Returns the member with exactly this name, after unescaping.
    pub(super) fn named(level: Level, name: Glance) -> Option<Self> {
        Self::packed(level, name.packed())
    }

    /// Returns the member with this name, packed as in a [`Glance`].
    pub(super) fn packed(level: Level, name: u64) -> Option<Self> {
        let (first, names): (_, &[u64]) = match level {
            Level::Top => (0, const { &packed(MESSAGE) }),
            Level::Inner => (6, const { &packed(ERROR) }),
        };
        (first..).zip(names).find(|(_, known)| name == **known).map(|(index, _)| Self::at(index))
    }

    /// Returns the member at this index.
    const fn at(index: u8) -> Self {
        Self(NonZero::<u8>::MIN.saturating_add(index))
    }

    /// Returns the number, counted from 0.
    #[inline(always)]
    pub(super) const fn index(self) -> usize {
        #[expect(clippy::as_conversions, reason = "`From` is no function for constants yet")]
        let number = self.0.get() as usize;
        number.wrapping_sub(1)
    }

    const fn bit(self) -> u16 {
        1 << self.0.get()
    }
}

/// The names of the members of a message, and of its error object, in the order of their numbers.
const MESSAGE: &[&str; 6] = &["jsonrpc", "id", "method", "params", "result", "error"];
const ERROR: &[&str; 3] = &["code", "message", "data"];

/// Packs names as [`Glance::packed`] does.
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

/// The spans of the values of the members, by the number of the member. The span of an absent member is empty.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Values([Span; 9]);

impl Values {
    /// Returns the values at these places.
    #[inline(always)]
    pub(super) const fn of_places(places: [Span; 9]) -> Self {
        Self(places)
    }

    /// Returns the value of this member. The span is empty if the member is absent or its value has no end.
    #[inline(always)]
    pub(super) fn of(&self, member: Member) -> Span {
        self.at(member.index())
    }

    /// Returns the value of the member with this number.
    #[inline(always)]
    pub(super) fn at(&self, index: usize) -> Span {
        self.0.get(index).copied().unwrap_or_default()
    }

    /// Returns the place for the value of the member with this number.
    #[inline(always)]
    pub(super) fn place(&mut self, index: usize) -> Option<&mut Span> {
        self.0.get_mut(index)
    }
}

/// A set of members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Set(u16);

impl Set {
    pub(super) const EMPTY: Self = Self(0);

    pub(super) const fn has(&self, member: Member) -> bool {
        self.0 & member.bit() != 0
    }

    /// Adds a member, and returns whether it is new.
    pub(super) const fn insert(&mut self, member: Member) -> bool {
        let new = !self.has(member);
        self.0 |= member.bit();
        new
    }
}

/// The members that were reported, whether their values are kept or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub(super) struct Seen {
    /// True if a part of the frame was too deep. Reports after it are not reliable.
    pub(super) too_deep: bool,
    /// True if a method is a string. If there are several, any of them counts.
    pub(super) string_method: bool,
    present: Set,
    repeated: Set,
    /// Members whose name was reported before any part that is too deep.
    reliable: Set,
}

impl Seen {
    pub(super) const NOTHING: Self = Self {
        too_deep: false,
        string_method: false,
        present: Set::EMPTY,
        repeated: Set::EMPTY,
        reliable: Set::EMPTY,
    };

    /// Records a member, and returns whether it is the first one with its name.
    pub(super) const fn insert(&mut self, member: Member) -> bool {
        if !self.too_deep {
            self.reliable.insert(member);
        }
        if self.present.insert(member) {
            return true;
        }
        self.repeated.insert(member);
        false
    }

    /// Returns whether the member is present, once or more often.
    pub(super) const fn has(&self, member: Member) -> bool {
        self.present.has(member)
    }

    /// Returns whether the member was read once, and the report is reliable.
    pub(super) const fn has_only(&self, member: Member) -> bool {
        self.reliable.has(member) && !self.repeated.has(member)
    }
}

/// The scanner's reports about a message and its error object.
// The order of the fields matters: a microcontroller has short instructions for the first bytes of a struct.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(super) struct MemberSpans {
    pub(super) seen: Seen,
    /// True if a member of the message or of its error object is unknown.
    pub(super) has_unknown: bool,
    pub(super) shape: Shape,
    /// The current members of the message and of its error object, if they are standard ones.
    under_way: Each<Option<Member>>,
    /// The offset of the first name that repeats, for the message and for its error object; 0 if there is none.
    first_repeated: Each<u32>,
    /// The number of unknown members of the message, or of elements if the frame is an array.
    others: u32,
    /// The offset of the first unpaired surrogate escape in a name of the message; 0 if there is none.
    first_lone_surrogate: u32,
    /// The values. If a member is repeated, this is the first value.
    pub(super) values: Values,
}

/// The kind of JSON value that the frame is.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Shape {
    Object,
    Array,
    /// Anything else. In a batch, this includes arrays.
    Scalar,
    /// It has a syntax error, or is nested too deep.
    Faulty(Syntax),
    /// It is too long for the offsets in a frame.
    #[default]
    TooLong,
}

/// A value for each of the two objects.
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

impl MemberSpans {
    /// Returns the offset of the first name that repeats, for the message and for its error object; 0 if there
    /// is none.
    pub(super) const fn first_repeated(&self) -> [(u32, Level); 2] {
        let Each { message, error } = self.first_repeated;
        [(message, Level::Top), (error, Level::Inner)]
    }

    /// Returns how many members of the message are unknown, or how many elements the array has.
    pub(super) const fn others(&self) -> u32 {
        self.others
    }

    /// Returns the offset of the first unpaired surrogate escape in a name of the message.
    pub(super) fn first_lone_surrogate(&self) -> Option<u32> {
        (self.first_lone_surrogate > 0).then_some(self.first_lone_surrogate)
    }

    /// Records the name of a member, whose opening quote is at this offset, and returns whether to enter its value.
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
                    self.first_lone_surrogate = lone_surrogate(name, quote).unwrap_or(0);
                }
            }
            return Descend::Skip;
        };
        if self.seen.insert(member) {
            return if member == Member::ERROR { Descend::Enter } else { Descend::Skip };
        }
        let first = self.first_repeated.of(level);
        if *first == 0 {
            *first = quote;
        }
        Descend::Skip
    }

    /// Records where the current member's value begins.
    #[inline]
    pub(super) fn begin_value(&mut self, level: Level, start: usize) {
        if let Some(value) = self.value_under_way(level) {
            value.begin(start);
        }
    }

    /// Records where the current member's value ends.
    #[inline]
    pub(super) fn end_value(&mut self, level: Level, end: usize, is_string: bool) {
        self.seen.string_method |=
            level == Level::Top && is_string && self.under_way.message == Some(Member::METHOD);
        if let Some(value) = self.value_under_way(level) {
            value.end_at(end);
        }
    }

    /// Returns the place for the current member's value, if the member is a standard one and the value is its first.
    #[cfg_attr(
        all(any(target_os = "none", target_os = "unknown"), not(feature = "fast")),
        inline(never)
    )]
    fn value_under_way(&mut self, level: Level) -> Option<&mut Span> {
        let member = (*self.under_way.of(level))?;
        self.values.place(member.index()).filter(|value| value.end() == 0)
    }

    /// Counts an unknown member, or an element.
    pub(super) const fn count_other(&mut self) {
        // There are fewer of them than bytes in the frame.
        self.others = self.others.wrapping_add(1);
    }
}

/// Returns the offset of the first unpaired surrogate escape in a string whose opening quote is at this offset.
pub(super) fn lone_surrogate(text: Glance, quote: u32) -> Option<u32> {
    let lone = text.lone_surrogate()?;
    Some(quote.saturating_add(1).saturating_add(u32_from(lone)))
}
