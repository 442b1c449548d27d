//! The stream door: the next message off a stream of bytes.
//!
//! It joins the two steps, splitting into [frames](crate::frame) and [parsing](crate::Message::parse), in
//! one call, and says the same as they do: what lies whole in a chunk is borrowed from it, and a faulty
//! frame is an event like any other, after which the stream goes on.
//!
//! A frame over the limit is gone when its end is known. A stream that is
//! [skimming](MessageStream::skimming) knows its id and its method all the same.

mod fast_path;
mod message_stream;
mod messages;
mod received;
mod watch;

#[cfg(any(feature = "std", feature = "embedded-io-v0_7", feature = "embedded-io-async-v0_7"))]
pub(crate) use fast_path::{Fallback, FastPath};
pub use message_stream::MessageStream;
pub use messages::Messages;
pub use received::Received;
pub use watch::Watch;
#[cfg(feature = "tokio-util-v0_7")]
pub(crate) use watch::sealed;
