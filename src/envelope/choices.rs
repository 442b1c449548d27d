//! The places where protocols on JSON-RPC differ, each with its choices.

use super::kinds::Kinds;

/// Which values `params` may have.
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

/// Which values the `id` of a request may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Ids {
    /// A string, a number or null; fractions and null draw a warning (JSON-RPC 2.0, section 4).
    Any,
    /// A string or an integer (MCP, basic; LSP, base protocol).
    StringOrInteger,
}

/// Which values the `id` of an error response may have besides those of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ErrorIds {
    /// Null, if the request's id could not be read (JSON-RPC 2.0, section 5).
    OrNull,
    /// No others (MCP up to 2025-06-18).
    AsRequest,
    /// None at all: the member may be absent (MCP from 2025-11-25).
    OrAbsent,
}

/// Which values `result` may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Results {
    /// Any (JSON-RPC 2.0, section 5).
    Any,
    /// An object (MCP, basic).
    Object,
}

/// The batches that a protocol has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Batches {
    /// They may (JSON-RPC 2.0, section 6).
    Allowed,
    /// They may, with calls or with responses in them, but not with both (MCP 2025-03-26, schema and
    /// basic/transports).
    Unmixed,
    /// They must not (LSP; MCP from 2025-06-18).
    Forbidden,
}

/// How to answer what can't be tied to a request, because no legal id could be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Uncorrelated {
    /// With a null id (JSON-RPC 2.0, section 5).
    NullId,
    /// Without an id (MCP from 2025-11-25, basic, error responses).
    NoId,
    /// Not at all: MCP up to 2025-06-18 has no legal form for it.
    Silent,
}

/// Whether to answer bytes that are not JSON, or not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Unparseable {
    /// Yes, as JSON-RPC 2.0, section 5.1, asks for.
    Answered,
    /// No. On a pipe the bytes may be somebody's log, and two peers that answer each other's logs
    /// never stop.
    Silent,
}

/// Whether a frame that ends with a newline may contain a raw carriage return (CR).
///
/// JSON allows CR as whitespace, but some peers read lines with universal newlines: they end a line at a CR
/// as well, so that one frame becomes several messages to them. Frames of other framings are not affected,
/// and neither is the CR of a CRLF, which is not part of the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum CarriageReturns {
    /// It may, and draws a warning.
    Tolerated,
    /// It must not (MCP, basic/transports, stdio: no embedded newlines).
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
