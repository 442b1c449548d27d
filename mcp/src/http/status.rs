//! The statuses of HTTP that the rules use (RFC 9110, section 15).

use tautline::ErrorCode;

use crate::{Era, Revision};

/// 200: the reply has a body or events.
pub const OK: u16 = 200;
/// 202: a notification or a response was accepted.
pub const ACCEPTED: u16 = 202;
/// 400: the body or a header is wrong.
pub const BAD_REQUEST: u16 = 400;
/// 403: the `Origin` or the `Host` is not allowed.
pub const FORBIDDEN: u16 = 403;
/// 404: the session or the method is not known.
pub const NOT_FOUND: u16 = 404;
/// 405: the endpoint does not have this HTTP method.
pub const METHOD_NOT_ALLOWED: u16 = 405;
/// 406: the client does not accept the media types of MCP.
pub const NOT_ACCEPTABLE: u16 = 406;
/// 413: the body is longer than the limit.
pub const CONTENT_TOO_LARGE: u16 = 413;
/// 415: the body is not `application/json`.
pub const UNSUPPORTED_MEDIA_TYPE: u16 = 415;

/// Returns the status of a reply whose body is an error with this code, as a handler returns it. It is [`OK`] unless the
/// revision names another one: 2026-07-28 has [`NOT_FOUND`] for -32601 and [`BAD_REQUEST`] for its own codes.
///
/// For -32602 it is [`OK`]: only if `_meta` is malformed the status is 400, and such a request is
/// [refused](super::Verdict::Refused) before any handler sees it.
#[must_use]
pub const fn of_error(revision: Revision, code: ErrorCode) -> u16 {
    match (revision.era(), code.value()) {
        (Era::Modern, -32601) => NOT_FOUND,
        (Era::Modern, -32022..=-32020) => BAD_REQUEST,
        (_, -32700 | -32600) => BAD_REQUEST,
        _ => OK,
    }
}
