//! Audits of recorded JSON-RPC 2.0 and MCP sessions.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod audit;
mod baseline;
pub mod document;
mod excerpt;
mod explain;
pub mod format;
pub mod frame;
pub mod judge;
mod losses;
mod rules;
pub mod source;
pub mod tally;
mod visible;
pub mod wire;

pub use audit::{Audit, Audited, Options, Sink};
pub use baseline::{Accepted, Baseline, BaselineError};
pub use document::Document;
pub use excerpt::Excerpt;
pub use explain::{Example, Step, example_of};
pub use rules::{Level, Policy, UnknownRule};
pub use visible::{is_invisible, printable};
