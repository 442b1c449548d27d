//! A session of the legacy era: its revision, its streams, and the requests that run in it.

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tautline::Id;
use tautline::owned;
use tautline_mcp::Revision;
use tautline_tokio::Inbox;
use tokio::task::AbortHandle;

use super::held::HttpSession;
use super::stream::{Kind, Stream};

/// The number of streams of finished requests that a session keeps for clients that resume.
const FINISHED: usize = 32;

/// The number of bits of the id of a call that number the calls of one request. The bits above are the number of the
/// request, so an answer finds the handler that has called.
const CALL_BITS: u32 = 20;

/// Returns the first id for calls that the handler of a request makes. All ids up to 2^53 can be read by every client.
pub(crate) const fn first_call_id(number: u64) -> u64 {
    number << CALL_BITS
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
    /// The task that handles the notifications.
    task: AbortHandle,
    /// The number of the latest request. 0 is the session itself.
    latest: AtomicU64,
    limit: usize,
    state: Mutex<State>,
}

struct State {
    used: Instant,
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

impl Session {
    pub(crate) fn new(
        revision: Revision,
        held: Arc<HttpSession>,
        stream: Arc<Stream>,
        inbox: Inbox,
        task: AbortHandle,
        limit: usize,
    ) -> Self {
        let state = State {
            used: Instant::now(),
            running: Vec::new(),
            streams: VecDeque::new(),
            has_ended: false,
        };
        let latest = AtomicU64::new(0);
        Self { revision, held, stream, inbox, task, latest, limit, state: Mutex::new(state) }
    }

    /// Returns a number for a request.
    pub(crate) fn number(&self) -> u64 {
        self.latest.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
    }

    /// Records that the session is used.
    pub(crate) fn touch(&self) {
        self.lock().used = Instant::now();
    }

    /// Returns whether nothing has happened in the session for this long.
    pub(crate) fn is_idle(&self, timeout: Duration) -> bool {
        let state = self.lock();
        state.running.is_empty() && state.used.elapsed() >= timeout && !self.stream.is_read()
    }

    /// Creates the stream of a request. Returns `None` if as many requests run as may.
    pub(crate) fn open(&self, number: u64, most: usize) -> Option<Arc<Stream>> {
        let mut state = self.lock();
        if state.running.len() >= most || state.has_ended {
            return None;
        }
        let stream = Stream::new(number, Kind::Stored, self.limit);
        state.streams.push_back(Arc::clone(&stream));
        Some(stream)
    }

    /// Starts the task of a request, unless the session has ended. The task calls [`finished`](Self::finished).
    pub(crate) fn start(
        &self,
        number: u64,
        ids: Vec<owned::Id>,
        inbox: Inbox,
        task: impl Future<Output = ()> + Send + 'static,
    ) {
        let mut state = self.lock();
        if !state.has_ended {
            // Under the lock, so that the task does not finish before it is recorded.
            let task = tokio::spawn(task).abort_handle();
            state.running.push(Running { number, ids, inbox, task });
        }
    }

    /// Records that the handler of a request has ended, and forgets what is too much.
    pub(crate) fn finished(&self, number: u64) {
        let mut state = self.lock();
        state.used = Instant::now();
        state.running.retain(|request| request.number != number);
        let State { running, streams, .. } = &mut *state;
        let is_running =
            |stream: &Stream| running.iter().any(|request| request.number == stream.number());
        let mut kept = streams.iter().filter(|stream| !is_running(stream)).count();
        let mut bytes: usize = streams.iter().map(|stream| stream.len()).sum();
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
    pub(crate) fn caller(&self, id: Id<'_>) -> Option<Inbox> {
        let (_, id) = id.like_integer()?;
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
        self.task.abort();
        self.held.end();
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
