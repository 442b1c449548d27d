//! Plays a dialogue to a session and to the rules of its revision.

use serde_json::Value;
use tautline::{Envelope, Severity};
use tautline_mcp::session::Phase;
use tautline_mcp::{Era, Finding, Revision, Role, rule};

use super::expected::{Requests, text_of};
use super::script::Dialogue;
use crate::support::talk::{Watched, frame, handshake, session};

/// A finding that a dialogue may draw.
pub struct Justified {
    pub rule: &'static str,
    severity: Severity,
    by: By,
    pub because: &'static str,
}

/// The source of a finding.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// `Session::observe` alone.
    Session,
    /// `Revision::findings` too.
    Revision,
}

pub const JUSTIFIED: &[Justified] = &[
    Justified {
        rule: "unknown-method",
        severity: Severity::Note,
        by: By::Revision,
        because: "the page invents a method, or leaves open which notification is sent",
    },
    Justified {
        rule: "version-unsupported",
        severity: Severity::Error,
        by: By::Session,
        because: "the page has the server refuse the request, and the finding is the reason",
    },
    Justified {
        rule: "request-before-initialize",
        severity: Severity::Error,
        by: By::Session,
        because: "the page has the server refuse the request, and the finding is the reason",
    },
    Justified {
        rule: "response-late",
        severity: Severity::Note,
        by: By::Session,
        because: "the page describes the race: the response follows the cancellation",
    },
    Justified {
        rule: "cancel-unknown",
        severity: Severity::Note,
        by: By::Session,
        because: "the page describes the race: the cancellation follows the response",
    },
];

/// The revisions of a server, by the word after `supporting`.
const SUPPORTED: &[(&str, &[Revision])] =
    &[("legacy", &[Revision::V2025_11_25]), ("modern", &[Revision::V2026_07_28])];

/// Plays a dialogue.
///
/// # Errors
///
/// The first difference from what the dialogue expects.
pub fn play(dialogue: &Dialogue) -> Result<(), String> {
    let revision = dialogue.revision().parse().map_err(|error| format!("{error}"))?;
    let mut stage =
        Stage { session: session(8), revision, requests: Requests::default(), has_served: false };
    for line in &dialogue.lines {
        stage.line(line).map_err(|failure| format!("{line}\n    {failure}"))?;
    }
    let mut unanswered = Vec::new();
    stage.session.end(|_, finding| unanswered.push(finding));
    same("at the end", names(&unanswered), Vec::new())?;
    match dialogue.lines.last() {
        Some(line) if line.starts_with("phase ") => Ok(()),
        _ => stage.end(),
    }
}

struct Stage {
    session: Watched,
    /// The revision of the messages.
    revision: Revision,
    requests: Requests,
    /// True once the server has sent a result.
    has_served: bool,
}

impl Stage {
    fn line(&mut self, line: &str) -> Result<(), String> {
        let (word, rest) = line.split_once(' ').unwrap();
        match word {
            "open" => {
                // Objects in JSON have a comma in between.
                let (client, server) = rest.split_once("} {").unwrap();
                let (client, server) = (format!("{client}}}"), format!("{{{server}"));
                let opening = handshake("2025-11-25", &client, &server);
                opening
                    .lines()
                    .map(str::trim)
                    .filter(|l| !l.is_empty())
                    .try_for_each(|l| self.line(l))
            }
            "as" => {
                self.revision = rest.parse().unwrap();
                Ok(())
            }
            "supporting" => {
                let (_, supported) = SUPPORTED.iter().find(|(word, _)| *word == rest).unwrap();
                self.session = session(8).supporting(supported);
                Ok(())
            }
            "phase" => same("the phase", format!("{:?}", self.session.phase()), rest.to_owned()),
            _ => self.message(line),
        }
    }

    /// Checks the phase and the revision at the end.
    fn end(&self) -> Result<(), String> {
        let (phase, revision) = (self.session.phase(), self.session.revision());
        let is_right = match (self.revision.era(), self.has_served) {
            (Era::Legacy, _) => (phase, revision) == (Phase::Operating, Some(self.revision)),
            (Era::Modern, true) => (phase, revision) == (Phase::Modern, Some(self.revision)),
            (Era::Modern, false) => phase.era() == Some(Era::Modern),
        };
        match is_right {
            true => Ok(()),
            false => Err(format!("it ends as {phase:?} in {revision:?}")),
        }
    }

    fn message(&mut self, line: &str) -> Result<(), String> {
        let mut parts = line.split(" | ").map(str::trim);
        let (from, frame) = frame(parts.next().unwrap());
        let event = parts.next().filter(|event| !event.is_empty());
        let rule = parts.next().filter(|rule| !rule.is_empty());
        let justified = JUSTIFIED.iter().find(|justified| Some(justified.rule) == rule);
        if let (Some(rule), None) = (rule, justified) {
            return Err(format!("{rule} is not justified"));
        }
        let value: Value =
            serde_json::from_str(&frame).map_err(|error| format!("{error}: {frame}"))?;
        self.has_served |= from == Role::Server && value.get("result").is_some();
        let derived = self.requests.event_of(from, &value);
        let expected = event.map_or(derived, str::to_owned);
        let (event, by_revision, by_session) = self.show(from, &frame)?;
        let expected_findings = |by: &[By]| -> Vec<_> {
            let justified = justified.filter(|justified| by.contains(&justified.by));
            justified.map(|justified| (justified.rule, justified.severity)).into_iter().collect()
        };
        same(
            "by the session",
            names(&by_session),
            expected_findings(&[By::Session, By::Revision]),
        )?;
        same("by the revision", names(&by_revision), expected_findings(&[By::Revision]))?;
        same("the event", event, expected)
    }

    /// Shows one message to the session. Returns the event and the findings of the revision and of the session.
    fn show(
        &mut self,
        from: Role,
        frame: &str,
    ) -> Result<(String, Vec<Finding>, Vec<Finding>), String> {
        let frame = frame.as_bytes();
        let (mut in_envelope, mut by_revision, mut by_session) =
            (Vec::new(), Vec::new(), Vec::new());
        let profile = self.revision.profile();
        let envelope = Envelope::read(frame, &profile);
        envelope.findings(|finding| in_envelope.push(finding.rule()));
        let message = envelope.message().map_err(|fault| fault.to_string())?;
        same("in the envelope", in_envelope, Vec::new())?;
        self.revision.findings(&message, |finding| by_revision.push(finding));
        let event = self.session.observe(from, &message, |finding| by_session.push(finding));
        Ok((text_of(&event), by_revision, by_session))
    }
}

fn names(findings: &[Finding]) -> Vec<(&'static str, Severity)> {
    findings.iter().map(|finding| (rule::name(finding.rule()), finding.severity())).collect()
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, seen: T, expected: T) -> Result<(), String> {
    match seen == expected {
        true => Ok(()),
        false => Err(format!("{what}: {seen:?}, and not {expected:?}")),
    }
}
