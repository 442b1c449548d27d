//! A session of the legacy era: its revision, its streams, and the requests that run in it.

use std::collections::VecDeque;
use std::fmt;
use std::ops::{Deref, RangeInclusive};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use tautline::{Id, Notification, owned};
use tautline_mcp::Revision;
use tautline_tokio::{Inbox, Peer};
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;

use super::held::HttpSession;
use super::stream::Stream;

/// The number of streams of finished requests that a session keeps for clients that resume.
const FINISHED: usize = 32;

/// The number of bits of the id of a call that number the calls of one request. The bits above are the number of the
/// request, so an answer finds the handler that has called.
const CALL_BITS: u32 = 20;

/// Returns the ids for calls that the handler of a request makes. All ids up to 2^53 can be read by every client.
pub(crate) const fn call_ids(number: u64) -> RangeInclusive<u64> {
    let first = number << CALL_BITS;
    first..=first | ((1 << CALL_BITS) - 1)
}

/// A session.
pub(crate) struct Session {
    pub(crate) revision: Revision,
    /// The session as handlers see it.
    pub(crate) held: Arc<HttpSession>,
    /// The stream that a client opens with GET.
    pub(crate) stream: Arc<Stream>,
    /// The destination of notifications, and of answers to the calls of their handlers.
    pub(crate) inbox: Inbox,
    /// The other side of the stream of the session.
    peer: Peer,
    /// One permit for each request that may be handled. It is closed when the session ends.
    pub(crate) places: Arc<Semaphore>,
    /// The task that handles the notifications.
    task: AbortHandle,
    /// The number of the latest request. 0 is the session itself.
    latest: AtomicU64,
    limit: usize,
    state: Mutex<State>,
}

struct State {
    used: Instant,
    /// The number of visits that have not ended.
    visits: usize,
    running: Vec<Running>,
    /// The streams of requests, the oldest first.
    streams: VecDeque<Arc<Stream>>,
    has_ended: bool,
}

/// A request whose handler runs in a task.
struct Running {
    number: u64,
    /// The id of the request, or those in the batch.
    ids: Vec<owned::Id>,
    inbox: Inbox,
    task: AbortHandle,
}

impl State {
    fn is_idle(&self, timeout: Duration) -> bool {
        self.visits == 0 && self.used.elapsed() >= timeout
    }
}

impl Session {
    pub(crate) fn new(
        revision: Revision,
        held: Arc<HttpSession>,
        stream: Arc<Stream>,
        (inbox, peer): (Inbox, Peer),
        task: AbortHandle,
        (limit, places): (usize, usize),
    ) -> Self {
        let state = State {
            used: Instant::now(),
            visits: 0,
            running: Vec::new(),
            streams: VecDeque::new(),
            has_ended: false,
        };
        let latest = AtomicU64::new(0);
        let places = Arc::new(Semaphore::new(places.min(Semaphore::MAX_PERMITS)));
        let state = Mutex::new(state);
        Self { revision, held, stream, inbox, peer, places, task, latest, limit, state }
    }

    /// Returns a number for a request.
    pub(crate) fn number(&self) -> u64 {
        self.latest.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
    }

    /// Begins a visit, unless the session has been [idle](Self::is_idle) for this long.
    pub(crate) fn visit(self: Arc<Self>, timeout: Duration) -> Option<Visit> {
        let mut state = self.lock();
        if state.is_idle(timeout) {
            return None;
        }
        state.visits = state.visits.saturating_add(1);
        drop(state);
        Some(Visit(self))
    }

    /// Returns whether the client has not used the session for this long: no request of it came, and no response was
    /// open. Handlers that still run are no use.
    pub(crate) fn is_idle(&self, timeout: Duration) -> bool {
        self.lock().is_idle(timeout)
    }

    /// Returns whether the session has ended. Requests that came before may still be there.
    pub(crate) fn has_ended(&self) -> bool {
        self.places.is_closed()
    }

    /// Starts the task of a request, which writes to this stream and calls [`finished`](Self::finished). If the session
    /// has ended, the stream is abandoned.
    pub(crate) fn start(
        &self,
        ids: Vec<owned::Id>,
        inbox: Inbox,
        stream: &Arc<Stream>,
        task: impl Future<Output = ()> + Send + 'static,
    ) {
        let mut state = self.lock();
        if state.has_ended {
            return stream.abandon();
        }
        state.streams.push_back(Arc::clone(stream));
        // Under the lock, so that the task does not finish before it is recorded.
        let task = tokio::spawn(task).abort_handle();
        state.running.push(Running { number: stream.number(), ids, inbox, task });
    }

    /// Records that the handler of a request has ended, and forgets what is too much.
    pub(crate) fn finished(&self, number: u64) {
        let mut state = self.lock();
        state.running.retain(|request| request.number != number);
        let State { running, streams, .. } = &mut *state;
        let is_running =
            |stream: &Stream| running.iter().any(|request| request.number == stream.number());
        let finished = streams.iter().filter(|stream| !is_running(stream));
        let (mut kept, mut bytes) = finished.fold((0_usize, 0_usize), |(kept, bytes), stream| {
            (kept.saturating_add(1), bytes.saturating_add(stream.len()))
        });
        streams.retain(|stream| {
            let is_kept = is_running(stream) || (kept <= FINISHED && bytes <= self.limit);
            if !is_kept {
                kept = kept.saturating_sub(1);
                bytes = bytes.saturating_sub(stream.len());
            }
            is_kept
        });
    }

    /// Forgets a stream that no client resumes.
    pub(crate) fn forget(&self, number: u64) {
        self.lock().streams.retain(|stream| stream.number() != number);
    }

    /// Returns the stream with this number.
    pub(crate) fn stream(&self, number: u64) -> Option<Arc<Stream>> {
        if number == self.stream.number() {
            return Some(Arc::clone(&self.stream));
        }
        let state = self.lock();
        state.streams.iter().find(|stream| stream.number() == number).cloned()
    }

    /// Returns where the answer to the call with this id goes.
    pub(crate) fn answered(&self, id: Id<'_>) -> Option<Inbox> {
        let (_, id) = id.like_integer()?;
        self.caller(id)
    }

    /// Returns where a notification about the progress of a call goes, if it is one.
    pub(crate) fn reported(&self, notification: &Notification<'_>) -> Option<Inbox> {
        self.caller(self.peer.reported_call(notification)?)
    }

    /// Returns the inbox of the handler that has made the call with this id.
    fn caller(&self, id: u64) -> Option<Inbox> {
        let number = id >> CALL_BITS;
        if number == 0 {
            return Some(self.inbox.clone());
        }
        let state = self.lock();
        let caller = state.running.iter().find(|request| request.number == number);
        caller.map(|request| request.inbox.clone())
    }

    /// Returns where the cancellation of the request with this id goes.
    pub(crate) fn request(&self, id: Id<'_>) -> Option<Inbox> {
        let state = self.lock();
        let is_it = |request: &&Running| request.ids.iter().any(|known| *known == id);
        state.running.iter().find(is_it).map(|request| request.inbox.clone())
    }

    /// Ends the session: its handlers are dropped, and its streams end.
    pub(crate) fn end(&self) {
        self.places.close();
        self.task.abort();
        self.stream.abandon();
        let mut state = self.lock();
        state.has_ended = true;
        for request in state.running.drain(..) {
            request.task.abort();
        }
        for stream in state.streams.drain(..) {
            stream.abandon();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The use of a session by one request and its response. A session that is visited does not expire.
#[derive(Debug)]
pub(crate) struct Visit(Arc<Session>);

impl Visit {
    pub(crate) fn downgrade(&self) -> Weak<Session> {
        Arc::downgrade(&self.0)
    }
}

impl Deref for Visit {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.0
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.visits = state.visits.saturating_sub(1);
        state.used = Instant::now();
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.end();
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("revision", &self.revision).finish_non_exhaustive()
    }
}
