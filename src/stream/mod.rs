//! The messages of a byte stream.
//!
//! One call splits the stream into [frames](crate::frame) and [parses](crate::Message::parse) them, with
//! the same results as the two separate steps. A frame that lies entirely in a chunk is borrowed from it.
//! An invalid frame is an event like any other, and the stream continues after it.
//!
//! An oversized frame is discarded before its end is known. A [`Skimmer`](crate::envelope::Skimmer) still finds
//! its id and method, unless the stream was made [without one](MessageStream::without_skimmer).

#[cfg_attr(not(feature = "fast"), path = "fast_path/absent.rs")]
mod fast_path;
mod message_stream;
mod messages;
mod received;
mod watch;

#[cfg(any(feature = "std", feature = "embedded-io-v0_7"))]
pub(crate) use fast_path::{Fallback, FastPath};
pub use message_stream::MessageStream;
pub use messages::Messages;
pub use received::Received;
pub use watch::Watch;
#[cfg(feature = "tokio-util-v0_7")]
pub(crate) use watch::sealed;
