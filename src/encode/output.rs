//! The outputs that messages are written to, and why a message could not be written.

use core::fmt;

#[cfg(feature = "std")]
use crate::memory::Retention;

/// An output that takes bytes piece by piece, and can discard an incomplete message.
///
/// Implement it for outputs that this module does not cover. The encoder calls [`put`](Self::put) for every
/// piece of a message, then [`commit`](Self::commit). If the message is not completed, if one of these calls
/// refuses, or if a payload panics, it calls [`rewind`](Self::rewind) last.
#[diagnostic::on_unimplemented(
    message = "messages can't be written to `{Self}`",
    label = "not an output",
    note = "use a `Slice` around a `&mut [u8]`, a `&mut Vec<u8>` (feature `alloc`), a `Formatted` around a \
            `core::fmt::Write`, or a `Writer` around a `std::io::Write` (feature `std`)"
)]
pub trait Output {
    /// Returns the current length, to be passed to [`rewind`](Self::rewind).
    fn mark(&self) -> usize;

    /// Takes all of these bytes, or none of them.
    ///
    /// # Errors
    ///
    /// Returns [`Refused::Full`] if the bytes do not fit, and [`Refused::Failed`] if the output fails for
    /// another reason.
    fn put(&mut self, bytes: &[u8]) -> Result<(), Refused>;

    /// Completes a message.
    ///
    /// # Errors
    ///
    /// Returns [`Refused`] if the output cannot take the message after all.
    fn commit(&mut self) -> Result<(), Refused> {
        Ok(())
    }

    /// Discards what was put since the mark, so that no reader treats it as a message.
    fn rewind(&mut self, mark: usize);

    /// Returns how many bytes it can still take, or `None` if it does not know. It is only asked to explain
    /// [`EncodeError::DoesNotFit`].
    #[cfg(feature = "alloc")]
    #[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
    fn room(&self) -> Option<usize> {
        None
    }

    /// Returns the vector that bytes are put into, if it is one. Long payloads are serialized there, and not copied.
    #[cfg(feature = "alloc")]
    #[doc(hidden)]
    fn vec(&mut self) -> Option<&mut alloc::vec::Vec<u8>> {
        None
    }
}

/// The reason why an output refused bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Refused {
    /// The output is full: [`EncodeError::DoesNotFit`].
    Full,
    /// The output failed: [`EncodeError::Output`].
    Failed,
}

impl Refused {
    /// Returns the error of a message of this length.
    pub(crate) const fn error(self, needed: usize) -> EncodeError {
        match self {
            Self::Full => EncodeError::does_not_fit(needed),
            Self::Failed => EncodeError::Output,
        }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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

    #[cfg(feature = "alloc")]
    fn room(&self) -> Option<usize> {
        (**self).room()
    }

    #[cfg(feature = "alloc")]
    fn vec(&mut self) -> Option<&mut alloc::vec::Vec<u8>> {
        (**self).vec()
    }
}

/// A slice that messages are written to, one after another.
///
/// Bytes of an incomplete message are overwritten with newlines, which no reader treats as a message.
///
/// ```
/// use tautline::encode::{EncodeError, Encoder, NO_PARAMS, Slice};
///
/// let mut room = [0; 64];
/// let mut encoder = Encoder::new(Slice::new(&mut room));
/// encoder.notification("exit", NO_PARAMS)?;
/// assert_eq!(encoder.output().written(), b"{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}\n");
/// let too_long = encoder.result(1, "a result that needs more room than is left");
/// assert!(matches!(too_long, Err(EncodeError::DoesNotFit { .. })));
/// # Ok::<(), EncodeError>(())
/// ```
pub struct Slice<'out> {
    room: &'out mut [u8],
    /// At most `room.len()`.
    used: usize,
    /// The number of bytes at the end that are kept free.
    reserved: usize,
}

impl<'out> Slice<'out> {
    /// Creates an empty output that writes to `room`.
    #[must_use]
    pub const fn new(room: &'out mut [u8]) -> Self {
        Self { room, used: 0, reserved: 0 }
    }

    /// Returns the total size in bytes.
    pub(crate) const fn capacity(&self) -> usize {
        self.room.len()
    }

    /// Returns the number of bytes at the end that are kept free.
    pub(crate) const fn reserved(&self) -> usize {
        self.reserved
    }

    /// Keeps this many bytes at the end free.
    pub(crate) const fn reserve(&mut self, reserved: usize) {
        self.reserved = reserved;
    }

    /// Returns the messages written so far.
    #[must_use]
    pub fn written(&self) -> &[u8] {
        self.room.get(..self.used).unwrap_or_default()
    }

    /// Returns the messages written so far, for the lifetime of the slice.
    #[must_use]
    pub fn into_written(self) -> &'out [u8] {
        self.room.get(..self.used).unwrap_or_default()
    }
}

impl fmt::Debug for Slice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slice")
            .field("written", &crate::excerpt::Excerpt(self.written()))
            .field("capacity", &self.capacity())
            .finish()
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

    #[inline(never)]
    fn rewind(&mut self, mark: usize) {
        if let Some(put) = self.room.get_mut(mark..self.used) {
            put.fill(b'\n');
            self.used = mark;
        }
    }

    #[cfg(feature = "alloc")]
    fn room(&self) -> Option<usize> {
        let free = self.room.len().saturating_sub(self.reserved);
        Some(free.saturating_sub(self.used))
    }
}

/// An output that discards all bytes, to measure the length of a message.
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

/// An output that passes text directly to a [`core::fmt::Write`].
///
/// Written text cannot be taken back. An incomplete message is cut off with a newline, so a reader finds a
/// line that is not JSON. If the writer refuses that newline too, it is written before the next message.
///
/// The writer must take each piece as a whole. If it takes only the bracket of the last piece, without the
/// newline, the message is out although the writer refused it.
#[derive(Debug)]
pub struct Formatted<W> {
    writer: W,
    /// True if the last line has no newline yet.
    torn: bool,
}

impl<W: fmt::Write> Formatted<W> {
    /// Creates an output that writes to `writer`.
    #[must_use]
    pub const fn new(writer: W) -> Self {
        Self { writer, torn: false }
    }

    /// Returns the writer.
    #[must_use]
    pub fn into_inner(self) -> W {
        self.writer
    }
}

impl<W: fmt::Write> Output for Formatted<W> {
    fn mark(&self) -> usize {
        0
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), Refused> {
        // Pieces are never split inside a character.
        let text = core::str::from_utf8(bytes).map_err(|_| Refused::Failed)?;
        if self.torn {
            self.writer.write_str("\n").map_err(|_| Refused::Full)?;
            self.torn = false;
        }
        // `core::fmt` gives no reason. A writer that refuses text is usually full.
        self.writer.write_str(text).map_err(|_| Refused::Full)
    }

    fn rewind(&mut self, _mark: usize) {
        self.torn = self.writer.write_str("\n").is_err();
    }
}

#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
impl Output for alloc::vec::Vec<u8> {
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

    fn vec(&mut self) -> Option<&mut Self> {
        Some(self)
    }
}

/// An output that passes whole messages to a [`std::io::Write`]. It builds each message in a buffer and
/// writes it in one piece. So an incomplete message is never written. Messages of two threads do not mix if
/// the writer takes each piece as a whole.
///
/// A writer that fails may have taken part of a message, or all of it. The message fails with
/// [`EncodeError::Output`], and the next one begins on a new line. Readers skip
/// that line if it is blank, and find one fault if it is torn.
///
/// Between messages the buffer keeps at most 256 KiB of memory. If a message needed more, the buffer shrinks to 64 KiB.
/// If another such message is among the next eight, the buffer keeps its memory until eight smaller messages have come
/// in a row.
#[cfg(feature = "std")]
#[cfg_attr(docsrs, doc(cfg(feature = "std")))]
pub struct Writer<W> {
    writer: W,
    buffer: alloc::vec::Vec<u8>,
    retention: Retention,
    /// True if the last line may have no newline.
    torn: bool,
    error: Option<std::io::Error>,
}

#[cfg(feature = "std")]
impl<W: std::io::Write> Writer<W> {
    /// Creates an output that writes to `writer`.
    #[must_use]
    pub const fn new(writer: W) -> Self {
        let buffer = alloc::vec::Vec::new();
        Self { writer, buffer, retention: Retention::NEW, torn: false, error: None }
    }

    /// Takes the last error of the writer, if it failed.
    pub const fn take_error(&mut self) -> Option<std::io::Error> {
        self.error.take()
    }

    /// Returns the writer.
    #[must_use]
    pub fn into_inner(self) -> W {
        self.writer
    }

    fn send(&mut self) -> std::io::Result<()> {
        // Set before writing, because a writer may also panic.
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
impl<W: fmt::Debug> fmt::Debug for Writer<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer")
            .field("writer", &self.writer)
            .field("buffer", &crate::excerpt::Excerpt(&self.buffer))
            .field("error", &self.error)
            .finish_non_exhaustive()
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

/// The reason why a message could not be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum EncodeError {
    /// The output does not have enough room.
    #[non_exhaustive]
    DoesNotFit {
        /// The length of the message in bytes, newline included, without what a framing adds.
        needed: usize,
        /// The number of bytes that were free, such as beside the unsent messages of an
        /// `io::Queue`; `None` if the output [does not know](Output::room). A framing may need
        /// more than the message.
        #[cfg(feature = "alloc")]
        #[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
        free: Option<usize>,
    },
    /// The output failed. Part of the message may have been written.
    Output,
    /// The payload contains a float that is infinite or NaN.
    NotFinite,
    /// The profile does not allow parameters of this type (JSON-RPC 2.0, section 4.2).
    ParamsType,
    /// The profile does not allow a result of this type (MCP, basic).
    ResultType,
    /// The payload could not be serialized, did not become valid JSON, or is nested too deep.
    Payload,
    /// The profile does not allow this id (JSON-RPC 2.0, section 4; MCP, basic), or the id contains an unpaired
    /// surrogate.
    IdNotAllowed,
    /// The profile forbids batches (MCP from 2025-06-18; LSP).
    BatchNotAllowed,
    /// The profile forbids calls and responses in the same batch (MCP 2025-03-26).
    MixedBatch,
    /// The batch is empty (JSON-RPC 2.0, section 6).
    EmptyBatch,
}

impl EncodeError {
    /// Returns the error for a message of this length, if nothing else is known.
    pub(crate) const fn does_not_fit(needed: usize) -> Self {
        Self::DoesNotFit {
            needed,
            #[cfg(feature = "alloc")]
            free: None,
        }
    }

    /// Adds the number of bytes that were free, if the message did not fit.
    #[cfg(feature = "alloc")]
    pub(crate) fn beside(self, room: Option<usize>) -> Self {
        match self {
            Self::DoesNotFit { needed, free } => Self::DoesNotFit { needed, free: free.or(room) },
            other => other,
        }
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::DoesNotFit { needed, .. } => {
                f.write_str("the output has no room for the message of ")?;
                fmt::Display::fmt(needed, f)?;
                #[cfg(feature = "alloc")]
                if let Self::DoesNotFit { free: Some(free), .. } = self {
                    return write!(f, " bytes: {free} are free");
                }
                " bytes"
            }
            Self::Output => "the output failed",
            Self::NotFinite => "the payload has a number in it that JSON has no form for",
            Self::ParamsType => "the parameters are of a type that is not allowed",
            Self::ResultType => "the result is of a type that is not allowed",
            Self::Payload => "the payload could not be serialized",
            Self::IdNotAllowed => "the id is not one that is allowed",
            Self::BatchNotAllowed => "batches are not allowed",
            Self::MixedBatch => "a batch has calls or responses, and not both",
            Self::EmptyBatch => "the batch is empty",
        };
        f.write_str(text)
    }
}

impl core::error::Error for EncodeError {}
