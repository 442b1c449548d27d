//! The servers: the same two tools on each.

use std::error::Error;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::routing::any;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{RoleServer, ServerHandler};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tautline_http::{HttpRequest, McpLayer, McpServer};
use tautline_mcp::Revision;
use tautline_mcp::http::{Allowed, Policy, Sessions};
use tautline_tokio::{Context, Handlers, RpcError, ServerInfo};
use tower_mcp::{HttpTransport, McpRouter, ToolBuilder};

/// The length of the large result.
pub const LARGE: usize = 100_000;

const POLICY: Policy<'static> = Policy::new(Revision::ALL, Allowed::Loopback, Allowed::Loopback);

/// The policy in front of a server that has sessions and streams of its own.
const SEEN: Policy<'static> =
    POLICY.with_sessions(Sessions::Optional).with_streams().with_session_end();

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A service that reads the body and answers with a fixed text.
    Axum,
    /// The same service in the layer.
    Layer,
    Tautline,
    Rmcp,
    TowerMcp,
    /// The two in the layer, to see what it changes, and rmcp with sessions without it. They are not measured.
    RmcpSessions,
    RmcpLayer,
    TowerMcpLayer,
}

impl Kind {
    pub const ALL: &[Self] = &[Self::Axum, Self::Layer, Self::Tautline, Self::Rmcp, Self::TowerMcp];

    const LAYERED: &[Self] = &[Self::RmcpSessions, Self::RmcpLayer, Self::TowerMcpLayer];
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Axum => "axum",
            Self::Layer => "axum+layer",
            Self::Tautline => "tautline",
            Self::Rmcp => "rmcp",
            Self::TowerMcp => "tower-mcp",
            Self::RmcpSessions => "rmcp+sessions",
            Self::RmcpLayer => "rmcp+layer",
            Self::TowerMcpLayer => "tower-mcp+layer",
        })
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let kind = Self::ALL.iter().chain(Self::LAYERED).find(|kind| kind.to_string() == name);
        kind.copied().ok_or_else(|| format!("no server {name}"))
    }
}

/// Runs a server, which prints its address first.
#[tokio::main(flavor = "current_thread")]
pub async fn serve(kind: Kind) -> Result<(), Box<dyn Error>> {
    let app = match kind {
        Kind::Axum => Router::new().route("/mcp", any(fixed)),
        Kind::Layer => Router::new().route("/mcp", any(fixed)).layer(McpLayer::new(POLICY)),
        Kind::Tautline => Router::new().route_service("/mcp", tautline()),
        Kind::Rmcp => Router::new().route_service("/mcp", rmcp(false)),
        Kind::RmcpSessions => Router::new().route_service("/mcp", rmcp(true)),
        Kind::TowerMcp => tower_mcp(),
        Kind::RmcpLayer => {
            Router::new().route_service("/mcp", rmcp(true)).layer(McpLayer::new(SEEN))
        }
        Kind::TowerMcpLayer => tower_mcp().layer(McpLayer::new(SEEN)),
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    axum::serve(listener, app).await?;
    Ok(())
}

async fn fixed(body: Bytes) -> ([(&'static str, &'static str); 1], String) {
    let is_large = body.windows(9).any(|part| part == b"\"large\",\"");
    let text = if is_large { large() } else { "hello".to_owned() };
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":7,"result":{{"resultType":"complete","content":[{{"type":"text","text":"{text}"}}]}}}}"#
    );
    ([("content-type", "application/json")], body)
}

fn large() -> String {
    "abcdefghij".repeat(LARGE / 10)
}

fn schema() -> Value {
    json!({ "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"] })
}

#[derive(Deserialize)]
struct Call {
    name: String,
    arguments: Input,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Input {
    text: String,
}

#[derive(Serialize)]
struct Answer {
    content: [Text; 1],
}

#[derive(Serialize)]
struct Text {
    r#type: &'static str,
    text: String,
}

fn tautline() -> McpServer {
    let info = ServerInfo::new("bench", "1").with_capabilities(json!({ "tools": {} }));
    let handlers = Handlers::new(())
        .with_server_info(info)
        .request("tools/list", async |_: Context<()>, _: Value| {
            let tool = |name: &str| json!({ "name": name, "inputSchema": schema() });
            let tools = [tool("echo"), tool("large")];
            Ok(json!({ "tools": tools, "ttlMs": 0, "cacheScope": "public" }))
        })
        .request("tools/call", async |_: Context<()>, call: Call| {
            let text = match call.name.as_str() {
                "echo" => call.arguments.text,
                "large" => large(),
                _ => return Err(RpcError::invalid_params("no such tool")),
            };
            Ok(Answer { content: [Text { r#type: "text", text }] })
        })
        .request("subscriptions/listen", async |context: Context<()>, params: Value| {
            let meta = json!({ "io.modelcontextprotocol/subscriptionId": context.request_id() });
            let accepted = json!({ "_meta": meta, "notifications": params["notifications"] });
            context.peer().notify("notifications/subscriptions/acknowledged", accepted).await?;
            if let Some(request) = context.attachment::<HttpRequest>() {
                request.closing().await;
            }
            Ok(json!({ "_meta": meta }))
        });
    McpServer::new(POLICY, handlers)
}

#[derive(Clone)]
struct RmcpTools;

impl ServerHandler for RmcpTools {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build(),
        )
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, rmcp::ErrorData> {
        let schema = schema().as_object().cloned().unwrap_or_default();
        let tool = |name: &'static str| Tool::new(name, name, schema.clone());
        Ok(ListToolsResult::with_all_items(vec![tool("echo"), tool("large")]))
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, rmcp::ErrorData> {
        let arguments = Value::Object(call.arguments.unwrap_or_default());
        let input: Input = serde_json::from_value(arguments)
            .map_err(|error| rmcp::ErrorData::invalid_params(error.to_string(), None))?;
        let text = match &*call.name {
            "echo" => input.text,
            "large" => large(),
            _ => return Err(rmcp::ErrorData::invalid_params("no such tool", None)),
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

fn rmcp(has_sessions: bool) -> StreamableHttpService<RmcpTools, LocalSessionManager> {
    // One body of JSON for an answer, as the others have, and no sessions, which cost more.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(has_sessions)
        .with_json_response(true);
    StreamableHttpService::new(|| Ok(RmcpTools), Arc::new(LocalSessionManager::default()), config)
}

fn tower_mcp() -> Router {
    let echo = ToolBuilder::new("echo")
        .handler(|input: Input| async move { Ok(tower_mcp::CallToolResult::text(input.text)) })
        .build();
    let long = ToolBuilder::new("large")
        .handler(|_: Input| async move { Ok(tower_mcp::CallToolResult::text(large())) })
        .build();
    let router = McpRouter::new().server_info("bench", "1").tool(echo).tool(long);
    HttpTransport::new(router).into_router_at("/mcp")
}
