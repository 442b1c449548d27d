//! Checks of one direction: the document of a log without both sides.

use std::fs;
use std::io::Read;
use std::path::Path;

use tautline::Severity;
use tautline::frame::FramingKind;
use tautline_audit::document::SourceRow;
use tautline_audit::format::Format;
use tautline_audit::frame::{MaxFindings, Reporter};
use tautline_audit::judge::{OneSide, Selection};
use tautline_audit::source::{Delimiter, Elements};
use tautline_audit::wire::Wire;
use tautline_audit::{Check, Document, Level, Options, rule_named};
use tautline_mcp::Revision;

/// Checks a log that arrives in pieces of this length, as its start shows it is delimited.
fn checked(log: &[u8], length: usize, mut options: Options) -> Document {
    let delimiter = Delimiter::detect(log).unwrap();
    options.framing = delimiter.framing();
    options.frames = 1000;
    let mut elements = Vec::new();
    let log = match delimiter {
        Delimiter::Framing(_) => log,
        Delimiter::Array => {
            Elements::new(log).read_to_end(&mut elements).unwrap();
            &elements
        }
    };
    let mut check = Check::new(options, log);
    let mut reports = 0;
    for piece in log.chunks(length) {
        check.push(piece, &mut |_| reports += 1);
    }
    let source = SourceRow { name: "log".to_owned(), kind: delimiter.name() };
    let document = check.finish(vec![source], &mut |_| reports += 1);
    assert_eq!(document.totals.frames, reports);
    document
}

fn found(document: &Document) -> Vec<(&str, u64, Option<u64>)> {
    let serious = document.findings.iter().filter(|one| one.severity != Severity::Note);
    serious.map(|one| (one.rule, one.frame.unwrap(), one.offset)).collect()
}

fn example() -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/session.ndjson")).unwrap()
}

#[test]
fn the_findings_are_those_of_the_judge_of_one_side() {
    let revision = Revision::V2025_11_25;
    let log = example();
    let mut judge = OneSide::with_payloads(revision.profile(), Some(revision));
    let mut reporter = Reporter::new(FramingKind::Ndjson, MaxFindings::AtMost(100));
    let mut wire = Wire::new(FramingKind::Ndjson, 1 << 24, &revision.profile());
    let mut expected = Vec::new();
    let mut handle = |event: tautline_audit::wire::WireEvent<'_>,
                      around: &tautline_audit::wire::Around<'_>| {
        let report = match event.frame() {
            Some(frame) => {
                let piece = tautline_audit::frame::Piece::of_frame(frame);
                reporter.frame(&piece, &mut judge, around.behind)
            }
            None => reporter.event(&event, &revision.profile(), around).unwrap(),
        };
        for message in report.messages() {
            let rules = message.findings.iter();
            expected.extend(
                rules.map(|one| (tautline_mcp::rule::name(one.rule), one.offset, one.column)),
            );
        }
        Ok(())
    };
    wire.push(&log, &mut handle).unwrap();
    wire.finish(&mut handle).unwrap();
    assert!(expected.len() > 50);
    let document = checked(&log, log.len(), Options::default());
    let found: Vec<_> =
        document.findings.iter().map(|one| (one.rule, one.offset, one.column)).collect();
    assert_eq!(found, expected);
    assert_eq!(document.rules, "2025-11-25");
    let counted: u64 = document.totals.rules.iter().map(|row| row.count).sum();
    assert_eq!(counted, document.findings.len() as u64);
}

#[test]
fn the_document_does_not_depend_on_the_pieces() {
    let array = br#"[ {"jsonrpc":"2.0","id":1,"method":"ping"}, {"jsonrpc":"2.0","id":null,"method":"ping"},
        7, {"jsonrpc":"2.0","id":2,"method":"tools/list","par"#;
    for log in [&example()[..], array] {
        // The next bytes may explain the faults of a frame. All else is the same however the log is cut.
        let frames = |length| {
            let document = checked(log, length, Options::default());
            let frames = document.frames.iter();
            let rows: Vec<_> = frames
                .map(|row| (row.number, row.kind, row.id.clone(), row.line, row.length))
                .collect();
            (rows, document.totals.bytes)
        };
        let whole = frames(log.len());
        for length in [1, 7, 1000, 1 << 20] {
            assert_eq!(frames(length), whole, "{length}");
        }
    }
}

#[test]
fn every_way_to_write_messages_down_is_read() {
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let bad = r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#;
    let printed = "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": null,\n  \"method\": \"ping\"\n}";
    let header = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
    for (log, frames, at, kind) in [
        (bad.to_owned(), 1, 0, "ndjson"),
        (format!("{call}\n{bad}\n"), 2, call.len() + 1, "ndjson"),
        (format!("[{call},{bad}]"), 2, call.len() + 2, "array"),
        (format!("[\n  {call},\n  {printed}\n]\n"), 2, call.len() + 7, "array"),
        (printed.to_owned(), 1, 0, "concatenated"),
        (header(call) + &header(bad), 2, header(call).len() + 22, "content-length"),
        (format!("event: message\ndata: {bad}\n\n"), 1, 21, "sse"),
    ] {
        let document = checked(log.as_bytes(), log.len(), Options::default());
        let [finding] = document
            .findings
            .iter()
            .filter(|one| one.rule == "id-null")
            .collect::<Vec<_>>()
            .try_into()
            .unwrap_or_else(|all| panic!("{log}: {all:?}"));
        let id = log[at..].find("null").unwrap() + at;
        assert_eq!(finding.offset, Some(id as u64), "{log}");
        assert_eq!((document.totals.frames, document.sources[0].kind), (frames, kind), "{log}");
        assert_eq!(document.frames.len() as u64, frames);
        assert_eq!(finding.frame, Some(frames));
        assert_eq!((finding.from, document.frames[0].from), (None, ""));
        let mut html = Vec::new();
        Format::ALL.iter().try_for_each(|format| format.write(&document, &mut html)).unwrap();
    }
}

#[test]
fn the_log_shows_which_rules_apply() {
    for (log, expected) in [
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, "2025-11-25"),
        (r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion": "2024-11-05"}}"#, "2024-11-05"),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\"}}\n\
             {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-03-26\"}}",
            "2025-03-26",
        ),
        (r#"{"jsonrpc":"2.0","id":1,"params":{"protocolVersion":"1999-01-01"}}"#, "2025-11-25"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{}}"#, "lsp"),
        (r#"{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[]}"#, "jsonrpc"),
    ] {
        assert_eq!(checked(log.as_bytes(), 1000, Options::default()).rules, expected, "{log}");
    }
    let mut options = Options::default();
    options.selection = Selection::Revision(Revision::V2025_03_26);
    let batch = br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]
        {"jsonrpc":"2.0","id":2,"method":"ping"}"#;
    let document = checked(batch, 1000, options);
    assert_eq!((document.rules.as_str(), document.findings.len()), ("2025-03-26", 1));
}

#[test]
fn a_break_has_a_place_and_what_follows_it_is_checked() {
    let good = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let log = format!("[{good},\n{{\"jsonrpc\":\"2.0\",oops}},\n{good}]");
    let document = checked(log.as_bytes(), log.len(), Options::default());
    let place = log.find("oops").unwrap() as u64;
    let (rule, frame, offset) = found(&document)[0];
    assert_eq!((rule, frame), ("not-json", 2), "{:?}", document.findings);
    assert!(offset.is_some_and(|offset| offset.abs_diff(place) < 20), "{offset:?} {place}");
    assert_eq!(document.frames.last().unwrap().id.as_deref(), Some("1"));
    // Cut in an element.
    let log = format!("[{good},{}", &good[..20]);
    let document = checked(log.as_bytes(), log.len(), Options::default());
    assert_eq!(found(&document), [("unfinished-frame", 2, Some(log.len() as u64))]);
}

#[test]
fn a_policy_applies() {
    let bad = b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}\n";
    let mut options = Options::default();
    options.policy.set(rule_named("id-null").unwrap(), Level::Allow);
    let document = checked(bad, 1000, options);
    assert_eq!((document.totals.errors, found(&document)), (0, vec![]));
    assert_eq!(document.totals.frames, 1);
}
