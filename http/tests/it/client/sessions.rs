//! Sessions that the server ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tautline_http::client::PostError;
use tautline_tokio::{CallError, Handlers};
use tokio::sync::mpsc;

use super::support::{
    Incidents, LEGACY, Server, Stream, initialized, result, status, until, usual, within,
};

/// A server whose sessions have numbers. It knows the latest one, and none while the number is 0.
struct Numbered {
    server: Server,
    latest: Arc<AtomicUsize>,
    /// The streams of calls of the method `slow`.
    opened: mpsc::Receiver<Stream>,
}

/// The answer to `initialize` is refused while this is the number of the latest session.
const REFUSES: usize = 1000;

async fn numbered() -> Numbered {
    let latest = Arc::new(AtomicUsize::new(0));
    let (streams, opened) = mpsc::channel(8);
    let number = Arc::clone(&latest);
    let server = Server::start(move |seen| {
        let (number, streams) = (Arc::clone(&number), streams.clone());
        async move {
            if seen.method() == "initialize" {
                assert_eq!(seen.header("mcp-session-id"), None);
                if number.load(Ordering::SeqCst) == REFUSES {
                    return status(503);
                }
                let new = number.fetch_add(1, Ordering::SeqCst) + 1;
                return initialized(&seen, Some(&format!("number-{new}")));
            }
            let current = format!("number-{}", number.load(Ordering::SeqCst));
            if seen.header("mcp-session-id") != Some(&current) {
                return status(404);
            }
            usual(seen, async move |seen| match seen.method() {
                "slow" => {
                    let (stream, response) = Stream::new();
                    streams.send(stream).await.unwrap();
                    response
                }
                "a/notification" => status(202),
                _ => result(&seen, json!({ "session": current })),
            })
            .await
        }
    })
    .await;
    Numbered { server, latest, opened }
}

#[tokio::test]
async fn a_new_session_begins_when_the_last_one_has_ended() {
    let Numbered { server, latest, mut opened } = numbered().await;
    let incidents = Incidents::default();
    let client = incidents.observe(server.client()).with_revisions(LEGACY);
    let connection = within(client.connect(Handlers::new(()))).await.unwrap();
    let peer = connection.peer();
    let first: Value = within(peer.call("a", ())).await.unwrap();
    assert_eq!(first["session"], "number-1");

    let slow = within(peer.request::<Value, _>("slow", ()).send()).await.unwrap();
    let stream = within(opened.recv()).await.unwrap();
    latest.store(7, Ordering::SeqCst);
    // Several calls learn of it at the same time.
    let calls: Vec<_> = (0..10).map(|_| peer.clone()).collect();
    let calls: Vec<_> = calls
        .into_iter()
        .map(|peer| tokio::spawn(async move { peer.call::<Value>("a", ()).await }))
        .collect();
    let mut lost = 0;
    for call in calls {
        match within(call).await.unwrap() {
            // It came after the new session had begun.
            Ok(result) => assert_eq!(result["session"], "number-8"),
            Err(error) => {
                assert!(matches!(PostError::of(&error), Some(PostError::SessionEnded)), "{error}");
                lost += 1;
            }
        }
    }
    assert!(lost > 0);
    let error = within(slow).await.unwrap_err();
    assert!(matches!(PostError::of(&error), Some(PostError::SessionEnded)), "{error}");
    stream.closed().await;

    let later: Value = within(peer.call("a", ())).await.unwrap();
    assert_eq!(later["session"], "number-8");
    let handshakes = server.all("initialize");
    assert_eq!(handshakes.len(), 2);
    assert_eq!(handshakes[0].body, handshakes[1].body);
    let acknowledged = server.all("notifications/initialized");
    assert_eq!(acknowledged[1].header("mcp-session-id"), Some("number-8"));
    server.wait_for("GET", 2).await;
    let incidents = incidents.take();
    assert_eq!(incidents, ["the server has ended the session", "a new session has begun"]);
    within(connection.close()).await;
    assert_eq!(server.all("DELETE")[0].header("mcp-session-id"), Some("number-8"));
}

#[tokio::test]
async fn a_session_that_cannot_begin_is_tried_again_later() {
    let Numbered { server, latest, .. } = numbered().await;
    let incidents = Incidents::default();
    let client = incidents.observe(server.client()).with_revisions(LEGACY);
    let connection = within(client.connect(Handlers::new(()))).await.unwrap();
    let peer = connection.peer();
    server.wait_for("GET", 1).await;
    latest.store(REFUSES, Ordering::SeqCst);
    for attempt in 1..=3 {
        let error = within(peer.call::<Value>("a", ())).await.unwrap_err();
        assert!(matches!(PostError::of(&error), Some(PostError::SessionEnded)), "{error}");
        until("an attempt", || server.all("initialize").len() == attempt + 1).await;
        incidents.wait_for("no new session could be begun").await;
        incidents.take();
    }
    latest.store(41, Ordering::SeqCst);
    let result: Value = within(peer.call("a", ())).await.unwrap();
    assert_eq!(result["session"], "number-42");
}

#[tokio::test]
async fn a_notification_that_waits_for_a_session_in_vain_is_reported() {
    let Numbered { server, latest, .. } = numbered().await;
    let incidents = Incidents::default();
    let client = incidents.observe(server.client()).with_revisions(LEGACY);
    let connection = within(client.connect(Handlers::new(()))).await.unwrap();
    let peer = connection.peer();
    server.wait_for("GET", 1).await;
    latest.store(REFUSES, Ordering::SeqCst);
    within(peer.call::<Value>("a", ())).await.unwrap_err();
    incidents.wait_for("no new session could be begun").await;
    peer.notify("a/notification", ()).await.unwrap();
    incidents
        .wait_for(
            r#"the notification "a/notification" did not arrive: the server answered with status 503"#,
        )
        .await;
    assert!(server.all("a/notification").is_empty());
    within(connection.close()).await;
}

#[tokio::test]
async fn closing_while_a_session_begins_is_no_failure() {
    let count = Arc::new(AtomicUsize::new(0));
    let server = Server::start(move |seen| {
        let count = Arc::clone(&count);
        async move {
            match seen.method() {
                "initialize" if count.fetch_add(1, Ordering::SeqCst) == 0 => {
                    initialized(&seen, Some("s"))
                }
                "initialize" => std::future::pending().await,
                "notifications/initialized" => status(202),
                "" => status(405),
                _ => status(404),
            }
        }
    })
    .await;
    let incidents = Incidents::default();
    let client = incidents.observe(server.client()).with_revisions(LEGACY);
    let connection = within(client.connect(Handlers::new(()))).await.unwrap();
    within(connection.peer().call::<Value>("a", ())).await.unwrap_err();
    server.wait_for("initialize", 2).await;
    within(connection.close()).await;
    assert_eq!(incidents.take(), ["the server has ended the session"]);
}

#[tokio::test]
async fn notifications_and_the_stream_show_the_end_of_a_session_too() {
    let Numbered { server, latest, .. } = numbered().await;
    let connection = server.connect(LEGACY).await;
    let peer = connection.peer();
    let _: Value = within(peer.call("a", ())).await.unwrap();
    latest.store(7, Ordering::SeqCst);
    peer.notify("a/notification", ()).await.unwrap();
    server.wait_for("initialize", 2).await;
    let result: Value = within(peer.call("a", ())).await.unwrap();
    assert_eq!(result["session"], "number-8");
}

#[tokio::test]
async fn another_revision_in_the_new_session_is_refused() {
    let count = Arc::new(AtomicUsize::new(0));
    let server = Server::start(move |seen| {
        let count = Arc::clone(&count);
        async move {
            match seen.method() {
                "initialize" => {
                    let number = count.fetch_add(1, Ordering::SeqCst);
                    let version = ["2025-11-25", "2025-06-18"][number.min(1)];
                    let mut response =
                        result(&seen, json!({ "protocolVersion": version, "capabilities": {} }));
                    response.headers_mut().insert("mcp-session-id", "s".parse().unwrap());
                    response
                }
                "notifications/initialized" => status(202),
                "" => status(405),
                _ => status(404),
            }
        }
    })
    .await;
    let incidents = Incidents::default();
    let client = incidents.observe(server.client()).with_revisions(LEGACY);
    let connection = within(client.connect(Handlers::new(()))).await.unwrap();
    let called = within(connection.peer().call::<Value>("a", ())).await;
    assert!(matches!(called, Err(CallError::Transport(_))));
    incidents.wait_for("the server has begun the new session in revision 2025-06-18").await;
}
