//! The exports of tautline for JavaScript.
//!
//! JavaScript copies a chunk into the module's memory and makes one call. The call splits the chunk, validates each
//! frame, and leaves one [`Row`](row::Row) of numbers for each message or fault: its kind, its place, and the spans of
//! its members. No text crosses the border. What a rule says is known to JavaScript, from a file that is generated
//! from the same table.
//!
//! The modules are safe and run on any machine, but for the exports and the heap: they turn addresses into slices, and
//! exist for WebAssembly.

#![cfg_attr(target_arch = "wasm32", no_std)]
#![deny(unsafe_code)]
#![warn(missing_docs, clippy::undocumented_unsafe_blocks)]

extern crate alloc;

pub mod finding;
pub mod heap;
pub mod row;
pub mod rules;
pub mod stream;

#[cfg(target_arch = "wasm32")]
mod exports;
