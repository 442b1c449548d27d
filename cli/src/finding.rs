//! What is said of one finding, in any format.

use serde::Serialize;
use tautline::Rule;
use tautline::envelope::{Finding, Severity};
use tautline::frame::Desync;

/// A finding, and where it is in the file.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FindingReport {
    #[serde(serialize_with = "rule_name")]
    pub rule: Named,
    #[serde(serialize_with = "severity_name")]
    pub severity: Severity,
    /// In bytes, from the start of the file; `None` where the frame was put together out of lines.
    pub offset: Option<u64>,
    /// In bytes, from 1 at the start of the frame.
    pub column: u64,
    pub message: &'static str,
    pub clause: &'static str,
}

/// A rule, how much it matters, and what exactly was found.
pub type FindingKind = (Named, Severity, &'static str);

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Named {
    /// A rule that a frame has broken.
    Rule(Rule),
    /// The wire ends within a frame.
    Unfinished,
    /// What made the framing lose its place.
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
            message: rule.meaning(),
            clause: rule.clause(),
        }
    }

    /// Returns what findings have in common that say the same of different places.
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

    fn meaning(self) -> &'static str {
        match self {
            Self::Rule(rule) => rule.meaning(),
            Self::Unfinished => "the wire ends before this frame does",
            Self::Desync(cause) => cause.meaning(),
        }
    }

    fn clause(self) -> &'static str {
        match self {
            Self::Rule(rule) => rule.clause(),
            Self::Unfinished => "LSP, base protocol; HTML, server-sent events; RFC 8259, section 2",
            Self::Desync(cause) => cause.clause(),
        }
    }

    pub fn help(self) -> &'static str {
        match self {
            Self::Rule(rule) => rule.help(),
            Self::Unfinished => {
                "write all of the body, the blank line behind the event, or the last bracket"
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
