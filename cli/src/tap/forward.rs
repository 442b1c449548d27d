//! The path of the bytes: they are read and forwarded, and nothing else.

use std::io::{ErrorKind, Read, Write};

use tautline_audit::source::Stream;

use super::log::Log;

/// The maximum number of bytes that are read at once: the capacity of a pipe.
const PIECE: usize = 64 * 1024;

/// Forwards a stream until its end, or until its receiver closes it. Then both ends are closed, so that each side
/// notices that the other is gone.
pub fn forward(mut from: impl Read, mut to: impl Write, stream: Stream, log: &Log) {
    let mut room = vec![0; PIECE];
    loop {
        let read = match from.read(&mut room) {
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            // For example, a terminal that was closed.
            Err(_) => 0,
        };
        let bytes = &room[..read];
        if bytes.is_empty() {
            if let Some(side) = stream.role() {
                log.closed(side);
            }
            break;
        }
        log.bytes(stream, bytes);
        if to.write_all(bytes).and_then(|()| to.flush()).is_err() {
            break;
        }
    }
}
