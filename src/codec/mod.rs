//! A tokio codec: it reads messages from `tokio_util::codec` streams, and writes them to its sinks.
//!
//! # What is guaranteed
//!
//! - An invalid frame is an item like any other, and so is an oversized one. `tokio_util` ends a stream at the first
//!   error of its decoder. This decoder normally returns no errors of its own, so a stream ends only when the
//!   connection does. The one exception is a framing that has lost synchronisation. The next item is then an error
//!   unless you [resynchronise](MessageCodec::resync) the framing first, because the buffer would otherwise grow
//!   without bound.
//! - A [`Skimmer`] observes oversized frames, so an oversized request is answered
//!   with its id.
//! - If the stream ends without a newline, the last line is also an item, whose frame is not
//!   [terminated](crate::frame::Frame::is_terminated).
//! - Waiting for an item can be cancelled at any time, as in a `select!`, without losing one: the `Framed`
//!   keeps the bytes read, and the codec remembers how far they were scanned.
//! - Work is linear, however the input is split. The buffer grows to at most twice the frame limit, because
//!   it doubles. It shrinks after a large frame or, in a run of large frames, after eight smaller ones.
//!
//! Flushing or closing a `Framed` without sending does not determine the type of its items, so the compiler
//! asks for it: `SinkExt::<EncodedLines>::close(&mut framed)`.
//!
//! # Items
//!
//! A [`ReceivedBuf`] owns its frame and the parser's result, as a [`MessageBuf`](crate::envelope::MessageBuf)
//! does: `received()` lends the same [`Received`](crate::stream::Received) as every other entry point, without
//! parsing again and without a copy. It is `Send` and `'static`, so it can go to another task, and cloning it
//! only increments a counter. To get values instead of views, convert it to an [`owned::Message`](crate::owned::Message).
//!
//! An item shares the memory that it was read into. If that is more than 128 KiB and more than four times
//! the item, the item is copied instead. So an item that is kept for a long time holds at most 128 KiB, or
//! four times its own length, even if it was read together with a large frame. Unless reads or frames need
//! more, the codec keeps the buffer within 128 KiB, so that items need not be copied. A larger
//! capacity, such as one set with `FramedRead::with_capacity`, is given up after the first 64 KiB.
//!
//! # Memory of a sink
//!
//! If the outgoing buffer grew beyond 256 KiB for a message, its memory is released when the next message is encoded
//! and nothing is left to be sent. In a run of large messages, the memory stays until eight smaller ones have followed.
//! `tokio_util` does not call the codec when it flushes. If a connection may be idle after a large message, release the
//! memory after the flush:
//!
//! ```no_run
//! # use tautline::codec::{EncodedLines, MessageCodec};
//! # fn flushed<T>(framed: &mut tokio_util::codec::Framed<T, MessageCodec>) {
//! if framed.write_buffer().is_empty() {
//!     *framed.write_buffer_mut() = bytes::BytesMut::new();
//! }
//! # }
//! ```
//!
//! # Example
//!
//! ```
//! use bytes::BytesMut;
//! use tautline::codec::MessageCodec;
//! use tautline::{Message, Profile};
//! use tokio_util::codec::{Decoder, Encoder};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // As a `Framed` does it; `MessageCodec::new(profile).framed(socket)` makes one.
//! let mut codec = MessageCodec::new(&Profile::JSON_RPC);
//! let mut buffer = BytesMut::from(&b"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1}\n{}\n{\"json"[..]);
//! let line = codec.decode(&mut buffer)?.unwrap();
//! let Ok(Message::Request(request)) = line.message() else { panic!() };
//! assert_eq!(request.method(), "a");
//! let line = codec.decode(&mut buffer)?.unwrap();
//! let fault = line.message().unwrap_err().unwrap();
//! assert_eq!(fault.rule(), tautline::Rule::MISSING_JSONRPC);
//! assert!(codec.decode(&mut buffer)?.is_none());
//!
//! // To send a message, pass a closure that encodes it, or an `owned::Message`.
//! let mut out = BytesMut::new();
//! codec.encode(tautline::codec::Outgoing(|encoder| encoder.fault(&fault)), &mut out)?;
//! assert!(out.starts_with(br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600"#));
//! # Ok(())
//! # }
//! ```

mod decoder;
mod encoder;
mod received;

pub use encoder::{EncodedLines, Outgoing};
pub use received::ReceivedBuf;

use crate::envelope::{Profile, Skimmer};
use crate::frame::{DEFAULT_LIMIT, Framing, Splitter, Window};
use crate::memory::Retention;
use crate::stream::FastPath;

/// Reads messages from a stream and writes them to a sink; see the [module](self).
#[derive(Clone, Debug)]
pub struct MessageCodec<F = Splitter> {
    framing: F,
    profile: Profile,
    skimmer: Skimmer,
    fast_path: FastPath,
    /// The part of the stream that lies in the buffer.
    window: Window,
    /// The maximum number of bytes in the buffer since it was last replaced: it has memory for that many.
    fullest: usize,
    /// The maximum number of bytes in the buffer since nothing more could be taken from it: what was left, and
    /// what has been read since.
    offered: usize,
    /// The number of bytes that have left the buffer since it got its memory.
    consumed: usize,
    incoming: Retention,
    /// The number of bytes that the buffer needs for a frame like the last large one.
    expected: usize,
    /// The size in bytes of the buffer's memory when it was last allocated. Items share it.
    memory: usize,
    /// The capacity of the buffer after the last item.
    left: usize,
    /// The maximum size in bytes of the outgoing buffer's memory since it was last replaced.
    sent: usize,
    outgoing: Retention,
}

impl MessageCodec {
    /// Creates a codec at the start of a stream, for messages under this profile, one per line, in lines of
    /// at most [`DEFAULT_LIMIT`] bytes.
    #[must_use]
    pub fn new(profile: &Profile) -> Self {
        Self::with_limit(DEFAULT_LIMIT, profile)
    }

    /// Creates a codec for lines of at most `limit` bytes.
    #[must_use]
    pub fn with_limit(limit: u32, profile: &Profile) -> Self {
        Self::with_framing(Splitter::new(limit), profile)
    }
}

impl<F> MessageCodec<F> {
    /// Creates a codec for this framing, which must be new, and has the limit on incoming frames.
    ///
    /// ```
    /// use bytes::BytesMut;
    /// use tautline::Profile;
    /// use tautline::codec::MessageCodec;
    /// use tautline::frame::{ContentLength, DEFAULT_LIMIT};
    /// use tokio_util::codec::Decoder;
    ///
    /// let mut codec = MessageCodec::with_framing(ContentLength::new(DEFAULT_LIMIT), &Profile::LSP);
    /// let wire = b"Content-Length: 33\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}";
    /// let item = codec.decode(&mut BytesMut::from(&wire[..]))?.unwrap();
    /// assert!(item.message().is_ok());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn with_framing(framing: F, profile: &Profile) -> Self {
        Self {
            framing,
            skimmer: Skimmer::new(profile),
            profile: *profile,
            fast_path: FastPath::NEW,
            window: Window::NEW,
            fullest: 0,
            offered: 0,
            consumed: 0,
            incoming: Retention::NEW,
            expected: 0,
            memory: 0,
            left: 0,
            sent: 0,
            outgoing: Retention::NEW,
        }
    }

    /// Returns the current profile.
    #[must_use]
    pub const fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Sets the profile for subsequent messages, for example after a handshake.
    pub fn set_profile(&mut self, profile: &Profile) {
        self.profile = *profile;
    }

    /// Returns the framing, which knows the position in the stream.
    #[must_use]
    pub const fn framing(&self) -> &F {
        &self.framing
    }
}

impl<F: Framing> MessageCodec<F> {
    /// Continues after [`Desynchronised`](crate::stream::Received::Desynchronised), by
    /// [resynchronising](Framing::resync) to the next frame. Without it, the next call of the decoder is an
    /// error.
    pub fn resync(&mut self) {
        self.framing.resync();
    }
}
