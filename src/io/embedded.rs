//! Messages over `embedded_io` and `embedded_io_async`.
//!
//! One reader and one writer serve both: [`next`](MessageReader::next) and [`flush`](MessageWriter::flush)
//! block, `next_async` and `flush_async` (feature `embedded-io-async-v0_7`) await.
//!
//! The futures hold no state: the reader and the writer keep all bytes read or still to be sent. A future
//! may be dropped at any time, as in a `select`, without losing a message or sending one twice. This
//! requires that the underlying `read` or `write` is side-effect-free on cancel, as `embedded_io_async`
//! asks for where possible.

use embedded_io::{Error as _, ErrorKind, Read, Write};

use super::{Inbox, Outbox, Step};
use super::{Queue, ReadError, WriteError};
use crate::encode::{EncodeError, Encoder};
use crate::envelope::{Profile, Skimmer};
use crate::frame::{FrameBuffer, Framing, Splitter, Storage};
use crate::stream::{Received, Watch};

/// Reads messages from a `Read` of `embedded_io` or `embedded_io_async`. Each message is borrowed from the
/// storage.
///
/// ```
/// use tautline::io::embedded::MessageReader;
/// use tautline::frame::FrameBuffer;
/// use tautline::stream::Received;
/// use tautline::Profile;
///
/// let uart: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1}\n[]\n";
/// let mut reader = MessageReader::new(uart, FrameBuffer::new([0; 128]), &Profile::JSON_RPC);
/// assert!(matches!(reader.next(), Ok(Some(Received::Message { .. }))));
/// assert!(matches!(reader.next(), Ok(Some(Received::Fault { .. }))));
/// assert_eq!(reader.next(), Ok(None));
/// ```
#[derive(Debug)]
pub struct MessageReader<R, S, F = Splitter, W = Skimmer> {
    reader: R,
    inbox: Inbox<S, F, W>,
}

impl<R, S: Storage, F: Framing> MessageReader<R, S, F> {
    /// Creates a reader for messages under this profile. The buffer has the framing and the frame limit. A
    /// [`Skimmer`] observes oversized frames, as in a [stream](crate::stream::MessageStream).
    #[must_use]
    pub fn new(reader: R, buffer: FrameBuffer<S, F>, profile: &Profile) -> Self {
        Self { reader, inbox: Inbox::new(buffer, *profile, Skimmer::new(profile)) }
    }
}

impl<R, S: Storage, F: Framing> MessageReader<R, S, F, ()> {
    /// Creates a reader that discards oversized frames unseen, as a
    /// [stream](crate::stream::MessageStream::without_skimmer) can. It is smaller.
    #[must_use]
    pub const fn without_skimmer(reader: R, buffer: FrameBuffer<S, F>, profile: &Profile) -> Self {
        Self { reader, inbox: Inbox::new(buffer, *profile, ()) }
    }
}

impl<R, S: Storage, F: Framing, W: Watch> MessageReader<R, S, F, W> {
    /// Sets the profile for subsequent frames, for example after a handshake.
    pub fn set_profile(&mut self, profile: &Profile) {
        self.inbox.profile = *profile;
    }

    /// Returns the framing, which knows the position in the stream.
    #[must_use]
    pub const fn framing(&self) -> &F {
        self.inbox.buffer.framing()
    }

    /// Continues after [`Desynchronised`](Received::Desynchronised), by [resynchronising](Framing::resync)
    /// to the next frame.
    pub fn resync(&mut self) {
        self.inbox.buffer.resync();
    }

    /// Returns the underlying reader.
    pub const fn reader(&self) -> &R {
        &self.reader
    }

    /// Returns the underlying reader. Bytes read from it directly do not reach this reader.
    pub const fn reader_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// Returns the underlying reader, and the buffer with the bytes read but not yielded yet.
    #[must_use]
    pub fn into_parts(self) -> (R, FrameBuffer<S, F>) {
        (self.reader, self.inbox.buffer)
    }
}

impl<R: Read, S: Storage, F: Framing, W: Watch> MessageReader<R, S, F, W> {
    /// Returns the next message, invalid frame or oversized frame, or `None` once the stream has ended. It
    /// calls the underlying reader only when no complete frame is left.
    ///
    /// After [`Desynchronised`](Received::Desynchronised) it returns `None`, and reads nothing, until a
    /// [resync](Self::resync).
    ///
    /// # Errors
    ///
    /// Any error of the underlying reader except [`Interrupted`](ErrorKind::Interrupted), after which the
    /// read is retried. An error loses nothing and does not end the stream: the next call continues
    /// reading. [`ReadError::NoRoom`], if the storage is empty.
    #[expect(clippy::should_implement_trait, reason = "it lends, which an iterator can't")]
    #[inline(never)]
    pub fn next(&mut self) -> Result<Option<Received<'_>>, ReadError<R::Error>> {
        let ready = loop {
            if let Some(ready) = self.inbox.find() {
                break ready;
            }
            if self.inbox.is_over() {
                return Ok(None);
            }
            let room = self.inbox.room().ok_or(ReadError::NoRoom)?;
            match self.reader.read(room) {
                Ok(read) => self.inbox.took(read),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(ReadError::Reader(error)),
            }
        };
        Ok(self.inbox.lend(ready))
    }
}

#[cfg(feature = "embedded-io-async-v0_7")]
#[cfg_attr(docsrs, doc(cfg(feature = "embedded-io-async-v0_7")))]
impl<R: embedded_io_async::Read, S: Storage, F: Framing, W: Watch> MessageReader<R, S, F, W> {
    /// Returns what [`next`](Self::next) returns, and awaits the underlying reader. The future may be dropped
    /// at any time; see the [module](self).
    ///
    /// ```
    /// use tautline::Profile;
    /// use tautline::frame::FrameBuffer;
    /// use tautline::io::embedded::MessageReader;
    /// use tautline::stream::Received;
    ///
    /// # fn block_on<F: Future>(future: F) -> F::Output {
    /// #     let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    /// #     let mut future = std::pin::pin!(future);
    /// #     loop {
    /// #         if let std::task::Poll::Ready(output) = future.as_mut().poll(&mut context) { return output }
    /// #     }
    /// # }
    /// # block_on(async {
    /// let uart: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1}\n";
    /// let mut reader = MessageReader::new(uart, FrameBuffer::new([0; 128]), &Profile::JSON_RPC);
    /// assert!(matches!(reader.next_async().await, Ok(Some(Received::Message { .. }))));
    /// assert_eq!(reader.next_async().await, Ok(None));
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`next`](Self::next).
    pub async fn next_async(&mut self) -> Result<Option<Received<'_>>, ReadError<R::Error>> {
        let ready = loop {
            if let Some(ready) = self.inbox.find() {
                break ready;
            }
            if self.inbox.is_over() {
                return Ok(None);
            }
            let room = self.inbox.room().ok_or(ReadError::NoRoom)?;
            match self.reader.read(room).await {
                Ok(read) => self.inbox.took(read),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(ReadError::Reader(error)),
            }
        };
        Ok(self.inbox.lend(ready))
    }
}

/// Writes messages to a `Write` of `embedded_io` or `embedded_io_async`, each completely, however few bytes
/// it accepts at a time.
///
/// Messages are first encoded into a queue, and sent from there. If the underlying writer fails, the bytes
/// not accepted are kept, and the next [`flush`](Self::flush) continues there. Dropping the
/// writer loses what was not flushed.
///
/// ```
/// use tautline::Profile;
/// use tautline::io::embedded::MessageWriter;
///
/// let mut uart = [0; 64];
/// let mut writer = MessageWriter::new(&mut uart[..], [0; 128], &Profile::JSON_RPC);
/// writer.encoder().result(7, true).unwrap();
/// writer.flush().unwrap();
/// assert!(uart.starts_with(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":true}\n"));
/// ```
#[derive(Debug)]
pub struct MessageWriter<W, S, F: Framing = Splitter> {
    writer: W,
    outbox: Outbox<S, F>,
}

impl<W, S: Storage> MessageWriter<W, S> {
    /// Creates a writer for messages under this profile, one per line, with a queue in this storage.
    #[must_use]
    pub fn new(writer: W, storage: S, profile: &Profile) -> Self {
        Self { writer, outbox: Outbox::new(storage, (), profile) }
    }
}

impl<W, S: Storage, F: Framing> MessageWriter<W, S, F> {
    /// Creates a writer for messages in the same framing as this one.
    #[must_use]
    pub fn with_framing(writer: W, storage: S, framing: &F, profile: &Profile) -> Self {
        Self { writer, outbox: Outbox::new(storage, framing.form(), profile) }
    }

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
}

impl<W: Write, S: Storage, F: Framing> MessageWriter<W, S, F> {
    /// Sends everything in the queue, and flushes the underlying writer.
    ///
    /// # Errors
    ///
    /// Any error of the underlying writer except [`Interrupted`](ErrorKind::Interrupted), after which the
    /// call is retried; [`WriteError::TookNothing`], if it accepts no bytes without an error. Bytes not
    /// sent are kept, and the next call continues there.
    pub fn flush(&mut self) -> Result<(), WriteError<W::Error>> {
        while let Some(step) = self.outbox.next_step() {
            let done = match step {
                Step::Write(unsent) => self.writer.write(unsent).map(Some),
                Step::Flush => self.writer.flush().map(|()| None),
            };
            match done {
                Ok(Some(0)) => return Err(WriteError::TookNothing),
                Ok(Some(taken)) => self.outbox.took(taken),
                Ok(None) => self.outbox.flushed(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(WriteError::Writer(error)),
            }
        }
        Ok(())
    }
}

#[cfg(feature = "embedded-io-async-v0_7")]
#[cfg_attr(docsrs, doc(cfg(feature = "embedded-io-async-v0_7")))]
impl<W: embedded_io_async::Write, S: Storage, F: Framing> MessageWriter<W, S, F> {
    /// Does what [`flush`](Self::flush) does, and awaits the underlying writer. The future may be dropped at
    /// any time; see the [module](self).
    ///
    /// # Errors
    ///
    /// The errors of [`flush`](Self::flush).
    pub async fn flush_async(&mut self) -> Result<(), WriteError<W::Error>> {
        while let Some(step) = self.outbox.next_step() {
            let done = match step {
                Step::Write(unsent) => self.writer.write(unsent).await.map(Some),
                Step::Flush => self.writer.flush().await.map(|()| None),
            };
            match done {
                Ok(Some(0)) => return Err(WriteError::TookNothing),
                Ok(Some(taken)) => self.outbox.took(taken),
                Ok(None) => self.outbox.flushed(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(WriteError::Writer(error)),
            }
        }
        Ok(())
    }
}
