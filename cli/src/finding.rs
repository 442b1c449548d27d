//! The report of one finding, for any format.

use std::fmt;

use serde::Serialize;
use tautline::Rule;
use tautline::frame::Desync;
use tautline::json::Paths;
use tautline::rule::{Finding, Severity};
use tautline::shape::Expected;

/// A finding and its position in the file.
#[derive(Clone, Debug, Serialize)]
pub struct FindingReport {
    #[serde(serialize_with = "rule_name")]
    pub rule: Named,
    #[serde(serialize_with = "severity_name")]
    pub severity: Severity,
    /// In bytes, from the start of the file; `None` if the frame was joined from several lines.
    pub offset: Option<u64>,
    /// In bytes, from 1 at the start of the frame.
    pub column: u64,
    #[serde(skip)]
    is_of_payload: bool,
    /// The path of the position in the message, if that is below the envelope.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    #[serde(serialize_with = "message")]
    pub message: Message,
    pub spec_ref: &'static str,
}

/// The fault, in general and in this place.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    general: &'static str,
    expected: Option<Expected>,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.expected {
            Some(expected) => expected.fmt(f),
            None => f.write_str(self.general),
        }
    }
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
            message: Message { general: finding.message(), expected: None },
            ..Self::new(Named::Rule(finding.rule()), frame_offset, at)
        }
    }

    /// Reports a finding of a revision, with what is expected in its place, if that is in the payload.
    pub fn of_payload(finding: &Finding, expected: Option<Expected>, frame_offset: u64) -> Self {
        let mut report = Self::of(finding, frame_offset);
        let has_place = matches!(finding.rule(), Rule::MetaType | Rule::DuplicateNestedMember);
        report.is_of_payload = expected.is_some() || has_place;
        report.message.expected = expected;
        report
    }

    /// Reports a name that an object in the payload has again.
    pub fn of_repeated_name(frame_offset: u64, at: u64) -> Self {
        let rule = Named::Rule(Rule::DuplicateInnerMember);
        Self { is_of_payload: true, ..Self::new(rule, frame_offset, at) }
    }

    /// Adds the path of the position in its frame, if it is below the envelope.
    pub fn locate(&mut self, paths: &mut Paths<'_>) {
        if self.is_of_payload {
            let at = u32::try_from(self.column - 1).unwrap_or(u32::MAX);
            self.path = paths.seek(at).to_string();
        }
    }

    pub fn new(rule: Named, frame_offset: u64, at: u64) -> Self {
        Self {
            rule,
            severity: rule.severity(),
            offset: Some(frame_offset + at),
            column: at + 1,
            is_of_payload: false,
            path: String::new(),
            message: Message { general: rule.summary(), expected: None },
            spec_ref: rule.spec_ref(),
        }
    }

    /// Returns the kind, which is shared by findings that report the same violation in different places.
    pub fn kind(&self) -> FindingKind {
        (self.rule, self.severity, self.message.general)
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

fn message<S: serde::Serializer>(message: &Message, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(message)
}

fn severity_name<S: serde::Serializer>(
    severity: &Severity,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(severity.name())
}
