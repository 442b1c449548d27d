//! An MCP server that uses the official Rust SDK with a tautline transport; see `main.rs`. `http.rs` has it on HTTP.

pub mod http;
pub mod server;
pub mod transport;
