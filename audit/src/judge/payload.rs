//! Duplicate names in the objects of a payload.

use tautline::json::{NameSlot, RepeatedName};
use tautline::{Message, Outcome, RawJson, Rule};

use crate::frame::FindingReport;

/// The number of slots that are kept from one message to the next.
const KEPT: usize = 1 << 14;

/// The number of slots that make the search in a short payload faster.
const LEAST: usize = 64;

/// Finds repeated names, in space that all messages share.
#[derive(Debug, Default)]
pub(super) struct Names {
    scratch: Vec<NameSlot>,
}

impl Names {
    /// Reports the duplicate names in objects of the payload, at any depth, except those at the offsets in `reported`.
    pub fn report_repeated(
        &mut self,
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
        let Some(payload) = payload else { return };
        for name in self.all_in(&payload) {
            let at = start + u64::from(name.offset());
            // Peers act on some members. Repeating those is a separate error.
            if !reported.contains(&at) {
                report(FindingReport::of_repeated_name(at));
            }
        }
    }

    /// Returns the duplicate names in the objects of the value, in the order of the text.
    fn all_in(&mut self, value: &RawJson<'_>) -> Vec<RepeatedName> {
        let mut names = Vec::new();
        while let Err(too_many) =
            value.repeated_names_in(&mut self.scratch, |name| names.push(name))
        {
            names.clear();
            let needed = too_many.needed.next_power_of_two().max(LEAST);
            self.scratch.resize(needed, NameSlot::EMPTY);
        }
        if self.scratch.len() > KEPT {
            self.scratch = Vec::new();
        }
        names.sort_unstable();
        names
    }
}

/// Returns the offset of a duplicate name that is already reported because peers act on it.
pub(super) fn offset_of_repeated(finding: &FindingReport) -> Option<u64> {
    let is_repeated = finding.rule == Rule::DUPLICATE_NESTED_MEMBER;
    is_repeated.then(|| finding.column - 1)
}
