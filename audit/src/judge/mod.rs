//! Judges: checks that need more context than one frame.
//!
//! [`OneSide`] knows one stream of messages. [`TwoSides`] knows a session: both streams, in the order of the wire.

mod again;
mod asked;
mod claim;
mod correlation;
mod declared;
pub(crate) mod echo;
mod expectation;
mod form;
mod late;
mod listing;
mod nearest;
mod one_side;
pub(crate) mod opening;
mod payload;
pub(crate) mod peers;
mod pending;
mod refusal;
mod schema;
mod selection;
mod tasks;
mod two_sides;
mod unread;

pub(crate) use asked::At;
pub(crate) use correlation::Unanswered;
pub use correlation::{Answered, Latency};
pub(crate) use late::is_certain;
pub use one_side::OneSide;
pub(crate) use opening::Verdict;
pub(crate) use refusal::observes;
pub use two_sides::{Selection, TwoSides};

pub use crate::frame::judge::Judge;
