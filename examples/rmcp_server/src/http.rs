//! The same server on rmcp's Streamable HTTP, with tautline's layer in front of it.

use std::sync::Arc;

use axum::Router;
use axum::routing::any_service;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tautline_http::McpLayer;
use tautline_mcp::Revision;
use tautline_mcp::http::{Allowed, Policy, Sessions};

use crate::server::Server;

const POLICY: Policy<'static> = Policy::new(Revision::ALL, Allowed::Loopback, Allowed::Loopback)
    .with_sessions(Sessions::Optional)
    .with_streams()
    .with_session_end();

/// Returns the server as it is.
pub fn plain() -> Router {
    Router::new().route_service("/mcp", service())
}

/// Returns the server with the layer in front of it.
pub fn layered() -> Router {
    let layer = McpLayer::new(POLICY).on_finding(|finding| tracing::warn!("{finding}"));
    Router::new().route("/mcp", any_service(service()).layer(layer))
}

fn service() -> StreamableHttpService<Server, LocalSessionManager> {
    let config = StreamableHttpServerConfig::default();
    StreamableHttpService::new(|| Ok(Server), Arc::default(), config)
}
