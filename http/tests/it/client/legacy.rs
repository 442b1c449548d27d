//! Messages of the legacy era: sessions in headers, requests of the server, cancellation.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tautline_tokio::{CallError, Context, Handlers};
use tokio::sync::mpsc;

use super::support::{
    Incidents, LEGACY, Seen, Server, Stream, answer, event, initialized, result, status, until,
    usual, within,
};

#[tokio::test]
async fn all_requests_name_the_session_until_it_is_ended() {
    let server = Server::start(|seen| async move {
        match (seen.verb.as_str(), seen.method()) {
            ("DELETE", _) => status(200),
            ("POST", "notifications/initialized") => {
                // Later messages wait for this.
                tokio::time::sleep(Duration::from_millis(50)).await;
                status(202)
            }
            _ => usual(seen, async |seen| result(&seen, json!({}))).await,
        }
    })
    .await;
    let connection = server.connect(LEGACY).await;
    assert!(connection.has_session());
    assert_eq!(connection.server_info().unwrap()["name"], "server");
    let _: Value = within(connection.peer().call("tools/list", ())).await.unwrap();
    server.wait_for("GET", 1).await;
    within(connection.close()).await;

    let methods = server.methods();
    assert_eq!(methods[..2], ["initialize", "notifications/initialized"]);
    assert_eq!(methods.last().unwrap(), "DELETE");
    let log = server.log().clone();
    assert_eq!(log.len(), 5);
    for seen in &log[1..] {
        assert_eq!(seen.header("mcp-session-id"), Some("session-1"));
        assert_eq!(seen.header("mcp-protocol-version"), Some("2025-11-25"));
        assert_eq!(seen.header("mcp-method"), None);
        let accept = match seen.verb.as_str() {
            "POST" => Some("application/json, text/event-stream"),
            "GET" => Some("text/event-stream"),
            _ => None,
        };
        assert_eq!(seen.header("accept"), accept);
    }
}

#[tokio::test]
async fn a_server_without_sessions_gets_no_delete() {
    let server = Server::start(|seen| async move {
        match seen.method() {
            "initialize" => initialized(&seen, None),
            _ => usual(seen, async |seen| result(&seen, json!({}))).await,
        }
    })
    .await;
    let incidents = Incidents::default();
    let client = incidents.observe(server.client()).with_revisions(LEGACY);
    let connection = within(client.connect(Handlers::new(()))).await.unwrap();
    assert!(!connection.has_session());
    let _: Value = within(connection.peer().call("tools/list", ())).await.unwrap();
    server.wait_for("GET", 1).await;
    within(connection.close()).await;
    assert!(!server.methods().contains(&"DELETE".to_owned()));
    assert!(server.log().iter().all(|seen| seen.header("mcp-session-id").is_none()));
    // 405 for GET is in good order.
    assert_eq!(incidents.take(), [""; 0]);
}

#[tokio::test]
async fn handlers_answer_the_requests_of_the_server() {
    // The stream of the call waits for the answer.
    let waiting: Arc<Mutex<Option<(Seen, Stream)>>> = Arc::default();
    let server = Server::start(move |seen| {
        let waiting = Arc::clone(&waiting);
        usual(seen, async move |seen| match seen.method() {
            "tools/call" => {
                let (stream, response) = Stream::new();
                let request = json!({
                    "jsonrpc": "2.0", "id": "server-1", "method": "elicitation/create",
                    "params": { "message": "sure?" },
                });
                stream.write(event(&request)).await;
                *waiting.lock().unwrap() = Some((seen, stream));
                response
            }
            _ => {
                let (call, stream) = waiting.lock().unwrap().take().unwrap();
                let content = &seen.body["result"];
                stream.write(event(&answer(&call, json!({ "got": content })))).await;
                status(202)
            }
        })
    })
    .await;
    let handlers = Handlers::new(()).request("elicitation/create", async |_, params: Value| {
        assert_eq!(params["message"], "sure?");
        Ok(json!({ "action": "accept", "content": { "sure": true } }))
    });
    let client = server.client().with_revisions(LEGACY);
    let client = client.with_capabilities(json!({ "elicitation": {} }));
    let connection = within(client.connect(handlers)).await.unwrap();
    let params = json!({ "name": "t" });
    let result: Value = within(connection.peer().call("tools/call", params)).await.unwrap();
    let content = json!({ "action": "accept", "content": { "sure": true } });
    assert_eq!(result, json!({ "got": content }));
    let posted = server.log().iter().find(|seen| seen.id() == "server-1").cloned().unwrap();
    assert_eq!(posted.body, json!({ "jsonrpc": "2.0", "id": "server-1", "result": content }));
    assert_eq!(posted.header("mcp-session-id"), Some("session-1"));
    let capabilities = &server.all("initialize")[0].body["params"]["capabilities"];
    assert_eq!(capabilities, &json!({ "elicitation": {} }));
}

#[tokio::test]
async fn the_stream_of_the_server_brings_requests_and_notifications() {
    let (streams, mut opened) = mpsc::channel(1);
    let server = Server::start(move |seen| {
        let streams = streams.clone();
        async move {
            if seen.verb == "GET" {
                let (stream, response) = Stream::new();
                streams.send(stream).await.unwrap();
                return response;
            }
            usual(seen, async |seen| match seen.id() {
                Value::Number(_) => result(&seen, json!({})),
                _ => status(202),
            })
            .await
        }
    })
    .await;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let handlers = Handlers::new(Arc::clone(&heard))
        .request("roots/list", async |_, (): ()| Ok(json!({ "roots": [] })))
        .notification("notifications/message", hear);
    let client = server.client().with_revisions(LEGACY);
    let connection = within(client.connect(handlers)).await.unwrap();
    let stream = within(opened.recv()).await.unwrap();
    for n in 1..=3 {
        let note =
            json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "n": n } });
        stream.write(event(&note)).await;
    }
    let request = json!({ "jsonrpc": "2.0", "id": "r", "method": "roots/list" });
    stream.write(event(&request)).await;
    let ping = json!({ "jsonrpc": "2.0", "id": "p", "method": "ping" });
    stream.write(event(&ping)).await;
    until("two answers", || {
        server.log().iter().filter(|seen| seen.body["result"].is_object()).count() == 2
    })
    .await;
    assert_eq!(*heard.lock().unwrap(), [1, 2, 3]);
    // Closing ends the stream.
    within(connection.close()).await;
    stream.closed().await;
}

async fn hear(context: Context<Arc<Mutex<Vec<Value>>>>, params: Value) {
    context.state().lock().unwrap().push(params["n"].clone());
}

#[tokio::test]
async fn answers_do_not_wait_for_notifications() {
    let (streams, mut opened) = mpsc::channel(1);
    let answered = Arc::new(tokio::sync::Notify::new());
    let server = Server::start(move |seen| {
        let (streams, answered) = (streams.clone(), Arc::clone(&answered));
        async move {
            if seen.verb == "GET" {
                let (stream, response) = Stream::new();
                streams.send(stream).await.unwrap();
                return response;
            }
            usual(seen, async move |seen| match seen.method() {
                // It is acknowledged when the client has answered.
                "waits" => {
                    answered.notified().await;
                    status(202)
                }
                "a" => result(&seen, json!({})),
                _ => {
                    answered.notify_one();
                    status(202)
                }
            })
            .await
        }
    })
    .await;
    let handlers =
        Handlers::new(()).request("roots/list", async |_, (): ()| Ok(json!({ "roots": [] })));
    let client = server.client().with_revisions(LEGACY);
    let connection = within(client.connect(handlers)).await.unwrap();
    let stream = within(opened.recv()).await.unwrap();
    connection.peer().notify("waits", json!({})).await.unwrap();
    server.wait_for("waits", 1).await;
    let call = within(connection.peer().request::<Value, _>("a", ()).send()).await.unwrap();
    let request = json!({ "jsonrpc": "2.0", "id": "r", "method": "roots/list" });
    stream.write(event(&request)).await;
    within(call).await.unwrap();
    let methods = server.methods();
    assert_eq!(methods[methods.len() - 3..], ["waits", "answer", "a"]);
}

#[tokio::test]
async fn a_call_that_is_given_up_is_cancelled_with_a_notification() {
    let (streams, mut opened) = mpsc::channel(8);
    let server = Server::start(move |seen| {
        let streams = streams.clone();
        usual(seen, async move |seen| match seen.method() {
            "notifications/cancelled" => status(202),
            _ => {
                let (stream, response) = Stream::new();
                streams.send((seen, stream)).await.unwrap();
                response
            }
        })
    })
    .await;
    let connection = server.connect(LEGACY).await;
    let short = connection.peer().with_timeout(Duration::from_millis(50));
    let called = within(short.call::<Value>("slow", json!({}))).await;
    assert!(matches!(called, Err(CallError::TimedOut { .. })));
    let (seen, stream) = within(opened.recv()).await.unwrap();
    let cancelled = server.wait_for("notifications/cancelled", 1).await;
    assert_eq!(cancelled[0].body["params"]["requestId"], *seen.id());
    assert!(cancelled[0].body["params"]["reason"].is_string());
    // The response is of no more use.
    stream.closed().await;

    let call = within(connection.peer().request::<Value, _>("slow", json!({})).send()).await;
    within(opened.recv()).await.unwrap();
    call.unwrap().cancel("enough");
    let cancelled = server.wait_for("notifications/cancelled", 2).await;
    assert_eq!(cancelled[1].body["params"]["reason"], "enough");
    within(connection.close()).await;
    assert_eq!(server.methods().last().unwrap(), "DELETE");
}

#[tokio::test]
async fn messages_in_one_event_may_be_a_batch() {
    // 2025-03-26 has batches.
    let server = Server::start(|seen| {
        usual(seen, async |seen| {
            let (stream, response) = Stream::new();
            let note = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "n": 1 } });
            stream.write(event(&json!([note]))).await;
            stream.write(event(&json!([answer(&seen, json!({ "a": 1 }))]))).await;
            response
        })
    })
    .await;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let handlers = Handlers::new(Arc::clone(&heard)).notification("notifications/message", hear);
    let client = server.client().with_revisions(&[tautline_mcp::Revision::V2025_03_26]);
    let connection = within(client.connect(handlers)).await.unwrap();
    let result: Value = within(connection.peer().call("tools/list", json!({}))).await.unwrap();
    assert_eq!(result, json!({ "a": 1 }));
    until("the notification", || heard.lock().unwrap().len() == 1).await;
}
