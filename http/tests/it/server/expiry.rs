//! Sessions expire if their clients do not use them.

use super::*;

const VERSION: &str = "2025-11-25";

fn options(timeout: u64) -> ServerOptions {
    ServerOptions::new(POLICY).with_session_timeout(Duration::from_millis(timeout))
}

#[tokio::test]
async fn a_handler_does_not_keep_the_session_of_a_client_that_has_gone() {
    for tool in ["flood", "wait"] {
        let mut fixture = fixture(options(200)).await;
        let session = fixture.open(VERSION).await;
        drop(fixture.legacy(&session, VERSION, tool_call(1, tool)).await);
        assert_eq!(fixture.logged().await, format!("{tool} ended"));
        assert_eq!(fixture.server.sessions(), 0);
    }
}

#[tokio::test]
async fn an_open_response_keeps_its_session() {
    let mut fixture = fixture(options(200)).await;
    let session = fixture.open(VERSION).await;
    let post = fixture.legacy(&session, VERSION, tool_call(1, "silent"));
    let wait = async {
        sleep(Duration::from_millis(600)).await;
        assert_eq!(fixture.server.sessions(), 1);
        fixture.probe.go.notify_one();
    };
    let (reply, ()) = tokio::join!(post, wait);
    assert_eq!(value(reply).await["id"], 1);
    let reply = fixture.legacy(&session, VERSION, tool_call(2, "wait")).await;
    sleep(Duration::from_millis(600)).await;
    assert_eq!(fixture.server.sessions(), 1);
    drop(reply);
    assert_eq!(fixture.logged().await, "wait ended");
    assert_eq!(fixture.server.sessions(), 0);
}

#[tokio::test]
async fn the_end_of_a_response_is_a_use_of_the_session() {
    let fixture = fixture(options(400)).await;
    let session = fixture.open(VERSION).await;
    let mut events = Events::of(fixture.get(&session, None).await);
    events.next().await;
    sleep(Duration::from_millis(900)).await;
    assert_eq!(fixture.server.sessions(), 1);
    drop(events);
    sleep(Duration::from_millis(150)).await;
    assert_eq!(fixture.get(&session, Some("0-0")).await.status(), StatusCode::OK);
}
