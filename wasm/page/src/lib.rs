//! The engine of the web page: `tautline-audit` for a Web Worker.
//!
//! The worker states in JSON what to audit. The engine asks the worker for pieces of the files while it reads them, and
//! hands it the reports in pieces. It never holds a file as a whole, unless the format is one JSON document.

#![deny(unsafe_code)]
#![warn(missing_docs, clippy::undocumented_unsafe_blocks)]

pub mod choices;
pub mod request;
mod words;

#[cfg(target_arch = "wasm32")]
mod exports;
