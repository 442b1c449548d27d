//! The choices of a profile, each with its values.

use super::{ANSWER_UNPARSEABLE, CHOICES, FORBID_CARRIAGE_RETURNS, Profile};
use crate::envelope::kinds::Kinds;
use crate::rule::Rule;

impl Profile {
    /// Sets the values allowed for `params`.
    #[must_use]
    pub const fn with_params(self, params: Params) -> Self {
        Self { params: params.kinds(), ..self }
    }

    /// Sets the values allowed for the `id` of a request.
    #[must_use]
    pub const fn with_ids(self, ids: Ids) -> Self {
        let severities = self.severities().without(Rule::ID_NULL).without(Rule::ID_FRACTION);
        Self { ids: ids.kinds(), choices: self.choices & CHOICES | severities.bits(), ..self }
    }

    /// Sets the values allowed for the `id` of an error response, besides the values allowed for a request.
    #[must_use]
    pub const fn with_error_ids(self, error_ids: ErrorIds) -> Self {
        Self { error_ids: error_ids.kinds(), ..self }
    }

    /// Sets the values allowed for `result`.
    #[must_use]
    pub const fn with_results(self, results: Results) -> Self {
        Self { results: results.kinds(), ..self }
    }

    /// Sets the answer to messages that cannot be matched to a request.
    #[must_use]
    pub const fn with_uncorrelated(self, uncorrelated: Uncorrelated) -> Self {
        Self { uncorrelated, ..self }
    }

    /// Sets whether bytes that are not JSON get an error reply.
    #[must_use]
    pub const fn with_unparseable(self, unparseable: Unparseable) -> Self {
        self.choosing(ANSWER_UNPARSEABLE, matches!(unparseable, Unparseable::Answered))
    }

    /// Sets whether raw carriage returns are tolerated in frames that end with a newline.
    #[must_use]
    pub const fn with_carriage_returns(self, carriage_returns: CarriageReturns) -> Self {
        let forbids = matches!(carriage_returns, CarriageReturns::Forbidden);
        let severities = self.severities().without(Rule::RAW_CARRIAGE_RETURN);
        Self { choices: self.choices & CHOICES | severities.bits(), ..self }
            .choosing(FORBID_CARRIAGE_RETURNS, forbids)
    }

    /// Returns the values that `params` may have.
    #[must_use]
    pub const fn params(&self) -> Params {
        match self.params {
            kinds if kinds.contains(Kinds::NULL) => Params::StructuredOrNull,
            kinds if kinds.contains(Kinds::ARRAY) => Params::Structured,
            _ => Params::Object,
        }
    }

    /// Returns the values that the `id` of a request may have.
    #[must_use]
    pub const fn ids(&self) -> Ids {
        if self.ids.contains(Kinds::NULL) { Ids::Any } else { Ids::StringOrInteger }
    }

    /// Returns the values that the `id` of an error response may have, besides the values allowed for a request.
    #[must_use]
    pub const fn error_ids(&self) -> ErrorIds {
        match self.error_ids {
            kinds if kinds.contains(Kinds::NULL) => ErrorIds::OrNull,
            kinds if kinds.contains(Kinds::ABSENT) => ErrorIds::OrAbsent,
            _ => ErrorIds::AsRequest,
        }
    }

    /// Returns the values that `result` may have.
    #[must_use]
    pub const fn results(&self) -> Results {
        if self.results.contains(Kinds::NULL) { Results::Any } else { Results::Object }
    }

    /// Returns which batches are allowed.
    #[must_use]
    pub const fn batches(&self) -> Batches {
        self.batches
    }

    /// Returns the answer to messages that cannot be matched to a request.
    #[must_use]
    pub const fn uncorrelated(&self) -> Uncorrelated {
        self.uncorrelated
    }

    /// Returns whether bytes that are not JSON are answered.
    #[must_use]
    pub const fn unparseable(&self) -> Unparseable {
        match self.chooses(ANSWER_UNPARSEABLE) {
            true => Unparseable::Answered,
            false => Unparseable::Silent,
        }
    }

    /// Returns whether frames that end with a newline may contain raw carriage returns.
    #[must_use]
    pub const fn carriage_returns(&self) -> CarriageReturns {
        match self.chooses(FORBID_CARRIAGE_RETURNS) {
            true => CarriageReturns::Forbidden,
            false => CarriageReturns::Tolerated,
        }
    }
}

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
