//! The options of a server.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tautline_mcp::Revision;
use tautline_mcp::http::{Finding, Policy, Sessions};
use tautline_tokio::Options;

/// The least time between two comments.
const KEEP_ALIVE: Duration = Duration::from_millis(10);

/// The options of an [`McpServer`](crate::McpServer).
///
/// ```
/// use std::time::Duration;
///
/// use tautline_http::ServerOptions;
/// use tautline_mcp::Revision;
/// use tautline_mcp::http::{Allowed, Policy};
/// use tautline_tokio::Handlers;
///
/// let policy = Policy::new(Revision::ALL, Allowed::Loopback, Allowed::Listed(&["mcp.example.com"]));
/// let server = ServerOptions::new(policy)
///     .with_limit(1 << 20)
///     .with_session_timeout(Duration::from_secs(600))
///     .on_finding(|finding| eprintln!("{finding}"))
///     .serve(Handlers::new(()));
/// # let _ = server;
/// ```
#[derive(Clone)]
pub struct ServerOptions {
    pub(super) policy: Policy<'static>,
    pub(super) connection: Options,
    pub(super) limit: usize,
    pub(super) keep_alive: Duration,
    pub(super) retry: Duration,
    pub(super) max_sessions: usize,
    pub(super) session_timeout: Duration,
    pub(super) shutdown: Duration,
    pub(super) history: usize,
    pub(super) max_running: usize,
    pub(super) report: Arc<dyn Fn(Finding) + Send + Sync>,
    pub(super) has_sessions: bool,
}

impl ServerOptions {
    /// Creates the options of a server with this policy. Clients of the legacy era get sessions, which can be resumed and
    /// ended, whatever the policy says about that.
    #[must_use]
    pub fn new(policy: Policy<'static>) -> Self {
        Self {
            policy,
            connection: Options::mcp(Revision::LATEST),
            limit: 4 << 20,
            keep_alive: Duration::from_secs(15),
            retry: Duration::from_secs(1),
            max_sessions: 10_000,
            session_timeout: Duration::from_secs(1800),
            shutdown: Duration::from_secs(5),
            history: 256 << 10,
            max_running: 64,
            report: Arc::new(|_| {}),
            has_sessions: true,
        }
    }

    /// Sets the options of the handlers, such as their time-outs and the
    /// [observer](tautline_tokio::Options::with_observer). The revision is that of the request.
    #[must_use]
    pub fn with_connection(self, connection: Options) -> Self {
        Self { connection, ..self }
    }

    /// Sets the maximum length of a request's body in bytes (default: 4 MiB). A longer one is refused with 413 and its id.
    #[must_use]
    pub fn with_limit(self, limit: usize) -> Self {
        Self { limit, ..self }
    }

    /// Sets after which silence a response gets a comment, so that nothing between client and server closes it (default: 15
    /// seconds, at least 10 milliseconds). A request that is not answered after this time gets a stream of events.
    #[must_use]
    pub fn with_keep_alive(self, keep_alive: Duration) -> Self {
        Self { keep_alive: keep_alive.max(KEEP_ALIVE), ..self }
    }

    /// Sets the time after which a client connects again to a stream that broke (2025-11-25; default: one second).
    #[must_use]
    pub fn with_retry(self, retry: Duration) -> Self {
        Self { retry, ..self }
    }

    /// Gives clients of the legacy era no sessions. Handlers then get no answers to calls of their own, and no stream can be
    /// opened with GET or resumed. Requests of one client may go to several servers.
    #[must_use]
    pub fn without_sessions(self) -> Self {
        Self { has_sessions: false, ..self }
    }

    /// Sets the number of sessions (default: 10,000). If there are as many, `initialize` is answered with 503.
    #[must_use]
    pub fn with_max_sessions(self, sessions: usize) -> Self {
        Self { max_sessions: sessions, ..self }
    }

    /// Sets after which time without a request and without an open response a session expires (default: 30 minutes). Then
    /// its handlers are dropped, also those that run for a client which has gone, and those of its notifications.
    #[must_use]
    pub fn with_session_timeout(self, timeout: Duration) -> Self {
        Self { session_timeout: timeout, ..self }
    }

    /// Sets the number of bytes that the stream of a request keeps for a client that resumes it (default: 256 KiB), and
    /// those that all finished streams of a session keep.
    #[must_use]
    pub fn with_history(self, bytes: usize) -> Self {
        Self { history: bytes, ..self }
    }

    /// Sets the number of requests of a session that are handled at the same time (default: 64, at least 1). Further ones
    /// are refused with 429 and -32000 before their handlers begin. Each request of a batch counts.
    #[must_use]
    pub fn with_max_running(self, requests: usize) -> Self {
        Self { max_running: requests.max(1), ..self }
    }

    /// Sets how long [`close`](crate::McpServer::close) waits for responses to end (default: 5 seconds).
    #[must_use]
    pub fn with_shutdown_timeout(self, timeout: Duration) -> Self {
        Self { shutdown: timeout, ..self }
    }

    /// Passes every finding of the [layer](crate::McpLayer::on_finding) to this function.
    #[must_use]
    pub fn on_finding(self, report: impl Fn(Finding) + Send + Sync + 'static) -> Self {
        Self { report: Arc::new(report), ..self }
    }

    /// Returns the policy with what the server has.
    pub(super) const fn full_policy(&self) -> Policy<'static> {
        if self.has_sessions {
            self.policy.with_sessions(Sessions::Required).with_streams().with_session_end()
        } else {
            self.policy.without_sessions()
        }
    }
}

impl fmt::Debug for ServerOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerOptions")
            .field("policy", &self.policy)
            .field("connection", &self.connection)
            .field("limit", &self.limit)
            .field("max_sessions", &self.max_sessions)
            .finish_non_exhaustive()
    }
}
