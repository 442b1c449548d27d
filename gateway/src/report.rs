//! The reports to an operator: the names of counters, the line of the log, and the state of a request for access logs.

use std::fmt::{self, Write as _};
use std::num::NonZeroU16;

use tautline::Rule;
use tautline_mcp::Revision;
use tautline_mcp::http::Finding;

use crate::settings::{IdInLog, Settings};

/// The rules of the filter itself. Their numbers are those that tautline leaves to its users.
pub mod rule {
    use super::{NonZeroU16, Rule};

    /// The configuration denies the method.
    pub const METHOD_DENIED: Rule = numbered(1024);
    /// The configuration denies the tool.
    pub const TOOL_DENIED: Rule = numbered(1025);
    /// A body has a `Content-Encoding`, so it cannot be judged.
    pub const BODY_ENCODED: Rule = numbered(1026);
    /// The proxy did not show the body.
    pub const BODY_UNSEEN: Rule = numbered(1027);

    /// The ids of a request are too long to be kept, so its response cannot be judged.
    pub const IDS_TOO_LONG: Rule = numbered(1028);

    /// Other bodies take the memory that a body would need to be judged.
    pub const MEMORY_FULL: Rule = numbered(1029);

    /// A request other than a POST has a body.
    pub const BODY_UNEXPECTED: Rule = numbered(1030);

    const fn numbered(number: u16) -> Rule {
        match NonZeroU16::new(number) {
            Some(number) => Rule::from_number(number),
            None => Rule::FRAME_TOO_LONG,
        }
    }

    /// Returns whether this is a rule of the filter.
    #[must_use]
    pub const fn is_own(rule: Rule) -> bool {
        rule.number() >= METHOD_DENIED.number()
    }

    /// Returns the name of a rule, also of one that is not the filter's.
    #[must_use]
    pub const fn name(rule: Rule) -> &'static str {
        match rule.number() {
            1024 => "method-denied",
            1025 => "tool-denied",
            1026 => "body-encoded",
            1027 => "body-unseen",
            1028 => "ids-too-long",
            1029 => "memory-full",
            1030 => "body-unexpected",
            _ => tautline_mcp::rule::name(rule),
        }
    }
}

/// The side of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "an exchange has two sides")]
pub enum Side {
    /// The request of a client.
    Request,
    /// The response of a server.
    Response,
}

/// The outcome for a request, a body of a response, or an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// It keeps to the rules.
    Accepted,
    /// It was refused, or removed from a stream.
    Refused,
    /// It would have been refused, but is only reported.
    WouldRefuse,
    /// It was passed on unjudged.
    Unjudged,
    /// It ended before it could be judged, because a peer has gone.
    Aborted,
    /// It is a request of a path that is not judged.
    Elsewhere,
}

impl Outcome {
    /// All outcomes.
    pub const ALL: &[Self] = &[
        Self::Accepted,
        Self::Refused,
        Self::WouldRefuse,
        Self::Unjudged,
        Self::Aborted,
        Self::Elsewhere,
    ];

    /// Returns the name in counters, logs and states.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Refused => "refused",
            Self::WouldRefuse => "would_refuse",
            Self::Unjudged => "unjudged",
            Self::Aborted => "aborted",
            Self::Elsewhere => "elsewhere",
        }
    }
}

impl Side {
    /// Both sides.
    pub const ALL: &[Self] = &[Self::Request, Self::Response];

    /// Returns the name in counters and logs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Response => "response",
        }
    }

    /// Returns the name of the counter of an outcome, such as `tautline.request.refused`.
    #[must_use]
    pub fn counter(self, outcome: Outcome, settings: &Settings) -> String {
        format!("{}.{}.{}", settings.counters, self.name(), outcome.name())
    }
}

/// Returns the name of the counter of a rule, such as `tautline.rule.http-header-mismatch`.
#[must_use]
pub fn rule_counter(rule: Rule, settings: &Settings) -> String {
    format!("{}.rule.{}", settings.counters, rule::name(rule))
}

/// A rule that is broken, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The rule.
    pub rule: Rule,
    /// The finding, unless the rule is one of the filter.
    pub finding: Option<Finding>,
}

impl From<Finding> for Cause {
    fn from(finding: Finding) -> Self {
        Self { rule: finding.rule(), finding: Some(finding) }
    }
}

impl From<Rule> for Cause {
    fn from(rule: Rule) -> Self {
        Self { rule, finding: None }
    }
}

/// The facts of an exchange. Nothing else of its messages is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The JSON-RPC method of a request that was accepted or denied, and the tool, prompt, resource or task that it names.
    /// Both are written as `Mcp-Method` and `Mcp-Name` would be.
    pub method: String,
    /// See `method`.
    pub name: String,
    /// The revision.
    pub revision: Option<Revision>,
    /// The id, as JSON.
    pub id: String,
}

/// A line of the log for an outcome that is not [`Outcome::Accepted`], in the form `key=value`. It has nothing of the
/// messages but the id, as the settings want it.
pub struct Line<'a> {
    /// The side.
    pub side: Side,
    /// The outcome.
    pub outcome: Outcome,
    /// The cause.
    pub cause: Option<Cause>,
    /// The status of the reply, if there is one.
    pub status: Option<u16>,
    /// The facts.
    pub facts: &'a Facts,
    /// The settings.
    pub settings: &'a Settings,
}

/// The number of bytes of an id that a line has at most.
const LONGEST_ID: usize = 64;

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.side.name(), self.outcome.name())?;
        if let Some(cause) = self.cause {
            write!(f, " rule={}", rule::name(cause.rule))?;
            if let Some(field) = cause.finding.and_then(|finding| finding.field()) {
                write!(f, " header={field}")?;
            }
            if let Some(offset) = cause.finding.and_then(|finding| finding.offset()) {
                write!(f, " at={offset}")?;
            }
        }
        if let Some(status) = self.status {
            write!(f, " status={status}")?;
        }
        if let Some(revision) = self.facts.revision {
            write!(f, " revision={}", revision.name())?;
        }
        let id = self.facts.id.as_str();
        if !id.is_empty() {
            match self.settings.log {
                IdInLog::None => {}
                IdInLog::Hash => write!(f, " id={:016x}", self.settings.hashed(id.as_bytes()))?,
                IdInLog::Plain => {
                    f.write_str(" id=")?;
                    let end = (0..=LONGEST_ID).rev().find(|end| id.is_char_boundary(*end));
                    let shown = end.filter(|end| *end < id.len()).and_then(|end| id.get(..end));
                    let shown = shown.unwrap_or(id);
                    // What a terminal or a reader of lines could misread is escaped.
                    for character in shown.chars() {
                        match character {
                            ' '..='~' => f.write_char(character)?,
                            other => write!(f, "{}", other.escape_unicode())?,
                        }
                    }
                    if shown.len() < id.len() {
                        f.write_char('…')?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The names of the states of a request, and of the headers that repeat them to the server.
///
/// Envoy's access logs and its other filters find a state as `wasm.` and its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "two names")]
pub struct StateName {
    /// The name of the state.
    pub state: &'static str,
    /// The name of the header.
    pub header: &'static str,
}

/// The state of a request, for access logs, rate limits and access control.
pub const STATES: [StateName; 5] = [
    StateName { state: "tautline.verdict", header: "x-tautline-verdict" },
    StateName { state: "tautline.rule", header: "x-tautline-rule" },
    StateName { state: "tautline.revision", header: "x-tautline-revision" },
    StateName { state: "tautline.method", header: "x-tautline-method" },
    StateName { state: "tautline.name", header: "x-tautline-name" },
];

/// Returns the values of [`STATES`]. An unknown value is empty.
#[must_use]
pub fn state(outcome: Outcome, cause: Option<Cause>, facts: &Facts) -> [&str; 5] {
    [
        outcome.name(),
        cause.map_or("", |cause| rule::name(cause.rule)),
        facts.revision.map_or("", Revision::name),
        &facts.method,
        &facts.name,
    ]
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU16;

    use tautline::Rule;
    use tautline_mcp::Revision;

    use super::{Cause, Facts, Line, Outcome, STATES, Side, rule, rule_counter, state};
    use crate::settings::Settings;

    fn settings(json: &str) -> Settings {
        Settings::parse(json.as_bytes()).unwrap_or_else(|error| panic!("{json}: {error}"))
    }

    fn line(settings: &str, id: &str) -> String {
        let settings = self::settings(settings);
        let facts = Facts { id: id.to_owned(), ..Facts::default() };
        let line = Line {
            side: Side::Request,
            outcome: Outcome::Refused,
            cause: Some(rule::TOOL_DENIED.into()),
            status: Some(403),
            facts: &facts,
            settings: &settings,
        };
        line.to_string()
    }

    #[test]
    fn a_line_has_the_id_as_the_settings_want_it() {
        let start = "request refused rule=tool-denied status=403";
        let plain = |id: &str| line(r#"{"log":{"id":"plain"}}"#, id);
        assert_eq!(plain("7"), format!("{start} id=7"));
        assert_eq!(plain(""), start);
        assert_eq!(line(r#"{"log":{"id":"none"}}"#, "7"), start);
        let hashed = line("{}", "7");
        assert_eq!(hashed.len(), format!("{start} id=0123456789abcdef").len(), "{hashed}");
        let key = r#"{"log":{"key":"000102030405060708090a0b0c0d0e0f"}}"#;
        assert_ne!(line(key, "7"), hashed);
        // A long id is cut between characters.
        let long = format!("\"{}é{}\"", "x".repeat(62), "y".repeat(100));
        assert_eq!(plain(&long), format!("{start} id=\"{}…", "x".repeat(62)));
        assert_eq!(plain("\"\u{2028}é\""), format!("{start} id=\"\\u{{2028}}\\u{{e9}}\""));
    }

    #[test]
    fn each_rule_of_the_filter_has_a_name_of_its_own() {
        let mut names: Vec<_> = (1024..1031)
            .filter_map(|number| NonZeroU16::new(number).map(Rule::from_number))
            .chain(tautline_mcp::rule::all())
            .map(rule::name)
            .collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(!names.contains(&"unknown-rule"));
        let counter = rule_counter(rule::METHOD_DENIED, &settings(r#"{"counters":"a.b"}"#));
        assert_eq!(counter, "a.b.rule.method-denied");
    }

    #[test]
    fn the_state_is_in_the_order_of_its_names() {
        let facts = Facts {
            method: "tools/call".to_owned(),
            name: "read".to_owned(),
            revision: Some(Revision::V2026_07_28),
            id: "7".to_owned(),
        };
        let cause = Some(Cause::from(rule::TOOL_DENIED));
        let values = state(Outcome::Refused, cause, &facts);
        let found: Vec<_> = STATES.iter().map(|name| name.state).zip(values).collect();
        let expected = [
            ("tautline.verdict", "refused"),
            ("tautline.rule", "tool-denied"),
            ("tautline.revision", "2026-07-28"),
            ("tautline.method", "tools/call"),
            ("tautline.name", "read"),
        ];
        assert_eq!(found, expected);
        assert_eq!(state(Outcome::Accepted, None, &Facts::default()), ["accepted", "", "", "", ""]);
    }
}
