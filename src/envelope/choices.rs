//! The places where protocols on JSON-RPC differ, each with its choices.

use super::kinds::Kinds;

/// The values that `params` may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Params {
    /// An array or an object (JSON-RPC 2.0, section 4.2).
    Structured,
    /// An array, an object or null (which LSP clients send for "none").
    StructuredOrNull,
    /// An object (MCP, basic).
    Object,
}

/// The values that the `id` of a request may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Ids {
    /// A string, a number or null; fractions and null draw a warning (JSON-RPC 2.0, section 4).
    Any,
    /// A string or an integer (MCP, basic; LSP, base protocol).
    StringOrInteger,
}

/// The values that the `id` of an error response may have, besides the values allowed for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ErrorIds {
    /// Null, if the request's id could not be read (JSON-RPC 2.0, section 5).
    OrNull,
    /// No others (MCP up to 2025-06-18).
    AsRequest,
    /// No value: the member may be absent (MCP from 2025-11-25).
    OrAbsent,
}

/// The values that `result` may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Results {
    /// Any (JSON-RPC 2.0, section 5).
    Any,
    /// An object (MCP, basic).
    Object,
}

/// The batches that a protocol allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Batches {
    /// All batches (JSON-RPC 2.0, section 6).
    Allowed,
    /// Batches of calls and batches of responses, but no batches of both (MCP 2025-03-26, schema and basic/transports).
    Unmixed,
    /// No batches (LSP; MCP from 2025-06-18).
    Forbidden,
}

/// The answer to a message that cannot be matched to a request, because no legal id could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Uncorrelated {
    /// An error with a null id (JSON-RPC 2.0, section 5).
    NullId,
    /// An error without an id (MCP from 2025-11-25, basic, error responses).
    NoId,
    /// No answer: MCP up to 2025-06-18 has no legal form for one.
    Silent,
}

/// The answer to bytes that are not JSON, or not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Unparseable {
    /// An error, as JSON-RPC 2.0, section 5.1, requires.
    Answered,
    /// No answer. On a pipe the bytes may be log output, and two peers that answer each other's logs never stop.
    Silent,
}

/// The treatment of a raw carriage return (CR) in a frame that ends with a newline.
///
/// JSON allows CR as whitespace, but some peers read lines with universal newlines: they end a line at a CR
/// as well, so that one frame becomes several messages to them. Frames of other framings are not affected,
/// and neither is the CR of a CRLF, which is not part of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum CarriageReturns {
    /// It is allowed, with a warning.
    Tolerated,
    /// It is an error (MCP, basic/transports, stdio: no embedded newlines).
    Forbidden,
}

impl Params {
    pub(super) const fn kinds(self) -> Kinds {
        match self {
            Self::Structured => Kinds::OBJECT.and(Kinds::ARRAY),
            Self::StructuredOrNull => Kinds::OBJECT.and(Kinds::ARRAY).and(Kinds::NULL),
            Self::Object => Kinds::OBJECT,
        }
    }
}

impl Ids {
    pub(super) const fn kinds(self) -> Kinds {
        match self {
            Self::Any => Kinds::ID.and(Kinds::FRACTION).and(Kinds::NULL),
            Self::StringOrInteger => Kinds::ID,
        }
    }
}

impl ErrorIds {
    pub(super) const fn kinds(self) -> Kinds {
        match self {
            Self::OrNull => Kinds::NULL,
            Self::AsRequest => Kinds::NONE,
            Self::OrAbsent => Kinds::ABSENT,
        }
    }
}

impl Results {
    pub(super) const fn kinds(self) -> Kinds {
        match self {
            Self::Any => Kinds::ANY,
            Self::Object => Kinds::OBJECT,
        }
    }
}
