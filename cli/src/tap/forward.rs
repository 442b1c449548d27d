//! The way of the bytes: read, passed on, and nothing else.

use std::io::{ErrorKind, Read, Write};

use tautline_audit::source::Stream;

use super::log::Log;

/// The most that is read at once: as much as a pipe holds.
const PIECE: usize = 64 * 1024;

/// Passes on a stream until its end, or until nobody takes it any more. Then both ends are closed, so that each side
/// notices what the other has done.
pub fn forward(mut from: impl Read, mut to: impl Write, stream: Stream, log: &Log) {
    let mut room = vec![0; PIECE];
    loop {
        let read = match from.read(&mut room) {
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            // A terminal that has gone away, for example.
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
