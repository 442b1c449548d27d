//! The tap of a connection, which sees every message.

use std::fmt;
use std::sync::Arc;

use tautline::stream::Received;
use tautline::{Fault, Message};

use crate::agreed::Agreement;

/// The direction of a message; see [`Options::with_tap`](crate::Options::with_tap).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a message is sent or received")]
pub enum Direction {
    /// This side sends it.
    Sent,
    /// The peer has sent it.
    Received,
}

pub(crate) type Tap = Arc<dyn Fn(Direction, Result<&Message<'_>, &Fault<'_>>) + Send + Sync>;

/// The tap for the messages that this side sends.
pub(crate) struct SentTap {
    pub(crate) tap: Tap,
    pub(crate) agreement: Arc<Agreement>,
}

impl SentTap {
    /// Shows an encoded line.
    pub(crate) fn see(&self, line: &[u8]) {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let message = Message::parse(line, &self.agreement.current().profile_for_answers());
        (self.tap)(Direction::Sent, message.as_ref());
    }
}

impl fmt::Debug for SentTap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SentTap").finish_non_exhaustive()
    }
}

/// Shows a received frame to the tap, if it is or should have been a message.
pub(crate) fn see_received(tap: &Tap, received: &Received<'_>) {
    match received {
        Received::Message { message, .. } => tap(Direction::Received, Ok(message)),
        received => {
            if let Some(fault) = received.fault() {
                tap(Direction::Received, Err(fault));
            }
        }
    }
}
