//! Sessions: whose they are, their ids, and messages on their streams.

use std::sync::Mutex;

use http::request::Parts;
use http::{Method, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Bytes;
use serde_json::{Value, json};
use tautline_http::{HttpRequest, McpServer, ServerOptions};
use tautline_tokio::{Context, Handlers, Peer, RpcError, ServerInfo};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::support::{
    LIMIT, POLICY, in_session, initialize, legacy_call, open, post, request, send, session_of,
    text, value,
};

/// The user, as middleware has verified it.
#[derive(Clone)]
struct User(&'static str);

fn owner(parts: &Parts) -> Option<String> {
    parts.extensions.get::<User>().map(|user| user.0.to_owned())
}

async fn tool(context: Context<()>, _: Value) -> Result<Value, RpcError> {
    let session = context.attachment::<HttpRequest>().and_then(HttpRequest::session);
    let session = session.ok_or_else(|| RpcError::internal("no session"))?;
    if let Some(peer) = session.peer() {
        peer.notify("notifications/tools/list_changed", ()).await?;
    }
    let text = format!("{} of {:?}", session.id(), session.owner());
    Ok(json!({ "content": [{ "type": "text", "text": text }] }))
}

fn server(options: ServerOptions) -> McpServer {
    let info = ServerInfo::new("t", "1");
    options.serve(Handlers::new(()).with_server_info(info).request("tools/call", tool))
}

#[tokio::test]
async fn a_session_belongs_to_its_user() {
    let server = server(ServerOptions::new(POLICY).with_session_owner(owner));
    let as_user = |user: Option<&'static str>, mut request: http::Request<_>| {
        if let Some(user) = user {
            request.extensions_mut().insert(User(user));
        }
        send(&server, request)
    };
    let first = as_user(Some("ann"), post(&[], &initialize("2025-11-25"))).await;
    let session = session_of(&first);
    for other in [Some("bob"), None] {
        let reply = as_user(other, legacy_call(&session, "x")).await;
        assert_eq!(reply.status(), StatusCode::NOT_FOUND);
        let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let reply = as_user(other, post(&in_session(&session), &note)).await;
        assert_eq!(reply.status(), StatusCode::NOT_FOUND);
        for method in [Method::GET, Method::DELETE] {
            let reply = as_user(other, request(method, &in_session(&session), Bytes::new())).await;
            assert_eq!(reply.status(), StatusCode::NOT_FOUND);
        }
    }
    let reply = as_user(Some("ann"), legacy_call(&session, "x")).await;
    let text = format!("{session} of Some(\"ann\")");
    assert_eq!(value(reply).await["result"]["content"][0]["text"], text);
    let delete = request(Method::DELETE, &in_session(&session), Bytes::new());
    assert_eq!(as_user(Some("ann"), delete).await.status(), StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn a_session_without_a_user_is_not_open_to_one() {
    let server = server(ServerOptions::new(POLICY).with_session_owner(owner));
    let session = open(&server).await;
    assert_eq!(send(&server, legacy_call(&session, "x")).await.status(), StatusCode::OK);
    let mut call = legacy_call(&session, "x");
    call.extensions_mut().insert(User("ann"));
    assert_eq!(send(&server, call).await.status(), StatusCode::NOT_FOUND);
}

/// A value that refers to its session, and reports its end.
#[derive(Default)]
struct Own(Mutex<Option<(Peer, oneshot::Sender<()>)>>);

#[tokio::test]
async fn a_session_ends_although_its_values_refer_to_it() {
    let (sender, ended) = oneshot::channel();
    let sender = Mutex::new(Some(sender));
    let info = ServerInfo::new("t", "1");
    let handlers = Handlers::new(sender).with_server_info(info).request(
        "tools/call",
        async |context: Context<Mutex<Option<oneshot::Sender<()>>>>, _: Value| {
            let session = context.attachment::<HttpRequest>().and_then(HttpRequest::session);
            let sender = context.state().lock().unwrap().take().unwrap();
            let peer = session.unwrap().peer().unwrap();
            *session.unwrap().data::<Own>().0.lock().unwrap() = Some((peer, sender));
            Ok(json!({ "content": [] }))
        },
    );
    let server = ServerOptions::new(POLICY).serve(handlers);
    let session = open(&server).await;
    assert_eq!(send(&server, legacy_call(&session, "x")).await.status(), StatusCode::OK);
    let delete = request(Method::DELETE, &in_session(&session), Bytes::new());
    assert_eq!(send(&server, delete).await.status(), StatusCode::NO_CONTENT);
    // The sender was dropped.
    assert!(timeout(LIMIT, ended).await.unwrap().is_err());
}

#[tokio::test]
async fn a_handler_sends_on_the_stream_of_the_session() {
    let server = server(ServerOptions::new(POLICY));
    let session = open(&server).await;
    let reply = send(&server, legacy_call(&session, "x")).await;
    // The stream of the request has the answer alone.
    let text_of = &value(reply).await["result"]["content"][0]["text"];
    assert_eq!(text_of, &format!("{session} of None"));
    let get = request(Method::GET, &in_session(&session), Bytes::new());
    let mut stream = send(&server, get).await;
    let mut events = String::new();
    while !events.contains("notifications/tools/list_changed") {
        let frame = timeout(LIMIT, stream.body_mut().frame()).await.unwrap().unwrap().unwrap();
        events.push_str(std::str::from_utf8(frame.data_ref().unwrap()).unwrap());
    }
    let delete = request(Method::DELETE, &in_session(&session), Bytes::new());
    assert_eq!(send(&server, delete).await.status(), StatusCode::NO_CONTENT);
    let rest = text(stream).await;
    assert!(!rest.contains("data: {"), "{rest}");
}
