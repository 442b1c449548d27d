//! Answers that show a capability which the answering side has not declared.

use std::collections::BTreeMap;

use tautline::Severity;
use tautline_mcp::{Revision, rule};

use super::Seen;
use super::table::{Requirement, all, without_indexes};
use crate::frame::{FindingReport, Kind, MessageReport};

/// The maximum number of frames with such requests that are remembered.
const MOST_UNDECLARED: usize = 1024;

/// The requests that need a capability which their receiver has not declared. A result shows that it has the capability
/// nevertheless.
#[derive(Debug, Default)]
pub(super) struct Undeclared {
    /// By the number of the frame: the methods, each with the path of the member that needs the capability.
    requests: BTreeMap<u64, Vec<(String, String)>>,
}

impl Undeclared {
    /// Remembers a request of this frame if this finding on it is about a capability.
    pub fn add(&mut self, frame: u64, message: &MessageReport<'_>, finding: &FindingReport) {
        if let Some(method) = &message.method
            && message.kind == Kind::Request
            && finding.rule == rule::UNDECLARED_CAPABILITY
            && finding.severity != Severity::Note
        {
            // The method has no path, because it is a part of the envelope.
            let path = match finding.path.as_str() {
                "" => "method".to_owned(),
                path => without_indexes(path),
            };
            let request = (method.to_string(), path);
            self.requests.entry(frame).or_default().push(request);
            if self.requests.len() > MOST_UNDECLARED {
                self.requests.pop_first();
            }
        }
    }

    /// Returns the requirements to declare a capability that this answer shows to be broken.
    pub fn broken(
        &self,
        revision: Revision,
        seen: &Seen<'_>,
        message: &MessageReport<'_>,
    ) -> Vec<usize> {
        let Some(answered) = seen.answered else { return Vec::new() };
        let Some(requests) = self.requests.get(&answered.frame) else { return Vec::new() };
        let own = || requests.iter().filter(|(method, _)| *method == answered.method);
        let name = rule::name(rule::UNDECLARED_CAPABILITY);
        let topic = format!("{} {}", answered.method, message.kind.as_str());
        let is_shown = |one: &Requirement| {
            // The examples of a requirement show which member needs the capability.
            let is_place = |(rule, place): &(String, String)| {
                rule == name && own().any(|(_, path)| path == place)
            };
            one.rules.iter().any(|rule| rule == name)
                && one.holds_in(revision)
                && one.binds(seen.from)
                && one.on.iter().any(|on| on.topic() == topic)
                && one.places.iter().any(is_place)
        };
        let shown = all().iter().enumerate().filter(|(_, one)| is_shown(one));
        shown.map(|(at, _)| at).collect()
    }
}
