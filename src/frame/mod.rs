//! Frames: where a message begins and ends on the wire.
//!
//! # What the bytes look like
//!
//! Newline-delimited JSON, which MCP calls the stdio transport and uses on any reliable stream of
//! bytes: one message a line, UTF-8, no newline inside.
//!
//! ```text
//! [BOM] {"jsonrpc":"2.0", ...} [CR] LF  {"jsonrpc": ...} LF   LF  {"jsonrpc" ...
//!  │     └────── frame ─────┘   │                        └ blank    └ the tail: no LF yet
//!  └ skipped, once              └ not part of the frame, does not count
//! ```
//!
//! Only LF ends a frame. One CR before it is not part of the frame and does not count towards the
//! limit; one at the very end of the stream is taken for the first half of a line end. A lone CR, U+2028, U+0085 and NUL end nothing. Lines of nothing but JSON whitespace are
//! skipped and counted, and so is one UTF-8 byte order mark at the start of the stream.
//!
//! # What is guaranteed
//!
//! - A [`Frame`] holds no LF, is not blank, and is no longer than the limit.
//! - A line over the limit is one [`Oversized`], when its end is known. No byte of it is ever part of
//!   a frame, and the next line is read as if nothing had happened.
//! - The sequence of events, with all offsets and line numbers, does not depend on how the input was
//!   cut into chunks.
//! - Bytes behind the last LF are never lost: they come as a frame that is not
//!   [terminated](Frame::is_terminated), to be taken or reported.
//! - Work is linear in the input however it is cut. No byte is copied more than once into storage, or
//!   moved more than once in it while its line is under way.
//! - A line over the limit is oversized, whatever is in it, whitespace too.
//!
//! # What is not checked
//!
//! Anything about JSON: a frame is any bytes between newlines.
//!
//! # Four ways to drive it
//!
//! | | bytes come | frames are borrowed from |
//! |---|---|---|
//! | [`Frames`] | all at once, in a slice | the slice |
//! | [`Assembler`] | pushed, chunk by chunk | the chunk; storage, if a frame spans chunks |
//! | [`FrameBuffer`] | read into spare room | the storage |
//! | [`Splitter`] | any way, kept by the caller | wherever the caller keeps them |

mod assembler;
mod buffer;
mod frames;
mod newline;
mod splitter;
mod storage;

pub use assembler::Assembler;
pub use buffer::FrameBuffer;
#[cfg(any(feature = "std", feature = "embedded-io-v0_7", feature = "embedded-io-async-v0_7"))]
pub(crate) use buffer::Ready as ReadyInBuffer;
pub use frames::Frames;
#[cfg(feature = "fast")]
pub(crate) use newline::find as find_newline;
pub use splitter::{Ended, Found, Splitter, Step};
#[cfg(feature = "std")]
pub use storage::Growing;
pub use storage::Storage;

/// The limit on a frame's length, in bytes, of storage that grows: 16 MiB.
pub const DEFAULT_LIMIT: u32 = 16 * 1024 * 1024;

/// One line of the stream, without its end: the bytes of one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'buf> {
    bytes: &'buf [u8],
    ended: Ended,
}

impl<'buf> Frame<'buf> {
    pub(crate) const fn new(bytes: &'buf [u8], ended: Ended) -> Self {
        Self { bytes, ended }
    }

    /// Where it is in the stream.
    #[cfg(feature = "tokio-util-v0_7")]
    pub(crate) const fn ended(&self) -> Ended {
        self.ended
    }

    /// The bytes of the frame: at least one, and no LF among them.
    #[must_use]
    pub const fn bytes(&self) -> &'buf [u8] {
        self.bytes
    }

    /// How many bytes of the stream came before the first byte of the frame.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.ended.offset
    }

    /// The number of the frame's line, counted from 1, blank and oversized lines included.
    #[must_use]
    pub const fn line(&self) -> u64 {
        self.ended.line
    }

    /// Whether a newline ended the frame; if none did, the stream ended in the middle of a line.
    #[must_use]
    pub const fn is_terminated(&self) -> bool {
        self.ended.terminated
    }
}

/// A line over the limit, or longer than there was memory for, whose bytes were discarded.
///
/// [`Fault::of_oversized`](crate::envelope::Fault::of_oversized) says which reply it is owed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Oversized {
    ended: Ended,
    limit: u32,
}

impl Oversized {
    /// How many bytes of the stream came before the first byte of the line.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.ended.offset
    }

    /// The number of the line, counted from 1.
    #[must_use]
    pub const fn line(&self) -> u64 {
        self.ended.line
    }

    /// The length of the line in bytes, without its end.
    #[must_use]
    pub const fn length(&self) -> u64 {
        self.ended.length
    }

    /// The limit in bytes that the line is longer than.
    #[must_use]
    pub const fn limit(&self) -> u32 {
        self.limit
    }

    /// Whether a newline ended the line; if none did, the stream ended in the middle of it.
    #[must_use]
    pub const fn is_terminated(&self) -> bool {
        self.ended.terminated
    }
}

/// What a line turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameEvent<'buf> {
    /// A frame.
    Frame(Frame<'buf>),
    /// A line over the limit.
    Oversized(Oversized),
}

/// A line that is ready, before it is known where its bytes are kept.
///
/// The drivers find one of these first and lend the bytes second: a loop that may go on after it has
/// lent something out does not pass the borrow checker.
enum Ready<'input> {
    /// The frame lies whole in the input.
    Here(Frame<'input>),
    /// The frame's bytes are where the driver has kept them.
    Kept(Ended),
    /// The line was over the limit.
    Oversized(Oversized),
}
