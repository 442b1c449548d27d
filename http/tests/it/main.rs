//! The layer and the server, request by request and over connections.

mod layer;
#[cfg(feature = "server")]
mod server;
#[cfg(feature = "server")]
mod soak;
