//! The members that mean something, and where a frame has them.

use super::names;
use crate::cast::index;
use crate::json::RawStr;
use crate::scan::{Descend, Level, Sink, Span};

/// A member that means something, of the message or of its error object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Member(u8);

impl Member {
    pub(super) const JSONRPC: Self = Self(0);
    pub(super) const ID: Self = Self(1);
    pub(super) const METHOD: Self = Self(2);
    pub(super) const PARAMS: Self = Self(3);
    pub(super) const RESULT: Self = Self(4);
    pub(super) const ERROR: Self = Self(5);
    pub(super) const CODE: Self = Self(6);
    pub(super) const MESSAGE: Self = Self(7);
    pub(super) const DATA: Self = Self(8);

    /// The number of the first member of an object at this level, and the names from there on.
    const fn names(level: Level) -> (u8, &'static [&'static str]) {
        match level {
            Level::Top => (0, &["jsonrpc", "id", "method", "params", "result", "error"]),
            Level::Inner => (6, &["code", "message", "data"]),
        }
    }

    /// The names of the members of an object at this level.
    pub(super) const fn all(level: Level) -> &'static [&'static str] {
        Self::names(level).1
    }

    /// The member of exactly this name, after unescaping.
    pub(super) fn named(level: Level, name: RawStr<'_>) -> Option<Self> {
        let (first, names) = Self::names(level);
        (first..).zip(names).find(|(_, known)| name == **known).map(|(number, _)| Self(number))
    }

    const fn bit(self) -> u16 {
        1 << self.0
    }
}

/// A set of members.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Set(u16);

impl Set {
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
#[derive(Clone, Debug, Default)]
pub(super) struct Members {
    /// Where the value of each member is; of one that appears twice, the first.
    values: [Span; 9],
    pub(super) present: Set,
    pub(super) repeated: Set,
    message: Object,
    error: Object,
    /// Elements, if it is an array after all.
    pub(super) elements: u32,
    /// Where the first escape of half a character is in a name of the message; 0 if there is none.
    first_lone_surrogate: u32,
    /// A part of the frame was too deep, and what was reported since then is not to be relied on.
    too_deep: bool,
    /// Members whose name was reported before that.
    pub(super) reliable: Set,
    /// A method is a string: if there are several, any of them.
    pub(super) string_method: bool,
}

/// What is noted of one object.
#[derive(Clone, Debug, Default)]
struct Object {
    /// The member under way, if its value is to be kept.
    under_way: Option<Member>,
    /// Members that mean nothing.
    unknown: u32,
    /// Where the first name is that was there before; 0 if there is none.
    first_repeated: u32,
}

impl Members {
    /// Where the member's value is; of one that is absent, an empty stretch.
    pub(super) fn value(&self, member: Member) -> Span {
        self.values.get(usize::from(member.0)).copied().unwrap_or_default()
    }

    /// Where the name of the first member is that was there before, of the message and of its error
    /// object; 0 where there is none.
    pub(super) const fn first_repeated(&self) -> [(u32, Level); 2] {
        let (message, error) = (self.message.first_repeated, self.error.first_repeated);
        [(message, Level::Top), (error, Level::Inner)]
    }

    /// How many members of the message mean nothing.
    pub(super) const fn unknown(&self) -> u32 {
        self.message.unknown
    }

    /// How many members of its error object mean nothing.
    pub(super) const fn unknown_of_error(&self) -> u32 {
        self.error.unknown
    }

    const fn object(&mut self, level: Level) -> &mut Object {
        match level {
            Level::Top => &mut self.message,
            Level::Inner => &mut self.error,
        }
    }

    /// Where the first escape of half a character is in a name of the message.
    pub(super) fn first_lone_surrogate(&self) -> Option<u32> {
        (self.first_lone_surrogate > 0).then_some(self.first_lone_surrogate)
    }

    /// Takes down a member that is known to be there once, with its value here.
    pub(super) fn read(&mut self, member: Member, value: Span) {
        self.present.insert(member);
        self.reliable.insert(member);
        if let Some(kept) = self.values.get_mut(usize::from(member.0)) {
            *kept = value;
        }
    }
}

/// Takes down what the scanner reports.
pub(super) struct Collector<'a, 'buf> {
    frame: &'buf [u8],
    members: &'a mut Members,
    /// The member under way is a method.
    method: bool,
}

impl<'a, 'buf> Collector<'a, 'buf> {
    pub(super) const fn new(frame: &'buf [u8], members: &'a mut Members) -> Self {
        Self { frame, members, method: false }
    }
}

impl Sink for Collector<'_, '_> {
    fn name(&mut self, level: Level, span: Span) -> Descend {
        let name = RawStr::at(self.frame, span);
        let member = Member::named(level, name);
        let members = &mut *self.members;
        let mut kept = None;
        self.method = member == Some(Member::METHOD);
        if let Some(member) = member {
            if members.present.insert(member) {
                kept = Some(member);
            } else {
                members.repeated.insert(member);
                let first = &mut members.object(level).first_repeated;
                if *first == 0 {
                    *first = span.start();
                }
            }
            if !members.too_deep {
                members.reliable.insert(member);
            }
        } else {
            let unknown = &mut members.object(level).unknown;
            // There are fewer than bytes in the frame.
            *unknown = unknown.wrapping_add(1);
            if level == Level::Top && members.first_lone_surrogate == 0 {
                let lone = names::lone_surrogate(name, span.start());
                members.first_lone_surrogate = lone.unwrap_or(0);
            }
        }
        members.object(level).under_way = kept;
        match kept {
            Some(Member::ERROR) => Descend::Enter,
            _ => Descend::Skip,
        }
    }

    fn value(&mut self, level: Level, value: Span) {
        if self.method && self.frame.get(index(value.start())) == Some(&b'"') {
            self.members.string_method = true;
        }
        let Some(Member(index)) = self.members.object(level).under_way else { return };
        if let Some(kept) = self.members.values.get_mut(usize::from(index)) {
            *kept = value;
        }
    }

    fn element(&mut self) {
        self.members.elements = self.members.elements.wrapping_add(1);
    }

    fn too_deep(&mut self) {
        self.members.too_deep = true;
    }

    #[cfg(feature = "fast")]
    fn reset(&mut self) {
        *self.members = Members::default();
        self.method = false;
    }
}
