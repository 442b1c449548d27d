//! Responses of the legacy era: those that break and are resumed, those that pause, and the status of the others.

use http::header::ALLOW;

use super::*;

const VERSION: &str = "2025-11-25";

#[tokio::test]
async fn finished_streams_are_kept_beside_those_that_are_full() {
    let mut fixture = start().await;
    let session = fixture.open(VERSION).await;
    for id in [1, 2] {
        drop(fixture.legacy(&session, VERSION, tool_call(id, "flood")).await);
    }
    fixture.stalled().await;
    let mut events = Events::of(fixture.legacy(&session, VERSION, tool_call(3, "wait")).await);
    events.next().await;
    events.next().await;
    drop(events);
    sleep(Duration::from_millis(50)).await;
    fixture.probe.go.notify_one();
    assert_eq!(fixture.logged().await, "wait ended");
    let mut events = Events::of(fixture.get(&session, Some("3-1")).await);
    events.next().await;
    assert_eq!(events.message().await.1["id"], 3);
}

#[tokio::test]
async fn a_response_cannot_pause_if_the_client_could_not_come_back() {
    let fixture = start().await;
    for (version, pauses) in [("2025-03-26", "false"), ("2025-06-18", "false")] {
        let session = fixture.open(version).await;
        let reply = fixture.legacy(&session, version, tool_call(1, "may pause")).await;
        assert_eq!(value(reply).await["result"]["content"][0]["text"], pauses);
    }
    let answer = value(fixture.call("may pause").await).await;
    assert_eq!(answer["result"]["content"][0]["text"], "false");
}

#[tokio::test]
async fn a_stream_can_be_resumed_while_its_request_waits() {
    let fixture = start().await;
    let session = fixture.open(VERSION).await;
    let post = async {
        let reply = fixture.legacy(&session, VERSION, tool_call(1, "silent")).await;
        let mut events = Events::of(reply);
        events.next().await;
        assert_eq!(events.next().await, None);
        fixture.probe.go.notify_one();
    };
    let get = async {
        sleep(Duration::from_millis(200)).await;
        let mut events = Events::of(fixture.get(&session, Some("1-0")).await);
        events.next().await;
        assert_eq!(events.message().await.1["id"], 1);
    };
    timeout(LIMIT / 2, async { tokio::join!(post, get) }).await.unwrap();
}

#[tokio::test]
async fn the_status_of_an_error_does_not_depend_on_its_time() {
    let fixture = start().await;
    let session = fixture.open(VERSION).await;
    for tool in ["invalid", "late invalid"] {
        let reply = fixture.legacy(&session, VERSION, tool_call(1, tool)).await;
        assert_eq!(reply.status(), StatusCode::BAD_REQUEST, "{tool}");
        assert_eq!(value(reply).await["error"]["code"], -32600);
    }
}

#[tokio::test]
async fn without_sessions_get_and_delete_are_not_allowed() {
    let policy = POLICY.with_streams().with_session_end();
    let fixture = fixture(ServerOptions::new(policy).without_sessions()).await;
    for method in [Method::GET, Method::DELETE] {
        let headers = [("mcp-protocol-version", VERSION), ("mcp-session-id", "x")];
        let reply = fixture.send(method, &headers, String::new()).await;
        assert_eq!(reply.status(), StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(reply.headers()[ALLOW], "POST");
    }
}
