//! The members that JSON-RPC defines: their names, and sets of them.

use super::{Member, Seen, Set};
use crate::cast::u32_from;
use crate::json::Glance;
use crate::scan::Level;

impl Member {
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

impl Set {
    const EMPTY: Self = Self(0);

    const fn has(&self, member: Member) -> bool {
        self.0 & member.bit() != 0
    }

    /// Adds a member, and returns whether it is new.
    pub(super) const fn insert(&mut self, member: Member) -> bool {
        let new = !self.has(member);
        self.0 |= member.bit();
        new
    }
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

/// Returns the offset of the first unpaired surrogate escape in a string whose opening quote is at this offset.
pub(super) fn lone_surrogate(text: Glance, quote: u32) -> Option<u32> {
    let lone = text.lone_surrogate()?;
    Some(quote.saturating_add(1).saturating_add(u32_from(lone)))
}
