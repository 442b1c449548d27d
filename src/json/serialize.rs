//! `serde::Serialize` for views. The result means the same as the text, or serialization fails.

use core::cell::Cell;
use core::fmt::{self, Write};

use serde::ser::{Error, SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use super::walk::Walk;
use super::{Kind, RawJson, RawNumber, RawStr, skip};

/// Serializes the value with all members of an object in order, including
/// [repeated](super#repeated-members) ones. A serializer that collects them, such as `serde_json::to_value`, may
/// keep the last one.
///
/// Serializers recurse once for each level of nesting, at most [`Profile::max_depth`](crate::Profile::max_depth)
/// times. The work is linear in the length of the value.
///
/// # Errors
///
/// Fails for a [string](RawStr#impl-Serialize-for-RawStr<'_>) or a
/// [number](RawNumber#impl-Serialize-for-RawNumber<'_>) in the value that cannot be serialized. Formats that
/// need the length of a sequence before its elements, such as postcard, refuse arrays and objects.
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl Serialize for RawJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Nested::new(self.as_bytes(), 0).serialize(serializer)
    }
}

/// A value in a text, in the form serializers visit it, which never scans nested values twice.
struct Nested<'text> {
    text: &'text [u8],
    at: usize,
    /// The index after the value once it has been serialized, and 0 before.
    end: Cell<usize>,
}

impl<'text> Nested<'text> {
    const fn new(text: &'text [u8], at: usize) -> Self {
        Self { text, at, end: Cell::new(0) }
    }

    /// Returns the index after the value, even if the serializer has ignored the value.
    fn end(&self) -> usize {
        match self.end.get() {
            0 => skip::value(self.text, self.at),
            end => end,
        }
    }

    fn scalar<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.end.set(self.end());
        let value = RawJson::new(self.text.get(self.at..self.end.get()).unwrap_or_default());
        match value.kind() {
            Kind::Bool => serializer.serialize_bool(value.bool().unwrap_or_default()),
            Kind::Number => RawNumber::new(value.as_bytes()).serialize(serializer),
            Kind::String => value.string().unwrap_or(RawStr::EMPTY).serialize(serializer),
            Kind::Null | Kind::Array | Kind::Object => serializer.serialize_unit(),
        }
    }
}

impl Serialize for Nested<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut walk = Walk::within(self.text, self.at);
        match self.text.get(self.at) {
            Some(b'[') => {
                let mut elements = serializer.serialize_seq(None)?;
                while let Some(start) = walk.next_start() {
                    let element = Nested::new(self.text, start);
                    elements.serialize_element(&element)?;
                    walk.go_on(element.end());
                }
                self.end.set(walk.end());
                elements.end()
            }
            Some(b'{') => {
                let mut members = serializer.serialize_map(None)?;
                while let Some((_, name)) = walk.next_value() {
                    let Some(start) = walk.next_start() else { break };
                    let value = Nested::new(self.text, start);
                    members.serialize_entry(&name.string().unwrap_or(RawStr::EMPTY), &value)?;
                    walk.go_on(value.end());
                }
                self.end.set(walk.end());
                members.end()
            }
            _ => self.scalar(serializer),
        }
    }
}

/// Serializes the decoded string.
///
/// # Errors
///
/// Fails if the string contains an unpaired surrogate, which no text can hold.
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl Serialize for RawStr<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.unescaped(), self.lone_surrogate()) {
            (Some(text), _) => serializer.serialize_str(text),
            (None, None) => serializer.collect_str(self),
            (None, Some(lone)) => Err(S::Error::custom(lone)),
        }
    }
}

/// Serializes the number as an integer of up to 128 bits or as a float. The notation may change. To keep it,
/// use an [`Encoder`](crate::encode::Encoder).
///
/// # Errors
///
/// Fails if the number is neither an integer of at most 128 bits nor a float that every serializer writes in
/// the same digits. `0.1` passes, `1e999` and `0.30000000000000003` do not. One such number fails the whole message.
///
/// No format of serde has numbers of any length, and the nearest float would be another value. If a peer may send such
/// numbers, forward the message with [`Forward`](crate::encode::Forward), write the value with an
/// [`Encoder`](crate::encode::Encoder), or serialize its text, [`RawJson::as_str`], as a string.
///
/// `serde_json_core` panics at such an error, and at integers of 128 bits. A peer can send both, so firmware should
/// write messages with an [`Encoder`](crate::encode::Encoder) instead.
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl Serialize for RawNumber<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.as_str().unwrap_or_default();
        // Not every format has integers of more than 64 bits. As an integer, `-0` would lose its sign.
        if text == "-0" {
        } else if let Ok(integer) = text.parse() {
            return serializer.serialize_u64(integer);
        } else if let Ok(integer) = text.parse() {
            return serializer.serialize_i64(integer);
        } else if let Ok(integer) = text.parse() {
            return serializer.serialize_u128(integer);
        } else if let Ok(integer) = text.parse() {
            return serializer.serialize_i128(integer);
        }
        let float: f64 = text.parse().map_err(S::Error::custom)?;
        if is_spelled_as(float, *self) {
            return serializer.serialize_f64(float);
        }
        Err(S::Error::custom(format_args!(
            "neither an integer of 128 bits nor a float is exactly {text}"
        )))
    }
}

/// Returns whether every serializer writes this float as this number.
///
/// Serializers write the shortest decimal that reads back as the float and, if there are several, the nearest. If two
/// are equally near, serializers differ in their choice. The exact value of the float then has one more digit than
/// either of them, and that digit is 5.
fn is_spelled_as(float: f64, number: RawNumber<'_>) -> bool {
    let mut shortest = Digits::default();
    // A float that is not finite has no JSON form. The shortest form of a finite one fits the buffer.
    if !float.is_finite() || write!(shortest, "{float:e}").is_err() {
        return false;
    }
    let mut exact = Significant::default();
    // This many decimals hold the exact value of any float.
    let _ = write!(exact, "{float:.767e}");
    let shortest = RawNumber::new(shortest.text.get(..shortest.length).unwrap_or_default());
    shortest.is_worth(&number) && exact.digits != shortest.significant_digits().saturating_add(1)
}

/// The shortest form of a float: at most 17 digits, with signs, a point and an exponent.
#[derive(Default)]
struct Digits {
    text: [u8; 32],
    length: usize,
}

impl Write for Digits {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.text.get_mut(self.length..).unwrap_or_default();
        crate::bytes::copy(text.as_bytes(), room.get_mut(..text.len()).ok_or(fmt::Error)?);
        self.length = self.length.saturating_add(text.len());
        Ok(())
    }
}

/// Counts the digits of a mantissa up to the last nonzero one.
#[derive(Default)]
struct Significant {
    digits: usize,
    seen: usize,
    ended: bool,
}

impl Write for Significant {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.ended |= byte == b'e';
            if byte.is_ascii_digit() && !self.ended {
                self.seen = self.seen.saturating_add(1);
                if byte != b'0' {
                    self.digits = self.seen;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use serde::Serialize;

    use super::Nested;

    /// A serializer may ignore an element.
    #[test]
    fn a_value_ends_where_it_ends_whether_it_was_serialized_or_not() {
        for value in ["1", "\"]\"", "[]", "[[1,\"]\"] , {}]", "{\"a\" : [2]}", "{ }", "true"] {
            let text = std::format!("[ {value} ,{value}]");
            let nested = Nested::new(text.as_bytes(), 2);
            assert_eq!(nested.end(), 2 + value.len());
            nested.serialize(&mut serde_json::Serializer::new(Vec::new())).unwrap();
            assert_eq!((nested.end.get(), nested.end()), (2 + value.len(), 2 + value.len()));
        }
    }
}
