//! The report of one finding, for any format.

use serde::Serialize;
use tautline::Rule;
use tautline::frame::Desync;
use tautline::rule::{Finding, Severity};

/// A finding and its position in the file.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FindingReport {
    #[serde(serialize_with = "rule_name")]
    pub rule: Named,
    #[serde(serialize_with = "severity_name")]
    pub severity: Severity,
    /// In bytes, from the start of the file; `None` if the frame was joined from several lines.
    pub offset: Option<u64>,
    /// In bytes, from 1 at the start of the frame.
    pub column: u64,
    pub message: &'static str,
    pub spec_ref: &'static str,
}

/// A rule, its severity, and the exact violation.
pub type FindingKind = (Named, Severity, &'static str);

/// The subject of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Named {
    /// A rule that a frame violates.
    Rule(Rule),
    /// The input ends within a frame.
    Unfinished,
    /// The reason why the framing lost its place.
    Desync(Desync),
}

impl FindingReport {
    pub fn of(finding: &Finding, frame_offset: u64) -> Self {
        let at = u64::from(finding.offset());
        Self {
            severity: finding.severity(),
            message: finding.message(),
            ..Self::new(Named::Rule(finding.rule()), frame_offset, at)
        }
    }

    pub fn new(rule: Named, frame_offset: u64, at: u64) -> Self {
        Self {
            rule,
            severity: rule.severity(),
            offset: Some(frame_offset + at),
            column: at + 1,
            message: rule.summary(),
            spec_ref: rule.spec_ref(),
        }
    }

    /// Returns the kind, which is shared by findings that report the same violation in different places.
    pub fn kind(&self) -> FindingKind {
        (self.rule, self.severity, self.message)
    }
}

impl Named {
    pub fn name(self) -> &'static str {
        match self {
            Self::Rule(rule) => rule.name(),
            Self::Unfinished => "unfinished-frame",
            Self::Desync(cause) => cause.name(),
        }
    }

    fn severity(self) -> Severity {
        match self {
            Self::Rule(rule) => rule.severity(),
            Self::Unfinished | Self::Desync(_) => Severity::Error,
        }
    }

    fn summary(self) -> &'static str {
        match self {
            Self::Rule(rule) => rule.summary(),
            Self::Unfinished => "the wire ends before this frame does",
            Self::Desync(cause) => cause.summary(),
        }
    }

    fn spec_ref(self) -> &'static str {
        match self {
            Self::Rule(rule) => rule.spec_ref(),
            Self::Unfinished => "LSP, base protocol; HTML, server-sent events; RFC 8259, section 2",
            Self::Desync(cause) => cause.spec_ref(),
        }
    }

    pub fn help(self) -> &'static str {
        match self {
            Self::Rule(rule) => rule.help(),
            Self::Unfinished => {
                "write all of the body, the blank line after the event, or the last bracket"
            }
            Self::Desync(cause) => cause.help(),
        }
    }
}

fn rule_name<S: serde::Serializer>(rule: &Named, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(rule.name())
}

fn severity_name<S: serde::Serializer>(
    severity: &Severity,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(severity.name())
}
