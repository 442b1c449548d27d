//! Owned messages, and why a message can't be owned.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::Deserialize;
use serde_json::Value;

use super::Id;
use crate::cast::u32_from;
use crate::json::{DeserializeError, LoneSurrogate, RawJson, RawStr};
use crate::rule::{ErrorCode, Finding};
use crate::scan::Span;
use crate::{Outcome, envelope};

/// A JSON-RPC 2.0 message, the owned counterpart of [`tautline::Message`](crate::Message).
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "JSON-RPC 2.0, sections 4 to 6, has these and no more")]
pub enum Message {
    /// A call that expects an answer.
    Request(Request),
    /// A call that expects no answer.
    Notification(Notification),
    /// An answer.
    Response(Response),
    /// Several messages in one frame, which must not be batches themselves.
    Batch(Vec<Self>),
}

/// A call that expects an answer (JSON-RPC 2.0, section 4).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request<P = Value> {
    /// The id, which the answer repeats.
    pub id: Id,
    /// The method to call.
    pub method: String,
    /// The parameters, if the member is present.
    pub params: Option<P>,
}

/// A call that expects no answer (JSON-RPC 2.0, section 4.1).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notification<P = Value> {
    /// The method to call.
    pub method: String,
    /// The parameters, if the member is present.
    pub params: Option<P>,
}

/// An answer (JSON-RPC 2.0, section 5).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Response<R = Value, D = Value> {
    /// The id of the request that it answers, or `None` if the member is absent, as [some
    /// profiles](crate::envelope::ErrorIds::OrAbsent) allow for errors.
    pub id: Option<Id>,
    /// The outcome of the request.
    pub outcome: Result<R, ErrorObject<D>>,
}

/// The reason why a request failed (JSON-RPC 2.0, section 5.1).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ErrorObject<D = Value> {
    /// The code.
    pub code: ErrorCode,
    /// A short description for people.
    pub message: String,
    /// More about the error, if the member is present.
    pub data: Option<D>,
}

impl<P> Request<P> {
    /// Creates a request.
    pub fn new(id: impl Into<Id>, method: impl Into<String>, params: Option<P>) -> Self {
        Self { id: id.into(), method: method.into(), params }
    }
}

impl<P> Notification<P> {
    /// Creates a notification.
    pub fn new(method: impl Into<String>, params: Option<P>) -> Self {
        Self { method: method.into(), params }
    }
}

impl<R, D> Response<R, D> {
    /// Creates the answer to a request that succeeded.
    pub fn result(id: impl Into<Id>, result: R) -> Self {
        Self { id: Some(id.into()), outcome: Ok(result) }
    }

    /// Creates the answer to a request that failed. It has no id if the id of the request could not be read.
    pub const fn error(id: Option<Id>, error: ErrorObject<D>) -> Self {
        Self { id, outcome: Err(error) }
    }
}

impl<D> ErrorObject<D> {
    /// Creates an error with this code and a short description for people.
    pub fn new(code: ErrorCode, message: impl Into<String>, data: Option<D>) -> Self {
        Self { code, message: message.into(), data }
    }
}

impl TryFrom<envelope::Message<'_>> for Message {
    type Error = ToOwnedError;

    /// # Errors
    ///
    /// Fails in the cases that the [table](super) lists.
    fn try_from(message: envelope::Message<'_>) -> Result<Self, ToOwnedError> {
        Ok(match message {
            envelope::Message::Request(request) => Self::Request(request.try_into()?),
            envelope::Message::Notification(notification) => {
                Self::Notification(notification.try_into()?)
            }
            envelope::Message::Response(response) => Self::Response(response.try_into()?),
            envelope::Message::Batch(batch) => {
                let elements = batch.iter().enumerate().map(|(index, element)| {
                    let message = element.message();
                    let message = message.map_err(|fault| {
                        let finding = fault.finding();
                        ToOwnedError::Element { index, finding }
                    })?;
                    let in_element =
                        |error| ToOwnedError::InElement { index, error: Box::new(error) };
                    Self::try_from(message).map_err(in_element)
                });
                Self::Batch(elements.collect::<Result<_, _>>()?)
            }
        })
    }
}

impl<'buf, P: Deserialize<'buf>> TryFrom<envelope::Request<'buf>> for Request<P> {
    type Error = ToOwnedError;

    /// # Errors
    ///
    /// Fails if the parameters do not fit the type.
    fn try_from(request: envelope::Request<'buf>) -> Result<Self, ToOwnedError> {
        Ok(Self {
            id: request.id().into(),
            method: text("method", request.method())?,
            params: payload("params", request.params(), request.call().params_span())?,
        })
    }
}

impl<'buf, P: Deserialize<'buf>> TryFrom<crate::Notification<'buf>> for Notification<P> {
    type Error = ToOwnedError;

    /// # Errors
    ///
    /// Fails if the parameters do not fit the type.
    fn try_from(notification: crate::Notification<'buf>) -> Result<Self, ToOwnedError> {
        Ok(Self {
            method: text("method", notification.method())?,
            params: payload("params", notification.params(), notification.call().params_span())?,
        })
    }
}

impl<'buf, R, D> TryFrom<envelope::Response<'buf>> for Response<R, D>
where
    R: Deserialize<'buf>,
    D: Deserialize<'buf>,
{
    type Error = ToOwnedError;

    /// # Errors
    ///
    /// Fails if the result or the data of the error does not fit its type, or if the error cannot be
    /// converted.
    fn try_from(response: envelope::Response<'buf>) -> Result<Self, ToOwnedError> {
        let outcome = match response.outcome() {
            Outcome::Result(result) => {
                Ok(one_payload("result", result, response.result_span().unwrap_or_default())?)
            }
            Outcome::Error(error) => Err(error.try_into()?),
        };
        Ok(Self { id: response.id().map(Id::from), outcome })
    }
}

impl<'buf, D: Deserialize<'buf>> TryFrom<crate::ErrorObject<'buf>> for ErrorObject<D> {
    type Error = ToOwnedError;

    /// # Errors
    ///
    /// Fails if the data does not fit its type, if the message contains an unpaired surrogate, or if the code
    /// does not fit in 64 bits.
    fn try_from(error: crate::ErrorObject<'buf>) -> Result<Self, ToOwnedError> {
        Ok(Self {
            code: error.code().ok_or(ToOwnedError::Code)?,
            message: text("error.message", error.message())?,
            data: payload("error.data", error.data(), error.data_span())?,
        })
    }
}

fn text(member: &'static str, text: RawStr<'_>) -> Result<String, ToOwnedError> {
    let decoded = text.decode().map(Cow::into_owned);
    decoded.map_err(|lone| ToOwnedError::LoneSurrogate { member, lone })
}

fn payload<'buf, T: Deserialize<'buf>>(
    member: &'static str,
    value: Option<RawJson<'buf>>,
    span: Option<Span>,
) -> Result<Option<T>, ToOwnedError> {
    value.zip(span).map(|(value, span)| one_payload(member, value, span)).transpose()
}

fn one_payload<'buf, T: Deserialize<'buf>>(
    member: &'static str,
    value: RawJson<'buf>,
    span: Span,
) -> Result<T, ToOwnedError> {
    value.deserialize().map_err(|error| {
        let offset = span.start().saturating_add(u32_from(error.offset()));
        ToOwnedError::Payload { member, offset, error }
    })
}

impl<D> fmt::Display for ErrorObject<D> {
    /// Writes the message and the code.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

impl<D: fmt::Debug> core::error::Error for ErrorObject<D> {}

/// The reason why a message could not be converted to an owned one.
#[derive(Debug)]
#[non_exhaustive]
pub enum ToOwnedError {
    /// A payload does not fit its type.
    #[non_exhaustive]
    Payload {
        /// The member: `params`, `result` or `error.data`.
        member: &'static str,
        /// The byte offset of the error in the parsed frame.
        offset: u32,
        /// The error, with its offset in the payload.
        error: DeserializeError,
    },
    /// A text contains an unpaired surrogate.
    #[non_exhaustive]
    LoneSurrogate {
        /// The member: `method` or `error.message`.
        member: &'static str,
        /// The surrogate, with its offset in the text.
        lone: LoneSurrogate,
    },
    /// The error code does not fit in 64 bits.
    Code,
    /// An element of a batch is not a message.
    #[non_exhaustive]
    Element {
        /// Its index, from 0.
        index: usize,
        /// The fault of the element.
        finding: Finding,
    },
    /// A message of a batch could not be converted.
    #[non_exhaustive]
    InElement {
        /// Its index, from 0.
        index: usize,
        /// The error of the message.
        error: Box<Self>,
    },
}

impl ToOwnedError {
    /// Returns the byte offset of the error in the parsed frame, if it is known.
    #[must_use]
    pub fn offset(&self) -> Option<u32> {
        match self {
            Self::Payload { offset, .. } => Some(*offset),
            Self::Element { finding, .. } => Some(finding.offset()),
            Self::InElement { error, .. } => error.offset(),
            Self::LoneSurrogate { .. } | Self::Code => None,
        }
    }
}

impl fmt::Display for ToOwnedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Payload { member, error, .. } => write!(f, "{member}: {error}"),
            Self::LoneSurrogate { member, lone } => {
                write!(f, "{member}: {lone} at byte {}", lone.offset())
            }
            Self::Code => f.write_str("error.code: the integer has more than 64 bits"),
            Self::Element { index, finding } => {
                write!(
                    f,
                    "element {index}: {} at byte {}",
                    crate::rule::name(finding.rule()),
                    finding.offset()
                )
            }
            Self::InElement { index, error } => write!(f, "element {index}: {error}"),
        }
    }
}

impl core::error::Error for ToOwnedError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Payload { error, .. } => Some(error),
            Self::LoneSurrogate { lone, .. } => Some(lone),
            Self::InElement { error, .. } => Some(error),
            Self::Code | Self::Element { .. } => None,
        }
    }
}
