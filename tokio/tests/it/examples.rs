//! The examples work as described.

#[path = "../../examples/async_lsp_server.rs"]
#[allow(dead_code, reason = "its `main` is not called")]
mod async_lsp_server;

use std::process::Stdio;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tautline_tokio::{CallError, Closed, Connection, Handlers, Options};

use crate::support::within;

type Published = Arc<Mutex<Vec<Value>>>;

/// An editor, connected to the example.
fn editor() -> (Connection, Connection, Published) {
    let (ours, theirs) = tokio::io::duplex(1024);
    let server = Options::lsp().start_stream(theirs, async_lsp_server::handlers());
    let published = Published::default();
    let handlers = Handlers::new(Arc::clone(&published))
        .notification("textDocument/publishDiagnostics", async |context, params: Value| {
            context.state().lock().unwrap().push(params)
        });
    (Options::lsp().start_stream(ours, handlers), server, published)
}

#[tokio::test]
async fn the_language_server_serves() {
    let (editor, server, published) = editor();
    let peer = editor.peer();
    let hello: Value = within(peer.call("initialize", json!({}))).await.unwrap();
    assert_eq!(hello["capabilities"]["hoverProvider"], true);
    peer.notify("initialized", json!({})).await.unwrap();
    let document =
        json!({ "uri": "file:///a", "languageId": "x", "version": 1, "text": "one\nthree\n" });
    peer.notify("textDocument/didOpen", json!({ "textDocument": document })).await.unwrap();
    for (line, expected) in [(0, json!({ "contents": "3 characters" })), (9, Value::Null)] {
        let position = json!({ "line": line, "character": 0 });
        let params = json!({ "textDocument": { "uri": "file:///a" }, "position": position });
        let hover: Value = within(peer.call("textDocument/hover", params)).await.unwrap();
        assert_eq!(hover, expected);
    }
    assert_eq!(*published.lock().unwrap(), [json!({ "uri": "file:///a", "diagnostics": [] })]);
    let error = within(peer.call::<Value>("textDocument/hover", json!({}))).await.unwrap_err();
    assert!(matches!(&error, CallError::Peer(error) if error.code().value() == -32602), "{error}");

    within(peer.call::<()>("shutdown", ())).await.unwrap();
    peer.notify("exit", ()).await.unwrap();
    assert!(matches!(within(server.wait()).await, Closed::Local));
    assert!(matches!(within(editor.wait()).await, Closed::Remote));
}

/// Both examples are short enough to be read at a glance.
#[test]
fn the_examples_are_short() {
    for (text, limit) in [
        (include_str!("../../examples/mcp_client.rs"), 40),
        (include_str!("../../examples/async_lsp_server.rs"), 60),
    ] {
        assert!(text.lines().count() <= limit, "{}", text.lines().count());
    }
}

/// The client runs a shell script as its server, and prints the listed tools.
#[cfg(unix)]
#[tokio::test]
async fn the_client_lists_tools() {
    let tests = std::env::current_exe().unwrap();
    let client = tests.ancestors().nth(2).unwrap().join("examples/mcp_client");
    assert!(client.exists(), "run all tests of the package, which builds its examples");
    let server = r#"
        read hello
        echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"shell"}}}'
        read initialized
        read list
        echo '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"rm","description":"removes"}]}}'
    "#;
    let mut command = tokio::process::Command::new(client);
    let output = command.args(["sh", "-c", server]).stderr(Stdio::inherit()).output();
    let output = within(output).await.unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text, "\"shell\"\n\"rm\": \"removes\"\nexit status: 0\n");
}
