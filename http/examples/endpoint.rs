//! A complete MCP server over HTTP, in both eras, with one tool.
//!
//! ```sh
//! cargo run -p tautline-http --example endpoint
//! ```

use axum::serve::ListenerExt;
use serde::Deserialize;
use serde_json::{Value, json};
use tautline_http::McpServer;
use tautline_mcp::Revision;
use tautline_mcp::http::{Allowed, Policy};
use tautline_tokio::{Context, Handlers, RpcError, ServerInfo};

/// The params of `tools/call`.
#[derive(Deserialize)]
struct Call {
    name: String,
    arguments: Option<Greeting>,
}

#[derive(Deserialize)]
struct Greeting {
    name: String,
}

async fn list_tools(_: Context<()>, _: Value) -> Result<Value, RpcError> {
    let schema = json!({
        "type": "object",
        "properties": { "name": { "type": "string" } },
        "required": ["name"],
    });
    let tool = json!({ "name": "greet", "description": "Greets a person", "inputSchema": schema });
    Ok(json!({ "tools": [tool], "ttlMs": 60_000, "cacheScope": "public" }))
}

async fn call_tool(_: Context<()>, call: Call) -> Result<Value, RpcError> {
    match (call.name.as_str(), call.arguments) {
        ("greet", Some(Greeting { name })) => {
            Ok(json!({ "content": [{ "type": "text", "text": format!("Hello, {name}!") }] }))
        }
        _ => Err(RpcError::invalid_params("unknown tool, or no arguments")),
    }
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let info = ServerInfo::new("greeter", "1.0").with_capabilities(json!({ "tools": {} }));
    let handlers = Handlers::new(())
        .with_server_info(info)
        .request("tools/list", list_tools)
        .request("tools/call", call_tool);
    let policy = Policy::new(Revision::ALL, Allowed::Loopback, Allowed::Loopback);
    let server = McpServer::new(policy, handlers);
    let app = axum::Router::new().route_service("/mcp", server);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
    // Without this, the events of a stream wait for each other.
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap_or_default());
    axum::serve(listener, app).await
}
