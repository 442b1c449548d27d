//! Owned messages on their way out: by an encoder, or by serde.

use serde::ser::{Error, SerializeMap};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use super::{ErrorObject, Id, Message, Notification, Request, Response};
use crate::encode::{Draft, EncodeError, Encoder, Json, NewError, Output};

impl Message {
    /// Writes the message, and says how many bytes it has.
    ///
    /// # Errors
    ///
    /// [`EncodeError`], with nothing written, unless it is [`Output`](EncodeError::Output); a batch in a
    /// batch is [not allowed](EncodeError::BatchNotAllowed), whatever the rules.
    pub fn encode<O: Output>(&self, encoder: &mut Encoder<O>) -> Result<usize, EncodeError> {
        match self {
            Self::Batch(messages) => encoder.batch(|batch| {
                messages.iter().for_each(|message| batch.next(|draft| message.write(draft)));
            }),
            message => encoder.whole(b"", b"}\n", |draft| message.write(draft)),
        }
    }

    fn write(&self, draft: Draft<'_, '_>) {
        match self {
            Self::Request(request) => request.write(draft),
            Self::Notification(notification) => notification.write(draft),
            Self::Response(response) => response.write(draft),
            Self::Batch(_) => draft.refuse(EncodeError::BatchNotAllowed),
        }
    }
}

impl<P: Serialize> Request<P> {
    /// Writes the request, and says how many bytes it has.
    ///
    /// # Errors
    ///
    /// [`EncodeError`], with nothing written, unless it is [`Output`](EncodeError::Output).
    pub fn encode<O: Output>(&self, encoder: &mut Encoder<O>) -> Result<usize, EncodeError> {
        encoder.whole(b"", b"}\n", |draft| self.write(draft))
    }

    fn write(&self, draft: Draft<'_, '_>) {
        draft.request((&self.id).into(), &self.method, self.params.as_ref().map(Json));
    }
}

impl<P: Serialize> Notification<P> {
    /// Writes the notification, and says how many bytes it has.
    ///
    /// # Errors
    ///
    /// [`EncodeError`], with nothing written, unless it is [`Output`](EncodeError::Output).
    pub fn encode<O: Output>(&self, encoder: &mut Encoder<O>) -> Result<usize, EncodeError> {
        encoder.whole(b"", b"}\n", |draft| self.write(draft))
    }

    fn write(&self, draft: Draft<'_, '_>) {
        draft.notification(&self.method, self.params.as_ref().map(Json));
    }
}

impl<R: Serialize, D: Serialize> Response<R, D> {
    /// Writes the response, and says how many bytes it has.
    ///
    /// # Errors
    ///
    /// [`EncodeError`], with nothing written, unless it is [`Output`](EncodeError::Output); without an
    /// id, [`IdNotAllowed`](EncodeError::IdNotAllowed) for all but errors under rules that allow it.
    pub fn encode<O: Output>(&self, encoder: &mut Encoder<O>) -> Result<usize, EncodeError> {
        encoder.whole(b"", b"}\n", |draft| self.write(draft))
    }

    fn write(&self, draft: Draft<'_, '_>) {
        match (&self.id, &self.outcome) {
            (Some(id), Ok(result)) => draft.result(id.into(), Json(result)),
            (Some(id), Err(error)) => draft.error(id.into(), error.to_new()),
            (None, Err(error)) => draft.error_without_id(error.to_new()),
            (None, Ok(_)) => draft.refuse(EncodeError::IdNotAllowed),
        }
    }
}

impl<D: Serialize> ErrorObject<D> {
    fn to_new(&self) -> NewError<'_, Json<'_, D>> {
        NewError::of(self.code, &self.message, self.data.as_ref().map(Json))
    }
}

impl Serialize for Message {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Request(request) => request.serialize(serializer),
            Self::Notification(notification) => notification.serialize(serializer),
            Self::Response(response) => response.serialize(serializer),
            Self::Batch(messages) => {
                if messages.is_empty() {
                    return Err(Error::custom("a batch has at least one message"));
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

/// Null, text without escapes, and an integer of 64 bits that is spelled as any serializer spells it,
/// go to every format. What would lose its spelling goes as the
/// [raw value](serde_json::value::RawValue) of `serde_json`, which its serializers write as it is.
impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.as_borrowed() {
            crate::Id::Null => return serializer.serialize_unit(),
            crate::Id::String(text) => {
                if let Some(text) = text.as_str() {
                    return serializer.serialize_str(text);
                }
            }
            // `-0` is a plain integer as well, and would become `0`.
            crate::Id::Number(number) if number.is_plain_integer() && self.as_json() != "-0" => {
                if let Some(integer) = number.as_u64() {
                    return serializer.serialize_u64(integer);
                }
                if let Some(integer) = number.as_i64() {
                    return serializer.serialize_i64(integer);
                }
            }
            crate::Id::Number(_) => {}
        }
        let raw: &RawValue = serde_json::from_str(self.as_json()).map_err(Error::custom)?;
        raw.serialize(serializer)
    }
}
