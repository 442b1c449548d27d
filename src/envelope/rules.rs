//! Which rules are in force: the places where protocols on JSON-RPC differ, as data.

use super::code::{self, CodeClass, CodeRange, Codes, ErrorCode};
use super::{Rule, Severity};
use crate::scan::DEFAULT_MAX_DEPTH;

/// The default limit on the elements of a batch.
pub const DEFAULT_MAX_BATCH: u32 = 1024;

/// The rules that messages are held to.
///
/// Begin with a preset: [`JSON_RPC`](Self::JSON_RPC), [`LSP`](Self::LSP), or the
/// [revision](crate::Revision::rules) of MCP in use; and change what differs.
///
/// ```
/// use tautline::{Message, Revision, Rules};
///
/// const RULES: Rules = Revision::V2025_11_25.rules().with_max_depth(32);
/// assert!(Message::parse(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, &RULES).is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    params: Params,
    ids: Ids,
    error_ids: ErrorIds,
    results: Results,
    batches: Batches,
    uncorrelated: Uncorrelated,
    unparseable: Unparseable,
    max_depth: u8,
    max_batch: u32,
    /// What is looked up before the ranges of JSON-RPC.
    codes: Codes,
}

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

/// Whether messages may come in batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Batches {
    /// They may (JSON-RPC 2.0, section 6; MCP 2025-03-26).
    Allowed,
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

impl Rules {
    /// JSON-RPC 2.0.
    pub const JSON_RPC: Self = Self {
        params: Params::Structured,
        ids: Ids::Any,
        error_ids: ErrorIds::OrNull,
        results: Results::Any,
        batches: Batches::Allowed,
        uncorrelated: Uncorrelated::NullId,
        unparseable: Unparseable::Answered,
        max_depth: DEFAULT_MAX_DEPTH,
        max_batch: DEFAULT_MAX_BATCH,
        codes: Codes::These(&[]),
    };

    /// The Language Server Protocol's use of JSON-RPC 2.0: ids are strings or integers, params may be
    /// null, and there are no batches.
    pub const LSP: Self = Self {
        params: Params::StructuredOrNull,
        ids: Ids::StringOrInteger,
        batches: Batches::Forbidden,
        codes: Codes::Lsp,
        ..Self::JSON_RPC
    };

    /// With these values allowed for `params`.
    #[must_use]
    pub const fn with_params(self, params: Params) -> Self {
        Self { params, ..self }
    }

    /// With these values allowed for the `id` of a request.
    #[must_use]
    pub const fn with_ids(self, ids: Ids) -> Self {
        Self { ids, ..self }
    }

    /// With these values allowed for the `id` of an error response.
    #[must_use]
    pub const fn with_error_ids(self, error_ids: ErrorIds) -> Self {
        Self { error_ids, ..self }
    }

    /// With these values allowed for `result`.
    #[must_use]
    pub const fn with_results(self, results: Results) -> Self {
        Self { results, ..self }
    }

    /// With batches allowed or not.
    #[must_use]
    pub const fn with_batches(self, batches: Batches) -> Self {
        Self { batches, ..self }
    }

    /// With this answer to what can't be tied to a request.
    #[must_use]
    pub const fn with_uncorrelated(self, uncorrelated: Uncorrelated) -> Self {
        Self { uncorrelated, ..self }
    }

    /// With bytes that are not JSON answered or not.
    #[must_use]
    pub const fn with_unparseable(self, unparseable: Unparseable) -> Self {
        Self { unparseable, ..self }
    }

    /// With at most so many containers inside each other, the outermost counted (default 127).
    #[must_use]
    pub const fn with_max_depth(self, max_depth: u8) -> Self {
        Self { max_depth, ..self }
    }

    /// With at most so many elements in a batch (default 1,024).
    #[must_use]
    pub const fn with_max_batch(self, max_batch: u32) -> Self {
        Self { max_batch, ..self }
    }

    /// With these error codes, looked up in their order before those of JSON-RPC 2.0.
    #[must_use]
    pub const fn with_codes(self, codes: &'static [CodeRange]) -> Self {
        self.with_known_codes(Codes::These(codes))
    }

    pub(crate) const fn with_known_codes(self, codes: Codes) -> Self {
        Self { codes, ..self }
    }

    /// The variant for a message that is the body of an HTTP request: whatever was asked there gets
    /// its answer in the response, so bytes that are not JSON are answered too, and where the
    /// protocol has no other form for it, without an id (MCP, basic/transports, since 2025-03-26).
    #[must_use]
    pub const fn http(self) -> Self {
        let uncorrelated = match self.uncorrelated {
            Uncorrelated::Silent => Uncorrelated::NoId,
            other => other,
        };
        Self { unparseable: Unparseable::Answered, uncorrelated, ..self }
    }

    /// Which values `params` may have.
    #[must_use]
    pub const fn params(&self) -> Params {
        self.params
    }

    /// Which values the `id` of a request may have.
    #[must_use]
    pub const fn ids(&self) -> Ids {
        self.ids
    }

    /// Which values the `id` of an error response may have besides those of a request.
    #[must_use]
    pub const fn error_ids(&self) -> ErrorIds {
        self.error_ids
    }

    /// Which values `result` may have.
    #[must_use]
    pub const fn results(&self) -> Results {
        self.results
    }

    /// Whether batches are allowed.
    #[must_use]
    pub const fn batches(&self) -> Batches {
        self.batches
    }

    /// How to answer what can't be tied to a request.
    #[must_use]
    pub const fn uncorrelated(&self) -> Uncorrelated {
        self.uncorrelated
    }

    /// Whether bytes that are not JSON are answered.
    #[must_use]
    pub const fn unparseable(&self) -> Unparseable {
        self.unparseable
    }

    /// The limit on containers inside each other.
    #[must_use]
    pub const fn max_depth(&self) -> u8 {
        self.max_depth
    }

    /// The limit on the elements of a batch.
    #[must_use]
    pub const fn max_batch(&self) -> u32 {
        self.max_batch
    }

    /// What kind of code it is under these rules.
    #[must_use]
    pub fn code_class(&self, code: ErrorCode) -> CodeClass {
        match code.range_among(self.codes.ranges()) {
            Some(range) => range.class(),
            None => code.class(),
        }
    }

    /// What the specifications call the code, if they define it.
    #[must_use]
    pub fn code_name(&self, code: ErrorCode) -> Option<&'static str> {
        let range =
            code.range_among(self.codes.ranges()).or_else(|| code.range_among(code::JSON_RPC));
        range.map(CodeRange::name)
    }

    /// How much it matters that this rule is broken.
    #[must_use]
    pub const fn severity(&self, rule: Rule) -> Severity {
        if self.tolerate(rule) { Severity::Warning } else { rule.severity() }
    }

    /// Whether they make a warning of what is an error to others.
    pub(super) const fn tolerate(&self, rule: Rule) -> bool {
        matches!((rule, self.ids), (Rule::IdNull | Rule::IdFraction, Ids::Any))
    }
}

impl Default for Rules {
    /// [`JSON_RPC`](Self::JSON_RPC).
    fn default() -> Self {
        Self::JSON_RPC
    }
}
