//! Traces of LSP that clients and servers write.

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
        ("Sending notification 'textDocument/publishDiagnostics'.", ["client", "server", "server"]),
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
