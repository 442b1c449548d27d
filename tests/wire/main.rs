//! The wire, from bytes to JSON: what depends on the machine, and is tested on others by emulation, too (`cargo xtask gate twins`).

mod chunking;
mod framing;
mod json_views;
mod lookahead;
mod scanning;
#[allow(dead_code, reason = "these tests need a part of it")]
#[path = "../support/mod.rs"]
mod support;
