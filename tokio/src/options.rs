//! The options of a connection, and how to start one.

use std::any::{Any, TypeId};
#[cfg(feature = "mcp")]
use std::borrow::Cow;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
#[cfg(feature = "mcp")]
use serde_json::Value;
use tautline::codec::{EncodedLines, MessageCodec};
use tautline::frame::{ContentLength, DEFAULT_LIMIT, Framing, Splitter};
use tautline::{Fault, Message, Profile};
#[cfg(feature = "mcp")]
use tautline_mcp::Revision;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinHandle;
use tokio_util::codec::Encoder;
use tokio_util::sync::CancellationToken;

#[cfg(feature = "mcp")]
use crate::McpCancellation;
use crate::agreed::{Agreed, Agreement};
use crate::connection::Connection;
use crate::driver::Driver;
use crate::engine::{Engine, Limits};
use crate::handlers::Dispatch;
use crate::outbox::{Framer, Outbox};
#[cfg(feature = "mcp")]
use crate::protocol::Member;
use crate::protocol::Protocol;
use crate::shared::{Settings, Shared};
use crate::tap::SentTap;
use crate::{Cancellation, Direction, Exchange, Handlers, Incident, LspCancellation};

/// The options of a connection: its profile, its framing and its limits.
///
/// Start with a protocol, and change individual options:
///
/// ```
/// use std::time::Duration;
///
/// use tautline_tokio::Options;
///
/// let options = Options::lsp()
///     .with_timeout(Duration::from_secs(10))
///     .with_max_requests(8)
///     .with_observer(|incident| eprintln!("{incident}"));
/// # let _ = options;
/// ```
#[derive(Clone)]
pub struct Options<F = Splitter> {
    framing: F,
    limits: Limits,
    settings: Settings,
}

impl Options {
    /// JSON-RPC 2.0, one message per line of at most [`DEFAULT_LIMIT`] bytes.
    #[must_use]
    pub fn json_rpc() -> Self {
        Self::new(&Profile::JSON_RPC, Splitter::new(DEFAULT_LIMIT))
    }

    /// The Model Context Protocol over stdio, in this revision, with its [cancellation](McpCancellation).
    ///
    /// If this revision has the request `ping`, it is answered, unless there is a handler of its own (MCP,
    /// basic/utilities/ping). If it is 2026-07-28, each request carries its version and the capabilities in `_meta`, as
    /// [`with_meta`](Self::with_meta) describes. A client of an earlier revision calls
    /// [`Peer::initialize`](crate::Peer::initialize), and a server calls
    /// [`Peer::set_revision`](crate::Peer::set_revision), which both change the revision.
    #[cfg(feature = "mcp")]
    #[must_use]
    pub fn mcp(revision: Revision) -> Self {
        let mut options = Self::new(&revision.profile(), Splitter::new(DEFAULT_LIMIT));
        options.settings.protocol = Protocol::Mcp(revision);
        options.with_cancellation(McpCancellation)
    }
}

impl Options<ContentLength> {
    /// The Language Server Protocol: `Content-Length` headers, messages of at most [`DEFAULT_LIMIT`] bytes,
    /// and its [cancellation](LspCancellation).
    #[must_use]
    pub fn lsp() -> Self {
        let mut options = Self::new(&Profile::LSP, ContentLength::new(DEFAULT_LIMIT));
        options.settings.protocol = Protocol::Lsp;
        options.with_cancellation(LspCancellation)
    }
}

impl<F: Framing + Clone> Options<F> {
    /// Creates options for messages under this profile in this framing. The framing must not have consumed any input. It
    /// sets the limit on incoming frames.
    #[must_use]
    pub fn new(profile: &Profile, framing: F) -> Self {
        Self {
            framing,
            limits: Limits { requests: 64, backlog: 256, shutdown: Duration::from_secs(5) },
            settings: Settings {
                profile: *profile,
                protocol: Protocol::JsonRpc,
                timeout: Some(Duration::from_secs(60)),
                max_calls: 1024,
                max_unsent: 1 << 20,
                meta: Vec::new(),
                cancellation: None,
                observer: None,
                tap: None,
                call_ids: (1, u64::MAX),
                stop: None,
                attachment: None,
            },
        }
    }

    /// Sets the profile for messages, for example a [strict](Profile::strict) one.
    /// [`Peer::set_profile`](crate::Peer::set_profile) changes it later.
    #[must_use]
    pub fn with_profile(mut self, profile: &Profile) -> Self {
        self.settings.profile = *profile;
        self
    }

    /// Sets the framing, which sets the limit on incoming frames. It must not have consumed any input.
    ///
    /// ```
    /// use tautline_tokio::Options;
    /// use tautline_tokio::tautline::frame::Splitter;
    ///
    /// let options = Options::json_rpc().with_framing(Splitter::new(64 << 10));
    /// # let _ = options;
    /// ```
    #[must_use]
    pub fn with_framing<G: Framing + Clone>(self, framing: G) -> Options<G> {
        Options { framing, limits: self.limits, settings: self.settings }
    }

    /// Adds a member to the `_meta` of every request that this side sends, in its params (MCP, basic, `_meta`). It
    /// replaces an earlier one of the same name.
    ///
    /// Under 2026-07-28, every request also carries the revision and, unless they are set here, empty client
    /// capabilities. The names of that revision's own members are constants in `tautline_mcp::meta`. Under earlier
    /// revisions, these members are left out.
    ///
    /// The params are created if they are absent. A member that the caller's `_meta` already has is kept. Params that
    /// are an array, or whose `_meta` is not an object, have no place for members, and are sent as they are. MCP does not
    /// allow params that are an array, so under [`mcp`](Self::mcp) such a call fails with
    /// [`CallError::NotSent`](crate::CallError::NotSent). A value that is nested too deep to be sent is left out.
    ///
    /// ```
    /// use serde_json::json;
    /// use tautline_tokio::Options;
    /// use tautline_tokio::tautline_mcp::{Revision, meta};
    ///
    /// let options = Options::mcp(Revision::V2026_07_28)
    ///     .with_meta(meta::CLIENT_INFO, json!({ "name": "example", "version": "1" }))
    ///     .with_meta(meta::CLIENT_CAPABILITIES, json!({ "elicitation": {} }));
    /// # let _ = options;
    /// ```
    #[cfg(feature = "mcp")]
    #[must_use]
    pub fn with_meta(
        mut self,
        name: impl Into<Cow<'static, str>>,
        value: impl Into<Value>,
    ) -> Self {
        let name = name.into();
        self.settings.meta.retain(|member| member.name() != name);
        self.settings.meta.extend(Member::new(name, value.into()));
        self
    }

    /// Sets the number of requests that are handled at the same time (default: 64, at least 1).
    #[must_use]
    pub fn with_max_requests(mut self, requests: usize) -> Self {
        self.limits.requests = requests.max(1);
        self
    }

    /// Sets the number of received requests and notifications that wait to be handled (default: 256, at
    /// least 1). If there are more, the connection stops reading, and the inbox of an exchange
    /// [refuses](crate::Inbox::offer) notifications. The elements of one batch may exceed the limit.
    ///
    /// If this side makes calls too, the connection keeps reading for their answers, and refuses further requests with
    /// -32000. Otherwise two peers that call each other could deadlock.
    #[must_use]
    pub fn with_max_backlog(mut self, messages: usize) -> Self {
        self.limits.backlog = messages.max(1);
        self
    }

    /// Sets the number of calls in flight (default: 1024, at least 1). Further calls wait for their turn.
    #[must_use]
    pub fn with_max_calls(mut self, calls: usize) -> Self {
        self.settings.max_calls = calls.max(1);
        self
    }

    /// Sets the number of bytes in the queue of outgoing messages (default: 1 MiB, at least 1). Calls, notifications
    /// and answers wait while the queue is that long. So the queue exceeds the limit by at most one message, plus
    /// messages that cannot wait: cancellations, the errors for handlers that were dropped, and at most 1 MiB of
    /// refusals.
    #[must_use]
    pub fn with_max_unsent(mut self, bytes: usize) -> Self {
        self.settings.max_unsent = bytes.max(1);
        self
    }

    /// Sets the default time-out of calls (default: 60 seconds). `None` waits without a limit.
    /// [`NewRequest::with_timeout`](crate::NewRequest::with_timeout) sets it for a single call.
    #[must_use]
    pub fn with_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.settings.timeout = timeout.into();
        self
    }

    /// Sets how long running handlers may take when the connection ends, and how long sending the queued messages may
    /// take after that (default: 5 seconds for each).
    #[must_use]
    pub fn with_shutdown_timeout(mut self, timeout: Duration) -> Self {
        self.limits.shutdown = timeout;
        self
    }

    /// Sets how requests are cancelled (default: no cancellation, except for LSP and MCP).
    #[must_use]
    pub fn with_cancellation(mut self, cancellation: impl Cancellation) -> Self {
        self.settings.cancellation = Some(Arc::new(cancellation));
        self
    }

    /// Sets a function that observes [incidents](Incident), which no caller or handler sees, such as invalid frames. It
    /// is called in the task of the connection or of a handler, so it must not block or panic. A panic in the task of
    /// the connection ends it as if it were dropped.
    #[must_use]
    pub fn with_observer(
        mut self,
        observer: impl Fn(&Incident<'_>) + Send + Sync + 'static,
    ) -> Self {
        self.settings.observer = Some(Arc::new(observer));
        self
    }

    /// Sets a function that sees every message in both directions, in the order of the wire, for example to hold the
    /// connection to `tautline_mcp::session` as in [A session](crate#a-session), or to log. A frame that should have
    /// been a message is an `Err` with its fault. A batch is one message. The text is [`Message::frame`] or
    /// [`Fault::frame`], without the framing.
    ///
    /// A received message is seen before it is handled, and a sent one when it enters the queue. If the connection
    /// breaks, messages in the queue are not sent.
    ///
    /// The function is called in the tasks of the connection and of all senders, so it must not block or panic. The
    /// queue is locked while it sees a sent message, so it must not use the [`Peer`](crate::Peer), and no lock that it
    /// takes may be held while the `Peer` is used.
    #[must_use]
    pub fn with_tap(
        mut self,
        tap: impl Fn(Direction, Result<&Message<'_>, &Fault<'_>>) + Send + Sync + 'static,
    ) -> Self {
        self.settings.tap = Some(Arc::new(tap));
        self
    }

    /// Sets the ids of the calls that this side makes (default: from 1 on; 0 is left out). They count up. Connections that
    /// share a session, as those of HTTP requests do, need different ones. Once all are used, further calls fail with
    /// [`CallError::Closed`](crate::CallError::Closed).
    #[must_use]
    pub fn with_call_ids(mut self, ids: RangeInclusive<u64>) -> Self {
        self.settings.call_ids = ((*ids.start()).max(1), *ids.end());
        self
    }

    /// Drops the handlers at their current await points when this token is cancelled, whether the connection is polled or
    /// not. Their requests are answered with -32603.
    #[must_use]
    pub fn with_stop(mut self, stop: CancellationToken) -> Self {
        self.settings.stop = Some(Arc::new(stop));
        self
    }

    /// Attaches a value to the connection, which handlers get from [`Context::attachment`](crate::Context::attachment).
    /// It replaces an earlier one.
    ///
    /// ```
    /// use std::net::{IpAddr, Ipv4Addr};
    ///
    /// use tautline_tokio::{Context, Handlers, Options};
    ///
    /// let handlers = Handlers::new(()).request("address", async |context: Context<()>, (): ()| {
    ///     Ok(context.attachment::<IpAddr>().map(ToString::to_string))
    /// });
    /// let options = Options::json_rpc().with_attachment(IpAddr::V4(Ipv4Addr::LOCALHOST));
    /// # let _ = (handlers, options);
    /// ```
    #[must_use]
    pub fn with_attachment(self, value: impl Any + Send + Sync) -> Self {
        self.with_shared_attachment(Arc::new(value))
    }

    /// Attaches a value to the connection, as [`with_attachment`](Self::with_attachment) does, which the caller shares.
    #[must_use]
    pub fn with_shared_attachment(mut self, value: Arc<dyn Any + Send + Sync>) -> Self {
        self.settings.attachment = Some(value);
        self
    }

    /// Starts an exchange: a connection that is given its messages one by one, and whose messages are taken from it one
    /// by one. Transports that have no stream of bytes, such as HTTP, use it.
    pub fn exchange<S: Send + Sync + 'static>(&self, handlers: &Arc<Handlers<S>>) -> Exchange {
        let settings = self.settings.clone();
        let (agreement, tap) = agree(&settings);
        let outbox = Outbox::new(settings.max_unsent, None, tap);
        let shared = Arc::new(Shared::new(settings, agreement, outbox));
        let handlers: Arc<dyn Dispatch> = Arc::<Handlers<S>>::clone(handlers);
        Exchange::new(Engine::new(handlers, shared, self.limits))
    }

    /// Starts a connection over a reader and a writer, in its own task.
    ///
    /// # How it ends
    ///
    /// The connection ends when the peer closes its side, when reading or writing fails, when the framing is
    /// desynchronised, or when [`Peer::close`](crate::Peer::close) is called. Pending calls fail with the reason.
    /// Running handlers may finish within the [shutdown time-out](Self::with_shutdown_timeout), and are then dropped.
    /// Their answers and everything else in the queue are sent, and the writer is closed.
    ///
    /// If the peer has closed its side, requests that were received before are still handled. If this side closes the
    /// connection, requests whose handlers have not started are answered with -32000, and the calls of handlers still
    /// get their answers.
    ///
    /// If the [`Connection`] is dropped, all of this stops at once.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime. The runtime needs a time driver, for time-outs.
    pub fn start<R, W, S>(self, reader: R, writer: W, handlers: Handlers<S>) -> Connection
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
        F: Send + Unpin + 'static,
        S: Send + Sync + 'static,
    {
        self.start_returning(reader, writer, handlers).0
    }

    /// Starts a connection over a bidirectional stream, such as a socket.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime.
    pub fn start_stream<T, S>(self, stream: T, handlers: Handlers<S>) -> Connection
    where
        T: AsyncRead + AsyncWrite + Send + Unpin + 'static,
        F: Send + Unpin + 'static,
        S: Send + Sync + 'static,
    {
        let (reader, writer) = tokio::io::split(stream);
        self.start(reader, writer, handlers)
    }

    /// Starts a connection whose task returns the reader at its end.
    pub(crate) fn start_returning<R, W, S>(
        self,
        reader: R,
        writer: W,
        handlers: Handlers<S>,
    ) -> (Connection, JoinHandle<R>)
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
        F: Send + Unpin + 'static,
        S: Send + Sync + 'static,
    {
        let codec = MessageCodec::with_framing(self.framing, &self.settings.profile);
        let (agreement, tap) = agree(&self.settings);
        let outbox = Outbox::new(self.settings.max_unsent, framer(&codec), tap);
        let shared = Arc::new(Shared::new(self.settings, agreement, outbox));
        let handlers = Arc::new(handlers);
        let driver = Driver::new(reader, writer, codec, handlers, Arc::clone(&shared), self.limits);
        Connection::start(shared, driver)
    }

    pub(crate) const fn shutdown_timeout(&self) -> Duration {
        self.limits.shutdown
    }
}

/// Returns what is agreed at the start, and the tap for the messages that this side sends.
fn agree(settings: &Settings) -> (Arc<Agreement>, Option<SentTap>) {
    let Settings { profile, protocol, .. } = *settings;
    let agreement = Arc::new(Agreement::new(Agreed { profile, protocol }));
    let tap = settings.tap.clone();
    let tap = tap.map(|tap| SentTap { tap, agreement: Arc::clone(&agreement) });
    (agreement, tap)
}

/// Returns the function that turns encoded lines into frames. Line framing needs none.
fn framer<F: Framing + Clone + Send + 'static>(codec: &MessageCodec<F>) -> Option<Framer> {
    if TypeId::of::<F>() == TypeId::of::<Splitter>() {
        return None;
    }
    let mut codec = codec.clone();
    Some(Box::new(move |line, bytes| {
        let mut frame = BytesMut::new();
        // Whole lines are always encoded.
        if codec.encode(EncodedLines(line), &mut frame).is_ok() {
            bytes.extend_from_slice(&frame);
        }
    }))
}

impl<F> fmt::Debug for Options<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("profile", &self.settings.profile)
            .field("limits", &self.limits)
            .field("max_calls", &self.settings.max_calls)
            .field("max_unsent", &self.settings.max_unsent)
            .field("timeout", &self.settings.timeout)
            .finish_non_exhaustive()
    }
}
