//! The exports of tautline for JavaScript.
//!
//! JavaScript copies a chunk into the module's memory and makes one call. The call splits the chunk, validates each
//! frame, and leaves one [`Row`](row::Row) of numbers for each message or fault: its kind, its place, and the spans of
//! its members. No text crosses the boundary. JavaScript has the texts of the rules in a file that is generated from
//! the same table.
//!
//! The modules have no `unsafe` code and run on any machine. The exception is `exports`, which turns addresses into
//! slices and exists only on WebAssembly.

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
