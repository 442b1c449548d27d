//! Severities of findings.

use core::fmt;

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "to match on all of them is what they are for")]
pub enum Severity {
    /// Information that a person may want.
    Note,
    /// The message is legal, but some peers handle it wrongly.
    Warning,
    /// The frame is not a legal message.
    Error,
}

impl Severity {
    /// Returns the name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
