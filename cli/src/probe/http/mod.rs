//! Tests a server over Streamable HTTP: raw requests on connections, and their responses.
//!
//! A `wire` moves bytes in both directions, `reply` reads the responses, and `exchange` does both for the steps of a
//! case. A `session` runs cases, and `judge` compares what came with the outcomes. For clients under test, the `player`
//! is a server that misbehaves.

pub mod era;
pub mod exchange;
mod filled;
mod findings;
mod framing;
mod judge;
pub mod player;
mod reply;
mod request;
pub mod servers;
mod session;
mod stream;
#[cfg(feature = "tls")]
mod tls;
pub mod url;
mod wire;

pub use filled::header_line;
