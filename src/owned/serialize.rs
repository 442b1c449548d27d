//! Serialization of owned messages with serde, and deserialization of their error objects.

use alloc::borrow::Cow;
use core::fmt;
use core::marker::PhantomData;

use serde::de::{self, IgnoredAny, MapAccess, Visitor};
use serde::ser::{Error, SerializeMap};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{ErrorObject, Message, Notification, Request, Response};

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Request(request) => request.serialize(serializer),
            Self::Notification(notification) => notification.serialize(serializer),
            Self::Response(response) => response.serialize(serializer),
            Self::Batch(messages) => {
                if messages.is_empty() {
                    return Err(Error::custom("the batch is empty"));
                }
                if messages.iter().any(|message| matches!(message, Self::Batch(_))) {
                    return Err(Error::custom("there are no batches in batches"));
                }
                messages.serialize(serializer)
            }
        }
    }
}

impl<P: Serialize> Serialize for Request<P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("jsonrpc", "2.0")?;
        map.serialize_entry("id", &self.id)?;
        map.serialize_entry("method", &self.method)?;
        if let Some(params) = &self.params {
            map.serialize_entry("params", params)?;
        }
        map.end()
    }
}

impl<P: Serialize> Serialize for Notification<P> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("jsonrpc", "2.0")?;
        map.serialize_entry("method", &self.method)?;
        if let Some(params) = &self.params {
            map.serialize_entry("params", params)?;
        }
        map.end()
    }
}

impl<R: Serialize, D: Serialize> Serialize for Response<R, D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("jsonrpc", "2.0")?;
        if let Some(id) = &self.id {
            map.serialize_entry("id", id)?;
        }
        match &self.outcome {
            Ok(result) => map.serialize_entry("result", result)?,
            Err(error) => map.serialize_entry("error", error)?,
        }
        map.end()
    }
}

impl<D: Serialize> Serialize for ErrorObject<D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("code", &self.code.value())?;
        map.serialize_entry("message", &self.message)?;
        if let Some(data) = &self.data {
            map.serialize_entry("data", data)?;
        }
        map.end()
    }
}

/// Deserializes the error from a map. Members that JSON-RPC does not define are ignored.
///
/// # Errors
///
/// Fails if `code` or `message` is missing, if a member is repeated, or if the code is not an integer of 64 bits.
impl<'de, D: Deserialize<'de>> Deserialize<'de> for ErrorObject<D> {
    fn deserialize<T: Deserializer<'de>>(deserializer: T) -> Result<Self, T::Error> {
        deserializer.deserialize_map(ErrorMembers(PhantomData))
    }
}

/// Collects the members of an error object.
struct ErrorMembers<D>(PhantomData<D>);

impl<'de, D: Deserialize<'de>> Visitor<'de> for ErrorMembers<D> {
    type Value = ErrorObject<D>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an error object with code and message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ErrorObject<D>, A::Error> {
        let (mut code, mut message, mut data) = (None, None, None);
        while let Some(name) = map.next_key::<Cow<'_, str>>()? {
            match &*name {
                "code" => once(&mut code, "code", &mut map)?,
                "message" => once(&mut message, "message", &mut map)?,
                "data" => once(&mut data, "data", &mut map)?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        let code = code.ok_or_else(|| de::Error::missing_field("code"))?;
        let message = message.ok_or_else(|| de::Error::missing_field("message"))?;
        Ok(ErrorObject { code, message, data })
    }
}

/// Reads the value of a member that must not be repeated.
fn once<'de, T: Deserialize<'de>, A: MapAccess<'de>>(
    place: &mut Option<T>,
    name: &'static str,
    map: &mut A,
) -> Result<(), A::Error> {
    match place.replace(map.next_value()?) {
        None => Ok(()),
        Some(_) => Err(de::Error::duplicate_field(name)),
    }
}
