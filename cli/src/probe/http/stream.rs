//! The bytes of a connection, in the clear or encrypted.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};

/// A stream that does not block.
pub trait Stream: Read + Write + Send {
    /// Ends the half of the stream that is written.
    fn end(&mut self) -> io::Result<()>;
}

impl Stream for TcpStream {
    fn end(&mut self) -> io::Result<()> {
        self.shutdown(Shutdown::Write)
    }
}
