//! Recordings of other tools, as these tools wrote them.
//!
//! The files `tests/sources/*/*.expected` list the expected results for each. After an intended change, regenerate them
//! with `TAUTLINE_BLESS=1 cargo test --test audit sources`, and review them before you commit them.

#[path = "../../../tests/support/volume.rs"]
mod volume;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use tautline_audit::source::{SourceKind, read_start};
use tautline_audit::{Document, format};

use crate::support::{audited, check};
use volume::volume;

const LIMIT: u32 = tautline::frame::DEFAULT_LIMIT;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sources")
}

/// Returns the recordings in a folder, by name.
fn files(folder: &str) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(directory().join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_none_or(|extension| extension != "expected"))
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read(&path).unwrap())
        })
        .collect();
    files.sort();
    files
}

fn file(folder: &str, name: &str) -> Vec<u8> {
    fs::read(directory().join(folder).join(name)).unwrap()
}

/// Returns all recordings, with their formats. The one in the format of `tautline` itself is made here.
fn recordings() -> Vec<(SourceKind, String, Vec<u8>)> {
    let mut recordings = Vec::new();
    for &kind in SourceKind::ALL.iter().filter(|&&kind| kind != SourceKind::Recording) {
        for (name, bytes) in files(kind.name()) {
            recordings.push((kind, format!("{}/{name}", kind.name()), in_vscode(&name, bytes)));
        }
    }
    let own = "{\"tautline-recording\":1}\n\
        {\"us\":1,\"from\":\"client\",\"text\":\"{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":1,\\\"method\\\":\\\"ping\\\"}\\n\"}\n\
        {\"us\":2,\"from\":\"server\",\"base64\":\"/w==\"}\n{\"exit\":0}\n";
    recordings.push((SourceKind::Recording, "own".to_owned(), own.into()));
    recordings
}

/// Adds the prefix that VS Code writes to the lines of `vscode-languageclient` 11. The files were recorded without VS
/// Code, and have a placeholder there.
fn in_vscode(name: &str, bytes: Vec<u8>) -> Vec<u8> {
    if !name.starts_with("languageclient11") {
        return bytes;
    }
    let text = String::from_utf8(bytes).unwrap();
    text.replace("<trace> ", "2026-11-23 17:38:04.736 [trace] ").into_bytes()
}

/// Detects the format of a recording, and audits it to its end.
fn document(kind: SourceKind, bytes: &[u8]) -> Document {
    let start = read_start(&mut &*bytes).unwrap();
    assert_eq!(SourceKind::detect(&start), Ok(kind));
    let (result, document) = audited(kind, bytes, LIMIT);
    result.unwrap();
    document.unwrap()
}

/// Returns a summary of a document: frames per side, sessions, findings and notes.
fn summary(document: &Document) -> String {
    let mut text = String::new();
    for row in &document.totals.messages {
        let counts: Vec<_> = row
            .iter()
            .filter(|(name, count)| **name != "from" && **count != 0)
            .map(|(name, count)| format!("{count} {name}"))
            .collect();
        writeln!(text, "{}: {}", row["from"].as_str().unwrap(), counts.join(", ")).unwrap();
    }
    for session in &document.sessions {
        let revision = session.revision.unwrap_or("none");
        let end = session.end.as_deref().unwrap_or("open");
        writeln!(text, "session from {}: {revision}, {end}", session.first_frame).unwrap();
    }
    for finding in &document.findings {
        let frame = finding.frame.map_or("-".to_owned(), |frame| frame.to_string());
        let (rule, line) = (finding.rule, finding.line.unwrap_or(0));
        writeln!(text, "frame {frame}, line {line}: {rule} {}", finding.path).unwrap();
    }
    writeln!(text, "{} pieces of standard error", document.stderr.len()).unwrap();
    writeln!(text, "{} latencies", document.latency.len()).unwrap();
    for note in &document.notes {
        writeln!(text, "note: {note}").unwrap();
    }
    text.replace(" \n", "\n")
}

#[test]
fn genuine_recordings_are_audited() {
    for (kind, name, bytes) in recordings() {
        if kind == SourceKind::Recording {
            continue;
        }
        let actual = summary(&document(kind, &bytes));
        let path = directory().join(format!("{name}.expected"));
        if std::env::var_os("TAUTLINE_BLESS").is_some() {
            fs::write(&path, &actual).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), actual, "{name}");
    }
}

fn findings(document: &Document, rule: &str) -> Vec<u64> {
    let found = document.findings.iter().filter(|finding| finding.rule == rule);
    found.filter_map(|finding| finding.line).collect()
}

/// The servers were faulty on purpose. Each fault that the tool recorded is found.
#[test]
fn known_faults_are_found() {
    for (kind, name, rule, lines) in [
        (SourceKind::Mcpsnoop, "broken.jsonl", "log-line", &[3][..]),
        (SourceKind::Mcpsnoop, "broken.jsonl", "not-json", &[20]),
        (SourceKind::Mcpsnoop, "broken.jsonl", "legacy-encoding", &[22]),
        (SourceKind::Mcpsnoop, "broken.jsonl", "duplicate-nested-member", &[12]),
        (SourceKind::Mcpsnoop, "broken.jsonl", "duplicate-inner-member", &[13]),
        (SourceKind::Mcpsnoop, "broken.jsonl", "unanswered-request", &[14, 30]),
        (SourceKind::Har, "mitmproxy-broken.har", "log-line", &[638]),
        (SourceKind::Har, "mitmproxy-broken.har", "legacy-encoding", &[964]),
        (SourceKind::Har, "mitmproxy-broken.har", "duplicate-inner-member", &[858]),
        (SourceKind::Har, "mitmproxy-broken.har", "unfinished-frame", &[748]),
        (SourceKind::Har, "playwright-broken.har", "log-line", &[1]),
        (SourceKind::Har, "playwright-broken.har", "not-json", &[1]),
        (SourceKind::Har, "playwright-broken.har", "legacy-encoding", &[1]),
        (SourceKind::Har, "playwright-broken.har", "batch-not-allowed", &[1, 1]),
        (SourceKind::LspTrace, "languageclient9-json.log", "unanswered-request", &[18]),
        (SourceKind::LspTrace, "languageclient9-text.log", "unanswered-request", &[590]),
        (SourceKind::LspTrace, "languageclient9-text.log", "response-unexpected", &[582]),
        (SourceKind::Inspector, "stdio.json", "unanswered-request", &[282]),
        (SourceKind::Vscode, "stdio-broken.log", "log-line", &[9]),
        (SourceKind::Vscode, "stdio-broken.log", "not-json", &[26]),
        (SourceKind::Vscode, "stdio-broken.log", "not-an-object", &[30]),
        (SourceKind::Vscode, "stdio-broken.log", "process-failed", &[37]),
        (SourceKind::Mcpjam, "rpc-stream.sse", "unanswered-request", &[25]),
        (SourceKind::ClaudeDesktop, "made-by-hand.log", "log-line", &[11]),
    ] {
        let document = document(kind, &file(kind.name(), name));
        assert_eq!(findings(&document, rule), lines, "{name}: {rule}");
    }
}

/// Both forms contain the same messages, so both must yield the same frames.
#[test]
fn both_forms_of_a_trace_give_the_same_messages() {
    let frames = |name: &str| {
        let bytes = in_vscode(name, file("lsp-trace", name));
        let rows = document(SourceKind::LspTrace, &bytes).frames;
        rows.into_iter().map(|row| (row.from, row.kind, row.method, row.id)).collect::<Vec<_>>()
    };
    for (json, text) in [
        ("languageclient9-json.log", "languageclient9-text.log"),
        ("languageclient9-json.log", "languageclient9-messages.log"),
        ("languageclient9-json.log", "languageclient9-compact-de.log"),
        ("languageclient11-json.log", "languageclient11-text.log"),
    ] {
        assert_eq!(frames(json), frames(text), "{text}");
    }
}

#[test]
fn the_bytes_of_a_message_are_those_on_the_wire() {
    let document = document(SourceKind::Mcpsnoop, &file("mcpsnoop", "broken.jsonl"));
    let bytes = |number: usize| document.frames[number - 1].bytes[0].clone();
    let text = bytes(10).text.unwrap();
    assert!(text.contains(r#""x":1,"x":2,"n":1.0,"big":9007199254740993,"u":"\u00e9""#), "{text}");
    assert_eq!(bytes(15).text, None, "it is not UTF-8");
}

#[test]
fn streams_of_events_are_decoded_as_their_server_has_sent_them() {
    for name in ["playwright-everything.har", "mitmproxy-everything.har"] {
        let document = document(SourceKind::Har, &file("har", name));
        let has = |part: &str| {
            let bytes = document.frames.iter().flat_map(|frame| &frame.bytes);
            bytes.filter_map(|bytes| bytes.text.as_deref()).any(|text| text.contains(part))
        };
        assert!(has("Echo: hello <world> é") && !has("Ã"), "{name}");
    }
}

/// The server sent `roots/list` on a stream that was open for the whole session.
#[test]
fn answers_to_requests_in_a_stream_come_after_them() {
    let message = |id: u32, rest: &str| format!(r#"{{\"jsonrpc\":\"2.0\",\"id\":{id},{rest}}}"#);
    let post = |second: u32, body: &str, answer: &str| {
        format!(
            r#"{{"startedDateTime":"2026-01-01T00:00:0{second}Z","time":5,"request":{{"method":"POST","url":"http://a/mcp",
                "headers":[],"postData":{{"text":"{body}"}}}},"response":{{"status":200,"headers":[],
                "content":{{"mimeType":"application/json","text":"{answer}"}}}}}}"#
        )
    };
    let hello = message(
        0,
        r#"\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"roots\":{}},\"clientInfo\":{\"name\":\"a\",\"version\":\"1\"}}"#,
    );
    let welcome = message(
        0,
        r#"\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"serverInfo\":{\"name\":\"a\",\"version\":\"1\"}}"#,
    );
    let stream = format!(
        r#"{{"startedDateTime":"2026-01-01T00:00:02Z","time":9000,"request":{{"method":"GET","url":"http://a/mcp","headers":[]}},
            "response":{{"status":200,"headers":[],"content":{{"mimeType":"text/event-stream","text":"data: {}\n\n"}}}}}}"#,
        message(7, r#"\"method\":\"roots/list\""#)
    );
    let entries = [
        post(3, &message(7, r#"\"result\":{\"roots\":[]}"#), ""),
        stream,
        post(1, r#"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"#, ""),
        post(0, &hello, &welcome),
        r#"{"startedDateTime":"x","request":{"method":"GET","url":"http://a/favicon.ico"},"response":{}}"#
            .to_owned(),
    ];
    let har = format!(r#"{{"log":{{"version":"1.2","entries":[{}]}}}}"#, entries.join(","));
    let document = document(SourceKind::Har, har.as_bytes());
    let rules: Vec<_> = document.findings.iter().map(|finding| finding.rule).collect();
    assert_eq!((document.totals.frames, &rules[..]), (5, &[][..]));
}

#[test]
fn sessions_in_one_archive_are_taken_apart() {
    let entry = |second: u32, session: &str| {
        format!(
            r#"{{"startedDateTime":"2026-01-01T00:00:0{second}Z","time":1500,"request":{{"method":"POST","url":"http://a/mcp",
            "headers":[{{"name":"MCP-Session-ID","value":"{session}"}}],
            "postData":{{"text":"{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}}"}}}},
            "response":{{"content":{{"mimeType":"application/json; charset=utf-8",
            "text":"{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{}}}}"}}}}}}"#
        )
    };
    let entries = [entry(1, "a"), entry(2, "b")].join(",");
    let har = format!(r#"{{"log":{{"entries":[{entries}]}}}}"#);
    let document = document(SourceKind::Har, har.as_bytes());
    assert_eq!(document.sessions.len(), 2);
    assert!(findings(&document, "id-reused").is_empty());
}

/// A message that a tool has cut is not the fault of its sender.
#[test]
fn cut_messages_of_claude_desktop_are_not_judged() {
    let cut = |start: &str, end: &str| {
        let fill = "x".repeat(256 - start.len());
        format!("{start}{fill}...[3000 chars truncated]...{end}")
    };
    let record = |from: &str, message: &str| {
        format!(
            "2026-03-01T10:00:00.000Z [a] [info] Message from {from}: {message} {{ metadata: undefined }}\n"
        )
    };
    let hello = r#"{"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}},"jsonrpc":"2.0","id":0}"#;
    let welcome = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"a","version":"1"}}}"#;
    let list =
        |id: u32| format!(r#"{{"method":"tools/list","params":{{}},"jsonrpc":"2.0","id":{id}}}"#);
    let log = [
        record("client", hello),
        record("server", welcome),
        record("client", r#"{"method":"notifications/initialized","jsonrpc":"2.0"}"#),
        record("client", &list(1)),
        record("client", &list(2)),
        record("server", &cut(r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":""#, "\"}]}}")),
    ];
    let whole = document(SourceKind::ClaudeDesktop, log.concat().as_bytes());
    assert_eq!(findings(&whole, "unanswered-request"), [5]);
    assert_eq!(whole.findings.len(), 1);
    let call = cut(
        r#"{"method":"tools/call","params":{"name":"a","arguments":{"text":""#,
        r#""}},"jsonrpc":"2.0","id":3}"#,
    );
    let more = [
        record("client", &call),
        record("server", r#"{"jsonrpc":"2.0","id":3,"result":{"content":[]}}"#),
    ];
    let log = [log.concat(), more.concat()].concat();
    let whole = document(SourceKind::ClaudeDesktop, log.as_bytes());
    assert_eq!(findings(&whole, "unanswered-request"), [5]);
    assert_eq!(whole.findings.len(), 1, "the answer to a request that was cut is expected");
}

#[test]
fn dropped_records_of_mcpsnoop_excuse_what_they_may_have_held() {
    let recording = file("mcpsnoop", "everything.jsonl");
    let lines: Vec<_> = recording.split_inclusive(|&byte| byte == b'\n').collect();
    let is_answer = |line: &[u8]| {
        let text = String::from_utf8_lossy(line);
        text.contains("\"s2c\"") && text.contains("\"id\":2}")
    };
    let at = lines.iter().position(|line| is_answer(line)).unwrap();
    let with_gap: Vec<_> = lines.iter().enumerate().filter(|&(index, _)| index != at).collect();
    let bytes: Vec<u8> = with_gap.iter().flat_map(|(_, line)| line.iter().copied()).collect();
    let document = document(SourceKind::Mcpsnoop, &bytes);
    assert!(findings(&document, "unanswered-request").is_empty());
    let dropped = "mcpsnoop has dropped 1 frame before line 12";
    assert!(document.notes.iter().any(|note| note == dropped), "{:?}", document.notes);
}

#[test]
fn notes_are_in_every_report() {
    let document = document(SourceKind::Vscode, &file("vscode", "stdio-broken.log"));
    let [note, ..] = &document.notes[..] else { panic!("there are no notes") };
    for format in [format::Format::Json, format::Format::Sarif, format::Format::Html] {
        let mut report = Vec::new();
        format.write(&document, &mut report).unwrap();
        let report = String::from_utf8(report).unwrap();
        assert!(report.contains(note.as_str()), "{}", format.name());
    }
}

/// A requirement about bytes does not pass just because the tool rewrote them correctly.
#[test]
fn rewritten_messages_do_not_pass_rules_about_bytes() {
    let verdict = |kind: SourceKind, name: &str| {
        let document = document(kind, &file(kind.name(), name));
        let passed = document.requirements.iter().filter(|row| row.id == "transport-utf8");
        passed.map(|row| format!("{:?}", row.verdict)).collect::<Vec<_>>()
    };
    assert_eq!(verdict(SourceKind::Mcpsnoop, "everything.jsonl"), ["Passed"]);
    assert_ne!(verdict(SourceKind::Vscode, "http-trace.log"), ["Passed"]);
}

#[test]
fn what_stdio_must_do_is_not_asked_of_http() {
    let verdicts = |kind: SourceKind, name: &str| {
        let rows = document(kind, &file(kind.name(), name)).requirements;
        let of_stdio = rows.into_iter().filter(|row| row.clause.contains("transports/stdio"));
        of_stdio.map(|row| format!("{:?}", row.verdict)).collect::<Vec<_>>()
    };
    let is_unseen = |verdict: &String| verdict == "NotObserved";
    assert!(verdicts(SourceKind::Har, "playwright-broken.har").iter().all(is_unseen));
    assert!(verdicts(SourceKind::Mcpsnoop, "http.jsonl").iter().all(is_unseen));
    assert!(!verdicts(SourceKind::Mcpsnoop, "broken.jsonl").iter().all(is_unseen));
}

/// A server or a proxy may refuse a request with JSON that is not JSON-RPC.
#[test]
fn failures_of_http_are_no_messages() {
    let har = r#"{"log":{"entries":[{"startedDateTime":"2026-01-01T00:00:00Z","time":5,
        "request":{"method":"POST","url":"http://a/mcp","headers":[],
        "postData":{"text":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"}},
        "response":{"status":401,"headers":[],
        "content":{"mimeType":"application/json","text":"{\"error\":\"invalid_token\"}"}}},{}]}}"#;
    let document = document(SourceKind::Har, har.as_bytes());
    assert_eq!((document.totals.frames, findings(&document, "missing-jsonrpc").len()), (1, 0));
    let notes = document.notes.join("\n");
    assert!(notes.contains("some responses of HTTP failed"), "{notes}");
    assert!(notes.contains("some entries of the archive"), "{notes}");
}

/// mcpsnoop records the connection, which has one request at a time.
#[test]
fn a_failed_status_in_mcpsnoop_answers_the_request() {
    let document = document(SourceKind::Mcpsnoop, &file("mcpsnoop", "http.jsonl"));
    // The server crashed in the call on line 21, and never answered the call on line 11.
    let unanswered = findings(&document, "unanswered-request");
    assert!(unanswered.contains(&11) && !unanswered.contains(&21), "{unanswered:?}");
}

#[test]
fn an_archive_without_mcp_says_so() {
    let har = br#"{"log":{"entries":[{"request":{"method":"OPTIONS"},"response":{}}]}}"#;
    let error = audited(SourceKind::Har, har, LIMIT).0.unwrap_err().to_string();
    assert!(error.contains("no exchange that carries MCP"), "{error}");
}

#[test]
fn the_wrong_format_is_named() {
    for (found, name, bytes) in recordings() {
        for &kind in SourceKind::ALL.iter().filter(|&&kind| kind != found) {
            let (result, _) = audited(kind, &bytes, LIMIT);
            let error = result.expect_err(&name).to_string();
            let (title, looks, use_it) = (kind.title(), found.title(), found.name());
            let expected = format!(
                "line 1: this is not {title}; it looks like {looks}: use --source {use_it} or none"
            );
            assert_eq!(error, expected, "{name}");
        }
    }
}

#[test]
fn what_cannot_be_read_is_named() {
    for (name, words) in [
        ("mcp-trace-js.log", "mcp-trace (npm)"),
        ("mcp-trace-py.log", "mcp-trace (PyPI)"),
        ("mcp-recorder.json", "mcp-recorder"),
        ("inspector-console.json", "use its protocol export"),
        ("broken.zhar", "decompress it"),
    ] {
        let bytes = file("others", name);
        let why = SourceKind::detect(&bytes).unwrap_err();
        assert!(why.contains(words), "{name}: {why}");
        for &kind in SourceKind::ALL {
            let error = audited(kind, &bytes, LIMIT).0.expect_err(name).to_string();
            assert_eq!(error, format!("line 1: this is not {}: {why}", kind.title()));
        }
    }
    let bytes = file("others", "mcpsnoop-export.har");
    let error = audited(SourceKind::Har, &bytes, LIMIT).0.unwrap_err().to_string();
    assert!(error.contains("use its JSONL instead"), "{error}");
    let quiet = b"2026-11-23 17:54:59.980 [info] Connection state: Running\n";
    let error = audited(SourceKind::Vscode, quiet, LIMIT).0.unwrap_err().to_string();
    assert!(error.contains("set the log level to Debug"), "{error}");
}

/// A small generator of numbers that look random (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end.max(1) as u64).unwrap()
    }
}

#[test]
fn damaged_recordings_do_not_panic() {
    let (cuts, flips) = (volume(50), volume(25));
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for (kind, name, bytes) in recordings() {
        let index = SourceKind::ALL.iter().position(|&other| other == kind).unwrap();
        let input = |damaged: &[u8]| [&[u8::try_from(index).unwrap()], damaged].concat();
        println!("{name}");
        let ends: Vec<_> = (0..bytes.len()).filter(|&at| bytes[at] == b'\n').collect();
        for number in 0..cuts {
            let cut = random.below(bytes.len());
            check(&input(&bytes[..cut]));
            // The rest of the line is missing, and the lines after it are whole.
            if number % 4 == 0
                && let Some(&end) = ends.iter().find(|&&end| end >= cut)
            {
                check(&input(&[&bytes[..cut], &bytes[end..]].concat()));
            }
        }
        for _ in 0..flips {
            let mut damaged = bytes.clone();
            for _ in 0..=random.below(8) {
                let at = random.below(bytes.len());
                damaged[at] ^= 1 << random.below(8);
            }
            check(&input(&damaged));
        }
    }
}

#[test]
fn seeds_and_findings_of_the_fuzzer_are_replayed() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fuzz");
    for kind in ["seeds", "regressions"] {
        let Ok(entries) = fs::read_dir(fuzz.join(kind).join("sources")) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            println!("{}", path.display());
            check(&fs::read(path).unwrap());
        }
    }
}
