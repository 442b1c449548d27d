//! Frames: where a message begins and ends on the wire.
//!
//! Newline-delimited JSON first; the [other framings](#other-framings) are below.
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
//! limit; one at the very end of the stream is taken for the first half of a line end. A lone CR, U+2028,
//! U+0085 and NUL end nothing. Lines of nothing but JSON whitespace are skipped and counted. One UTF-8
//! byte order mark at the start of the stream is skipped.
//!
//! # What is guaranteed
//!
//! - A [`Frame`] holds no LF, is not blank, and is no longer than the limit.
//! - A line over the limit is one [`Oversized`], when its end is known. No byte of it is ever part of
//!   a frame, and the next line is read as if nothing had happened. Its bytes can be
//!   [watched](Assembler::next_watched) as they are dropped.
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
//!
//! # Other framings
//!
//! What is above is newline-delimited JSON, and is what one gets without asking. [`Frames`],
//! [`Assembler`] and [`MessageStream`](crate::stream::MessageStream) are generic over a [`Framing`], with
//! the same limits and offsets, and the same events however the input is cut.
//!
//! | | for | a frame ends with | behind a frame over the limit | loses its place |
//! |---|---|---|---|---|
//! | [`Splitter`] | MCP's stdio transport | LF | at the next line | never |
//! | [`ContentLength`] | LSP, BSP | the length that its header says | behind that length | at a header that is none |
//! | [`EventStream`] | MCP's HTTP transports | an empty line | at the next event | never |
//! | [`Concatenated`] | peers that print over several lines | the JSON value | behind that value | at a byte that begins no value |
//!
//! A framing that has lost its place says so, with the byte and a [cause](Desync), and stops: any guess at
//! where the next frame begins may take for a message what is the payload of another. To guess all the
//! same is the caller's choice, and is called [hunting](Framing::hunt).
//!
//! | | offset of a frame | [`line`](Frame::line) | not [terminated](Frame::is_terminated) | [`Unfinished`] |
//! |---|---|---|---|---|
//! | [`Splitter`] | of the line | of the line | a line without its LF | never |
//! | [`ContentLength`] | of the body | number of the frame | never | a header or body that is cut |
//! | [`EventStream`] | of the first line of data | of that line | never | an event without its empty line |
//! | [`Concatenated`] | of the value | number of the value | a number or literal at the end | a value that is cut |
//!
//! A frame over the limit that the stream's end has cut is [`Oversized`], and not terminated, in each.

mod assembler;
mod buffer;
mod charset;
mod concatenated;
mod content_length;
mod desync;
mod event;
mod frames;
mod framing;
mod newline;
mod splitter;
mod sse;
mod sse_fields;
mod storage;

pub use assembler::Assembler;
pub use buffer::FrameBuffer;
#[cfg(any(feature = "std", feature = "embedded-io-v0_7", feature = "embedded-io-async-v0_7"))]
pub(crate) use buffer::{Ready as ReadyInBuffer, Until};
pub use concatenated::Concatenated;
pub use content_length::ContentLength;
pub use desync::Desync;
pub(crate) use event::Delimiter;
use event::Ready;
pub use event::{Desynchronised, Frame, FrameEvent, Oversized, Unfinished};
pub use frames::Frames;
pub use framing::{Contiguous, Ended, Found, Framing, Step};
#[cfg(feature = "fast")]
pub(crate) use newline::find_last as find_last_newline;
pub use splitter::Splitter;
pub use sse::EventStream;
pub use sse_fields::TooLong;
#[cfg(feature = "std")]
pub use storage::Growing;
pub use storage::Storage;

/// The limit on a frame's length, in bytes, of storage that grows: 16 MiB.
pub const DEFAULT_LIMIT: u32 = 16 * 1024 * 1024;
