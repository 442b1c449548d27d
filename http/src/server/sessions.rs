//! The table of sessions, bounded in number and in time.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::session::{Session, Visit};

/// The length of a session id: 128 random bits in hexadecimal.
const LENGTH: usize = 32;

/// The id of a session.
pub(crate) type SessionId = [u8; LENGTH];

/// The open sessions.
#[derive(Debug)]
pub(crate) struct Sessions {
    limit: usize,
    timeout: Duration,
    table: Mutex<Table>,
    is_swept: AtomicBool,
}

#[derive(Debug, Default)]
struct Table {
    sessions: HashMap<SessionId, Arc<Session>>,
    /// True if the server has closed, so that no session opens any more.
    is_closed: bool,
}

impl Sessions {
    pub(crate) fn new(limit: usize, timeout: Duration) -> Self {
        Self { limit, timeout, table: Mutex::default(), is_swept: AtomicBool::new(false) }
    }

    /// Adds a session, and returns its id. Returns `None` if there are too many, or if there are no random numbers.
    pub(crate) fn add(&self, session: Session) -> Option<SessionId> {
        let id = new_id()?;
        if self.len() >= self.limit {
            self.expire();
        }
        let mut table = self.lock();
        if table.is_closed || table.sessions.len() >= self.limit {
            return None;
        }
        table.sessions.insert(id, Arc::new(session));
        Some(id)
    }

    /// Returns an open session, which is in use from now on.
    pub(crate) fn get(&self, id: &[u8]) -> Option<Visit> {
        let id = SessionId::try_from(id).ok()?;
        let session = self.lock().sessions.get(&id).cloned();
        // A session that has expired may still be there.
        session?.visit(self.timeout)
    }

    /// Ends a session. Returns whether it was open.
    pub(crate) fn remove(&self, id: &[u8]) -> bool {
        let Ok(id) = SessionId::try_from(id) else { return false };
        let session = self.lock().sessions.remove(&id);
        session.inspect(|session| session.end()).is_some()
    }

    /// Ends the sessions that have expired.
    pub(crate) fn expire(&self) {
        let is_expired = |session: &Arc<Session>| session.is_idle(self.timeout);
        let expired: Vec<_> = self
            .lock()
            .sessions
            .extract_if(|_, session| is_expired(session))
            .map(|(_, one)| one)
            .collect();
        // Without the lock, because their handlers are dropped.
        for session in expired {
            session.end();
        }
    }

    /// Ends all sessions, and opens none from now on.
    pub(crate) fn close(&self) {
        let closed = Table { sessions: HashMap::new(), is_closed: true };
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

    pub(crate) const fn timeout(&self) -> Duration {
        self.timeout
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns a new id from the secure source of the system (MCP 2025-11-25, basic/transports, session management).
fn new_id() -> Option<SessionId> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut random = [0; LENGTH / 2];
    getrandom::fill(&mut random).ok()?;
    let digit = |nibble: u8| DIGITS.get(usize::from(nibble)).copied().unwrap_or(b'0');
    let digits = random.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]);
    let mut id = [0; LENGTH];
    for (place, digit) in id.iter_mut().zip(digits) {
        *place = digit;
    }
    Some(id)
}
