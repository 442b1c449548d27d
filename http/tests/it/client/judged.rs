//! The client before the layer of this crate, which refuses what breaks a rule.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::response::Response;
use axum::routing::any;
use serde_json::{Value, json};
use tautline_http::client::Client;
use tautline_http::{Judged, McpLayer};
use tautline_mcp::http::{
    Action, Allowed, Name, Parameter, Policy, Server, Session, Sessions, Tool,
};
use tautline_mcp::{RawStr, Revision};
use tautline_tokio::Handlers;
use tokio::net::TcpListener;

use super::support::{LEGACY, MODERN, json_text, status, within};

const POLICY: Policy<'static> = Policy::new(Revision::ALL, Allowed::Loopback, Allowed::Loopback)
    .with_sessions(Sessions::Required)
    .with_streams()
    .with_session_end();

const TOOLS: &str = r#"{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"t ü","inputSchema":{
    "type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"},"n":{"type":"integer","x-mcp-header":"N"}}}}]}"#;

/// The knowledge of the server.
struct Knows;

impl Server for Knows {
    fn session(&self, id: &[u8]) -> Session {
        if id == b"s" { Session::Open(Revision::V2025_11_25) } else { Session::Unknown }
    }

    fn parameters(&self, tool: RawStr<'_>, visit: &mut dyn FnMut(&Parameter<'_>)) -> Tool {
        if tool != *"t ü" {
            return Tool::Unknown;
        }
        visit(&Parameter::new(Name::new("A"), &[Name::new("a")]));
        visit(&Parameter::new(Name::new("N"), &[Name::new("n")]));
        Tool::Known
    }
}

async fn serve(request: axum::extract::Request) -> Response {
    let judged = request.extensions().get::<Judged>().unwrap().clone();
    match judged.action() {
        Action::Answer => {}
        Action::Acknowledge => return status(202),
        _ => return status(405),
    }
    let body: Value = serde_json::from_slice(judged.body()).unwrap();
    let result = match body["method"].as_str().unwrap() {
        "initialize" => json!({ "protocolVersion": "2025-11-25", "capabilities": {} }),
        "server/discover" => json!({ "supportedVersions": ["2026-07-28"], "capabilities": {} }),
        "tools/list" => serde_json::from_str(TOOLS).unwrap(),
        _ => json!({}),
    };
    let message = json!({ "jsonrpc": "2.0", "id": body["id"], "result": result });
    let mut response = json_text(200, message.to_string());
    response.headers_mut().insert("mcp-session-id", "s".parse().unwrap());
    response
}

#[tokio::test]
async fn no_request_of_the_client_breaks_a_rule() {
    let findings = Arc::new(Mutex::new(Vec::new()));
    let report = Arc::clone(&findings);
    let layer = McpLayer::new(POLICY)
        .with_server(Knows)
        .on_finding(move |finding| report.lock().unwrap().push(finding.to_string()));
    let app = Router::new().fallback(any(serve).layer(layer));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri: http::Uri = format!("http://{}/mcp", listener.local_addr().unwrap()).parse().unwrap();
    let server = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });

    for revisions in [MODERN, LEGACY] {
        let client = Client::http(uri.clone()).with_revisions(revisions);
        let connection = within(client.connect(Handlers::new(()))).await.unwrap();
        let peer = connection.peer();
        let _: Value = within(peer.call("tools/list", json!({}))).await.unwrap();
        for arguments in [
            json!({ "a": "plain", "n": 1 }),
            json!({ "a": " Grüße ", "n": -7 }),
            json!({ "a": null }),
            json!({ "a": "=?base64?YQ==?=", "n": 9_007_199_254_740_991_i64 }),
            json!({ "a": "" }),
        ] {
            let params = json!({ "name": "t ü", "arguments": arguments });
            let _: Value = within(peer.call("tools/call", params)).await.unwrap();
        }
        let _: Value =
            within(peer.call("resources/read", json!({ "uri": "file:///ä" }))).await.unwrap();
        within(connection.close()).await;
    }
    assert_eq!(*findings.lock().unwrap(), [""; 0]);
    server.abort();
}
