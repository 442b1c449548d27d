//! Requirements on the answers to requests that cannot succeed. For each, `refusals.txt` has dialogues in which it is
//! broken, met and not observed.

use std::collections::BTreeSet;

use tautline::Rule;
use tautline_audit::source::{Event, Place};
use tautline_audit::{Audit, Document, Options};
use tautline_mcp::{Role, rule};

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// A dialogue, and the expected verdict on it.
pub(super) struct Dialogue<'a> {
    pub(super) line: usize,
    requirement: &'a str,
    verdict: &'a str,
    /// The findings of rules over both sides, with their severities.
    expected: BTreeSet<String>,
    pub(super) frames: Vec<(Role, String)>,
    /// The time of each frame, in microseconds, if frames have times.
    pub(super) times: Vec<Option<i64>>,
}

impl Dialogue<'_> {
    /// Returns whether it is about this requirement, and breaks it.
    pub(super) fn fails(&self, id: &str) -> bool {
        self.requirement == id && self.verdict == "failed"
    }
}

pub(super) fn dialogues(text: &str) -> Vec<Dialogue<'_>> {
    let mut dialogues: Vec<Dialogue<'_>> = Vec::new();
    let mut time = None;
    for (line, text) in (1..).zip(text.lines()) {
        if let Some(head) = text.strip_prefix("# ") {
            let (requirement, verdict) = head.split_once(' ').unwrap();
            let (expected, frames, times) = (BTreeSet::new(), Vec::new(), Vec::new());
            dialogues.push(Dialogue { line, requirement, verdict, expected, frames, times });
            time = None;
            continue;
        }
        let Some((mark, rest)) = text.split_once(' ') else { continue };
        let Some(dialogue) = dialogues.last_mut() else { continue };
        let rest = rest.replace("META", META);
        match mark {
            "!" => drop(dialogue.expected.insert(rest)),
            ">" => dialogue.frames.push((Role::Client, rest)),
            "<" => dialogue.frames.push((Role::Server, rest)),
            "at" => time = Some(1000 * rest.strip_suffix(" ms").unwrap().parse::<i64>().unwrap()),
            "handshake" => dialogue.frames.extend(handshake(&rest)),
            "discover" => dialogue.frames.extend(discover(&rest)),
            _ => panic!("line {line}: {text}"),
        }
        dialogue.times.resize(dialogue.frames.len(), time);
    }
    dialogues
}

/// Returns the messages that open a session. `text` has the revision and the capabilities of both sides.
fn handshake(text: &str) -> [(Role, String); 3] {
    let mut words = text.split(' ');
    let mut word = || words.next().unwrap();
    let (version, client, server) = (word(), word(), word());
    let info = r#"{"name":"n","version":"1"}"#;
    [
        (
            Role::Client,
            format!(
                r#"{{"jsonrpc":"2.0","id":"open","method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{client},"clientInfo":{info}}}}}"#
            ),
        ),
        (
            Role::Server,
            format!(
                r#"{{"jsonrpc":"2.0","id":"open","result":{{"protocolVersion":"{version}","capabilities":{server},"serverInfo":{info}}}}}"#
            ),
        ),
        (Role::Client, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned()),
    ]
}

/// Returns the request `server/discover`, and its result with these capabilities.
fn discover(server: &str) -> [(Role, String); 2] {
    [
        (
            Role::Client,
            format!(
                r#"{{"jsonrpc":"2.0","id":"open","method":"server/discover","params":{{{META}}}}}"#
            ),
        ),
        (
            Role::Server,
            format!(
                r#"{{"jsonrpc":"2.0","id":"open","result":{{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{server},"serverInfo":{{"name":"n","version":"1"}},"ttlMs":0,"cacheScope":"private"}}}}"#
            ),
        ),
    ]
}

fn audit(Dialogue { frames, times, .. }: &Dialogue<'_>) -> Document {
    let mut audit = Audit::new(Options::default());
    for ((from, text), time) in frames.iter().zip(times) {
        let bytes = format!("{text}\n");
        let event = Event::Bytes { from: *from, bytes: bytes.as_bytes() };
        let place = Place { time: *time, ..Place::default() };
        audit.event(event, place, &mut ()).unwrap();
    }
    audit.finish(Vec::new(), &mut ()).unwrap()
}

/// Returns whether only the request and its answer show a breach of the rule.
fn is_about_both_sides(rule: Rule) -> bool {
    (rule::UNKNOWN_METHOD_CODE..=rule::PROCESS_FAILED).contains(&rule)
        || (rule::ERROR_CODE_MISUSED..=rule::TASK_POLLED_EARLY).contains(&rule)
}

#[test]
fn each_dialogue_has_its_verdict() {
    for dialogue in dialogues(include_str!("refusals.txt")) {
        let document = audit(&dialogue);
        let is_of_session = |name: &str| rule::from_name(name).is_some_and(is_about_both_sides);
        let found: BTreeSet<String> = document
            .findings
            .iter()
            .filter(|finding| is_of_session(finding.rule))
            .map(|finding| format!("{} {}", finding.rule, finding.severity.name()))
            .collect();
        let (line, id) = (dialogue.line, dialogue.requirement);
        assert_eq!(found, dialogue.expected, "line {line}, {id}");
        let row = document.requirements.iter().find(|row| row.id == id);
        let verdict = serde_json::to_value(row.unwrap().verdict).unwrap();
        assert_eq!(verdict, dialogue.verdict, "line {line}, {id}");
    }
}

/// Each requirement that a rule over both sides checks has a dialogue for each verdict.
#[test]
fn each_requirement_on_answers_has_dialogues() {
    let dialogues = dialogues(include_str!("refusals.txt"));
    let is_of_session = |name: &String| rule::from_name(name).is_some_and(is_about_both_sides);
    for one in tautline_audit::tally::requirements::all() {
        if !one.rules.iter().any(is_of_session) {
            continue;
        }
        for verdict in ["failed", "passed", "not-observed"] {
            let has_one = dialogues
                .iter()
                .any(|dialogue| dialogue.requirement == one.id && dialogue.verdict == verdict);
            assert!(has_one, "{} {verdict}", one.id);
        }
    }
}
