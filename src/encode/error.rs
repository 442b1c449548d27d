//! Errors: those that are written, and those of the writing.

use core::fmt;

use super::Payload;
use crate::envelope::ErrorCode;
use crate::json::RawJson;

/// What failed, to be written as an error object (JSON-RPC 2.0, section 5.1).
#[derive(Clone, Copy, Debug)]
pub struct Error<'a, D = RawJson<'static>> {
    pub(super) code: ErrorCode,
    pub(super) message: &'a str,
    pub(super) data: Option<D>,
}

impl<'a> Error<'a> {
    /// An error of this code, and a short description for people.
    #[must_use]
    pub const fn new(code: ErrorCode, message: &'a str) -> Self {
        Self { code, message, data: None }
    }

    /// With more about it.
    #[must_use]
    pub fn with_data<D: Payload>(self, data: D) -> Error<'a, D> {
        Error { code: self.code, message: self.message, data: Some(data) }
    }
}

/// Why a message could not be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EncodeError {
    /// The output took no more.
    DoesNotFit {
        /// How many bytes the message has, its newline included.
        needed: usize,
    },
    /// The payload has a number in it that is infinite, or not a number.
    NotFinite,
    /// The parameters are of a type that the rules do not allow (JSON-RPC 2.0, section 4.2).
    ParamsType,
    /// The result is of a type that the rules do not allow (MCP, basic).
    ResultType,
    /// The payload could not be serialized.
    Payload,
    /// The fault is not that of the frame.
    ForeignFrame,
    /// A batch with nothing in it (JSON-RPC 2.0, section 6).
    EmptyBatch,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::DoesNotFit { needed } => {
                f.write_str("the output has no room for the message of ")?;
                fmt::Display::fmt(needed, f)?;
                " bytes"
            }
            Self::NotFinite => "the payload has a number in it that JSON has no form for",
            Self::ParamsType => "the parameters are of a type that is not allowed",
            Self::ResultType => "the result is of a type that is not allowed",
            Self::Payload => "the payload could not be serialized",
            Self::ForeignFrame => "the fault is not that of the frame",
            Self::EmptyBatch => "a batch has at least one message",
        };
        f.write_str(text)
    }
}

impl core::error::Error for EncodeError {}
