//! The examples work as described.

#[path = "../../examples/lsp_server.rs"]
#[allow(dead_code, reason = "its `main` is not called")]
mod lsp_server;

use lsp_server::{ExitStatus, Phase, serve};
use serde_json::{Value, json};
use tautline::frame::ContentLength;
use tautline::io::MessageReader;
use tautline::stream::Received;
use tautline::{Message, Profile};

/// Sends these messages to the language server, and returns the phase at the end and what it wrote.
fn session(sent: &[Value]) -> (Phase, Vec<Value>) {
    let mut input = Vec::new();
    for message in sent {
        let body = message.to_string();
        input.extend(format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes());
    }
    let mut output = Vec::new();
    let phase = serve(&input[..], &mut output).unwrap();
    let mut written = Vec::new();
    let framing = ContentLength::new(u32::MAX);
    let mut reader = MessageReader::with_framing(&output[..], framing, &Profile::LSP);
    while let Some(received) = reader.next().unwrap() {
        let Received::Message { frame, message, .. } = received else { panic!("{received:?}") };
        assert!(!matches!(message, Message::Batch(_)));
        written.push(serde_json::from_slice(frame.bytes()).unwrap());
    }
    (phase, written)
}

fn request(id: u32, method: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method })
}

fn did_open(uri: &str, text: &str) -> Value {
    let document = json!({ "uri": uri, "languageId": "x", "version": 1, "text": text });
    let params = json!({ "textDocument": document });
    json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params })
}

fn exit() -> Value {
    json!({ "jsonrpc": "2.0", "method": "exit" })
}

/// Diagnostics may be much longer than the document, whatever the limit for a message of the client's is.
#[test]
fn a_document_of_marks_does_not_end_the_server() {
    for text in ["TODO\n".repeat(150_000), "TODO".repeat(190_000)] {
        let count = text.matches("TODO").count();
        let sent = [request(1, "initialize"), did_open("a", &text), request(2, "shutdown"), exit()];
        let (phase, written) = session(&sent);
        assert!(phase == Phase::Exited(ExitStatus::AfterShutdown));
        let [_, published, shutdown] = &written[..] else { panic!("{}", written.len()) };
        let marks = published["params"]["diagnostics"].as_array().unwrap();
        assert_eq!(marks.len(), count);
        let last = text.lines().last().unwrap();
        assert_eq!(marks[count - 1]["range"]["end"]["character"], last.len());
        assert_eq!(*shutdown, json!({ "jsonrpc": "2.0", "id": 2, "result": null }));
    }
}

/// LSP 3.17: before `initialize`, notifications are dropped, except for `exit`; after `shutdown` too.
#[test]
fn only_exit_is_heard_outside_the_session() {
    let sent = [
        did_open("early", "TODO"),
        request(1, "initialize"),
        did_open("in time", "TODO"),
        request(2, "shutdown"),
        did_open("late", "TODO"),
        exit(),
    ];
    let (phase, written) = session(&sent);
    assert!(phase == Phase::Exited(ExitStatus::AfterShutdown));
    let published: Vec<_> =
        written.iter().filter(|message| message.get("method").is_some()).collect();
    assert_eq!(published.len(), 1);
    assert_eq!(published[0]["params"]["uri"], "in time");
    let (phase, written) = session(&[exit(), request(1, "initialize")]);
    assert!(phase == Phase::Exited(ExitStatus::WithoutShutdown) && written.is_empty());
}
