//! The inner service of the layer, which serves the requests that were accepted.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use http::request::Parts;
use http::{HeaderName, HeaderValue, Request, Response, StatusCode};
use http_body::Body;
use tautline::encode::{Encoder, NewError};
use tautline::{ErrorCode, Id, RawStr};
use tautline_mcp::http::{self as rules, Action, Parameter, Tool, status};
use tautline_mcp::{Era, Revision};
use tautline_tokio::{Exchange, Handlers, Options};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower_service::Service;

use super::body::{ServerBody, Source};
use super::options::ServerOptions;
use super::sessions::Sessions;
use super::tools::Tools;
use crate::layer::Settings;
use crate::{Judged, McpLayer, RequestBody};

/// The number of handlers that run for no response: of notifications, and without a session.
const DETACHED: usize = 1024;

/// The response to a request.
pub(super) type Reply = Response<ServerBody>;

/// The state that all requests share.
pub(super) struct State {
    pub(super) options: ServerOptions,
    /// Starts an exchange with the handlers.
    start: Box<dyn Fn(&Options) -> Exchange + Send + Sync>,
    pub(super) lists_tools: bool,
    pub(super) judge: Arc<Settings>,
    pub(super) sessions: Arc<Sessions>,
    pub(super) tools: Arc<Tools>,
    /// Cancelled when the server begins to close.
    pub(super) closing: CancellationToken,
    /// Cancelled when the server drops what is still open.
    pub(super) end: CancellationToken,
    /// Counts the responses that are open.
    pub(super) open: TaskTracker,
    pub(super) detached: Arc<Semaphore>,
}

/// The answers to the questions of the layer about the server.
struct Knowledge {
    sessions: Arc<Sessions>,
    tools: Arc<Tools>,
    has_method: Box<dyn Fn(&str) -> bool + Send + Sync>,
}

impl rules::Server for Knowledge {
    fn session(&self, id: &[u8]) -> rules::Session {
        match self.sessions.get(id) {
            Some(session) => rules::Session::Open(session.revision),
            None => rules::Session::Unknown,
        }
    }

    fn has_method(&self, method: RawStr<'_>) -> Option<bool> {
        Some(method.decode().is_ok_and(|method| (self.has_method)(&method)))
    }

    fn parameters(&self, tool: RawStr<'_>, visit: &mut dyn FnMut(&Parameter<'_>)) -> Tool {
        self.tools.parameters(tool, visit)
    }
}

impl State {
    /// Creates the state of a server with these options and handlers.
    pub(super) fn new<S: Send + Sync + 'static>(
        mut options: ServerOptions,
        handlers: Handlers<S>,
    ) -> Arc<Self> {
        let end = CancellationToken::new();
        let connection = options.connection.with_stop(end.clone());
        // Nothing is agreed on that the policy refuses afterwards.
        options.connection = connection.with_served_revisions(options.policy.supported());
        let handlers = Arc::new(handlers);
        let known = Arc::clone(&handlers);
        let sessions = Arc::new(Sessions::new(
            options.max_sessions,
            options.session_timeout,
            options.opening_timeout,
        ));
        let tools = Arc::<Tools>::default();
        let knowledge = Knowledge {
            sessions: Arc::clone(&sessions),
            tools: Arc::clone(&tools),
            has_method: Box::new(move |method| known.has_request(method)),
        };
        let report = Arc::clone(&options.report);
        let layer = McpLayer::new(options.full_policy())
            .with_server(knowledge)
            .with_limit(options.limit)
            .on_finding(move |finding| report(finding));
        Arc::new(Self {
            lists_tools: handlers.has_request("tools/list"),
            start: Box::new(move |options| options.exchange(&handlers)),
            judge: layer.settings,
            sessions,
            tools,
            closing: CancellationToken::new(),
            end,
            open: TaskTracker::new(),
            detached: Arc::new(Semaphore::new(DETACHED)),
            options,
        })
    }

    pub(super) async fn close(&self) {
        self.closing.cancel();
        self.sessions.end_streams();
        self.open.close();
        let _ = tokio::time::timeout(self.options.shutdown, self.open.wait()).await;
        self.end.cancel();
        self.sessions.close();
    }

    /// Starts an exchange in a revision.
    pub(super) fn exchange(&self, options: Options, revision: Revision) -> Exchange {
        let exchange = (self.start)(&options);
        exchange.peer().set_revision(revision);
        exchange
    }

    async fn answer(self: Arc<Self>, parts: Parts, judged: Judged) -> Reply {
        // A server that closes waits for it.
        let _open = self.open.token();
        if self.closing.is_cancelled() {
            return unavailable();
        }
        match (judged.action(), judged.revision().era()) {
            (Action::Stream, _) => self.open_stream(&parts),
            (Action::EndSession, _) => self.end_session(&parts),
            (_, Era::Modern) => self.serve_modern(parts, judged).await,
            (_, Era::Legacy) => self.serve_legacy(parts, judged).await,
        }
    }

    /// Returns a response with events.
    pub(super) fn events(&self, first: Option<Bytes>, source: Source) -> Reply {
        let (end, open) = (self.end.clone().cancelled_owned(), self.open.token());
        let body = ServerBody::events(first, source, self.options.keep_alive, end, open);
        let mut reply = Response::new(body);
        let headers = reply.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(BUFFERING, HeaderValue::from_static("no"));
        reply
    }
}

/// Asks proxies to pass on events as they come (2026-07-28, basic/transports/streamable-http).
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Returns a response with the answer to a request: a result, or the error with this code.
pub(super) fn json(message: Bytes, revision: Revision, code: Option<ErrorCode>) -> Reply {
    let status = code.map_or(status::OK, |code| status::of_error(revision, code));
    let mut reply = Response::new(ServerBody::full(message));
    *reply.status_mut() = StatusCode::from_u16(status).unwrap_or_default();
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    reply
}

/// Returns a response without a body.
pub(super) fn empty(status: StatusCode) -> Reply {
    let mut reply = Response::new(ServerBody::empty());
    *reply.status_mut() = status;
    reply
}

/// Returns the response of a server that is full or closes.
pub(super) fn unavailable() -> Reply {
    later(empty(StatusCode::SERVICE_UNAVAILABLE))
}

/// Returns the refusal of a message in a session that has too many.
pub(super) fn too_many(id: Option<Id<'_>>) -> Reply {
    later(refusal(StatusCode::TOO_MANY_REQUESTS, id, -32000, "Too many requests"))
}

/// Tells the client to try again a second later.
fn later(mut reply: Reply) -> Reply {
    reply.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
    reply
}

/// Returns the refusal of a request, with this status.
pub(super) fn refusal(status: StatusCode, id: Option<Id<'_>>, code: i64, text: &str) -> Reply {
    // The profile of the latest revision allows an error without an id.
    let profile = Revision::LATEST.profile().http_response_body();
    let mut encoder = Encoder::with_profile(Vec::new(), &profile);
    let error = NewError::new(ErrorCode::new(code), text);
    let is_written = match id {
        Some(id) => encoder.error(id, error),
        None => encoder.error_without_id(error),
    };
    if is_written.is_err() {
        return empty(status);
    }
    let mut reply = json(encoder.into_output().into(), Revision::LATEST, None);
    *reply.status_mut() = status;
    reply
}

/// Waits for a future, but not longer than this. Returns `None` if it was not ready in time.
pub(super) async fn within<T>(limit: Duration, future: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(limit, future).await.ok()
}

/// The inner service of an `McpServer`, which receives the requests that the layer accepts.
#[derive(Clone)]
#[expect(unnameable_types, reason = "only the future of the server names it")]
pub struct Endpoint {
    pub(super) state: Arc<State>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").finish_non_exhaustive()
    }
}

impl<B: Body> Service<Request<RequestBody<B>>> for Endpoint {
    type Response = Reply;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Reply, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<RequestBody<B>>) -> Self::Future {
        let (mut parts, _) = request.into_parts();
        let judged = parts.extensions.remove::<Judged>();
        let state = Arc::clone(&self.state);
        Box::pin(async move {
            Ok(match judged {
                Some(judged) => state.answer(parts, judged).await,
                // The layer enforces its verdicts, so this can't happen.
                None => empty(StatusCode::INTERNAL_SERVER_ERROR),
            })
        })
    }
}
