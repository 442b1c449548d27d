//! The end of a server or a session drops handlers, whether a client reads their responses or not.

use super::*;

fn options() -> ServerOptions {
    ServerOptions::new(POLICY).with_shutdown_timeout(Duration::from_millis(50))
}

#[tokio::test]
async fn close_drops_a_handler_that_has_sent_nothing() {
    for session in [false, true] {
        let mut fixture = fixture(options()).await;
        let server = fixture.server.clone();
        let id = fixture.open("2025-11-25").await;
        let close = async {
            sleep(Duration::from_millis(200)).await;
            server.close().await;
        };
        let (reply, ()) = if session {
            tokio::join!(fixture.legacy(&id, "2025-11-25", tool_call(1, "hang")), close)
        } else {
            tokio::join!(fixture.call("hang"), close)
        };
        assert_eq!(fixture.logged().await, "hang ended");
        if session {
            assert_eq!(reply.status(), StatusCode::SERVICE_UNAVAILABLE);
        } else {
            assert_eq!(value(reply).await["error"]["code"], -32603);
        }
    }
}

#[tokio::test]
async fn close_drops_a_handler_whose_client_does_not_read() {
    for has_session in [false, true] {
        let mut fixture = fixture(options()).await;
        let session = fixture.open("2025-11-25").await;
        let _reply = if has_session {
            fixture.legacy(&session, "2025-11-25", tool_call(1, "flood")).await
        } else {
            fixture.call("flood").await
        };
        fixture.stalled().await;
        fixture.server.close().await;
        assert_eq!(fixture.logged().await, "flood ended");
    }
}

#[tokio::test]
async fn close_drops_handlers_without_sessions() {
    let version = [("mcp-protocol-version", "2025-06-18")];
    for tool in ["wait", "flood"] {
        let mut fixture = fixture(options().without_sessions()).await;
        let reply = fixture.send(Method::POST, &version, tool_call(2, tool).to_string()).await;
        if tool == "flood" {
            fixture.stalled().await;
        }
        fixture.server.close().await;
        assert_eq!(fixture.logged().await, format!("{tool} ended"));
        drop(reply);
    }
}

#[tokio::test]
async fn without_sessions_a_client_that_goes_before_the_response_blocks_no_handler() {
    let mut fixture = fixture(ServerOptions::new(POLICY).without_sessions()).await;
    let version = [("mcp-protocol-version", "2025-06-18")];
    let post = fixture.send(Method::POST, &version, tool_call(2, "late flood").to_string());
    assert!(timeout(Duration::from_millis(100), post).await.is_err());
    assert_eq!(fixture.logged().await, "late flood ended");
}

#[tokio::test]
async fn a_request_whose_session_ends_is_answered_with_404() {
    let mut fixture = start().await;
    let session = fixture.open("2025-11-25").await;
    let end = async {
        sleep(Duration::from_millis(200)).await;
        fixture.end(&session).await
    };
    let post = fixture.legacy(&session, "2025-11-25", tool_call(1, "hang"));
    let (reply, end) = tokio::join!(post, end);
    assert_eq!(end.status(), StatusCode::NO_CONTENT);
    assert_eq!(reply.status(), StatusCode::NOT_FOUND);
    assert_eq!(fixture.logged().await, "hang ended");
}
