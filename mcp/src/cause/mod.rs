//! Why a frame is not a message: what its bytes are instead.
//!
//! A [fault](tautline::Fault) says which rule the bytes break first, which decides on the reply. A [`Cause`] says what
//! has happened: two writers, a code page, another protocol. It takes the place of the fault's rule in a report for
//! people. It is looked for only after a fault, so it costs a valid message nothing. It needs the heap, so it is not in
//! the core.

pub mod rule;

#[cfg(feature = "alloc")]
mod encoding;
#[cfg(feature = "alloc")]
mod foreign;
#[cfg(feature = "alloc")]
mod header;
#[cfg(feature = "alloc")]
mod message;
#[cfg(feature = "alloc")]
mod mixture;
#[cfg(feature = "alloc")]
mod object;
#[cfg(feature = "alloc")]
mod recognize;

#[cfg(feature = "alloc")]
#[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
pub use recognize::{Cause, Surroundings};
