//! The errors that the filter sends in place of an answer.

use tautline::{ErrorCode, Id, Rule};

use super::asked::Asked;
use crate::reply::{self, Reply};

/// The status of a reply in place of a response.
const BAD_GATEWAY: u16 = 502;

const TEXT: &str = "The gateway has refused the response of the server";

/// Creates the reply in place of a response. The error has no id if a batch has more requests than were kept.
pub(super) fn reply(asked: &Asked, cause: Rule) -> Reply {
    let requests = asked.requests().filter(|_| !asked.is_long_batch());
    Reply::errors(BAD_GATEWAY, requests.as_ref(), ErrorCode::INTERNAL_ERROR, TEXT, cause)
}

/// Writes the error that answers the request with this id, as a line.
pub(super) fn line(id: Id<'_>, cause: Rule) -> Option<Vec<u8>> {
    reply::line(id, ErrorCode::INTERNAL_ERROR, TEXT, cause)
}
