//! The conformance corpus as Rust values.
//!
//! The corpus itself is data: `cases/*.json` and `sessions.json`, described by `schema.json` and `README.md`. The folder
//! `http` has the same for Streamable HTTP. It needs neither this package nor Rust. The package embeds the files, so that a tool can ship with them, and reads them into
//! types.
//!
//! ```
//! let corpus = tautline_conformance::Corpus::embedded();
//! let case = corpus.case("request-id-null").unwrap();
//! assert!(case.outcomes.iter().any(|outcome| outcome.verdict == tautline_conformance::Verdict::Right));
//! ```

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod case;
mod corpus;
mod outcome;
mod step;

pub use case::{Case, Feature, Level, Opening, Role, Survival};
pub use corpus::{Corpus, CorpusError, Session};
pub use outcome::{Answer, Ending, Outcome, Reply, Response, Verdict};
pub use step::{Bytes, Step};
