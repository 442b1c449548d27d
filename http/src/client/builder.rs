//! The client and its settings.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, Uri};
use http_body::Body;
use http_body_util::Full;
use hyper_util::client::legacy::Client as HyperClient;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};
use tautline_mcp::http::Field;
use tautline_mcp::tautline::frame::{DEFAULT_LIMIT, Splitter};
use tautline_mcp::{Revision, meta};
use tautline_tokio::{Handlers, McpCancellation, Options};
use tokio::io::duplex;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tower_service::Service;

use super::connection::{HttpConnection, Task, close};
use super::error::{BoxError, ConnectError};
use super::incident::Incident;
use super::negotiate::negotiate;
use super::pump::Pump;
use super::sender::Sender;
use super::settings::Settings;
use super::shared::Shared;

/// The number of bytes that wait between the connection and the pump, in each direction.
const BUFFER: usize = 64 << 10;

/// The number of received messages that wait for the connection.
const MOST_RECEIVED: usize = 4;

/// A client of MCP over Streamable HTTP: the address of a server, the service that sends requests, and settings.
///
/// See the [module](crate::client) for an example. Clones share the service, and each can connect.
#[derive(Clone)]
#[must_use]
pub struct Client {
    sender: Arc<Sender>,
    settings: Settings,
}

impl Client {
    /// Creates a client for the endpoint at this address. All requests go through the service, which can be the client of
    /// any HTTP library with a tower interface, in any layers.
    ///
    /// The service decides about TLS, proxies, authorization, compression and the time to connect. It gets complete
    /// requests, with an absolute URI.
    pub fn new<S, B>(uri: Uri, service: S) -> Self
    where
        S: Service<Request<Full<Bytes>>, Response = Response<B>> + Clone + Send + 'static,
        S::Future: Send + 'static,
        S::Error: Into<BoxError>,
        B: Body + Send + 'static,
        B::Error: Into<BoxError>,
    {
        let settings = Settings {
            uri,
            headers: HeaderMap::new(),
            revisions: Revision::ALL.to_vec(),
            info: json!({ "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") }),
            capabilities: json!({}),
            limit: DEFAULT_LIMIT,
            max_posts: 64,
            connect_timeout: Duration::from_secs(60),
            ack_timeout: Duration::from_secs(30),
            options: Options::mcp(Revision::LATEST),
            observer: Arc::new(|_| {}),
        };
        Self { sender: Arc::new(Sender::new(service)), settings }
    }

    /// Creates a client for an `http` address, with hyper's pool of connections. For `https`, pass a service with TLS to
    /// [`new`](Self::new).
    pub fn http(uri: Uri) -> Self {
        let service = HyperClient::builder(TokioExecutor::new()).build_http::<Full<Bytes>>();
        Self::new(uri, service)
    }

    /// Sets the name of this client, an object with `name` and `version` (default: those of this crate).
    pub fn with_info(self, info: impl Into<Value>) -> Self {
        self.with(|settings| settings.info = info.into())
    }

    /// Sets the capabilities of this client, an object (default: none). The handlers of [`connect`](Self::connect) answer
    /// the requests that they allow, up to 2025-11-25. From 2026-07-28, a result asks for input instead.
    pub fn with_capabilities(self, capabilities: impl Into<Value>) -> Self {
        self.with(|settings| settings.capabilities = capabilities.into())
    }

    /// Sets the revisions to choose from, in any order (default: all). The latest that the server supports is used.
    /// 2024-11-05 has no Streamable HTTP, and is passed over.
    pub fn with_revisions(self, revisions: &[Revision]) -> Self {
        self.with(|settings| settings.revisions = revisions.to_vec())
    }

    /// Adds a header to all requests, such as `Authorization`. A header that the client sets itself is ignored: `Accept`,
    /// `Content-Type`, `Last-Event-ID`, `MCP-Protocol-Version`, `Mcp-Method`, `Mcp-Name`, `Mcp-Session-Id` and
    /// `Mcp-Param-*`.
    ///
    /// For values that change, such as tokens that expire, use a layer around the service.
    pub fn with_header(self, name: HeaderName, value: HeaderValue) -> Self {
        self.with(|settings| {
            if !is_own(&name) {
                settings.headers.append(name, value);
            }
        })
    }

    /// Sets the maximum length of a received message in bytes: of a body with JSON, and of the data of an event (default:
    /// [`DEFAULT_LIMIT`]). A call whose answer is longer fails with [`PostError::TooLong`](super::PostError::TooLong).
    pub fn with_limit(self, limit: u32) -> Self {
        self.with(|settings| settings.limit = limit)
    }

    /// Sets the number of calls that are under way at the same time (default: 64, at least 1). Each takes a connection of
    /// HTTP/1.1, also a `subscriptions/listen` that stays open. Further calls wait for their turn.
    pub fn with_max_posts(self, posts: usize) -> Self {
        self.with(|settings| settings.max_posts = posts.max(1))
    }

    /// Sets how long [`connect`](Self::connect) may take, and a new session after the server has ended one (default: 60
    /// seconds).
    pub fn with_connect_timeout(self, timeout: Duration) -> Self {
        self.with(|settings| settings.connect_timeout = timeout)
    }

    /// Sets how long the server may take to acknowledge a notification, an answer, or the end of the session (default: 30
    /// seconds).
    pub fn with_ack_timeout(self, timeout: Duration) -> Self {
        self.with(|settings| settings.ack_timeout = timeout)
    }

    /// Sets the options of the connection, such as time-outs of calls, limits and the tap (default: those of
    /// [`Options::mcp`]). The framing, the cancellation, the revision, and the client's name and capabilities in `_meta`
    /// are replaced.
    pub fn with_options(self, options: Options) -> Self {
        self.with(|settings| settings.options = options)
    }

    /// Sets a function that observes [incidents](Incident), which no caller or handler sees. It is called in the tasks of the
    /// connection, so it must not block or panic.
    pub fn with_observer(self, observer: impl Fn(&Incident<'_>) + Send + Sync + 'static) -> Self {
        self.with(|settings| settings.observer = Arc::new(observer))
    }

    /// Connects to the server: chooses a revision, and begins a session if the revision has sessions. The handlers answer
    /// the requests and receive the notifications of the server.
    ///
    /// # Errors
    ///
    /// Returns a [`ConnectError`].
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime. The runtime needs a time driver, for time-outs.
    pub async fn connect<S>(self, handlers: Handlers<S>) -> Result<HttpConnection, ConnectError>
    where
        S: Send + Sync + 'static,
    {
        let Self { sender, settings } = self;
        let (ours, theirs) = duplex(BUFFER);
        let options = settings.options.clone();
        let options = options
            .with_framing(Splitter::new(settings.limit))
            .with_cancellation(McpCancellation)
            .with_meta(meta::CLIENT_INFO, settings.info.clone())
            .with_meta(meta::CLIENT_CAPABILITIES, settings.capabilities.clone());
        let connection = options.start_stream(ours, handlers);
        let (lines, incoming) = mpsc::channel(MOST_RECEIVED);
        let within = settings.connect_timeout;
        let shared = Arc::new(Shared::new(settings, sender, connection.peer().clone(), lines));
        let pump = Task(tokio::spawn(Pump::new(Arc::clone(&shared)).run(theirs, incoming)));
        let negotiated = timeout(within, negotiate(&shared)).await;
        match negotiated.unwrap_or(Err(ConnectError::TimedOut(within))) {
            Ok(negotiated) => Ok(HttpConnection::new(connection, pump, shared, negotiated)),
            Err(error) => {
                // The server may have begun a session in a revision that is of no use.
                close(connection, pump, shared.settings.ack_timeout).await;
                Err(error)
            }
        }
    }

    fn with(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self
    }
}

/// Returns whether the client itself sets this header in some requests.
fn is_own(name: &HeaderName) -> bool {
    match Field::named(name.as_str().as_bytes()) {
        Some(Field::Host | Field::Origin | Field::Buffering) | None => false,
        Some(_) => true,
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::Client;

    #[test]
    fn headers_of_the_client_itself_are_ignored() {
        let names = [
            ("accept", false),
            ("content-type", false),
            ("last-event-id", false),
            ("mcp-protocol-version", false),
            ("mcp-method", false),
            ("mcp-name", false),
            ("mcp-session-id", false),
            ("mcp-param-region", false),
            ("authorization", true),
            ("host", true),
            ("origin", true),
            ("mcp-parameter", true),
        ];
        for (name, is_kept) in names {
            let client = Client::http(http::Uri::from_static("http://localhost/mcp"));
            let value = HeaderValue::from_static("x");
            let client = client.with_header(HeaderName::from_static(name), value);
            assert_eq!(client.settings.headers.contains_key(name), is_kept, "{name}");
        }
    }
}
