//! Incidents: what only an observer sees, such as a log.

use std::fmt;
use std::time::Duration;

use tautline_mcp::http::Finding;

use super::error::PostError;

/// Something that is reported to no caller or handler, only to the observer; see
/// [`Client::with_observer`](crate::client::Client::with_observer).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Incident<'a> {
    /// A response breaks a rule. If it is still clear what it means, it was accepted.
    Finding(&'a Finding),
    /// The server has sent a message that belongs to nothing that was sent. It was not passed on (2026-07-28).
    Stray,
    /// A tool was left out of the result of `tools/list`, because an `x-mcp-header` in its schema breaks a rule
    /// (2026-07-28, server/tools).
    #[non_exhaustive]
    InvalidTool {
        /// The name of the tool.
        name: &'a str,
        /// The path of the annotation in the response.
        path: &'a str,
    },
    /// The `x-mcp-header` annotations of a tool are too many to be remembered, so its calls carry no `Mcp-Param-*`
    /// headers.
    #[non_exhaustive]
    UnlearnedTool {
        /// The name of the tool.
        name: &'a str,
    },
    /// A notification or the answer to a request of the server did not arrive.
    #[non_exhaustive]
    Undelivered {
        /// The method of the notification. `None` for an answer.
        method: Option<&'a str>,
        /// The reason.
        error: &'a PostError,
    },
    /// A message on a stream was dropped, because it is too long.
    #[non_exhaustive]
    TooLong {
        /// The [limit](crate::client::Client::with_limit) in bytes.
        limit: u32,
    },
    /// The stream for messages of the server has ended (up to 2025-11-25).
    #[non_exhaustive]
    StreamEnded {
        /// The reason. `None` if the server has closed it in good order.
        error: Option<&'a PostError>,
        /// The time until the client opens it again. `None` if it does not.
        again_in: Option<Duration>,
    },
    /// The response to a call broke off before its answer. The client resumes it (up to 2025-11-25).
    #[non_exhaustive]
    Resuming {
        /// The id of the call.
        call: u64,
        /// The time until then.
        after: Duration,
    },
    /// The server has ended the session, and the client begins a new one (up to 2025-11-25). All pending calls have
    /// failed with [`PostError::SessionEnded`].
    SessionEnded,
    /// A new session has begun after the server had ended one.
    SessionBegun,
    /// A new session could not be begun. The next call tries again.
    SessionNotBegun(&'a PostError),
    /// The session could not be ended with DELETE. The connection is closed all the same.
    SessionNotEnded(&'a PostError),
}

impl fmt::Display for Incident<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Finding(finding) => write!(f, "a response breaks a rule: {finding}"),
            Self::Stray => f.write_str("the server sent a message that answers nothing"),
            Self::InvalidTool { name, path } => {
                write!(f, "the tool {name:?} was left out, because {path} is invalid")
            }
            Self::UnlearnedTool { name } => {
                write!(f, "the headers of the tool {name:?} are too many to be remembered")
            }
            Self::Undelivered { method: Some(method), error } => {
                write!(f, "the notification {method:?} did not arrive: {error}")
            }
            Self::Undelivered { method: None, error } => {
                write!(f, "the answer to a request of the server did not arrive: {error}")
            }
            Self::TooLong { limit } => {
                write!(f, "a message was dropped, because it is longer than {limit} bytes")
            }
            Self::StreamEnded { error, again_in } => {
                f.write_str("the stream of the server has ended")?;
                error.iter().try_for_each(|error| write!(f, ": {error}"))?;
                again_in.iter().try_for_each(|after| write!(f, "; it is opened again in {after:?}"))
            }
            Self::Resuming { call, after } => {
                write!(f, "the response to call {call} broke off and is resumed in {after:?}")
            }
            Self::SessionEnded => f.write_str("the server has ended the session"),
            Self::SessionBegun => f.write_str("a new session has begun"),
            Self::SessionNotBegun(error) => write!(f, "no new session could be begun: {error}"),
            Self::SessionNotEnded(error) => write!(f, "the session could not be ended: {error}"),
        }
    }
}
