//! The baseline: the envelope that one would write with serde and `serde_json`.
//!
//! It borrows everything, decodes only the keys and the method, and gets several checks from `serde_json`: UTF-8, the
//! grammar, and duplicate members of the envelope. It checks the version and the shape itself. The code is written by
//! hand, as serde's derive would generate it, so that this library builds without procedural macros.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::corpora::Kind;

/// The members that a message has or may have, with each value as its text.
#[derive(Debug)]
pub struct Envelope<'buf> {
    /// The id.
    pub id: Option<&'buf RawValue>,
    /// The method, decoded.
    pub method: Option<Cow<'buf, str>>,
    /// The parameters of a call.
    pub params: Option<&'buf RawValue>,
    /// The result of a response.
    pub result: Option<&'buf RawValue>,
    /// The error of a response.
    pub error: Option<&'buf RawValue>,
}

/// Parses a line as a message in the fastest way that needs nothing else.
///
/// Checking UTF-8 first, all at once, is faster than `serde_json::from_slice`, which checks it value by value.
pub fn parse(line: &[u8]) -> Option<(Kind, Envelope<'_>)> {
    let envelope: Envelope<'_> = serde_json::from_str(str::from_utf8(line).ok()?).ok()?;
    Some((envelope.kind()?, envelope))
}

impl Envelope<'_> {
    /// Returns the kind of the message by its members, if that is unambiguous.
    pub const fn kind(&self) -> Option<Kind> {
        match (&self.method, self.id, self.result, self.error) {
            (Some(_), Some(_), None, None) => Some(Kind::Request),
            (Some(_), None, None, None) => Some(Kind::Notification),
            (None, Some(_), Some(_), None) => Some(Kind::Result),
            (None, Some(_), None, Some(_)) => Some(Kind::Error),
            _ => None,
        }
    }
}

/// The members of the envelope.
enum Member {
    Version,
    Id,
    Method,
    Params,
    Result,
    Error,
    Unknown,
}

impl<'de> Deserialize<'de> for Member {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;

        impl Visitor<'_> for Name {
            type Value = Member;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the name of a member")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Member, E> {
                Ok(match name {
                    "jsonrpc" => Member::Version,
                    "id" => Member::Id,
                    "method" => Member::Method,
                    "params" => Member::Params,
                    "result" => Member::Result,
                    "error" => Member::Error,
                    _ => Member::Unknown,
                })
            }
        }

        deserializer.deserialize_identifier(Name)
    }
}

/// A string that is borrowed unless it contains escapes.
struct Text<'buf>(Cow<'buf, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Content;

        impl<'de> Visitor<'de> for Content {
            type Value = Text<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a string")
            }

            fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(Content)
    }
}

/// Stores a value in its place, which must be empty.
fn put<'de, T, A>(place: &mut Option<T>, name: &'static str, map: &mut A) -> Result<(), A::Error>
where
    T: Deserialize<'de>,
    A: MapAccess<'de>,
{
    if place.is_some() {
        return Err(A::Error::duplicate_field(name));
    }
    *place = Some(map.next_value()?);
    Ok(())
}

impl<'de> Deserialize<'de> for Envelope<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Envelope<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut version: Option<Text<'de>> = None;
                let mut method: Option<Text<'de>> = None;
                let (mut id, mut params, mut result, mut error) = (None, None, None, None);
                while let Some(member) = map.next_key()? {
                    match member {
                        Member::Version => put(&mut version, "jsonrpc", &mut map)?,
                        Member::Id => put(&mut id, "id", &mut map)?,
                        Member::Method => put(&mut method, "method", &mut map)?,
                        Member::Params => put(&mut params, "params", &mut map)?,
                        Member::Result => put(&mut result, "result", &mut map)?,
                        Member::Error => put(&mut error, "error", &mut map)?,
                        Member::Unknown => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                if version.is_none_or(|version| version.0 != "2.0") {
                    return Err(A::Error::custom("this is not JSON-RPC 2.0"));
                }
                let method = method.map(|method| method.0);
                Ok(Envelope { id, method, params, result, error })
            }
        }

        deserializer.deserialize_struct(
            "Envelope",
            &["jsonrpc", "id", "method", "params", "result", "error"],
            Members,
        )
    }
}
