//! The logs of clients: what they quote, which windows and servers share them, and where their sessions begin.

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

mod claude_desktop {
    use super::*;

    const KIND: SourceKind = SourceKind::ClaudeDesktop;

    /// Makes a log of one server. The records are 10 ms apart, unless a `+` before a record adds a minute.
    fn log(records: &[&str]) -> String {
        let mut minutes = 0;
        let mut log = String::new();
        for (index, record) in records.iter().enumerate() {
            let record = record.strip_prefix('+').inspect(|_| minutes += 1).unwrap_or(record);
            let level = if record.contains("JSON") { "error" } else { "info" };
            let record = match record.split_at(2) {
                ("> ", message) => format!("Message from client: {message}"),
                ("< ", message) => format!("Message from server: {message}"),
                _ => record.to_owned(),
            };
            log += &format!(
                "2026-02-03T11:{minutes:02}:00.{index:02}0Z [quay] [{level}] {record} {{ metadata: undefined }}\n"
            );
        }
        log
    }

    #[test]
    fn the_quoted_part_of_a_bad_line_is_shown() {
        let log = log(&[
            "Initializing server...",
            &format!("> {HELLO}"),
            r#"Unexpected token 'L', "Loading 12"... is not valid JSON"#,
            r#"Unexpected token 'r', "ready" is not valid JSON"#,
            r#"Unexpected token 'N', ..."price":NaN,"unit":"... is not valid JSON"#,
            "Unexpected end of JSON input",
            &format!("< {WELCOME}"),
        ]);
        let document = document(KIND, &log);
        assert_eq!(
            findings(&document),
            [("bad-line", 3), ("bad-line", 4), ("bad-line", 5), ("bad-line", 6),]
        );
        let words = words(&document);
        assert!(words[0].contains("\"Loading 12\""), "{}", words[0]);
        assert!(words[0].contains("quotes only the beginning of the line"), "{}", words[0]);
        assert!(words[1].contains("\"ready\"") && !words[1].contains("beginning"), "{}", words[1]);
        assert!(words[2].contains("\"price\":NaN"), "{}", words[2]);
        assert!(words[3].contains("Unexpected end of JSON input"), "{}", words[3]);
        let shown = document.frames[1].bytes[0].text.as_deref();
        assert_eq!(shown, Some("Loading 12"));
    }

    #[test]
    fn copies_of_a_second_window_are_left_out() {
        let (hello, welcome) = (format!("> {HELLO}"), format!("< {WELCOME}"));
        let (ready, list, listed) =
            (format!("> {READY}"), format!("> {}", list(1)), format!("< {}", listed(1)));
        let bad = r#"Unexpected token 'u', "up and run"... is not valid JSON"#;
        let text = log(&[
            "Initializing server...",
            "Initializing server...",
            &hello,
            "Server started and connected successfully",
            &hello,
            bad,
            bad,
            &welcome,
            &welcome,
            &ready,
            &ready,
            &list,
            &list,
            &listed,
            &listed,
        ]);
        let document = document(KIND, &text);
        assert_eq!(findings(&document), [("bad-line", 6)]);
        assert_eq!(
            frames(&document),
            [
                ("client", "0", 3),
                ("server", "-", 6),
                ("server", "0", 8),
                ("client", "-", 10),
                ("client", "1", 12),
                ("server", "1", 14)
            ]
        );
        assert!(has_note(&document, "several windows"), "{:?}", document.notes);
        assert_eq!(document.sessions.len(), 1);
    }

    /// Only a copied request excuses a second response.
    #[test]
    fn a_second_response_to_one_request_is_found() {
        let text = log(&[
            &format!("> {HELLO}"),
            &format!("< {WELCOME}"),
            &format!("> {READY}"),
            &format!("> {}", list(1)),
            &format!("< {}", listed(1)),
            &format!("< {}", listed(1)),
        ]);
        assert_eq!(findings(&document(KIND, &text)), [("response-duplicate", 6)]);
    }

    #[test]
    fn ids_begin_anew_with_the_connection() {
        let session = [
            format!("> {HELLO}"),
            format!("< {WELCOME}"),
            format!("> {READY}"),
            format!("> {}", list(1)),
            format!("< {}", listed(1)),
        ];
        let session: Vec<_> = session.iter().map(String::as_str).collect();
        let end = |ends: &[&'static str]| {
            let mut records = session.clone();
            records.extend(ends);
            records.push("+Using MCP server command: b");
            records.extend(&session);
            log(&records)
        };
        for (ends, how) in [
            (&["Client transport closed"][..], "the connection was closed"),
            (&["Server transport closed", "Client transport closed"], "the connection was closed"),
            (&["Initializing server..."], "the server was started again"),
            (&["Server started and connected successfully"], "the server was started again"),
            (&[], "the server was started again"),
        ] {
            let document = document(KIND, &end(ends));
            assert_eq!(findings(&document), [], "{ends:?}");
            let sessions: Vec<_> = document.sessions.iter().map(|row| row.end.as_deref()).collect();
            assert_eq!(sessions, [Some(how), None], "{ends:?}");
        }
        let crashed = document(KIND, &end(&["Server transport closed unexpectedly, probably"]));
        assert_eq!(findings(&crashed), [("process-failed", 6)]);
    }

    #[test]
    fn windows_with_different_requests_do_not_break_rules_about_ids() {
        let call = r#"> {"method":"tools/call","params":{"name":"x"},"jsonrpc":"2.0","id":1}"#;
        let (hello, list) = (format!("> {HELLO}"), format!("> {}", list(1)));
        let text = log(&[
            &hello,
            &hello,
            &format!("< {WELCOME}"),
            &format!("> {READY}"),
            &list,
            call,
            &format!("< {}", listed(1)),
            r#"< {"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#,
        ]);
        let document = document(KIND, &text);
        let of_ids: Vec<_> = findings(&document)
            .into_iter()
            .filter(|(rule, _)| rule.starts_with("id-") || rule.starts_with("response-"))
            .collect();
        assert_eq!(of_ids, []);
        assert!(has_note(&document, "use the same ids"), "{:?}", document.notes);
    }

    #[test]
    fn the_servers_of_mcp_log_are_judged_one_by_one() {
        let record = |server: &str, text: &str| {
            format!("2026-02-03T11:00:00.000Z [info] [{server}] {text} {{ metadata: undefined }}\n")
        };
        let client = |message: &str| format!("Message from client: {message}");
        let server = |message: &str| format!("Message from server: {message}");
        let mut text = String::new();
        for words in [client(HELLO), server(WELCOME), client(READY), client(&list(1))] {
            text += &record("alpha", &words);
            text += &record("beta [2]", &words);
        }
        text += &record("beta [2]", &server(&listed(1)));
        let document = document(KIND, &text);
        assert_eq!(findings(&document), [("unanswered-request", 7)]);
        assert_eq!(document.sessions.len(), 2);
        let lines: Vec<_> = frames(&document).into_iter().map(|(_, _, line)| line).collect();
        assert_eq!(lines, [1, 3, 5, 7, 2, 4, 6, 8, 9]);
        assert!(has_note(&document, "2 servers"), "{:?}", document.notes);
        assert!(has_note(&document, "alpha, beta [2]"), "{:?}", document.notes);
    }
}

mod cursor {
    use super::*;

    const KIND: SourceKind = SourceKind::Cursor;

    fn record(level: &str, text: &str) -> String {
        format!("2026-03-04 09:10:11.500 [{level}] {text}\n")
    }

    /// Cursor writes the error twice in a record.
    fn error(words: &str) -> String {
        record("error", &format!("Client error: {words} {words}"))
    }

    #[test]
    fn bad_lines_are_found_in_a_log_without_messages() {
        let log = [
            record("info", "[V2 FSM] connection:connect_start: conn=idle -> conn=connecting"),
            error(r#"Unexpected token 'W', "Warning: d"... is not valid JSON"#),
            error("Unexpected end of JSON input"),
            error("connect ECONNREFUSED"),
            record("info", "Client closed for command"),
            error(r#"Unexpected token 'b', "bye" is not valid JSON"#),
        ];
        let document = document(KIND, &log.concat());
        assert_eq!(findings(&document), [("bad-line", 2), ("bad-line", 3), ("bad-line", 6)]);
        let words = words(&document);
        assert!(words[0].contains("\"Warning: d\" (the log quotes only"), "{}", words[0]);
        assert!(words[1].contains("it ends too early"), "{}", words[1]);
        assert!(has_note(&document, "no messages at any level"), "{:?}", document.notes);
        assert_eq!(document.sessions.len(), 2);
    }

    #[test]
    fn servers_in_one_log_have_their_own_sessions() {
        let bad = |server: &str, word: &str| {
            record(
                "error",
                &format!(
                    "{server}: Client error for command Unexpected token '{}', \"{word}\" is not valid JSON",
                    &word[..1]
                ),
            )
        };
        let log = [
            record("info", "user-a: Handling CreateClient action"),
            bad("user-a", "one"),
            bad("user-b", "two"),
            bad("user-a", "three"),
        ];
        let document = document(KIND, &log.concat());
        let lines: Vec<_> = frames(&document).into_iter().map(|(_, _, line)| line).collect();
        assert_eq!((lines, document.sessions.len()), (vec![2, 4, 3], 2));
    }

    /// The error may be about the body of an HTTP response.
    #[test]
    fn servers_over_http_do_not_break_rules_of_stdio() {
        let log = [
            record("info", "user-a: Creating streamableHttp transport"),
            error(r#"Unexpected token '<', "<!DOCTYPE "... is not valid JSON"#),
        ];
        let document = document(KIND, &log.concat());
        let of_stdio = document.requirements.iter().filter(|row| row.clause.contains("stdio"));
        assert!(of_stdio.into_iter().all(|row| format!("{:?}", row.verdict) == "NotObserved"));
    }
}

mod lsp_trace {
    use super::*;

    const KIND: SourceKind = SourceKind::LspTrace;

    fn entry(kind: &str, message: &str, ms: u32) -> String {
        let indented = message.replace(",\"", ",\n    \"");
        format!(
            "{{\n  \"type\": \"{kind}\",\n  \"message\": {indented},\n  \"timestamp\": 17954549720{ms:02}\n}}"
        )
    }

    fn entries(sent: &str, received: &str) -> [String; 4] {
        [
            entry(
                &format!("{sent}-request"),
                r#"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}"#,
                10,
            ),
            entry(
                &format!("{received}-response"),
                r#"{"jsonrpc":"2.0","id":7,"result":{"capabilities":{}}}"#,
                35,
            ),
            entry(
                &format!("{received}-request"),
                r#"{"jsonrpc":"2.0","id":1,"method":"workspace/configuration","params":{"items":[]}}"#,
                40,
            ),
            entry(&format!("{sent}-response"), r#"{"jsonrpc":"2.0","id":1,"result":[]}"#, 42),
        ]
    }

    const FRAMES: [(&str, &str); 4] =
        [("client", "7"), ("server", "7"), ("server", "1"), ("client", "1")];

    fn senders(document: &Document) -> Vec<(&str, &str)> {
        frames(document).into_iter().map(|(from, id, _)| (from, id)).collect()
    }

    #[test]
    fn arrays_and_indented_messages_are_read() {
        let entries = entries("send", "receive");
        for log in [
            format!("[\n{}\n]\n", entries.join(",\n")),
            format!("\n [ {} ]", entries.join(" , ")),
            entries.join("\n"),
            // Other entries, and an array that its writer has not ended.
            format!("[{},\n{{\"type\":\"log\"}},\n7,", entries.join(",")),
        ] {
            let document = document(KIND, &log);
            assert_eq!(senders(&document), FRAMES);
            assert_eq!(findings(&document), []);
            assert_eq!(document.rules, "lsp");
            let latency = &document.latency[0];
            assert_eq!((&latency.method[..], latency.median_ms), ("initialize", 25.0));
            assert_eq!(has_note(&document, "ends before its array"), log.ends_with(','));
        }
    }

    #[test]
    fn lines_of_messages_are_read() {
        let lines = entries("send", "recv").map(|entry| entry.replace('\n', "") + "\n").concat();
        let document = document(KIND, &lines);
        assert_eq!(senders(&document), FRAMES);
        assert_eq!(document.frames[3].line, Some(4));
    }

    /// `initialize` shows which side has written the trace.
    #[test]
    fn a_trace_of_the_server_is_recognised() {
        let json = format!("[{}]", entries("receive", "send").join(","));
        assert_eq!(senders(&document(KIND, &json)), FRAMES);
        // The notification of the server is held until then.
        let text = "[Trace - 11:12:13] Sending notification 'demo/started'\n\
            No parameters provided.\n\n\n\
            [Trace - 11:12:13] Received request 'initialize - (7)'\n\
            Params: {\n  \"processId\": null,\n  \"rootUri\": null,\n  \"capabilities\": {}\n}\n\n\n\
            [Trace - 11:12:14] Sending response 'initialize - (7)'. Processing request took 12ms\n\
            Result: {\n  \"capabilities\": {}\n}\nError: null\n\n\n\
            [Trace - 11:12:14] Received notification 'exit'\n\
            [Trace - 11:12:19] Received request 'initialize - (1)'\nParams: {}\n";
        let document = document(KIND, text);
        assert_eq!(
            frames(&document),
            [
                ("server", "-", 1),
                ("client", "7", 5),
                ("server", "7", 13),
                ("client", "-", 20),
                ("client", "1", 21)
            ]
        );
        assert_eq!(document.sessions.len(), 2);
    }

    /// Without `initialize`, other methods show it.
    #[test]
    fn a_trace_that_begins_in_a_session_is_read() {
        let trace = |words: &[&str]| {
            let record = |words: &&str| format!("[Trace - 1:02:03 PM] {words}\n\n\n");
            let text: String = words.iter().map(record).collect();
            let document = document(KIND, &text);
            let senders = frames(&document).into_iter().map(|(from, ..)| from.to_owned());
            senders.collect::<Vec<_>>()
        };
        let request = "Received request 'demo/x - (4)'.";
        let response = "Sending response 'demo/x - (4)'. Processing request took 1ms";
        for (last, expected) in [
            (
                "Sending notification 'textDocument/publishDiagnostics'.",
                ["client", "server", "server"],
            ),
            ("Received request 'workspace/symbol - (5)'.", ["client", "server", "client"]),
            ("Sending request 'workspace/symbol - (5)'.", ["server", "client", "client"]),
            ("Received notification 'window/logMessage'.", ["server", "client", "server"]),
            // The side that asks first is the client.
            ("Sending notification '$/progress'.", ["client", "server", "server"]),
        ] {
            assert_eq!(trace(&[request, response, last]), expected, "{last}");
        }
        assert_eq!(trace(&["Sending notification '$/progress'."]), ["client"]);
    }
}

mod marked {
    use tautline_audit::source::Marks;
    use tautline_audit::{Audit, Options};

    use super::*;

    const KIND: SourceKind = SourceKind::Log;

    /// A request of the client, its response, and a request of the server.
    const MESSAGES: [&str; 3] = [
        r#"{"jsonrpc":"2.0","id":3,"method":"demo/open","params":{"a":"{"}}"#,
        r#"{"jsonrpc":"2.0","id":3,"result":[]}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"demo/ask"}"#,
    ];

    fn log(marks: [&str; 3]) -> String {
        let lines = marks.iter().zip(MESSAGES).map(|(mark, message)| format!("{mark}{message}\n"));
        lines.collect()
    }

    fn senders(document: &Document) -> Vec<(&str, &str)> {
        frames(document).into_iter().map(|(from, id, _)| (from, id)).collect()
    }

    const SENDERS: [(&str, &str); 3] = [("client", "3"), ("server", "3"), ("server", "0")];

    #[test]
    fn marks_of_both_directions_are_read() {
        for (out, back) in [
            ("-> ", "<- "),
            (
                "2026-01-02T03:04:05.678Z [INFO] wire --> ",
                "2026-01-02T03:04:05.679Z [INFO] wire <-- ",
            ),
            ("> ", "< "),
            ("03:04:05 DEBUG [Pool-1] Send: ", "03:04:06 DEBUG [Pool-2] Recv: "),
            ("Sent ", "Received "),
            ("[trace] send-request ", "[trace] receive-response "),
            ("sending message: ", "got message: "),
            ("[out] ", "[in] "),
            ("[9] Message from client: ", "[9] Message from server: "),
            ("client: ", "server: "),
            ("[c2s] ", "[s2c] "),
            ("client -> server ", "server -> client "),
            ("nvim -> pylsp: ", "pylsp -> nvim: "),
            ("[supergateway] SSE → Child (session 1): ", "[supergateway] Child → SSE: "),
            (
                "[jsonrpc] e[03:04:05.678] --> demo/open[3] ",
                "[jsonrpc] e[03:04:05.679] <-- demo/open[3] ",
            ),
            ("// Send:\n", "// Receive:\n"),
            (
                "[client-request] (id:3) Thu Jan  2 03:04:05 2026:\n",
                "[server-reply] (id:3) Thu Jan  2 03:04:06 2026:\n",
            ),
        ] {
            let document = document(KIND, &log([out, back, back]));
            assert_eq!(senders(&document), SENDERS, "{out:?}");
        }
    }

    /// A log of the server has the directions the other way around.
    #[test]
    fn initialize_shows_who_wrote_the_log() {
        for (client, server) in [("< ", "> "), ("received: ", "sent: "), ("IN ", "OUT ")] {
            let log = format!(
                "{server}{{\"jsonrpc\":\"2.0\",\"method\":\"demo/up\"}}\n{client}{HELLO}\n{server}{WELCOME}\n{client}{READY}\n"
            );
            let document = document(KIND, &log);
            let senders: Vec<_> = frames(&document).into_iter().map(|(from, ..)| from).collect();
            assert_eq!(senders, ["server", "client", "server", "client"], "{client:?}");
        }
    }

    #[test]
    fn messages_over_several_lines_are_read() {
        let log = "-> {\n  \"jsonrpc\": \"2.0\",\n  \"id\": 3,\n  \"method\": \"a\"\n}\nother\n\
            <-\n[\n  {\"jsonrpc\": \"2.0\", \"id\": 3,\n   \"result\": []}\n]\n\
            -> {\n  \"jsonrpc\": \"2.0\",\n\
            -> {\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"b\"}\n";
        let document = document(KIND, log);
        let lines: Vec<_> = frames(&document).into_iter().map(|(_, _, line)| line).collect();
        assert_eq!(lines, [1, 8, 14]);
        assert!(has_note(&document, "are cut"), "{:?}", document.notes);
    }

    #[test]
    fn times_of_the_log_give_latencies() {
        let log = format!("03:04:05.100 -> {HELLO}\n03:04:05.350 <- {WELCOME}\n");
        let document = document(KIND, &log);
        assert_eq!(document.latency[0].median_ms, 250.0);
    }

    #[test]
    fn messages_that_are_cut_or_printed_are_not_judged() {
        let log = format!(
            "[gate] SSE → Child: {}\n[gate] Child → SSE: {{\n  jsonrpc: '2.0',\n  id: 3,\n  result: {{ x: [Object] }}\n}}\n\
             [gate] SSE → Child: {}\n[gate] Child → SSE: {{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":\"xxxx… (900 more)\n",
            MESSAGES[0],
            MESSAGES[0].replace(":3", ":4"),
        );
        let document = document(KIND, &log);
        assert_eq!(senders(&document), [("client", "3"), ("client", "4")]);
        let rules: Vec<_> = findings(&document).into_iter().map(|(rule, _)| rule).collect();
        assert!(
            !rules.contains(&"unanswered-request") && !rules.contains(&"bad-line"),
            "{rules:?}"
        );
        assert!(has_note(&document, "printed as objects"), "{:?}", document.notes);
        assert!(has_note(&document, "are cut"), "{:?}", document.notes);
    }

    #[test]
    fn the_servers_of_helix_are_judged_one_by_one() {
        let line = |level: &str, text: &str| {
            format!("2026-03-04T05:06:07.100 helix_lsp::transport [{level}] {text}\n")
        };
        let [open, answer, _] = MESSAGES;
        let log = [
            line("INFO", &format!("zls -> {open}")),
            line("INFO", &format!("taplo -> {open}")),
            line("ERROR", r#"taplo err <- "loading\n""#),
            line("INFO", &format!("taplo <- {answer}")),
            line("INFO", &format!("zls <- {answer}")),
            line("ERROR", r#"zls err: <- Other(Failed to parse header: "zls 0.14")"#),
        ];
        let document = document(KIND, &log.concat());
        let lines: Vec<_> = frames(&document).into_iter().map(|(_, _, line)| line).collect();
        assert_eq!(lines, [1, 5, 6, 2, 4]);
        let found = findings(&document);
        assert!(found.contains(&("bad-line", 6)), "{found:?}");
        assert_eq!(document.sessions.len(), 2);
        assert_eq!(document.last_lines, ["loading"]);
    }

    #[test]
    fn lines_of_a_gateway_beside_messages_are_judged() {
        let log = format!(
            "[supergateway] Starting...\n[supergateway] SSE → Child: {HELLO}\n[supergateway] Child non-JSON: ready {{}}\n\
             [supergateway] Child stdout: also bad\n[supergateway] Child stderr: loaded\n\
             [supergateway] Child exited: code=4, signal=null\n"
        );
        let document = document(KIND, &log);
        assert_eq!(
            findings(&document),
            [("bad-line", 3), ("bad-line", 4), ("unanswered-request", 2), ("process-failed", 6)]
        );
        assert_eq!(document.last_lines, ["loaded"]);
    }

    #[test]
    fn other_files_are_not_claimed() {
        let [open, answer, _] = MESSAGES;
        for file in [
            format!("{open}\n{answer}\n"),
            // Text on the same stream as messages.
            format!("Sending: {open}\n{open}\n{answer}\n"),
            format!("data: {open}\n\ndata: {answer}\n"),
            format!("10:00 INFO {open}\n10:00 INFO {answer}\n"),
            // One name is the name of a logger.
            format!("10:00 server: {open}\n10:00 server: {answer}\n"),
            r#"{"a":"-> {\"jsonrpc\":\"2.0\"}"}"#.to_owned(),
            "-> {\"level\":\"info\"}\n<- {\"level\":\"info\"}\n".to_owned(),
            format!("Content-Length: 5\r\n\r\n{open}"),
            // Messages in another notation.
            "[client-request] (id:1) x:\n(:jsonrpc \"2.0\")\n[server-reply] (id:1) x:\n".to_owned(),
        ] {
            assert!(SourceKind::detect(file.as_bytes()).is_err(), "{file}");
        }
    }

    #[test]
    fn a_buffer_in_the_notation_of_lisp_is_named() {
        let log = "[client-request] (id:1) x:\n(:jsonrpc \"2.0\" :id 1 :method \"initialize\")\n";
        assert!(SourceKind::detect(log.as_bytes()).unwrap_err().contains("set :format"));
    }

    fn marked(marks: [&str; 2], log: &str) -> Result<Document, String> {
        let marks = Marks::new(marks[0], marks[1])?;
        let mut options = Options::default();
        options.frames = 1000;
        let mut audit = Audit::new(options);
        let mut reader = log.as_bytes();
        marks
            .read(&mut reader, LIMIT, &mut |event, place| audit.event(event, place, &mut ()))
            .map_err(|error| error.to_string())?;
        Ok(audit.finish(Vec::new(), &mut ()).unwrap())
    }

    #[test]
    fn marks_of_the_user_are_read() {
        let [open, answer, ask] = MESSAGES;
        let log = format!(
            "start\n@@ {open}\n10:00 @@@: {answer}\n@@@ method=demo/ask {ask}\n@@@ Listening\n@@@\n{answer}\n"
        );
        let document = marked(["@@", "@@@"], &log).unwrap();
        assert_eq!(
            frames(&document),
            [
                ("client", "3", 2),
                ("server", "3", 3),
                ("server", "0", 4),
                ("server", "-", 5),
                ("server", "3", 7)
            ]
        );
        let found = findings(&document);
        assert!(found.contains(&("bad-line", 5)), "{found:?}");
        let error = marked(["A", "B"], &log).unwrap_err();
        assert!(error.contains("no line has the mark \"A\" or \"B\""), "{error}");
        assert!(marked([" ", "B"], &log).unwrap_err().contains("other than a space"));
        assert!(marked(["B", "B"], &log).unwrap_err().contains("are the same"));
    }
}

mod vscode {
    use super::*;

    fn log(records: &[&str]) -> String {
        let record = |text: &&str| format!("2026-02-01 10:20:30.400 [info] {text}\n");
        records.iter().map(record).collect()
    }

    const FALLBACK: &str = "405 status sending message to http://localhost:8080/sse, will attempt to fall back to legacy SSE";

    /// A stream of HTTP+SSE begins with the URI for the messages of the client.
    #[test]
    fn the_data_of_an_endpoint_event_is_recognised() {
        for uri in ["/post?sessionId=4f", "http://localhost:8080/m/1"] {
            let bad = format!("Failed to parse message: {uri:?}");
            let text = log(&["Starting server a", FALLBACK, &bad]);
            let document = document(SourceKind::Vscode, &text);
            assert_eq!(findings(&document), [("bad-line", 3)]);
            let words = words(&document);
            assert!(
                words[0].contains("SSE event `endpoint`") && words[0].contains(uri),
                "{}",
                words[0]
            );
            let of_stdio =
                document.requirements.iter().filter(|row| row.clause.contains("transports/stdio"));
            assert!(of_stdio.into_iter().all(|row| format!("{:?}", row.verdict) == "NotObserved"));
        }
        // Without HTTP, it is a line of text on standard output.
        for records in [&["Starting server a"][..], &[FALLBACK]] {
            let bad = if records[0] == FALLBACK { "/a b" } else { "/a" };
            let bad = format!("Failed to parse message: {bad:?}");
            let document = document(SourceKind::Vscode, &log(&[records[0], &bad]));
            assert!(!words(&document)[0].contains("endpoint"));
        }
    }
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
