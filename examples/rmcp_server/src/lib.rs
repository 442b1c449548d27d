//! An MCP server of the official Rust SDK on a transport of tautline's; see `main.rs`.

pub mod server;
pub mod transport;
