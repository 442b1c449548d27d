//! Frames: how messages are delimited on the wire.
//!
//! Newline-delimited JSON comes first; the [other framings](#other-framings) are below.
//!
//! # What the bytes look like
//!
//! Newline-delimited JSON has one message per line, in UTF-8, without newlines inside a message. MCP calls
//! it the stdio transport, and allows it on any reliable byte stream.
//!
//! ```text
//! [BOM] {"jsonrpc":"2.0", ...} [CR] LF  {"jsonrpc": ...} LF   LF  {"jsonrpc" ...
//!  │     └────── frame ─────┘   │                        └ blank    └ the tail: no LF yet
//!  └ skipped, once              └ not part of the frame, does not count
//! ```
//!
//! Only LF ends a frame. One CR before it is not part of the frame and does not count towards the limit. A
//! CR at the very end of the stream counts as the first half of a line end. A lone CR, U+2028, U+0085 and
//! NUL do not end a line. Lines of JSON whitespace only are skipped and counted. One UTF-8 byte order mark
//! at the start of the stream is skipped.
//!
//! # What is guaranteed
//!
//! - A [`Frame`] contains no LF, is not blank, and is no longer than the limit.
//! - An oversized line is reported as one [`Oversized`], once its end is known. None of its bytes is ever
//!   part of a frame, and reading continues normally with the next line. A
//!   [`MessageStream`](crate::stream::MessageStream) observes its bytes as they are dropped.
//! - The sequence of events, including all offsets and line numbers, does not depend on how the input is
//!   split into chunks.
//! - Bytes after the last LF are never lost: they are yielded as a frame that is not
//!   [terminated](Frame::is_terminated). The caller decides whether to accept it.
//! - Work is linear in the input, however it is split. Each byte is copied into storage at most once, and
//!   moved within storage at most once while its line is incomplete.
//! - A line that exceeds the limit is oversized even if it is all whitespace.
//!
//! # What is not checked
//!
//! JSON: a frame can be any bytes between newlines.
//!
//! # Four drivers
//!
//! | | input | frames are borrowed from |
//! |---|---|---|
//! | [`Frames`] | one slice | the slice |
//! | [`Assembler`] | pushed in chunks | the chunk; storage, if a frame spans chunks |
//! | [`FrameBuffer`] | read into spare room | the storage |
//! | [`Framing::step`] | anything; the caller keeps the bytes | the caller's own storage |
//!
//! # Other framings
//!
//! Newline-delimited JSON is the default. All drivers except the raw step are generic over a [`Framing`],
//! and so are [`MessageStream`](crate::stream::MessageStream), the readers, the writers and the codec.
//! Limits and offsets work the same way, and the events do not depend on how the input is split.
//!
//! | | used by | a frame ends at | after an oversized frame | desynchronised |
//! |---|---|---|---|---|
//! | [`Splitter`] | MCP's stdio transport | LF | continues at the next line | never |
//! | [`ContentLength`] | LSP, BSP | the length in its header | continues after that length | at an invalid header |
//! | [`ServerSentEvents`] | MCP's HTTP transports | an empty line | continues at the next event | never |
//! | [`Concatenated`] | pretty-printing peers | the JSON value | continues after it | at a byte that begins no value |
//!
//! [`AnyFraming`] is one of them, chosen at run time by its [name](FramingKind).
//!
//! A framing that has lost synchronisation reports the byte and a [rule](Desynchronised::rule), and stops. If it
//! guessed where the next frame begins, it could treat the payload of one message as another message. The caller can
//! still choose to guess, by [resynchronising](Framing::resync).
//!
//! | | offset of a frame | [`line`](Frame::line) | not [terminated](Frame::is_terminated) | [`Unfinished`] |
//! |---|---|---|---|---|
//! | [`Splitter`] | of the line | of the line | a line without its LF | never |
//! | [`ContentLength`] | of the body | number of the frame | never | an incomplete header or body |
//! | [`ServerSentEvents`] | of the first line of data | of that line | never | an event without its empty line |
//! | [`Concatenated`] | of the value | number of the value | a number or literal at the end | an incomplete value |
//!
//! An oversized line or bare scalar that is cut off by the end of the stream is reported as [`Oversized`], and is not
//! terminated. Any other oversized frame that is cut off is reported as [`Unfinished`].

mod any;
mod assembler;
mod buffer;
mod charset;
mod concatenated;
mod content_length;
mod event;
mod frames;
mod framing;
mod head;
mod server_sent_events;
mod splitter;
mod storage;

pub use any::{AnyFraming, FramingKind};
pub use assembler::Assembler;
pub use buffer::FrameBuffer;
#[cfg(any(feature = "std", feature = "embedded-io-v0_7"))]
pub(crate) use buffer::Until;
#[cfg(feature = "tokio-util-v0_7")]
pub(crate) use buffer::Window;
pub use concatenated::Concatenated;
pub use content_length::ContentLength;
pub(crate) use event::Delimiter;
pub(crate) use event::Place;
pub use event::{Desynchronised, Ended, Frame, FrameEvent, Oversized, Unfinished};
pub use frames::Frames;
pub use framing::{Contiguous, Found, Framing, Piece, Step};
pub use server_sent_events::{ServerSentEvents, TooLong};
pub use splitter::Splitter;
#[cfg(feature = "alloc")]
pub use storage::HeapBuffer;
pub use storage::Storage;

/// The default limit on a frame's length, in bytes, for storage that grows: 16 MiB.
pub const DEFAULT_LIMIT: u32 = 16 * 1024 * 1024;
