//! Profiles: the differences between protocols on JSON-RPC, as data, each with its choices.

use core::fmt;

mod choices;
mod severity;

pub use choices::{
    Batches, CarriageReturns, ErrorIds, Ids, Params, Results, Uncorrelated, Unparseable,
};

use super::Reading;
use super::kinds::Kinds;
use super::nested::GuardedNames;
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
    batches: Batches,
    uncorrelated: Uncorrelated,
    max_depth: u8,
    /// Choices with two values, one bit each, and changed severities. A profile is copied into every batch, so it is
    /// kept small.
    choices: u32,
    /// The codes that are looked up before the codes of JSON-RPC.
    codes: &'static [CodeRange],
    /// The names below the envelope that are looked at.
    guarded: &'static GuardedNames,
    max_batch: u32,
    /// The way to find the first error of a frame, which follows from the other fields.
    check: Check,
}

#[cfg(target_pointer_width = "32")]
const _: () = assert!(size_of::<Profile>() == 32, "a profile is copied into every batch");

/// Bytes that are not JSON are answered.
const ANSWER_UNPARSEABLE: u32 = 1;
/// A frame that ends with a newline must not contain a raw CR.
const FORBID_CARRIAGE_RETURNS: u32 = 2;
/// The bits of the choices above. The bits of the severities are higher.
const CHOICES: u32 = ANSWER_UNPARSEABLE | FORBID_CARRIAGE_RETURNS;

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

    const fn choosing(self, choice: u32, holds: bool) -> Self {
        let choices = if holds { self.choices | choice } else { self.choices & !choice };
        Self { choices, ..self }
    }

    const fn chooses(&self, choice: u32) -> bool {
        self.choices & choice != 0
    }

    /// Returns the severity of the rule, if it was changed.
    pub(super) const fn changed_severity(&self, rule: Rule) -> Option<Severity> {
        self.severities().of(rule)
    }

    /// Returns the function that finds the first error, if the usual checks do not suffice.
    pub(super) const fn first_error(&self) -> Option<FirstError> {
        self.check.0
    }

    const fn severities(&self) -> Severities {
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
        if let Some(severity) = self.changed_severity(rule) {
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
struct Check(Option<FirstError>);

/// Returns the first error, its offset, and the id to answer if that is not the member `id`.
type FirstError = fn(&Reading<'_>, &Profile) -> Option<(Rule, u32, Option<Span>)>;

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

impl Params {
    const fn kinds(self) -> Kinds {
        match self {
            Self::Structured => Kinds::OBJECT.union(Kinds::ARRAY),
            Self::StructuredOrNull => Kinds::OBJECT.union(Kinds::ARRAY).union(Kinds::NULL),
            Self::Object => Kinds::OBJECT,
        }
    }
}

impl Ids {
    const fn kinds(self) -> Kinds {
        match self {
            Self::Any => Kinds::ID.union(Kinds::FRACTION).union(Kinds::NULL),
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

/// The severities that differ from the table of rules: two bits for each rule that can be changed.
///
/// They share a word with two other choices of the profile, whose bits are the lowest and are zero here.
#[derive(Clone, Copy)]
struct Severities(u32);

/// The bits of the other choices.
const OTHERS: u32 = 2;

impl Severities {
    const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    const fn bits(self) -> u32 {
        self.0
    }

    /// Returns the severity of the rule, if it was changed.
    const fn of(self, rule: Rule) -> Option<Severity> {
        let Some(shift) = shift(rule) else { return None };
        match self.0 >> shift & 3 {
            1 => Some(Severity::Note),
            2 => Some(Severity::Warning),
            3 => Some(Severity::Error),
            _ => None,
        }
    }

    /// Sets this severity. Returns `None` if the severity of the rule can't be changed.
    const fn with(self, rule: Rule, severity: Severity) -> Option<Self> {
        let Some(shift) = shift(rule) else { return None };
        let bits = match severity {
            Severity::Note => 1,
            Severity::Warning => 2,
            Severity::Error => 3,
        };
        Some(Self(self.without(rule).0 | bits << shift))
    }

    /// Resets the rule to the severity of the table.
    const fn without(self, rule: Rule) -> Self {
        match shift(rule) {
            Some(shift) => Self(self.0 & !(3 << shift)),
            None => self,
        }
    }

    /// Makes everything that two peers could read differently an error.
    const fn strict(self) -> Self {
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
