//! The verdicts on requirements contradict no finding, whatever the two sides send.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use tautline::Severity;
use tautline_audit::source::{Ending, Event, Place};
use tautline_audit::tally::requirements::{Status, all};
use tautline_audit::{Audit, Document, Example, Options, Step, example_of};
use tautline_mcp::{Revision, Role, rule};

/// What the documentation says about a requirement: the rules, the side, and the messages that it is about.
struct Stated {
    rules: Vec<String>,
    by: String,
    on: Vec<String>,
    revisions: String,
}

/// The requirements by id, read from the documentation and not from the table of the library.
static STATED: LazyLock<BTreeMap<String, Stated>> = LazyLock::new(|| {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/requirements.toml");
    let table: toml::Table = std::fs::read_to_string(path).unwrap().parse().unwrap();
    let rows = table["requirement"].as_array().unwrap();
    rows.iter()
        .map(|row| {
            let text = |name: &str| row.get(name).map_or("", |value| value.as_str().unwrap());
            let rules = row.get("rules").and_then(|rules| rules.as_array());
            let rules = rules.into_iter().flatten().map(|rule| rule.as_str().unwrap().to_owned());
            let stated = Stated {
                rules: rules.collect(),
                by: text("by").to_owned(),
                on: text("on").split(", ").map(str::to_owned).collect(),
                revisions: text("revisions").to_owned(),
            };
            (text("id").to_owned(), stated)
        })
        .collect()
});

impl Stated {
    fn holds_in(&self, revision: &str) -> bool {
        match self.revisions.split_once("..") {
            Some((from, to)) => from <= revision && (to.is_empty() || revision <= to),
            None => self.revisions.is_empty() || self.revisions == revision,
        }
    }

    /// Returns whether a finding on a frame speaks against the requirement: it is of one of the rules, against a side
    /// that is bound, and on a message of a kind that the requirement is about, as far as its method shows.
    fn is_contradicted(&self, finding: &tautline_audit::document::Finding) -> bool {
        let Some(method) = &finding.method else { return false };
        let is_about = |on: &String| on == method || on == "message" || on == "frame";
        self.rules.iter().any(|rule| rule == finding.rule)
            && finding.from.is_some_and(|from| self.by == "both" || self.by == from)
            && self.on.iter().any(is_about)
    }
}

/// Fails if a requirement is passed beside a finding against it.
fn check(document: &Document, what: &dyn Fn() -> String) {
    let mut revisions = document.sessions.iter().filter_map(|session| session.revision);
    // With several revisions, a requirement may be one of another revision than the finding's.
    let (Some(revision), None) = (revisions.next(), revisions.next()) else { return };
    for row in document.requirements.iter().filter(|row| row.verdict == Status::Passed) {
        let stated = &STATED[row.id];
        if !stated.holds_in(revision) {
            continue;
        }
        for finding in &document.findings {
            // A note breaks nothing.
            if finding.severity != Severity::Note && stated.is_contradicted(finding) {
                panic!("{} is passed beside {finding:?}\n{}", row.id, what());
            }
        }
    }
}

/// A pseudo-random sequence (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) as usize % end
    }
}

type Sent = (Role, Vec<u8>);

/// All examples of rules that are sessions of lines.
fn examples() -> Vec<Vec<Sent>> {
    let sent = |example: Example| {
        let steps = example.steps().into_iter();
        let sent = steps.filter_map(|step| match step {
            Step::Send(from, bytes) => Some((from, bytes)),
            _ => None,
        });
        sent.collect::<Vec<_>>()
    };
    let examples = rule::all().filter_map(example_of);
    examples.filter(|example| example.rules == "auto").map(sent).collect()
}

/// Changes a session: frames are dropped, repeated, swapped, sent by the other side or taken from another session, and
/// words in them are replaced.
fn mutate(dice: &mut Dice, all: &[Vec<Sent>]) -> Vec<Sent> {
    const WORDS: [(&str, &str); 12] = [
        ("\"2.0\"", "2.0"),
        ("\"id\":1", "\"id\":null"),
        ("\"id\":1", "\"id\":1.5"),
        ("\"id\":1", "\"Id\":1"),
        ("\"result\":", "\"error\":"),
        ("\"params\":{", "\"params\":[],\"x\":{"),
        ("\"name\":", "\"nome\":"),
        ("{}", "[]"),
        ("\"type\":\"text\"", "\"type\":\"txt\""),
        ("-32601", "-32603"),
        ("tools/", "prompts/"),
        ("2025-11-25", "2025-06-18"),
    ];
    let mut session = all[dice.below(all.len())].clone();
    for _ in 0..=dice.below(3) {
        if session.is_empty() {
            break;
        }
        let at = dice.below(session.len());
        match dice.below(7) {
            0 => drop(session.remove(at)),
            1 => session.insert(at, session[at].clone()),
            2 => session[at].0 = session[at].0.other(),
            3 => {
                let other = dice.below(session.len());
                session.swap(at, other);
            }
            4 => {
                let other = &all[dice.below(all.len())];
                if let Some(frame) = other.get(dice.below(other.len().max(1))) {
                    session.insert(at, frame.clone());
                }
            }
            _ => {
                let (old, new) = WORDS[dice.below(WORDS.len())];
                let text = String::from_utf8_lossy(&session[at].1).replacen(old, new, 1);
                session[at].1 = text.into_bytes();
            }
        }
    }
    session
}

fn audit(session: &[Sent], exit: Option<Ending>) -> Document {
    let mut audit = Audit::new(Options::default());
    for (from, bytes) in session {
        audit.event(Event::Bytes { from: *from, bytes }, Place::default(), &mut ()).unwrap();
    }
    if let Some(ending) = exit {
        let event = Event::End { how: "exited".to_owned(), ending };
        audit.event(event, Place::default(), &mut ()).unwrap();
    }
    audit.finish(Vec::new(), &mut ()).unwrap()
}

#[test]
fn no_requirement_is_passed_beside_a_finding_against_it() {
    let all = examples();
    let volume = std::env::var("TAUTLINE_TEST_VOLUME").ok().and_then(|text| text.parse().ok());
    let count = 3_000.0 * volume.unwrap_or(1.0);
    let mut dice = Dice(7);
    let mut breaches = 0;
    for number in 0..count as usize {
        let session = mutate(&mut dice, &all);
        let exit = [None, Some(Ending::Normal), Some(Ending::Failed)][dice.below(3)];
        let document = audit(&session, exit);
        breaches += usize::from(document.totals.errors > 0);
        check(&document, &|| {
            let lines = session
                .iter()
                .map(|(from, bytes)| format!("{} {}", from.name(), String::from_utf8_lossy(bytes)));
            format!("session {number}:\n{}", lines.collect::<String>())
        });
    }
    assert!(breaches > count as usize / 2, "most sessions have errors: {breaches}");
}

#[test]
fn a_breach_of_each_must_fails_a_requirement() {
    // An error in an example fails a requirement, unless no requirement has the rule.
    let mut idle = Vec::new();
    for rule in rule::all() {
        let name = rule::name(rule);
        let Some(example) = example_of(rule).filter(|example| example.rules == "auto") else {
            continue;
        };
        let steps = example.steps().into_iter();
        let sent = steps.filter_map(|step| match step {
            Step::Send(from, bytes) => Some((from, bytes)),
            _ => None,
        });
        let document = audit(&sent.collect::<Vec<_>>(), Some(Ending::Normal));
        let Some(finding) = document.findings.iter().find(|finding| finding.rule == name) else {
            continue;
        };
        if finding.severity == Severity::Note {
            continue;
        }
        let revision = document.sessions[0].revision.or(document.sessions[0].assumed_revision);
        let Some(revision) = revision else { continue };
        let revision: Revision = revision.parse().unwrap();
        let has_rule = |one: &&tautline_audit::tally::requirements::Requirement| {
            one.rules.iter().any(|rule| rule == name) && one.holds_in(revision)
        };
        if !all().iter().any(|one| has_rule(&one)) {
            continue;
        }
        let is_failed = document
            .requirements
            .iter()
            .any(|row| row.verdict == Status::Failed && row.rules.iter().any(|rule| rule == name));
        if !is_failed {
            idle.push(format!("{name} fails nothing in {}: {finding:?}", revision.name()));
        }
    }
    assert!(idle.is_empty(), "{}", idle.join("\n"));
}
