//! The steps of examples.

use tautline_mcp::Role;

use crate::source::http::Part;

/// A step of an example.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// One side sends these bytes.
    Send(Role, Vec<u8>),
    /// The server's process exits with this status.
    Exit(i64),
    /// A part of the HTTP exchange with this number.
    Part(u64, Part<'static>),
    /// The example shows what is reported if payloads are not checked.
    PayloadsUnchecked,
}
