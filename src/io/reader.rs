//! Messages from a `std::io::Read`.

use std::io::{self, ErrorKind, Read};

use super::Inbox;
use crate::envelope::{Profile, Skimmer};
use crate::frame::{DEFAULT_LIMIT, FrameBuffer, Framing, HeapBuffer, Splitter, Storage};
use crate::stream::Received;

/// Reads messages from a [`Read`]. Each message is borrowed from the storage. A [`Skimmer`] observes
/// oversized frames.
///
/// ```
/// use tautline::io::MessageReader;
/// use tautline::stream::Received;
/// use tautline::{Message, Profile, rule};
///
/// # fn main() -> std::io::Result<()> {
/// let input: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1}\nnot json\n{\"jsonrpc\":\"2.0\",\"method\":\"b\"}";
/// let mut reader = MessageReader::new(input, &Profile::JSON_RPC);
/// let mut seen = Vec::new();
/// while let Some(received) = reader.next()? {
///     seen.push(match received {
///         Received::Message { message: Message::Request(request), .. } => request.method().to_string(),
///         Received::Fault { frame, fault, .. } => format!("line {}: {}", frame.line(), rule::name(fault.rule())),
///         // The last line has no newline.
///         Received::Message { frame, .. } => format!("terminated: {}", frame.is_terminated()),
///         other => panic!("{other:?}"),
///     });
/// }
/// assert_eq!(seen, ["a", "line 2: not-json", "terminated: false"]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct MessageReader<R, S = HeapBuffer, F = Splitter> {
    reader: R,
    inbox: Inbox<S, F, Skimmer>,
}

impl<R: Read> MessageReader<R> {
    /// Creates a reader for messages under this profile, one per line, of at most [`DEFAULT_LIMIT`] bytes.
    ///
    /// The underlying reader needs no buffer of its own.
    #[must_use]
    pub fn new(reader: R, profile: &Profile) -> Self {
        Self::with_framing(reader, Splitter::new(DEFAULT_LIMIT), profile)
    }
}

impl<R: Read, F: Framing> MessageReader<R, HeapBuffer, F> {
    /// Creates a reader for messages in this framing, which has the frame limit.
    ///
    /// ```
    /// use tautline::Profile;
    /// use tautline::frame::{ContentLength, DEFAULT_LIMIT};
    /// use tautline::io::MessageReader;
    /// use tautline::stream::Received;
    ///
    /// let input: &[u8] = b"Content-Length: 33\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}";
    /// let framing = ContentLength::new(DEFAULT_LIMIT);
    /// let mut reader = MessageReader::with_framing(input, framing, &Profile::LSP);
    /// assert!(matches!(reader.next(), Ok(Some(Received::Message { .. }))));
    /// ```
    #[must_use]
    pub fn with_framing(reader: R, framing: F, profile: &Profile) -> Self {
        let storage = HeapBuffer::new(framing.limit());
        Self::with_buffer(reader, FrameBuffer::with_framing(storage, framing), profile)
    }
}

impl<R: Read, S: Storage, F: Framing> MessageReader<R, S, F> {
    /// Creates a reader with this buffer, which has the framing and the frame limit.
    #[must_use]
    pub fn with_buffer(reader: R, buffer: FrameBuffer<S, F>, profile: &Profile) -> Self {
        Self { reader, inbox: Inbox::new(buffer, *profile, Skimmer::new(profile)) }
    }

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
    /// reading. A non-blocking reader may therefore return [`WouldBlock`](ErrorKind::WouldBlock) at any
    /// time.
    ///
    /// [`OutOfMemory`](ErrorKind::OutOfMemory), if there is no room to read into, because the storage is
    /// empty or memory has run out.
    #[expect(clippy::should_implement_trait, reason = "it lends, which an iterator can't")]
    pub fn next(&mut self) -> io::Result<Option<Received<'_>>> {
        let ready = loop {
            if let Some(ready) = self.inbox.find() {
                break ready;
            }
            if self.inbox.is_over() {
                return Ok(None);
            }
            let room = self.inbox.room().ok_or(ErrorKind::OutOfMemory)?;
            match self.reader.read(room) {
                Ok(read) => self.inbox.took(read),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        };
        Ok(self.inbox.lend(ready))
    }

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
