//! Counts over a session: totals, the named audits, the requirements, the latencies.

pub mod audits;
mod latency;
pub mod requirements;
pub(crate) mod table;
mod undeclared;

use std::collections::BTreeMap;

pub use latency::LatencyRow;
use tautline::Severity;
use tautline_mcp::{Revision, Role};

use self::audits::Audits;
use self::latency::Latencies;
use self::requirements::Requirements;
use crate::frame::{FrameReport, Kind};
use crate::judge::Answered;

/// A frame, and what the counters need to know about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen<'a> {
    pub number: u64,
    pub from: Role,
    pub line: Option<u64>,
    pub revision: Option<Revision>,
    pub report: &'a FrameReport<'a>,
    /// Its bytes, if they are there.
    pub bytes: &'a [u8],
    /// The request that it answers.
    pub answered: Option<&'a Answered>,
    /// The requirements on answers that it meets.
    pub met: &'a [&'static str],
}

impl<'a> Seen<'a> {
    /// Returns the method of the request that it answers.
    pub fn answered_method(&self) -> Option<&'a str> {
        self.answered.map(|answered| answered.method.as_str())
    }
}

/// The frames of one side by kind, and the totals.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub kinds: BTreeMap<(bool, Kind), u64>,
    pub frames: u64,
    pub bytes: u64,
    /// The findings of each rule, by severity.
    pub rules: BTreeMap<(Severity, &'static str), u64>,
    /// The findings that the baseline accepts.
    pub accepted: u64,
    pub audits: Audits,
    pub requirements: Requirements,
    pub latencies: Latencies,
}

impl Tally {
    /// Counts a frame, with its findings before any of them were removed.
    pub fn count(&mut self, seen: &Seen<'_>) {
        self.frames += 1;
        self.bytes += seen.report.length;
        let kind = seen.report.message.kind;
        *self.kinds.entry((seen.from == Role::Client, kind)).or_default() += 1;
    }

    /// Counts what a frame that was judged means for the audits and the requirements.
    pub fn judge(&mut self, seen: &Seen<'_>) {
        self.audits.count(seen);
        self.requirements.count(seen);
    }

    /// Returns the number of findings of this severity.
    pub fn of_severity(&self, severity: Severity) -> u64 {
        let rules = self.rules.iter().filter(|((other, _), _)| *other == severity);
        rules.map(|(_, count)| count).sum()
    }
}
