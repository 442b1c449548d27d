//! What an output says about a message that it has no room for.

use tautline::encode::EncodeError;

/// Returns the bytes that were needed and those that were free, or `None` if the message was written or failed for
/// another reason.
pub fn needed_and_free<T>(written: Result<T, EncodeError>) -> Option<(usize, Option<usize>)> {
    match written {
        Err(EncodeError::DoesNotFit { needed, free, .. }) => Some((needed, free)),
        _ => None,
    }
}
