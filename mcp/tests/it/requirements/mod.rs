//! The requirements of the specification: their table, and for each requirement that a rule checks, a recording that
//! breaks it.
//!
//! With `TAUTLINE_BLESS=1`, `docs/requirements.md` is rewritten.

#[path = "../../support/dialogues.rs"]
mod dialogues;
mod findings;
mod page;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tautline::{Rule, Severity};
use tautline_mcp::{Revision, rule};

use self::dialogues::DIALOGUES;
use self::table::{Requirement, is_of_audit};

/// Returns the table, read from the repository.
fn requirements() -> Vec<Requirement> {
    table::read(&file("docs/requirements.toml"))
}

fn file(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_table_is_consistent() {
    let (mut ids, mut texts) = (BTreeSet::new(), BTreeSet::new());
    for requirement in requirements() {
        requirement.check();
        assert!(ids.insert(requirement.id.clone()), "{} is there twice", requirement.id);
        let text =
            (requirement.text.clone(), requirement.revisions.clone(), requirement.level.clone());
        assert!(texts.insert(text), "{} repeats another one", requirement.id);
    }
}

/// Rules about the method, the headers and the status around a message. The tests in `http` have requests and responses
/// with their clauses.
fn is_of_http(rule: Rule) -> bool {
    (rule::HTTP_METHOD..=rule::EVENTS_BUFFERED).contains(&rule)
}

/// Rules that enforce what no MUST or SHOULD of MCP's pages states: those of RFC 8259 and JSON-RPC 2.0, limits of the
/// receiver, formats that only the schemas name, and advice.
fn is_of_mcp(rule: Rule) -> bool {
    !is_of_audit(rule::name(rule))
        && !is_of_http(rule)
        && !matches!(
            rule,
            rule::UNKNOWN_METHOD
                | rule::INITIALIZE_AGAIN
                | rule::INITIALIZED_UNEXPECTED
                | rule::ERA_MIXED
                | rule::UNTRACKED_REQUEST
                | rule::RESPONSE_LATE
                | rule::RESPONSE_AMBIGUOUS
                | rule::CANCEL_UNKNOWN
                | rule::URI_TEMPLATE_SYNTAX
                | rule::LAST_MODIFIED_SYNTAX
                | rule::VERSION_UNSUPPORTED
        )
}

#[test]
fn every_rule_of_mcp_checks_a_requirement() {
    let all = requirements();
    let named: BTreeSet<&str> = all.iter().flat_map(|one| &one.rules).map(String::as_str).collect();
    let rules = rule::ALL.iter().filter(|rule| is_of_mcp(**rule)).map(|rule| rule::name(*rule));
    let idle: Vec<&str> = rules.filter(|rule| !named.contains(rule)).collect();
    assert!(idle.is_empty(), "no requirement has the rules {idle:?}");
}

/// The rules whose severity is not that of the keywords of their requirements, with the reasons.
const OTHER_SEVERITIES: [(&str, &str); 8] = [
    ("version-unsupported", "the server must refuse the request, although the client may send it"),
    ("unknown-method-code", "JSON-RPC 2.0, section 5.1, defines the code"),
    ("uri-syntax", "a MUST holds for custom schemes alone"),
    ("icon-uri", "it is the client that must reject others"),
    ("media-type-syntax", "the format of a schema is an annotation"),
    ("resource-media-type-missing", "the schema leaves it optional"),
    ("task-input-unrelated", "the input may have come another way"),
    ("unanswered-request", "the session may have ended before the answer was due"),
];

/// An error is backed by a MUST, and what a SHOULD alone backs is a warning or a note.
#[test]
fn severities_follow_from_the_keywords() {
    let all = requirements();
    let mut found = BTreeSet::new();
    for &rule in rule::ALL.iter().filter(|rule| !is_of_http(**rule)) {
        let (name, severity) = (rule::name(rule), rule::severity(rule));
        let backing = || all.iter().filter(|one| one.rules.iter().any(|other| other == name));
        let has = |level| backing().any(|one| one.level == level);
        let is_right = match severity {
            Severity::Error => has("MUST"),
            Severity::Warning => has("SHOULD") || backing().next().is_none(),
            // Only advice, or what may have another cause.
            Severity::Note => true,
        };
        if !is_right {
            found.insert(name);
        }
    }
    let expected: BTreeSet<&str> = OTHER_SEVERITIES.iter().map(|(name, _)| *name).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_page_is_that_of_the_table() {
    let all = requirements();
    let page = page::write(&all, &recordings(&all));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/requirements.md");
    if std::env::var_os("TAUTLINE_BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    assert!(
        std::fs::read_to_string(path).is_ok_and(|old| old == page),
        "docs/requirements.md is out of date: TAUTLINE_BLESS=1 cargo test -p tautline-mcp --test it requirements"
    );
}

#[test]
fn each_dialogue_has_its_findings() {
    for dialogue in dialogues::read(DIALOGUES) {
        findings::check(&dialogue);
    }
}

/// The recordings that break a requirement.
#[derive(Debug, Default)]
struct Recordings {
    /// The revisions of the dialogues.
    dialogues: BTreeSet<Revision>,
    /// True if there is a dialogue of the package `audit`.
    has_refusal: bool,
    /// True if there is a dialogue over HTTP of the package `audit`.
    has_exchange: bool,
}

/// Returns the recordings that break requirements, by the ids of the requirements.
fn recordings(all: &[Requirement]) -> BTreeMap<String, Recordings> {
    let mut recordings: BTreeMap<String, Recordings> = BTreeMap::new();
    for dialogue in dialogues::read(DIALOGUES) {
        let lists = |rule: &str| {
            all.iter().any(|one| one.id == dialogue.id && one.rules.iter().any(|own| own == rule))
        };
        if dialogue.rules().any(lists) {
            let own = recordings.entry(dialogue.id.to_owned()).or_default();
            own.dialogues.insert(dialogue.revision);
        }
    }
    for id in failed("audit/tests/it/refusals.txt") {
        recordings.entry(id).or_default().has_refusal = true;
    }
    for id in failed("audit/tests/it/exchanges.txt") {
        recordings.entry(id).or_default().has_exchange = true;
    }
    recordings
}

/// Returns the requirements that dialogues of the package `audit` break.
fn failed(path: &str) -> Vec<String> {
    let text = file(path);
    let heads = text.lines().filter_map(|line| line.strip_prefix("# "));
    heads.filter_map(|head| head.strip_suffix(" failed")).map(str::to_owned).collect()
}

/// The package `audit` verifies that they break it.
#[test]
fn every_requirement_that_is_checked_has_a_recording() {
    let all = requirements();
    let recordings = recordings(&all);
    let checked = all.iter().filter(|one| !one.rules.is_empty()).map(|one| one.id.as_str());
    let missing: Vec<&str> = checked.filter(|id| !recordings.contains_key(*id)).collect();
    assert!(missing.is_empty(), "{} without a recording: {missing:?}", missing.len());
}

#[test]
fn each_dialogue_is_about_a_requirement_of_its_revision() {
    let all = requirements();
    for dialogue in dialogues::read(DIALOGUES) {
        let (line, id) = (dialogue.line, dialogue.id);
        let known = all.iter().find(|requirement| requirement.id == id);
        let known = known.unwrap_or_else(|| panic!("line {line}: there is no requirement {id}"));
        let name = dialogue.revision.name();
        assert!(known.holds_in(dialogue.revision), "line {line}: {id} is not of {name}");
    }
}
