//! Findings as rows of numbers.

use tautline::{Finding, Severity};

use crate::row::{rule_number, syntax_number};

/// The maximum number of findings on a frame: at most one for each rule of the envelope, and some reserve.
pub const MOST: usize = 128;

/// A finding: eight bytes in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
#[expect(clippy::exhaustive_structs, reason = "JavaScript reads it by its layout")]
pub struct FindingRow {
    /// The number of the rule in the table.
    pub rule: u8,
    /// 0 for an error, 1 for a warning, 2 for a note.
    pub severity: u8,
    /// As in a [row](crate::row::Row).
    pub syntax: u8,
    /// Unused.
    pub padding: u8,
    /// The offset in the frame, in bytes.
    pub offset: u32,
}

impl FindingRow {
    /// A row without a finding.
    pub const EMPTY: Self = Self { rule: 0, severity: 0, syntax: 0, padding: 0, offset: 0 };
}

impl From<Finding> for FindingRow {
    fn from(finding: Finding) -> Self {
        let severity = match finding.severity() {
            Severity::Error => 0,
            Severity::Warning => 1,
            Severity::Note => 2,
        };
        Self {
            rule: rule_number(finding.rule()),
            severity,
            syntax: syntax_number(finding.syntax()),
            padding: 0,
            offset: finding.offset(),
        }
    }
}
