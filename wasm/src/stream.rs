//! Streams in any framing.

use tautline::Profile;
#[cfg(not(feature = "full"))]
use tautline::frame::Splitter;
#[cfg(feature = "full")]
use tautline::frame::{AnyFraming, FramingKind};
use tautline::frame::{Assembler, HeapBuffer};
use tautline::stream::MessageStream;

use crate::row::{Kept, Row};

/// A stream whose framing was chosen at run time.
#[cfg(feature = "full")]
pub type Stream = MessageStream<HeapBuffer, AnyFraming>;

/// A stream of lines: only the module with the feature `full` has the code of the other framings.
#[cfg(not(feature = "full"))]
pub type Stream = MessageStream<HeapBuffer, Splitter>;

/// The result of a call of [`read`].
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_structs, reason = "that is all there is to say")]
pub struct Read {
    /// The number of rows that were filled in.
    pub rows: usize,
    /// The number of bytes of the input that were consumed.
    pub consumed: usize,
}

/// Creates a stream in the framing of this number, with frames of at most `limit` bytes.
#[must_use]
pub fn new(framing: u32, limit: u32, profile: &Profile) -> Stream {
    #[cfg(feature = "full")]
    let framing = {
        // JavaScript knows them by these numbers.
        let kind = match framing {
            1 => FramingKind::ContentLength,
            2 => FramingKind::Sse,
            3 => FramingKind::Concatenated,
            _ => FramingKind::Ndjson,
        };
        AnyFraming::new(kind, limit)
    };
    #[cfg(not(feature = "full"))]
    let framing = {
        let _ = framing;
        Splitter::new(limit)
    };
    let assembler = Assembler::with_framing(HeapBuffer::new(limit), framing);
    MessageStream::with_assembler(assembler, profile)
}

/// Reads rows from the input until it is consumed, there is no room for more rows, or a row's bytes are not in the
/// input. Such bytes are passed to `lend`. The next call overwrites them.
pub fn read(
    stream: &mut Stream,
    input: &[u8],
    rows: &mut [Row],
    kept: &mut Kept,
    lend: impl FnOnce(&[u8]),
) -> Read {
    let mut left = input;
    let mut filled = 0;
    for row in rows {
        let Some(received) = stream.next(&mut left) else { break };
        filled += 1;
        if let Some(lent) = row.fill(&received, input, kept) {
            lend(lent);
            break;
        }
    }
    Read { rows: filled, consumed: input.len() - left.len() }
}

/// Ends the stream. Fills in a row for the rest of the stream and returns true, or returns false if nothing is left.
/// Call it until it returns false.
pub fn finish(
    stream: &mut Stream,
    row: &mut Row,
    kept: &mut Kept,
    lend: impl FnOnce(&[u8]),
) -> bool {
    let Some(received) = stream.finish() else { return false };
    lend(row.fill(&received, b"", kept).unwrap_or_default());
    true
}
