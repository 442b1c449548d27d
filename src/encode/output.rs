//! Where messages are written to: one small trait, and the places that have it.

/// A place that takes bytes, piece by piece, and can forget a message that was not completed.
///
/// Implement it for what is not covered here. [`put`](Self::put) is called for every piece of a
/// message, then either [`commit`](Self::commit) or [`rewind`](Self::rewind).
pub trait Output {
    /// How much there is in it, to come back to by [`rewind`](Self::rewind).
    fn mark(&self) -> usize;

    /// Takes all of these bytes, or none.
    ///
    /// # Errors
    ///
    /// [`Full`] if they do not fit, or can't be taken for another reason.
    fn put(&mut self, bytes: &[u8]) -> Result<(), Full>;

    /// A message is complete.
    ///
    /// # Errors
    ///
    /// [`Full`] if it can't be taken after all; it is rewound then.
    fn commit(&mut self) -> Result<(), Full> {
        Ok(())
    }

    /// A message was not completed: forgets what was put since the mark was taken, so that it can't be
    /// taken for a message.
    fn rewind(&mut self, mark: usize);
}

/// An output took no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "there is no more to be said of it")]
pub struct Full;

impl core::fmt::Display for Full {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("the output takes no more")
    }
}

impl core::error::Error for Full {}

impl<O: Output + ?Sized> Output for &mut O {
    fn mark(&self) -> usize {
        (**self).mark()
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Full> {
        (**self).put(bytes)
    }

    fn commit(&mut self) -> Result<(), Full> {
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

    fn put(&mut self, bytes: &[u8]) -> Result<(), Full> {
        let end = self.used.saturating_add(bytes.len());
        if end > self.room.len().saturating_sub(self.reserved) {
            return Err(Full);
        }
        let room = self.room.get_mut(self.used..end).ok_or(Full)?;
        crate::bytes::copy(bytes, room);
        self.used = end;
        Ok(())
    }

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

    fn put(&mut self, _bytes: &[u8]) -> Result<(), Full> {
        Ok(())
    }

    fn rewind(&mut self, _mark: usize) {}
}

/// Text that a [`core::fmt::Write`] takes, as it comes.
///
/// What was written can't be taken back: a message that was not completed is cut off by a newline, and
/// whoever reads it finds a line that is not JSON.
#[derive(Debug)]
pub struct Formatted<W> {
    writer: W,
}

impl<W: core::fmt::Write> Formatted<W> {
    /// An output that goes to this writer.
    #[must_use]
    pub const fn new(writer: W) -> Self {
        Self { writer }
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

    fn put(&mut self, bytes: &[u8]) -> Result<(), Full> {
        // Pieces are cut between characters.
        let text = core::str::from_utf8(bytes).map_err(|_| Full)?;
        self.writer.write_str(text).map_err(|_| Full)
    }

    fn rewind(&mut self, _mark: usize) {
        // A writer that refuses this too has refused the message already.
        let _ = self.writer.write_str("\n");
    }
}

#[cfg(feature = "std")]
#[cfg_attr(docsrs, doc(cfg(feature = "std")))]
impl Output for std::vec::Vec<u8> {
    fn mark(&self) -> usize {
        self.len()
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Full> {
        self.try_reserve(bytes.len()).map_err(|_| Full)?;
        self.extend_from_slice(bytes);
        Ok(())
    }

    fn rewind(&mut self, mark: usize) {
        self.truncate(mark);
    }
}

/// A [`std::io::Write`] that is given whole messages: each is built in a buffer first, and written in
/// one call, so that no half of one gets out and two threads' messages do not mix.
#[cfg(feature = "std")]
#[cfg_attr(docsrs, doc(cfg(feature = "std")))]
#[derive(Debug)]
pub struct Writer<W> {
    writer: W,
    buffer: std::vec::Vec<u8>,
    error: Option<std::io::Error>,
}

#[cfg(feature = "std")]
impl<W: std::io::Write> Writer<W> {
    /// An output that goes to this writer.
    #[must_use]
    pub const fn new(writer: W) -> Self {
        Self { writer, buffer: std::vec::Vec::new(), error: None }
    }

    /// Why the last message could not be written, if it could not.
    pub const fn take_error(&mut self) -> Option<std::io::Error> {
        self.error.take()
    }

    /// The writer.
    #[must_use]
    pub fn into_inner(self) -> W {
        self.writer
    }
}

#[cfg(feature = "std")]
impl<W: std::io::Write> Output for Writer<W> {
    fn mark(&self) -> usize {
        self.buffer.len()
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Full> {
        self.buffer.put(bytes)
    }

    fn commit(&mut self) -> Result<(), Full> {
        let written = self.writer.write_all(&self.buffer).and_then(|()| self.writer.flush());
        self.buffer.clear();
        written.map_err(|error| {
            self.error = Some(error);
            Full
        })
    }

    fn rewind(&mut self, mark: usize) {
        self.buffer.truncate(mark);
    }
}

#[cfg(feature = "heapless-v0_9")]
#[cfg_attr(docsrs, doc(cfg(feature = "heapless-v0_9")))]
impl<const N: usize> Output for heapless::Vec<u8, N> {
    fn mark(&self) -> usize {
        self.len()
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Full> {
        self.extend_from_slice(bytes).map_err(|_| Full)
    }

    fn rewind(&mut self, mark: usize) {
        self.truncate(mark);
    }
}

/// An [`embedded_io::Write`] that is given whole messages: each is built in memory that the caller
/// lends first, and written when it is complete.
#[cfg(feature = "embedded-io-v0_7")]
#[cfg_attr(docsrs, doc(cfg(feature = "embedded-io-v0_7")))]
#[derive(Debug)]
pub struct Embedded<'room, W> {
    writer: W,
    room: Slice<'room>,
}

#[cfg(feature = "embedded-io-v0_7")]
impl<'room, W: embedded_io::Write> Embedded<'room, W> {
    /// An output that goes to this writer, for messages that fit into the room.
    #[must_use]
    pub const fn new(writer: W, room: &'room mut [u8]) -> Self {
        Self { writer, room: Slice::new(room) }
    }

    /// The writer.
    #[must_use]
    pub fn into_inner(self) -> W {
        self.writer
    }
}

#[cfg(feature = "embedded-io-v0_7")]
impl<W: embedded_io::Write> Output for Embedded<'_, W> {
    fn mark(&self) -> usize {
        self.room.mark()
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Full> {
        self.room.put(bytes)
    }

    fn commit(&mut self) -> Result<(), Full> {
        let written = self.writer.write_all(self.room.written());
        let written = written.and_then(|()| self.writer.flush());
        self.room.rewind(0);
        written.map_err(|_| Full)
    }

    fn rewind(&mut self, mark: usize) {
        self.room.rewind(mark);
    }
}
