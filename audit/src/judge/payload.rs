//! Names that an object in the payload has again.

use tautline::envelope::Outcome;
use tautline::{Message, Rule};

use crate::frame::{FindingReport, Named};

/// Reports the names that an object in the payload has again, at any depth, except those at the offsets in `reported`.
pub(super) fn report_repeated_names(
    message: &Message<'_>,
    reported: &[u64],
    report: &mut dyn FnMut(FindingReport),
) {
    let (payload, span) = match message {
        Message::Request(request) => (request.params(), request.call().params_span()),
        Message::Notification(note) => (note.params(), note.call().params_span()),
        Message::Response(response) => match response.outcome() {
            Outcome::Result(result) => (Some(result), response.result_span()),
            Outcome::Error(error) => (error.data(), error.data_span()),
        },
        Message::Batch(_) => return,
    };
    let start = span.map_or(0, |span| u64::from(span.start()));
    for name in payload.map(|payload| payload.repeated_names()).unwrap_or_default() {
        let at = start + u64::from(name.offset());
        // Peers act on some members, whose repetition is an error of its own.
        if !reported.contains(&at) {
            report(FindingReport::of_repeated_name(at));
        }
    }
}

/// Returns whether the schema has the same rule, for each member by itself.
pub(super) fn is_part_of_a_shape(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::MissingParams
            | Rule::MissingMeta
            | Rule::MetaType
            | Rule::MissingResultType
            | Rule::DuplicateNestedMember
    )
}

/// Returns the offsets of a rule's findings.
pub(super) fn offset_of_repeated(finding: &FindingReport) -> Option<u64> {
    let is_repeated = finding.rule == Named::Rule(Rule::DuplicateNestedMember);
    is_repeated.then(|| finding.column - 1)
}
