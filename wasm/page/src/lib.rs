//! The engine of the web page: `tautline-audit` for a Web Worker.
//!
//! The worker sends a request in JSON. The engine asks the worker for pieces of the files while it reads them, and
//! returns the reports in pieces. It never holds a whole file in memory, unless the format is one JSON document.
//!
//! `src/exports.rs` has the functions that the page's worker calls: they read pieces of a file through the worker, and
//! write reports to it. `src/request.rs` does what the command line does between its arguments and its reports.
//! `src/rules.rs` has the pages of the rules. `site/page.js` takes files, and shows the report in a frame that has no
//! origin. `site/worker.js` holds the module. The policy of the page forbids all requests before the page takes a file.

#![deny(unsafe_code)]
#![warn(missing_docs, clippy::undocumented_unsafe_blocks)]

pub mod choices;
pub mod request;
pub mod rules;
mod words;

#[cfg(target_arch = "wasm32")]
mod exports;
