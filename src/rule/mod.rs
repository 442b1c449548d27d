//! The rules: the one table of everything that can be reported, and the error codes.
//!
//! [`Rule`] is the table. Code, documentation, logs and tools read it, and every later stage reports its rules. A
//! [`Finding`] is a rule with the place in the frame where it is broken.

mod code;
mod finding;
mod refusal;
mod severity;
mod table;

pub(crate) use code::Codes;
pub use code::{CodeClass, CodeRange, ErrorCode};
pub use finding::Finding;
pub(crate) use finding::describe;
pub use severity::Severity;
pub use table::Rule;
