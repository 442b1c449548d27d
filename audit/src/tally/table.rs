//! The requirements of the specification, as a table: `requirements.json`, which a test generates from the repository's
//! `docs/requirements.toml`.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use tautline_mcp::{Revision, Role};

/// One requirement of the specification.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Requirement {
    /// A stable name.
    pub id: String,
    /// `from..to`, each of which may be missing, or one revision, or nothing for all.
    pub revisions: String,
    /// `MUST` or `SHOULD`.
    pub level: String,
    /// The side that is bound: `client`, `server` or `both`.
    pub by: String,
    /// The page and section, in the latest revision that contains it.
    pub clause: String,
    /// The messages that make it applicable.
    pub(super) on: Vec<Trigger>,
    /// The requirement, in words.
    pub text: String,
    /// The rules that report a breach.
    #[serde(default)]
    pub rules: Vec<String>,
    /// The reason why no rule reports a breach.
    #[serde(default)]
    pub not: Option<String>,
    /// The places at which examples report a breach: a rule and a path.
    #[serde(default)]
    pub(super) places: Vec<(String, String)>,
}

/// A kind of message.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Trigger {
    /// `message`, `request`, `session`, and so on, or a method.
    pub(super) what: String,
    /// With a method: its `request`, `result` or `error`.
    #[serde(default)]
    pub(super) part: Option<String>,
    /// The path of a member that must be there, from the message or from its params or result.
    #[serde(default)]
    pub(super) with: Option<String>,
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

/// The verdict on a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[expect(clippy::exhaustive_enums, reason = "an unseen requirement is neither passed nor failed")]
pub enum Status {
    /// It was applicable, and was not broken.
    Passed,
    /// A finding shows that it was broken.
    Failed,
    /// It was not applicable, no rule checks it, or a finding only casts doubt on it.
    NotObserved,
}

/// A requirement, and the verdict of a session on it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct RequirementRow {
    /// A stable name.
    pub id: &'static str,
    /// `MUST` or `SHOULD`.
    pub level: &'static str,
    /// The page and section of the specification.
    pub clause: &'static str,
    /// The side that is bound: `client`, `server` or `both`.
    pub by: &'static str,
    /// The requirement, in words.
    pub text: &'static str,
    /// The verdict.
    pub verdict: Status,
    /// The rules that report a breach.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub rules: &'static [String],
    /// The reason why no rule checks it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
}

impl Requirement {
    /// Returns whether a revision contains it.
    #[must_use]
    pub fn holds_in(&self, revision: Revision) -> bool {
        let name = revision.name();
        match self.revisions.split_once("..") {
            Some((from, to)) => from <= name && (to.is_empty() || name <= to),
            None => self.revisions.is_empty() || self.revisions == name,
        }
    }

    pub(super) fn binds(&self, role: Role) -> bool {
        self.by == "both" || self.by == role.name()
    }

    pub(super) fn why_not(&self) -> Option<&'static str> {
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
    /// Returns the topic that a message must have.
    pub(super) fn topic(&self) -> Cow<'_, str> {
        match &self.part {
            Some(part) => Cow::Owned(format!("{} {part}", self.what)),
            None => Cow::Borrowed(&self.what),
        }
    }
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
    use super::{all, without_indexes};

    #[test]
    fn the_table_can_be_read() {
        assert!(all().len() > 500, "{}", all().len());
    }

    #[test]
    fn indexes_are_left_out_of_paths() {
        assert_eq!(without_indexes("tools[12].a[0]"), "tools[].a[]");
        assert_eq!(without_indexes("a.b"), "a.b");
    }
}
