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

/// What the scanner has reported of one object.
#[derive(Clone, Debug, Default)]
pub(super) struct Members {
    /// Where the value of each member is; of one that appears twice, the first.
    values: [Span; 9],
    pub(super) present: Set,
    pub(super) repeated: Set,
    /// Members that mean nothing, of the message.
    pub(super) unknown: u32,
    /// Members that mean nothing, of its error object.
    pub(super) unknown_of_error: u32,
    /// Elements, if it is an array after all.
    pub(super) elements: u32,
    /// Where the first name is that was there before, of the message and of its error object; 0 where
    /// there is none.
    first_repeated: [u32; 2],
    /// Where the first escape of half a character is in a name of the message; 0 if there is none.
    first_lone_surrogate: u32,
    /// A part of the frame was too deep, and what was reported since then is not to be relied on.
    too_deep: bool,
    /// Members whose name was reported before that.
    pub(super) reliable: Set,
    /// A method is a string: if there are several, any of them.
    pub(super) string_method: bool,
}

impl Members {
    /// Where the member's value is; of one that is absent, an empty stretch.
    pub(super) fn value(&self, member: Member) -> Span {
        self.values.get(usize::from(member.0)).copied().unwrap_or_default()
    }

    /// Where the name of the first member is that was there before, in the object at this level.
    pub(super) fn first_repeated(&self, level: Level) -> Option<u32> {
        let [top, inner] = self.first_repeated;
        let first = match level {
            Level::Top => top,
            Level::Inner => inner,
        };
        (first > 0).then_some(first)
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
    /// The member under way at each level, if its value is to be kept.
    top: Option<Member>,
    inner: Option<Member>,
    /// The member under way is a method.
    method: bool,
}

impl<'a, 'buf> Collector<'a, 'buf> {
    pub(super) const fn new(frame: &'buf [u8], members: &'a mut Members) -> Self {
        Self { frame, members, top: None, inner: None, method: false }
    }
}

impl Sink for Collector<'_, '_> {
    fn name(&mut self, level: Level, span: Span) -> Descend {
        let name = RawStr::at(self.frame, span);
        let member = Member::named(level, name);
        let members = &mut *self.members;
        let mut kept = None;
        self.method = false;
        match (member, level) {
            (Some(member), _) => {
                if members.present.insert(member) {
                    kept = Some(member);
                } else {
                    members.repeated.insert(member);
                    let [top, inner] = &mut members.first_repeated;
                    let first = match level {
                        Level::Top => top,
                        Level::Inner => inner,
                    };
                    if *first == 0 {
                        *first = span.start();
                    }
                }
                if !members.too_deep {
                    members.reliable.insert(member);
                }
                self.method = member == Member::METHOD;
            }
            (None, Level::Top) => {
                members.unknown = members.unknown.saturating_add(1);
                if members.first_lone_surrogate == 0 {
                    let lone = names::lone_surrogate(name, span.start());
                    members.first_lone_surrogate = lone.unwrap_or(0);
                }
            }
            (None, Level::Inner) => {
                members.unknown_of_error = members.unknown_of_error.saturating_add(1);
            }
        }
        match level {
            Level::Top => self.top = kept,
            Level::Inner => self.inner = kept,
        }
        match kept {
            Some(Member::ERROR) => Descend::Enter,
            _ => Descend::Skip,
        }
    }

    fn value(&mut self, level: Level, value: Span) {
        if self.method && self.frame.get(index(value.start())) == Some(&b'"') {
            self.members.string_method = true;
        }
        let member = match level {
            Level::Top => self.top,
            Level::Inner => self.inner,
        };
        let Some(Member(index)) = member else { return };
        if let Some(kept) = self.members.values.get_mut(usize::from(index)) {
            *kept = value;
        }
    }

    fn element(&mut self) {
        self.members.elements = self.members.elements.saturating_add(1);
    }

    fn too_deep(&mut self) {
        self.members.too_deep = true;
    }

    #[cfg(feature = "fast")]
    fn reset(&mut self) {
        *self.members = Members::default();
        (self.top, self.inner, self.method) = (None, None, false);
    }
}
