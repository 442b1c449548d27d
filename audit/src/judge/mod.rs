//! Judges of messages, which know more than the bytes of one frame.
//!
//! [`OneSide`] knows one stream of messages. [`TwoSides`] knows a session: both streams, in the order of the wire.

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
mod session_rule;
mod tasks;
mod two_sides;

pub(crate) use correlation::At;
pub use correlation::{Answered, Latency};
pub use one_side::OneSide;
pub(crate) use refusal::observes;
pub use session_rule::SessionRule;
pub use two_sides::{Selection, TwoSides};

use tautline::envelope::Fault;
use tautline::{ErrorCode, Message, Rules};

use crate::frame::FindingReport;

/// A judge of messages, one after the other.
pub trait Judge {
    /// Returns the rules for the envelope of the next frame.
    fn rules(&self) -> Rules;

    /// Judges a message beyond its envelope. Of a batch, it gets each message, and never the batch itself. Returns the
    /// code of the error for which the receiver refuses the message, if it is a request and that is so.
    fn message(
        &mut self,
        message: &Message<'_>,
        report: &mut dyn FnMut(FindingReport),
    ) -> Option<ErrorCode>;

    /// Takes note of a frame, or of an element of a batch, that is no message.
    fn fault(&mut self, _fault: &Fault<'_>, _report: &mut dyn FnMut(FindingReport)) {}
}
