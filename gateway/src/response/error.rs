//! The errors that the filter sends in place of an answer.

use tautline::encode::{EncodeError, Encoder, NewError, Payload, object};
use tautline::envelope::ErrorIds;
use tautline::{ErrorCode, Id, Message, Profile};

use super::Cause;
use super::asked::Asked;
use crate::reply::Reply;

/// The status of a reply in place of a response.
const BAD_GATEWAY: u16 = 502;

/// The ids are those of requests, whatever they are.
const PROFILE: Profile = Profile::JSON_RPC.with_error_ids(ErrorIds::OrAbsent);

/// Creates the reply in place of a response.
///
/// A batch is answered by a batch with an error for each request, because each of them has a caller that waits. If it
/// has more requests than were kept, or if there is no request, the error has no id.
pub(super) fn reply(asked: &Asked, cause: Cause) -> Reply {
    let mut body = Vec::new();
    if write(asked, cause, &mut body).is_err() {
        // Only memory can be short. The status alone says enough.
        body = Vec::new();
    }
    Reply { status: BAD_GATEWAY, allow: None, accept_encoding: None, body }
}

fn write(asked: &Asked, cause: Cause, body: &mut Vec<u8>) -> Result<usize, EncodeError> {
    let mut encoder = Encoder::with_profile(body, &PROFILE);
    match asked.requests() {
        Some(Message::Request(request)) => encoder.error(request.id(), error(cause)),
        Some(Message::Batch(_)) if !asked.is_long_batch() => encoder.batch(|batch| {
            asked.each_id(&mut |id| batch.error(id, error(cause)));
        }),
        _ => encoder.error_without_id(error(cause)),
    }
}

/// Writes the error that answers the request with this id, as a line.
pub(super) fn line(id: Id<'_>, cause: Cause) -> Option<Vec<u8>> {
    let mut line = Vec::new();
    Encoder::with_profile(&mut line, &PROFILE).error(id, error(cause)).ok()?;
    Some(line)
}

fn error(cause: Cause) -> NewError<'static, impl Payload> {
    let message = "The gateway has refused the response of the server";
    NewError::new(ErrorCode::INTERNAL_ERROR, message)
        .with_data(object(move |data| data.member("rule", cause.name())))
}
