//! Ids as keys of maps.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;

use tautline::Id;

use super::{Issued, Key, Text, Value};
use crate::Role;
use crate::ledger::request::Same;

/// The number of ids that are remembered as issued.
const MOST_ISSUED: usize = 1 << 16;
/// The length of an id whose text is kept, in bytes.
const LONGEST: usize = 256;
/// The length of the beginning of a longer one, in characters.
const SHORT: usize = 64;

impl<'id> Key<'id> {
    pub(super) fn of(from: Role, id: &Id<'id>) -> Self {
        let integer = if is_text(id) { None } else { id.like_integer() };
        let value = match integer {
            Some((is_negative, magnitude)) => Value::Integer(is_negative, magnitude),
            None => Value::Text(Text::shortened(id)),
        };
        Self::new(from, value)
    }

    /// Returns a key that is equal for tokens that are the [same](Same::Worth).
    pub(super) fn of_token(from: Role, token: &Id<'_>) -> Self {
        let value = match token.integer() {
            Some((is_negative, magnitude)) => Value::Integer(is_negative, magnitude),
            None => Value::Text(Text::long(token).into()),
        };
        Self::new(from, value)
    }

    fn new(from: Role, value: Value<'id>) -> Self {
        let hash = match &value {
            Value::Integer(_, magnitude) => crate::hash::mix(*magnitude),
            Value::Text(text) => crate::hash::of_words(text.as_bytes()),
        };
        Self { hash, is_client: from == Role::Client, value }
    }

    pub(super) fn into_owned(self) -> Key<'static> {
        let value = match self.value {
            Value::Integer(is_negative, magnitude) => Value::Integer(is_negative, magnitude),
            Value::Text(text) => Value::Text(text.into_owned().into()),
        };
        Key { hash: self.hash, is_client: self.is_client, value }
    }
}

/// Returns whether the id is a string that surely stands for no number. Most such strings begin with a letter, or have one
/// soon.
fn is_text(id: &Id<'_>) -> bool {
    let Id::String(text) = id else { return false };
    let is_of_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
    // An escape may be a digit.
    let other = text.escaped_bytes().iter().find(|byte| !is_of_number(byte));
    other.is_some_and(|byte| *byte != b'\\')
}

impl Text {
    pub(super) fn of(id: &Id<'_>) -> Self {
        let (quote, text) = match id {
            Id::String(text) => (&b"\""[..], text.escaped_bytes()),
            Id::Number(number) => (&b""[..], number.as_bytes()),
            Id::Null => (&b""[..], &b"null"[..]),
        };
        if text.len() > LONGEST {
            let beginning = match id {
                Id::String(text) => text.chars().flatten().take(SHORT).collect(),
                _ => String::from_utf8_lossy(text.get(..SHORT).unwrap_or(text)).into_owned(),
            };
            return Self::Long(Self::long(id), json(&format!("{beginning}…")));
        }
        Self::Json([quote, text, quote].concat().into())
    }

    /// Returns a text that stands for a long id: ids that are equal have the same.
    fn long(id: &Id<'_>) -> String {
        let kind = if matches!(id, Id::String(_)) { '"' } else { ' ' };
        format!("{kind}{}", Self::shortened(id))
    }

    /// Returns the decoded text of an id or, if it is long, a hash of it.
    fn shortened<'id>(id: &Id<'id>) -> Cow<'id, str> {
        match id {
            Id::String(text) => crate::hash::brief(*text),
            Id::Number(number) => crate::hash::shortened(number.as_str().unwrap_or_default()),
            Id::Null => "null".into(),
        }
    }

    pub(super) fn id(&self) -> Option<Id<'_>> {
        match self {
            Self::Json(text) => Id::parse(text),
            Self::Long(..) => None,
        }
    }

    /// Returns the id, or the beginning of a long one with an ellipsis.
    pub(super) fn shown(&self) -> Option<Id<'_>> {
        match self {
            Self::Json(text) | Self::Long(_, text) => Id::parse(text),
        }
    }

    pub(super) fn is(&self, id: &Id<'_>, same: Same) -> bool {
        match (self, self.id()) {
            (_, Some(own)) if same == Same::Worth => own.is_worth(id),
            (_, Some(own)) => own == *id,
            (Self::Long(own, _), None) => *own == Self::long(id),
            (Self::Json(_), None) => false,
        }
    }
}

/// Returns a text as a JSON string.
fn json(text: &str) -> Box<[u8]> {
    let mut json = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            '\0'..='\x1f' => json += &format!("\\u{:04x}", u32::from(character)),
            _ => json.push(character),
        }
    }
    json.push('"');
    json.into_bytes().into()
}

impl Issued {
    pub(super) const NONE: Self = Self { hashes: BTreeSet::new(), has_lost: false };

    pub(super) fn insert(&mut self, from: Role, id: &Id<'_>) {
        // After an id was lost, the others prove nothing.
        self.has_lost |= self.hashes.len() >= MOST_ISSUED;
        if !self.has_lost {
            self.hashes.insert(Self::key(from, id));
        }
    }

    pub(super) fn surely_lacks(&self, from: Role, id: &Id<'_>) -> bool {
        !self.has_lost && !self.hashes.contains(&Self::key(from, id))
    }

    /// Returns a hash whose lowest bit stands for the side.
    fn key(from: Role, id: &Id<'_>) -> u64 {
        let hash = match (id.integer(), id) {
            (Some((is_negative, magnitude)), _) => {
                crate::hash::mix(magnitude ^ u64::from(is_negative) << 63)
            }
            (None, Id::String(text)) => !crate::hash::of_text(*text),
            (None, Id::Number(number)) => crate::hash::of_bytes(number.as_bytes()),
            (None, Id::Null) => 0,
        };
        hash << 1 | u64::from(from == Role::Client)
    }
}
