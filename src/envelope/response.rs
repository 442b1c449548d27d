//! Responses (JSON-RPC 2.0, section 5).

use core::fmt;

use super::Id;
use super::layout::{ErrorLayout, OutcomeLayout, ResponseLayout};
use crate::json::{RawJson, RawNumber, RawStr};
use crate::rule::ErrorCode;
use crate::scan::Span;

/// An answer (JSON-RPC 2.0, section 5).
// The frame is the first field in messages of each kind, so that it is read without a branch on the kind.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Response<'buf> {
    frame: &'buf [u8],
    layout: ResponseLayout,
}

impl<'buf> Response<'buf> {
    #[inline]
    pub(super) const fn new(frame: &'buf [u8], layout: ResponseLayout) -> Self {
        Self { frame, layout }
    }

    #[cfg(any(test, feature = "tokio-util-v0_7"))]
    pub(super) const fn layout(&self) -> ResponseLayout {
        self.layout
    }

    pub(super) const fn frame(&self) -> &'buf [u8] {
        self.frame
    }

    /// Returns the id of the request that it answers, or `None` if the member is absent, as [some
    /// rules](super::ErrorIds::OrAbsent) allow for errors.
    #[must_use]
    pub fn id(&self) -> Option<Id<'buf>> {
        self.layout.id.if_any().map(|id| Id::at(self.frame, id))
    }

    /// Returns the span of [the id](Self::id) in the frame.
    #[must_use]
    pub const fn id_span(&self) -> Option<Span> {
        self.layout.id.if_any()
    }

    /// Returns the result or the error.
    #[must_use]
    pub fn outcome(&self) -> Outcome<'buf> {
        match self.layout.outcome {
            OutcomeLayout::Result(result) => Outcome::Result(RawJson::at(self.frame, result)),
            OutcomeLayout::Error(error) => Outcome::Error(ErrorObject::new(self.frame, error)),
        }
    }

    /// Returns the result, if it has one.
    #[must_use]
    pub fn result(&self) -> Option<RawJson<'buf>> {
        match self.layout.outcome {
            OutcomeLayout::Result(result) => Some(RawJson::at(self.frame, result)),
            OutcomeLayout::Error(_) => None,
        }
    }

    /// Returns the span of [the result](Self::result) in the frame.
    #[must_use]
    pub const fn result_span(&self) -> Option<Span> {
        match self.layout.outcome {
            OutcomeLayout::Result(result) => Some(result),
            OutcomeLayout::Error(_) => None,
        }
    }

    /// Returns the code of the error as it was written, if it has one.
    #[doc(hidden)]
    pub fn raw_code(&self) -> Option<RawNumber<'buf>> {
        match self.layout.outcome {
            OutcomeLayout::Result(_) => None,
            OutcomeLayout::Error(error) => Some(RawNumber::at(self.frame, error.code)),
        }
    }

    /// Returns the error, if it has one.
    #[must_use]
    pub fn error(&self) -> Option<ErrorObject<'buf>> {
        match self.layout.outcome {
            OutcomeLayout::Result(_) => None,
            OutcomeLayout::Error(error) => Some(ErrorObject::new(self.frame, error)),
        }
    }

    /// Returns the number of members whose names JSON-RPC does not define.
    #[must_use]
    pub const fn unknown_members(&self) -> u32 {
        self.layout.unknown
    }
}

/// Two responses are equal if their standard members and their numbers of unknown members are equal.
impl PartialEq for Response<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
            && self.outcome() == other.outcome()
            && self.unknown_members() == other.unknown_members()
    }
}

impl Eq for Response<'_> {}

impl fmt::Debug for Response<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("id", &self.id())
            .field("outcome", &self.outcome())
            .field("unknown", &self.unknown_members())
            .finish()
    }
}

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "JSON-RPC 2.0, section 5: the one or the other")]
pub enum Outcome<'buf> {
    /// The request succeeded.
    Result(RawJson<'buf>),
    /// The request failed.
    Error(ErrorObject<'buf>),
}

/// The reason why a request failed (JSON-RPC 2.0, section 5.1).
///
/// ```
/// use tautline::{ErrorCode, Message, Outcome, Rules};
///
/// let frame = br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#;
/// let Ok(Message::Response(response)) = Message::parse(frame, &Rules::JSON_RPC) else { panic!() };
/// let Outcome::Error(error) = response.outcome() else { panic!() };
/// assert_eq!(error.code(), Some(ErrorCode::METHOD_NOT_FOUND));
/// assert_eq!(error.to_string(), "Method not found (-32601)");
/// ```
#[derive(Clone, Copy)]
pub struct ErrorObject<'buf> {
    frame: &'buf [u8],
    layout: ErrorLayout,
}

impl<'buf> ErrorObject<'buf> {
    #[inline]
    const fn new(frame: &'buf [u8], layout: ErrorLayout) -> Self {
        Self { frame, layout }
    }

    /// Returns the code, if it fits in 64 bits.
    #[must_use]
    pub fn code(&self) -> Option<ErrorCode> {
        self.raw_code().as_i64().map(ErrorCode::new)
    }

    /// Returns the code as it was written, an integer of any size.
    #[must_use]
    pub fn raw_code(&self) -> RawNumber<'buf> {
        RawNumber::at(self.frame, self.layout.code)
    }

    /// Returns the span of [the code](Self::raw_code) in the frame.
    #[must_use]
    pub const fn code_span(&self) -> Span {
        self.layout.code
    }

    /// Returns a short description for people.
    #[must_use]
    pub fn message(&self) -> RawStr<'buf> {
        RawStr::at(self.frame, self.layout.message)
    }

    /// Returns the span of [the message](Self::message) in the frame, including its quotes.
    #[must_use]
    pub const fn message_span(&self) -> Span {
        self.layout.message
    }

    /// Returns more about the error, if the member is present.
    #[must_use]
    pub fn data(&self) -> Option<RawJson<'buf>> {
        RawJson::present(self.frame, self.layout.data)
    }

    /// Returns the span of [the data](Self::data) in the frame.
    #[must_use]
    pub const fn data_span(&self) -> Option<Span> {
        self.layout.data.if_any()
    }
}

/// Two error objects are equal if their standard members are equal.
impl PartialEq for ErrorObject<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.raw_code() == other.raw_code()
            && self.message() == other.message()
            && self.data() == other.data()
    }
}

impl Eq for ErrorObject<'_> {}

impl fmt::Debug for ErrorObject<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ErrorObject")
            .field("code", &self.raw_code())
            .field("message", &self.message())
            .field("data", &self.data())
            .finish()
    }
}

impl fmt::Display for ErrorObject<'_> {
    /// Writes the message and the code.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message(), self.raw_code())
    }
}

impl core::error::Error for ErrorObject<'_> {}
