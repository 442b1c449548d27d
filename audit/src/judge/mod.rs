//! Judges: checks that need more context than one frame.
//!
//! [`OneSide`] knows one stream of messages. [`TwoSides`] knows a session: both streams, in the order of the wire.

mod claim;
mod correlation;
mod declared;
mod expectation;
mod form;
mod key;
mod listing;
mod one_side;
mod payload;
pub(crate) mod peers;
mod pending;
mod refusal;
mod schema;
mod tasks;
mod two_sides;

pub(crate) use correlation::At;
pub use correlation::{Answered, Latency};
pub use one_side::OneSide;
pub(crate) use refusal::observes;
use tautline::{ErrorCode, Fault, Message, Profile};
pub use two_sides::{Selection, TwoSides};

use crate::frame::FindingReport;

/// A judge of messages, one after the other.
pub trait Judge {
    /// Returns the profile for the envelope of the next frame.
    fn profile(&self) -> Profile;

    /// Returns the profile for the envelope of this frame, which may name it.
    fn profile_of(&self, _frame: &[u8]) -> Profile {
        self.profile()
    }

    /// Judges a message beyond its envelope. It is called for each message of a batch, and never for the batch itself.
    /// If the message is a request that the receiver refuses, returns the code of the error.
    fn message(
        &mut self,
        message: &Message<'_>,
        report: &mut dyn FnMut(FindingReport),
    ) -> Option<ErrorCode>;

    /// Records a frame, or an element of a batch, that is not a valid message.
    fn fault(&mut self, _fault: &Fault<'_>, _report: &mut dyn FnMut(FindingReport)) {}
}
