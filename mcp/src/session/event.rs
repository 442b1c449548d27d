//! Events: the meaning of a message in a session.

use tautline::{ErrorCode, RawStr, Rule};

use crate::KnownMethod;

/// The meaning of a message, given the messages before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Event<'buf> {
    /// A request that its receiver is to serve.
    Request,
    /// A request that its receiver is to answer with an error.
    Refused(Refusal<'buf>),
    /// A notification.
    Notification,
    /// A call that its receiver is to ignore, because it breaks this rule.
    ///
    /// Most are notifications: the method is a request's, comes from the wrong side, or is not in the
    /// revision. A request of a modern server is ignored too, because the client must not send a response
    /// (2026-07-28, basic/transports, stdio), not even an error.
    Ignored(Rule),
    /// A notification that cancels a request in flight. The sender of the request no longer waits for the answer.
    #[non_exhaustive]
    Cancelled {
        /// The method called, or `None` if MCP does not define it.
        method: Option<KnownMethod>,
    },
    /// The response to a request in flight.
    #[non_exhaustive]
    Response {
        /// The method called, or `None` if MCP does not define it.
        method: Option<KnownMethod>,
        /// The outcome of the request.
        completion: Completion,
        /// True if the request was cancelled before, so that its sender no longer waits for the response.
        late: bool,
    },
    /// A response that may answer a request that the session [does not track](crate::rule::UNTRACKED_REQUEST).
    /// Only the sender of the request can tell.
    Untracked,
    /// A response that answers no request in flight. It must not be treated as the answer to another request.
    Unmatched,
    /// A batch, each of whose messages was shown to the session.
    Batch,
}

/// The outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Completion {
    /// The request succeeded.
    Done,
    /// The tool that it called reports that it failed (`isError`). This is not a failure of the protocol: the
    /// model is meant to read it.
    ToolFailed,
    /// More input is needed: the client sends the request again, with another id (2026-07-28).
    InputRequired,
    /// A task was created. The client gets the outcome from the task (2026-07-28, extension for tasks).
    TaskCreated,
    /// The result is of a type that the revision does not define. An extension that the client has declared in the
    /// request may define it (2026-07-28, basic, responses).
    Extended,
    /// The client does not know this kind of result, and must consider it invalid (2026-07-28, basic,
    /// responses).
    Invalid,
    /// The request failed, with this code if it fits in 64 bits.
    Failed(Option<ErrorCode>),
}

/// The reason why a request is to be answered with an error, and the code of the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Refusal<'buf> {
    rule: Rule,
    offset: u32,
    code: ErrorCode,
    requested: Option<RawStr<'buf>>,
}

impl<'buf> Refusal<'buf> {
    /// Returns the refusal with these parts, which were taken from one.
    #[doc(hidden)]
    #[must_use]
    pub const fn of_parts(
        rule: Rule,
        offset: u32,
        code: ErrorCode,
        requested: Option<RawStr<'buf>>,
    ) -> Self {
        Self { rule, offset, code, requested }
    }

    /// Returns the rule that the request breaks.
    #[must_use]
    pub const fn rule(&self) -> Rule {
        self.rule
    }

    /// Returns the place in the [frame](tautline::Message::frame) of the request, as the [offset](crate::Finding::offset)
    /// of the finding does.
    #[must_use]
    pub const fn offset(&self) -> u32 {
        self.offset
    }

    /// Returns the error code of the answer.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        self.code
    }

    /// Returns the requested version, if the rule is that [it is not supported](crate::rule::VERSION_UNSUPPORTED)
    /// and the request names one. The answer repeats it in its data, beside the supported versions (2026-07-28,
    /// basic/versioning).
    #[must_use]
    pub const fn requested(&self) -> Option<RawStr<'buf>> {
        self.requested
    }
}
