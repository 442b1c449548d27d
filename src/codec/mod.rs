//! A codec for tokio: messages off the streams of `tokio_util::codec`, and into its sinks.
//!
//! # What is guaranteed
//!
//! - A faulty line is an item like any other, and so is one over the limit. `tokio_util` ends a stream
//!   at the first error of its decoder; this one has none of its own, so that a stream ends when the
//!   connection does.
//! - Lines over the limit are [skimmed](crate::envelope::Skimmer), so that a request among them is answered
//!   with its id.
//! - What the stream ends with, without a newline, is an item as well, whose frame is not
//!   [terminated](crate::frame::Frame::is_terminated).
//! - Waiting for an item may be cancelled at any time, as in a `select!`, and none is lost: what was
//!   read is in the `Framed`, and how far it was scanned in the codec.
//! - Work is linear, however the input is cut, and the buffer never grows far beyond the limit on
//!   frames: to twice of it at most, because it doubles. After a large frame it is small again, or in a run of
//!   them, after eight others.
//!
//! To flush or to close a `Framed` without sending says nothing of what would be sent, and the compiler
//! asks: `SinkExt::<EncodedLines>::close(&mut framed)`.
//!
//! # What an item is
//!
//! [`ReceivedBuf`] owns its frame and remembers what the parser found in it: `received()` lends the
//! same [`Received`](crate::stream::Received) that every other door gives, without parsing again and
//! without a copy. It is `Send` and `'static`, so it can go to another task, and be cloned for the price
//! of a count. Who wants values instead of views makes an [`owned::Message`](crate::owned::Message) of it.
//!
//! An item shares the memory that it was read into, unless that is more than 64 KiB and more than four
//! times the item: then the item is copied. So an item that is kept for long keeps at most 64 KiB, or four
//! times its own length, even if it was read together with a giant frame.
//!
//! # Memory of a sink
//!
//! If the outgoing buffer took more than 256 KiB for a message, its memory is given back when the next
//! message is encoded and nothing is left to be sent. If large messages come in a run, it is kept until eight
//! others have followed. `tokio_util` does not call the codec at a flush. For
//! a connection that may be idle after a giant message, give the memory back after the flush:
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
//! use tautline::{Message, Rules};
//! use tokio_util::codec::{Decoder, Encoder};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // As a `Framed` does it; `MessageCodec::new(&rules).framed(socket)` makes one.
//! let mut codec = MessageCodec::new(&Rules::JSON_RPC);
//! let mut buffer = BytesMut::from(&b"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"id\":1}\n{}\n{\"json"[..]);
//! let line = codec.decode(&mut buffer)?.unwrap();
//! let Ok(Message::Request(request)) = line.message() else { panic!() };
//! assert_eq!(request.method(), "a");
//! let line = codec.decode(&mut buffer)?.unwrap();
//! let fault = line.message().unwrap_err();
//! assert_eq!(fault.rule().name(), "missing-jsonrpc");
//! assert!(codec.decode(&mut buffer)?.is_none());
//!
//! // What is written is a closure that encodes it, or an `owned::Message`.
//! let mut out = BytesMut::new();
//! codec.encode(tautline::codec::Outgoing(|encoder| encoder.fault(&fault, line.bytes())), &mut out)?;
//! assert!(out.starts_with(br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600"#));
//! # Ok(())
//! # }
//! ```

mod decoder;
mod encoder;
mod received;

pub use encoder::{EncodedLines, Outgoing};
pub use received::ReceivedBuf;

use crate::envelope::{Rules, Skimmer};
use crate::frame::{DEFAULT_LIMIT, Splitter};
use crate::memory::Retention;
use crate::stream::FastPath;

/// Takes messages off a stream and puts them into a sink, one a line; see the [module](self).
#[derive(Clone, Debug)]
pub struct MessageCodec {
    splitter: Splitter,
    rules: Rules,
    skimmer: Skimmer,
    fast_path: FastPath,
    /// So many bytes of the buffer were scanned, and are the beginning of the line under way.
    scanned: usize,
    /// The most bytes that were in the buffer, since it was last replaced: it has memory for so many.
    fullest: usize,
    incoming: Retention,
    /// How much memory the buffer had when it last took some, in bytes: what an item shares.
    memory: usize,
    /// The capacity of the buffer after the last item.
    left: usize,
    /// The most memory that was seen in the outgoing buffer since it was last replaced, in bytes.
    sent: usize,
    outgoing: Retention,
}

impl MessageCodec {
    /// A codec at the start of a stream, for messages under these rules in frames of at most
    /// [`DEFAULT_LIMIT`] bytes.
    #[must_use]
    pub const fn new(rules: &Rules) -> Self {
        Self::with_limit(DEFAULT_LIMIT, rules)
    }

    /// A codec for frames of at most `limit` bytes.
    #[must_use]
    pub const fn with_limit(limit: u32, rules: &Rules) -> Self {
        let (splitter, skimmer) = (Splitter::new(limit), Skimmer::new(rules));
        Self {
            splitter,
            rules: *rules,
            skimmer,
            fast_path: FastPath::NEW,
            scanned: 0,
            fullest: 0,
            incoming: Retention::NEW,
            memory: 0,
            left: 0,
            sent: 0,
            outgoing: Retention::NEW,
        }
    }

    /// The rules in force.
    #[must_use]
    pub const fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Puts other rules in force for the messages to come, as after a handshake.
    pub const fn set_rules(&mut self, rules: &Rules) {
        self.rules = *rules;
    }

    /// The splitter, which knows the position in the stream.
    #[must_use]
    pub const fn splitter(&self) -> &Splitter {
        &self.splitter
    }
}
