//! Readers and writers: messages by way of the I/O traits of others.
//!
//! They move bytes, and add no rule: what a [`MessageReader`] gives is what the
//! [stream door](crate::stream) gives for the same bytes, and what a [`MessageWriter`] sends is what an
//! [`Encoder`](crate::encode::Encoder) has written.
//!
//! | over | reader and writer | feature |
//! |---|---|---|
//! | `std::io` | [`MessageReader`], [`MessageWriter`] | `std` |
//! | `embedded_io` | those in [`embedded`] | `embedded-io-v0_7` |
//! | `embedded_io_async` | those in [`embedded_async`] | `embedded-io-async-v0_7` |
//!
//! # What is guaranteed
//!
//! - Bytes are read straight into the storage, and messages are borrowed from it.
//! - An error of the reader is not the end, and nothing is lost by it: what was complete before it is
//!   given before it, and whoever asks again reads on where it was. That goes for `WouldBlock` and for
//!   a future that was dropped as well. A read that was interrupted is tried again.
//! - What the stream ends with, without a newline, is given like any other line, as a frame that is not
//!   [terminated](crate::frame::Frame::is_terminated).
//! - A writer sends each message once and whole, however much the writer below takes at a time: what
//!   was not taken is kept, and the next [`flush`](MessageWriter::flush) goes on there.
//! - Memory is bounded by the storage, and [`Growing`](crate::frame::Growing) storage gives it back
//!   behind a giant message.
//!
//! # What is not checked
//!
//! That a reader tells the truth about how much it has read. One that says more than there was room
//! for is believed up to the end of the room.

#[cfg(feature = "embedded-io-v0_7")]
#[cfg_attr(docsrs, doc(cfg(feature = "embedded-io-v0_7")))]
pub mod embedded;
#[cfg(feature = "embedded-io-async-v0_7")]
#[cfg_attr(docsrs, doc(cfg(feature = "embedded-io-async-v0_7")))]
pub mod embedded_async;
#[cfg(any(feature = "embedded-io-v0_7", feature = "embedded-io-async-v0_7"))]
mod error;
mod inbox;
mod queue;
#[cfg(feature = "std")]
mod reader;
#[cfg(feature = "std")]
mod writer;

#[cfg(any(feature = "embedded-io-v0_7", feature = "embedded-io-async-v0_7"))]
pub use error::{ReadError, WriteError};
pub use queue::Queue;
#[cfg(feature = "std")]
pub use reader::MessageReader;
#[cfg(feature = "std")]
pub use writer::MessageWriter;
