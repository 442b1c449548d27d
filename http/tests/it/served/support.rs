//! Requests to a server, without a connection.

use std::time::Duration;

use http::{Method, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use serde_json::{Value, json};
use tautline_http::{McpServer, ResponseBody, ServerBody};
use tautline_mcp::Revision;
use tautline_mcp::http::{Allowed, Policy};
use tokio::time::timeout;
use tower::ServiceExt;

pub const POLICY: Policy<'static> =
    Policy::new(Revision::ALL, Allowed::Loopback, Allowed::Loopback);

/// The limit on what a test waits for.
pub const LIMIT: Duration = Duration::from_secs(10);

pub type Reply = Response<ResponseBody<ServerBody>>;

/// Returns a request with these headers besides those that every client sends.
pub fn request(method: Method, headers: &[(&str, &str)], body: Bytes) -> Request<Full<Bytes>> {
    let mut request = Request::builder().method(method).uri("http://localhost/mcp");
    request = request
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Full::from(body)).unwrap()
}

pub async fn send(server: &McpServer, request: Request<Full<Bytes>>) -> Reply {
    timeout(LIMIT, server.clone().oneshot(request)).await.unwrap().unwrap()
}

pub fn post(headers: &[(&str, &str)], body: &Value) -> Request<Full<Bytes>> {
    request(Method::POST, headers, body.to_string().into())
}

/// Returns a call of a tool in 2026-07-28.
pub fn modern_call(tool: &str, arguments: Value, headers: &[(&str, &str)]) -> Request<Full<Bytes>> {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    let mut all = vec![
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", tool),
    ];
    all.extend(headers);
    post(&all, &body)
}

/// Returns a call of a tool in the legacy era.
pub fn legacy_call(session: &str, tool: &str) -> Request<Full<Bytes>> {
    let params = json!({ "name": tool, "arguments": {} });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    post(&in_session(session), &body)
}

pub fn in_session(session: &str) -> [(&str, &str); 2] {
    [("mcp-session-id", session), ("mcp-protocol-version", "2025-11-25")]
}

/// Returns an `initialize` that offers this version.
pub fn initialize(version: &str) -> Value {
    let params = json!({ "protocolVersion": version, "capabilities": {},
        "clientInfo": { "name": "t", "version": "1" } });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })
}

/// Returns the id of the session that a response to `initialize` opens.
pub fn session_of(reply: &Reply) -> String {
    assert_eq!(reply.status(), 200);
    reply.headers()["mcp-session-id"].to_str().unwrap().to_owned()
}

pub async fn open(server: &McpServer) -> String {
    session_of(&send(server, post(&[], &initialize("2025-11-25"))).await)
}

pub async fn text(reply: Reply) -> String {
    let body = timeout(LIMIT, reply.into_body().collect()).await.unwrap().unwrap().to_bytes();
    String::from_utf8(body.to_vec()).unwrap()
}

pub async fn value(reply: Reply) -> Value {
    assert_eq!(reply.headers()["content-type"], "application/json");
    serde_json::from_str(&text(reply).await).unwrap()
}
