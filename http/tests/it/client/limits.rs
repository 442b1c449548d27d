//! The limits of a connection, and its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tautline_mcp::Revision;
use tautline_tokio::{CallError, Closed, Handlers, Options};
use tokio::sync::mpsc;

use super::support::{
    LEGACY, MODERN, Server, Stream, answer, event, result, status, usual, within,
};

#[tokio::test]
async fn no_more_calls_are_in_an_exchange_than_allowed() {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let peak = Arc::clone(&most);
    let server = Server::start(move |seen| {
        let (now, most) = (Arc::clone(&now), Arc::clone(&most));
        usual(seen, async move |seen| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(2)).await;
            now.fetch_sub(1, Ordering::SeqCst);
            result(&seen, json!({ "n": seen.body["params"]["n"] }))
        })
    })
    .await;
    let client = server.client().with_revisions(MODERN).with_max_posts(4);
    let connection = within(client.connect(Handlers::new(()))).await.unwrap();
    let calls: Vec<_> = (0..300)
        .map(|n| {
            let peer = connection.peer().clone();
            tokio::spawn(async move { peer.call::<Value>("a", json!({ "n": n })).await })
        })
        .collect();
    for (n, call) in calls.into_iter().enumerate() {
        assert_eq!(within(call).await.unwrap().unwrap(), json!({ "n": n }));
    }
    assert_eq!(peak.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn a_call_that_waits_for_its_turn_can_be_given_up() {
    for revisions in [MODERN, LEGACY] {
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
        let client = server.client().with_revisions(revisions).with_max_posts(1);
        let connection = within(client.connect(Handlers::new(()))).await.unwrap();
        let peer = connection.peer();
        let first = within(peer.request::<Value, _>("first", json!({})).send()).await.unwrap();
        let (seen, stream) = within(opened.recv()).await.unwrap();
        drop(within(peer.request::<Value, _>("second", json!({})).send()).await.unwrap());
        let third = within(peer.request::<Value, _>("third", json!({})).send()).await.unwrap();
        stream.write(event(&answer(&seen, json!({})))).await;
        within(first).await.unwrap();
        // The stream is not closed yet, and takes no turn any more.
        let (seen, stream) = within(opened.recv()).await.unwrap();
        stream.write(event(&answer(&seen, json!({})))).await;
        within(third).await.unwrap();
        // Neither the call nor a cancellation was sent.
        let methods = server.methods();
        assert!(!methods.contains(&"second".to_owned()), "{methods:?}");
        assert!(!methods.contains(&"notifications/cancelled".to_owned()), "{methods:?}");
    }
}

/// Starts a server that accepts notifications, and answers each call with a stream that is passed on.
async fn holding() -> (Server, mpsc::Receiver<Stream>) {
    let (streams, opened) = mpsc::channel(8);
    let server = Server::start(move |seen| {
        let streams = streams.clone();
        usual(seen, async move |seen| match seen.method() {
            "note" => status(202),
            _ => {
                let (stream, response) = Stream::new();
                streams.send(stream).await.unwrap();
                response
            }
        })
    })
    .await;
    (server, opened)
}

#[tokio::test]
async fn notifications_do_not_wait_for_a_turn_of_calls() {
    for revisions in [MODERN, LEGACY] {
        let (server, mut opened) = holding().await;
        let client = server.client().with_revisions(revisions).with_max_posts(1);
        let connection = within(client.connect(Handlers::new(()))).await.unwrap();
        let peer = connection.peer();
        let _first = within(peer.request::<Value, _>("first", json!({})).send()).await.unwrap();
        let stream = within(opened.recv()).await.unwrap();
        let _second = within(peer.request::<Value, _>("second", json!({})).send()).await.unwrap();
        // More than may wait.
        for n in 0..100 {
            within(peer.notify("note", json!({ "n": n }))).await.unwrap();
        }
        let notes = server.wait_for("note", 100).await;
        assert!(notes.iter().enumerate().all(|(n, note)| note.body["params"]["n"] == n));
        assert!(server.all("second").is_empty());
        within(connection.close()).await;
        stream.closed().await;
    }
}

#[tokio::test]
async fn closing_fails_calls_and_sends_what_waits() {
    for revisions in [MODERN, LEGACY] {
        let (server, mut opened) = holding().await;
        let connection = server.connect(revisions).await;
        let peer = connection.peer().clone();
        let slow = within(peer.request::<Value, _>("slow", json!({})).send()).await.unwrap();
        let stream = within(opened.recv()).await.unwrap();
        for _ in 0..20 {
            peer.notify("note", json!({})).await.unwrap();
        }
        assert!(matches!(within(connection.close()).await, Closed::Local));
        assert!(matches!(within(slow).await, Err(CallError::Closed(Closed::Local))));
        stream.closed().await;
        assert_eq!(server.all("note").len(), 20);
        let called = peer.call::<Value>("late", json!({})).await;
        assert!(matches!(called, Err(CallError::Closed(_))));
        assert!(server.all("late").is_empty());
    }
}

#[tokio::test]
async fn dropping_a_connection_closes_all_streams() {
    let (streams, mut opened) = mpsc::channel(8);
    let server = Server::start(move |seen| {
        let streams = streams.clone();
        async move {
            let open = async move || {
                let (stream, response) = Stream::new();
                streams.send(stream).await.unwrap();
                response
            };
            if seen.verb == "GET" {
                open().await
            } else {
                usual(seen, async |_| open().await).await
            }
        }
    })
    .await;
    let connection = server.connect(LEGACY).await;
    let listening = within(opened.recv()).await.unwrap();
    let call = within(connection.peer().request::<Value, _>("slow", json!({})).send()).await;
    let stream = within(opened.recv()).await.unwrap();
    drop(connection);
    listening.closed().await;
    stream.closed().await;
    assert!(matches!(within(call.unwrap()).await, Err(CallError::Closed(_))));
    assert!(server.all("DELETE").is_empty());
}

#[tokio::test]
async fn the_options_of_the_connection_apply() {
    let server = Server::start(|seen| {
        usual(seen, async |seen| {
            tokio::time::sleep(Duration::from_secs(if seen.method() == "slow" { 60 } else { 0 }))
                .await;
            result(&seen, json!({}))
        })
    })
    .await;
    let sent = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&sent);
    // The protocol of the options is not the one of the connection.
    let options =
        Options::json_rpc().with_timeout(Duration::from_millis(100)).with_tap(move |_, _| {
            count.fetch_add(1, Ordering::SeqCst);
        });
    let client = server.client().with_options(options);
    let connection = within(client.connect(Handlers::new(()))).await.unwrap();
    assert_eq!(connection.revision(), Revision::V2026_07_28);
    let called = within(connection.peer().call::<Value>("slow", json!({}))).await;
    assert!(matches!(called, Err(CallError::TimedOut { .. })));
    // The call, its cancellation, and `server/discover` with its answer.
    assert_eq!(sent.load(Ordering::SeqCst), 4);
    let meta = &server.all("slow")[0].body["params"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "test");
}
