//! The rules, with their explanations and examples, as `tautline explain` shows them.

use serde::Serialize;
use tautline::Rule;
use tautline_audit::source::{Header, RecordingWriter, Stream};
use tautline_audit::{Example, Step, example_of};
use tautline_mcp::Role;
use tautline_mcp::cause::HINTS;
use tautline_mcp::rule;

/// A rule.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct RuleRow {
    /// Its name.
    pub name: &'static str,
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// True if it is an error as the cause of a fault.
    pub is_hint: bool,
    /// Its meaning.
    pub summary: &'static str,
    /// The clause of the specification.
    pub clause: &'static str,
    /// The remedy.
    pub help: &'static str,
    /// A dialogue that breaks it, if a recording can show one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<ExampleRow>,
}

/// A dialogue that breaks a rule.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct ExampleRow {
    /// The rules that it is checked against.
    pub rules: &'static str,
    /// Its lines, for people.
    pub lines: Vec<&'static str>,
    /// The dialogue as a recording, unless it breaks the rule only under settings that the page does not have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recording: Option<String>,
}

/// Returns all rules.
#[must_use]
pub fn all() -> Vec<RuleRow> {
    rule::all().map(row).collect()
}

fn row(rule: Rule) -> RuleRow {
    RuleRow {
        name: rule::name(rule),
        severity: rule::severity(rule).name(),
        is_hint: HINTS.contains(&rule),
        summary: rule::summary(rule),
        clause: rule::spec_ref(rule),
        help: rule::help(rule),
        example: example_of(rule).map(|example| ExampleRow {
            rules: example.rules,
            lines: example.lines().collect(),
            recording: recording_of(&example),
        }),
    }
}

/// Returns an example as a recording.
fn recording_of(example: &Example) -> Option<String> {
    if example.limit.is_some() {
        return None;
    }
    let header = match example.is_http {
        true => Header::of_http("http://localhost/mcp".to_owned()),
        false => Header::new(example.framing),
    };
    let mut writer = RecordingWriter::new(Vec::new(), header).ok()?;
    for (us, step) in (0..).step_by(1000).zip(example.steps()) {
        match step {
            Step::Send(Role::Client, bytes) => writer.bytes(us, Stream::Client, &bytes),
            Step::Send(Role::Server, bytes) => writer.bytes(us, Stream::Server, &bytes),
            Step::Part(number, part) => writer.part(us, number, &part),
            Step::Exit(code) => writer.exit(us, i32::try_from(code).ok()?),
            _ => return None,
        }
        .ok()?;
    }
    String::from_utf8(writer.into_inner()).ok()
}

#[cfg(test)]
mod tests {
    use super::all;
    use crate::request::Request;

    #[test]
    fn the_recording_of_an_example_breaks_its_rule() {
        let rows = all();
        assert!(rows.len() > 200);
        let mut recordings = 0;
        for row in &rows {
            assert!(!row.summary.is_empty() && !row.clause.is_empty() && !row.help.is_empty());
            let Some(example) = &row.example else { continue };
            let Some(recording) = &example.recording else { continue };
            let rules = example.rules;
            let request: Request = serde_json::from_str(&format!(
                r#"{{"files":["example"],"rules":"{rules}","source":"recording","framing":""}}"#
            ))
            .unwrap();
            let answer = request.run(|_| recording.as_bytes()).unwrap();
            let mut found = answer.document.findings.iter();
            assert!(found.any(|finding| finding.rule == row.name), "{}", row.name);
            recordings += 1;
        }
        assert!(recordings > 200, "{recordings} of {}", rows.len());
    }
}
