//! Many requests on a connection, and on many connections.

use std::time::Duration;

use serde_json::{Value, json};
use tautline_gateway_tests::connection::Connection;
use tautline_gateway_tests::request::Plain;
use tautline_gateway_tests::rig::Rig;
use tautline_gateway_tests::upstream::settings;
use tautline_gateway_tests::volume;

/// Settings under which some requests are refused with another status than 400: after 400, Envoy closes a connection of
/// HTTP/1.1.
fn without_lists() -> Value {
    let mut settings = settings();
    settings["methods"] = json!({ "deny": ["tools/list"] });
    settings
}

#[tokio::test(flavor = "multi_thread")]
async fn many_requests_on_a_connection_are_told_apart() {
    let count = 10_000 * volume();
    for rig in Rig::each(&without_lists()).await {
        let mut connection = Connection::open(rig.address()).await.expect("Envoy");
        // One after the other: Envoy itself ends a connection on which more than two replies wait to be sent.
        for id in 0..count {
            let is_denied = id % 3 == 1;
            let request = if is_denied { Plain::list(id) } else { Plain::ping(id) };
            connection.send(&request.bytes()).await;
            let (reply, _) = rig.reply(&mut connection).await;
            let body: Value = serde_json::from_slice(&reply.body).expect("JSON");
            assert_eq!(body["id"], id, "{}: {reply:?}", rig.runtime);
            assert_eq!(reply.status == 403, is_denied, "{}: {reply:?}", rig.runtime);
        }
        let denied = (0..count).filter(|id| id % 3 == 1).count();
        assert_eq!(rig.upstream.count(), count - denied, "{}", rig.runtime);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_connections_are_told_apart() {
    let (connections, requests) = (100, 10 * volume());
    for rig in Rig::each(&without_lists()).await {
        let address = rig.address();
        let tasks = (0..connections).map(|one| {
            tokio::spawn(async move {
                let mut connection = Connection::open(address).await.expect("Envoy");
                let mut wrong = Vec::new();
                for at in 0..requests {
                    let id = one * requests + at;
                    let plain = if at % 2 == 0 { Plain::ping(id) } else { Plain::list(id) };
                    let bytes = plain.bytes();
                    // The requests of the connections interleave.
                    let (first, second) = bytes.split_at(bytes.len() - 1 - id % 60);
                    connection.send(first).await;
                    tokio::task::yield_now().await;
                    connection.send(second).await;
                    connection.wait(1, Duration::from_secs(30)).await;
                    let reply = connection.replies.pop();
                    let is_right = reply.as_ref().is_some_and(|reply| {
                        let body: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
                        body["id"] == id && (reply.status == 200) == (at % 2 == 0)
                    });
                    if !is_right {
                        wrong.push((id, reply));
                    }
                }
                wrong
            })
        });
        for task in tasks.collect::<Vec<_>>() {
            let wrong = task.await.expect("a connection");
            assert!(wrong.is_empty(), "{}: {wrong:?}", rig.runtime);
        }
        let counters = rig.envoy.counters().await;
        let half = u64::try_from(connections * requests / 2).expect("a count");
        assert_eq!(counters["tautline.request.accepted"], half, "{}", rig.runtime);
        assert_eq!(counters["tautline.request.refused"], half, "{}", rig.runtime);
        let value = json!(counters);
        assert!(value.get("tautline.request.aborted").is_none_or(|count| *count == 0), "{value}");
    }
}
