//! Messages from a `std::io::Read`.

use std::io::{self, ErrorKind, Read};

use super::inbox::{Inbox, Next};
use crate::envelope::{Rules, Skimmer};
use crate::frame::{FrameBuffer, Growing, Storage};
use crate::stream::Received;

/// Reads messages from a [`Read`], each where it lies in the storage. Lines over the limit are
/// [skimmed](Skimmer).
///
/// ```
/// use tautline::io::MessageReader;
/// use tautline::stream::Received;
/// use tautline::{Message, Rules};
///
/// # fn main() -> std::io::Result<()> {
/// let input: &[u8] = b"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1}\nnot json\n{\"jsonrpc\":\"2.0\",\"method\":\"b\"}";
/// let mut reader = MessageReader::new(input, &Rules::JSON_RPC);
/// let mut seen = Vec::new();
/// while let Some(received) = reader.next()? {
///     seen.push(match received {
///         Received::Message { message: Message::Request(request), .. } => request.method().to_string(),
///         Received::Fault { frame, fault } => format!("line {}: {}", frame.line(), fault.rule()),
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
pub struct MessageReader<R, S = Growing> {
    reader: R,
    inbox: Inbox<S, Skimmer>,
}

impl<R: Read> MessageReader<R> {
    /// Reads messages under these rules, in frames of at most
    /// [`DEFAULT_LIMIT`](crate::frame::DEFAULT_LIMIT) bytes.
    ///
    /// The reader needs no buffer of its own.
    #[must_use]
    pub fn new(reader: R, rules: &Rules) -> Self {
        Self::with_buffer(reader, FrameBuffer::new(Growing::default()), rules)
    }
}

impl<R: Read, S: Storage> MessageReader<R, S> {
    /// Reads into this buffer, whose limit on frames is the limit.
    #[must_use]
    pub const fn with_buffer(reader: R, buffer: FrameBuffer<S>, rules: &Rules) -> Self {
        Self { reader, inbox: Inbox::new(buffer, rules, Skimmer::new(rules)) }
    }

    /// The next message, faulty line or line over the limit; `None` when the stream has ended, and
    /// from then on. The reader is asked for more only when no complete line is left.
    ///
    /// # Errors
    ///
    /// Those of the reader, but for [`Interrupted`](ErrorKind::Interrupted), at which it is asked again.
    /// None of them loses anything, nor is it the end: the next call reads on. So a reader that does not
    /// block may say [`WouldBlock`](ErrorKind::WouldBlock) at any time.
    ///
    /// [`OutOfMemory`](ErrorKind::OutOfMemory), if there is no room at all to read into, because the
    /// storage is empty or there is no memory.
    #[expect(clippy::should_implement_trait, reason = "it lends, which an iterator can't")]
    pub fn next(&mut self) -> io::Result<Option<Received<'_>>> {
        let line = loop {
            match self.inbox.find() {
                Next::Line(line) => break line,
                Next::End => return Ok(None),
                Next::Read => {}
            }
            let room = self.inbox.room().ok_or(ErrorKind::OutOfMemory)?;
            match self.reader.read(room) {
                Ok(read) => self.inbox.took(read),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        };
        Ok(Some(self.inbox.lend(line)))
    }

    super::inbox::accessors!();
}
