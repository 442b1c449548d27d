//! What protocols add to a connection beyond their profiles.

#[cfg(feature = "mcp")]
use tautline_mcp::{KnownMethod, Revision};

/// The protocol of a connection, beyond its profile.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Protocol {
    JsonRpc,
    #[cfg(feature = "mcp")]
    Mcp(Revision),
}

impl Protocol {
    /// Returns the method that is answered without a handler, if there is one.
    pub(crate) fn ping(self) -> Option<&'static str> {
        match self {
            Self::JsonRpc => None,
            #[cfg(feature = "mcp")]
            Self::Mcp(revision) => {
                KnownMethod::Ping.use_in(revision).map(|_| KnownMethod::Ping.name())
            }
        }
    }
}
