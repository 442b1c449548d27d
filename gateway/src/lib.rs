//! A filter for Envoy and other proxies that run proxy-wasm modules: it holds MCP over Streamable HTTP to its rules.

#![deny(unsafe_code)]
#![warn(missing_docs)]

pub mod encoding;
// The functions of the proxy exist nowhere else.
#[cfg(any(target_arch = "wasm32", clippy))]
mod filter;
pub mod reply;
pub mod report;
pub mod request;
pub mod response;
pub mod settings;
