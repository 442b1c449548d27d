//! The exports of tautline for JavaScript.
//!
//! JavaScript copies a chunk into the module's memory and makes one call. The call splits the chunk, validates each
//! frame, and leaves one [`Row`](row::Row) of numbers for each message or fault: its kind, its place, and the spans of
//! its members. No text crosses the boundary. JavaScript has the texts of the rules in a file that is generated from
//! the same table.
//!
//! The modules have no `unsafe` code and run on any machine. The exception is `exports`, which turns addresses into
//! slices and exists only on WebAssembly.
//!
//! # The map
//!
//! `src/exports.rs` has the functions that JavaScript calls. They pass the next bytes to a stream (`stream.rs`), which
//! writes one row of numbers for each message or fault (`row.rs`) to the module's memory. `profile.rs` decodes options,
//! `finding.rs` has the rows of findings, and `heap.rs` is an allocator that lets a frame grow in place, so that memory
//! stays within the limit. In `npm/lib`, only `engine.js` accesses the memory, `stream.js` copies chunks into it, and
//! `received.js` turns rows into items on demand. The texts of rules are in `npm/lib/rules.js`, which a test generates
//! from the table of rules. `npm/mcp.js` has the stdio transports for the TypeScript SDK, whose sessions `judge.rs`
//! judges. `wasm/build` makes four modules: `small`, `fast` with simd128, `full`, and `judge`. On `wasm32-unknown-unknown` the core has one copy of the
//! fast scanner, and plain loops for the rest, because web pages download the code.

#![cfg_attr(target_arch = "wasm32", no_std)]
#![deny(unsafe_code)]
#![warn(missing_docs, clippy::undocumented_unsafe_blocks)]

extern crate alloc;

pub mod finding;
pub mod heap;
#[cfg(feature = "judge")]
pub mod judge;
pub mod profile;
pub mod row;
pub mod stream;

#[cfg(target_arch = "wasm32")]
mod exports;
