//! Messages by way of `embedded_io`.

use embedded_io::{Error as _, ErrorKind, Read, Write};

use super::inbox::{Inbox, Next};
use super::{Queue, ReadError, WriteError};
use crate::encode::Encoder;
use crate::envelope::{Rules, Skimmer};
use crate::frame::{FrameBuffer, Storage};
use crate::stream::{Received, Watch};

/// Reads messages from a [`Read`], each where it lies in the storage.
///
/// ```
/// use tautline::io::embedded::MessageReader;
/// use tautline::frame::FrameBuffer;
/// use tautline::stream::Received;
/// use tautline::Rules;
///
/// let uart: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1}\n[]\n";
/// let mut reader = MessageReader::new(uart, FrameBuffer::new([0; 128]), &Rules::JSON_RPC);
/// assert!(matches!(reader.next(), Ok(Some(Received::Message { .. }))));
/// assert!(matches!(reader.next(), Ok(Some(Received::Fault { .. }))));
/// assert_eq!(reader.next(), Ok(None));
/// ```
#[derive(Debug)]
pub struct MessageReader<R, S, W = ()> {
    reader: R,
    inbox: Inbox<S, W>,
}

impl<R: Read, S: Storage> MessageReader<R, S> {
    /// Reads messages under these rules into this buffer, whose limit on frames is the limit.
    #[must_use]
    pub const fn new(reader: R, buffer: FrameBuffer<S>, rules: &Rules) -> Self {
        Self { reader, inbox: Inbox::new(buffer, rules, ()) }
    }

    /// The same reader with a [`Skimmer`] that watches lines over the limit, as of a
    /// [stream](crate::stream::MessageStream::skimming).
    #[must_use]
    pub fn skimming(self) -> MessageReader<R, S, Skimmer> {
        MessageReader { reader: self.reader, inbox: self.inbox.skimming() }
    }
}

impl<R: Read, S: Storage, W: Watch> MessageReader<R, S, W> {
    /// The next message, faulty line or line over the limit; `None` when the stream has ended, and
    /// from then on. The reader is asked for more only when no complete line is left.
    ///
    /// # Errors
    ///
    /// Those of the reader, but for [`Interrupted`](ErrorKind::Interrupted), at which it is asked again.
    /// None of them loses anything, nor is it the end: the next call reads on.
    /// [`ReadError::NoRoom`], if the storage is empty.
    #[expect(clippy::should_implement_trait, reason = "it lends, which an iterator can't")]
    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    pub fn next(&mut self) -> Result<Option<Received<'_>>, ReadError<R::Error>> {
        let line = loop {
            match self.inbox.find() {
                Next::Line(line) => break line,
                Next::End => return Ok(None),
                Next::Read => {}
            }
            let room = self.inbox.room().ok_or(ReadError::NoRoom)?;
            match self.reader.read(room) {
                Ok(read) => self.inbox.took(read),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(ReadError::Reader(error)),
            }
        };
        Ok(Some(self.inbox.lend(line)))
    }

    super::inbox::accessors!();
}

/// Writes messages to a [`Write`], each whole, however little that takes at a time.
///
/// Messages are encoded into a queue first, and sent from there. What a writer that fails has not
/// taken is kept, and the next [`flush`](Self::flush) goes on at that byte.
///
/// ```
/// use tautline::Rules;
/// use tautline::io::embedded::MessageWriter;
///
/// let mut uart = [0; 64];
/// let mut writer = MessageWriter::new(&mut uart[..], [0; 128], &Rules::JSON_RPC);
/// writer.encoder().result(7, true).unwrap();
/// writer.flush().unwrap();
/// assert!(uart.starts_with(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":true}\n"));
/// ```
#[derive(Debug)]
pub struct MessageWriter<W, S> {
    writer: W,
    encoder: Encoder<Queue<S>>,
    /// The writer has taken bytes since it was flushed.
    unflushed: bool,
}

impl<W: Write, S: Storage> MessageWriter<W, S> {
    /// Writes messages under these rules by way of a queue in this storage.
    #[must_use]
    pub const fn new(writer: W, storage: S, rules: &Rules) -> Self {
        let encoder = Encoder::with_rules(Queue::new(storage), rules);
        Self { writer, encoder, unflushed: false }
    }

    super::queue::accessors!();

    /// Sends what is in the queue, and flushes the writer.
    ///
    /// # Errors
    ///
    /// Those of the writer, but for [`Interrupted`](ErrorKind::Interrupted), at which it is tried again;
    /// [`WriteError::TookNothing`], if it takes nothing and says nothing. What was not sent is kept, and
    /// the next call goes on there.
    pub fn flush(&mut self) -> Result<(), WriteError<W::Error>> {
        while let Some(unsent) = self.encoder.output().unsent() {
            // Said beforehand: the writer may take some of it and fail when it is flushed.
            self.unflushed = true;
            match self.writer.write(unsent) {
                Ok(0) => return Err(WriteError::TookNothing),
                Ok(taken) => self.encoder.output_mut().took(taken),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(WriteError::Writer(error)),
            }
        }
        while self.unflushed {
            match self.writer.flush() {
                Ok(()) => self.unflushed = false,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(WriteError::Writer(error)),
            }
        }
        Ok(())
    }
}
