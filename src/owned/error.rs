//! Why a message could not be taken over.

use core::fmt;
use std::boxed::Box;

use crate::envelope::Fault;
use crate::json::{DeserializeError, LoneSurrogate};

/// Why an owned message can't hold what a message has.
#[derive(Debug)]
#[non_exhaustive]
pub enum ToOwnedError {
    /// A payload is none of the type.
    Payload {
        /// The member: `params`, `result` or `error.data`.
        member: &'static str,
        /// Where it was seen in the frame that was parsed, as an offset in bytes.
        offset: u32,
        /// Why, and where in the payload.
        error: DeserializeError,
    },
    /// A text has half a character in it.
    LoneSurrogate {
        /// The member: `method` or `error.message`.
        member: &'static str,
        /// Which half, and where in the text.
        lone: LoneSurrogate,
    },
    /// The error code does not fit 64 bits.
    Code,
    /// An element of a batch is no message.
    Element {
        /// Its index, from 0.
        index: usize,
        /// What is wrong with it.
        fault: Fault,
    },
    /// A message of a batch could not be taken over.
    InElement {
        /// Its index, from 0.
        index: usize,
        /// Why.
        error: Box<Self>,
    },
}

impl ToOwnedError {
    /// Returns where it was seen in the frame that was parsed, as an offset in bytes, if that is known.
    #[must_use]
    pub fn offset(&self) -> Option<u32> {
        match self {
            Self::Payload { offset, .. } => Some(*offset),
            Self::Element { fault, .. } => Some(fault.offset()),
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
            Self::Element { index, fault } => {
                write!(f, "element {index}: {} at byte {}", fault.rule().name(), fault.offset())
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
