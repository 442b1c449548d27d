//! The bounds of a session: on its requests, and on notifications that wait.

use http::header::{CONTENT_TYPE, RETRY_AFTER};
use tautline_tokio::Options;

use super::*;

const VERSION: &str = "2025-11-25";

fn note(padding: usize) -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed", "params": { "x": "y".repeat(padding) } })
}

#[tokio::test]
async fn requests_that_wait_are_bounded() {
    let fixture = fixture(ServerOptions::new(POLICY).with_max_running(2)).await;
    let session = fixture.open("2025-11-25").await;
    let mut open = Vec::new();
    for id in 0..2 {
        open.push(fixture.legacy(&session, "2025-11-25", tool_call(id, "wait")).await);
    }
    let reply = fixture.legacy(&session, "2025-11-25", tool_call(7, "wait")).await;
    assert_eq!(reply.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(reply.headers()[RETRY_AFTER], "1");
    let refused = value(reply).await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(7), &json!(-32000)));
    let ping = json!({ "jsonrpc": "2.0", "id": 8, "method": "ping" });
    let reply = fixture.legacy(&session, "2025-11-25", ping.clone()).await;
    assert_eq!(reply.status(), StatusCode::TOO_MANY_REQUESTS);
    fixture.probe.go.notify_one();
    let mut first = Events::of(open.remove(0));
    while first.next().await.is_some() {}
    let reply = fixture.legacy(&session, "2025-11-25", ping).await;
    assert_eq!(reply.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_refused_request_does_not_begin() {
    let options =
        ServerOptions::new(POLICY).with_max_running(1).with_keep_alive(Duration::from_millis(20));
    let fixture = fixture(options).await;
    let session = fixture.open(VERSION).await;
    let _first = fixture.legacy(&session, VERSION, tool_call(1, "hang")).await;
    let second = fixture.legacy(&session, VERSION, tool_call(2, "hang")).await;
    assert_eq!(second.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(fixture.probe.sent.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn each_request_of_a_batch_counts() {
    let fixture = fixture(ServerOptions::new(POLICY).with_max_running(2)).await;
    let session = fixture.open("2025-03-26").await;
    let batch = |count| (0..count).map(|id| tool_call(id, "call")).collect::<Vec<_>>();
    for (count, status) in [(2, 200), (3, 429), (2, 200)] {
        let reply = fixture.legacy(&session, "2025-03-26", json!(batch(count))).await;
        assert_eq!(reply.status(), status, "{count}");
    }
    assert_eq!(fixture.probe.sent.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn notifications_that_wait_are_bounded_in_number_and_answers_still_arrive() {
    let connection = Options::mcp(Revision::LATEST).with_max_backlog(2);
    let mut fixture = fixture(ServerOptions::new(POLICY).with_connection(connection)).await;
    let session = fixture.open(VERSION).await;
    let mut events = Events::of(fixture.get(&session, None).await);
    events.next().await.unwrap();
    fixture.legacy(&session, VERSION, note(1)).await;
    assert_eq!(fixture.logged().await, "roots changed, pauses: false");
    let (_, call) = events.message().await;
    for status in [202, 202, 429, 429] {
        let reply = fixture.legacy(&session, VERSION, note(1)).await;
        assert_eq!(reply.status(), status);
        let retry = reply.headers().get(RETRY_AFTER);
        assert_eq!(retry.is_some(), status == 429);
    }
    let answer = json!({ "jsonrpc": "2.0", "id": call["id"], "result": { "roots": [] } });
    let reply = fixture.legacy(&session, VERSION, answer).await;
    assert_eq!(reply.status(), StatusCode::ACCEPTED);
    assert_eq!(fixture.logged().await, "roots: true");
    // The next one begins, and there is room again.
    assert_eq!(fixture.logged().await, "roots changed, pauses: false");
    assert_eq!(fixture.legacy(&session, VERSION, note(1)).await.status(), StatusCode::ACCEPTED);
}

#[tokio::test]
async fn notifications_that_wait_are_bounded_in_bytes() {
    let mut fixture = fixture(ServerOptions::new(POLICY).with_limit(10_000)).await;
    let session = fixture.open(VERSION).await;
    fixture.legacy(&session, VERSION, note(9000)).await;
    fixture.logged().await;
    for status in [202, 202, 202, 429] {
        let reply = fixture.legacy(&session, VERSION, note(3000)).await;
        assert_eq!(reply.status(), status);
    }
    assert_eq!(fixture.legacy(&session, VERSION, note(1)).await.status(), StatusCode::ACCEPTED);
}

#[tokio::test]
async fn a_notification_in_a_batch_counts_as_well() {
    let connection = Options::mcp(Revision::LATEST).with_max_backlog(1);
    let mut fixture = fixture(ServerOptions::new(POLICY).with_connection(connection)).await;
    let session = fixture.open("2025-03-26").await;
    fixture.legacy(&session, "2025-03-26", note(1)).await;
    fixture.logged().await;
    for (batch, status) in [
        (json!([note(1)]), 202),
        (json!([note(1)]), 429),
        (json!([note(1), tool_call(1, "call")]), 429),
        (json!([tool_call(1, "call")]), 200),
    ] {
        let reply = fixture.legacy(&session, "2025-03-26", batch.clone()).await;
        assert_eq!(reply.status(), status, "{batch}");
    }
}

#[tokio::test]
async fn comments_have_a_least_distance() {
    let fixture = fixture(ServerOptions::new(POLICY).with_keep_alive(Duration::ZERO)).await;
    let reply = fixture.call("hang").await;
    assert_eq!(reply.headers()[CONTENT_TYPE], "text/event-stream");
    let mut events = Events::of(reply);
    let mut comments = 0;
    let _ = timeout(Duration::from_millis(300), async {
        while events.next().await.is_some() {
            comments += 1;
        }
    })
    .await;
    assert!((1..=31).contains(&comments), "{comments}");
}
