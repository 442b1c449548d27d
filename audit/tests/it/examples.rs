//! Each rule has an example in `src/examples.txt` that breaks it once, and breaks no other rule with an error or a
//! warning.

use tautline::Severity;
use tautline::frame::FramingKind;
use tautline_audit::frame::{MaxFindings, Piece, Reporter};
use tautline_audit::judge::OneSide;
use tautline_audit::source::http::Exchanges;
use tautline_audit::source::{Ending, Event, Place};
use tautline_audit::wire::Wire;
use tautline_audit::{Audit, Example, Options, Step, example_of, rule_named};
use tautline_mcp::{Revision, Role, rule};

/// The rules without an example, and why.
const WITHOUT_EXAMPLE: [(&str, &str); 9] = [
    ("method-not-served", "only the server knows it"),
    ("untracked-request", "a session reports it whose slots are fewer than the pending requests"),
    ("batch-too-long", "it takes more than a thousand messages"),
    ("header-too-long", "it takes thousands of bytes"),
    ("nul-character", "only strict profiles check it"),
    ("too-many-names", "only strict profiles check it"),
    ("task-polled-early", "it depends on times, which examples do not have"),
    ("lone-inner-surrogate", "only strict profiles check it"),
    ("number-out-of-range", "only strict profiles check it"),
];

/// The rules that are never broken alone, each with the error or warning that accompanies it, and why that has a cause
/// of its own.
const COMPANIONS: [(&str, &str, &str); 6] = [
    ("response-ambiguous", "id-in-use", "the note tells what the error leads to"),
    (
        "invalid-params-code",
        "missing-member",
        "the client has sent a bad request, and the server a bad answer",
    ),
    (
        "invalid-request-code",
        "wrong-version",
        "the client has sent a bad request, and the server a bad answer",
    ),
    (
        "parse-error-code",
        "not-json",
        "the client has sent a bad request, and the server a bad answer",
    ),
    (
        "unsupported-code",
        "undeclared-capability",
        "the client has sent a bad request, and the server a bad answer",
    ),
    (
        "versions-unnamed",
        "method-not-in-revision",
        "the client uses the other era, and the server does not name its own",
    ),
];

/// A finding: the name of its rule, and its severity.
type Found = (String, Severity);

fn findings(example: &Example) -> Vec<Found> {
    let steps = example.steps();
    if steps.contains(&Step::PayloadsUnchecked) {
        return findings_in_log(example, &steps);
    }
    let mut options = options(example.rules);
    options.framing = example.framing;
    options.max_frame = example.limit.unwrap_or(options.max_frame);
    audit(options, &steps)
}

fn options(rules: &str) -> Options {
    let mut options = Options::default();
    options.selection = rules.parse().unwrap();
    options
}

fn audit(options: Options, steps: &[Step]) -> Vec<Found> {
    let mut exchanges = Exchanges::new(None, options.max_frame);
    let mut audit = Audit::new(options);
    for step in steps {
        let event = match step {
            Step::Part(number, part) => {
                let receive = &mut |_, event: Event<'_>, place| audit.event(event, place, &mut ());
                exchanges.part(*number, part, Place::default(), receive).unwrap();
                continue;
            }
            Step::Send(from, bytes) => Event::Bytes { from: *from, bytes },
            Step::Exit(code) => {
                let ending = if *code == 0 { Ending::Normal } else { Ending::Failed };
                Event::End { how: format!("exited with status {code}"), ending }
            }
            _ => unreachable!(),
        };
        audit.event(event, Place::default(), &mut ()).unwrap();
    }
    let document = audit.finish(Vec::new(), &mut ()).unwrap();
    let name =
        |finding: &tautline_audit::document::Finding| (finding.rule.to_owned(), finding.severity);
    document.findings.iter().map(name).collect()
}

fn findings_in_log(example: &Example, steps: &[Step]) -> Vec<Found> {
    let revision: Revision = example.rules.parse().unwrap();
    let mut judge = OneSide::new(revision.profile(), Some(revision));
    let mut wire = Wire::new(example.framing, 1000, &revision.profile());
    let mut reporter = Reporter::new(example.framing, MaxFindings::All);
    let mut found = Vec::new();
    for step in steps {
        let Step::Send(_, bytes) = step else { continue };
        wire.push(bytes, &mut |event, around| {
            let frame = event.frame().unwrap();
            let piece = Piece::of_frame(frame);
            let report = reporter.frame(&piece, &mut judge, around.behind);
            for finding in &report.message.findings {
                found.push((rule::name(finding.rule).to_owned(), finding.severity));
            }
            Ok(())
        })
        .unwrap();
    }
    found
}

#[test]
fn each_rule_has_an_example_that_breaks_it_alone() {
    for rule in rule::all() {
        let name = rule::name(rule);
        let Some(example) = example_of(rule) else {
            assert!(WITHOUT_EXAMPLE.iter().any(|(without, _)| *without == name), "{name}");
            continue;
        };
        let found = findings(&example);
        assert!(found.iter().any(|(rule, _)| rule == name), "{name} is not among {found:?}");
        let is_companion = |other: &str| {
            COMPANIONS.iter().any(|&(rule, companion, _)| rule == name && companion == other)
        };
        let loud = found.iter().filter(|(_, severity)| *severity != Severity::Note);
        let (own, others): (Vec<_>, Vec<_>) = loud.partition(|(rule, _)| rule == name);
        assert!(own.len() <= 1, "{name} is reported several times");
        assert!(others.iter().all(|(other, _)| is_companion(other)), "{name}: {others:?} too");
    }
}

#[test]
fn what_is_too_long_for_an_example_is_found() {
    let send = |bytes: String| [Step::Send(Role::Client, bytes.into_bytes())];
    let mut lsp = options("lsp");
    lsp.framing = FramingKind::ContentLength;
    let header = format!("X-Long: {}\r\n", "x".repeat(100_000));
    assert_eq!(audit(lsp, &send(header)), [("header-too-long".to_owned(), Severity::Error)]);
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#;
    let batch = format!("[{}]\n", [notification; 1025].join(","));
    let found = audit(options("2025-03-26"), &send(batch));
    assert_eq!(found, [("batch-too-long".to_owned(), Severity::Error)]);
}

#[test]
fn the_exceptions_are_needed() {
    for (name, _) in WITHOUT_EXAMPLE {
        assert!(example_of(rule_named(name).unwrap()).is_none(), "{name}");
    }
    for (name, companion, _) in COMPANIONS {
        let found = findings(&example_of(rule_named(name).unwrap()).unwrap());
        let is_it = |(rule, severity): &Found| rule == companion && *severity != Severity::Note;
        assert!(found.iter().any(is_it), "{name}: {found:?}");
    }
}
