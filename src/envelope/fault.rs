//! The first fault of a frame, and the reply that it is owed.

use core::fmt;

use super::{FaultLayout, Id, Owed, Profile};
use crate::frame::Oversized;
use crate::json::RawJson;
use crate::resemblance::{misspells, resembles};
use crate::rule::{self, ErrorCode, Finding, Rule, Severity};
use crate::scan::{Span, Syntax};

/// The reason why a frame is not a message: its first error, in the order of the table of [rules](Rule). Errors in the
/// text come in the order of their offsets.
///
/// A fault borrows its frame, so that the [reply](Self::reply) can carry its id. The [finding](Self::finding) outlives
/// the frame.
#[derive(Clone, Copy)]
pub struct Fault<'buf> {
    frame: &'buf [u8],
    layout: FaultLayout,
}

impl<'buf> Fault<'buf> {
    /// Creates the fault with this layout, in the frame that the layout was made from.
    #[inline]
    pub(crate) const fn new(frame: &'buf [u8], layout: FaultLayout) -> Self {
        Self { frame, layout }
    }

    /// Returns the part that outlives the borrow of the frame.
    pub(crate) const fn layout(&self) -> FaultLayout {
        self.layout
    }

    /// Returns the fault of an oversized frame whose content is unknown.
    ///
    /// If a [`Skimmer`](super::Skimmer) has observed the frame, use [`of_skimmed`](Self::of_skimmed) instead.
    #[must_use]
    pub fn of_oversized(_oversized: &Oversized, profile: &Profile) -> Self {
        Self::of_unread(profile)
    }

    /// Returns the fault of a frame that is longer than a limit of the caller, and was not read to its end.
    ///
    /// If a [`Skimmer`](super::Skimmer) has observed all of it, use [`Skimmed::too_long`](super::Skimmed::too_long) instead.
    #[must_use]
    pub fn of_unread(profile: &Profile) -> Self {
        Self::too_long(b"", Owed::invalid_uncorrelated(profile))
    }

    /// Creates the fault of an oversized frame. `id` is empty if no id was kept.
    pub(super) fn too_long(id: &'buf [u8], owed: Owed) -> Self {
        let layout = FaultLayout {
            rule: Rule::FRAME_TOO_LONG,
            syntax: None,
            offset: 0,
            owed,
            id: Span::new(0, id.len()),
        };
        Self { frame: id, layout }
    }

    /// Returns the whole frame that has the fault. An oversized frame is represented by the text of its id, which may
    /// be empty.
    #[must_use]
    pub const fn frame(&self) -> &'buf [u8] {
        self.frame
    }

    /// Returns the rule that is broken.
    #[must_use]
    pub const fn rule(&self) -> Rule {
        self.layout.rule
    }

    /// Returns the place in the frame, as an offset in bytes. If a member is missing from an object, this is the
    /// object's opening brace.
    #[must_use]
    pub const fn offset(&self) -> u32 {
        self.layout.offset
    }

    /// Returns what is wrong with the syntax, if the frame is not JSON.
    #[must_use]
    pub const fn syntax(&self) -> Option<Syntax> {
        self.layout.syntax
    }

    /// Returns what is wrong, in one line.
    #[must_use]
    pub const fn message(&self) -> &'static str {
        rule::describe(self.layout.rule, self.layout.syntax)
    }

    /// Returns the fault as a finding, which borrows nothing and can be kept.
    #[must_use]
    pub const fn finding(&self) -> Finding {
        let FaultLayout { rule, syntax, offset, .. } = self.layout;
        Finding::with_syntax(rule, Severity::Error, syntax, offset)
    }

    /// Returns the span that [`id_span`](Self::id_span) does, which is empty if there is none.
    #[doc(hidden)]
    #[must_use]
    pub const fn id_place(&self) -> Span {
        self.layout.id
    }

    /// Returns the span of the id in the frame, legal or not, if exactly one could be read. If a misspelled member is
    /// [answered](Self::reply), it is the value of that member.
    #[must_use]
    pub const fn id_span(&self) -> Option<Span> {
        self.layout.id.if_any()
    }

    /// Returns the id, legal or not, if exactly one could be read; see [`id_span`](Self::id_span).
    #[must_use]
    pub fn id(&self) -> Option<RawJson<'buf>> {
        RawJson::present(self.frame, self.layout.id)
    }

    /// Returns the error reply that the sender is owed, if any.
    ///
    /// | the frame | is owed |
    /// |---|---|
    /// | is not JSON, or not UTF-8 | -32700 without a guessed id, or silence, as the [profile](super::Unparseable) specifies |
    /// | has a `result` or an `error` | silence: it may be a response |
    /// | has no `id`, but one member resembles it, and that is [an error](Profile::strict) | -32600 with the value of that member, if it is a string or an integer: its sender waits for a response |
    /// | has a string `method` and no `id` | silence: it is a notification, however broken |
    /// | is a batch that is not allowed, empty, too long, mixed or too deep | -32600, as for a frame without an id, whatever the batch contains |
    /// | is anything else | -32600 with its id, if the id is legal, the only one, and before any part that is too deep; otherwise as the [profile](super::Uncorrelated) specifies |
    ///
    /// If a frame is too deep, the reply depends on what could be read of it. Members after the deep part count only
    /// where they lead to silence, and it is not known whether all of the frame is JSON.
    ///
    /// A `method` that appears several times is a string if any of them is.
    ///
    /// The fault does not know which requests are pending. If one of the sender's has the same id, send nothing: a response
    /// is matched with its request by the id alone (JSON-RPC 2.0, section 5), so the error would answer that request. An
    /// [endpoint](crate::endpoint::Endpoint::guarded_by) has a guard for that.
    #[must_use]
    pub fn reply(&self) -> Option<Reply<'buf>> {
        let id = match self.layout.owed {
            Owed::Silence => return None,
            Owed::InvalidEcho | Owed::InvalidEchoOfNoCall => {
                Some(RawJson::at(self.frame, self.layout.id))
            }
            Owed::ParseErrorNull | Owed::InvalidNull => Some(RawJson::NULL),
            Owed::ParseErrorNoId | Owed::InvalidNoId => None,
        };
        let code = match self.layout.owed {
            Owed::ParseErrorNull | Owed::ParseErrorNoId => ErrorCode::PARSE_ERROR,
            _ => ErrorCode::INVALID_REQUEST,
        };
        Some(Reply { code, id })
    }

    /// Returns whether the frame has an id, and a `result` or an `error` as well, so that it may be a response.
    #[doc(hidden)]
    pub fn may_be_response(&self) -> bool {
        // A call without an id gets no reply either. Any other frame with an id that can be repeated gets one.
        self.layout.owed == Owed::Silence && !self.layout.id.is_empty()
    }

    /// Returns whether the frame is an object without `method` and `params`, however they are spelled, and so not a request
    /// of its sender's. The rule does not show this: an earlier fault may hide that the frame has no shape. An element of a
    /// batch counts as a call. In an oversized frame, names count that are spelled exactly.
    #[doc(hidden)]
    #[must_use]
    pub fn is_no_call(&self) -> bool {
        if self.layout.owed == Owed::InvalidEchoOfNoCall {
            return true;
        }
        let members = || RawJson::parse(self.frame).ok()?.members();
        let is_of_a_call = |name| {
            resembles(name, "method") || misspells(name, "method") || resembles(name, "params")
        };
        members().is_some_and(|mut members| !members.any(|member| is_of_a_call(member.name)))
    }

    /// Returns whether the reply repeats the [id](Self::id_span) of the frame.
    #[doc(hidden)]
    pub const fn echoes_id(&self) -> bool {
        matches!(self.layout.owed, Owed::InvalidEcho | Owed::InvalidEchoOfNoCall)
    }

    /// Returns the id that the reply repeats from the frame.
    #[doc(hidden)]
    pub fn echoed_id(&self) -> Option<Id<'buf>> {
        self.echoes_id().then(|| Id::at(self.frame, self.layout.id))
    }
}

/// Two faults are equal if their findings, their ids and the replies that they are owed are equal.
impl PartialEq for Fault<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.layout == other.layout && self.id() == other.id()
    }
}

impl Eq for Fault<'_> {}

impl fmt::Debug for Fault<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fault")
            .field("rule", &self.rule())
            .field("syntax", &self.syntax())
            .field("offset", &self.offset())
            .field("id", &self.id())
            .field("reply", &self.reply())
            .finish()
    }
}

impl fmt::Display for Fault<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.finding(), f)
    }
}

impl core::error::Error for Fault<'_> {}

/// The error reply that the sender of a faulty frame is owed.
///
/// ```
/// use tautline::{Message, Profile};
///
/// let fault = Message::parse(br#"{"jsonrpc":"2.0","id":7}"#, &Profile::JSON_RPC).unwrap_err();
/// let reply = fault.reply().unwrap();
/// assert_eq!(reply.code().value(), -32600);
/// assert_eq!(reply.id().unwrap().to_string(), "7");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Reply<'buf> {
    code: ErrorCode,
    id: Option<RawJson<'buf>>,
}

impl<'buf> Reply<'buf> {
    /// Returns the error code: -32700 or -32600.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        self.code
    }

    /// Returns the id that the reply carries: the id of the frame, byte for byte, or null. `None` means that the reply
    /// has no member `id`.
    #[must_use]
    pub fn id(&self) -> Option<Id<'buf>> {
        Id::of(self.id?)
    }

    /// Returns [the id](Self::id) as it is written.
    #[must_use]
    pub const fn raw_id(&self) -> Option<RawJson<'buf>> {
        self.id
    }
}
