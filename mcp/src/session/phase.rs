//! The phases of a session.

use tautline::internal::name::{display_name, named};

use crate::Era;

/// The phase of a session.
///
/// ```
/// use tautline_mcp::session::{Phase, Session, Slot};
/// use tautline_mcp::{Message, Revision, Role};
///
/// let mut session = Session::new([Slot::EMPTY; 4]);
/// assert_eq!(session.phase(), Phase::Opening);
/// let frame = br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{
///     "protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}"#;
/// let message = Message::parse(frame, &Revision::V2025_11_25.profile()).unwrap();
/// session.observe(Role::Client, &message, |finding| panic!("{finding}"));
/// assert_eq!(session.phase(), Phase::Initializing);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Phase {
    /// No era is chosen yet.
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

display_name!(Phase);
named!(Phase, "a phase of a session");

impl Phase {
    /// All phases.
    pub const ALL: &[Self] = &[
        Self::Opening,
        Self::Initializing,
        Self::AwaitingInitialized,
        Self::Operating,
        Self::Probing,
        Self::Modern,
    ];

    /// Returns the stable name, in kebab case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Opening => "opening",
            Self::Initializing => "initializing",
            Self::AwaitingInitialized => "awaiting-initialized",
            Self::Operating => "operating",
            Self::Probing => "probing",
            Self::Modern => "modern",
        }
    }

    /// Returns the era, once it is chosen.
    #[must_use]
    pub const fn era(self) -> Option<Era> {
        match self {
            Self::Opening => None,
            Self::Initializing | Self::AwaitingInitialized | Self::Operating => Some(Era::Legacy),
            Self::Probing | Self::Modern => Some(Era::Modern),
        }
    }
}
