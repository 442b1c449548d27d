//! `serde::Serialize` for messages and verdicts. The implementations for their views are in
//! `json/serialize.rs`.

use core::fmt;
use core::num::NonZeroU16;

use serde::de::{self, Unexpected, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::envelope::{Batch, Envelope, Fault, Id, Message, Reply, Request, Response};
use crate::frame::{Desynchronised, Ended, FrameEvent, Oversized, Unfinished};
use crate::json::RawJson;
use crate::rule::{self, ErrorCode, Finding, Rule};
use crate::stream::Received;
use crate::{ErrorObject, Notification, Outcome};

/// Serializes the id as a string, a number or null; see [`RawStr`](crate::RawStr) and
/// [`RawNumber`](crate::RawNumber).
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl Serialize for Id<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::String(text) => text.serialize(serializer),
            Self::Number(number) => number.serialize(serializer),
            Self::Null => serializer.serialize_unit(),
        }
    }
}

/// Serializes the code as an integer.
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.value())
    }
}

/// Deserializes the code from a 64-bit integer.
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl<'de> Deserialize<'de> for ErrorCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        i64::deserialize(deserializer).map(Self::new)
    }
}

/// Serializes the message as a map of its members, without those that JSON-RPC does not define. A batch is a
/// sequence.
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl Serialize for Message<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Request(request) => request.serialize(serializer),
            Self::Notification(notification) => notification.serialize(serializer),
            Self::Response(response) => response.serialize(serializer),
            Self::Batch(batch) => batch.serialize(serializer),
        }
    }
}

/// Serializes a map of the members, without those that JSON-RPC does not define.
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl Serialize for Request<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = begin(serializer, Some(self.id()))?;
        map.serialize_entry("method", &self.method())?;
        end(map, "params", self.params())
    }
}

/// Serializes a map of the members, without those that JSON-RPC does not define.
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl Serialize for Notification<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = begin(serializer, None)?;
        map.serialize_entry("method", &self.method())?;
        end(map, "params", self.params())
    }
}

/// Serializes a map of the members, without those that JSON-RPC does not define.
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl Serialize for Response<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = begin(serializer, self.id())?;
        match self.outcome() {
            Outcome::Result(result) => map.serialize_entry("result", &result)?,
            Outcome::Error(error) => map.serialize_entry("error", &error)?,
        }
        map.end()
    }
}

/// Serializes a map of the members, without those that JSON-RPC does not define.
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl Serialize for ErrorObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", &self.raw_code())?;
        map.serialize_entry("message", &self.message())?;
        end(map, "data", self.data())
    }
}

/// Serializes a sequence of the messages. An element that is not a message is serialized as the value it was
/// written as.
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl Serialize for Batch<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(|element| Element { frame: self.frame(), element }))
    }
}

/// An element of a batch.
struct Element<'buf> {
    frame: &'buf [u8],
    element: Envelope<'buf>,
}

impl Serialize for Element<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.element.message() {
            Ok(message) => message.serialize(serializer),
            Err(_) => RawJson::at(self.frame, self.element.span()).serialize(serializer),
        }
    }
}

/// Begins the map of a message.
fn begin<S: Serializer>(serializer: S, id: Option<Id<'_>>) -> Result<S::SerializeMap, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    map.serialize_entry("jsonrpc", "2.0")?;
    if let Some(id) = id {
        map.serialize_entry("id", &id)?;
    }
    Ok(map)
}

/// Ends a map after a member that may be absent.
fn end<M: SerializeMap>(
    mut map: M,
    name: &'static str,
    value: Option<RawJson<'_>>,
) -> Result<M::Ok, M::Error> {
    if let Some(value) = value {
        map.serialize_entry(name, &value)?;
    }
    map.end()
}

/// Serializes the name of a rule of [`rule`], and the number of any other rule.
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.is_of_core() {
            serializer.serialize_str(rule::name(*self))
        } else {
            serializer.serialize_u16(self.number())
        }
    }
}

/// Deserializes a rule from its number, or from its name if it is a rule of [`rule`].
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NameOrNumber)
    }
}

struct NameOrNumber;

impl Visitor<'_> for NameOrNumber {
    type Value = Rule;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name or the number of a rule")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Rule, E> {
        rule::from_name(name).ok_or_else(|| E::invalid_value(Unexpected::Str(name), &self))
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Rule, E> {
        match u64::try_from(number) {
            Ok(number) => self.visit_u64(number),
            Err(_) => Err(E::invalid_value(Unexpected::Signed(number), &self)),
        }
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Rule, E> {
        let rule = u16::try_from(number).ok().and_then(NonZeroU16::new).map(Rule::from_number);
        rule.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }
}

/// Serializes a map with `severity`, `rule`, and `offset` in bytes.
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("severity", &self.severity())?;
        map.serialize_entry("rule", &self.rule())?;
        map.serialize_entry("offset", &self.offset())?;
        map.end()
    }
}

/// Serializes the fault like its [finding](Fault::finding).
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl Serialize for Fault<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.finding().serialize(serializer)
    }
}

/// Serializes a map with `code`, and `id` if the reply has one.
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl Serialize for Reply<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", &self.code())?;
        if let Some(id) = self.id() {
            map.serialize_entry("id", &id)?;
        }
        map.end()
    }
}

/// Serializes a map with `line`, `offset`, `length` and `limit`.
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl Serialize for Oversized {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(4))?;
        oversized(&mut map, self)?;
        map.end()
    }
}

/// Serializes a map with `offset` and `length`.
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl Serialize for Unfinished {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        unfinished(&mut map, self)?;
        map.end()
    }
}

/// Serializes a map with `rule` and `offset`.
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl Serialize for Desynchronised {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2))?;
        desynchronised(&mut map, self)?;
        map.end()
    }
}

/// Serializes a map that begins with `kind`: `message`, `fault`, `oversized`, `no-message`, `unfinished` or
/// `desynchronised`. The position in the stream follows, in the members of the same event of a framing.
///
/// A message has the member `message`. A fault and an oversized frame have the members `fault` and `reply`, which is
/// null if silence is owed.
#[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
impl Serialize for Received<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let mut kind = |kind| map.serialize_entry("kind", kind);
        match self {
            Self::Message { frame, message } => {
                kind("message")?;
                place(&mut map, &frame.ended())?;
                map.serialize_entry("message", message)?;
            }
            Self::Fault { frame, fault } => {
                kind("fault")?;
                place(&mut map, &frame.ended())?;
                verdict(&mut map, fault)?;
            }
            Self::Oversized { oversized: event, fault, .. } => {
                kind("oversized")?;
                oversized(&mut map, event)?;
                verdict(&mut map, fault)?;
            }
            Self::NoMessage(event) => {
                kind("no-message")?;
                match event {
                    FrameEvent::Frame(frame) => place(&mut map, &frame.ended())?,
                    FrameEvent::Oversized(event) => oversized(&mut map, event)?,
                    FrameEvent::Unfinished(event) => unfinished(&mut map, event)?,
                    FrameEvent::Desynchronised(event) => desynchronised(&mut map, event)?,
                }
            }
            Self::Unfinished(event) => {
                kind("unfinished")?;
                unfinished(&mut map, event)?;
            }
            Self::Desynchronised(event) => {
                kind("desynchronised")?;
                desynchronised(&mut map, event)?;
            }
        }
        map.end()
    }
}

fn place<M: SerializeMap>(map: &mut M, ended: &Ended) -> Result<(), M::Error> {
    map.serialize_entry("line", &ended.line)?;
    map.serialize_entry("offset", &ended.offset)?;
    map.serialize_entry("length", &ended.length)
}

fn oversized<M: SerializeMap>(map: &mut M, event: &Oversized) -> Result<(), M::Error> {
    map.serialize_entry("line", &event.line())?;
    map.serialize_entry("offset", &event.offset())?;
    map.serialize_entry("length", &event.length())?;
    map.serialize_entry("limit", &event.limit())
}

fn unfinished<M: SerializeMap>(map: &mut M, event: &Unfinished) -> Result<(), M::Error> {
    map.serialize_entry("offset", &event.offset())?;
    map.serialize_entry("length", &event.length())
}

fn desynchronised<M: SerializeMap>(map: &mut M, event: &Desynchronised) -> Result<(), M::Error> {
    map.serialize_entry("rule", &event.rule())?;
    map.serialize_entry("offset", &event.offset())
}

fn verdict<M: SerializeMap>(map: &mut M, fault: &Fault<'_>) -> Result<(), M::Error> {
    map.serialize_entry("fault", fault)?;
    map.serialize_entry("reply", &fault.reply())
}
