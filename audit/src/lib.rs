//! Audits of recorded JSON-RPC 2.0 and MCP sessions.
//!
//! An [`Audit`] takes the [events](source::Event) of a session, and judges both directions of it: each message by its
//! envelope, its payload and its revision, and then by what came before it. It reports to a [`Sink`] while it runs. At
//! the end, it returns a [`Document`], which can be written in every [format](format::Format). `tautline audit` is a
//! command-line interface to this library. The library itself does no I/O except to read from the readers that it is
//! given, and it compiles to WebAssembly for web pages.
//!
//! Events come from a recording. [`SourceKind`](source::SourceKind) detects its format and reads it:
//!
//! ```
//! use std::io::BufReader;
//!
//! use tautline_audit::document::SourceRow;
//! use tautline_audit::format::Format;
//! use tautline_audit::source::{SourceKind, read_start};
//! use tautline_audit::{Audit, Options};
//!
//! # let mut file = &br#"{"tautline-recording":1}
//! # {"us":0,"from":"client","text":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}\n"}
//! # "#[..];
//! let start = read_start(&mut file)?;
//! let kind = SourceKind::detect(&start)?;
//! let mut options = Options::default();
//! kind.prepare(&mut options);
//!
//! let mut audit = Audit::new(options);
//! let mut reader = BufReader::new(std::io::Read::chain(&start[..], file));
//! let limit = audit.limit();
//! kind.read(&mut reader, limit, &mut |event, place| audit.event(event, place, &mut ()))?;
//! let source = SourceRow { name: "session.recording".to_owned(), kind: kind.name() };
//! let document = audit.finish(vec![source], &mut ())?;
//!
//! assert_eq!(document.findings[0].to_string(), "error[method-type]: the method is not a string");
//! Format::Sarif.write(&document, &mut std::io::sink())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! For two files, one for each direction, use a [`Pair`](source::Pair). If your program has the bytes itself, create
//! the events as in the example of [`Audit`].
//!
//! A [`Check`] makes a document of a log of one direction, and [`source::Delimiter`] recognises such a log.
//! [`judge::OneSide`] judges it frame by frame, without a document, as `tautline check` does.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod audit;
mod baseline;
mod body_redaction;
pub mod credentials;
pub mod document;
mod event_redaction;
mod excerpt;
mod exchange_text;
mod explain;
pub mod format;
pub mod frame;
mod ids;
pub mod judge;
mod losses;
mod options;
pub mod redaction;
mod rules;
pub mod source;
mod step;
pub mod tally;
mod visible;
pub mod wire;

pub use audit::{Audit, Audited, Check, Sink};
pub use baseline::{Accepting, Baseline, BaselineError};
pub use document::Document;
pub use excerpt::Excerpt;
pub use explain::{Example, example_of};
pub use options::Options;
pub use rules::{Level, Policy, UnknownRule, rule_named};
pub use step::Step;
pub use visible::{is_invisible, printable};
