//! Messages to a `std::io::Write`.

use std::io::{self, ErrorKind, Write};

use super::queue::{MOST_ADDED, Queue};
use crate::encode::{EncodeError, Encoder};
use crate::envelope::Rules;
use crate::frame::{DEFAULT_LIMIT, Framing, HeapBuffer, Splitter, Storage};

/// Writes messages to a [`Write`], each completely, however few bytes it accepts at a time.
///
/// Messages are first encoded into a queue, and sent from there. If the underlying writer fails or [would
/// block](ErrorKind::WouldBlock), the bytes not accepted are kept, and the next [`flush`](Self::flush)
/// continues there.
///
/// For blocking writers, [`encode::Writer`](crate::encode::Writer) is an alternative that sends each
/// message as soon as it is complete. It cannot resume after an error.
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
pub struct MessageWriter<W, S = HeapBuffer, F = Splitter> {
    writer: W,
    encoder: Encoder<Queue<S, F>>,
    /// True if the underlying writer has accepted bytes since it was flushed.
    unflushed: bool,
}

impl<W: Write> MessageWriter<W> {
    /// Creates a writer for messages under these rules. The queue has room for [`DEFAULT_LIMIT`] bytes and
    /// a newline.
    #[must_use]
    pub const fn new(writer: W, rules: &Rules) -> Self {
        Self::with_storage(writer, HeapBuffer::new(DEFAULT_LIMIT), rules)
    }
}

impl<W: Write, S: Storage> MessageWriter<W, S> {
    /// Creates a writer for messages, one per line, with a queue in this storage.
    #[must_use]
    pub const fn with_storage(writer: W, storage: S, rules: &Rules) -> Self {
        let encoder = Encoder::with_rules(Queue::new(storage), rules);
        Self { writer, encoder, unflushed: false }
    }
}

impl<W: Write, F: Framing> MessageWriter<W, HeapBuffer, F> {
    /// Creates a writer for messages in the same framing as this one. The queue has room for one message of
    /// the framing's limit, including what the framing adds. This is room, and not a limit: a message that fits
    /// there may be longer than the framing's limit.
    ///
    /// ```
    /// use tautline::Rules;
    /// use tautline::encode::NO_PARAMS;
    /// use tautline::frame::{ContentLength, DEFAULT_LIMIT};
    /// use tautline::io::MessageWriter;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let framing = ContentLength::new(DEFAULT_LIMIT);
    /// let mut writer = MessageWriter::with_framing(Vec::new(), &framing, &Rules::LSP);
    /// writer.encoder().notification("exit", NO_PARAMS)?;
    /// writer.flush()?;
    /// assert_eq!(
    ///     writer.writer().as_slice(),
    ///     b"Content-Length: 33\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}"
    /// );
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_framing(writer: W, framing: &F, rules: &Rules) -> Self {
        let storage = HeapBuffer::new(framing.limit().saturating_add(MOST_ADDED));
        let encoder = Encoder::with_rules(Queue::new(storage), rules);
        Self { writer, encoder, unflushed: false }
    }
}

impl<W: Write, S: Storage, F: Framing> MessageWriter<W, S, F> {
    /// Returns the encoder, which adds messages to the queue; [`flush`](Self::flush) sends them. A message
    /// that does not fit into the queue is [refused](crate::encode::EncodeError::DoesNotFit), and nothing
    /// of it is kept.
    pub const fn encoder(&mut self) -> &mut Encoder<Queue<S, F>> {
        &mut self.encoder
    }

    /// Adds lines to the queue that were encoded elsewhere, such as the reply of an
    /// [endpoint](crate::endpoint::Endpoint::receive) or the [parts](crate::encode::Forward::parts) of a
    /// forwarded message. Each line becomes a frame. Empty input is not a line. A raw CR is replaced by a
    /// space, so that no receiver splits a line there.
    ///
    /// # Errors
    ///
    /// [`EncodeError::Payload`] if the last line has no newline; [`EncodeError::DoesNotFit`] if the lines
    /// do not all fit into the queue. In both cases, no line is added.
    pub fn put_lines(&mut self, lines: &[u8]) -> Result<(), EncodeError> {
        self.encoder.output_mut().put_lines(lines)
    }

    /// Returns the number of bytes still to be sent.
    #[must_use]
    pub const fn pending(&self) -> usize {
        self.encoder.output().pending()
    }

    /// Returns the underlying writer.
    pub const fn writer(&self) -> &W {
        &self.writer
    }

    /// Returns the underlying writer. Bytes written to it directly may land inside a message.
    pub const fn writer_mut(&mut self) -> &mut W {
        &mut self.writer
    }

    /// Returns the underlying writer. [Pending](Self::pending) bytes are dropped.
    #[must_use]
    pub fn into_inner(self) -> W {
        self.writer
    }

    /// Sends everything in the queue, and flushes the underlying writer.
    ///
    /// # Errors
    ///
    /// Any error of the underlying writer except [`Interrupted`](ErrorKind::Interrupted), after which the
    /// call is retried. Bytes not sent are kept, and the next call continues there.
    /// [`WriteZero`](ErrorKind::WriteZero), if the underlying writer accepts no bytes without an error.
    pub fn flush(&mut self) -> io::Result<()> {
        while let Some(unsent) = self.encoder.output().unsent() {
            // Set before the call: the writer may accept some of the bytes and fail when it is flushed.
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
