//! Requirements on HTTP. For each, `exchanges.txt` has dialogues in which it is broken and met.

use tautline::Severity;
use tautline_audit::source::http::Exchanges;
use tautline_audit::source::{Event, Place};
use tautline_audit::tally::requirements::Status;
use tautline_audit::{Audit, Document, Options, Step};

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// The dialogues.
pub(super) const EXCHANGES: &str = include_str!("exchanges.txt");

/// A dialogue, and the expected verdict on it.
#[derive(Debug, Default)]
pub(super) struct Dialogue {
    pub line: usize,
    pub requirement: String,
    verdict: String,
    expected: Vec<String>,
    /// The lines, as examples have them.
    pub text: String,
}

impl Dialogue {
    /// Returns whether it breaks its requirement.
    pub fn is_breach(&self) -> bool {
        self.verdict == "failed"
    }
}

pub(super) fn dialogues(text: &str) -> Vec<Dialogue> {
    let mut dialogues: Vec<Dialogue> = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        if let Some((requirement, verdict)) =
            text.strip_prefix("# ").and_then(|head| head.split_once(' '))
        {
            let (requirement, verdict) = (requirement.to_owned(), verdict.to_owned());
            dialogues.push(Dialogue { line, requirement, verdict, ..Dialogue::default() });
            continue;
        }
        let Some(dialogue) = dialogues.last_mut().filter(|_| !text.is_empty()) else { continue };
        match text.strip_prefix("! ") {
            Some(rule) => dialogue.expected.push(rule.to_owned()),
            None => dialogue.text += &lines_of(text),
        }
    }
    dialogues
}

/// Returns the lines that a line stands for.
fn lines_of(text: &str) -> String {
    const TYPES: &str =
        "> Content-Type: application/json\n> Accept: application/json, text/event-stream\n";
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    match word {
        "modern" => {
            let (method, name) = rest.split_once(' ').unwrap_or((rest, ""));
            let name =
                if name.is_empty() { String::new() } else { format!("> Mcp-Name: {name}\n") };
            format!(
                "> POST /mcp\n{TYPES}> MCP-Protocol-Version: 2026-07-28\n> Mcp-Method: {method}\n{name}"
            )
        }
        "legacy" => {
            let (revision, id) = rest.split_once(' ').unwrap();
            format!(
                "> POST /mcp\n{TYPES}> MCP-Protocol-Version: {revision}\n> Mcp-Session-Id: {id}\n"
            )
        }
        "json" => format!("< {rest}\n< Content-Type: application/json\n<\n"),
        "events" => {
            "< 200\n< Content-Type: text/event-stream\n< X-Accel-Buffering: no\n<\n".to_owned()
        }
        _ => text.replace("META", META) + "\n",
    }
}

/// Audits exchanges.
pub(super) fn audit(text: String) -> Document {
    let options = Options::default();
    let mut exchanges = Exchanges::new(None, options.max_frame);
    let mut audit = Audit::new(options);
    for step in Step::of_exchanges(text.leak()) {
        let Step::Part(number, part) = step else { unreachable!() };
        let receive = &mut |_, event: Event<'_>, place| audit.event(event, place, &mut ());
        exchanges.part(number, &part, Place::default(), receive).unwrap();
    }
    audit.finish(Vec::new(), &mut ()).unwrap()
}

#[test]
fn the_requirements_on_http_are_judged() {
    let mut wrong = Vec::new();
    for dialogue in dialogues(EXCHANGES) {
        let Dialogue { line, requirement, verdict, expected, text } = dialogue;
        let document = audit(text);
        let loud = document.findings.iter().filter(|finding| finding.severity != Severity::Note);
        let found: Vec<&str> = loud.map(|finding| finding.rule).collect();
        let row = document.requirements.iter().find(|row| row.id == requirement);
        let due = match verdict.as_str() {
            "failed" => Status::Failed,
            "passed" => Status::Passed,
            "not-observed" => Status::NotObserved,
            other => panic!("line {line}: {other}"),
        };
        let is = row.map(|row| row.verdict);
        if found != expected || is != Some(due) {
            wrong.push(format!("line {line}, {requirement}: {is:?}, {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
