//! Events of an event stream (HTML, section 9.2), as MCP sends them.

use std::io::Write;
use std::time::Duration;

use bytes::Bytes;

/// A comment, which keeps a connection alive and is no event.
pub(crate) const COMMENT: Bytes = Bytes::from_static(b":\n\n");

/// Returns the event of a message, which has no line feed in it, with this id.
pub(crate) fn message(message: &[u8], id: Option<(u64, u64)>) -> Bytes {
    let mut event = Vec::with_capacity(message.len().saturating_add(64));
    if let Some((stream, position)) = id {
        // Writing to a vector does not fail.
        let _ = writeln!(event, "id: {stream}-{position}");
    }
    event.extend_from_slice(b"event: message\ndata: ");
    event.extend_from_slice(message);
    event.extend_from_slice(b"\n\n");
    event.into()
}

/// Returns the event that begins a stream which can be resumed: an id with empty data (MCP 2025-11-25, basic/transports,
/// sending messages to the server).
pub(crate) fn priming((stream, position): (u64, u64), retry: Duration) -> Bytes {
    let retry = retry.as_millis();
    format!("id: {stream}-{position}\nretry: {retry}\ndata: \n\n").into()
}

/// Returns the field that tells a client when to connect again.
pub(crate) fn retry(retry: Duration) -> Bytes {
    format!("retry: {}\n\n", retry.as_millis()).into()
}

/// Reads the number and the position of a stream from the id of an event.
pub(crate) fn position(id: &[u8]) -> Option<(u64, u64)> {
    let (stream, position) = std::str::from_utf8(id).ok()?.split_once('-')?;
    let is_plain = |number: &str| number.bytes().all(|byte| byte.is_ascii_digit());
    (is_plain(stream) && is_plain(position))
        .then(|| Some((stream.parse().ok()?, position.parse().ok()?)))?
}
