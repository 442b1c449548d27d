//! Strings, decoded.

use tautline::RawStr;
use tautline::internal::bytes::copy;
use tautline::json::DecodeError;

use crate::abi::tl_error;

/// Decodes a string into the front of a buffer and a NUL after it, and returns its length without the NUL. If the
/// buffer is too small, the length is returned beside the error.
pub(crate) fn decode(string: RawStr<'_>, buffer: &mut [u8]) -> (usize, Result<(), tl_error>) {
    let Ok(needed) = string.decoded_len() else { return (0, Err(tl_error::Surrogate)) };
    if needed >= buffer.len() {
        return (needed, Err(tl_error::Full));
    }
    let length = match string.decode_into(buffer) {
        Ok(text) => text.len(),
        Err(DecodeError::BufferTooSmall { .. }) => return (needed, Err(tl_error::Full)),
        Err(_) => return (0, Err(tl_error::Surrogate)),
    };
    if let Some(end) = buffer.get_mut(length) {
        *end = 0;
    }
    (length, Ok(()))
}

/// Copies a text into the front of a buffer and a NUL after it, and returns its length, as [`decode`] does.
pub(crate) fn put(text: &str, buffer: &mut [u8]) -> (usize, Result<(), tl_error>) {
    let length = text.len();
    let Some((front, [end, ..])) = buffer.split_at_mut_checked(length) else {
        return (length, Err(tl_error::Full));
    };
    copy(text.as_bytes(), front);
    *end = 0;
    (length, Ok(()))
}
