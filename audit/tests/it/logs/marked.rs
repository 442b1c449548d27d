//! Logs whose lines mark the direction.

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
        ("2026-01-02T03:04:05.678Z [INFO] wire --> ", "2026-01-02T03:04:05.679Z [INFO] wire <-- "),
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
    assert!(!rules.contains(&"unanswered-request") && !rules.contains(&"bad-line"), "{rules:?}");
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
    assert_eq!(findings(&document), [("bad-line", 3), ("bad-line", 4), ("opening-unanswered", 6)]);
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
