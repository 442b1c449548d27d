//! Messages to a `std::io::Write`.

use std::io::{self, ErrorKind, Write};

use super::{Outbox, Queue, Step};
use crate::encode::{EncodeError, Encoder};
use crate::envelope::Profile;
use crate::frame::{Framing, HeapBuffer, Splitter, Storage};

/// The limit of a queue that grows as far as there is memory.
const NO_LIMIT: u32 = u32::MAX;

/// Writes messages to a [`Write`], each completely, however few bytes it accepts at a time.
///
/// Messages are first encoded into a queue, and sent from there. If the underlying writer fails or [would
/// block](ErrorKind::WouldBlock), the bytes not accepted are kept, and the next [`flush`](Self::flush)
/// continues there.
///
/// The queue grows on the heap, as far as there is memory for it. The peer's messages do not bound it, and the limit
/// of the reader does not either. For a peer that may stop reading, set
/// [`with_output_limit`](Self::with_output_limit), or lend [storage](Self::with_storage).
///
/// If the writer is dropped, it tries once to send what is still in the queue, and ignores errors, as
/// [`BufWriter`](std::io::BufWriter) does. Call [`flush`](Self::flush) before that to learn of them.
/// [`into_inner`](Self::into_inner) sends nothing.
///
/// For blocking writers, [`encode::Writer`](crate::encode::Writer) is an alternative that sends each
/// message as soon as it is complete. It cannot resume after an error.
///
/// ```
/// use tautline::Profile;
/// use tautline::encode::{NO_PARAMS, object};
/// use tautline::io::MessageWriter;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut writer = MessageWriter::new(Vec::new(), &Profile::JSON_RPC);
/// writer.encoder().request(1, "sum", NO_PARAMS)?;
/// writer.encoder().result(7, object(|result| result.member("done", true)))?;
/// writer.flush()?;
/// assert_eq!(
///     writer.writer().as_slice(),
///     b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"sum\"}\n{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"done\":true}}\n",
/// );
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct MessageWriter<W: Write, S: Storage = HeapBuffer, F: Framing = Splitter> {
    /// `None` after `into_inner`, which leaves nothing to be sent when this is dropped.
    writer: Option<W>,
    outbox: Outbox<S, F>,
    /// True while the underlying writer is called. It stays true if that panics.
    calling: bool,
}

impl<W: Write> MessageWriter<W> {
    /// Creates a writer for messages under this profile. The queue grows up to 4 GiB.
    #[must_use]
    pub fn new(writer: W, profile: &Profile) -> Self {
        Self::with_storage(writer, HeapBuffer::new(NO_LIMIT), profile)
    }
}

impl<W: Write, S: Storage> MessageWriter<W, S> {
    /// Creates a writer for messages, one per line, with a queue in this storage.
    #[must_use]
    pub fn with_storage(writer: W, storage: S, profile: &Profile) -> Self {
        Self { writer: Some(writer), outbox: Outbox::new(storage, (), profile), calling: false }
    }
}

impl<W: Write, F: Framing> MessageWriter<W, HeapBuffer, F> {
    /// Creates a writer for messages in the same framing as this one. The queue grows up to 4 GiB: the limit of the
    /// framing is for messages that are read.
    ///
    /// ```
    /// use tautline::Profile;
    /// use tautline::encode::NO_PARAMS;
    /// use tautline::frame::{ContentLength, DEFAULT_LIMIT};
    /// use tautline::io::MessageWriter;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let framing = ContentLength::new(DEFAULT_LIMIT);
    /// let mut writer = MessageWriter::with_framing(Vec::new(), &framing, &Profile::LSP);
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
    pub fn with_framing(writer: W, framing: &F, profile: &Profile) -> Self {
        let outbox = Outbox::new(HeapBuffer::new(NO_LIMIT), framing.form(), profile);
        Self { writer: Some(writer), outbox, calling: false }
    }

    /// Limits the queue to this many bytes, of all messages that are not sent yet together, with their newlines and
    /// headers. A message that does not fit beside them is refused with [`EncodeError::DoesNotFit`], which says how
    /// many bytes were free. [`flush`](Self::flush) makes room.
    ///
    /// ```
    /// use tautline::Profile;
    /// use tautline::encode::{EncodeError, NO_PARAMS};
    /// use tautline::io::MessageWriter;
    ///
    /// let mut writer = MessageWriter::new(Vec::new(), &Profile::JSON_RPC).with_output_limit(50);
    /// writer.encoder().notification("exit", NO_PARAMS)?;
    /// let refused = writer.encoder().notification("exit", NO_PARAMS);
    /// assert!(matches!(refused, Err(EncodeError::DoesNotFit { needed: 34, free: Some(16), .. })));
    /// # Ok::<(), EncodeError>(())
    /// ```
    #[must_use]
    pub fn with_output_limit(mut self, limit: u32) -> Self {
        self.outbox.encoder.output_mut().set_limit(limit);
        self
    }
}

impl<W: Write, S: Storage, F: Framing> MessageWriter<W, S, F> {
    /// Returns the encoder, which adds messages to the queue; [`flush`](Self::flush) sends them. A message
    /// that does not fit into the queue is [refused](crate::encode::EncodeError::DoesNotFit), and nothing
    /// of it is kept.
    pub const fn encoder(&mut self) -> &mut Encoder<Queue<S, F>> {
        &mut self.outbox.encoder
    }

    /// Adds lines to the queue that were encoded elsewhere, such as the reply of an
    /// [endpoint](crate::endpoint::Endpoint::answer). Each line becomes a frame. Empty input is not a line. A raw
    /// CR is replaced by a space, so that no receiver splits a line there.
    ///
    /// # Errors
    ///
    /// [`EncodeError::Payload`] if the last line has no newline; [`EncodeError::DoesNotFit`] if the lines
    /// do not all fit into the queue. In both cases, no line is added.
    pub fn put_lines(&mut self, lines: &[u8]) -> Result<(), EncodeError> {
        self.outbox.encoder.output_mut().put_lines(lines)
    }

    /// Returns the number of bytes still to be sent.
    #[must_use]
    pub const fn pending(&self) -> usize {
        self.outbox.encoder.output().pending()
    }

    /// Returns the underlying writer.
    #[expect(
        clippy::unreachable,
        reason = "only `into_inner` takes the writer, and `self` with it"
    )]
    pub const fn writer(&self) -> &W {
        match &self.writer {
            Some(writer) => writer,
            None => unreachable!(),
        }
    }

    /// Returns the underlying writer. Bytes written to it directly may land inside a message.
    #[expect(
        clippy::unreachable,
        reason = "only `into_inner` takes the writer, and `self` with it"
    )]
    pub const fn writer_mut(&mut self) -> &mut W {
        match &mut self.writer {
            Some(writer) => writer,
            None => unreachable!(),
        }
    }

    /// Returns the underlying writer. [Pending](Self::pending) bytes are dropped.
    #[must_use]
    #[expect(clippy::unreachable, reason = "only this takes the writer, and `self` with it")]
    pub fn into_inner(mut self) -> W {
        match self.writer.take() {
            Some(writer) => writer,
            None => unreachable!(),
        }
    }

    /// Sends everything in the queue, and flushes the underlying writer.
    ///
    /// # Errors
    ///
    /// Any error of the underlying writer except [`Interrupted`](ErrorKind::Interrupted), after which the
    /// call is retried. Bytes not sent are kept, and the next call continues there.
    /// [`WriteZero`](ErrorKind::WriteZero), if the underlying writer accepts no bytes without an error.
    pub fn flush(&mut self) -> io::Result<()> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        while let Some(step) = self.outbox.next_step() {
            self.calling = true;
            let done = match step {
                Step::Write(unsent) => writer.write(unsent).map(Some),
                Step::Flush => writer.flush().map(|()| None),
            };
            self.calling = false;
            match done {
                Ok(Some(0)) => return Err(ErrorKind::WriteZero.into()),
                Ok(Some(taken)) => self.outbox.took(taken),
                Ok(None) => self.outbox.flushed(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl<W: Write, S: Storage, F: Framing> Drop for MessageWriter<W, S, F> {
    /// Sends everything in the queue once, and ignores errors.
    fn drop(&mut self) {
        // A writer that has panicked may have accepted some of the bytes.
        if !self.calling {
            let _ = self.flush();
        }
    }
}
