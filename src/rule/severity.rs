//! Severities of findings.

use crate::name::{display_name, named};

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
    /// All severities, from the mildest.
    pub const ALL: &[Self] = &[Self::Note, Self::Warning, Self::Error];

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

display_name!(Severity);
named!(Severity, "a severity");
