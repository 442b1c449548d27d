//! The logs of clients: what they quote, which windows and servers share them, and where their sessions begin.

mod claude_desktop;
mod cursor;
mod lsp_trace;
mod marked;
mod vscode;

use tautline::Severity;
use tautline_audit::Document;
use tautline_audit::document::Finding;
use tautline_audit::source::{SourceKind, read_start};

use crate::support::audited;

const LIMIT: u32 = tautline::frame::DEFAULT_LIMIT;

/// Detects the format of a log, and audits it to its end.
fn document(kind: SourceKind, log: &str) -> Document {
    let start = read_start(&mut log.as_bytes()).unwrap();
    assert_eq!(SourceKind::detect(&start), Ok(kind));
    let (result, document) = audited(kind, log.as_bytes(), LIMIT);
    result.unwrap();
    document.unwrap()
}

/// Returns the rule and the line of each error and warning. The checks of frames decide by which rule they report a line
/// of text; here it is a `bad-line`.
fn findings(document: &Document) -> Vec<(&str, u64)> {
    let name = |rule| if matches!(rule, "not-json" | "log-line") { "bad-line" } else { rule };
    serious(document).map(|finding| (name(finding.rule), finding.line.unwrap_or(0))).collect()
}

fn serious(document: &Document) -> impl Iterator<Item = &Finding> {
    document.findings.iter().filter(|finding| finding.severity != Severity::Note)
}

/// Returns what the errors and warnings say.
fn words(document: &Document) -> Vec<&str> {
    serious(document).map(|finding| &finding.message[..]).collect()
}

/// Returns the sender, the id and the line of each frame.
fn frames(document: &Document) -> Vec<(&str, &str, u64)> {
    let rows = document.frames.iter();
    rows.map(|row| (row.from, row.id.as_deref().unwrap_or("-"), row.line.unwrap_or(0))).collect()
}

fn has_note(document: &Document, words: &str) -> bool {
    document.notes.iter().any(|note| note.contains(words))
}

const HELLO: &str = r#"{"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}},"jsonrpc":"2.0","id":0}"#;
const WELCOME: &str = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"b","version":"1"}}}"#;
const READY: &str = r#"{"method":"notifications/initialized","jsonrpc":"2.0"}"#;

fn list(id: u32) -> String {
    format!(r#"{{"method":"tools/list","params":{{}},"jsonrpc":"2.0","id":{id}}}"#)
}

fn listed(id: u32) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":[]}}}}"#)
}

/// A part of a log may have nothing but errors.
#[test]
fn logs_of_nothing_but_errors_are_detected() {
    let error = r#"Unexpected token 'h', "hi" is not valid JSON"#;
    for (kind, log) in [
        (SourceKind::Cursor, format!("2026-03-04 09:10:11.500 [error] {error}\n")),
        (SourceKind::ClaudeDesktop, format!("2026-03-04T09:10:11.500Z [a] [error] {error}\n")),
    ] {
        assert_eq!(findings(&document(kind, &log)), [("bad-line", 1)]);
    }
    let info = "2026-03-04 09:10:11.500 [info] \"hi\" is not valid JSON\n";
    assert!(SourceKind::detect(info.as_bytes()).is_err());
}

/// A recording in which nothing can be judged is not a good one.
#[test]
fn recordings_without_messages_are_refused() {
    let own = "{\"tautline-recording\":1}\n";
    for (kind, log, words) in [
        (SourceKind::Recording, format!("{own}{{\"exit\":0}}\n"), "--source recording"),
        (
            SourceKind::ClaudeDesktop,
            "2026-02-03T11:00:00.000Z [a] [info] Initializing server... {}\n".to_owned(),
            "--source claude-desktop",
        ),
        (
            SourceKind::Cursor,
            "2026-03-04 09:10:11.500 [info] CreateClient completed\n".to_owned(),
            "`tautline tap`",
        ),
        (SourceKind::Inspector, "[]".to_owned(), "this is in no known format"),
    ] {
        let error = audited(kind, log.as_bytes(), LIMIT).0.unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    // The failure of the process is a finding.
    let failed = document(SourceKind::Recording, &format!("{own}{{\"exit\":3}}\n"));
    assert_eq!(findings(&failed), [("process-failed", 2)]);
    let why = SourceKind::detect(b"\x00\x01").unwrap_err();
    for kind in SourceKind::ALL {
        assert!(why.contains(kind.name()), "{why}");
    }
}

#[test]
fn two_files_without_messages_are_refused() {
    use tautline::Profile;
    use tautline::frame::FramingKind;
    use tautline_audit::source::Pair;

    let read = |mut client: &[u8], mut server: &[u8]| {
        let framing = FramingKind::Ndjson;
        let pair = Pair::new(&mut client, &mut server, framing, LIMIT, &Profile::JSON_RPC);
        pair.read(&mut |_, _| Ok(())).map_err(|error| error.to_string())
    };
    assert!(read(b"\n", b"").unwrap_err().contains("no message was found in either file"));
    assert_eq!(read(b"", b"text\n"), Ok(()));
}
