//! Readers and writers: messages over existing I/O traits.
//!
//! They move bytes, and add no rules. A [`MessageReader`] yields the same events as a
//! [stream](crate::stream) of the same bytes. A [`MessageWriter`] sends what its
//! [`Encoder`] has written.
//!
//! | over | reader and writer | feature |
//! |---|---|---|
//! | `std::io` | [`MessageReader`], [`MessageWriter`] | `std` |
//! | `embedded_io` | those in `io::embedded` | `embedded-io-v0_7` |
//! | `embedded_io_async` | those in `io::embedded` | `embedded-io-async-v0_7` |
//!
//! Each supports any [framing](crate::frame#other-framings): a reader through its
//! [`FrameBuffer`], a writer through its constructor. By default, messages are
//! lines.
//!
//! # What is guaranteed
//!
//! - Bytes are read directly into the storage, and messages are borrowed from it.
//! - An error of the underlying reader loses nothing. Messages completed before the error are yielded
//!   before it, and the next call continues reading. This also applies to `WouldBlock` and to a future that
//!   was dropped. An interrupted read is retried.
//! - If the stream ends without a newline, the last line is yielded like any other, as a frame that is not
//!   [terminated](crate::frame::Frame::is_terminated).
//! - A writer sends each message exactly once, however few bytes the underlying writer accepts at a time.
//!   Bytes not yet accepted are kept, and the next [`flush`](MessageWriter::flush) continues there.
//! - A reader's memory is bounded by its storage, and a writer's by its storage or its
//!   [limit](MessageWriter::with_output_limit), if it has one. A [`HeapBuffer`](crate::frame::HeapBuffer) releases
//!   memory after a large message.
//!
//! # What is not checked
//!
//! The number of bytes that the underlying reader reports. If it exceeds the room, it is capped at the room.

#[cfg(feature = "embedded-io-v0_7")]
#[cfg_attr(docsrs, doc(cfg(feature = "embedded-io-v0_7")))]
pub mod embedded;
#[cfg(feature = "embedded-io-v0_7")]
mod error;
mod inbox;
mod queue;
#[cfg(feature = "std")]
mod reader;
#[cfg(feature = "std")]
mod writer;

#[cfg(feature = "embedded-io-v0_7")]
pub use error::{ReadError, WriteError};
pub use queue::Queue;
#[cfg(feature = "std")]
pub use reader::MessageReader;
#[cfg(feature = "std")]
pub use writer::MessageWriter;

use crate::encode::Encoder;
use crate::envelope::{Layout, Profile};
use crate::frame::{Found, FrameBuffer, Framing};
use crate::stream::{Fallback, FastPath};

/// Yields messages from a buffer that a reader fills.
///
/// Finding and lending are separate steps: the borrow checker rejects a loop that may continue to read
/// after it has lent something.
#[derive(Clone, Debug)]
struct Inbox<S, F, W> {
    buffer: FrameBuffer<S, F>,
    profile: Profile,
    watch: W,
    fast_path: FastPath,
    /// True if the reader has reported the end of the stream.
    ended: bool,
}

/// A frame that was found, and the layout of its message or the fast path's findings.
type Ready = (Found, Result<Layout, Fallback>);

/// The messages to be sent, and how far they have got.
#[derive(Debug)]
struct Outbox<S, F: Framing> {
    encoder: Encoder<Queue<S, F>>,
    /// True if the underlying writer has accepted bytes since it was flushed.
    unflushed: bool,
}

/// The next step of a writer that sends everything.
enum Step<'a> {
    /// Write some of these bytes. There is at least one.
    Write(&'a [u8]),
    /// Flush the underlying writer.
    Flush,
}
