//! Errors: those that are written, and those of the writing.

use core::fmt;

use super::Payload;
use crate::envelope::ErrorCode;
use crate::json::RawJson;

/// An error to be written: what failed, as an error object (JSON-RPC 2.0, section 5.1).
#[derive(Clone, Copy, Debug)]
pub struct NewError<'a, D = RawJson<'static>> {
    pub(super) code: ErrorCode,
    pub(super) message: &'a str,
    pub(super) data: Option<D>,
}

impl<'a> NewError<'a> {
    /// An error of this code, and a short description for people.
    #[must_use]
    pub const fn new(code: ErrorCode, message: &'a str) -> Self {
        Self { code, message, data: None }
    }

    /// With more about it, if there is more.
    pub(crate) const fn of<D>(
        code: ErrorCode,
        message: &'a str,
        data: Option<D>,
    ) -> NewError<'a, D> {
        NewError { code, message, data }
    }

    /// With more about it.
    #[must_use]
    pub fn with_data<D: Payload>(self, data: D) -> NewError<'a, D> {
        NewError { code: self.code, message: self.message, data: Some(data) }
    }
}

/// Why a message could not be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum EncodeError {
    /// The output has not the room.
    DoesNotFit {
        /// How many bytes the message has, its newline included.
        needed: usize,
    },
    /// The output failed. Some of the message may be out.
    Output,
    /// The payload has a number in it that is infinite, or not a number.
    NotFinite,
    /// The parameters are of a type that the rules do not allow (JSON-RPC 2.0, section 4.2).
    ParamsType,
    /// The result is of a type that the rules do not allow (MCP, basic).
    ResultType,
    /// The payload could not be serialized, or what came of it is not JSON, or is nested too deep.
    Payload,
    /// The id is none that the rules allow (JSON-RPC 2.0, section 4; MCP, basic), or it has half a
    /// character in it.
    IdNotAllowed,
    /// The rules forbid batches (MCP from 2025-06-18; LSP).
    BatchNotAllowed,
    /// The rules forbid calls and responses in one batch (MCP 2025-03-26).
    MixedBatch,
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
            Self::Output => "the output failed",
            Self::NotFinite => "the payload has a number in it that JSON has no form for",
            Self::ParamsType => "the parameters are of a type that is not allowed",
            Self::ResultType => "the result is of a type that is not allowed",
            Self::Payload => "the payload could not be serialized",
            Self::IdNotAllowed => "the id is not one that is allowed",
            Self::BatchNotAllowed => "batches are not allowed",
            Self::MixedBatch => "a batch has calls or responses, and not both",
            Self::ForeignFrame => "the fault is not that of the frame",
            Self::EmptyBatch => "a batch has at least one message",
        };
        f.write_str(text)
    }
}

impl core::error::Error for EncodeError {}
