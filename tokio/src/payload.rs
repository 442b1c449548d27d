//! Payloads: parameters and results, as types or as raw JSON.

use std::fmt;
use std::io;

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tautline::codec::ReceivedBuf;
use tautline::encode::{EncodeError, Encoder, Json, NO_PARAMS, NewId, Payload};
use tautline::json::DeserializeError;
use tautline::scan::SyntaxError;
use tautline::{Message, Profile, RawJson, Response};

use crate::CallError;
use crate::excerpt::Excerpt;

/// A frame that holds a message.
#[derive(Clone, Debug)]
#[expect(unnameable_types, reason = "only sealed traits use it")]
pub enum Frame {
    /// A whole frame.
    Item(ReceivedBuf),
    /// An element of a batch.
    Element(Bytes, Profile),
}

impl Frame {
    pub(crate) fn message(&self) -> Option<Message<'_>> {
        match self {
            Self::Item(item) => item.message().ok(),
            Self::Element(bytes, profile) => Message::parse(bytes.as_ref(), profile).ok(),
        }
    }

    pub(crate) fn response(&self) -> Option<Response<'_>> {
        match self.message()? {
            Message::Response(response) => Some(response),
            _ => None,
        }
    }

    fn params(&self) -> Option<RawJson<'_>> {
        match self.message()? {
            Message::Request(request) => request.params(),
            Message::Notification(notification) => notification.params(),
            Message::Response(_) | Message::Batch(_) => None,
        }
    }
}

/// Raw JSON, for handlers and callers that do not need a type.
///
/// As the parameter of a handler, it is null if the member `params` is absent. As the parameters of a call, null is not
/// sent.
///
/// ```
/// use tautline_tokio::Raw;
///
/// let raw = Raw::parse(r#"{"a": 1e400}"#)?;
/// assert_eq!(raw.json().member("a").unwrap().as_bytes(), b"1e400");
/// # Ok::<(), tautline::scan::SyntaxError>(())
/// ```
#[derive(Clone)]
pub struct Raw(Source);

/// Writes the JSON text, of which about 256 bytes are shown.
impl fmt::Debug for Raw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Raw({})", Excerpt::beginning(self.json().as_bytes()))
    }
}

#[derive(Clone)]
enum Source {
    /// The parameters or the result of this message.
    Message(Frame),
    /// A text that is known to be valid.
    Text(Bytes),
}

impl Raw {
    /// Checks that a text is one JSON value.
    ///
    /// # Errors
    ///
    /// Returns the first error in the text.
    pub fn parse(text: impl Into<Bytes>) -> Result<Self, SyntaxError> {
        let text = text.into();
        RawJson::parse(&text)?;
        Ok(Self(Source::Text(text)))
    }

    /// Returns a view of the value.
    #[must_use]
    pub fn json(&self) -> RawJson<'_> {
        let json = match &self.0 {
            Source::Message(frame) => match frame.response() {
                Some(response) => response.result(),
                None => frame.params(),
            },
            Source::Text(text) => RawJson::parse(text).ok(),
        };
        json.unwrap_or_else(null)
    }

    /// Deserializes the value. Text without escapes can be borrowed from it.
    ///
    /// # Errors
    ///
    /// Fails if the value does not fit the type.
    pub fn deserialize<'a, T: serde::Deserialize<'a>>(&'a self) -> Result<T, DeserializeError> {
        self.json().deserialize()
    }

    pub(crate) const fn of(frame: Frame) -> Self {
        Self(Source::Message(frame))
    }

    /// Reads a result as another type.
    #[cfg(feature = "mcp")]
    pub(crate) fn read<R: FromPayload>(self) -> Result<R, CallError> {
        match self.0 {
            Source::Message(frame) => read_response(frame),
            // This can't happen, because a result comes in a message.
            Source::Text(_) => Err(CallError::Unreadable(tautline::owned::ToOwnedError::Code)),
        }
    }
}

fn null<'a>() -> RawJson<'a> {
    // The text is valid, so the scanner always returns a view of it.
    match RawJson::parse(b"null") {
        Ok(null) => null,
        Err(_) => null(),
    }
}

/// Reads the outcome of a call from the frame of its response.
pub(crate) fn read_response<R: FromPayload>(frame: Frame) -> Result<R, CallError> {
    match R::from_response(frame) {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(error)) => Err(CallError::Peer(error.into())),
        Err(error) => Err(CallError::Unreadable(error)),
    }
}

/// A type that can be read from parameters and results: every type with `DeserializeOwned`, and [`Raw`].
///
/// If the member `params` is absent, parameters are read from `null`, and if that fails, from `{}`. So `()`, an
/// `Option` and a struct with only optional fields accept a call without parameters.
///
/// The trait is sealed.
pub trait FromPayload: sealed::FromPayload + Send {}

impl<T: sealed::FromPayload + Send> FromPayload for T {}

/// A type that can be written as parameters or results: every type with `Serialize`, and [`Raw`].
///
/// Parameters that serialize as null, such as `()`, are left out.
///
/// The trait is sealed.
pub trait ToPayload: sealed::ToPayload {}

impl<T: sealed::ToPayload> ToPayload for T {}

/// The parts of a message other than its payload.
#[derive(Clone, Copy, Debug)]
#[expect(unnameable_types, reason = "only sealed traits use it")]
pub enum Head<'a> {
    Request(u64, &'a str),
    Notification(&'a str),
    Result(NewId<'a>),
}

impl Head<'_> {
    /// Encodes a message as one line.
    fn line(
        self,
        profile: &Profile,
        payload: Option<impl Payload>,
    ) -> Result<Vec<u8>, EncodeError> {
        let mut encoder = Encoder::with_profile(Vec::with_capacity(128), profile);
        match self {
            Self::Request(id, method) => encoder.request(id, method, payload)?,
            Self::Notification(method) => encoder.notification(method, payload)?,
            Self::Result(id) => encoder.result(id, payload)?,
        };
        Ok(encoder.into_output())
    }

    fn without_params(self, profile: &Profile) -> Result<Vec<u8>, EncodeError> {
        self.line(profile, NO_PARAMS)
    }

    const fn is_call(self) -> bool {
        matches!(self, Self::Request(..) | Self::Notification(_))
    }
}

pub(crate) mod sealed {
    use super::{DeserializeError, DeserializeOwned, Json, is_null, null};
    use super::{EncodeError, Frame, Head, Profile, Raw, RawJson, Serialize};
    use tautline::owned::{self, ToOwnedError};

    #[expect(unnameable_types, reason = "that is what seals the trait above")]
    pub trait FromPayload: Sized {
        fn from_params(frame: &Frame) -> Result<Self, DeserializeError>;

        /// Reads a response from a frame, which must contain one.
        fn from_response(frame: Frame) -> Result<Result<Self, owned::ErrorObject>, ToOwnedError>;
    }

    #[expect(unnameable_types, reason = "that is what seals the trait above")]
    pub trait ToPayload {
        fn line(&self, head: Head<'_>, profile: &Profile) -> Result<Vec<u8>, EncodeError>;
    }

    impl<T: DeserializeOwned> FromPayload for T {
        fn from_params(frame: &Frame) -> Result<Self, DeserializeError> {
            match frame.params() {
                Some(params) => params.deserialize(),
                None => null().deserialize().or_else(|error| {
                    let empty = RawJson::parse(b"{}").unwrap_or_else(|_| null());
                    empty.deserialize().map_err(|_| error)
                }),
            }
        }

        fn from_response(frame: Frame) -> Result<Result<Self, owned::ErrorObject>, ToOwnedError> {
            match frame.response() {
                Some(response) => Ok(owned::Response::try_from(response)?.outcome),
                // This can't happen, because the caller has found a response in the frame.
                None => Err(ToOwnedError::Code),
            }
        }
    }

    impl FromPayload for Raw {
        fn from_params(frame: &Frame) -> Result<Self, DeserializeError> {
            Ok(Self::of(frame.clone()))
        }

        fn from_response(frame: Frame) -> Result<Result<Self, owned::ErrorObject>, ToOwnedError> {
            match frame.response().and_then(|response| response.error()) {
                Some(error) => Ok(Err(error.try_into()?)),
                None => Ok(Ok(Self::of(frame))),
            }
        }
    }

    impl<T: Serialize> ToPayload for T {
        fn line(&self, head: Head<'_>, profile: &Profile) -> Result<Vec<u8>, EncodeError> {
            const NULL: &[u8] = b",\"params\":null}\n";
            match head.line(profile, Some(Json(self))) {
                Ok(line) if head.is_call() && line.ends_with(NULL) => head.without_params(profile),
                Err(EncodeError::ParamsType) if is_null(self) => head.without_params(profile),
                line => line,
            }
        }
    }

    impl ToPayload for Raw {
        fn line(&self, head: Head<'_>, profile: &Profile) -> Result<Vec<u8>, EncodeError> {
            let json = self.json();
            if head.is_call() && json.is_null() {
                return head.without_params(profile);
            }
            head.line(profile, Some(json))
        }
    }
}

/// Returns whether a value is serialized as null.
fn is_null(value: &impl Serialize) -> bool {
    /// Accepts the rest of this text.
    struct Expected(&'static [u8]);

    impl io::Write for Expected {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 = self.0.strip_prefix(bytes).ok_or(io::ErrorKind::InvalidData)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let mut expected = Expected(b"null");
    serde_json::to_writer(&mut expected, value).is_ok() && expected.0.is_empty()
}
