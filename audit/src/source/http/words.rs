//! The words of the findings on heads.

use tautline_mcp::http::{Field, Finding};
use tautline_mcp::rule;

use super::part::{self, value_of};
use crate::frame::FindingReport;

/// The number of characters that are shown of a value.
const LONGEST: usize = 100;

/// Reports a finding with its place in the body, and with the values that differ.
pub(super) fn report_of(finding: &Finding, headers: &[part::Field], body: &[u8]) -> FindingReport {
    let mut report = FindingReport::new(finding.rule(), finding.offset().map_or(0, u64::from));
    report.severity = finding.severity();
    let Some(field) = finding.field() else { return report };
    let value = value_of(headers, field.name()).filter(|_| field != Field::SessionId);
    let value = value.map(|value| format!("{:?}", shown(value)));
    let place = finding.offset().filter(|_| !body.is_empty());
    if let Some(at) = place {
        report.path = tautline::json::Path::at(body, at).to_string();
    }
    let rest = place.and_then(|at| body.get(usize::try_from(at).ok()?..));
    let due =
        rest.map(|rest| shown(rest.get(..crate::excerpt::token_length(rest)).unwrap_or(rest)));
    let words = match (finding.rule(), value, due) {
        (rule::HTTP_HEADER_MISMATCH, Some(value), Some(due)) => {
            format!("the header {field} is {value}, and the body has {due}")
        }
        (rule::HTTP_HEADER_MISSING, _, Some(due)) => {
            format!("the header {field} is missing, and the body has {due}")
        }
        (rule::HTTP_HEADER_MISSING, ..) => format!("the header {field} is missing"),
        (_, Some(value), _) => format!("{}: {field} is {value}", finding.message()),
        (_, None, _) => format!("{}: {field}", finding.message()),
    };
    report.explain(words);
    report
}

/// Returns a value from the wire, truncated.
fn shown(value: &[u8]) -> String {
    let text = String::from_utf8_lossy(value);
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => text.get(..end).unwrap_or(&text).to_owned() + "…",
        None => text.into_owned(),
    }
}
