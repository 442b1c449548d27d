//! A client of MCP over Streamable HTTP, in both of its eras.

mod answer;
mod answered;
mod builder;
mod connection;
mod error;
mod exchange;
mod head;
mod incident;
mod negotiate;
mod outgoing;
mod pump;
mod reading;
mod sender;
mod settings;
mod shared;
mod stream;
mod tools;

pub use builder::Client;
pub use connection::HttpConnection;
pub use error::{BoxError, ConnectError, PostError};
pub use incident::Incident;
