//! Findings as rows of numbers.

use alloc::borrow::ToOwned;
use alloc::string::String;

use tautline::frame::FramingKind;
use tautline::{Envelope, Finding, Severity};
use tautline_mcp::cause::{Cause, Surroundings};

use crate::row::syntax_number;

/// The maximum number of findings on a frame: at most one for each rule of the envelope, and some reserve.
pub const MOST: usize = 128;

/// A finding: eight bytes in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
#[expect(clippy::exhaustive_structs, reason = "JavaScript reads it by its layout")]
pub struct FindingRow {
    /// The number of the rule.
    pub rule: u16,
    /// 0 for an error, 1 for a warning, 2 for a note.
    pub severity: u8,
    /// As in a [row](crate::row::Row).
    pub syntax: u8,
    /// The offset in the frame, in bytes.
    pub offset: u32,
}

impl FindingRow {
    /// A row without a finding.
    pub const EMPTY: Self = Self { rule: 0, severity: 0, syntax: 0, offset: 0 };
}

impl From<Finding> for FindingRow {
    fn from(finding: Finding) -> Self {
        let severity = match finding.severity() {
            Severity::Error => 0,
            Severity::Warning => 1,
            Severity::Note => 2,
        };
        Self {
            rule: finding.rule().number(),
            severity,
            syntax: syntax_number(finding.syntax()),
            offset: finding.offset(),
        }
    }
}

/// Fills in a row for each finding on a frame, or on an element of a batch. Returns their number. If the first one is the
/// [cause] of a fault, also returns its words, and otherwise an empty text.
///
/// [cause]: tautline_mcp::cause
pub fn fill(
    rows: &mut [FindingRow],
    envelope: &Envelope<'_>,
    framing: FramingKind,
) -> (usize, String) {
    let cause = Cause::of(envelope, &Surroundings { framing, behind: b"" });
    let (mut filled, mut free) = (0, rows.iter_mut());
    let mut push = |row: FindingRow| {
        if let Some(place) = free.next() {
            *place = row;
            filled += 1;
        }
    };
    if let Some(cause) = &cause {
        let (rule, offset) = (cause.rule().number(), cause.offset());
        push(FindingRow { rule, offset, ..FindingRow::EMPTY });
    }
    envelope.findings(|finding| {
        if cause.as_ref().is_none_or(|cause| !cause.replaces(finding.rule())) {
            push(finding.into());
        }
    });
    (filled, cause.map(|cause| cause.reason().to_owned()).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use tautline::frame::{Frame, FramingKind};
    use tautline::{Envelope, Profile, Rule};
    use tautline_mcp::cause::rule;

    use super::{FindingRow, fill};

    fn found(line: &[u8]) -> (Vec<(u16, u8, u32)>, String) {
        let envelope = Envelope::read(Frame::from_line(line), &Profile::JSON_RPC);
        let mut rows = [FindingRow::EMPTY; 4];
        let (filled, words) = fill(&mut rows, &envelope, FramingKind::Ndjson);
        let rows = rows[..filled].iter().map(|row| (row.rule, row.severity, row.offset));
        (rows.collect(), words)
    }

    #[test]
    fn the_cause_of_a_fault_replaces_it() {
        let (rows, words) = found(b"{'id': 7, 'method': 'go'}");
        assert_eq!(rows, [(rule::LANGUAGE_REPR.number(), 0, 0)]);
        assert!(words.ends_with("the request \"go\" with the id 7 is lost"), "{words}");
        let (rows, words) = found(br#"{"jsonrpc":"2.0","id":7,"method":"go",}"#);
        assert_eq!((rows, words.as_str()), (vec![(Rule::NOT_JSON.number(), 0, 38)], ""));
        let (rows, _) = found(br#"{"jsonrpc":"2.0","id":7,"method":"go","x":1}"#);
        assert_eq!(rows, [(Rule::UNKNOWN_MEMBER.number(), 2, 38)]);
    }
}
