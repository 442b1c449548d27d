//! Structured content, which a result also has as text (since 2025-06-18, server/tools, structured content).

use alloc::vec::Vec;

use tautline::json::{Elements, Kind, Members};
use tautline::{ErrorObject, RawJson, RawStr};

use super::{Answer, Notice};
use crate::places::{self, Member};
use crate::{hash, rule};

/// Checks that a text block of the result has the structured content as JSON, in any notation.
///
/// SDKs wrap a value that is not an object in an object with the member `result`. The text is then the text of the
/// value.
pub(super) fn check_text(answer: &Answer<'_>, notice: &mut Notice<'_, '_>) {
    let Some(structured) = answer.structured_content.filter(|_| !answer.is_error) else { return };
    let Some(content) = answer.member(notice.frame, "content") else { return };
    let mut members = structured.value.members().into_iter().flatten();
    let wrapped = members.next().filter(|only| only.name == *"result" && members.next().is_none());
    let values = [Some(structured.value), wrapped.map(|only| only.value)];
    let expected = values.map(|value| value.map(hash_of));
    let is_same = |text: RawStr<'_>| {
        // A string may be the text itself, without quotes.
        values.iter().flatten().any(|value| value.string() == Some(text))
            || text.decode().is_ok_and(|text| {
                let value = RawJson::parse(text.as_bytes());
                value.is_ok_and(|value| expected.contains(&Some(hash_of(value))))
            })
    };
    for at in places::objects(notice.frame, Some(content)) {
        let text = places::member(notice.frame, at, "text").and_then(Member::string);
        if text.is_some_and(is_same) {
            return;
        }
    }
    notice.at(rule::STRUCTURED_CONTENT_NOT_IN_TEXT, structured.at);
}

/// A container whose hash is not complete.
enum Level<'buf> {
    /// The sum does not depend on the order of the members.
    Object {
        rest: Members<'buf>,
        name: u64,
        sum: u64,
    },
    Array {
        rest: Elements<'buf>,
        hash: u64,
    },
}

impl<'buf> Level<'buf> {
    fn next(&mut self) -> Option<RawJson<'buf>> {
        match self {
            Self::Object { rest, name, .. } => {
                let member = rest.next()?;
                *name = hash::of_text(member.name);
                Some(member.value)
            }
            Self::Array { rest, .. } => rest.next(),
        }
    }

    /// Adds the hash of the value that [`next`](Self::next) has returned.
    const fn add(&mut self, value: u64) {
        match self {
            Self::Object { name, sum, .. } => {
                *sum = sum.wrapping_add(hash::mix(name.rotate_left(1) ^ value));
            }
            Self::Array { hash, .. } => *hash = hash::mix(hash.rotate_left(1) ^ value),
        }
    }

    const fn hash(&self) -> u64 {
        match self {
            Self::Object { sum, .. } => hash::mix(*sum ^ 1),
            Self::Array { hash, .. } => hash::mix(*hash ^ 2),
        }
    }
}

/// Returns a hash that is equal for equal values, whatever their notation and the order of their members. Numbers are
/// compared as floats.
fn hash_of(value: RawJson<'_>) -> u64 {
    let mut open: Vec<Level<'_>> = Vec::new();
    let mut next = value;
    loop {
        let mut done = match next.kind() {
            Kind::Object => {
                let rest = next.members();
                open.extend(rest.map(|rest| Level::Object { rest, name: 0, sum: 0 }));
                None
            }
            Kind::Array => {
                let rest = next.elements();
                open.extend(rest.map(|rest| Level::Array { rest, hash: 0 }));
                None
            }
            _ => Some(scalar(next)),
        };
        next = loop {
            let Some(level) = open.last_mut() else { return done.unwrap_or_default() };
            if let Some(hash) = done.take() {
                level.add(hash);
            }
            match level.next() {
                Some(value) => break value,
                None => done = open.pop().map(|level| level.hash()),
            }
        };
    }
}

/// Returns a hash of the members of an object except those with these names, and except empty objects, which say no
/// more than their absence.
pub(super) fn hash_of_members<'buf>(
    members: impl Iterator<Item = Member<'buf>>,
    except: &[&str],
) -> u64 {
    let is_empty = |value: RawJson<'_>| value.members().is_some_and(|mut all| all.next().is_none());
    let counts = |member: &Member<'_>| {
        !is_empty(member.value) && !except.iter().any(|name| member.name == **name)
    };
    members.filter(counts).fold(0, |sum: u64, member| {
        let name = hash::of_text(member.name).rotate_left(1);
        sum.wrapping_add(hash::mix(name ^ hash_of(member.value)))
    })
}

/// Returns a hash of an error.
pub(super) fn hash_of_error(error: &ErrorObject<'_>) -> u64 {
    let data = error.data().map_or(0, hash_of);
    let code = hash::of_bytes(error.raw_code().as_bytes());
    hash::mix(code ^ hash::of_text(error.message()).rotate_left(1) ^ data.rotate_left(2))
}

fn scalar(value: RawJson<'_>) -> u64 {
    if let Some(text) = value.string() {
        return hash::mix(hash::of_text(text) ^ 3);
    }
    let number = value.number().and_then(|number| number.as_str()?.parse::<f64>().ok());
    match number {
        // The addition removes the sign of a negative zero.
        Some(number) => hash::mix((number + 0.0).to_bits() ^ 4),
        None => value.as_bytes().first().map_or(0, |letter| hash::mix(u64::from(*letter) ^ 5)),
    }
}

#[cfg(test)]
mod tests {
    use tautline::RawJson;

    use super::hash_of;

    #[test]
    fn equal_values_have_the_same_hash() {
        let hash = |json: &str| hash_of(RawJson::parse(json.as_bytes()).unwrap());
        for (one, other) in [
            (r#"{"a":[1,2.50,{}],"b":null}"#, r#"{ "b" : null, "\u0061" : [1.0, 25e-1, { } ] }"#),
            ("-0", "0"),
            (r#""\n""#, "\"\\u000A\""),
            ("9007199254740993", "9007199254740992"),
        ] {
            assert_eq!(hash(one), hash(other), "{one} {other}");
        }
        for (one, other) in [
            (r#"{"a":1,"b":2}"#, r#"{"a":2,"b":1}"#),
            ("[1,2]", "[2,1]"),
            ("[]", "{}"),
            ("[[],[]]", "[[]]"),
            (r#""1""#, "1"),
            ("null", "false"),
            ("true", "false"),
            (r#"{"a":{"b":1}}"#, r#"{"b":{"a":1}}"#),
            (r#"[{"a":1},{"b":2}]"#, r#"[{"b":2},{"a":1}]"#),
        ] {
            assert_ne!(hash(one), hash(other), "{one} {other}");
        }
    }
}
