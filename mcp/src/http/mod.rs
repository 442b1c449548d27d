//! Streamable HTTP: what the method, the headers and the status around a message must be, in both eras.
//!
//! The functions are pure. They read a method, headers and a parsed body, use no heap, and do no I/O. A gateway, a server on
//! any HTTP library and an audit share them, and so the same verdict.
//!
//! A [`Policy`] lists what the endpoint serves. A [`Server`] answers what only the server knows: open sessions, and the
//! parameters of its tools. [`Policy::head`] judges the method and the headers. [`Head::judge`] judges the body with them,
//! and returns a [`Verdict`]: what to do, or the status, the error code and the id of the reply, with the rule and the
//! header at fault. All [findings](Finding) are reported on the way. The caller
//! enforces a verdict or only reports it: the function that receives findings also gets those after the first one.
//!
//! ```
//! use tautline_mcp::encode::Slice;
//! use tautline_mcp::http::{Action, Allowed, Policy, Verdict};
//! use tautline_mcp::{Message, Revision};
//!
//! const POLICY: Policy<'_> = Policy::new(
//!     &[Revision::V2025_11_25, Revision::V2026_07_28],
//!     Allowed::Loopback, // web pages
//!     Allowed::Loopback, // names of this server
//! );
//!
//! /// Returns the status of a request, and writes the body of the reply if the request is refused.
//! fn answer<'room>(
//!     method: &[u8],
//!     headers: &[(&[u8], &[u8])],
//!     body: &[u8],
//!     room: &'room mut [u8],
//! ) -> (u16, &'room [u8]) {
//!     let lines = headers.iter().copied();
//!     let head = POLICY.head(method, lines, &(), |finding| eprintln!("{finding}"));
//!     let verdict = head.verdict(|_| {}).unwrap_or_else(|| {
//!         head.judge(&(), Message::parse(body, &head.profile()), |finding| eprintln!("{finding}"))
//!     });
//!     match verdict {
//!         Verdict::Accepted(accepted) if accepted.action() == Action::Acknowledge => (202, b""),
//!         // Here the message goes to the server: `accepted.message()`.
//!         Verdict::Accepted(_) => (200, b""),
//!         Verdict::Refused(refusal) => {
//!             let mut out = Slice::new(room);
//!             match refusal.write(&mut out) {
//!                 Ok(_) => (refusal.status(), out.into_written()),
//!                 Err(_) => (500, b""),
//!             }
//!         }
//!     }
//! }
//!
//! let body = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"delete","arguments":{},"_meta":{
//!     "io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
//! let headers: [(&[u8], &[u8]); 6] = [
//!     (b"Host", b"localhost:8080"),
//!     (b"Content-Type", b"application/json; charset=utf-8"),
//!     (b"Accept", b"application/json, text/event-stream;q=0.9"),
//!     (b"MCP-Protocol-Version", b"2026-07-28"),
//!     (b"Mcp-Method", b"tools/call"),
//!     (b"Mcp-Name", b"read"),
//! ];
//! let mut room = [0; 256];
//! let (status, reply) = answer(b"POST", &headers, body, &mut room);
//! assert_eq!(status, 400);
//! assert!(reply.starts_with(br#"{"jsonrpc":"2.0","id":7,"error":{"code":-32020,"#));
//! assert!(reply.ends_with(b"\"data\":{\"rule\":\"http-header-mismatch\",\"header\":\"Mcp-Name\"}}}\n"));
//! ```
//!
//! # Which status for what
//!
//! The first row that holds is the verdict. A request in the body is answered with an error that carries its id; a
//! notification or a response never is.
//!
//! | status | code | the request |
//! |---|---|---|
//! | 405 | | has a method other than POST; in the legacy era also GET and DELETE, as the [policy](Policy) allows |
//! | 400, 403 | | has no `Host` (unless all are [allowed](Allowed::Any)), several or a malformed one; one that is not allowed |
//! | 403 | | has an `Origin` that is malformed, repeated or not allowed |
//! | 415 | | is not `application/json`, or names another charset than UTF-8, by which some servers would decode it |
//! | 406 | | does not accept `application/json` and `text/event-stream` |
//! | 413 | -32600 | is longer than the limit of the caller, who passes the [fault](tautline::Fault::of_unread) of the body |
//! | 400 | -32700, -32600 | is no message, or is a batch where the revision has none |
//!
//! In the modern era:
//!
//! | status | code | the request |
//! |---|---|---|
//! | 400 | -32020 | lacks `MCP-Protocol-Version`, or has one that differs from `_meta`, is repeated or has illegal characters |
//! | 400 | -32022 | has a version that the policy does not list |
//! | 400 | | is a response |
//! | 400 | -32020 | has the same trouble with `Mcp-Method`, or `Mcp-Name` |
//! | 404 | -32601 | calls a method that the revision does not have |
//! | 400 | -32602 | lacks `_meta` or a member in it, or has one of the wrong type, or a repeated one |
//! | 404 | -32601 | calls a method that the server [does not have](Server::has_method) |
//! | 400 | -32021 | needs [capabilities](Server::missing_capabilities) that the client did not declare |
//! | 400 | -32020 | has the same trouble with an `Mcp-Param-*`, or has one without an argument |
//!
//! In the legacy era, from 2025-03-26 to 2025-11-25:
//!
//! | status | code | the request |
//! |---|---|---|
//! | 400 | -32600, or -32022 if the policy also lists 2026-07-28 | has a version that the policy does not list; without the header it is that of the session, or else 2025-03-26 |
//! | 400 | -32600 | lacks `Mcp-Session-Id` though the [policy](Sessions::Required) requires it, or has several or a malformed one |
//! | 404 | -32600 | names a session that [is not open](Session::Unknown) |
//! | 400 | -32600 | is a batch with `initialize` |
//!
//! # What is not judged
//!
//! `Mcp-Param-*` of a tool whose parameters [the caller does not know](Tool::Unknown): the verdict then
//! [has `NotJudged`](Parameters::NotJudged). Unknown `Mcp-Param-*` are ignored and must be forwarded, as the specification demands.
//! Payloads are checked by [`shape`], and the meaning of messages by [`session`](crate::session).
//! Request smuggling, which is about `Content-Length` and `Transfer-Encoding`, is the affair of the HTTP library.
//!
//! # Clients
//!
//! [`mirrored()`] and [`Parameter::mirrored`] return the headers that a client has to add to a request because they repeat
//! its body. [`Exchange`] checks the other side: what a client or a gateway has to check of a response.

#![cfg_attr(feature = "shapes", doc = "", doc = "[`shape`]: crate::shape")]
#![cfg_attr(not(feature = "shapes"), doc = "", doc = "[`shape`]: ../index.html#features")]

mod body;
pub mod code;
mod encoding;
mod field;
mod finding;
mod head;
mod media;
mod mirror;
mod mirrored;
mod parameter;
mod parts;
mod policy;
mod response;
mod site;
pub mod status;
mod verdict;

pub use field::Field;
pub use finding::Finding;
pub use mirrored::{Mirrored, mirrored};
pub use parameter::{Name, Parameter, parameters_of};
pub use policy::{Server, Session, Sessions, Tool};
pub use response::{Content, Exchange, Progress, Received, Resuming};
pub use site::Allowed;
pub use verdict::{Accepted, Action, Parameters, Refusal, Verdict};

use tautline::{Message, Profile, RawStr};

use self::field::Fields;
use crate::{CallView, Revision};

/// The decisions of an operator: the revisions that an endpoint serves, and to whom.
///
/// ```
/// use tautline_mcp::Revision;
/// use tautline_mcp::http::{Allowed, Policy, Sessions};
///
/// const POLICY: Policy<'_> = Policy::new(
///     &[Revision::V2025_11_25, Revision::V2026_07_28],
///     Allowed::Listed(&["https://app.example.com"]),
///     Allowed::Listed(&["mcp.example.com"]),
/// )
/// .with_sessions(Sessions::Required)
/// .with_streams()
/// .with_session_end();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Policy<'a> {
    supported: &'a [Revision],
    origins: Allowed<'a>,
    hosts: Allowed<'a>,
    sessions: Sessions,
    has_streams: bool,
    ends_sessions: bool,
    /// A function, so that only a program that calls [`strict`](Self::strict) links the strict checks.
    profile: fn(Revision) -> Profile,
}

/// The head of a request, which was judged.
///
/// It does not borrow the body, so a caller can decide whether to read it, up to which limit, and under which
/// [profile](Self::profile).
#[derive(Clone, Copy)]
pub struct Head<'a, I> {
    policy: &'a Policy<'a>,
    headers: I,
    fields: Fields<'a>,
    verb: Verb,
    /// The session that the header names, if it is asked about.
    session: Option<Session>,
    refusal: Option<Refusal<'a>>,
}

/// The HTTP method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Post,
    Get,
    Delete,
    Other,
}

/// The parts of a call that the headers repeat.
struct Body<'a> {
    message: Message<'a>,
    call: CallView<'a>,
}

/// The value that `Mcp-Name` repeats.
enum Named<'a> {
    No,
    By(RawStr<'a>),
}

/// The values that the standard headers repeat.
#[derive(Clone, Copy, Debug)]
struct Parts<'a> {
    version: Option<RawStr<'a>>,
    method: RawStr<'a>,
    name: Option<RawStr<'a>>,
}

/// Calls a function with the name and the value of each field line, in order.
type Each<'e, 'h> = &'e dyn Fn(&mut dyn FnMut(&'h [u8], &'h [u8]));

/// The function that receives findings.
type Report<'r> = &'r mut dyn FnMut(Finding);

/// Returns whether the id is visible ASCII (2025-03-26 to 2025-11-25, basic/transports, session management).
fn is_session_id(id: &[u8]) -> bool {
    !id.is_empty() && id.iter().all(u8::is_ascii_graphic)
}

/// Whether a request opens a session.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opening {
    Yes,
    No,
}
