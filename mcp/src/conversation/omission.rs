//! Messages that were due, but not sent by the end of a session.

use core::fmt;

use tautline::Rule;

use crate::{KnownMethod, Role, rule};

/// A message that a side should have sent before the session ended, as a [`Conversation`](super::Conversation::finish)
/// reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Omission {
    from: Role,
    method: KnownMethod,
    rule: Rule,
}

impl Omission {
    pub(super) const fn new(from: Role, method: KnownMethod, rule: Rule) -> Self {
        Self { from, method, rule }
    }

    /// Returns the side that should have sent it.
    #[must_use]
    pub const fn from(&self) -> Role {
        self.from
    }

    /// Returns the method that it is about: `tools/list` if a change of the list was not announced.
    #[must_use]
    pub const fn method(&self) -> KnownMethod {
        self.method
    }

    /// Returns the rule that is broken.
    #[must_use]
    pub const fn rule(&self) -> Rule {
        self.rule
    }
}

impl fmt::Display for Omission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by the {}, {}", rule::name(self.rule), self.from.name(), self.method.name())
    }
}
