//! A server that does anything: every call ends, and nothing is left behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::response::Response;
use serde_json::{Value, json};
use tautline_http::client::PostError;
use tautline_mcp::Revision;
use tautline_tokio::{CallError, Handlers, Options};

use super::support::{
    LEGACY, MODERN, Seen, Server, Stream, answer, error, event, initialized, json_text, result,
    status, text_of, until, usual, within,
};

/// The number of misbehaviours of the server.
const KINDS: u64 = 20;

/// Does one of many things, most of them wrong.
async fn misbehave(seen: Seen, kind: u64) -> Response {
    let kind = if seen.body["params"]["n"] == 100 { 1 } else { kind };
    let good = answer(&seen, json!({ "n": seen.body["params"]["n"] }));
    let note =
        json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "data": "x" } });
    let (stream, response) = Stream::new();
    match kind {
        0 => return status(500),
        // This ends the session, and so all calls.
        1 => return status(if seen.body["params"]["n"] == 100 { 404 } else { 502 }),
        2 => return status(202),
        3 => return error(&seen, 400, -32020, json!(null)),
        4 => return json_text(200, "{"),
        5 => return json_text(200, json!([]).to_string()),
        6 => return text_of(200, "text/html", "<p>"),
        7 => return json_text(200, vec![b' '; 70_000]),
        8 => return json_text(200, json!({ "jsonrpc": "2.0", "id": 1, "result": {} }).to_string()),
        9 => return text_of(200, "text/event-stream", event(&good)),
        10 => return text_of(200, "text/event-stream", ""),
        // It hangs.
        11 => tokio::time::sleep(Duration::from_secs(60)).await,
        12..=18 => {
            tokio::spawn(async move {
                match kind {
                    12 => stream.cut().await,
                    13 => stream.write("id: 1\nretry: 1\ndata: \n\n").await,
                    14 => stream.write(format!("data: {}\n\n", "x".repeat(70_000))).await,
                    15 => stream.write(vec![0xff, b'\n', b'\n']).await,
                    16 => {
                        for _ in 0..100 {
                            stream.write(event(&note)).await;
                        }
                        stream.write(event(&good)).await;
                        // The stream stays open.
                        tokio::time::sleep(Duration::from_secs(60)).await;
                    }
                    17 => {
                        stream.write(event(&good)).await;
                        stream.write(event(&good)).await;
                    }
                    _ => {
                        for byte in event(&good).into_bytes() {
                            stream.write(vec![byte]).await;
                        }
                    }
                }
            });
            return response;
        }
        _ => {}
    }
    json_text(200, good.to_string())
}

async fn chaos(revisions: &[Revision], seed: u64) {
    let state = Arc::new(AtomicU64::new(seed));
    let session = Arc::new(AtomicU64::new(0));
    let next = move || {
        let step = |now: u64| {
            Some(now.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407))
        };
        state.fetch_update(Ordering::SeqCst, Ordering::SeqCst, step).unwrap() >> 33
    };
    let server = Server::start(move |seen| {
        let (next, session) = (next.clone(), Arc::clone(&session));
        async move {
            match (seen.verb.as_str(), seen.method()) {
                ("POST", "server/discover" | "notifications/initialized") => {
                    usual(seen, async |_| status(500)).await
                }
                ("POST", "initialize") => {
                    let number = session.fetch_add(1, Ordering::SeqCst);
                    initialized(&seen, Some(&number.to_string()))
                }
                ("POST", "sane") => result(&seen, json!({})),
                ("GET", _) => match next() % 4 {
                    0 => status(405),
                    1 => status(500),
                    2 => text_of(200, "text/event-stream", "retry: 5\nid: 1\n\n"),
                    _ => Stream::new().1,
                },
                ("POST", _) => misbehave(seen, next() % KINDS).await,
                _ => status(500),
            }
        }
    })
    .await;
    let client = server.client().with_revisions(revisions).with_limit(60_000).with_max_posts(8);
    // The server does not acknowledge all cancellations either.
    let client = client.with_ack_timeout(Duration::from_millis(500));
    let client =
        client.with_options(Options::mcp(Revision::LATEST).with_timeout(Duration::from_secs(1)));
    let connection = within(client.connect(Handlers::new(()))).await.unwrap();
    let calls: Vec<_> = (0..200)
        .map(|n| {
            let peer = connection.peer().clone();
            tokio::spawn(async move {
                let call = peer.request::<Value, _>("any", json!({ "n": n })).send();
                match call.await {
                    Ok(call) if n % 10 == 0 => {
                        drop(call);
                        Ok(())
                    }
                    Ok(call) => call.await.map(|result| assert_eq!(result["n"], n)),
                    Err(error) => Err(error),
                }
            })
        })
        .collect();
    let mut ends = [0; 4];
    for call in calls {
        let end = match within(call).await.unwrap() {
            Ok(()) => 0,
            Err(CallError::TimedOut { .. }) => 1,
            Err(CallError::Peer(_)) => 2,
            Err(error) => {
                assert!(PostError::of(&error).is_some(), "{error}");
                3
            }
        };
        ends[end] += 1;
    }
    assert!(ends.iter().all(|count| *count > 0), "{ends:?}");
    until("no call is left", || connection.peer().pending_calls() == 0).await;
    let sane = async {
        // The session may have been lost just now.
        while connection.peer().call::<Value>("sane", json!({})).await.is_err() {}
    };
    within(sane).await;
    within(connection.close()).await;
}

#[tokio::test]
async fn every_call_ends_whatever_a_modern_server_does() {
    chaos(MODERN, 7).await;
}

#[tokio::test]
async fn every_call_ends_whatever_a_legacy_server_does() {
    chaos(LEGACY, 8).await;
}
