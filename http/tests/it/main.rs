//! The layer, the server and the client, request by request and over connections.

#[cfg(feature = "client")]
mod client;

mod layer;
#[cfg(feature = "server")]
mod served;
#[cfg(feature = "server")]
mod server;
#[cfg(feature = "server")]
mod soak;
