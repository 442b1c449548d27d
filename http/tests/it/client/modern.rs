//! Calls of the modern era: headers, and the two kinds of response.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tautline_http::client::PostError;
use tautline_mcp::Revision;
use tautline_tokio::{CallError, Context, Handlers};
use tokio::sync::mpsc;

use super::support::{
    Incidents, MODERN, Server, Stream, answer, event, json_text, result, status, usual, within,
};

#[tokio::test]
async fn every_request_carries_the_headers_that_repeat_it() {
    let server = Server::start(|seen| usual(seen, async |seen| result(&seen, json!({})))).await;
    let client = server.client().with_capabilities(json!({ "roots": {} }));
    let client = client.with_header("authorization".parse().unwrap(), "Bearer x".parse().unwrap());
    let connection = within(client.connect(Handlers::new(()))).await.unwrap();
    assert_eq!(connection.revision(), Revision::V2026_07_28);
    assert_eq!(connection.server_info().unwrap()["name"], "server");
    assert_eq!(connection.server()["supportedVersions"], json!(["2026-07-28"]));
    assert!(!connection.has_session());

    let peer = connection.peer();
    for (method, params) in [
        ("tools/list", json!({})),
        ("tools/call", json!({ "name": "plain", "arguments": {} })),
        ("tools/call", json!({ "name": "Grüße", "arguments": {} })),
        ("prompts/get", json!({ "name": " padded " })),
        ("resources/read", json!({ "uri": "=?base64?literal?=" })),
        ("resources/read", json!({ "uri": "file:///a b" })),
    ] {
        let _: Value = within(peer.call(method, params)).await.unwrap();
    }
    within(connection.close()).await;

    let log = server.log().clone();
    let names: Vec<_> = log.iter().map(|seen| (seen.method(), seen.header("mcp-name"))).collect();
    assert_eq!(
        names,
        [
            ("server/discover", None),
            ("tools/list", None),
            ("tools/call", Some("plain")),
            ("tools/call", Some("=?base64?R3LDvMOfZQ==?=")),
            ("prompts/get", Some("=?base64?IHBhZGRlZCA=?=")),
            ("resources/read", Some("=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=")),
            ("resources/read", Some("file:///a b")),
        ]
    );
    for seen in &log {
        assert_eq!(seen.verb, "POST");
        assert_eq!(seen.header("mcp-method"), Some(seen.method()));
        assert_eq!(seen.header("mcp-protocol-version"), Some("2026-07-28"));
        assert_eq!(seen.header("accept"), Some("application/json, text/event-stream"));
        assert_eq!(seen.header("content-type"), Some("application/json"));
        assert_eq!(seen.header("authorization"), Some("Bearer x"));
        assert_eq!(seen.header("mcp-session-id"), None);
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": { "roots": {} },
        });
        assert_eq!(seen.body["params"]["_meta"], meta);
    }
}

#[tokio::test]
async fn a_body_may_be_pretty_printed() {
    let server = Server::start(|seen| {
        usual(seen, async |seen| {
            let message = answer(&seen, json!({ "text": "a\nb\r\u{2028}", "list": [1, 2] }));
            let text = serde_json::to_string_pretty(&message).unwrap().replace('\n', "\r\n");
            json_text(200, format!("\n{text}\n"))
        })
    })
    .await;
    let connection = server.connect(MODERN).await;
    let result: Value = within(connection.peer().call("tools/list", json!({}))).await.unwrap();
    assert_eq!(result, json!({ "text": "a\nb\r\u{2028}", "list": [1, 2] }));
}

#[tokio::test]
async fn a_stream_brings_progress_and_then_the_answer() {
    let server = Server::start(|seen| {
        usual(seen, async |seen| {
            let (stream, response) = Stream::new();
            tokio::spawn(async move {
                stream.write(": a comment\n\n").await;
                let token = &seen.body["params"]["_meta"]["progressToken"];
                for progress in [1, 2] {
                    let report = json!({
                        "jsonrpc": "2.0", "method": "notifications/progress",
                        "params": { "progressToken": token, "progress": progress },
                    });
                    // Pieces of one byte, on two lines of data, with all kinds of line ends.
                    let text =
                        event(&report).replacen(",", ",\r\ndata: ", 1).replacen('\n', "\r", 1);
                    for byte in text.bytes() {
                        stream.write(vec![byte]).await;
                    }
                }
                // Only events of the type `message` have messages.
                let other = answer(&seen, json!({ "done": false }));
                stream.write(format!("event: other\ndata: {other}\n\n")).await;
                stream.write(event(&answer(&seen, json!({ "done": true })))).await;
            });
            response
        })
    })
    .await;
    let connection = server.connect(MODERN).await;
    let request = connection.peer().request("tools/call", json!({ "name": "a" }));
    let mut call = within(request.with_progress().send()).await.unwrap();
    let mut reports = Vec::new();
    while let Some(report) = within(call.progress()).await {
        reports.push(report.deserialize::<Value>().unwrap()["progress"].clone());
    }
    assert_eq!(reports, [1, 2]);
    let result: Value = within(call).await.unwrap();
    assert_eq!(result, json!({ "done": true }));
}

#[tokio::test]
async fn a_call_that_is_given_up_closes_its_stream() {
    let (streams, mut opened) = mpsc::channel(8);
    let server = Server::start(move |seen| {
        let streams = streams.clone();
        usual(seen, async move |seen| {
            if seen.method() == "ping/fast" {
                return result(&seen, json!({}));
            }
            let (stream, response) = Stream::new();
            streams.send(stream).await.unwrap();
            response
        })
    })
    .await;
    let connection = server.connect(MODERN).await;
    let peer = connection.peer();

    // It is dropped, times out, or is cancelled with a reason.
    let call = within(peer.request::<Value, _>("slow", json!({})).send()).await.unwrap();
    let stream = within(opened.recv()).await.unwrap();
    drop(call);
    stream.closed().await;

    let short = peer.with_timeout(Duration::from_millis(50));
    let call = tokio::spawn(async move { short.call::<Value>("slow", json!({})).await });
    let stream = within(opened.recv()).await.unwrap();
    assert!(matches!(within(call).await.unwrap(), Err(CallError::TimedOut { .. })));
    stream.closed().await;

    let call = within(peer.request::<Value, _>("slow", json!({})).send()).await.unwrap();
    let stream = within(opened.recv()).await.unwrap();
    call.cancel("enough");
    stream.closed().await;

    let _: Value = within(peer.call("ping/fast", json!({}))).await.unwrap();
    within(connection.close()).await;
    assert_eq!(server.methods(), ["server/discover", "slow", "slow", "slow", "ping/fast"]);
}

#[tokio::test]
async fn a_call_that_is_given_up_before_its_response_closes_the_connection() {
    struct Guard(mpsc::Sender<&'static str>);

    impl Drop for Guard {
        fn drop(&mut self) {
            self.0.try_send("dropped").unwrap();
        }
    }

    let (events, mut seen) = mpsc::channel(8);
    let server = Server::start(move |seen| {
        let events = events.clone();
        usual(seen, async move |_| {
            let _guard = Guard(events.clone());
            events.send("begun").await.unwrap();
            std::future::pending().await
        })
    })
    .await;
    let connection = server.connect(MODERN).await;
    let call = within(connection.peer().request::<Value, _>("slow", json!({})).send()).await;
    assert_eq!(within(seen.recv()).await, Some("begun"));
    drop(call.unwrap());
    assert_eq!(within(seen.recv()).await, Some("dropped"));
}

#[tokio::test]
async fn a_subscription_stays_open() {
    let (streams, mut opened) = mpsc::channel(8);
    let server = Server::start(move |seen| {
        let streams = streams.clone();
        usual(seen, async move |seen| {
            let (stream, response) = Stream::new();
            streams.send((seen, stream)).await.unwrap();
            response
        })
    })
    .await;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let handlers = Handlers::new(Arc::clone(&heard))
        .notification("notifications/subscriptions/acknowledged", hear)
        .notification("notifications/tools/list_changed", hear)
        .notification("notifications/resources/updated", hear);
    let connection = within(server.client().connect(handlers)).await.unwrap();
    let request = connection.peer().request::<Value, _>(
        "subscriptions/listen",
        json!({ "notifications": { "toolsListChanged": true } }),
    );
    let call = within(request.with_timeout(None).send()).await.unwrap();
    let (seen, stream) = within(opened.recv()).await.unwrap();
    for method in ["subscriptions/acknowledged", "tools/list_changed", "resources/updated"] {
        let message = json!({
            "jsonrpc": "2.0", "method": format!("notifications/{method}"),
            "params": { "_meta": { "io.modelcontextprotocol/subscriptionId": seen.id() } },
        });
        stream.write(event(&message)).await;
        stream.write(": keep-alive\n").await;
    }
    super::support::until("three notifications", || heard.lock().unwrap().len() == 3).await;
    assert!(heard.lock().unwrap().iter().all(|id| id == seen.id()));
    // Other calls are sent meanwhile.
    let other = connection.peer().request::<Value, _>("other", json!({})).send();
    drop(within(other).await.unwrap());
    drop(call);
    stream.closed().await;
}

async fn hear(context: Context<Arc<Mutex<Vec<Value>>>>, params: Value) {
    let id = params["_meta"]["io.modelcontextprotocol/subscriptionId"].clone();
    context.state().lock().unwrap().push(id);
}

#[tokio::test]
async fn messages_after_the_answer_are_passed_on_for_a_while() {
    let server = Server::start(|seen| {
        usual(seen, async |seen| {
            let (stream, response) = Stream::new();
            tokio::spawn(async move {
                stream.write(event(&answer(&seen, json!({})))).await;
                tokio::time::sleep(Duration::from_millis(20)).await;
                let late = json!({
                    "jsonrpc": "2.0", "method": "notifications/resources/updated",
                    "params": { "_meta": { "io.modelcontextprotocol/subscriptionId": "late" } },
                });
                stream.write(event(&late)).await;
                // The client does not wait for the end for ever.
                stream.closed().await;
            });
            response
        })
    })
    .await;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let handlers = Handlers::new(Arc::clone(&heard));
    let handlers = handlers.notification("notifications/resources/updated", hear);
    let connection = within(server.client().connect(handlers)).await.unwrap();
    let _: Value = within(connection.peer().call("a", json!({}))).await.unwrap();
    super::support::until("the notification", || *heard.lock().unwrap() == ["late"]).await;
}

#[tokio::test]
async fn requests_of_the_server_are_not_passed_on() {
    let server = Server::start(|seen| {
        usual(seen, async |seen| {
            let (stream, response) = Stream::new();
            let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "roots/list" });
            stream.write(event(&request)).await;
            // An answer to another request.
            let other = json!({ "jsonrpc": "2.0", "id": 7777, "result": {} });
            stream.write(event(&other)).await;
            stream.write(event(&answer(&seen, json!({})))).await;
            response
        })
    })
    .await;
    let incidents = Incidents::default();
    let handlers = Handlers::new(())
        .request("roots/list", async |_, _: Value| -> Result<Value, _> {
            panic!("not in this era")
        });
    let client = incidents.observe(server.client());
    let connection = within(client.connect(handlers)).await.unwrap();
    let _: Value = within(connection.peer().call("a", json!({}))).await.unwrap();
    within(connection.close()).await;
    let incidents = incidents.take();
    assert!(incidents.iter().any(|incident| incident.contains("wrong-direction")), "{incidents:?}");
    let strays = incidents.iter().filter(|incident| incident.contains("answers nothing"));
    assert_eq!(strays.count(), 2, "{incidents:?}");
    assert_eq!(server.methods(), ["server/discover", "a"]);
}

#[tokio::test]
async fn notifications_are_acknowledged_in_order() {
    let server = Server::start(|seen| {
        usual(seen, async |seen| match seen.method() {
            "first" => {
                tokio::time::sleep(Duration::from_millis(50)).await;
                status(202)
            }
            "refused" => status(400),
            _ => result(&seen, json!({})),
        })
    })
    .await;
    let incidents = Incidents::default();
    let client = incidents.observe(server.client());
    let connection = within(client.connect(Handlers::new(()))).await.unwrap();
    let peer = connection.peer();
    peer.notify("first", json!({})).await.unwrap();
    peer.notify("refused", json!({})).await.unwrap();
    let _: Value = within(peer.call("second", json!({}))).await.unwrap();
    assert_eq!(server.methods(), ["server/discover", "first", "refused", "second"]);
    let seen = server.all("first");
    assert_eq!(seen[0].header("mcp-method"), Some("first"));
    assert_eq!(seen[0].header("mcp-protocol-version"), Some("2026-07-28"));
    let expected = r#"the notification "refused" did not arrive: the server answered with status 400 Bad Request"#;
    assert_eq!(incidents.take(), [expected]);
}

#[tokio::test]
async fn the_errors_of_a_server_are_those_of_the_peer() {
    let server = Server::start(|seen| {
        usual(seen, async |seen| match seen.method() {
            "unknown" => super::support::error(&seen, 404, -32601, json!(null)),
            "null" => {
                let text = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"é","data":[1]}}"#;
                json_text(500, text)
            }
            "null in a success" => {
                json_text(200, r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}"#)
            }
            "absent" => json_text(403, r#"{"jsonrpc":"2.0","error":{"code":-1,"message":"no"}}"#),
            _ => json_text(401, r#"{"error":"unauthorized"}"#),
        })
    })
    .await;
    let connection = server.connect(MODERN).await;
    for (method, expected) in [
        ("unknown", Some((-32601, "refused"))),
        ("null", Some((-32000, "é"))),
        ("null in a success", Some((-32700, "?"))),
        ("absent", Some((-1, "no"))),
        ("other", None),
    ] {
        let error = within(connection.peer().call::<Value>(method, json!({}))).await.unwrap_err();
        match (&error, expected) {
            (CallError::Peer(error), Some((code, message))) => {
                assert_eq!((error.code().value(), error.message()), (code, message));
                assert_eq!(error.data().is_some_and(Value::is_array), method == "null");
            }
            (error, None) => {
                assert_eq!(PostError::of(error).unwrap().status().unwrap(), 401, "{error}");
            }
            _ => panic!("{method}: {error}"),
        }
    }
}
