//! One stream of messages, checked against the rules of one protocol.

use tautline::{ErrorCode, Message, Profile, Severity};
use tautline_mcp::judge::is_part_of_a_shape;
use tautline_mcp::shape::Shapes;
use tautline_mcp::{Finding, ParamsView, Revision, request_error};

use super::Judge;
use super::payload::{Names, offset_of_repeated};
use super::pending::Pending;
use crate::frame::FindingReport;

/// A judge of the messages of a log that has no directions.
#[derive(Debug)]
pub struct OneSide {
    profile: Profile,
    revision: Option<Revision>,
    /// The state between messages, if payloads are checked.
    payloads: Option<Payloads>,
}

#[derive(Debug, Default)]
struct Payloads {
    /// The requests that wait for a response.
    pending: Pending,
    names: Names,
}

impl OneSide {
    /// Creates a judge of envelopes and, if there is a revision, of what MCP adds to them.
    #[must_use]
    pub const fn new(profile: Profile, revision: Option<Revision>) -> Self {
        Self { profile, revision, payloads: None }
    }

    /// Creates a judge that also checks payloads, against the schema of the revision.
    #[must_use]
    pub fn with_payloads(profile: Profile, revision: Option<Revision>) -> Self {
        Self { profile, revision, payloads: Some(Payloads::default()) }
    }
}

impl Judge for OneSide {
    fn profile(&self) -> Profile {
        self.profile
    }

    fn message(
        &mut self,
        message: &Message<'_>,
        _params: Option<&ParamsView<'_>>,
        report: &mut dyn FnMut(FindingReport),
    ) -> Option<ErrorCode> {
        let mut repeated = Vec::new();
        let mut refusal = None;
        if let Some(revision) = self.revision {
            let report = &mut |finding: FindingReport| {
                repeated.extend(offset_of_repeated(&finding));
                report(finding);
            };
            let pending = self.payloads.as_mut().map(|payloads| &mut payloads.pending);
            refusal = of_revision(message, revision, pending, report);
        }
        if let Some(payloads) = &mut self.payloads {
            payloads.names.report_repeated(message, &repeated, report);
        }
        refusal.filter(|_| matches!(message, Message::Request(_)))
    }
}

/// Reports the findings of a revision on a message, below the envelope and, if there is `pending`, against its schema.
/// Returns the error with which the receiver refuses a request.
fn of_revision(
    message: &Message<'_>,
    revision: Revision,
    pending: Option<&mut Pending>,
    report: &mut dyn FnMut(FindingReport),
) -> Option<ErrorCode> {
    let mut found: Vec<Finding> = Vec::new();
    revision.findings(message, |finding| found.push(finding));
    let errors = found.iter().filter(|finding| finding.severity() == Severity::Error);
    let refusal = errors.filter_map(|finding| request_error(finding.rule())).next();
    if let Some(pending) = pending {
        let answered = pending.observe(message, revision);
        Shapes::of(revision).check(message, answered, |finding| {
            let is_same = |other: &Finding| {
                is_part_of_a_shape(other.rule()) && other.offset() == finding.offset()
            };
            found.retain(|other| !is_same(other));
            report(FindingReport::of(&finding).in_payload());
        });
    }
    found.iter().for_each(|finding| report(FindingReport::of(finding)));
    refusal
}
