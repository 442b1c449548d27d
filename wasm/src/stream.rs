//! Streams in any framing.

use tautline::Profile;
use tautline::frame::HeapBuffer;
#[cfg(feature = "full")]
use tautline::frame::{Assembler, Concatenated, ContentLength, ServerSentEvents};
use tautline::stream::MessageStream;

use crate::row::{Kept, Row};

/// A stream whose framing was chosen at run time.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "JavaScript knows them by their numbers")]
#[cfg_attr(
    feature = "full",
    expect(clippy::large_enum_variant, reason = "streams are few, and live on the heap")
)]
pub enum Stream {
    /// 0: one message in each line.
    Lines(MessageStream),
    #[cfg(feature = "full")]
    /// 1: messages after headers with their length, as in LSP.
    ContentLength(MessageStream<HeapBuffer, ContentLength>),
    #[cfg(feature = "full")]
    /// 2: server-sent events.
    Events(MessageStream<HeapBuffer, ServerSentEvents>),
    #[cfg(feature = "full")]
    /// 3: JSON values, one after another.
    Concatenated(MessageStream<HeapBuffer, Concatenated>),
}

/// The result of a call of [`Stream::read`].
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "that is all there is to say")]
pub struct Read {
    /// The number of rows that were filled in.
    pub rows: usize,
    /// The number of bytes of the input that were consumed.
    pub consumed: usize,
}

/// Applies the same expression to a stream of any framing.
macro_rules! each {
    ($stream:expr, $inner:ident, $do:expr) => {
        match $stream {
            Stream::Lines($inner) => $do,
            #[cfg(feature = "full")]
            Stream::ContentLength($inner) => $do,
            #[cfg(feature = "full")]
            Stream::Events($inner) => $do,
            #[cfg(feature = "full")]
            Stream::Concatenated($inner) => $do,
        }
    };
}

impl Stream {
    /// Creates a stream in the framing of this number, with frames of at most `limit` bytes.
    #[must_use]
    pub fn new(framing: u32, limit: u32, profile: Profile) -> Self {
        let storage = HeapBuffer::new(limit);
        match framing {
            #[cfg(feature = "full")]
            1 => {
                let framing = ContentLength::new(limit);
                let assembler = Assembler::with_framing(storage, framing);
                Self::ContentLength(MessageStream::with_assembler(assembler, &profile))
            }
            #[cfg(feature = "full")]
            2 => {
                let framing = ServerSentEvents::new(limit);
                let assembler = Assembler::with_framing(storage, framing);
                Self::Events(MessageStream::with_assembler(assembler, &profile))
            }
            #[cfg(feature = "full")]
            3 => {
                let framing = Concatenated::new(limit);
                let assembler = Assembler::with_framing(storage, framing);
                Self::Concatenated(MessageStream::with_assembler(assembler, &profile))
            }
            _ => Self::Lines(MessageStream::new(storage, &profile)),
        }
    }

    /// Sets the profile for subsequent frames.
    pub fn set_profile(&mut self, profile: Profile) {
        each!(self, stream, stream.set_profile(&profile));
    }

    /// Continues after a row of the kind [`Desynchronised`](crate::row::Kind::Desynchronised).
    pub fn resync(&mut self) {
        each!(self, stream, stream.resync());
    }

    /// Reads rows from the input until it is consumed, there is no room for more rows, or a row's bytes are not in the
    /// input. Such bytes are passed to `lend`. The next call overwrites them.
    pub fn read(
        &mut self,
        input: &[u8],
        rows: &mut [Row],
        kept: &mut Kept,
        lend: impl FnOnce(&[u8]),
    ) -> Read {
        let is_line = matches!(self, Self::Lines(_));
        each!(self, stream, {
            let mut left = input;
            let mut filled = 0;
            for row in rows {
                let Some(received) = stream.next(&mut left) else { break };
                filled += 1;
                if let Some(lent) = row.fill(&received, input, kept, is_line) {
                    lend(lent);
                    break;
                }
            }
            Read { rows: filled, consumed: input.len() - left.len() }
        })
    }

    /// Ends the stream. Fills in a row for the rest of the stream and returns true, or returns false if nothing is
    /// left. Call it until it returns false.
    pub fn finish(&mut self, row: &mut Row, kept: &mut Kept, lend: impl FnOnce(&[u8])) -> bool {
        let is_line = matches!(self, Self::Lines(_));
        each!(self, stream, {
            let Some(received) = stream.finish() else { return false };
            lend(row.fill(&received, b"", kept, is_line).unwrap_or_default());
            true
        })
    }
}
