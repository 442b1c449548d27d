//! The phases of a session.

use crate::mcp::Era;

/// The phase of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Phase {
    /// Neither era was chosen yet.
    Opening,
    /// `initialize` is on its way.
    Initializing,
    /// `initialize` was answered; `notifications/initialized` is to follow.
    AwaitingInitialized,
    /// The legacy session is open.
    Operating,
    /// Modern requests were sent, and the server has not shown its era: a client that speaks both eras
    /// may still fall back to `initialize`.
    Probing,
    /// The server is modern: it has served a modern request, acknowledged a subscription, or answered with
    /// an error that only modern servers send.
    Modern,
}

impl Phase {
    /// The era, once it is chosen.
    #[must_use]
    pub const fn era(self) -> Option<Era> {
        match self {
            Self::Opening => None,
            Self::Initializing | Self::AwaitingInitialized | Self::Operating => Some(Era::Legacy),
            Self::Probing | Self::Modern => Some(Era::Modern),
        }
    }
}
