//! Streams that break off and are resumed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use axum::response::Response;
use serde_json::{Value, json};
use tautline_http::client::PostError;
use tautline_tokio::{Handlers, RpcError};
use tokio::sync::mpsc;

use super::support::{
    Incidents, LEGACY, MODERN, Seen, Server, Stream, answer, event, status, usual, within,
};

type Opened = mpsc::Receiver<(Seen, Stream)>;

/// A server whose calls and GET requests are streams that the test writes.
async fn streaming() -> (Server, Opened) {
    let (streams, opened) = mpsc::channel(8);
    let server = Server::start(move |seen| {
        let streams = streams.clone();
        async move {
            let open = async |seen: Seen| -> Response {
                let (stream, response) = Stream::new();
                streams.send((seen, stream)).await.unwrap();
                response
            };
            if seen.verb == "GET" { open(seen).await } else { usual(seen, open).await }
        }
    })
    .await;
    (server, opened)
}

#[tokio::test]
async fn the_response_to_a_call_is_resumed_after_its_last_event() {
    let (server, mut opened) = streaming().await;
    let incidents = Incidents::default();
    let client = incidents.observe(server.client()).with_revisions(LEGACY);
    let connection = within(client.connect(Handlers::new(()))).await.unwrap();
    let (get, _listening) = within(opened.recv()).await.unwrap();
    assert_eq!(get.header("last-event-id"), None);

    let peer = connection.peer().clone();
    let call = tokio::spawn(async move { peer.call::<Value>("slow", json!({})).await });
    let (seen, stream) = within(opened.recv()).await.unwrap();
    // The first event has an id and no data, and says when to come again.
    stream.write("id: a-1\nretry: 300\ndata: \n\n").await;
    stream.write("id: a-2\ndata: unfini").await;
    drop(stream);
    let ended = Instant::now();

    let (get, stream) = within(opened.recv()).await.unwrap();
    assert!(ended.elapsed() >= Duration::from_millis(290), "{:?}", ended.elapsed());
    assert_eq!(get.verb, "GET");
    assert_eq!(get.header("last-event-id"), Some("a-1"));
    assert_eq!(get.header("mcp-session-id"), Some("session-1"));
    assert_eq!(get.header("accept"), Some("text/event-stream"));
    stream.write("id: a-2\nretry: 1\ndata: \n\n").await;
    // This time the connection breaks.
    stream.cut().await;

    let (get, stream) = within(opened.recv()).await.unwrap();
    assert_eq!(get.header("last-event-id"), Some("a-2"));
    stream.write(format!("id: a-3\n{}", event(&answer(&seen, json!({ "done": 1 }))))).await;
    assert_eq!(within(call).await.unwrap().unwrap(), json!({ "done": 1 }));
    let resumed = incidents.take().into_iter().filter(|text| text.contains("is resumed in"));
    assert_eq!(resumed.count(), 2);
}

#[tokio::test]
async fn a_response_that_cannot_be_resumed_fails_its_call() {
    // (the text before the end, the revisions, the answer to GET)
    for (text, revisions, get) in [
        // There is no event id.
        ("data: \n\n", LEGACY, 500),
        // The modern era resumes nothing.
        ("id: 1\nretry: 1\ndata: \n\n", MODERN, 500),
        // The server does not let the client resume.
        ("id: 1\nretry: 1\ndata: \n\n", LEGACY, 405),
        ("id: 1\nretry: 1\ndata: \n\n", LEGACY, 400),
    ] {
        let server = Server::start(move |seen| async move {
            if seen.verb == "GET" {
                return status(if seen.header("last-event-id").is_some() { get } else { 405 });
            }
            usual(seen, async |_| {
                let (stream, response) = Stream::new();
                stream.write(text).await;
                response
            })
            .await
        })
        .await;
        let connection = server.connect(revisions).await;
        let error = within(connection.peer().call::<Value>("a", json!({}))).await.unwrap_err();
        match PostError::of(&error) {
            Some(PostError::Unanswered) => assert_eq!(get, 500, "{text:?}"),
            Some(PostError::Status(status)) => assert_eq!(status.as_u16(), get, "{text:?}"),
            _ => panic!("{text:?}: {error}"),
        }
        let _ = within(connection.close()).await;
    }
}

#[tokio::test]
async fn the_end_of_the_session_fails_a_call_that_is_resumed() {
    let server = Server::start(|seen| async move {
        if seen.verb == "GET" {
            return status(if seen.header("last-event-id").is_some() { 404 } else { 405 });
        }
        usual(seen, async |_| {
            let (stream, response) = Stream::new();
            stream.write("id: 1\nretry: 1\ndata: \n\n").await;
            response
        })
        .await
    })
    .await;
    let connection = server.connect(LEGACY).await;
    let error = within(connection.peer().call::<Value>("a", json!({}))).await.unwrap_err();
    assert!(matches!(PostError::of(&error), Some(PostError::SessionEnded)), "{error}");
    server.wait_for("initialize", 2).await;
}

#[tokio::test]
async fn the_stream_of_the_server_is_opened_again() {
    let (server, mut opened) = streaming().await;
    let (notes, mut heard) = mpsc::channel(8);
    let handlers = Handlers::new(notes).notification(
        "notifications/message",
        async |context: tautline_tokio::Context<mpsc::Sender<Value>>, params: Value| {
            context.state().send(params).await.unwrap();
        },
    );
    let client = server.client().with_revisions(LEGACY);
    let connection = within(client.connect(handlers)).await.unwrap();
    let note = |n: u8| {
        event(&json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "n": n } }))
    };
    let mut last = None;
    for n in 1..=4 {
        let (get, stream) = within(opened.recv()).await.unwrap();
        assert_eq!(get.header("last-event-id").map(str::to_owned), last);
        stream.write(format!("retry: 1\nid: s-{n}\n{}", note(n))).await;
        assert_eq!(within(heard.recv()).await.unwrap(), json!({ "n": n }));
        last = Some(format!("s-{n}"));
        if n % 2 == 0 {
            stream.cut().await;
        }
    }
    within(connection.close()).await;
}

#[tokio::test]
async fn the_stream_of_the_server_survives_a_conflict_and_a_lost_event() {
    // (the refusal of the second GET, the id that the third one names)
    for (refusal, id) in [(409, Some("s-1")), (400, None)] {
        let (streams, mut opened) = mpsc::channel(8);
        let count = Arc::new(AtomicUsize::new(0));
        let server = Server::start(move |seen| {
            let (streams, count) = (streams.clone(), Arc::clone(&count));
            async move {
                if seen.verb != "GET" {
                    return usual(seen, async |_| status(500)).await;
                }
                if count.fetch_add(1, Ordering::SeqCst) == 1 {
                    return status(refusal);
                }
                let (stream, response) = Stream::new();
                streams.send((seen, stream)).await.unwrap();
                response
            }
        })
        .await;
        let connection = server.connect(LEGACY).await;
        let (_, stream) = within(opened.recv()).await.unwrap();
        stream.write("retry: 1\nid: s-1\ndata: \n\n").await;
        drop(stream);
        let (get, _stream) = within(opened.recv()).await.unwrap();
        assert_eq!(get.header("last-event-id"), id, "{refusal}");
        assert_eq!(server.all("GET")[1].header("last-event-id"), Some("s-1"));
        within(connection.close()).await;
    }
}

#[tokio::test]
async fn an_answer_on_another_stream_reaches_its_call() {
    // No revision allows this, and some servers do it.
    let (server, mut opened) = streaming().await;
    let incidents = Incidents::default();
    let client = incidents.observe(server.client()).with_revisions(LEGACY);
    let handlers = Handlers::new(())
        .request("ping", async |_, (): ()| Err::<Value, _>(RpcError::internal("not asked")));
    let connection = within(client.connect(handlers)).await.unwrap();
    let (_, listening) = within(opened.recv()).await.unwrap();
    let peer = connection.peer().clone();
    let call = tokio::spawn(async move { peer.call::<Value>("slow", json!({})).await });
    let (seen, _stream) = within(opened.recv()).await.unwrap();
    listening.write(event(&answer(&seen, json!({ "late": false })))).await;
    assert_eq!(within(call).await.unwrap().unwrap(), json!({ "late": false }));
    incidents.wait_for("response-unexpected").await;
}
