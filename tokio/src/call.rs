//! Calls: requests to the peer, and their answers.

use std::fmt;
use std::marker::PhantomData;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, broadcast, oneshot};
use tokio::time::{Instant, Sleep, sleep_until, timeout};

use crate::calls::{Caller, Failure, Outcome, Progress, Sent};
use crate::clock::{Clock, Limit};
use crate::payload::{Frame, Head, read_response};
use crate::shared::Shared;
use crate::{CallError, FromPayload, Raw, ToPayload, Unanswered};

/// A request that is not sent yet; see [`Peer::request`](crate::Peer::request).
///
/// Awaiting it sends it and waits for the result. [`send`](Self::send) only sends it, and returns the call, which has
/// an id and reports progress.
///
/// ```
/// use std::time::Duration;
///
/// use serde_json::{Value, json};
/// use tautline_tokio::{CallError, Peer};
///
/// async fn build(peer: &Peer) -> Result<Value, CallError> {
///     let params = json!({ "name": "build" });
///     peer.request("tools/call", params).with_timeout(Duration::from_secs(600)).await
/// }
/// ```
#[must_use = "the request is sent when this is awaited, or by `send`"]
pub struct NewRequest<'a, P, R> {
    shared: Arc<Shared>,
    method: &'a str,
    params: P,
    timeout: Option<Duration>,
    total_timeout: Option<Duration>,
    wants_progress: bool,
    result: PhantomData<fn() -> R>,
}

impl<'a, P: ToPayload, R: FromPayload> NewRequest<'a, P, R> {
    pub(crate) fn new(
        shared: Arc<Shared>,
        timeout: Option<Duration>,
        method: &'a str,
        params: P,
    ) -> Self {
        Self {
            shared,
            method,
            params,
            timeout,
            total_timeout: None,
            wants_progress: false,
            result: PhantomData,
        }
    }

    /// Sets the time-out of this call (default: that of the [`Peer`](crate::Peer::with_timeout)). `None` waits without
    /// a limit.
    ///
    /// It covers the whole call, from `send` to the answer. If the call [asks for progress](Self::with_progress), it
    /// begins again with each notification.
    pub fn with_timeout(mut self, timeout: impl Into<Option<Duration>>) -> Self {
        self.timeout = timeout.into();
        self
    }

    /// Sets the time-out of this call that progress does not extend (default: ten times the other time-out, or no limit
    /// if there is none). [`Duration::MAX`] is no limit.
    ///
    /// MCP recommends such a maximum, because a peer could report progress for ever (MCP, basic/patterns/cancellation,
    /// timeouts).
    pub fn with_total_timeout(mut self, timeout: Duration) -> Self {
        self.total_timeout = Some(timeout);
        self
    }

    /// Asks the peer to report the progress of this call. [`PendingCall::progress`] returns the reports, which go to no
    /// handler. Each of them restarts the [time-out](Self::with_timeout), whether it is read or not.
    ///
    /// The request gets a token: `progressToken` in the `_meta` of the params under `Options::mcp`, and `workDoneToken`
    /// in the params under [`Options::lsp`]. Under other options, for params that are an array or whose `_meta` is not
    /// an object, and for params that already have a token, the request is sent as it is, and no reports come. MCP does
    /// not allow params that are an array, so under `Options::mcp` such a call fails with [`CallError::NotSent`].
    ///
    /// [`Options::lsp`]: crate::Options::lsp
    pub fn with_progress(mut self) -> Self {
        self.wants_progress = true;
        self
    }

    /// Sends the request. Waits for a [free slot](crate::Options::with_max_calls) and for room in the queue, and
    /// returns when the request has entered the queue.
    ///
    /// # Errors
    ///
    /// Returns [`CallError::NotSent`] if the parameters cannot be encoded, [`CallError::TimedOut`] if the time-out
    /// expires before, [`CallError::Closed`] if the connection has ended, and [`CallError::NoCalls`] if it is [without
    /// calls](crate::Options::without_calls).
    pub async fn send(self) -> Result<PendingCall<R>, CallError> {
        let shared = Arc::clone(&self.shared);
        if !shared.has_calls {
            return Err(CallError::NoCalls);
        }
        let clock = Clock {
            started: Instant::now(),
            timeout: self.timeout,
            total_timeout: self
                .total_timeout
                .or(self.timeout.map(|after| after.saturating_mul(10))),
            strays: shared.strays(),
        };
        let Some(limit) = clock.limits().min_by_key(|limit| limit.after) else {
            return self.begin(clock).await;
        };
        match timeout(limit.after, self.begin(clock)).await {
            Ok(call) => call,
            Err(_) => Err(clock.timed_out(limit, &shared)),
        }
    }

    async fn begin(self, clock: Clock) -> Result<PendingCall<R>, CallError> {
        let Self { shared, method, params, wants_progress, .. } = self;
        let closed = || CallError::Closed(shared.closed());
        let slot = Arc::clone(&shared.slots).acquire_owned().await.map_err(|_| closed())?;
        let (sender, answer) = oneshot::channel();
        let (progress, reports) = wants_progress.then(Progress::channel).unzip();
        let caller = Caller { answer: sender, progress };
        let id = shared.begin(caller).map_err(CallError::Closed)?;
        let call = InFlight {
            shared: Arc::clone(&shared),
            id,
            method: method.into(),
            sent: Sent::No,
            clock,
            sleep: None,
            expired: None,
            slot: Some(slot),
        };
        let mut call = PendingCall { call, answer, reports, result: PhantomData };
        let agreed = shared.agreed();
        let line = params.line(Head::Request(id, method), &agreed.profile);
        drop(params);
        let listener = wants_progress.then_some(id);
        let line =
            line.and_then(|line| agreed.protocol.complete(line, listener, &shared.settings.meta));
        shared.outbox.send(line.map_err(CallError::NotSent)?).await.map_err(|_| closed())?;
        call.call.sent = Sent::Yes;
        Ok(call)
    }
}

impl<'a, P, R> IntoFuture for NewRequest<'a, P, R>
where
    P: ToPayload + Send + 'a,
    R: FromPayload + 'a,
{
    type Output = Result<R, CallError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { self.send().await?.await })
    }
}

impl<P, R> fmt::Debug for NewRequest<'_, P, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewRequest")
            .field("method", &self.method)
            .field("timeout", &self.timeout)
            .field("total_timeout", &self.total_timeout)
            .field("wants_progress", &self.wants_progress)
            .finish_non_exhaustive()
    }
}

/// A call that was sent and waits for its answer: a future of the result, or of the [`CallError`].
///
/// If this is dropped, the call is given up: its slot is free again, and the peer is notified if the protocol has a
/// [cancellation](crate::Cancellation). The same happens when the time-out expires, with a sentence about it as the
/// reason. Time-outs are noticed when the call, or its [progress](Self::progress), is awaited.
///
/// ```
/// # #[cfg(feature = "mcp")]
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use serde_json::{Value, json};
/// use tautline_tokio::{Context, Handlers, Options};
/// # use tautline_tokio::tautline_mcp::Revision;
/// # let (ours, theirs) = tokio::io::duplex(1024);
/// # let handlers = Handlers::new(()).request("tools/call", async |context: Context<()>, params: Value| {
/// #     let token = &params["_meta"]["progressToken"];
/// #     for progress in [1, 2] {
/// #         let report = json!({ "progressToken": token, "progress": progress, "total": 2 });
/// #         context.peer().notify("notifications/progress", report).await?;
/// #     }
/// #     Ok(json!({ "content": [] }))
/// # });
/// # let server = Options::mcp(Revision::V2025_11_25).start_stream(theirs, handlers);
/// # let client = Options::mcp(Revision::V2025_11_25).start_stream(ours, Handlers::new(()));
/// # let peer = client.peer();
///
/// let params = json!({ "name": "build" });
/// let mut call = peer.request("tools/call", params).with_progress().send().await?;
/// println!("call {} has begun", call.id());
/// # let mut reports = 0;
/// while let Some(report) = call.progress().await {
///     let report: Value = report.deserialize()?;
///     println!("{} of {}", report["progress"], report["total"]);
/// #   reports += 1;
/// }
/// # assert_eq!(reports, 2);
/// let result: Value = call.await?;
/// # assert_eq!(result["content"], json!([]));
/// # drop(server);
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "mcp"))]
/// # fn main() {}
/// ```
///
/// To stop a call with a reason, wait for a reference to it:
///
/// ```
/// # use tautline_tokio::{CallError, PendingCall, Raw};
/// # async fn run(mut call: PendingCall<Raw>, stop: impl Future<Output = ()>) -> Result<(), CallError> {
/// tokio::select! {
///     result = &mut call => println!("{}", result?.json()),
///     () = stop => call.cancel("the user has pressed Stop"),
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "the call is given up when this is dropped"]
pub struct PendingCall<R> {
    call: InFlight,
    answer: oneshot::Receiver<Outcome>,
    reports: Option<broadcast::Receiver<Frame>>,
    result: PhantomData<fn() -> R>,
}

impl<R> PendingCall<R> {
    /// Returns the id of the request, as it was sent.
    #[must_use]
    pub const fn id(&self) -> u64 {
        self.call.id
    }

    /// Returns the next report of progress: the params of the notification. Returns `None` if the call has ended, or
    /// does not [ask for progress](NewRequest::with_progress). Then await the call.
    ///
    /// At most 16 reports wait to be read. If there are more, the oldest are dropped.
    ///
    /// If the returned future is dropped, no report is lost.
    pub async fn progress(&mut self) -> Option<Raw> {
        let Self { call, reports, .. } = self;
        let reports = reports.as_mut()?;
        loop {
            let mut report = pin!(reports.recv());
            let report = std::future::poll_fn(|cx| {
                // The time-out comes first, because reports may follow each other so fast that one always waits.
                if call.poll_expired(cx).is_ready() {
                    return Poll::Ready(None);
                }
                report.as_mut().poll(cx).map(Some)
            });
            match report.await? {
                Ok(frame) => return Some(Raw::of(frame)),
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }

    /// Gives up the call, and notifies the peer if the protocol has a [cancellation](crate::Cancellation), with this
    /// reason if it has a place for one.
    pub fn cancel(self, reason: &str) {
        self.call.give_up(Some(reason));
    }
}

impl<R: FromPayload> Future for PendingCall<R> {
    type Output = Result<R, CallError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { call, answer, .. } = self.get_mut();
        if let Some(limit) = call.expired {
            return Poll::Ready(Err(call.clock.timed_out(limit, &call.shared)));
        }
        let Poll::Ready(answer) = Pin::new(answer).poll(cx) else {
            let limit = ready!(call.poll_expired(cx));
            return Poll::Ready(Err(call.clock.timed_out(limit, &call.shared)));
        };
        call.slot = None;
        Poll::Ready(match answer {
            Ok(Ok(frame)) => read_response(frame),
            Ok(Err(Failure::Broken(finding))) => Err(CallError::Broken(finding)),
            Ok(Err(Failure::Transport(error))) => Err(CallError::Transport(error)),
            Err(_) => Err(CallError::Closed(call.shared.closed())),
        })
    }
}

impl<R> fmt::Debug for PendingCall<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingCall")
            .field("id", &self.call.id)
            .field("method", &self.call.method)
            .finish_non_exhaustive()
    }
}

/// A call that has an id. Gives it up when dropped, which does nothing if the call has ended.
struct InFlight {
    shared: Arc<Shared>,
    id: u64,
    method: Box<str>,
    sent: Sent,
    clock: Clock,
    sleep: Option<Pin<Box<Sleep>>>,
    /// The time-out that has expired.
    expired: Option<Limit>,
    /// The slot of the call, until it has ended.
    slot: Option<OwnedSemaphorePermit>,
}

impl InFlight {
    /// Waits until the call times out, gives it up, and returns the time-out. A call that has its answer does not time
    /// out.
    fn poll_expired(&mut self, cx: &mut Context<'_>) -> Poll<Limit> {
        if let Some(limit) = self.expired {
            return Poll::Ready(limit);
        }
        // Progress may have moved the deadline since the last poll.
        let deadline = self.clock.deadline(self.shared.last_progress(self.id));
        let Some((deadline, limit)) = deadline else { return Poll::Pending };
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if sleep.deadline() != deadline {
            sleep.as_mut().reset(deadline);
        }
        ready!(sleep.as_mut().poll(cx));
        if !self.give_up(Some(&format!("timed out after {:?}", limit.after))) {
            return Poll::Pending;
        }
        self.expired = Some(limit);
        self.slot = None;
        Poll::Ready(limit)
    }

    /// Gives up the call. Returns whether it was still pending.
    fn give_up(&self, reason: Option<&str>) -> bool {
        let call = Unanswered { id: self.id, method: &self.method, reason };
        self.shared.give_up(&call, self.sent)
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.give_up(None);
    }
}
