//! An output over `embedded_io`.

use super::{Output, Refused, Slice};

/// An output that passes whole messages to an [`embedded_io::Write`]. It builds each message in memory that
/// the caller lends, and writes it once it is complete.
///
/// A writer that fails may have taken part of a message, or all of it. The message fails with
/// [`EncodeError::Output`](super::EncodeError::Output), and the next one begins on a new line. Readers skip
/// that line if it is blank, and find one fault if it is torn.
#[cfg_attr(docsrs, doc(cfg(feature = "embedded-io-v0_7")))]
#[derive(Debug)]
pub struct Embedded<'room, W: embedded_io::ErrorType> {
    writer: W,
    room: Slice<'room>,
    /// True if the last line may have no newline.
    torn: bool,
    error: Option<W::Error>,
}

impl<'room, W: embedded_io::Write> Embedded<'room, W> {
    /// Creates an output that writes messages of at most the size of `room` to `writer`.
    #[must_use]
    pub const fn new(writer: W, room: &'room mut [u8]) -> Self {
        Self { writer, room: Slice::new(room), torn: false, error: None }
    }

    /// Takes the last error of the writer, if it failed and returned one.
    pub const fn take_error(&mut self) -> Option<W::Error> {
        self.error.take()
    }

    /// Returns the writer.
    #[must_use]
    pub fn into_inner(self) -> W {
        self.writer
    }

    /// Sends the contents of the room. Fails with `None` if the writer accepts no bytes and returns no error.
    fn send(&mut self) -> Result<(), Option<W::Error>> {
        // Set before writing, because a writer may also panic.
        if core::mem::replace(&mut self.torn, true) {
            write_all(&mut self.writer, b"\n")?;
        }
        write_all(&mut self.writer, self.room.written())?;
        self.writer.flush()?;
        self.torn = false;
        Ok(())
    }
}

/// Like the trait's `write_all`, which panics if a writer accepts no bytes.
fn write_all<W: embedded_io::Write>(
    writer: &mut W,
    mut bytes: &[u8],
) -> Result<(), Option<W::Error>> {
    while !bytes.is_empty() {
        let taken = writer.write(bytes)?;
        bytes = bytes.get(taken..).filter(|_| taken > 0).ok_or(None)?;
    }
    Ok(())
}

impl<W: embedded_io::Write> Output for Embedded<'_, W> {
    fn mark(&self) -> usize {
        self.room.mark()
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        self.room.put(bytes)
    }

    fn commit(&mut self) -> Result<(), Refused> {
        let sent = self.send();
        self.room.rewind(0);
        sent.map_err(|error| {
            self.error = error;
            Refused::Failed
        })
    }

    fn rewind(&mut self, mark: usize) {
        self.room.rewind(mark);
    }
}
