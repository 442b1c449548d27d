//! The messages of a client reach a call, a request, or the session.

use super::*;

const VERSION: &str = "2025-11-25";

fn cancel(id: u64) -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } })
}

#[tokio::test]
async fn progress_reaches_the_handler_that_has_called() {
    let fixture = start().await;
    let session = fixture.open(VERSION).await;
    let mut events = Events::of(fixture.legacy(&session, VERSION, tool_call(1, "sample")).await);
    events.next().await;
    let (_, call) = events.message().await;
    // Together, they take longer than the time-out of the call, which each of them extends.
    for progress in 1..=2 {
        sleep(Duration::from_millis(600)).await;
        let token = &call["params"]["_meta"]["progressToken"];
        let report = json!({ "jsonrpc": "2.0", "method": "notifications/progress",
            "params": { "progressToken": token, "progress": progress } });
        let reply = fixture.legacy(&session, VERSION, report).await;
        assert_eq!(reply.status(), StatusCode::ACCEPTED);
    }
    let answer = json!({ "jsonrpc": "2.0", "id": call["id"], "result": { "ok": 1 } });
    fixture.legacy(&session, VERSION, answer).await;
    let (_, answer) = events.message().await;
    assert_eq!(answer["result"]["content"][0]["text"], "2 {\"ok\":1}", "{answer}");
}

#[tokio::test]
async fn a_request_whose_client_does_not_read_can_be_cancelled() {
    let mut fixture = fixture(ServerOptions::new(POLICY).with_max_running(1)).await;
    let session = fixture.open(VERSION).await;
    drop(fixture.legacy(&session, VERSION, tool_call(1, "flood")).await);
    fixture.stalled().await;
    let call = || fixture.legacy(&session, VERSION, tool_call(2, "call"));
    assert_eq!(call().await.status(), StatusCode::TOO_MANY_REQUESTS);
    fixture.legacy(&session, VERSION, cancel(1)).await;
    // No one waits for the rest, so its place is free.
    let freed = async {
        while call().await.status() != StatusCode::OK {
            sleep(Duration::from_millis(10)).await;
        }
    };
    timeout(LIMIT, freed).await.unwrap();
    assert_eq!(fixture.logged().await, "flood ended");
}

#[tokio::test]
async fn messages_for_a_request_whose_client_does_not_read_do_not_wait() {
    let fixture = start().await;
    let session = fixture.open(VERSION).await;
    drop(fixture.legacy(&session, VERSION, tool_call(1, "flood")).await);
    fixture.stalled().await;
    for count in 0..40 {
        let answer = json!({ "jsonrpc": "2.0", "id": (1_u64 << 20) + count, "result": {} });
        for message in [answer, cancel(1)] {
            let reply = timeout(LIMIT / 5, fixture.legacy(&session, VERSION, message)).await;
            assert_eq!(reply.unwrap().status(), StatusCode::ACCEPTED, "{count}");
        }
    }
}

#[tokio::test]
async fn a_cancellation_beside_a_request_cancels() {
    let mut fixture = start().await;
    let session = fixture.open("2025-03-26").await;
    let reply = fixture.legacy(&session, "2025-03-26", tool_call(9, "wait")).await;
    let mut events = Events::of(reply);
    events.message().await;
    let batch = json!([cancel(9), { "jsonrpc": "2.0", "id": 10, "method": "ping" }]);
    let answers = value(fixture.legacy(&session, "2025-03-26", batch).await).await;
    assert_eq!(answers.as_array().unwrap().len(), 1);
    assert_eq!(fixture.logged().await, "wait ended");
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn a_notification_beside_a_request_is_one_of_the_session() {
    let mut fixture = start().await;
    let session = fixture.open("2025-03-26").await;
    let batch = json!([{ "jsonrpc": "2.0", "method": "notifications/initialized" }, 7, tool_call(1, "call")]);
    let answers = value(fixture.legacy(&session, "2025-03-26", batch).await).await;
    // That of the request, and the error for what is no message.
    assert_eq!(answers.as_array().unwrap().len(), 2, "{answers}");
    assert_eq!(fixture.logged().await, "initialized");
    let mut events = Events::of(fixture.get(&session, None).await);
    assert_eq!(events.message().await.1["method"], "notifications/tools/list_changed");
}
