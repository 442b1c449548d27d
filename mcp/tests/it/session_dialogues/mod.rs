//! Every sequence diagram and every example of the specification, played as a dialogue that draws no finding.
//!
//! `pages.tsv` lists the diagrams and examples of 2025-11-25, of 2026-07-28 and of the tasks extension, page by page;
//! `pages.py` writes it. Each row needs a dialogue or a `skip` line with a reason. A diagram with alternatives, options
//! or loops needs a dialogue for each way through it. An example gets the smallest context in which it is legal. The
//! messages have the methods and members of the specification, and texts of their own.
//!
//! A file of dialogues consists of these lines. An indented line continues the line above it.
//!
//! | line | meaning |
//! |---|---|
//! | `let $name text` | `$name` stands for the text in the rest of the file |
//! | `== 2025-11-25 basic/lifecycle` | the dialogues below belong to this page |
//! | `skip examples 1-2: reason` | no dialogue plays these; `skip parts` skips the other examples that are not messages |
//! | `-- heading \| diagram 1, examples 2-3` | a dialogue begins, which plays these |
//! | `> 1 tools/list {$meta}` | a message in the notation of `support/talk.rs` |
//! | `open {} {"tools":{}}` | the handshake of 2025-11-25, with the capabilities of client and server |
//! | `as 2025-11-25` | the messages below are of another revision than the page |
//! | `supporting modern` | the server supports no legacy revision |
//! | `phase Probing` | the session is in this phase |
//!
//! `expected.rs` derives the event of each message from the messages before it, and no message may draw a finding. To
//! expect anything else, write `message | event | rule`; `JUSTIFIED` in `stage.rs` must list the rule. At the end of a
//! dialogue every request is answered or cancelled. A legacy session operates in the page's revision. A modern session
//! has settled on the page's revision once the server has sent a result. A last line with a `phase` replaces the checks
//! of the phase and the revision.

mod expected;
mod pages;
mod script;
mod stage;

use std::collections::HashSet;

use self::script::Script;

const SCRIPTS: &[(&str, &str)] = &[
    ("2025-11-25-basic.txt", include_str!("2025-11-25-basic.txt")),
    ("2025-11-25-tasks.txt", include_str!("2025-11-25-tasks.txt")),
    ("2025-11-25-client.txt", include_str!("2025-11-25-client.txt")),
    ("2025-11-25-server.txt", include_str!("2025-11-25-server.txt")),
    ("2026-07-28-basic.txt", include_str!("2026-07-28-basic.txt")),
    ("2026-07-28-client.txt", include_str!("2026-07-28-client.txt")),
    ("2026-07-28-server.txt", include_str!("2026-07-28-server.txt")),
    ("2026-07-28-tasks.txt", include_str!("2026-07-28-tasks.txt")),
    ("2026-07-28-schema.txt", include_str!("2026-07-28-schema.txt")),
];

fn scripts() -> Vec<Script> {
    SCRIPTS.iter().map(|(_, text)| Script::parse(text)).collect()
}

#[test]
fn no_dialogue_draws_a_finding() {
    let mut failures = Vec::new();
    for ((file, _), script) in SCRIPTS.iter().zip(scripts()) {
        for dialogue in &script.dialogues {
            if let Err(failure) = stage::play(dialogue) {
                failures.push(format!("{file}, {dialogue}:\n    {failure}"));
            }
        }
    }
    assert!(failures.is_empty(), "{} dialogues:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn every_diagram_and_every_example_has_a_dialogue() {
    let missing = pages::missing(&scripts());
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn every_justified_finding_occurs() {
    let scripts = scripts();
    let lines = scripts.iter().flat_map(|script| &script.dialogues).flat_map(|d| &d.lines);
    let found: HashSet<_> = lines.filter_map(|line| Some(line.rsplit_once(" | ")?.1)).collect();
    for justified in stage::JUSTIFIED {
        assert!(found.contains(justified.rule), "{}: {}", justified.rule, justified.because);
    }
}

/// Dialogues with one mistake each, and a part of the failure.
const WRONG: &[(&str, &str)] = &[
    ("> 1 tools/list {$meta}\n< 1 = {}", "missing-result-type"),
    ("> 1 tools/list {$meta}\n< 2 = $complete", "response-unexpected"),
    ("> 1 tools/list {$meta}\n< 1 = $complete\n> 2 ping", "method-not-in-revision"),
    ("> 1 tools/list {$meta}\n< 1 = $complete\n> 2 tools/list {$meta}", "unanswered-request"),
    ("> 1 tools/list {$meta}\n< 1 = $complete | ToolFailed: tools/list", "ToolFailed"),
    ("> 1 some_method {$meta}", "unknown-method"),
    ("> 1 tools/list {$meta} | request | unknown-method", "unknown-method"),
    ("> 1 ping {$meta} | request | method-not-in-revision", "not justified"),
    ("> 1 server/discover {$meta}\nphase Modern", "Probing"),
    ("open {} {}", "method-not-in-revision"),
    ("as 2025-11-25\nopen {} {\"tools\":{}}\n> 1 prompts/list", "undeclared-capability"),
    ("as 2025-11-25\nopen {} {}\n> 1 ping\n< 1 ! -32002\n< 1 ! -32002", "response-duplicate"),
    ("as 2025-11-25\n> 1 ping\n< 1 = {}", "Opening"),
    ("> notifications/cancelled {\"requestId\":1} | notification | cancel-unknown", "None"),
];

#[test]
fn a_wrong_dialogue_fails() {
    for (lines, part) in WRONG {
        let script = Script::parse(&format!("== 2026-07-28 page\n\n-- Heading\n{lines}"));
        let failure = stage::play(&script.dialogues[0]).unwrap_err();
        assert!(failure.contains(part), "{lines}\n{failure}");
    }
}

#[test]
fn a_missing_dialogue_is_reported() {
    for (dropped, (file, _)) in SCRIPTS.iter().enumerate() {
        let mut fewer = scripts();
        fewer.remove(dropped);
        assert!(!pages::missing(&fewer).is_empty(), "{file}");
    }
    for way in ["no dialogue", "2 ways", "notifications/cancelled"] {
        let mut scripts = scripts();
        let page = |d: &&mut script::Dialogue| d.page == "2026-07-28 basic/patterns/cancellation";
        let mut dialogues =
            scripts.iter_mut().flat_map(|script| &mut script.dialogues).filter(page);
        let first = dialogues.next().unwrap();
        match way {
            "no dialogue" => drop(first.plays.drain(..)),
            "2 ways" => dialogues.for_each(|dialogue| dialogue.plays.clear()),
            _ => first.lines.retain(|line| !line.contains("cancelled")),
        }
        let missing = pages::missing(&scripts);
        assert_eq!(missing.len(), 1, "{way}: {missing:?}");
        assert!(missing[0].contains(way), "{missing:?}");
    }
}
