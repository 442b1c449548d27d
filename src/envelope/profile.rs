//! Profiles: the differences between protocols on JSON-RPC, as data, each with its choices.

use core::fmt;

use super::kinds::Kinds;
use super::reading::Reading;
use crate::rule::{self, CodeClass, CodeRange, ErrorCode, Rule, Severity};
use crate::scan::{DEFAULT_MAX_DEPTH, Span};

/// The default limit on the elements of a batch.
pub const DEFAULT_MAX_BATCH: u32 = 1024;

/// A profile of JSON-RPC: what is legal in a message, and which reply an illegal one is owed.
///
/// Begin with a preset, which is [`JSON_RPC`](Self::JSON_RPC), [`LSP`](Self::LSP), or one of another crate, such as the
/// revisions of MCP in `tautline-mcp`, and change what differs.
///
/// ```
/// use tautline::{Message, Profile};
///
/// const PROFILE: Profile = Profile::JSON_RPC.with_max_depth(32);
/// assert!(Message::parse(br#"{"jsonrpc":"2.0","id":1,"method":"sum"}"#, &PROFILE).is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The legal kinds of each member.
    pub(crate) params: Kinds,
    pub(crate) results: Kinds,
    pub(crate) ids: Kinds,
    /// The kinds that are legal for the id of an error, besides the ids that are legal under every profile.
    pub(crate) error_ids: Kinds,
    pub(super) batches: Batches,
    uncorrelated: Uncorrelated,
    max_depth: u8,
    /// Choices with two values, one bit each, and changed severities. A profile is copied into every batch, so it is
    /// kept small.
    pub(super) choices: u32,
    /// The codes that are looked up before the codes of JSON-RPC.
    codes: &'static [CodeRange],
    /// The names below the envelope that are looked at.
    guarded: &'static GuardedNames,
    max_batch: u32,
    /// The way to find the first error of a frame, which follows from the other fields.
    pub(super) check: Check,
}

#[cfg(target_pointer_width = "32")]
const _: () = assert!(size_of::<Profile>() == 32, "a profile is copied into every batch");

/// Bytes that are not JSON are answered.
const ANSWER_UNPARSEABLE: u32 = 1;
/// A frame that ends with a newline must not contain a raw CR.
pub(super) const FORBID_CARRIAGE_RETURNS: u32 = 2;
/// The bits of the choices above. The bits of the severities are higher.
pub(super) const CHOICES: u32 = ANSWER_UNPARSEABLE | FORBID_CARRIAGE_RETURNS;

impl Profile {
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
        codes: &[],
        guarded: &GuardedNames::NONE,
        max_batch: DEFAULT_MAX_BATCH,
        check: Check(None),
    };

    /// The Language Server Protocol's use of JSON-RPC 2.0: ids are strings or integers, params may be
    /// null, and there are no batches.
    pub const LSP: Self = Self {
        params: Params::StructuredOrNull.kinds(),
        ids: Ids::StringOrInteger.kinds(),
        codes: rule::LSP,
        batches: Batches::Forbidden,
        ..Self::JSON_RPC
    };

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

    pub(super) const fn choosing(self, choice: u32, holds: bool) -> Self {
        let choices = if holds { self.choices | choice } else { self.choices & !choice };
        Self { choices, ..self }
    }

    const fn chooses(&self, choice: u32) -> bool {
        self.choices & choice != 0
    }

    pub(super) const fn severities(&self) -> Severities {
        Severities::from_bits(self.choices & !CHOICES)
    }

    /// Returns whether the profile changes severities, so that the fast path can't decide.
    #[inline(always)]
    pub(crate) const fn changes_severities(&self) -> bool {
        self.choices > CHOICES
    }

    /// Sets the nesting limit, including the outermost container (default 127).
    #[must_use]
    pub const fn with_max_depth(self, max_depth: u8) -> Self {
        Self { max_depth, ..self }
    }

    /// Sets the maximum number of elements in a batch (default 1,024).
    #[must_use]
    pub const fn with_max_batch(self, max_batch: u32) -> Self {
        Self { max_batch, ..self }
    }

    /// Sets the error codes that are looked up, in this order, before the codes of JSON-RPC 2.0.
    ///
    /// Codes that are [reserved](CodeClass::Reserved) or [retired](CodeClass::Retired) draw
    /// [`ERROR_CODE_RESERVED`](Rule::ERROR_CODE_RESERVED), except from -32099 to -32000: JSON-RPC leaves these to
    /// servers, and the protocol itself has to say what a sender may do.
    #[must_use]
    pub const fn with_codes(self, codes: &'static [CodeRange]) -> Self {
        Self { codes, ..self }
    }

    /// Sets the names in `params` that peers and gateways act on, for
    /// [`NESTED_MEMBER_LOOKALIKE`](Rule::NESTED_MEMBER_LOOKALIKE).
    #[must_use]
    pub const fn guarding(self, guarded: &'static GuardedNames) -> Self {
        Self { guarded, ..self }
    }

    /// Returns the variant for the body of an HTTP request, which a server reads.
    ///
    /// The HTTP response can carry an error, so a body that is not JSON is answered too. If the protocol has no other
    /// form for an error that answers no request, the error has no id (MCP, basic/transports, since 2025-03-26).
    ///
    /// ```
    /// use tautline::envelope::{ErrorIds, Uncorrelated, Unparseable};
    /// use tautline::{Message, Profile};
    ///
    /// // On a stream of this protocol, every error has an id, and bytes that are not JSON are not answered.
    /// let profile = Profile::JSON_RPC
    ///     .with_error_ids(ErrorIds::AsRequest)
    ///     .with_uncorrelated(Uncorrelated::Silent)
    ///     .with_unparseable(Unparseable::Silent);
    /// // What the server writes, under the profile for requests, the client reads, under the one for responses.
    /// let fault = Message::parse(b"{", &profile.http_request_body()).unwrap_err();
    /// let mut body = Vec::new();
    /// tautline::encode::Encoder::new(&mut body).fault(&fault)?;
    /// assert!(Message::parse(&body, &profile.http_response_body()).is_ok());
    /// assert!(Message::parse(&body, &profile).is_err(), "on a stream, every error has an id");
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

    /// Returns the variant for the body of an HTTP response, or the data of an event in it, which a client reads.
    ///
    /// An error may come without an id if the server could not accept the [request](Self::http_request_body). Nothing
    /// in a response is answered, except a faulty request whose id can be read.
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

    /// Returns the nesting limit, including the outermost container.
    #[must_use]
    pub const fn max_depth(&self) -> u8 {
        self.max_depth
    }

    /// Returns the maximum number of elements in a batch.
    #[must_use]
    pub const fn max_batch(&self) -> u32 {
        self.max_batch
    }

    /// Returns the class of the code under this profile.
    #[must_use]
    pub fn code_class(&self, code: ErrorCode) -> CodeClass {
        match code.range_among(self.codes) {
            Some(range) => range.class(),
            None => code.class(),
        }
    }

    pub(super) const fn guarded(&self) -> &'static GuardedNames {
        self.guarded
    }

    /// Returns the severity of this rule under this profile. Rules of a protocol have theirs in a table of the protocol,
    /// such as `tautline_mcp::rule`, and are errors here.
    #[must_use]
    pub const fn severity(&self, rule: Rule) -> Severity {
        if let Some(severity) = self.severities().of(rule) {
            return severity;
        }
        let is_tolerated = match rule {
            Rule::RAW_CARRIAGE_RETURN => {
                matches!(self.carriage_returns(), CarriageReturns::Tolerated)
            }
            rule => self.tolerates_id(rule),
        };
        if is_tolerated { Severity::Warning } else { rule::severity(rule) }
    }

    /// Returns whether the rule is about ids that are errors under other profiles, but only warnings under this one.
    pub(super) const fn tolerates_id(&self, rule: Rule) -> bool {
        matches!(rule, Rule::ID_NULL | Rule::ID_FRACTION) && self.ids.contains(Kinds::NULL)
    }
}

/// The way to find the first error of a frame that was read: the usual checks, or this function.
///
/// A function pointer, so that programs whose profiles need only the usual checks do not link it.
#[derive(Clone, Copy)]
pub(super) struct Check(pub(super) Option<FirstError>);

/// Returns the first error, its offset, and the id to answer if that is not the member `id`.
pub(super) type FirstError = fn(&Reading<'_>, &Profile) -> Option<(Rule, u32, Option<Span>)>;

/// The other fields determine the check, so it makes no difference between two profiles.
impl PartialEq for Check {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Check {}

impl fmt::Debug for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Check").field(&self.0.is_some()).finish()
    }
}

impl Default for Profile {
    /// Returns [`JSON_RPC`](Self::JSON_RPC).
    fn default() -> Self {
        Self::JSON_RPC
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

impl Params {
    pub(super) const fn kinds(self) -> Kinds {
        match self {
            Self::Structured => Kinds::OBJECT.union(Kinds::ARRAY),
            Self::StructuredOrNull => Kinds::OBJECT.union(Kinds::ARRAY).union(Kinds::NULL),
            Self::Object => Kinds::OBJECT,
        }
    }
}

impl Ids {
    pub(super) const fn kinds(self) -> Kinds {
        match self {
            Self::Any => Kinds::ID.union(Kinds::FRACTION).union(Kinds::NULL),
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

/// The severities that differ from the table of rules: two bits for each rule that can be changed.
///
/// They share a word with two other choices of the profile, whose bits are the lowest and are zero here.
#[derive(Clone, Copy)]
pub(super) struct Severities(u32);

/// The bits of the other choices.
const OTHERS: u32 = 2;

impl Severities {
    const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    pub(super) const fn bits(self) -> u32 {
        self.0
    }

    /// Returns the severity of the rule, if it was changed.
    pub(super) const fn of(self, rule: Rule) -> Option<Severity> {
        let Some(shift) = shift(rule) else { return None };
        match self.0 >> shift & 3 {
            1 => Some(Severity::Note),
            2 => Some(Severity::Warning),
            3 => Some(Severity::Error),
            _ => None,
        }
    }

    /// Sets this severity. Returns `None` if the severity of the rule can't be changed.
    pub(super) const fn with(self, rule: Rule, severity: Severity) -> Option<Self> {
        let Some(shift) = shift(rule) else { return None };
        let bits = match severity {
            Severity::Note => 1,
            Severity::Warning => 2,
            Severity::Error => 3,
        };
        Some(Self(self.without(rule).0 | bits << shift))
    }

    /// Resets the rule to the severity of the table.
    pub(super) const fn without(self, rule: Rule) -> Self {
        match shift(rule) {
            Some(shift) => Self(self.0 & !(3 << shift)),
            None => self,
        }
    }

    /// Makes everything that two peers could read differently an error.
    pub(super) const fn strict(self) -> Self {
        let mut severities = self;
        let mut rest: &[Rule] = &[
            Rule::RAW_CARRIAGE_RETURN,
            Rule::ID_NOT_PLAIN_INTEGER,
            Rule::ID_UNSAFE_INTEGER,
            Rule::MEMBER_LOOKALIKE,
            Rule::UNKNOWN_MEMBER,
            Rule::NESTED_MEMBER_LOOKALIKE,
            Rule::DUPLICATE_INNER_MEMBER,
        ];
        while let [rule, others @ ..] = rest {
            if let Some(changed) = severities.with(*rule, Severity::Error) {
                severities = changed;
            }
            rest = others;
        }
        severities
    }
}

/// Returns the position of the rule's bits, if its severity can be changed.
const fn shift(rule: Rule) -> Option<u32> {
    let number = match rule {
        Rule::RAW_CARRIAGE_RETURN => 0,
        Rule::LINE_SEPARATOR => 1,
        Rule::MISSING_JSONRPC => 2,
        Rule::WRONG_VERSION => 3,
        Rule::ID_NULL => 4,
        Rule::ID_FRACTION => 5,
        Rule::ID_NOT_PLAIN_INTEGER => 6,
        Rule::ID_UNSAFE_INTEGER => 7,
        Rule::METHOD_RESERVED => 8,
        Rule::ERROR_CODE_HTTP => 9,
        Rule::ERROR_CODE_RESERVED => 10,
        Rule::MEMBER_LOOKALIKE => 11,
        Rule::UNKNOWN_MEMBER => 12,
        Rule::NESTED_MEMBER_LOOKALIKE => 13,
        // Names that could not be compared may be repeated. One walk finds the others as well.
        Rule::DUPLICATE_INNER_MEMBER
        | Rule::TOO_MANY_NAMES
        | Rule::LONE_INNER_SURROGATE
        | Rule::NUMBER_OUT_OF_RANGE => 14,
        _ => return None,
    };
    Some(OTHERS + 2 * number)
}

/// Names below the envelope that peers and gateways act on: of members of `params`, and of members of an object in it.
///
/// ```
/// use tautline::envelope::GuardedNames;
/// use tautline::{Message, Rule, Profile};
///
/// static NAMES: GuardedNames = GuardedNames::new(&["textDocument", "position"]);
/// let profile = Profile::LSP.strict(&NAMES);
/// let frame = br#"{"jsonrpc":"2.0","method":"a","params":{"textdocument":{}}}"#;
/// assert_eq!(Message::parse(frame, &profile).unwrap_err().rule(), Rule::NESTED_MEMBER_LOOKALIKE);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuardedNames {
    pub(super) params: &'static [&'static str],
    pub(super) object: &'static str,
    pub(super) members: &'static [&'static str],
}

impl GuardedNames {
    /// No names.
    pub const NONE: Self = Self::new(&[]);

    /// Guards these members of `params`. Names are visible ASCII. Of more than 64 names, the later ones can be
    /// repeated.
    #[must_use]
    pub const fn new(params: &'static [&'static str]) -> Self {
        Self { params, object: "", members: &[] }
    }

    /// Guards these members of each object in `params` that has this name as well. List the name in [`new`](Self::new)
    /// too, since names that resemble it pass otherwise. A later call replaces an earlier one. Of more than 64 names,
    /// the later ones can be repeated.
    #[must_use]
    pub const fn within(self, object: &'static str, members: &'static [&'static str]) -> Self {
        Self { object, members, ..self }
    }
}
