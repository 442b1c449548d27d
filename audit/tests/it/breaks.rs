//! Recordings that are broken or cut: what is readable of them is read, and the place of the break is named.

use tautline_audit::Document;
use tautline_audit::source::{SourceError, SourceKind};

use crate::support::audited;

const LIMIT: u32 = tautline::frame::DEFAULT_LIMIT;

fn read(kind: SourceKind, file: &str) -> (Option<String>, Document) {
    let (result, document) = audited(kind, file.as_bytes(), LIMIT);
    (result.err().map(|error: SourceError| error.to_string()), document.unwrap())
}

fn rules(document: &Document) -> Vec<&str> {
    document.findings.iter().map(|finding| finding.rule).collect()
}

/// A recording in which the server calls a method that is not a string, as the last of three frames.
const OWN: [&str; 4] = [
    r#"{"tautline-recording":1}"#,
    r#"{"us":1,"from":"client","text":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"}"#,
    r#"{"us":2,"from":"server","text":"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n"}"#,
    r#"{"us":3,"from":"server","text":"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":7}\n"}"#,
];

#[test]
fn lines_behind_a_broken_line_are_read() {
    let [header, request, response, last] = OWN;
    let file = format!("{header}\n{request}\n{{\"us\":2,\"from\":nobody}}\n{last}\n");
    let (error, document) = read(SourceKind::Recording, &file);
    let offset = header.len() + request.len() + 2;
    let error = error.unwrap();
    assert!(error.starts_with("line 3: this is not a record: "), "{error}");
    assert!(error.ends_with(&format!("(byte {offset} of the file)")), "{error}");
    // The request may have been answered on the broken line.
    assert_eq!((document.totals.frames, rules(&document)), (2, vec!["method-type"]));
    // A fault of the record itself breaks it, too.
    for broken in [r#"{"from":"client"}"#, r#"{"from":"x","text":""}"#, "[]"] {
        let file = format!("{header}\n{broken}\n{request}\n{broken}\n{response}\n{broken}\n");
        let (error, document) = read(SourceKind::Recording, &file);
        let error = error.unwrap();
        assert!(error.starts_with("line 2: "), "{error}");
        assert!(error.ends_with(", and 2 more lines can't be read"), "{error}");
        assert_eq!((document.totals.frames, rules(&document)), (2, vec![]), "{broken}");
    }
}

#[test]
fn a_recording_that_is_cut_in_a_line_says_so() {
    let whole = OWN.join("\n");
    let end = whole.len() - 20;
    let (error, document) = read(SourceKind::Recording, &whole[..end]);
    assert_eq!((error, document.totals.frames), (None, 2));
    let offset = whole.rfind('\n').unwrap() + 1;
    let note =
        format!("the file ends within line 4 (byte {offset} of the file), which was not read");
    assert_eq!(document.notes, [note]);
    let (error, document) = read(SourceKind::Recording, &whole);
    assert_eq!((error, document.notes.len(), document.totals.frames), (None, 0, 3));
}

fn snoop(seq: u64, direction: &str, raw: &str) -> String {
    format!(
        r#"{{"session_id":"a","seq":{seq},"ts":"2026-01-02T03:04:05Z","direction":"{direction}","raw":{raw}}}"#
    )
}

#[test]
fn lines_of_other_tools_are_read_behind_a_break() {
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let bad = r#"{"jsonrpc":"2.0","id":2,"method":7}"#;
    let files = [
        (
            SourceKind::Mcpsnoop,
            [snoop(1, "c2s", ping), "{\"session_id\":".to_owned(), snoop(3, "s2c", bad)],
        ),
        (
            SourceKind::Mcpjam,
            [
                format!(r#"data: {{"type":"rpc","direction":"send","message":{ping}}}"#),
                "data: {".to_owned(),
                format!(r#"data: {{"type":"rpc","direction":"receive","message":{bad}}}"#),
            ],
        ),
    ];
    for (kind, lines) in files {
        let file = lines.join("\n") + "\n";
        let (error, document) = read(kind, &file);
        let error = error.unwrap();
        assert!(error.starts_with("line 2: ") && error.contains("of the file)"), "{error}");
        assert_eq!(document.totals.frames, 2, "{kind:?}: {file}");
        assert_eq!(rules(&document), ["method-type"], "{kind:?}");
        let cut = &file[..file.len() - 9];
        let (_, document) = read(kind, cut);
        assert_eq!(document.totals.frames, 1);
        assert!(document.notes.iter().any(|note| note.starts_with("the file ends within line 3 ")));
    }
}

fn exchange(id: u64, method: &str, result: &str) -> String {
    let ask = serde_json::json!({"jsonrpc": "2.0", "id": id, "method": method}).to_string();
    let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
    let kind = "application/json";
    serde_json::json!({
        "startedDateTime": format!("2026-01-02T03:04:{id:02}Z"), "time": 3,
        "request": {"method": "POST", "url": "http://localhost/mcp", "headers": [], "postData": {"mimeType": kind, "text": ask}},
        "response": {"status": 200, "headers": [], "content": {"mimeType": kind, "text": answer}},
    })
    .to_string()
}

#[test]
fn the_whole_entries_of_a_broken_document_are_read() {
    let entries: Vec<_> = (1..=4).map(|id| exchange(id, "ping", "{}")).collect();
    let whole = format!("{{\"log\":{{\"entries\":[\n{}\n]}}}}", entries.join(",\n"));
    let (error, document) = read(SourceKind::Har, &whole);
    assert_eq!((error, document.totals.frames), (None, 8));
    let unanswered = |document: &Document| rules(document).contains(&"unanswered-request");
    // At every place, the entries before it are read.
    let ends: Vec<_> = whole.match_indices('\n').map(|(at, _)| at).collect();
    for end in (0..whole.len() - 1).step_by(7).chain(ends.iter().copied()) {
        let (error, document) = read(SourceKind::Har, &whole[..end]);
        let error = error.unwrap();
        let before = ends.iter().filter(|&&at| at < end).count().saturating_sub(1) as u64;
        let frames = document.totals.frames;
        assert!(frames == before * 2 || frames == before * 2 + 2, "{end}: {frames}");
        assert!(frames == 0 || error.contains("of the file)"), "{error}");
        assert!(!unanswered(&document), "{end}");
    }
    // A fault in the middle is a break, too.
    let broken = whole.replacen("\"time\":3", "\"time\":3x", 3).replacen("3x", "3", 2);
    let (error, document) = read(SourceKind::Har, &broken);
    assert!(error.unwrap().starts_with("line 4: this is not a HAR: "));
    assert_eq!(document.totals.frames, 4);
}

#[test]
fn a_cut_export_is_read_up_to_the_cut() {
    let entry = |id: u64, method: &str| {
        format!(
            r#"{{"id":"x{id}","timestamp":"2026-01-02T03:04:{id:02}Z","direction":"request","origin":"client","message":{{"jsonrpc":"2.0","id":{id},"method":{method}}},"response":{{"jsonrpc":"2.0","id":{id},"result":{{}}}},"duration":2}}"#
        )
    };
    let whole = format!("[{},{},{}]", entry(1, "\"ping\""), entry(2, "7"), entry(3, "\"ping\""));
    let (error, document) = read(SourceKind::Inspector, &whole[..whole.len() - 30]);
    let error = error.unwrap();
    assert!(
        error.starts_with("line 1: this is not a protocol export of MCP Inspector: "),
        "{error}"
    );
    assert_eq!(document.totals.frames, 4);
    assert!(rules(&document).contains(&"method-type"));
    assert!(SourceKind::detect(whole.as_bytes()) == Ok(SourceKind::Inspector));
}
