//! Messages to a `std::io::Write`.

use std::io::{self, ErrorKind, Write};

use super::Queue;
use crate::encode::Encoder;
use crate::envelope::Rules;
use crate::frame::{Growing, Storage};

/// Writes messages to a [`Write`], each whole, however little that takes at a time.
///
/// Messages are encoded into a queue first, and sent from there. A writer that fails or
/// [would block](ErrorKind::WouldBlock) has taken so many bytes and no more: what is left is kept, and
/// the next [`flush`](Self::flush) goes on at that byte.
///
/// Beside it, [`encode::Writer`](crate::encode::Writer) is an output that sends each message as it is
/// completed, for writers that block; it can't resume.
///
/// ```
/// use tautline::Rules;
/// use tautline::encode::{NO_PARAMS, object};
/// use tautline::io::MessageWriter;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut writer = MessageWriter::new(Vec::new(), &Rules::JSON_RPC);
/// writer.encoder().request(1, "ping", NO_PARAMS)?;
/// writer.encoder().result(7, object(|result| result.member("done", true)))?;
/// writer.flush()?;
/// assert_eq!(
///     writer.writer().as_slice(),
///     b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"done\":true}}\n",
/// );
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct MessageWriter<W, S = Growing> {
    writer: W,
    encoder: Encoder<Queue<S>>,
    /// The writer has taken bytes since it was flushed.
    unflushed: bool,
}

impl<W: Write> MessageWriter<W> {
    /// Writes messages under these rules; the queue has room for
    /// [`DEFAULT_LIMIT`](crate::frame::DEFAULT_LIMIT) bytes and a newline.
    #[must_use]
    pub const fn new(writer: W, rules: &Rules) -> Self {
        Self::with_storage(writer, Growing::new(crate::frame::DEFAULT_LIMIT), rules)
    }
}

impl<W: Write, S: Storage> MessageWriter<W, S> {
    /// Writes messages by way of a queue in this storage.
    #[must_use]
    pub const fn with_storage(writer: W, storage: S, rules: &Rules) -> Self {
        let encoder = Encoder::with_rules(Queue::new(storage), rules);
        Self { writer, encoder, unflushed: false }
    }

    super::queue::accessors!();

    /// Sends what is in the queue, and flushes the writer.
    ///
    /// # Errors
    ///
    /// Those of the writer, but for [`Interrupted`](ErrorKind::Interrupted), at which it is tried again.
    /// What was not sent is kept, and the next call goes on there.
    /// [`WriteZero`](ErrorKind::WriteZero), if the writer takes nothing and says nothing.
    pub fn flush(&mut self) -> io::Result<()> {
        while let Some(unsent) = self.encoder.output().unsent() {
            // Said beforehand: the writer may take some of it and fail when it is flushed.
            self.unflushed = true;
            match self.writer.write(unsent) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(taken) => self.encoder.output_mut().took(taken),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        while self.unflushed {
            match self.writer.flush() {
                Ok(()) => self.unflushed = false,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
