//! Incidents: what only an observer sees, such as a log.

use std::fmt;

use tautline::encode::EncodeError;
use tautline::json::DeserializeError;
use tautline::owned::Id;
use tautline::{Fault, Notification, Response};

/// Something that is reported to no caller or handler, only to the observer; see
/// [`Options::with_observer`](crate::Options::with_observer).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Incident<'a> {
    /// A received frame breaks a rule. Its sender was answered according to the profile, and the call that it would
    /// have answered has failed.
    Fault(&'a Fault<'a>),
    /// A response to no pending call: its call was given up or already answered, or its id is unknown.
    Unexpected(&'a Response<'a>),
    /// A response whose id has the value of the id of a call, but not its spelling: `1.0` or `"1"` for `1`. It has
    /// completed the call. Other clients may wait in vain for such an answer (JSON-RPC 2.0, section 5).
    #[non_exhaustive]
    RewrittenId {
        /// The id of the call, as it was sent.
        call: u64,
        /// The response, with the id as the peer wrote it.
        response: &'a Response<'a>,
    },
    /// A notification that has no handler.
    Unhandled(&'a Notification<'a>),
    /// The parameters of a notification do not fit its handler.
    InvalidParams(&'a DeserializeError),
    /// The result of a handler cannot be encoded, or the profile forbids it. The request was answered with
    /// -32603.
    #[non_exhaustive]
    AnswerNotEncoded {
        /// The id of the request.
        id: &'a Id,
        /// The error.
        error: EncodeError,
    },
    /// A handler panicked. If it was the handler of a request, the request was answered with -32603.
    Panicked,
}

impl fmt::Display for Incident<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(fault) => write!(f, "a received frame breaks a rule: {fault}"),
            Self::Unexpected(_) => f.write_str("a response answers no pending call"),
            Self::RewrittenId { call, response } => {
                f.write_str("the answer to call ")?;
                write!(f, "{call} has the id {}", WrittenId(response))
            }
            Self::Unhandled(notification) => {
                let method = notification.method();
                write!(
                    f,
                    "the notification {} has no handler",
                    method.escaped_bytes().escape_ascii()
                )
            }
            Self::InvalidParams(error) => write!(f, "the params of a notification: {error}"),
            Self::AnswerNotEncoded { id, error } => write!(f, "the answer to {id}: {error}"),
            Self::Panicked => f.write_str("a handler panicked"),
        }
    }
}

/// The id of a response as it was written.
struct WrittenId<'a>(&'a Response<'a>);

impl fmt::Display for WrittenId<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.id() {
            Some(id) => fmt::Display::fmt(&id, f),
            None => f.write_str("null"),
        }
    }
}
