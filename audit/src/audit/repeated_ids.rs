//! Ids that a response repeats from its request.

use std::collections::BTreeSet;

use tautline::Rule;
use tautline_mcp::Role;

use crate::frame::{Kind, MessageReport};

/// The maximum number of ids that are remembered, and their maximum length in bytes.
const MOST: usize = 1024;
const LONGEST: usize = 256;

/// The rules about ids that are legal, and that some peers handle wrongly.
const RULES: [Rule; 3] = [Rule::ID_NULL, Rule::ID_NOT_PLAIN_INTEGER, Rule::ID_UNSAFE_INTEGER];

/// The ids of requests on which there was a finding. The response must have the same id, so it is not to blame.
#[derive(Debug, Default)]
pub(super) struct RepeatedIds {
    /// Each as it was written, and whether the client has chosen it.
    ids: BTreeSet<(bool, String)>,
}

impl RepeatedIds {
    /// Remembers the id of a request of this side that has a finding, or removes the finding on the id of a response that
    /// repeats one.
    pub fn observe(&mut self, from: Role, message: &mut MessageReport<'_>) {
        let is_of_id = |rule: Rule| RULES.contains(&rule);
        if !message.findings.iter().any(|finding| is_of_id(finding.rule)) {
            return;
        }
        let id = message.id.as_deref().unwrap_or("null");
        let is_response = matches!(message.kind, Kind::Result | Kind::Error);
        if is_response && self.ids.remove(&(from == Role::Server, id.to_owned())) {
            message.findings.retain(|finding| !is_of_id(finding.rule));
        } else if message.kind == Kind::Request && self.ids.len() < MOST && id.len() <= LONGEST {
            self.ids.insert((from == Role::Client, id.to_owned()));
        }
    }
}
