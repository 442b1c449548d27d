//! The rules about frames and messages, the findings, and the error codes.
//!
//! A [`Rule`] is a number. The functions of this module have the texts of the rules that JSON-RPC and its framings
//! bring about, and a protocol on top of them has a table of its own, as `tautline_mcp::rule`. A
//! [`Finding`] is a rule with the place in the frame where it is broken.
//!
//! ```
//! use tautline::{Rule, rule};
//!
//! assert_eq!(rule::name(Rule::ID_TYPE), "id-type");
//! assert_eq!(rule::from_name("id-type"), Some(Rule::ID_TYPE));
//! assert_eq!(rule::summary(Rule::ID_TYPE), "the id is neither a string nor a number");
//! ```

pub(crate) mod code;
pub(crate) mod finding;
pub(crate) mod severity;
pub(crate) mod table;

pub use code::{CodeClass, CodeRange};
pub(crate) use code::{ErrorCode, LSP};
pub(crate) use finding::{Finding, describe};
pub(crate) use severity::Severity;
pub(crate) use table::Rule;
#[cfg(feature = "defmt")]
#[doc(hidden)]
pub use table::log;
pub use table::{ALL, from_name, help, name, severity, spec_ref, summary};
#[doc(hidden)]
pub use table::{count_lenient, lenient, numbered, rules};
