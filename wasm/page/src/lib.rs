//! The engine of the web page: `tautline-audit` for a Web Worker.
//!
//! The worker sends a request in JSON. The engine asks the worker for pieces of the files while it reads them, and
//! returns the reports in pieces. It never holds a whole file in memory, unless the format is one JSON document.

#![deny(unsafe_code)]
#![warn(missing_docs, clippy::undocumented_unsafe_blocks)]

pub mod choices;
pub mod request;
mod words;

#[cfg(target_arch = "wasm32")]
mod exports;
