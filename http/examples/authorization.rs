//! A server whose clients present tokens: middleware verifies them, handlers see the user, and sessions belong to users.
//!
//! ```sh
//! TOKENS=ann:wonderland,bob:builder cargo run -p tautline-http --example authorization
//! curl -i http://127.0.0.1:8080/mcp # 401
//! ```
//!
//! This program has a list of tokens. A server on the Internet verifies those of its authorization server instead, for this
//! resource (MCP, basic/authorization).

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::{Router, routing::get};
use http::header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tautline_http::{HttpRequest, McpServer, ServerOptions};
use tautline_mcp::Revision;
use tautline_mcp::http::{Allowed, Policy};
use tautline_tokio::{Context, Handlers, RpcError, ServerInfo};

const ADDRESS: &str = "127.0.0.1:8080";
const METADATA: &str = "/.well-known/oauth-protected-resource/mcp";

/// The user that a token belongs to.
#[derive(Clone)]
struct User(String);

/// The users, by the hashes of their tokens. So the time of a comparison tells nothing about a token.
struct Tokens(HashMap<[u8; 32], User>);

impl Tokens {
    /// Reads a list such as `ann:wonderland,bob:builder`.
    fn read(list: &str) -> Self {
        let pairs = list.split(',').filter_map(|pair| pair.split_once(':'));
        Self(pairs.map(|(user, token)| (hash(token), User(user.to_owned()))).collect())
    }

    fn user(&self, headers: &HeaderMap) -> Option<&User> {
        let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("Bearer").then(|| self.0.get(&hash(token)))?
    }
}

fn hash(token: &str) -> [u8; 32] {
    Sha256::digest(token).into()
}

/// Passes on requests with a token that is known, together with its user.
async fn authorize(
    State(tokens): State<Arc<Tokens>>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(user) = tokens.user(request.headers()).cloned() else {
        let challenge = format!("Bearer resource_metadata=\"http://{ADDRESS}{METADATA}\"");
        return (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, challenge)]).into_response();
    };
    request.extensions_mut().insert(user);
    next.run(request).await
}

/// Tells clients where they get tokens (RFC 9728).
async fn metadata() -> impl IntoResponse {
    let metadata = json!({
        "resource": format!("http://{ADDRESS}/mcp"),
        "authorization_servers": ["https://auth.example.com"],
    });
    ([(CONTENT_TYPE, "application/json")], metadata.to_string())
}

async fn list_tools(_: Context<()>, _: Value) -> Result<Value, RpcError> {
    let tool = json!({ "name": "whoami", "inputSchema": { "type": "object" } });
    Ok(json!({ "tools": [tool], "ttlMs": 60_000, "cacheScope": "public" }))
}

async fn call_tool(context: Context<()>, params: Value) -> Result<Value, RpcError> {
    if params["name"] != "whoami" {
        return Err(RpcError::invalid_params("no such tool"));
    }
    let request = context.attachment::<HttpRequest>();
    let user = request.and_then(|request| request.extensions().get::<User>());
    let User(name) = user.ok_or_else(|| RpcError::internal("no user"))?;
    Ok(json!({ "content": [{ "type": "text", "text": name }] }))
}

fn server() -> McpServer {
    let info = ServerInfo::new("whoami", "1.0").with_capabilities(json!({ "tools": {} }));
    let handlers = Handlers::new(())
        .with_server_info(info)
        .request("tools/list", list_tools)
        .request("tools/call", call_tool);
    let policy = Policy::new(Revision::ALL, Allowed::Loopback, Allowed::Loopback);
    ServerOptions::new(policy)
        .with_session_owner(|request| Some(request.extensions.get::<User>()?.0.clone()))
        .serve(handlers)
}

fn app(server: McpServer, tokens: Tokens) -> Router {
    Router::new()
        .route_service("/mcp", server)
        // Only what is above needs a token.
        .layer(from_fn_with_state(Arc::new(tokens), authorize))
        .route(METADATA, get(metadata))
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let tokens = std::env::var("TOKENS").map_err(std::io::Error::other)?;
    let server = server();
    let app = app(server.clone(), Tokens::read(&tokens));
    let listener = tokio::net::TcpListener::bind(ADDRESS).await?;
    let shutdown = async move {
        // Without a signal handler, the server runs until it is killed.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        server.close().await;
    };
    axum::serve(listener, app).with_graceful_shutdown(shutdown).await
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;
    use tower::ServiceExt;

    use super::*;

    fn request(token: &str, session: Option<&str>, body: &Value) -> Request {
        let mut request = Request::post("http://localhost/mcp")
            .header("host", "localhost")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2025-11-25")
            .header("authorization", token);
        if let Some(session) = session {
            request = request.header("mcp-session-id", session);
        }
        request.body(body.to_string().into()).unwrap()
    }

    #[tokio::test]
    async fn users_are_told_apart() {
        let app = app(server(), Tokens::read("ann:a,bob:b"));
        let send = |request| async { app.clone().oneshot(request).await.unwrap() };
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": { "name": "t", "version": "1" } });
        let first = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        for wrong in ["Bearer c", "Basic a", "a", "Bearer "] {
            let reply = send(request(wrong, None, &first)).await;
            assert_eq!(reply.status(), StatusCode::UNAUTHORIZED);
            assert!(reply.headers().contains_key(WWW_AUTHENTICATE));
        }
        let reply = send(request("Bearer a", None, &first)).await;
        let session = reply.headers()["mcp-session-id"].to_str().unwrap();
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "whoami", "arguments": {} } });
        let stranger = send(request("Bearer b", Some(session), &call)).await;
        assert_eq!(stranger.status(), StatusCode::NOT_FOUND);
        let reply = send(request("Bearer a", Some(session), &call)).await;
        let body = reply.into_body().collect().await.unwrap().to_bytes();
        let answer: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(answer["result"]["content"][0]["text"], "ann");
        let metadata = Request::get(METADATA).body(String::new().into()).unwrap();
        assert_eq!(send(metadata).await.status(), StatusCode::OK);
    }
}
