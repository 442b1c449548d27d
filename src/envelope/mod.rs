//! Envelopes: frames as messages of JSON-RPC 2.0, or what is wrong with them.
//!
//! # What is guaranteed
//!
//! A [`Message`] is exactly one of request, notification, response and batch. Its `jsonrpc` is `"2.0"`, unless [a
//! changed severity](Profile::with_severity) tolerates others, its id is legal under the [`Profile`], and no standard
//! member appears twice. Anything else is a [`Fault`], with the rule that is broken, its offset in bytes, the id if one
//! could be read, and the [reply](Fault::reply) that is owed.
//!
//! - Members are matched by exact name after unescaping, in any order, in the outermost object alone.
//!   Names that merely look alike are warnings.
//! - The presence of members decides what a message is. One that has an `id` is never a notification,
//!   whatever the id holds.
//! - Unknown members are accepted and counted.
//! - Ids keep their spelling and never pass through a float.
//! - An oversized frame that a [`Skimmer`] has observed is owed the same reply as an invalid frame within the limit,
//!   with the same id, up to a length of [`Skimmer::LONGEST_ID`].
//!
//! Both borrow the frame. A [`MessageBuf`] and a [`FaultBuf`] keep the buffer that contains it.
//!
//! # Where peers disagree
//!
//! | input | some peers | here, and why |
//! |---|---|---|
//! | a request with an illegal id | treat it as a notification, and the caller hangs | `id-type`, -32600: the sender waits for an answer |
//! | a request whose id is null or a fraction | treat it as a notification, or truncate it to an integer | an error under MCP and LSP; legal under JSON-RPC, with a warning, and echoed as it came |
//! | a member twice | use the last one, or reject it | `duplicate-member`: two peers would see two messages |
//! | `"Method"`, `"param\u017f"` | match it | `member-lookalike`, and no match: names are case-sensitive |
//! | an unknown member | drop the message | accepted, `unknown-member` as a note: the schemas do not forbid it |
//! | `"id":1.0` | rewrite it to 1, or treat it as a notification | legal, `id-not-plain-integer`: echoed as it came |
//! | a result beside `"error":null` | treat it as a result, or drop it | `result-and-error`: the member must not exist |
//! | `"params":null` | treat it as absent | `params-type`, except under LSP, whose clients send it |
//! | bytes that are not JSON | crash, answer or stay silent | silence on MCP's pipes, -32700 elsewhere |
//!
//! # What is not checked
//!
//! The envelope does not check whether an unknown member appears twice, whether the method exists, or whether a response
//! answers a request. Only [strict](Profile::strict) profiles look inside `params`, `result` and `data`: for names that an
//! object repeats and, in `params`, for the [guarded names](GuardedNames) and for U+0000 in their values.

mod buf;
mod elements;
#[expect(clippy::module_inception, reason = "the type that the stage is named for")]
pub(crate) mod envelope;
pub(crate) mod fast;
pub(crate) mod fault;
mod foreign;
pub(crate) mod id;
mod kinds;
mod layout;
mod member;
pub(crate) mod message;
mod names;
mod nested;
mod outline;
mod parse;
pub(crate) mod profile;
mod reading;
mod skim;
mod traps;
mod validate;

pub use buf::{FaultBuf, MessageBuf};
pub use elements::BatchIter;
pub(crate) use envelope::Envelope;
pub(crate) use fault::{Fault, Reply};
#[doc(hidden)]
pub use foreign::is_header;
#[doc(hidden)]
pub(crate) use id::Id;
pub use kinds::Kinds;
pub(crate) use message::{Batch, Call, Message, Request, Response};
pub use nested::GuardedNames;
#[doc(hidden)]
pub use outline::{Outlined, message_at, outline};
pub(crate) use profile::Profile;
pub use profile::{
    Batches, CarriageReturns, DEFAULT_MAX_BATCH, ErrorIds, Ids, Params, Results, Uncorrelated,
    Unparseable,
};
pub use skim::{Outline, Skimmed, Skimmer};

use core::num::NonZero;
use core::ops::ControlFlow;

use crate::frame::Delimiter;
use crate::rule::Rule;
use crate::scan::{Span, Syntax};

/// A frame that was read, and the profile to check it against.
#[derive(Clone, Copy)]
struct Validator<'a, 'buf> {
    reading: &'a Reading<'buf>,
    profile: &'a Profile,
}

/// A frame and the scanner's reports about it.
#[derive(Clone)]
struct Reading<'buf> {
    frame: &'buf [u8],
    members: MemberSpans,
    delimiter: Delimiter,
    /// The span of the value, or the place of the fault.
    value: Span,
}

/// The scanner's reports about a message and its error object.
// The order of the fields matters: a microcontroller has short instructions for the first bytes of a struct.
#[derive(Clone, Debug, Default)]
#[repr(C)]
struct MemberSpans {
    seen: Seen,
    /// True if a member of the message or of its error object is unknown.
    has_unknown: bool,
    shape: Shape,
    /// The current members of the message and of its error object, if they are standard ones.
    under_way: Each<Option<Member>>,
    /// The offset of the first name that repeats, for the message and for its error object; 0 if there is none.
    first_repeated: Each<u32>,
    /// The number of unknown members of the message, or of elements if the frame is an array.
    others: u32,
    /// The offset of the first unpaired surrogate escape in a name of the message; 0 if there is none.
    first_lone_surrogate: u32,
    /// The values. If a member is repeated, this is the first value.
    values: Values,
}

/// The kind of JSON value that the frame is.
#[derive(Clone, Copy, Debug, Default)]
enum Shape {
    Object,
    Array,
    /// Anything else. In a batch, this includes arrays.
    Scalar,
    /// It has a syntax error, or is nested too deep.
    Faulty(Syntax),
    /// It is too long for the offsets in a frame.
    #[default]
    TooLong,
}

/// A value for each of the two objects.
#[derive(Clone, Copy, Debug, Default)]
struct Each<T> {
    message: T,
    error: T,
}

/// The members that were reported, whether their values are kept or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
struct Seen {
    /// True if a part of the frame was too deep. Reports after it are not reliable.
    too_deep: bool,
    /// True if a method is a string. If there are several, any of them counts.
    string_method: bool,
    present: Set,
    repeated: Set,
    /// Members whose name was reported before any part that is too deep.
    reliable: Set,
}

/// A set of members.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Set(u16);

/// The spans of the values of the members, by the number of the member. The span of an absent member is empty.
#[derive(Clone, Copy, Debug, Default)]
struct Values([Span; 9]);

impl Values {
    /// Returns the value of this member. The span is empty if the member is absent or its value has no end.
    #[inline(always)]
    fn of(&self, member: Member) -> Span {
        self.at(member.index())
    }

    /// Returns the value of the member with this number.
    #[inline(always)]
    fn at(&self, index: usize) -> Span {
        self.0.get(index).copied().unwrap_or_default()
    }

    /// Returns the place for the value of the member with this number.
    #[inline(always)]
    fn place(&mut self, index: usize) -> Option<&mut Span> {
        self.0.get_mut(index)
    }
}

/// A standard member of the message or of its error object: its number, counted from 1, so that an `Option` of it takes
/// no more room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Member(NonZero<u8>);

impl Member {
    const JSONRPC: Self = Self::at(0);
    const ID: Self = Self::at(1);
    const METHOD: Self = Self::at(2);
    const PARAMS: Self = Self::at(3);
    const RESULT: Self = Self::at(4);
    const ERROR: Self = Self::at(5);
    const CODE: Self = Self::at(6);
    const MESSAGE: Self = Self::at(7);
    const DATA: Self = Self::at(8);

    /// Returns the member at this index.
    const fn at(index: u8) -> Self {
        Self(NonZero::<u8>::MIN.saturating_add(index))
    }

    /// Returns the number, counted from 0.
    #[inline(always)]
    const fn index(self) -> usize {
        #[expect(clippy::as_conversions, reason = "`From` is no function for constants yet")]
        let number = self.0.get() as usize;
        number.wrapping_sub(1)
    }

    const fn bit(self) -> u16 {
        1 << self.0.get()
    }
}

/// The kind of a message, and the spans of its members.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Layout {
    Request(CallLayout),
    Notification(CallLayout),
    Response(ResponseLayout),
    Batch(BatchLayout),
}

/// The spans of the members of a call. The span of an absent member is empty.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallLayout {
    /// Absent from a notification.
    id: Span,
    /// Includes the quotes.
    method: Span,
    params: Span,
    /// The number of members whose names JSON-RPC does not define.
    unknown: u32,
}

/// The spans of the members of a response.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResponseLayout {
    /// Empty if it is absent.
    id: Span,
    outcome: OutcomeLayout,
    /// The number of members whose names JSON-RPC does not define.
    unknown: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum OutcomeLayout {
    Result(Span),
    Error(ErrorLayout),
}

/// The spans of the members of an error object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ErrorLayout {
    code: Span,
    /// Includes the quotes.
    message: Span,
    /// Empty if it is absent.
    data: Span,
}

/// The span of the array of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchLayout {
    array: Span,
    /// The number of elements, which is at least one.
    elements: u32,
    /// The profile for parsing the elements, which is the one of the frame.
    profile: Profile,
}

/// A fault without its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FaultLayout {
    rule: Rule,
    syntax: Option<Syntax>,
    owed: Owed,
    offset: u32,
    /// Empty if no id was read.
    id: Span,
}

const _: () = assert!(size_of::<FaultLayout>() == 16, "a fault is handed around in registers");

/// The possible replies, each in one byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Owed {
    Silence,
    ParseErrorNull,
    ParseErrorNoId,
    InvalidEcho,
    /// The same, for an oversized frame that has neither a method nor parameters.
    InvalidEchoOfNoCall,
    InvalidNull,
    InvalidNoId,
}

impl Owed {
    /// Returns the reply with -32600 and no id from the frame, in the form that the profile specifies.
    const fn invalid_uncorrelated(profile: &Profile) -> Self {
        match profile.uncorrelated() {
            Uncorrelated::NullId => Self::InvalidNull,
            Uncorrelated::NoId => Self::InvalidNoId,
            Uncorrelated::Silent => Self::Silence,
        }
    }
}

/// The result of a check: to continue, or the violation after which the reporter stops.
type Flow = ControlFlow<Violation>;

/// A rule is broken at this offset in the frame.
struct Violation {
    rule: Rule,
    offset: u32,
}

/// Receives what the checks find.
///
/// The compiler knows which reporter is used, so a program that asks only for faults links nothing else.
trait Reporter {
    /// True if it needs only errors.
    const ERRORS_ALONE: bool;

    fn report(&mut self, violation: Violation) -> Flow;
}

/// Stops at the first error.
struct FirstError;

impl Reporter for FirstError {
    const ERRORS_ALONE: bool = true;

    fn report(&mut self, violation: Violation) -> Flow {
        ControlFlow::Break(violation)
    }
}

/// Passes everything on, until the closure breaks.
struct Everything<'f>(&'f mut dyn FnMut(Violation) -> Flow);

impl Reporter for Everything<'_> {
    const ERRORS_ALONE: bool = false;

    fn report(&mut self, violation: Violation) -> Flow {
        (self.0)(violation)
    }
}

/// Passes violations to a reporter, unless the profile tolerates them.
struct Report<'r, R> {
    profile: &'r Profile,
    reporter: R,
}

impl<R: Reporter> Report<'_, R> {
    /// Reports that the rule is broken at this offset. The profile in force decides whether this is an error.
    fn at(&mut self, rule: Rule, offset: u32) -> Flow {
        // Before the traps, everything that is not tolerated is an error.
        if R::ERRORS_ALONE && self.profile.tolerates_id(rule) {
            return ControlFlow::Continue(());
        }
        self.reporter.report(Violation { rule, offset })
    }
}
