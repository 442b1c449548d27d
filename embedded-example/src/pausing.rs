//! A receiver that returns control to the program before a line has ended.

use embedded_io::{Error as _, ErrorKind, ErrorType, Read};

/// Fails after each read, as if no more had arrived. Neither an endless line nor endless blank lines can then block
/// the rest of the program.
#[derive(Debug)]
pub struct Pausing<R> {
    receiver: R,
    has_read: bool,
}

impl<R> Pausing<R> {
    /// Creates a receiver that reads from this one.
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
