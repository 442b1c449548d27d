//! The errors of the client.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use http::{HeaderValue, StatusCode};
use tautline_mcp::{Revision, http::Finding};
use tautline_tokio::CallError;

/// The number of versions that an error shows, and the number of characters of each.
const MOST_SHOWN: usize = 10;
const MOST_CHARS: usize = 40;

/// Any error of the HTTP library.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// The reason why a message did not arrive, or why the answer to a call did not come.
///
/// A call that fails like this ends with [`CallError::Transport`], and does not affect other calls. [`PostError::of`]
/// finds the reason in it. An error that the server answers with, whatever its status, is a [`CallError::Peer`] instead.
///
/// ```
/// use tautline_http::client::PostError;
/// use tautline_tokio::CallError;
///
/// fn is_worth_a_retry(error: &CallError) -> bool {
///     match PostError::of(error) {
///         Some(PostError::Unreachable(_) | PostError::SessionEnded) => true,
///         Some(PostError::Status(status)) => status.as_u16() == 503,
///         _ => false,
///     }
/// }
/// # let _ = is_worth_a_retry;
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum PostError {
    /// The service has failed, for example because the connection was refused. No response came.
    Unreachable(BoxError),
    /// The response has a status of failure, and its body is not a JSON-RPC error. A redirection is one, because it is not
    /// followed.
    Status(StatusCode),
    /// The response is neither JSON nor a stream of events. This is its `Content-Type`, if it has one.
    ContentType(Option<HeaderValue>),
    /// A message in the response is longer than [the limit](crate::client::Client::with_limit), in bytes.
    TooLong(u32),
    /// The body of the response broke off with an error of the HTTP library.
    Cut(BoxError),
    /// The body of the response is not a legal answer: it breaks this rule.
    Broken(Finding),
    /// The response ended before the answer came, and can't be resumed.
    Unanswered,
    /// The server has ended the session (404, up to 2025-11-25). The client begins a new one, so a later call can succeed.
    SessionEnded,
    /// The server has begun the new session in another revision than the connection has.
    OtherRevision(Option<Revision>),
    /// The server has not acknowledged a notification or an answer in [time](crate::client::Client::with_ack_timeout).
    TimedOut(Duration),
    /// The message could not be read again, and was not sent.
    NotAMessage,
    /// The task that exchanged the messages has panicked.
    Panicked,
}

impl PostError {
    /// Returns the reason why a call failed, if it is one of these.
    #[must_use]
    pub fn of(error: &CallError) -> Option<&Self> {
        match error {
            CallError::Transport(error) => error.downcast_ref(),
            _ => None,
        }
    }

    /// Returns the status of the response, if it was the reason.
    #[must_use]
    pub const fn status(&self) -> Option<StatusCode> {
        match self {
            Self::Status(status) => Some(*status),
            Self::SessionEnded => Some(StatusCode::NOT_FOUND),
            _ => None,
        }
    }
}

impl fmt::Display for PostError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(error) => write!(f, "the server could not be reached: {error}"),
            Self::Status(status) => write!(f, "the server answered with status {status}"),
            Self::ContentType(None) => f.write_str("the response has no Content-Type"),
            Self::ContentType(Some(value)) => {
                write!(f, "the response is neither JSON nor events: its Content-Type is {value:?}")
            }
            Self::TooLong(limit) => {
                write!(f, "a message in the response is longer than the limit of {limit} bytes")
            }
            Self::Cut(error) => write!(f, "the response broke off: {error}"),
            Self::Broken(finding) => write!(f, "the response breaks a rule: {finding}"),
            Self::Unanswered => f.write_str("the response ended before the answer came"),
            Self::SessionEnded => f.write_str("the server has ended the session"),
            Self::OtherRevision(Some(revision)) => {
                write!(f, "the server has begun the new session in revision {revision}")
            }
            Self::OtherRevision(None) => {
                f.write_str("the server has begun the new session in an unknown revision")
            }
            Self::TimedOut(after) => write!(f, "the server sent no acknowledgement in {after:?}"),
            Self::NotAMessage => f.write_str("the message could not be read again"),
            Self::Panicked => f.write_str("the task of the exchange has panicked"),
        }
    }
}

impl Error for PostError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Unreachable(error) | Self::Cut(error) => Some(&**error),
            Self::Broken(finding) => Some(finding),
            _ => None,
        }
    }
}

/// The reason why [`connect`](crate::client::Client::connect) failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum ConnectError {
    /// `server/discover` or `initialize` failed. [`PostError::of`] finds the reason if it lies in HTTP.
    Call(CallError),
    /// The server and this client have no revision in common. These are the versions that the server has listed, as far as
    /// it has.
    NoCommonRevision(Vec<String>),
    /// The client has no [revision](crate::client::Client::with_revisions) that Streamable HTTP exists in.
    NoRevision,
    /// The negotiation took longer than [its time-out](crate::client::Client::with_connect_timeout).
    TimedOut(Duration),
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(error) => write!(f, "no session could be begun: {error}"),
            Self::NoCommonRevision(versions) if versions.is_empty() => {
                f.write_str("the server supports no revision of this client")
            }
            Self::NoCommonRevision(versions) => {
                f.write_str("the server supports only ")?;
                write_versions(f, versions)
            }
            Self::NoRevision => f.write_str("no revision with Streamable HTTP is configured"),
            Self::TimedOut(after) => write!(f, "no session could be begun in {after:?}"),
        }
    }
}

/// Writes the first of the versions, which can be any strings of the server.
fn write_versions(f: &mut fmt::Formatter<'_>, versions: &[String]) -> fmt::Result {
    for (index, version) in versions.iter().take(MOST_SHOWN).enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        match version.char_indices().nth(MOST_CHARS).and_then(|(end, _)| version.get(..end)) {
            Some(start) => write!(f, "{separator}{start:?}..")?,
            None => write!(f, "{separator}{version:?}")?,
        }
    }
    match versions.len().saturating_sub(MOST_SHOWN) {
        0 => Ok(()),
        more => write!(f, " and {more} more"),
    }
}

impl Error for ConnectError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Call(error) => Some(error),
            Self::NoCommonRevision(_) | Self::NoRevision | Self::TimedOut(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ConnectError;

    #[test]
    fn versions_are_escaped_and_shortened() {
        let shown =
            |versions: &[String]| ConnectError::NoCommonRevision(versions.to_vec()).to_string();
        let versions = ["2023-01-01".to_owned(), "\u{1b}[31m".to_owned(), "\u{e9}".repeat(41)];
        let long = "\u{e9}".repeat(40);
        let expected =
            format!(r#"the server supports only "2023-01-01", "\u{{1b}}[31m", "{long}".."#);
        assert_eq!(shown(&versions), expected);
        let many = vec!["x".to_owned(); 12];
        let expected =
            format!(r#"the server supports only {}"x" and 2 more"#, r#""x", "#.repeat(9));
        assert_eq!(shown(&many), expected);
    }
}
