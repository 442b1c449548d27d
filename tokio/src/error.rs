//! Errors: answers to requests, and the reasons why calls fail and connections end.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;
use tautline::encode::EncodeError;
use tautline::frame::Desynchronised;
use tautline::owned::{self, ErrorObject, ToOwnedError};
use tautline::{ErrorCode, Finding, Id, Response};

use crate::excerpt::Excerpt;

/// The error that answers a request (JSON-RPC 2.0, section 5.1).
///
/// A handler returns it to send it, and [`CallError::Peer`] contains one that was received.
///
/// ```
/// use tautline_tokio::RpcError;
///
/// let error = RpcError::invalid_params("`uri` is not a URI").with_data("file//a");
/// assert_eq!(error.code().value(), -32602);
/// assert_eq!(error.to_string(), "-32602: `uri` is not a URI");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RpcError {
    object: Box<ErrorObject>,
}

impl RpcError {
    /// Creates an error with this code and a short description for people.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { object: Box::new(ErrorObject::new(code, message, None)) }
    }

    /// Creates the error for a request that arrives while the connection is being closed.
    pub(crate) fn closing() -> Self {
        Self::new(ErrorCode::new(-32000), "The connection is being closed")
    }

    /// Creates the error -32601: there is no such method.
    #[must_use]
    pub fn method_not_found() -> Self {
        Self::new(ErrorCode::METHOD_NOT_FOUND, "Method not found")
    }

    /// Creates the error -32602: the parameters do not fit the method.
    pub fn invalid_params(reason: impl fmt::Display) -> Self {
        Self::new(ErrorCode::INVALID_PARAMS, reason.to_string())
    }

    /// Creates the error -32603: the receiver failed. The peer sees the reason, so it should hold no secrets.
    pub fn internal(reason: impl fmt::Display) -> Self {
        Self::new(ErrorCode::INTERNAL_ERROR, reason.to_string())
    }

    /// Adds data to the error. Data that cannot be serialized is left out.
    #[must_use]
    pub fn with_data(mut self, data: impl Serialize) -> Self {
        self.object.data = serde_json::to_value(data).ok();
        self
    }

    /// Returns the code.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        self.object.code
    }

    /// Returns the description.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.object.message
    }

    /// Returns the data, if there is any.
    #[must_use]
    pub const fn data(&self) -> Option<&Value> {
        self.object.data.as_ref()
    }
}

impl From<ErrorObject> for RpcError {
    fn from(object: ErrorObject) -> Self {
        Self { object: Box::new(object) }
    }
}

/// Passes on an error of the peer. Any other failure becomes -32603, without its reason.
impl From<CallError> for RpcError {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Peer(error) => error,
            _ => Self::internal("Internal error"),
        }
    }
}

impl fmt::Display for RpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code().value(), self.message())
    }
}

impl std::error::Error for RpcError {}

/// The reason why a call failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum CallError {
    /// The peer answered with an error.
    Peer(RpcError),
    /// The peer's answer breaks a rule, for example because it has both a `result` and an `error`, or is
    /// larger than the limit on frames.
    Broken(Finding),
    /// The answer is a legal response, but its result does not fit the type that the caller asked for.
    Unreadable(ToOwnedError),
    /// The request was not sent: its parameters cannot be encoded, or the profile forbids them.
    NotSent(EncodeError),
    /// A time-out expired: [that of the call](crate::NewRequest::with_timeout), which progress restarts, or the [total
    /// one](crate::NewRequest::with_total_timeout).
    #[non_exhaustive]
    TimedOut {
        /// The time-out that expired.
        after: Duration,
        /// True if it is the total one. Reports of progress may have come until then.
        is_total: bool,
        /// A frame received in the meantime that may have been the answer, but has no readable id.
        stray: Option<Stray>,
    },
    /// The handshake of MCP has found no protocol version that both sides support. It is the version that the server
    /// answered with, or null if there was none. `None` if nothing was sent, because this side supports no revision that
    /// has a handshake.
    #[cfg(feature = "mcp")]
    NoCommonVersion(Option<Value>),
    /// The call was not sent, because the transport brings no calls to the peer; see
    /// [`Options::without_calls`](crate::Options::without_calls). Under MCP 2026-07-28, a server returns a result of the type
    /// `input_required` instead.
    NoCalls,
    /// The transport can't bring the answer. Other calls are not affected; see
    /// [`Peer::fail_call`](crate::Peer::fail_call). The documentation of the transport names the type of the error.
    Transport(Arc<dyn std::error::Error + Send + Sync>),
    /// The connection has ended, so no more answers can arrive.
    Closed(Closed),
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Peer(error) => write!(f, "the peer answered with the error {error}"),
            Self::Broken(finding) => write!(f, "the answer breaks a rule: {finding}"),
            Self::Unreadable(error) => write!(f, "the answer has an unexpected type: {error}"),
            Self::NotSent(error) => write!(f, "the call could not be encoded: {error}"),
            Self::TimedOut { after, is_total, stray } => {
                let which = if *is_total { "in total" } else { "without an answer or progress" };
                write!(f, "timed out after {after:?} {which}")?;
                stray.iter().try_for_each(|stray| write!(f, ", but {stray}"))
            }
            #[cfg(feature = "mcp")]
            Self::NoCommonVersion(Some(version)) => write!(
                f,
                "the server answered with protocol version {version}, which is not supported here"
            ),
            #[cfg(feature = "mcp")]
            Self::NoCommonVersion(None) => {
                f.write_str("no supported protocol version has a handshake")
            }
            Self::NoCalls => f.write_str("this connection can't bring calls to the peer"),
            Self::Transport(error) => write!(f, "the transport has failed: {error}"),
            Self::Closed(closed) => write!(f, "the connection has ended: {closed}"),
        }
    }
}

impl std::error::Error for CallError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Peer(error) => Some(error),
            Self::Unreadable(error) => Some(error),
            Self::NotSent(error) => Some(error),
            Self::Transport(error) => Some(&**error),
            Self::Closed(closed) => Some(closed),
            Self::Broken(_) | Self::TimedOut { .. } | Self::NoCalls => None,
            #[cfg(feature = "mcp")]
            Self::NoCommonVersion(_) => None,
        }
    }
}

/// A received frame that may have been intended as an answer, but can't be matched to a call.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Stray {
    /// A frame that breaks a rule.
    Fault(Finding),
    /// An error without an id: the peer could not read a message that it was sent.
    Error(RpcError),
    /// A response with an id that no pending call has, as it was written. It is null if the response has no id.
    UnknownId(owned::Id),
}

impl Stray {
    /// Describes a response that answers no pending call.
    pub(crate) fn of(response: &Response<'_>) -> Self {
        let id = response.id().unwrap_or(Id::Null);
        // The peer could not read the id of what it answers.
        let error = response.error().filter(|_| id == Id::Null);
        match error.and_then(|error| ErrorObject::try_from(error).ok()) {
            Some(error) => Self::Error(error.into()),
            None => Self::UnknownId(id.into()),
        }
    }
}

impl fmt::Display for Stray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault(finding) => write!(f, "a received frame breaks a rule: {finding}"),
            Self::Error(error) => write!(f, "the peer could not read what was sent: {error}"),
            Self::UnknownId(id) => {
                let id = Excerpt::id(id);
                write!(f, "the peer sent a response with the id {id}, which no pending call has")
            }
        }
    }
}

/// The reason why a connection ended.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Closed {
    /// This side closed it: [`Peer::close`](crate::Peer::close) was called, or the
    /// [`Connection`](crate::Connection) was dropped.
    Local,
    /// The peer closed it: the input ended.
    Remote,
    /// Reading failed.
    Read(Arc<io::Error>),
    /// Writing failed, usually because the peer closed its input.
    Write(Arc<io::Error>),
    /// The framing is desynchronised, so no further message can be found.
    Desynchronised(Desynchronised),
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => f.write_str("this side closed it"),
            Self::Remote => f.write_str("the peer closed it"),
            Self::Read(error) => write!(f, "reading failed: {error}"),
            Self::Write(error) => write!(f, "writing failed: {error}"),
            Self::Desynchronised(lost) => {
                write!(
                    f,
                    "at byte {} of the input: {}",
                    lost.offset(),
                    tautline::rule::summary(lost.rule())
                )
            }
        }
    }
}

impl std::error::Error for Closed {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read(error) | Self::Write(error) => Some(&**error),
            Self::Local | Self::Remote | Self::Desynchronised(_) => None,
        }
    }
}
