//! Owned messages on their way out: by an encoder, or by serde.

use serde::ser::{Error, SerializeMap};
use serde::{Serialize, Serializer};

use super::{ErrorObject, Id, Message, Notification, Request, Response};
use crate::encode::{BatchKind, Draft, EncodeError, Encoder, Json, NewError, Output};
use crate::json::{RawJson, RawNumber};

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
                for message in messages {
                    batch.next(message.batch_kind(), |draft| message.write(draft));
                }
            }),
            message => encoder.line(|draft| message.write(draft)),
        }
    }

    const fn batch_kind(&self) -> BatchKind {
        match self {
            Self::Response(_) => BatchKind::Responses,
            Self::Request(_) | Self::Notification(_) | Self::Batch(_) => BatchKind::Calls,
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
        encoder.line(|draft| self.write(draft))
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
        encoder.line(|draft| self.write(draft))
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
        encoder.line(|draft| self.write(draft))
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

/// As the string or the number that it is, which may be spelled in another way: what has to keep its
/// spelling goes through an [`Encoder`].
///
/// # Errors
///
/// For half a character, and for a number that is neither an integer of 128 bits nor spelled the same by every
/// serializer when it is passed on as a float.
impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.as_borrowed() {
            crate::Id::Null => serializer.serialize_unit(),
            crate::Id::String(text) => {
                serializer.serialize_str(&text.decode().map_err(Error::custom)?)
            }
            crate::Id::Number(number) => serialize_number(number, self.as_json(), serializer),
        }
    }
}

fn serialize_number<S: Serializer>(
    number: RawNumber<'_>,
    text: &str,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    // Not every format has integers of more than 64 bits. As one, `-0` would lose its sign.
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
    let float: f64 = text.parse().map_err(Error::custom)?;
    if is_spelled_as(float, number) {
        return serializer.serialize_f64(float);
    }
    Err(Error::custom(format_args!("no number of 128 bits is exactly the id {text}")))
}

/// Whether every serializer writes this float as this number.
///
/// Serializers write the shortest decimal that reads back as the float and, if there are several, the nearest.
/// Where two are equally near, they differ in their choice. Then the exact value of the float has one digit more
/// than either, a 5.
fn is_spelled_as(float: f64, number: RawNumber<'_>) -> bool {
    // Enough decimals for the exact value of any float. What is not finite is spelled as no number.
    let (shortest, exact) = (std::format!("{float:e}"), std::format!("{float:.767e}"));
    let [shortest, exact] =
        [&shortest, &exact].map(|text| RawJson::parse(text.as_bytes()).ok()?.number());
    shortest.zip(exact).is_some_and(|(shortest, exact)| {
        shortest.is_worth(&number)
            && exact.significant_digits() != shortest.significant_digits().saturating_add(1)
    })
}
