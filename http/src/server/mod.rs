//! A server of both eras on the handlers of `tautline-tokio`.
//!
//! `endpoint.rs` receives the requests that the layer has accepted. `modern.rs` serves those of 2026-07-28, and `legacy.rs`
//! those before it, with `session.rs` and the table of `sessions.rs`: `run.rs` handles requests, and `deliver.rs` passes on
//! the rest. `stream.rs` stores what a client may resume.
//! `body.rs` writes the response.

mod body;
mod deliver;
mod endpoint;
mod event;
mod held;
mod legacy;
mod modern;
mod options;
mod request;
mod run;
mod session;
mod sessions;
mod stream;
mod tools;

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::{Request, Response};
use http_body::Body;
use tautline_mcp::http::Policy;
use tautline_tokio::Handlers;
use tower_service::Service;

pub use self::body::ServerBody;
use self::endpoint::{Endpoint, State};
pub use self::held::HttpSession;
pub use self::options::ServerOptions;
pub use self::request::HttpRequest;
use crate::{McpService, RequestBody, ResponseBody, ResponseFuture};

/// A server of Streamable HTTP in both eras: a tower service for the route of its endpoint.
///
/// It holds its requests to the rules as [`McpLayer`](crate::McpLayer) does, and serves them with the [`Handlers`] of
/// `tautline-tokio`, which also serve stdio. Clones share their sessions.
///
/// ```no_run
/// use serde_json::{Value, json};
/// use tautline_http::McpServer;
/// use tautline_mcp::Revision;
/// use tautline_mcp::http::{Allowed, Policy};
/// use tautline_tokio::{Context, Handlers, ServerInfo};
///
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let info = ServerInfo::new("example", "1.0").with_capabilities(json!({ "tools": {} }));
/// let handlers = Handlers::new(())
///     .with_server_info(info)
///     .request("tools/list", async |_: Context<()>, _: Value| {
///         let tool = json!({ "name": "now", "inputSchema": { "type": "object" } });
///         Ok(json!({ "tools": [tool], "ttlMs": 60_000, "cacheScope": "public" }))
///     })
///     .request("tools/call", async |_: Context<()>, _: Value| {
///         Ok(json!({ "content": [{ "type": "text", "text": "noon" }] }))
///     });
/// let policy = Policy::new(Revision::ALL, Allowed::Loopback, Allowed::Loopback);
/// let server = McpServer::new(policy, handlers);
///
/// let app: axum::Router = axum::Router::new().route_service("/mcp", server.clone());
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
/// # async fn interrupted() {}
/// let shutdown = async move {
///     interrupted().await;
///     server.close().await;
/// };
/// axum::serve(listener, app).with_graceful_shutdown(shutdown).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct McpServer {
    service: McpService<Endpoint>,
}

impl ServerOptions {
    /// Creates the server.
    #[must_use]
    pub fn serve<S: Send + Sync + 'static>(self, handlers: Handlers<S>) -> McpServer {
        let state = State::new(self, handlers);
        let settings = Arc::clone(&state.judge);
        McpServer { service: McpService { inner: Endpoint { state }, settings } }
    }
}

impl McpServer {
    /// Creates a server with the default [options](ServerOptions).
    ///
    /// The policy lists the revisions, the origins of web pages, and the names of the server.
    #[must_use]
    pub fn new<S: Send + Sync + 'static>(policy: Policy<'static>, handlers: Handlers<S>) -> Self {
        ServerOptions::new(policy).serve(handlers)
    }

    /// Closes the server. New requests are answered with 503. The streams of GET requests end, and handlers that wait for
    /// [`HttpRequest::closing`] continue. Waits until all responses have ended, but not longer than the [shutdown
    /// time-out](ServerOptions::with_shutdown_timeout). Then drops the handlers that still run, and ends all sessions.
    pub async fn close(&self) {
        self.service.inner.state.close().await;
    }

    /// Returns the number of open sessions.
    #[must_use]
    pub fn sessions(&self) -> usize {
        self.service.inner.state.sessions.len()
    }
}

impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServer")
            .field("options", &self.service.inner.state.options)
            .finish_non_exhaustive()
    }
}

impl<B: Body> Service<Request<B>> for McpServer {
    type Response = Response<ResponseBody<ServerBody>>;
    type Error = std::convert::Infallible;
    type Future = ResponseFuture<Endpoint, B>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Service::<Request<RequestBody<B>>>::poll_ready(&mut self.service.inner, cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        self.service.call(request)
    }
}
