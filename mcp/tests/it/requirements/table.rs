//! The table of requirements as data: `docs/requirements.toml`.

use serde::Deserialize;
use tautline_mcp::{KnownMethod, Revision, rule};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    requirement: Vec<Requirement>,
}

/// One demand of the specification.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    pub id: String,
    /// `from..to`, both optional, or one revision.
    #[serde(default)]
    pub revisions: String,
    pub level: String,
    pub clause: String,
    pub by: String,
    pub on: String,
    pub text: String,
    #[serde(default)]
    pub rules: Vec<String>,
    /// The reason why no rule checks it.
    pub not: Option<String>,
    /// The effort that a rule would take.
    pub note: Option<String>,
}

pub const REASONS: [(&str, &str); 6] = [
    ("inside-peer", "it concerns what a peer does with a message"),
    ("meaning", "it takes an understanding of the content"),
    ("timing", "it depends on durations, rates or resources that a peer chooses"),
    ("http", "it shows only in HTTP"),
    ("process", "it concerns the process, its standard error or its end"),
    ("future", "the wire shows it, but no rule looks yet"),
];

/// Returns the requirements in a text.
pub fn read(text: &str) -> Vec<Requirement> {
    toml::from_str::<Table>(text).unwrap_or_else(|error| panic!("{error}")).requirement
}

/// Returns whether a rule is one of those over both sides of a session, which the package `audit` checks.
pub fn is_of_audit(name: &str) -> bool {
    let both_sides = [
        rule::UNKNOWN_METHOD_CODE..=rule::PARSE_ERROR_CODE,
        rule::ERROR_CODE_MISUSED..=rule::TASK_POLLED_EARLY,
    ];
    rule::from_name(name).is_some_and(|rule| both_sides.iter().any(|rules| rules.contains(&rule)))
}

impl Requirement {
    pub fn holds_in(&self, revision: Revision) -> bool {
        let name = revision.name();
        match self.revisions.split_once("..") {
            Some((from, to)) => from <= name && (to.is_empty() || name <= to),
            None => self.revisions.is_empty() || self.revisions == name,
        }
    }

    /// Panics if something is wrong with it.
    pub fn check(&self) {
        let id = &self.id;
        let is_kebab = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        assert!(id.bytes().all(is_kebab), "{id}");
        let ends = self.revisions.split("..").filter(|end| !end.is_empty());
        for end in ends {
            assert!(end.parse::<Revision>().is_ok(), "{id}: {end} is not a revision");
        }
        assert!(Revision::ALL.iter().any(|&revision| self.holds_in(revision)), "{id} never holds");
        assert!(matches!(self.level.as_str(), "MUST" | "SHOULD"), "{id}: {}", self.level);
        assert!(matches!(self.by.as_str(), "client" | "server" | "both"), "{id}: {}", self.by);
        assert!(self.text.len() <= 130 && self.text.ends_with('.'), "{id}: {}", self.text);
        assert!(!self.clause.is_empty(), "{id}");
        for on in self.on.split(", ") {
            self.check_trigger(on);
        }
        for rule in &self.rules {
            assert!(rule::from_name(rule).is_some(), "{id}: there is no rule {rule}");
        }
        match &self.not {
            None => assert!(!self.rules.is_empty(), "{id} has neither rules nor a reason"),
            Some(reason) => {
                assert!(self.rules.is_empty(), "{id} has rules and a reason");
                assert!(REASONS.iter().any(|(known, _)| known == reason), "{id}: {reason}");
                assert_eq!(
                    reason == "future",
                    self.note.is_some(),
                    "{id}: a note goes with future"
                );
            }
        }
    }

    fn check_trigger(&self, on: &str) {
        let what = on.split_once(" with ").map_or(on, |(what, _)| what);
        let kinds = [
            "message",
            "request",
            "notification",
            "response",
            "result",
            "error",
            "batch",
            "frame",
            "session",
        ];
        let method = what.split(' ').next().unwrap();
        let rest = what.strip_prefix(method).unwrap().trim();
        let is_method = KnownMethod::ALL.iter().any(|known| known.name() == method)
            && matches!(rest, "" | "request" | "result" | "error");
        assert!(kinds.contains(&what) || is_method, "{}: {on}", self.id);
    }
}
