//! The handle to the other side of a connection.

use std::sync::Arc;
use std::time::Duration;

use tautline::{Notification, Profile};
#[cfg(feature = "mcp")]
use tautline_mcp::Revision;

use crate::payload::Head;
#[cfg(feature = "mcp")]
use crate::protocol::Protocol;
use crate::shared::Shared;
use crate::{CallError, Closed, FromPayload, NewRequest, ToPayload};

/// The other side of a connection: a handle to call it, notify it, and close the connection.
///
/// Handles are cheap to clone. They do not keep the connection alive: after it has ended, calls fail with
/// [`CallError::Closed`].
///
/// ```
/// use serde_json::json;
/// use tautline_tokio::{CallError, Handlers, Options};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), CallError> {
/// let (ours, theirs) = tokio::io::duplex(1024);
/// let handlers = Handlers::new(()).request("add", async |_, (a, b): (i64, i64)| Ok(a + b));
/// let server = Options::json_rpc().start_stream(theirs, handlers);
/// let client = Options::json_rpc().start_stream(ours, Handlers::new(()));
///
/// let sum: i64 = client.peer().call("add", [40, 2]).await?;
/// assert_eq!(sum, 42);
/// let error = client.peer().call::<i64>("add", json!(["40", 2])).await.unwrap_err();
/// assert!(matches!(error, CallError::Peer(error) if error.code().value() == -32602));
/// client.peer().notify("bye", ()).await?;
/// # drop(server);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Peer {
    shared: Arc<Shared>,
    timeout: Option<Duration>,
}

impl Peer {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        let timeout = shared.timeout;
        Self { shared, timeout }
    }

    pub(crate) const fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Returns a handle whose calls have this time-out. `None` waits without a limit.
    ///
    /// The time-out covers the whole call: waiting for [a free slot](crate::Options::with_max_calls) and for
    /// room in the queue, sending, and waiting for the answer.
    #[must_use]
    pub fn with_timeout(&self, timeout: impl Into<Option<Duration>>) -> Self {
        Self { shared: Arc::clone(&self.shared), timeout: timeout.into() }
    }

    /// Sets the profile for the messages that this connection reads and writes from now on. For a revision of MCP, use
    /// `set_revision`.
    ///
    /// A handler that calls this before it first waits, such as that of `initialize`, changes the profile before the next
    /// frame is parsed. A client that calls it between the answer to `initialize` and `notifications/initialized` is in
    /// time for a server that waits for that notification. Frames that were read before keep their verdict.
    pub fn set_profile(&self, profile: &Profile) {
        self.shared.agreement.set(profile, None);
    }

    /// Sets the revision of MCP that a handshake has agreed on: its [profile](Self::set_profile), whether `ping` is
    /// answered without a handler, and the members of `_meta` that each request [carries](crate::Options::with_meta).
    ///
    /// The framing and the cancellation stay as the options set them.
    ///
    /// To use a variant of the revision's profile, such as a [strict](Profile::strict) one, set it after this.
    ///
    /// ```
    /// # use tautline_tokio::Peer;
    /// use tautline_tokio::tautline_mcp::Revision;
    ///
    /// # async fn negotiated(peer: &Peer) {
    /// peer.set_revision(Revision::V2025_03_26);
    /// # }
    /// ```
    #[cfg(feature = "mcp")]
    pub fn set_revision(&self, revision: Revision) {
        self.shared.agreement.set(&revision.profile(), Some(Protocol::Mcp(revision)));
    }

    /// Returns the revision of MCP that is in force, or `None` if the protocol is another one.
    #[cfg(feature = "mcp")]
    #[must_use]
    pub fn revision(&self) -> Option<Revision> {
        match self.shared.agreed().protocol {
            Protocol::Mcp(revision) => Some(revision),
            Protocol::JsonRpc | Protocol::Lsp => None,
        }
    }

    /// Calls a method and waits for its result.
    ///
    /// If the future is dropped, the call is given up: its slot is free again, and the peer is notified if the protocol
    /// has a [cancellation](crate::Cancellation). The same happens when the time-out expires.
    ///
    /// # Errors
    ///
    /// Returns a [`CallError`]. Every call ends: with the peer's answer, by its time-out, or when the
    /// connection ends.
    pub async fn call<R: FromPayload>(
        &self,
        method: &str,
        params: impl ToPayload,
    ) -> Result<R, CallError> {
        self.request(method, params).send().await?.await
    }

    /// Creates a request that is sent when it is awaited. Use it instead of [`call`](Self::call) for a call with a
    /// time-out of its own, for its id, for its progress, or to cancel it with a reason.
    pub fn request<'a, R: FromPayload, P: ToPayload>(
        &self,
        method: &'a str,
        params: P,
    ) -> NewRequest<'a, P, R> {
        NewRequest::new(Arc::clone(&self.shared), self.timeout, method, params)
    }

    /// Sends a notification. Waits while the queue of outgoing messages is full, and returns when the notification has
    /// entered the queue.
    ///
    /// # Errors
    ///
    /// Returns [`CallError::NotSent`] if the parameters cannot be encoded, [`CallError::TimedOut`] if the queue
    /// stays full for the time-out, and [`CallError::Closed`] if the connection has ended.
    pub async fn notify(&self, method: &str, params: impl ToPayload) -> Result<(), CallError> {
        let head = Head::Notification(method);
        let line = params.line(head, &self.shared.agreed().profile).map_err(CallError::NotSent)?;
        drop(params);
        let send = self.shared.outbox.send(line);
        let sent = match self.timeout {
            None => send.await,
            Some(after) => tokio::time::timeout(after, send)
                .await
                .map_err(|_| CallError::TimedOut { after, is_total: false, stray: None })?,
        };
        sent.map_err(|_| CallError::Closed(self.shared.closed()))
    }

    /// Returns the id of the call whose progress this notification reports, if a [call](crate::NewRequest::with_progress)
    /// of this side has its token. The call may have ended, or be one of another connection of the same session. So a
    /// transport with several connections finds the one that the notification is for.
    #[must_use]
    pub fn reported_call(&self, notification: &Notification<'_>) -> Option<u64> {
        self.shared.agreed().protocol.call_of(notification)
    }

    /// Fails a call with [`CallError::Transport`], and returns whether it was pending. The peer is not notified.
    ///
    /// This is for an adapter between the connection and a transport that carries each message by itself, such as HTTP. If
    /// the answer to one request can't come, because its exchange has failed, the other calls are not affected. `id` is the id of the
    /// request, as it was [sent](crate::PendingCall::id).
    ///
    /// ```
    /// use serde_json::Value;
    /// use tautline_tokio::{CallError, Handlers, Options};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (ours, _adapter) = tokio::io::duplex(1024);
    /// let connection = Options::json_rpc().start_stream(ours, Handlers::new(()));
    /// let call = connection.peer().request::<Value, _>("add", [40, 2]).send().await?;
    ///
    /// let error = std::io::Error::other("502 Bad Gateway");
    /// assert!(connection.peer().fail_call(call.id(), error));
    /// let Err(CallError::Transport(error)) = call.await else { panic!() };
    /// assert!(error.downcast_ref::<std::io::Error>().is_some());
    /// # Ok(())
    /// # }
    /// ```
    pub fn fail_call(
        &self,
        id: u64,
        error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> bool {
        self.shared.fail_call(id, error.into().into())
    }

    /// Begins to close the connection, and returns at once. [`Options::start`](crate::Options::start) describes what
    /// happens then. To wait for it, use [`closed`](Self::closed).
    pub fn close(&self) {
        self.shared.request_close();
    }

    /// Waits until the connection has ended, and returns the reason.
    pub async fn closed(&self) -> Closed {
        self.shared.ended().await
    }

    /// Returns the number of calls that wait for their answers.
    #[must_use]
    pub fn pending_calls(&self) -> usize {
        self.shared.pending_calls()
    }

    /// Returns the number of bytes that wait to be sent.
    #[must_use]
    pub fn unsent_bytes(&self) -> usize {
        self.shared.outbox.len()
    }
}
