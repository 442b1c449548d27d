//! The handshake of a client of MCP.

use serde_json::{Value, json};
use tautline_mcp::{GUARDED_NAMES, Revision};
use tautline_tokio::{CallError, Connection, Handlers, Options, Peer};

use crate::support::{Wire, pipe, within};

const SUPPORTED: &[Revision] =
    &[Revision::V2026_07_28, Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2025_03_26];

fn start() -> (Connection, Wire) {
    let (end, wire) = pipe();
    (Options::mcp(Revision::V2025_11_25).start_stream(end, Handlers::new(())), wire)
}

fn params() -> Value {
    json!({ "capabilities": { "roots": {} }, "clientInfo": { "name": "c", "version": "1" } })
}

/// Lets a client initialize, and answers with this result. Returns what was sent, and the outcome.
async fn shake_hands(
    peer: &Peer,
    wire: &mut Wire,
    result: Value,
) -> (Value, Result<Value, CallError>) {
    let server = async {
        let hello = wire.message().await;
        let answer = json!({ "jsonrpc": "2.0", "id": hello["id"], "result": result });
        wire.send_line(answer.to_string()).await;
        hello
    };
    let client = peer.initialize::<Value>(SUPPORTED, params());
    within(async { tokio::join!(server, client) }).await
}

fn result(version: impl Into<Value>) -> Value {
    json!({ "protocolVersion": version.into(), "serverInfo": { "name": "s", "version": "2" } })
}

#[tokio::test]
async fn the_latest_revision_is_offered_and_the_answer_is_in_force() {
    for (revision, allows_batches) in [
        (Revision::V2025_11_25, false),
        (Revision::V2025_06_18, false),
        (Revision::V2025_03_26, true),
    ] {
        let (connection, mut wire) = start();
        let answer = result(revision.name());
        let (hello, outcome) = shake_hands(connection.peer(), &mut wire, answer.clone()).await;
        let mut expected = params();
        expected["protocolVersion"] = json!("2025-11-25");
        assert_eq!((&hello["method"], &hello["params"]), (&json!("initialize"), &expected));
        assert_eq!(outcome.unwrap(), answer);
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(wire.message().await, initialized);
        const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        wire.send(format!("[{PING}]\n{PING}\n")).await;
        assert_eq!(wire.message().await.is_array(), allows_batches, "{revision}");
    }
}

/// Without `notifications/initialized`, and without a change of the revision.
#[tokio::test]
async fn an_unknown_version_is_refused() {
    for (version, text) in [
        // Known, but not supported by this client.
        (json!("2024-11-05"), "\"2024-11-05\""),
        (json!("2031-01-01"), "\"2031-01-01\""),
        // It has no handshake.
        (json!("2026-07-28"), "\"2026-07-28\""),
        (json!(1), "1"),
        (json!(null), "null"),
    ] {
        let (connection, mut wire) = start();
        let peer = connection.peer();
        let (_, outcome) = shake_hands(peer, &mut wire, result(version.clone())).await;
        let error = outcome.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "the server answered with protocol version {text}, which is not supported here"
            )
        );
        let CallError::NoCommonVersion(Some(answered)) = error else { panic!("{error}") };
        assert_eq!(answered, version);
        peer.notify("next", ()).await.unwrap();
        assert_eq!(wire.message().await["method"], "next");
    }
    let (connection, mut wire) = start();
    let (_, outcome) = shake_hands(connection.peer(), &mut wire, json!({})).await;
    let error = outcome.unwrap_err();
    assert!(matches!(error, CallError::NoCommonVersion(Some(Value::Null))), "{error}");
}

#[tokio::test]
async fn nothing_is_sent_without_a_revision_that_has_a_handshake() {
    let (connection, mut wire) = start();
    let peer = connection.peer();
    for supported in [&[][..], &[Revision::V2026_07_28]] {
        let error = within(peer.initialize::<Value>(supported, params())).await.unwrap_err();
        assert!(matches!(error, CallError::NoCommonVersion(None)), "{error}");
    }
    let error = within(peer.initialize::<Value>(SUPPORTED, [1])).await.unwrap_err();
    assert!(matches!(error, CallError::NotSent(_)), "{error}");
    peer.notify("next", ()).await.unwrap();
    assert_eq!(wire.message().await["method"], "next");
}

/// Then the server is not told that the session has begun.
#[tokio::test]
async fn a_handshake_may_fail() {
    let (connection, mut wire) = start();
    let peer = connection.peer();
    let server = async {
        wire.message().await;
        let error = json!({ "code": -32602, "message": "no" });
        wire.send_line(json!({ "jsonrpc": "2.0", "id": 1, "error": error }).to_string()).await;
        wire.message().await;
        let answer = json!({ "jsonrpc": "2.0", "id": 2, "result": result("2025-11-25") });
        wire.send_line(answer.to_string()).await;
    };
    let client = async {
        let error = peer.initialize::<Value>(SUPPORTED, params()).await.unwrap_err();
        assert!(matches!(&error, CallError::Peer(error) if error.code().value() == -32602));
        let error = peer.initialize::<Vec<u8>>(SUPPORTED, params()).await.unwrap_err();
        assert!(matches!(error, CallError::Unreadable(_)), "{error}");
    };
    within(async { tokio::join!(server, client) }).await;
    peer.notify("next", ()).await.unwrap();
    assert_eq!(wire.message().await["method"], "next");
}

/// A profile that the options have set stays, if the server accepts the revision that it is for.
#[tokio::test]
async fn a_strict_profile_stays() {
    let (end, mut wire) = pipe();
    let options = Options::mcp(Revision::V2025_11_25)
        .with_profile(&Revision::V2025_11_25.profile().strict(&GUARDED_NAMES));
    let connection = options.start_stream(end, Handlers::new(()));
    let (_, outcome) = shake_hands(connection.peer(), &mut wire, result("2025-11-25")).await;
    outcome.unwrap();
    wire.message().await;
    wire.send_line(r#"{"jsonrpc":"2.0","id":3,"method":"ping","Method":"m"}"#).await;
    assert_eq!(wire.message().await["error"]["code"], -32600);
}
