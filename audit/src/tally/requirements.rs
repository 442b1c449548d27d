//! The requirements of the specification: which of them a session has met, broken, or never come to.
//!
//! The table is `requirements.json`, which a test makes from the repository's `docs/requirements.toml`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tautline::mcp::Role;
use tautline::{Revision, Severity};

use super::Seen;
use crate::frame::{FindingReport, Kind, MessageReport};

/// One demand of the specification.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Requirement {
    /// A name that stays.
    pub id: String,
    /// `from..to`, each of which may be missing, or one revision, or nothing for all.
    pub revisions: String,
    /// `MUST` or `SHOULD`.
    pub level: String,
    /// Who is bound: `client`, `server` or `both`.
    pub by: String,
    /// The page and section, in the latest revision that has it.
    pub clause: String,
    /// The messages that make it applicable.
    on: Vec<Trigger>,
    /// What holds for correct messages.
    pub text: String,
    /// The rules that report a breach.
    #[serde(default)]
    pub rules: Vec<String>,
    /// The reason why no rule does.
    #[serde(default)]
    pub not: Option<String>,
    /// Where a breach is reported in a message, as far as examples tell: a rule and a path.
    #[serde(default)]
    places: Vec<(String, String)>,
}

/// A kind of message.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Trigger {
    /// `message`, `request`, `session`, and so on, or a method.
    what: String,
    /// With a method: its `request`, `result` or `error`.
    #[serde(default)]
    part: Option<String>,
    /// The path of a member that must be there, from the message or from its params or result.
    #[serde(default)]
    with: Option<String>,
}

static TABLE: LazyLock<Vec<Requirement>> = LazyLock::new(|| {
    // A test reads the same text.
    serde_json::from_str(include_str!("requirements.json")).unwrap_or_default()
});

/// Returns all requirements of the five revisions.
#[must_use]
pub fn all() -> &'static [Requirement] {
    &TABLE
}

/// Whether a session has met a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::exhaustive_enums, reason = "what is not seen is neither")]
pub enum Status {
    /// It was applicable, and nothing has broken it.
    Passed,
    /// A finding shows that it was broken.
    Failed,
    /// It was not applicable, or no rule looks.
    NotObserved,
}

/// A requirement, and what a session has made of it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct RequirementRow {
    /// A name that stays.
    pub id: &'static str,
    /// `MUST` or `SHOULD`.
    pub level: &'static str,
    /// The page and section of the specification.
    pub clause: &'static str,
    /// Who is bound: `client`, `server` or `both`.
    pub by: &'static str,
    /// What holds for correct messages.
    pub text: &'static str,
    /// Whether the session has met it.
    pub verdict: Status,
    /// The rules that report a breach.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub rules: &'static [String],
    /// Why no rule looks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

impl Requirement {
    /// Returns whether a revision has it.
    #[must_use]
    pub fn holds_in(&self, revision: Revision) -> bool {
        let name = revision.name();
        match self.revisions.split_once("..") {
            Some((from, to)) => from <= name && (to.is_empty() || name <= to),
            None => self.revisions.is_empty() || self.revisions == name,
        }
    }

    fn binds(&self, role: Role) -> bool {
        self.by == "both" || self.by == role.name()
    }

    fn why_not(&self) -> Option<&'static str> {
        Some(match self.not.as_deref()? {
            "inside-peer" => "it concerns what a peer does with a message",
            "meaning" => "it takes an understanding of the content",
            "timing" => "it depends on durations, rates or resources that a peer chooses",
            "http" => "it shows only in HTTP",
            "process" => "it concerns the process, its standard error or its end",
            _ => "no rule looks yet",
        })
    }
}

impl Trigger {
    fn fits(&self, seen: &Seen<'_>, message: &MessageReport<'_>) -> bool {
        let kind = message.kind;
        let is_response = matches!(kind, Kind::Result | Kind::Error);
        match self.what.as_str() {
            "frame" | "session" => return true,
            "message" => return kind != Kind::Invalid,
            "request" if kind == Kind::Request => {}
            "notification" if kind == Kind::Notification => {}
            "response" if is_response => {}
            "result" if kind == Kind::Result => {}
            "error" if kind == Kind::Error => {}
            "batch" => return kind == Kind::Batch,
            method => {
                let is_part = match self.part.as_deref() {
                    None => true,
                    Some(part) => part == kind.as_str(),
                };
                let called = if is_response { seen.answered } else { message.method.as_deref() };
                if !is_part || called != Some(method) {
                    return false;
                }
            }
        }
        match &self.with {
            None => true,
            Some(path) => has_member(seen.bytes, path),
        }
    }
}

/// Returns whether a message has a member: its path is that from the message, from its params, or from its result.
fn has_member(message: &[u8], path: &str) -> bool {
    type Members<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;
    fn has(object: &str, path: &str) -> bool {
        let Ok(members) = serde_json::from_str::<Members<'_>>(object) else { return false };
        // A name may have dots in it.
        members.iter().any(|(name, value)| match path.strip_prefix(name.as_ref()) {
            Some("") => true,
            Some(rest) => rest.strip_prefix('.').is_some_and(|rest| has(value.get(), rest)),
            None => false,
        })
    }
    let Ok(text) = std::str::from_utf8(message) else { return false };
    let Ok(members) = serde_json::from_str::<Members<'_>>(text) else { return false };
    let payload = members.get("params").or_else(|| members.get("result"));
    has(text, path) || payload.is_some_and(|payload| has(payload.get(), path))
}

/// The requirements so far. Each is looked at by its index in the table.
#[derive(Debug, Default)]
pub(crate) struct Requirements {
    /// The revisions in which messages were seen.
    revisions: Vec<Revision>,
    /// Those of the table that are checked and were not yet observed, for each revision above.
    unobserved: Vec<Vec<usize>>,
    observed: BTreeMap<usize, Status>,
}

impl Requirements {
    pub(super) fn count(&mut self, seen: &Seen<'_>) {
        let Some(revision) = seen.revision else { return };
        let index = match self.revisions.iter().position(|&other| other == revision) {
            Some(index) => index,
            None => {
                let is_checked = |requirement: &Requirement| {
                    requirement.not.is_none() && requirement.holds_in(revision)
                };
                let checked = all().iter().enumerate().filter(|(_, one)| is_checked(one));
                self.unobserved.push(checked.map(|(at, _)| at).collect());
                self.revisions.push(revision);
                self.revisions.len() - 1
            }
        };
        let Self { unobserved, observed, .. } = self;
        let Some(unobserved) = unobserved.get_mut(index) else { return };
        for message in seen.report.messages() {
            unobserved.retain(|&at| {
                let applies = all().get(at).is_some_and(|requirement| {
                    requirement.binds(seen.from)
                        && requirement.on.iter().any(|on| on.fits(seen, message))
                });
                if applies {
                    observed.entry(at).or_insert(Status::Passed);
                }
                !applies
            });
            for finding in &message.findings {
                if finding.severity != Severity::Note {
                    for at in broken(finding, revision, seen, message) {
                        observed.insert(at, Status::Failed);
                    }
                }
            }
        }
    }

    /// Returns a row for each requirement of the revisions that were seen.
    pub fn rows(&self) -> Vec<RequirementRow> {
        let holds = |requirement: &Requirement| {
            self.revisions.iter().any(|&revision| requirement.holds_in(revision))
        };
        let table = all().iter().enumerate().filter(|(_, requirement)| holds(requirement));
        table
            .map(|(at, requirement)| RequirementRow {
                id: &requirement.id,
                level: &requirement.level,
                clause: &requirement.clause,
                by: &requirement.by,
                text: &requirement.text,
                verdict: self.observed.get(&at).copied().unwrap_or(Status::NotObserved),
                rules: &requirement.rules,
                reason: requirement.why_not(),
            })
            .collect()
    }
}

/// Returns the requirements that a finding shows to be broken.
///
/// A rule may stand for many. Those count that the message is about; and among them, if examples tell where a breach is
/// reported, those for whose breach this is the place.
fn broken(
    finding: &FindingReport,
    revision: Revision,
    seen: &Seen<'_>,
    message: &MessageReport<'_>,
) -> Vec<usize> {
    let name = finding.rule.name();
    let path = without_indexes(&finding.path);
    let candidates: Vec<(usize, bool)> = all()
        .iter()
        .enumerate()
        .filter(|(_, one)| one.rules.iter().any(|rule| rule == name))
        .filter(|(_, one)| one.holds_in(revision) && one.binds(seen.from))
        .filter(|(_, one)| one.on.iter().any(|on| on.fits(seen, message)))
        .map(|(at, one)| {
            (at, one.places.iter().any(|(rule, place)| rule == name && *place == path))
        })
        .collect();
    let has_exact = candidates.iter().any(|&(_, is_exact)| is_exact);
    let counts = |&(at, is_exact): &(usize, bool)| (is_exact || !has_exact).then_some(at);
    candidates.iter().filter_map(counts).collect()
}

/// Returns a path without the numbers of array elements: `tools[3].name` as `tools[].name`.
pub(crate) fn without_indexes(path: &str) -> String {
    let mut plain = String::with_capacity(path.len());
    let mut is_index = false;
    for c in path.chars() {
        is_index = is_index && c != ']';
        if !is_index {
            plain.push(c);
        }
        is_index |= c == '[';
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::{all, has_member, without_indexes};

    #[test]
    fn the_table_can_be_read() {
        assert!(all().len() > 500, "{}", all().len());
    }

    #[test]
    fn members_are_found_below_the_message_and_its_payload() {
        let message = br#"{"id":1,"params":{"a":{"b.c":null},"_meta":{"x.io/y":1}}}"#;
        for (path, expected) in [
            ("params", true),
            ("params.a", true),
            ("a", true),
            ("a.b.c", true),
            ("_meta.x.io/y", true),
            ("params._meta.x.io/y", true),
            ("b", false),
            ("a.b", false),
            ("params.a.b.c.d", false),
        ] {
            assert_eq!(has_member(message, path), expected, "{path}");
        }
        assert!(!has_member(b"not JSON", "a"));
    }

    #[test]
    fn indexes_are_left_out_of_paths() {
        assert_eq!(without_indexes("tools[12].a[0]"), "tools[].a[]");
        assert_eq!(without_indexes("a.b"), "a.b");
    }
}
