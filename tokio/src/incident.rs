//! Incidents: what only an observer sees, such as a log.

use std::fmt;

use tautline::encode::EncodeError;
use tautline::json::DeserializeError;
use tautline::owned::Id;
use tautline::{Fault, Message, Notification, Request, Response, Rule};

use crate::excerpt::Excerpt;
use crate::{RpcError, Stray};

/// Something that is reported to no caller or handler, only to the observer; see
/// [`Options::with_observer`](crate::Options::with_observer).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Incident<'a> {
    /// A received frame, or an element of a batch, breaks a rule. Its sender was answered according to the profile. If
    /// its id could be read and is that of a call that it may have answered, that call has failed.
    #[non_exhaustive]
    Fault {
        /// The fault. Its offset is relative to the frame, in a batch too.
        fault: &'a Fault<'a>,
        /// The number of the frame: that of its line, counted from 1 with all lines, or in framings without lines, that
        /// of the frame.
        line: u64,
        /// The number of bytes of the stream before the frame.
        offset: u64,
        /// The length of the frame in bytes, without its delimiter.
        length: u64,
    },
    /// A response to no pending call: its id is unknown, or its call was already answered, or it is an error without an
    /// id, because the peer could not read a message that it was sent.
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
    /// A message that comes after the end of its call, and that the peer may have sent before it knew. It is the answer
    /// to one of the 256 calls that this side gave up last, or a notification of progress that has no handler.
    #[non_exhaustive]
    Late {
        /// The id of the call.
        call: u64,
        /// The response or the notification.
        message: &'a Message<'a>,
    },
    /// A notification that has no handler.
    Unhandled(&'a Notification<'a>),
    /// The parameters of a notification do not fit its handler.
    #[non_exhaustive]
    InvalidParams {
        /// The notification.
        notification: &'a Notification<'a>,
        /// The mismatch.
        error: &'a DeserializeError,
    },
    /// This side has refused a request: its method has no handler (-32601), its parameters do not fit the handler
    /// (-32602), or there are too many requests or the connection is being closed (-32000). Errors that a handler
    /// returns are not reported.
    #[non_exhaustive]
    Refused {
        /// The request.
        request: &'a Request<'a>,
        /// The error that answers it.
        error: &'a RpcError,
    },
    /// The result of a handler cannot be encoded, or the profile forbids it. The request was answered with
    /// -32603.
    #[non_exhaustive]
    AnswerNotEncoded {
        /// The id of the request.
        id: &'a Id,
        /// The method of the request.
        method: &'a str,
        /// The error.
        error: EncodeError,
    },
    /// A handler panicked. If it was the handler of a request, the request was answered with -32603.
    #[non_exhaustive]
    Panicked {
        /// The method of the handler.
        method: &'a str,
    },
}

impl<'a> Incident<'a> {
    /// Returns the text around the place of a [fault](Self::Fault), on one line, with `[here]` at the place. Control
    /// characters and bytes that are not UTF-8 are escaped. `None` for other incidents, and for oversized frames, whose
    /// text is not kept.
    ///
    /// The text is the peer's, and may be confidential.
    ///
    /// ```
    /// use tautline_tokio::Options;
    ///
    /// let options = Options::json_rpc().with_observer(|incident| {
    ///     eprintln!("{incident}");
    ///     if let Some(excerpt) = incident.excerpt() {
    ///         eprintln!("  {excerpt}");
    ///     }
    /// });
    /// # let _ = options;
    /// ```
    #[must_use]
    pub fn excerpt(&self) -> Option<impl fmt::Display + use<'a>> {
        match self {
            Self::Fault { fault, .. } if fault.rule() != Rule::FRAME_TOO_LONG => {
                Some(Excerpt::around(fault.frame(), fault.offset()))
            }
            _ => None,
        }
    }
}

impl fmt::Display for Incident<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fault { fault, line, offset, length } => {
                write!(f, "frame {line} ({length} bytes at byte {offset} of the input")?;
                if let Some(id) = fault.id() {
                    write!(f, ", id {}", Excerpt::beginning(id.as_bytes()))?;
                }
                f.write_str(") breaks a rule: ")?;
                match fault.rule() {
                    // It has no place of its own.
                    rule @ Rule::FRAME_TOO_LONG => {
                        write!(f, "{}: {}", tautline::rule::name(rule), fault.message())
                    }
                    _ => fmt::Display::fmt(fault, f),
                }
            }
            Self::Unexpected(response) => fmt::Display::fmt(&Stray::of(response), f),
            Self::RewrittenId { call, response } => {
                let id = Id::from(response.id().unwrap_or(tautline::Id::Null));
                write!(f, "the answer to call {call} has the id {}", Excerpt::id(&id))
            }
            Self::Late { call, message: Message::Response(_) } => {
                write!(f, "the answer to call {call} came after the call was given up")
            }
            Self::Late { call, .. } => {
                write!(f, "progress of call {call} came after the call had ended")
            }
            Self::Unhandled(notification) => {
                let method = Excerpt::method(notification.method());
                write!(f, "the notification {method} has no handler")
            }
            Self::InvalidParams { notification, error } => {
                let method = Excerpt::method(notification.method());
                write!(f, "the params of the notification {method}: {error}")
            }
            Self::Refused { request, error } => {
                let (method, id) = (Excerpt::method(request.method()), Id::from(request.id()));
                let id = Excerpt::id(&id);
                write!(f, "the request {method} with the id {id} was refused: {error}")
            }
            Self::AnswerNotEncoded { id, method, error } => {
                let id = Excerpt::id(id);
                write!(f, "the answer to the request {method} with the id {id}: {error}")
            }
            Self::Panicked { method } => write!(f, "the handler of {method} panicked"),
        }
    }
}
