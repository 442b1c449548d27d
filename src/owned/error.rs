//! Conversion errors.

use alloc::boxed::Box;
use core::fmt;

use crate::json::{DeserializeError, LoneSurrogate};
use crate::rule::Finding;

/// The reason why a message could not be converted to an owned one.
#[derive(Debug)]
#[non_exhaustive]
pub enum ToOwnedError {
    /// A payload does not fit its type.
    Payload {
        /// The member: `params`, `result` or `error.data`.
        member: &'static str,
        /// The byte offset of the error in the parsed frame.
        offset: u32,
        /// The error, with its offset in the payload.
        error: DeserializeError,
    },
    /// A text contains an unpaired surrogate.
    LoneSurrogate {
        /// The member: `method` or `error.message`.
        member: &'static str,
        /// The surrogate, with its offset in the text.
        lone: LoneSurrogate,
    },
    /// The error code does not fit in 64 bits.
    Code,
    /// An element of a batch is not a message.
    Element {
        /// Its index, from 0.
        index: usize,
        /// The fault of the element.
        finding: Finding,
    },
    /// A message of a batch could not be converted.
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
