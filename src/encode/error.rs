//! Encoding errors.

use core::fmt;

/// The reason why a message could not be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum EncodeError {
    /// The output does not have enough room.
    DoesNotFit {
        /// The length of the message in bytes, newline included, without what a framing adds.
        needed: usize,
    },
    /// The output failed. Part of the message may have been written.
    Output,
    /// The payload contains a float that is infinite or NaN.
    NotFinite,
    /// The rules do not allow parameters of this type (JSON-RPC 2.0, section 4.2).
    ParamsType,
    /// The rules do not allow a result of this type (MCP, basic).
    ResultType,
    /// The payload could not be serialized, did not become valid JSON, or is nested too deep.
    Payload,
    /// The rules do not allow this id (JSON-RPC 2.0, section 4; MCP, basic), or the id contains an unpaired
    /// surrogate.
    IdNotAllowed,
    /// The rules forbid batches (MCP from 2025-06-18; LSP).
    BatchNotAllowed,
    /// The rules forbid calls and responses in the same batch (MCP 2025-03-26).
    MixedBatch,
    /// The batch is empty (JSON-RPC 2.0, section 6).
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
            Self::EmptyBatch => "the batch is empty",
        };
        f.write_str(text)
    }
}

impl core::error::Error for EncodeError {}
