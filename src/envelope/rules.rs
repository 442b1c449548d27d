//! Which rules are in force: the places where protocols on JSON-RPC differ, as data.

use super::kinds::Kinds;
use super::mixed::Mixed;
use crate::rule::{CodeClass, CodeRange, Codes, ErrorCode, Rule, Severity};
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
    /// The legal kinds of each member.
    pub(crate) params: Kinds,
    pub(crate) results: Kinds,
    pub(crate) ids: Kinds,
    /// Legal for the id of an error, besides the ids that are legal under all rules.
    pub(crate) error_ids: Kinds,
    batches: Batches,
    uncorrelated: Uncorrelated,
    /// Choices with two values, a bit each: rules are copied into every batch, and so are kept small.
    choices: u8,
    max_depth: u8,
    /// The codes that are looked up before those of JSON-RPC.
    codes: Codes,
    own_codes: &'static [CodeRange],
    max_batch: u32,
    pub(super) mixed: Mixed,
}

/// Bytes that are not JSON are answered.
const ANSWER_UNPARSEABLE: u8 = 1;
/// A frame that ends with a newline must not contain a raw CR.
const FORBID_CARRIAGE_RETURNS: u8 = 2;

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
    const fn kinds(self) -> Kinds {
        match self {
            Self::Structured => Kinds::OBJECT.and(Kinds::ARRAY),
            Self::StructuredOrNull => Kinds::OBJECT.and(Kinds::ARRAY).and(Kinds::NULL),
            Self::Object => Kinds::OBJECT,
        }
    }
}

impl Ids {
    const fn kinds(self) -> Kinds {
        match self {
            Self::Any => Kinds::ID.and(Kinds::FRACTION).and(Kinds::NULL),
            Self::StringOrInteger => Kinds::ID,
        }
    }
}

impl ErrorIds {
    const fn kinds(self) -> Kinds {
        match self {
            Self::OrNull => Kinds::NULL,
            Self::AsRequest => Kinds::NONE,
            Self::OrAbsent => Kinds::ABSENT,
        }
    }
}

impl Results {
    const fn kinds(self) -> Kinds {
        match self {
            Self::Any => Kinds::ANY,
            Self::Object => Kinds::OBJECT,
        }
    }
}

impl Rules {
    /// JSON-RPC 2.0.
    pub const JSON_RPC: Self = Self {
        params: Params::Structured.kinds(),
        results: Results::Any.kinds(),
        ids: Ids::Any.kinds(),
        error_ids: ErrorIds::OrNull.kinds(),
        batches: Batches::Allowed,
        uncorrelated: Uncorrelated::NullId,
        choices: ANSWER_UNPARSEABLE,
        max_depth: DEFAULT_MAX_DEPTH,
        codes: Codes::Own,
        own_codes: &[],
        max_batch: DEFAULT_MAX_BATCH,
        mixed: Mixed::NEVER,
    };

    /// The Language Server Protocol's use of JSON-RPC 2.0: ids are strings or integers, params may be
    /// null, and there are no batches.
    pub const LSP: Self = Self {
        params: Params::StructuredOrNull.kinds(),
        ids: Ids::StringOrInteger.kinds(),
        codes: Codes::Lsp,
        ..Self::JSON_RPC.with_batches(Batches::Forbidden)
    };

    /// With these values allowed for `params`.
    #[must_use]
    pub const fn with_params(self, params: Params) -> Self {
        Self { params: params.kinds(), ..self }
    }

    /// With these values allowed for the `id` of a request.
    #[must_use]
    pub const fn with_ids(self, ids: Ids) -> Self {
        Self { ids: ids.kinds(), ..self }
    }

    /// With these values allowed for the `id` of an error response.
    #[must_use]
    pub const fn with_error_ids(self, error_ids: ErrorIds) -> Self {
        Self { error_ids: error_ids.kinds(), ..self }
    }

    /// With these values allowed for `result`.
    #[must_use]
    pub const fn with_results(self, results: Results) -> Self {
        Self { results: results.kinds(), ..self }
    }

    /// With batches allowed or not.
    #[must_use]
    pub const fn with_batches(self, batches: Batches) -> Self {
        let mixed = match batches {
            Batches::Unmixed => Mixed::FIND,
            Batches::Allowed | Batches::Forbidden => Mixed::NEVER,
        };
        Self { batches, mixed, ..self }
    }

    /// With this answer to what can't be tied to a request.
    #[must_use]
    pub const fn with_uncorrelated(self, uncorrelated: Uncorrelated) -> Self {
        Self { uncorrelated, ..self }
    }

    /// With bytes that are not JSON answered or not.
    #[must_use]
    pub const fn with_unparseable(self, unparseable: Unparseable) -> Self {
        self.choosing(ANSWER_UNPARSEABLE, matches!(unparseable, Unparseable::Answered))
    }

    /// With raw carriage returns tolerated or forbidden in frames that end with a newline.
    #[must_use]
    pub const fn with_carriage_returns(self, carriage_returns: CarriageReturns) -> Self {
        let forbids = matches!(carriage_returns, CarriageReturns::Forbidden);
        self.choosing(FORBID_CARRIAGE_RETURNS, forbids)
    }

    const fn choosing(self, choice: u8, holds: bool) -> Self {
        let choices = if holds { self.choices | choice } else { self.choices & !choice };
        Self { choices, ..self }
    }

    const fn chooses(&self, choice: u8) -> bool {
        self.choices & choice != 0
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
        Self { codes: Codes::Own, own_codes: codes, ..self }
    }

    pub(crate) const fn with_known_codes(self, codes: Codes) -> Self {
        Self { codes, ..self }
    }

    /// The variant for the body of an HTTP request, which a server reads.
    ///
    /// The response is the place for an answer, so a body that is not JSON is answered too. If the protocol has no
    /// other form for an error that answers no request, the error has no id (MCP, basic/transports, since 2025-03-26).
    ///
    /// ```
    /// use tautline::{Message, Revision};
    ///
    /// // What the server writes, by the rules for requests, the client reads, by those for responses.
    /// let rules = Revision::V2025_06_18.rules();
    /// let fault = Message::parse(b"{", &rules.http_request_body()).unwrap_err();
    /// let mut body = Vec::new();
    /// tautline::encode::Encoder::new(&mut body).fault(&fault)?;
    /// assert!(Message::parse(&body, &rules.http_response_body()).is_ok());
    /// assert!(Message::parse(&body, &rules).is_err(), "on a stream, every error has an id");
    /// # Ok::<(), tautline::encode::EncodeError>(())
    /// ```
    #[must_use]
    pub const fn http_request_body(self) -> Self {
        let uncorrelated = match self.uncorrelated {
            Uncorrelated::Silent => Uncorrelated::NoId,
            other => other,
        };
        Self { uncorrelated, ..self.with_unparseable(Unparseable::Answered) }
    }

    /// The variant for the body of an HTTP response, or the data of an event in it, which a client reads.
    ///
    /// An error may come without an id if the server could not accept the [request](Self::http_request_body). Nothing
    /// in a response is answered, but for a faulty request whose id can be read.
    #[must_use]
    pub const fn http_response_body(self) -> Self {
        let error_ids = match self.error_ids() {
            ErrorIds::AsRequest => ErrorIds::OrAbsent,
            other => other,
        };
        let error_ids = error_ids.kinds();
        let uncorrelated = Uncorrelated::Silent;
        Self { uncorrelated, error_ids, ..self.with_unparseable(Unparseable::Silent) }
    }

    /// Which values `params` may have.
    #[must_use]
    pub const fn params(&self) -> Params {
        match self.params {
            kinds if kinds.has(Kinds::NULL) => Params::StructuredOrNull,
            kinds if kinds.has(Kinds::ARRAY) => Params::Structured,
            _ => Params::Object,
        }
    }

    /// Which values the `id` of a request may have.
    #[must_use]
    pub const fn ids(&self) -> Ids {
        if self.ids.has(Kinds::NULL) { Ids::Any } else { Ids::StringOrInteger }
    }

    /// Which values the `id` of an error response may have besides those of a request.
    #[must_use]
    pub const fn error_ids(&self) -> ErrorIds {
        match self.error_ids {
            kinds if kinds.has(Kinds::NULL) => ErrorIds::OrNull,
            kinds if kinds.has(Kinds::ABSENT) => ErrorIds::OrAbsent,
            _ => ErrorIds::AsRequest,
        }
    }

    /// Which values `result` may have.
    #[must_use]
    pub const fn results(&self) -> Results {
        if self.results.has(Kinds::NULL) { Results::Any } else { Results::Object }
    }

    /// Returns whether batches are allowed.
    #[must_use]
    pub const fn batches(&self) -> Batches {
        self.batches
    }

    /// How to answer what can't be tied to a request.
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

    /// Returns the class of the code under these rules.
    #[must_use]
    pub fn code_class(&self, code: ErrorCode) -> CodeClass {
        match code.range_among(self.codes()) {
            Some(range) => range.class(),
            None => code.class(),
        }
    }

    fn codes(&self) -> &'static [CodeRange] {
        self.codes.known().unwrap_or(self.own_codes)
    }

    /// Returns whether the code is an error below the envelope.
    pub(super) const fn forbid_code(&self, code: ErrorCode) -> bool {
        self.codes.forbid(code)
    }

    /// Returns the name of the code, if the specifications define it.
    #[must_use]
    pub fn code_name(&self, code: ErrorCode) -> Option<&'static str> {
        let range =
            code.range_among(self.codes()).or_else(|| code.range_among(CodeRange::JSON_RPC));
        range.map(CodeRange::name)
    }

    /// Returns the severity of this rule under these rules.
    #[must_use]
    pub const fn severity(&self, rule: Rule) -> Severity {
        let is_tolerated = match rule {
            Rule::RawCarriageReturn => {
                matches!(self.carriage_returns(), CarriageReturns::Tolerated)
            }
            rule => self.tolerate_id(rule),
        };
        if is_tolerated { Severity::Warning } else { rule.severity() }
    }

    /// Returns whether the rule is about ids that are errors elsewhere, and only warnings under these rules.
    pub(super) const fn tolerate_id(&self, rule: Rule) -> bool {
        matches!(rule, Rule::IdNull | Rule::IdFraction) && self.ids.has(Kinds::NULL)
    }
}

impl Default for Rules {
    /// [`JSON_RPC`](Self::JSON_RPC).
    fn default() -> Self {
        Self::JSON_RPC
    }
}
