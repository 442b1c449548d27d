//! Where messages are written to: one small trait, and the places that have it.

#[cfg(feature = "std")]
use crate::memory::Retention;

/// A place that takes bytes, piece by piece, and can forget a message that was not completed.
///
/// Implement it for what is not covered here. [`put`](Self::put) is called for every piece of a
/// message, then [`commit`](Self::commit); if the message is not completed, or any of these refuses
/// it, or a payload panics, [`rewind`](Self::rewind) comes last.
pub trait Output {
    /// How much there is in it, to come back to by [`rewind`](Self::rewind).
    fn mark(&self) -> usize;

    /// Takes all of these bytes, or none.
    ///
    /// # Errors
    ///
    /// [`Refused::Full`] if they do not fit, [`Refused::Failed`] if they can't be taken for another
    /// reason.
    fn put(&mut self, bytes: &[u8]) -> Result<(), Refused>;

    /// A message is complete.
    ///
    /// # Errors
    ///
    /// [`Refused`] if it can't be taken after all.
    fn commit(&mut self) -> Result<(), Refused> {
        Ok(())
    }

    /// A message was not completed: forgets what was put since the mark was taken, so that it can't be
    /// taken for a message.
    fn rewind(&mut self, mark: usize);
}

/// Why an output took no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Refused {
    /// It has not the room: [`EncodeError::DoesNotFit`](super::EncodeError::DoesNotFit).
    Full,
    /// It failed: [`EncodeError::Output`](super::EncodeError::Output).
    Failed,
}

impl core::fmt::Display for Refused {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::Full => "the output is full",
            Self::Failed => "the output failed",
        })
    }
}

impl core::error::Error for Refused {}

impl<O: Output + ?Sized> Output for &mut O {
    fn mark(&self) -> usize {
        (**self).mark()
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        (**self).put(bytes)
    }

    fn commit(&mut self) -> Result<(), Refused> {
        (**self).commit()
    }

    fn rewind(&mut self, mark: usize) {
        (**self).rewind(mark);
    }
}

/// A slice to write messages to, one behind the other.
///
/// What was put and not completed is overwritten with newlines, which are no message to anybody.
#[derive(Debug)]
pub struct Slice<'out> {
    room: &'out mut [u8],
    /// `used <= room.len()`
    used: usize,
    /// So much of the room is kept free.
    reserved: usize,
}

impl<'out> Slice<'out> {
    /// An empty output with so much room.
    #[must_use]
    pub const fn new(room: &'out mut [u8]) -> Self {
        Self { room, used: 0, reserved: 0 }
    }

    /// How many bytes it has room for in all.
    pub(crate) const fn capacity(&self) -> usize {
        self.room.len()
    }

    /// How many bytes at the end are kept free.
    pub(crate) const fn reserved(&self) -> usize {
        self.reserved
    }

    /// Keeps so many bytes at the end free.
    pub(crate) const fn reserve(&mut self, reserved: usize) {
        self.reserved = reserved;
    }

    /// The messages.
    #[must_use]
    pub fn written(&self) -> &[u8] {
        self.room.get(..self.used).unwrap_or_default()
    }

    /// The messages, for as long as the slice was lent.
    #[must_use]
    pub fn into_written(self) -> &'out [u8] {
        self.room.get(..self.used).unwrap_or_default()
    }
}

impl Output for Slice<'_> {
    fn mark(&self) -> usize {
        self.used
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        let end = self.used.saturating_add(bytes.len());
        if end > self.room.len().saturating_sub(self.reserved) {
            return Err(Refused::Full);
        }
        let room = self.room.get_mut(self.used..end).ok_or(Refused::Full)?;
        crate::bytes::copy(bytes, room);
        self.used = end;
        Ok(())
    }

    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    fn rewind(&mut self, mark: usize) {
        if let Some(put) = self.room.get_mut(mark..self.used) {
            put.fill(b'\n');
            self.used = mark;
        }
    }
}

/// An output that takes everything and keeps nothing: to know how long a message is.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "there is nothing in it")]
pub struct Measure;

impl Output for Measure {
    fn mark(&self) -> usize {
        0
    }

    fn put(&mut self, _bytes: &[u8]) -> Result<(), Refused> {
        Ok(())
    }

    fn rewind(&mut self, _mark: usize) {}
}

/// Text that a [`core::fmt::Write`] takes, as it comes.
///
/// What was written can't be taken back: a message that was not completed is cut off by a newline, and
/// whoever reads it finds a line that is not JSON. If the writer refuses that newline too, it is put
/// before the next message.
///
/// The writer is expected to take all of a piece or nothing of it. One that takes half of the last,
/// the bracket without the newline, has the message although it refused it.
#[derive(Debug)]
pub struct Formatted<W> {
    writer: W,
    /// The last line has no end.
    torn: bool,
}

impl<W: core::fmt::Write> Formatted<W> {
    /// An output that goes to this writer.
    #[must_use]
    pub const fn new(writer: W) -> Self {
        Self { writer, torn: false }
    }

    /// The writer.
    #[must_use]
    pub fn into_inner(self) -> W {
        self.writer
    }
}

impl<W: core::fmt::Write> Output for Formatted<W> {
    fn mark(&self) -> usize {
        0
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        // Pieces are cut between characters.
        let text = core::str::from_utf8(bytes).map_err(|_| Refused::Failed)?;
        if self.torn {
            self.writer.write_str("\n").map_err(|_| Refused::Full)?;
            self.torn = false;
        }
        // `core::fmt` does not say why. Text that refuses is full in most cases.
        self.writer.write_str(text).map_err(|_| Refused::Full)
    }

    fn rewind(&mut self, _mark: usize) {
        self.torn = self.writer.write_str("\n").is_err();
    }
}

#[cfg(feature = "std")]
#[cfg_attr(docsrs, doc(cfg(feature = "std")))]
impl Output for std::vec::Vec<u8> {
    fn mark(&self) -> usize {
        self.len()
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        self.try_reserve(bytes.len()).map_err(|_| Refused::Full)?;
        self.extend_from_slice(bytes);
        Ok(())
    }

    fn rewind(&mut self, mark: usize) {
        self.truncate(mark);
    }
}

/// A [`std::io::Write`] that is given whole messages: each is built in a buffer first, and handed over
/// in one piece, so that a message that was not completed never gets out, and those of two threads do
/// not mix where the writer takes a piece as a whole.
///
/// A writer that fails may have taken some of a message, or all of it: nobody can say how much. The
/// message fails with [`EncodeError::Output`](super::EncodeError::Output), and the next one is put on
/// a new line. Readers skip the line if it is blank, and find one fault if it is torn.
///
/// Between messages it keeps at most 256 KiB of memory; if it took more for a message, it keeps 64 KiB. If
/// another such message is among the eight that follow, it keeps the memory for more of them until eight others
/// have come in a row.
#[cfg(feature = "std")]
#[cfg_attr(docsrs, doc(cfg(feature = "std")))]
#[derive(Debug)]
pub struct Writer<W> {
    writer: W,
    buffer: std::vec::Vec<u8>,
    retention: Retention,
    /// The last line may have no end.
    torn: bool,
    error: Option<std::io::Error>,
}

#[cfg(feature = "std")]
impl<W: std::io::Write> Writer<W> {
    /// An output that goes to this writer.
    #[must_use]
    pub const fn new(writer: W) -> Self {
        let buffer = std::vec::Vec::new();
        Self { writer, buffer, retention: Retention::NEW, torn: false, error: None }
    }

    /// How the writer failed last, if it did.
    pub const fn take_error(&mut self) -> Option<std::io::Error> {
        self.error.take()
    }

    /// The writer.
    #[must_use]
    pub fn into_inner(self) -> W {
        self.writer
    }

    fn send(&mut self) -> std::io::Result<()> {
        // Said beforehand, because a writer may also panic.
        if core::mem::replace(&mut self.torn, true) {
            self.writer.write_all(b"\n")?;
        }
        self.writer.write_all(&self.buffer)?;
        self.writer.flush()?;
        self.torn = false;
        Ok(())
    }
}

#[cfg(feature = "std")]
impl<W: std::io::Write> Output for Writer<W> {
    fn mark(&self) -> usize {
        self.buffer.len()
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        self.buffer.put(bytes)
    }

    fn commit(&mut self) -> Result<(), Refused> {
        let sent = self.send();
        self.retention.note(self.buffer.len());
        self.rewind(0);
        sent.map_err(|error| {
            self.error = Some(error);
            Refused::Failed
        })
    }

    fn rewind(&mut self, mark: usize) {
        self.buffer.truncate(mark);
        let (memory, in_use) = (self.buffer.capacity(), self.buffer.len());
        if let Some(keep) = self.retention.to_keep(memory, in_use) {
            self.buffer.shrink_to(keep);
        }
    }
}

#[cfg(feature = "heapless-v0_9")]
#[cfg_attr(docsrs, doc(cfg(feature = "heapless-v0_9")))]
impl<const N: usize> Output for heapless::Vec<u8, N> {
    fn mark(&self) -> usize {
        self.len()
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        self.extend_from_slice(bytes).map_err(|_| Refused::Full)
    }

    fn rewind(&mut self, mark: usize) {
        self.truncate(mark);
    }
}

/// An [`embedded_io::Write`] that is given whole messages: each is built in memory that the caller
/// lends first, and written when it is complete.
///
/// A writer that fails may have taken some of a message, or all of it: nobody can say how much. The
/// message fails with [`EncodeError::Output`](super::EncodeError::Output), and the next one is put on
/// a new line. Readers skip the line if it is blank, and find one fault if it is torn.
#[cfg(feature = "embedded-io-v0_7")]
#[cfg_attr(docsrs, doc(cfg(feature = "embedded-io-v0_7")))]
#[derive(Debug)]
pub struct Embedded<'room, W: embedded_io::ErrorType> {
    writer: W,
    room: Slice<'room>,
    /// The last line may have no end.
    torn: bool,
    error: Option<W::Error>,
}

#[cfg(feature = "embedded-io-v0_7")]
impl<'room, W: embedded_io::Write> Embedded<'room, W> {
    /// An output that goes to this writer, for messages that fit into the room.
    #[must_use]
    pub const fn new(writer: W, room: &'room mut [u8]) -> Self {
        Self { writer, room: Slice::new(room), torn: false, error: None }
    }

    /// How the writer failed last, if it did and said so.
    pub const fn take_error(&mut self) -> Option<W::Error> {
        self.error.take()
    }

    /// The writer.
    #[must_use]
    pub fn into_inner(self) -> W {
        self.writer
    }

    /// Sends what is in the room. `None` is the error of a writer that takes nothing and names no
    /// error.
    fn send(&mut self) -> Result<(), Option<W::Error>> {
        // Said beforehand, because a writer may also panic.
        if core::mem::replace(&mut self.torn, true) {
            write_all(&mut self.writer, b"\n")?;
        }
        write_all(&mut self.writer, self.room.written())?;
        self.writer.flush()?;
        self.torn = false;
        Ok(())
    }
}

/// As the trait's own, which panics where a writer takes nothing.
#[cfg(feature = "embedded-io-v0_7")]
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

#[cfg(feature = "embedded-io-v0_7")]
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
