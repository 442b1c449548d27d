//! The memory of sessions.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::{HeaderValue, Method, StatusCode};
use hyper::body::Bytes;
use serde_json::{Value, json};
use tautline_http::{HttpRequest, HttpSession, McpServer, ServerOptions};
use tautline_tokio::{Context, Handlers, ServerInfo};
use tokio::time::sleep;

use super::support::{POLICY, in_session, initialize, open, post, request, send, session_of};

/// The lengths of two headers that the handler of a notification has seen, and whether it knew the client.
type Seen = Arc<Mutex<Option<(usize, usize, bool)>>>;

fn server(options: ServerOptions, seen: &Seen) -> McpServer {
    let handlers = Handlers::new(Arc::clone(seen))
        .with_server_info(ServerInfo::new("t", "1"))
        .notification("notifications/initialized", async |context: Context<Seen>, _: Value| {
            let request = context.attachment::<HttpRequest>().unwrap();
            let length =
                |name| request.headers().get(name).map_or(0, |value: &HeaderValue| value.len());
            let client = request.session().and_then(HttpSession::client).is_some();
            *context.state().lock().unwrap() = Some((length("x-short"), length("x-long"), client));
        });
    options.serve(handlers)
}

async fn ping(server: &McpServer, session: &str) -> StatusCode {
    let ping = json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" });
    send(server, post(&in_session(session), &ping)).await.status()
}

#[tokio::test]
async fn a_session_does_not_keep_the_buffers_of_its_first_request() {
    let seen = Seen::default();
    let server = server(ServerOptions::new(POLICY), &seen);
    let fields = Bytes::from("h".repeat(60_000));
    let body = Bytes::from(initialize("2025-11-25").to_string());
    let mut first = request(Method::POST, &[], body.clone());
    let short = HeaderValue::from_maybe_shared(fields.slice(..10)).unwrap();
    first.headers_mut().insert("x-short", short);
    let long = HeaderValue::from_maybe_shared(fields.slice(10..)).unwrap();
    first.headers_mut().insert("x-long", long);
    let session = session_of(&send(&server, first).await);
    assert!(fields.is_unique() && body.is_unique());

    let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(send(&server, post(&in_session(&session), &note)).await.status(), 202);
    while seen.lock().unwrap().is_none() {
        sleep(Duration::from_millis(5)).await;
    }
    // Values that are too long are not kept.
    assert_eq!(*seen.lock().unwrap(), Some((10, 0, true)));
}

#[tokio::test]
async fn the_description_of_a_client_is_bounded() {
    let seen = Seen::default();
    let server = server(ServerOptions::new(POLICY), &seen);
    let mut first = initialize("2025-11-25");
    first["params"]["clientInfo"]["title"] = "t".repeat(100_000).into();
    let session = session_of(&send(&server, post(&[], &first)).await);
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(send(&server, post(&in_session(&session), &note)).await.status(), 202);
    while seen.lock().unwrap().is_none() {
        sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(*seen.lock().unwrap(), Some((0, 0, false)));
}

#[tokio::test]
async fn sessions_that_were_only_opened_give_way() {
    let server = server(ServerOptions::new(POLICY).with_max_sessions(3), &Seen::default());
    let used = open(&server).await;
    assert_eq!(ping(&server, &used).await, 200);
    let mut opened = Vec::new();
    for _ in 0..10 {
        opened.push(open(&server).await);
    }
    assert_eq!(server.sessions(), 3);
    assert_eq!(ping(&server, &used).await, 200);
    let (latest, earlier) = opened.split_at(8);
    for session in latest {
        assert_eq!(ping(&server, session).await, 404);
    }
    for session in earlier {
        assert_eq!(ping(&server, session).await, 200);
    }
    // Now all are in use.
    for _ in 0..100 {
        let reply = send(&server, post(&[], &initialize("2025-11-25"))).await;
        assert_eq!(reply.status(), StatusCode::SERVICE_UNAVAILABLE);
    }
}

#[tokio::test]
async fn sessions_that_were_only_opened_expire_sooner() {
    let options = ServerOptions::new(POLICY).with_opening_timeout(Duration::from_millis(150));
    let server = server(options, &Seen::default());
    let used = open(&server).await;
    let opened = open(&server).await;
    assert_eq!(ping(&server, &used).await, 200);
    sleep(Duration::from_millis(500)).await;
    assert_eq!(server.sessions(), 1);
    assert_eq!(ping(&server, &opened).await, 404);
    assert_eq!(ping(&server, &used).await, 200);
}
