//! The findings around a message: about the method, the headers or the status.

use tautline_mcp::Role;

use super::checks::Checked;
use crate::frame::FindingReport;

/// The findings around the next message of a side, or around none.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HeadReport {
    /// The side that has sent the head.
    pub from: Role,
    /// The method of the call in the request.
    pub method: Option<String>,
    /// The findings.
    pub findings: Vec<FindingReport>,
    /// True if the next frame of the side belongs to the head.
    pub has_frame: bool,
    /// The requirements that the head shows to be met or broken.
    pub(crate) checked: Vec<Checked>,
}

impl HeadReport {
    pub(super) const fn of(from: Role) -> Self {
        Self { from, method: None, findings: Vec::new(), has_frame: false, checked: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.findings.is_empty() && self.checked.is_empty()
    }

    /// Adds the findings of another head of the same side, unless a rule is already broken.
    pub(super) fn add(&mut self, other: Self) {
        let is_new = |one: &FindingReport| self.findings.iter().all(|own| own.rule != one.rule);
        let new: Vec<_> = other.findings.into_iter().filter(is_new).collect();
        self.findings.extend(new);
        self.checked.extend(other.checked);
    }
}
