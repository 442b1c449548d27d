//! The table of sessions, bounded in number and in time.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::session::{Session, Visit};

/// The length of a session id: 128 random bits in hexadecimal.
const LENGTH: usize = 32;

/// The id of a session.
pub(crate) type SessionId = [u8; LENGTH];

/// The least time between two searches of a full table.
const PAUSE: Duration = Duration::from_secs(1);

/// The open sessions.
#[derive(Debug)]
pub(crate) struct Sessions {
    limit: usize,
    timeout: Duration,
    /// The time-out of sessions that were only opened.
    opening: Duration,
    table: Mutex<Table>,
    is_swept: AtomicBool,
}

#[derive(Debug, Default)]
struct Table {
    sessions: HashMap<SessionId, Arc<Session>>,
    /// The sessions that were only opened, the oldest first, and others that are forgotten later.
    opened: VecDeque<SessionId>,
    /// When the full table was last searched for sessions that have expired.
    searched: Option<Instant>,
    /// True if the server has closed, so that no session opens any more.
    is_closed: bool,
}

impl Sessions {
    pub(crate) fn new(limit: usize, timeout: Duration, opening: Duration) -> Self {
        let (table, is_swept) = (Mutex::default(), AtomicBool::new(false));
        Self { limit, timeout, opening: opening.min(timeout), table, is_swept }
    }

    /// Adds a session. If there are too many, ends the oldest of those that were only opened. Returns whether there was
    /// room.
    pub(crate) fn add(&self, session: Session) -> bool {
        let Ok(id) = SessionId::try_from(session.held.id().as_bytes()) else { return false };
        let session = Arc::new(session);
        if self.lock().begin_search(self.limit) {
            self.expire();
        }
        let mut table = self.lock();
        let ended = (table.sessions.len() >= self.limit).then(|| table.pop_opened()).flatten();
        let is_added = !table.is_closed && table.sessions.len() < self.limit;
        if is_added {
            table.forget_opened(self.limit);
            table.opened.push_back(id);
            table.sessions.insert(id, session);
        }
        drop(table);
        // Without the lock, because its handlers are dropped.
        if let Some(session) = ended {
            session.end();
        }
        is_added
    }

    /// Returns an open session, which is in use from now on.
    pub(crate) fn get(&self, id: &[u8]) -> Option<Visit> {
        let id = SessionId::try_from(id).ok()?;
        let session = self.lock().sessions.get(&id).cloned();
        // A session that has expired may still be there.
        let session = session?;
        let visit = Arc::clone(&session).visit(self.time_limit(&session))?;
        session.held.touch();
        Some(visit)
    }

    /// Ends a session. Returns whether it was open.
    pub(crate) fn remove(&self, id: &[u8]) -> bool {
        let Ok(id) = SessionId::try_from(id) else { return false };
        let session = self.lock().sessions.remove(&id);
        session.inspect(|session| session.end()).is_some()
    }

    /// Ends the sessions that have expired.
    pub(crate) fn expire(&self) {
        let expired: Vec<_> = self
            .lock()
            .sessions
            .extract_if(|_, session| self.is_expired(session))
            .map(|(_, one)| one)
            .collect();
        // Without the lock, because their handlers are dropped.
        for session in expired {
            session.end();
        }
    }

    /// Ends all sessions, and opens none from now on.
    pub(crate) fn close(&self) {
        let closed = Table { is_closed: true, ..Table::default() };
        let all = std::mem::replace(&mut *self.lock(), closed).sessions;
        for session in all.into_values() {
            session.end();
        }
    }

    /// Ends the streams that clients have opened with GET.
    pub(crate) fn end_streams(&self) {
        for session in self.lock().sessions.values() {
            session.stream.finish();
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.lock().sessions.len()
    }

    /// Returns whether no task searches for expired sessions yet. From now on, one does.
    pub(crate) fn begin_sweep(&self) -> bool {
        !self.is_swept.swap(true, Ordering::Relaxed)
    }

    /// Returns the shortest time after which a session expires.
    pub(crate) const fn shortest_timeout(&self) -> Duration {
        self.opening
    }

    fn time_limit(&self, session: &Session) -> Duration {
        if session.held.is_used() { self.timeout } else { self.opening }
    }

    fn is_expired(&self, session: &Session) -> bool {
        session.is_idle(self.time_limit(session))
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Returns whether the table is full, and a search of it is due, which begins now.
    fn begin_search(&mut self, limit: usize) -> bool {
        let is_due = self.searched.is_none_or(|searched| searched.elapsed() >= PAUSE);
        let begins = is_due && self.sessions.len() >= limit;
        if begins {
            self.searched = Some(Instant::now());
        }
        begins
    }

    /// Removes the oldest session that was only opened.
    fn pop_opened(&mut self) -> Option<Arc<Session>> {
        while let Some(id) = self.opened.pop_front() {
            if self.is_only_opened(&id) {
                return self.sessions.remove(&id);
            }
        }
        None
    }

    /// Forgets those that were used or have ended, once there may be many.
    fn forget_opened(&mut self, limit: usize) {
        if self.opened.len() / 2 >= limit {
            let mut opened = std::mem::take(&mut self.opened);
            opened.retain(|id| self.is_only_opened(id));
            self.opened = opened;
        }
    }

    fn is_only_opened(&self, id: &SessionId) -> bool {
        self.sessions.get(id).is_some_and(|session| !session.held.is_used())
    }
}

/// Returns a new id from the secure source of the system (MCP 2025-11-25, basic/transports, session management).
pub(crate) fn new_id() -> Option<String> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut random = [0; LENGTH / 2];
    getrandom::fill(&mut random).ok()?;
    let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).copied().unwrap_or(b'0');
    let digits = random.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]);
    Some(digits.map(char::from).collect())
}
