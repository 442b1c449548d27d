//! The revisions of the policy bound those that a server agrees on.

use serde_json::{Value, json};
use tautline_http::{McpServer, ServerOptions};
use tautline_mcp::Revision;
use tautline_mcp::http::{Allowed, Policy};
use tautline_tokio::{Handlers, ServerInfo};

use super::support::{initialize, post, send, session_of, value};

const REVISIONS: &[Revision] = &[Revision::V2025_11_25, Revision::V2026_07_28];
const NEW: Policy<'static> = Policy::new(REVISIONS, Allowed::Loopback, Allowed::Loopback);

/// A server whose description has all revisions, and whose policy has not.
fn server() -> McpServer {
    ServerOptions::new(NEW).serve(Handlers::new(()).with_server_info(ServerInfo::new("t", "1")))
}

#[tokio::test]
async fn initialize_agrees_on_a_revision_that_the_policy_has() {
    let server = server();
    let reply = send(&server, post(&[], &initialize("2025-06-18"))).await;
    let session = session_of(&reply);
    let agreed = value(reply).await["result"]["protocolVersion"].clone();
    assert_eq!(agreed, "2025-11-25");
    let headers = [("mcp-session-id", &*session), ("mcp-protocol-version", "2025-11-25")];
    let ping = json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" });
    assert_eq!(send(&server, post(&headers, &ping)).await.status(), 200);
}

#[tokio::test]
async fn discovery_lists_the_revisions_that_the_policy_has() {
    let meta = json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {} });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "server/discover",
        "params": { "_meta": meta } });
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "server/discover")];
    let answer: Value = value(send(&server(), post(&headers, &body)).await).await;
    let mut versions: Vec<_> =
        answer["result"]["supportedVersions"].as_array().unwrap().iter().collect();
    versions.sort_by_key(|version| version.as_str());
    assert_eq!(versions, ["2025-11-25", "2026-07-28"]);
}
