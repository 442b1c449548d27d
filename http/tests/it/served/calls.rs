//! Requests to the client, where no answer can come.

use std::time::Duration;

use http::StatusCode;
use serde_json::{Value, json};
use tautline_http::{McpServer, ServerOptions};
use tautline_tokio::{Context, Handlers, ServerInfo};
use tokio::time::timeout;

use super::support::{POLICY, initialize, modern_call, post, send, value};

/// The limit on what is expected at once.
const SOON: Duration = Duration::from_secs(2);

fn server(options: ServerOptions) -> McpServer {
    let ask = async |context: Context<()>, _: Value| {
        let answer = context.peer().call::<Value>("roots/list", ()).await;
        Ok(json!({ "content": [{ "type": "text", "text": answer.unwrap_err().to_string() }] }))
    };
    let handlers = Handlers::new(())
        .with_server_info(ServerInfo::new("t", "1"))
        .request("tools/call", ask)
        .request("initialize", ask);
    options.serve(handlers)
}

const REASON: &str = "this connection can't bring calls to the peer";

#[tokio::test]
async fn a_call_in_2026_07_28_fails_at_once() {
    let server = server(ServerOptions::new(POLICY));
    let reply = timeout(SOON, send(&server, modern_call("ask", json!({}), &[]))).await.unwrap();
    let answer = timeout(SOON, value(reply)).await.unwrap();
    assert_eq!(answer["result"]["content"][0]["text"], REASON);
}

#[tokio::test]
async fn a_call_without_sessions_fails_at_once() {
    let server = server(ServerOptions::new(POLICY).without_sessions());
    let params = json!({ "name": "ask", "arguments": {} });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let request = post(&[("mcp-protocol-version", "2025-06-18")], &body);
    let answer = timeout(SOON, async { value(send(&server, request).await).await }).await.unwrap();
    assert_eq!(answer["result"]["content"][0]["text"], REASON);
}

#[tokio::test]
async fn a_call_before_the_session_is_open_fails_at_once() {
    let server = server(ServerOptions::new(POLICY));
    let reply = timeout(SOON, send(&server, post(&[], &initialize("2025-11-25")))).await.unwrap();
    assert_eq!(reply.status(), StatusCode::OK);
    let answer = timeout(SOON, value(reply)).await.unwrap();
    assert_eq!(answer["result"]["content"][0]["text"], REASON);
}
