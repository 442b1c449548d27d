//! A receiver for whoever has other things to do than to wait for the end of a line.

use embedded_io::{Error as _, ErrorKind, ErrorType, Read};

/// Fails after each read, as if nothing more had come: then a line that never ends, and blank lines without end, are
/// no reason to keep the rest of the program waiting.
#[derive(Debug)]
pub struct Pausing<R> {
    receiver: R,
    has_read: bool,
}

impl<R> Pausing<R> {
    /// Reads from this receiver.
    pub const fn new(receiver: R) -> Self {
        Self { receiver, has_read: false }
    }
}

impl<R> ErrorType for Pausing<R> {
    type Error = ErrorKind;
}

impl<R: Read> Read for Pausing<R> {
    fn read(&mut self, room: &mut [u8]) -> Result<usize, ErrorKind> {
        self.has_read = !self.has_read;
        if self.has_read {
            self.receiver.read(room).map_err(|error| error.kind())
        } else {
            Err(ErrorKind::TimedOut)
        }
    }
}
