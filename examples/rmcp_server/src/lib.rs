//! An MCP server that uses the official Rust SDK with a tautline transport; see `main.rs`.

pub mod server;
pub mod transport;
