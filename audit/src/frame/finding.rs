//! The report of one finding, for any format.

use std::fmt;

use serde::Serialize;
use tautline::frame::FramingKind;
use tautline::json::Paths;
use tautline::{Rule, Severity};
use tautline_mcp::cause::{Cause, LostMessage};
use tautline_mcp::shape::Expected;
use tautline_mcp::{Finding, rule};

/// A finding and its position.
#[derive(Clone, Debug, Serialize)]
pub struct FindingReport {
    /// The rule.
    #[serde(serialize_with = "rule_name")]
    pub rule: Rule,
    /// How severe it is.
    #[serde(serialize_with = "severity_name")]
    pub severity: Severity,
    /// In bytes, from the start of the file; `None` if the frame was joined from several lines.
    pub offset: Option<u64>,
    /// In bytes, from 1 at the start of the frame.
    pub column: u64,
    #[serde(skip)]
    is_of_payload: bool,
    /// The requirement that it breaks, if the rule alone does not identify it.
    #[serde(skip)]
    pub(crate) requirement: Option<&'static str>,
    /// The path of the position in the message, if the position is below the envelope.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// What is wrong.
    #[serde(serialize_with = "message")]
    pub message: Text,
    /// The clause of the specification that contains the rule.
    pub spec_ref: &'static str,
    /// The remedy.
    #[serde(skip)]
    pub help: &'static str,
    /// The framing that would find the messages, if it is another one than that in use.
    #[serde(skip)]
    pub framing: Option<FramingKind>,
    /// The rule that the frame breaks, if `rule` is the [cause](Cause) of that.
    #[serde(skip)]
    pub(crate) fault: Option<Rule>,
    /// The rule about the same member that is not reported, because this finding on the schema includes it.
    #[serde(skip)]
    pub(crate) part: Option<Rule>,
    /// The messages that are lost for this cause.
    #[serde(skip)]
    pub(crate) lost: Vec<LostMessage>,
}

/// The text of a fault, in general and for this place.
#[derive(Clone, Debug)]
pub struct Text {
    general: &'static str,
    here: Option<Here>,
}

/// A fault, described for its place.
#[derive(Clone, Debug)]
enum Here {
    Expected(Expected),
    Words(String),
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.here {
            Some(Here::Expected(expected)) => expected.fmt(f),
            Some(Here::Words(words)) => f.write_str(words),
            None => f.write_str(self.general),
        }
    }
}

/// A rule, its severity, and what is wrong in general.
pub type FindingKind = (Rule, Severity, &'static str);

impl FindingReport {
    /// Creates the report of a broken rule at this offset in its frame, in bytes.
    #[must_use]
    pub fn new(rule: Rule, at: u64) -> Self {
        Self {
            rule,
            severity: rule::severity(rule),
            offset: Some(at),
            column: at + 1,
            is_of_payload: false,
            requirement: None,
            path: String::new(),
            message: Text { general: rule::summary(rule), here: None },
            spec_ref: rule::spec_ref(rule),
            help: rule::help(rule),
            framing: None,
            fault: None,
            part: None,
            lost: Vec::new(),
        }
    }

    /// Reports the cause of a fault, as severe as the fault.
    pub(super) fn of_cause(cause: &Cause, fault: Rule) -> Self {
        let mut finding = Self::new(cause.rule(), cause.offset().into());
        finding.severity = Severity::Error;
        finding.framing = cause.framing();
        finding.help = cause.help();
        finding.fault = Some(fault);
        finding.lost = cause.lost().to_vec();
        if cause.is_about_this_place() {
            finding.explain(cause.reason().to_owned());
        }
        finding
    }

    pub(crate) fn of(finding: &Finding) -> Self {
        Self {
            severity: finding.severity(),
            is_of_payload: finding.has_path(),
            part: finding.part(),
            message: Text {
                general: finding.message(),
                here: finding.expected().map(Here::Expected),
            },
            ..Self::new(finding.rule(), finding.offset().map_or(0, u64::from))
        }
    }

    /// Reports a duplicate name in an object in the payload.
    pub(crate) fn of_repeated_name(at: u64) -> Self {
        Self { is_of_payload: true, ..Self::new(Rule::DUPLICATE_INNER_MEMBER, at) }
    }

    /// Reports these words instead of the summary of its rule.
    pub(crate) fn with_words(mut self, words: String) -> Self {
        self.explain(words);
        self
    }

    /// Notes that the place is in the payload, so that it has a path.
    pub(crate) fn in_payload(self) -> Self {
        Self { is_of_payload: true, ..self }
    }

    /// Names the requirement that is broken.
    pub(crate) fn of_requirement(mut self, id: &'static str) -> Self {
        self.requirement = Some(id);
        self
    }

    /// Replaces the words.
    pub(crate) fn explain(&mut self, words: String) {
        self.message.here = Some(Here::Words(words));
    }

    /// Moves it to the start of its frame.
    pub(super) fn at_start(self) -> Self {
        Self { offset: Some(0), column: 1, ..self }
    }

    /// Adds the offset of its frame.
    pub(super) fn in_frame_at(mut self, frame: u64) -> Self {
        self.offset = self.offset.map(|offset| offset + frame);
        self
    }

    /// Adds the path of the position in its frame, if it is below the envelope.
    pub(super) fn locate(&mut self, paths: &mut Paths<'_>) {
        if self.is_of_payload {
            let at = u32::try_from(self.column - 1).unwrap_or(u32::MAX);
            self.path = paths.seek(at).to_string();
        }
    }

    /// Returns what is wrong, without anything from the wire.
    pub(crate) fn stable_words(&self) -> String {
        match &self.message.here {
            Some(Here::Expected(expected)) => expected.to_string(),
            Some(Here::Words(_)) | None => self.message.general.to_owned(),
        }
    }

    /// Returns the kind, which is shared by findings that report the same in different places.
    #[must_use]
    pub fn kind(&self) -> FindingKind {
        (self.rule, self.severity, self.message.general)
    }
}

fn rule_name<S: serde::Serializer>(rule: &Rule, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(rule::name(*rule))
}

fn message<S: serde::Serializer>(message: &Text, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(message)
}

pub(crate) fn severity_name<S: serde::Serializer>(
    severity: &Severity,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(severity.name())
}
