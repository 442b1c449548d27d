//! The HTTP request that has brought a message, for handlers.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use http::request::Parts;
use http::{Extensions, HeaderMap};
use tokio_util::sync::CancellationToken;

use super::held::HttpSession;
use super::stream::Stream;

/// The HTTP request that has brought a message, which handlers get from
/// [`Context::attachment`](tautline_tokio::Context::attachment).
///
/// Middleware in front of the server, such as that for authorization, passes values to handlers in the
/// [extensions](Self::extensions). The handlers of notifications in a session get the request that has opened the session.
///
/// ```
/// use serde_json::Value;
/// use tautline_http::HttpRequest;
/// use tautline_tokio::{Context, Handlers};
///
/// let handlers = Handlers::new(()).request("whoami", async |context: Context<()>, _: Value| {
///     let request = context.attachment::<HttpRequest>();
///     let agent = request.and_then(|request| request.headers().get("user-agent"));
///     Ok(agent.and_then(|agent| agent.to_str().ok()).map(str::to_owned))
/// });
/// # let _ = handlers;
/// ```
pub struct HttpRequest {
    parts: Parts,
    closing: CancellationToken,
    session: Option<Arc<HttpSession>>,
    response: Mutex<Response>,
}

/// The stream of the response, once there is one.
enum Response {
    Unopened(Option<Duration>),
    Stored(Weak<Stream>),
    /// It can't be resumed.
    Plain,
}

impl HttpRequest {
    pub(crate) fn new(
        parts: Parts,
        closing: CancellationToken,
        session: Option<Arc<HttpSession>>,
        is_resumable: bool,
    ) -> Self {
        let response = if is_resumable { Response::Unopened(None) } else { Response::Plain };
        Self { parts, closing, session, response: Mutex::new(response) }
    }

    /// Returns the headers.
    #[must_use]
    pub const fn headers(&self) -> &HeaderMap {
        &self.parts.headers
    }

    /// Returns the values that middleware has added.
    #[must_use]
    pub const fn extensions(&self) -> &Extensions {
        &self.parts.extensions
    }

    /// Returns the session, which clients of the legacy era have unless the server is [without
    /// sessions](crate::ServerOptions::without_sessions).
    #[must_use]
    pub fn session(&self) -> Option<&HttpSession> {
        self.session.as_deref()
    }

    /// Returns the URI.
    #[must_use]
    pub const fn uri(&self) -> &http::Uri {
        &self.parts.uri
    }

    /// Ends the response before the request is answered, and tells the client to come back after this time. Then it gets
    /// what the handler has sent in the meantime (MCP 2025-11-25, basic/transports, sending messages to the server). So a
    /// request that takes hours holds no connection.
    ///
    /// Returns `false`, and does nothing, if the client could not come back: in other revisions than 2025-11-25, without
    /// sessions, and for the handlers of notifications.
    pub fn pause(&self, retry: Duration) -> bool {
        match &mut *self.lock() {
            Response::Unopened(pause) => *pause = Some(retry),
            Response::Stored(stream) => match stream.upgrade() {
                Some(stream) => stream.pause(retry),
                None => return false,
            },
            Response::Plain => return false,
        }
        true
    }

    /// Waits until the server [begins to close](crate::McpServer::close). The handler of `subscriptions/listen` then returns
    /// its result, which ends the subscription.
    pub async fn closing(&self) {
        self.closing.cancelled().await;
    }

    /// Connects the request with the stream of its response.
    pub(crate) fn opened(&self, stream: &Arc<Stream>) {
        let mut response = self.lock();
        let Response::Unopened(pause) = &*response else { return };
        if let Some(retry) = *pause {
            stream.pause(retry);
        }
        *response = Response::Stored(Arc::downgrade(stream));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Response> {
        self.response.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for HttpRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Headers may contain credentials.
        f.debug_struct("HttpRequest").field("uri", &self.parts.uri).finish_non_exhaustive()
    }
}
