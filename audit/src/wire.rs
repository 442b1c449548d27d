//! A stream of bytes, cut into frames.

use std::io;

use tautline::Profile;
use tautline::frame::{AnyFraming, Assembler, Framing, FramingKind, HeapBuffer};
use tautline::stream::{MessageStream, Received};

/// Totals over a stream.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Totals {
    /// The number of bytes.
    pub bytes: u64,
    /// The number of lines without a message.
    pub blank_lines: u64,
    /// The number of server-sent events that are not meant to be messages.
    pub other_events: u64,
}

/// A receiver of the events of a stream. Each event comes with the bytes known to follow it.
pub type Handle<'a> = dyn FnMut(Received<'_>, &[u8]) -> io::Result<()> + 'a;

/// A stream of bytes that arrives piece by piece.
///
/// Only a frame that spans two pieces is copied. Memory is bounded by the limit on frames.
#[derive(Debug)]
pub struct Wire {
    stream: MessageStream<HeapBuffer, AnyFraming>,
    other_events: u64,
    is_lost: bool,
}

impl Wire {
    /// Creates a stream at its start, with the maximum length of a frame in bytes.
    #[must_use]
    pub fn new(framing: FramingKind, limit: u32, profile: &Profile) -> Self {
        let framing = AnyFraming::new(framing, limit);
        let assembler = Assembler::with_framing(HeapBuffer::new(limit), framing);
        let stream = MessageStream::with_assembler(assembler, profile);
        Self { stream, other_events: 0, is_lost: false }
    }

    /// Passes the frames that these bytes complete to `handle`, except for server-sent events that are not meant to be
    /// messages. Returns false once the framing is desynchronised; no more bytes are read after that.
    ///
    /// # Errors
    ///
    /// Returns the error of `handle`.
    pub fn push(&mut self, bytes: &[u8], handle: &mut Handle<'_>) -> io::Result<bool> {
        let mut rest = bytes;
        while let Some(received) = self.stream.next(&mut rest) {
            match received {
                Received::NoMessage(_) => {
                    self.other_events += 1;
                    continue;
                }
                Received::Desynchronised(_) => self.is_lost = true,
                _ => {}
            }
            handle(received, rest)?;
        }
        Ok(!self.is_lost)
    }

    /// Ends the stream, and passes what is left of it to `handle`.
    ///
    /// # Errors
    ///
    /// Returns the error of `handle`.
    pub fn finish(&mut self, handle: &mut Handle<'_>) -> io::Result<()> {
        while let Some(received) = self.stream.finish() {
            handle(received, b"")?;
        }
        Ok(())
    }

    /// Returns the totals so far.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let framing = self.stream.framing();
        let blank_lines = match framing {
            AnyFraming::Ndjson(lines) => lines.blank_lines(),
            _ => 0,
        };
        Totals { bytes: framing.position(), blank_lines, other_events: self.other_events }
    }
}
