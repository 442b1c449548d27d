//! The sessions of a log that several windows of a client may write at once.
//!
//! Each window writes the messages that it sends, so some records have copies. A new connection begins with a new
//! `initialize`, and its ids begin anew: the log shows that the server was started, or that the connection was closed.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use tautline::{Envelope, Id, Message, Profile};
use tautline_mcp::{KnownMethod, Role};

use super::out::{At, Out};
use super::{Ending, SourceError};
use crate::ids;

/// The number of requests that are remembered.
const MOST: usize = 1 << 16;

/// The number of other records that are remembered, in which copies are found.
const RECENT: usize = 16;

/// The maximum time between a record and its copy, in microseconds.
const APART: i64 = 2_000_000;

const COPIES: &str =
    "several windows have written some messages to the log more than once: copies were left out";
const SHARED: &str = "several windows share the log, and use the same ids for different requests: what depends on \
    ids is not judged in these sessions";

/// The state of the connection.
#[derive(Default)]
pub(super) struct Windows {
    /// The last `initialize`.
    opened: Option<Opened>,
    /// The requests of the client, by id.
    asked: HashMap<String, Asked>,
    /// The last records beside these requests and their responses.
    recent: VecDeque<(u64, Option<i64>)>,
    /// True if the server was started after the last `initialize`.
    is_restarted: bool,
    /// True if copies were found: several windows write the log.
    is_shared: bool,
    /// How the session ends, unless more of its messages follow.
    ending: Option<(&'static str, Ending, At)>,
}

struct Opened {
    id: String,
    hash: u64,
    time: Option<i64>,
}

#[derive(Default)]
struct Asked {
    hash: u64,
    time: Option<i64>,
    /// The number of copies of the request.
    copies: u64,
    responses: u64,
}

/// The kind of a message, and its id.
enum What {
    Initialize(String),
    Request(String),
    Response(String),
    Other,
}

impl What {
    fn of(from: Role, message: &[u8]) -> Self {
        let envelope = Envelope::read(message, &Profile::JSON_RPC);
        let key = |id: Id<'_>| ids::key_of(&id);
        match (from, envelope.message()) {
            (Role::Client, Ok(Message::Request(request))) => {
                let Some(id) = key(request.id()) else { return Self::Other };
                match KnownMethod::named(request.method()) {
                    Some(KnownMethod::Initialize) => Self::Initialize(id),
                    _ => Self::Request(id),
                }
            }
            (Role::Server, Ok(Message::Response(response))) => {
                response.id().and_then(key).map_or(Self::Other, Self::Response)
            }
            _ => Self::Other,
        }
    }
}

fn hash(from: Role, bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (from == Role::Client, bytes).hash(&mut hasher);
    hasher.finish()
}

/// Returns whether two records may have been written at once. Without times, they may.
fn is_close(time: Option<i64>, other: Option<i64>) -> bool {
    let apart = time.zip(other).map(|(time, other)| time.saturating_sub(other).saturating_abs());
    apart.is_none_or(|apart| apart <= APART)
}

impl Windows {
    /// Notes that the server was started.
    pub const fn started(&mut self) {
        self.is_restarted = true;
    }

    /// Notes that the connection was closed. Windows that share the log may still send.
    pub fn closed(&mut self, how: &'static str, ending: Ending, at: At) {
        if !matches!(self.ending, Some((_, Ending::Failed, _))) {
            self.ending = Some((how, ending, at));
        }
    }

    /// Ends the session.
    pub fn finish(&mut self, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
        match std::mem::take(self).ending {
            None => Ok(()),
            Some((how, Ending::Normal, at)) => out.end(how, at),
            Some((how, _, at)) => out.fail(how, at),
        }
    }

    /// Emits a message, unless it is a copy. Begins a new session if it belongs to a new connection.
    pub fn message(
        &mut self,
        from: Role,
        message: &[u8],
        at: At,
        out: &mut Out<'_, '_>,
    ) -> Result<(), SourceError> {
        let hash = hash(from, message);
        let is_copy = match What::of(from, message) {
            What::Initialize(id) => self.initialize(id, hash, at, out)?,
            what => {
                if self.ending.is_some() && self.is_restarted {
                    self.end(at, out)?;
                }
                match what {
                    What::Request(id) => self.request(id, hash, at, out)?,
                    What::Response(id) => self.response(&id),
                    What::Initialize(_) | What::Other => self.is_recent(hash, at.time),
                }
            }
        };
        if is_copy {
            return out.say(COPIES, at);
        }
        out.frame(from, message, at)
    }

    /// Notes that the log has only a part of the response with this id, as it was written.
    pub fn has_answered(&mut self, id: &str) {
        let id = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        if let What::Response(id) = What::of(Role::Server, id.as_bytes()) {
            self.response(&id);
        }
    }

    /// Returns whether a record of another kind, such as an error, is a copy.
    pub fn is_copy(&mut self, text: &str, time: Option<i64>) -> bool {
        self.is_recent(hash(Role::Server, text.as_bytes()), time)
    }

    /// Ends the session because another one begins.
    fn end(&mut self, at: At, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
        if self.ending.is_none() {
            self.ending = Some(("the server was started again", Ending::Normal, at));
        }
        self.finish(out)
    }

    /// Returns whether an `initialize` is a copy.
    fn initialize(
        &mut self,
        id: String,
        hash: u64,
        at: At,
        out: &mut Out<'_, '_>,
    ) -> Result<bool, SourceError> {
        if let Some(opened) = &self.opened {
            let asked = self.asked.get(&opened.id);
            let is_answered = asked.is_some_and(|asked| asked.responses > 0);
            let is_at_once = is_close(at.time, opened.time);
            if self.ending.is_none() && opened.hash == hash && (is_at_once || !is_answered) {
                if let Some(asked) = self.asked.get_mut(&id) {
                    asked.copies += 1;
                }
                self.is_shared = true;
                self.is_restarted = false;
                return Ok(true);
            }
            // A client uses an id only once in a connection.
            if self.ending.is_some() || self.is_restarted || opened.id == id {
                self.end(at, out)?;
            }
        }
        self.is_restarted = false;
        self.ending = None;
        self.opened = Some(Opened { id: id.clone(), hash, time: at.time });
        self.asked.insert(id, Asked { hash, time: at.time, ..Asked::default() });
        Ok(false)
    }

    /// Returns whether a request of the client is a copy.
    fn request(
        &mut self,
        id: String,
        hash: u64,
        at: At,
        out: &mut Out<'_, '_>,
    ) -> Result<bool, SourceError> {
        if let Some(asked) = self.asked.get_mut(&id) {
            if asked.hash == hash && (self.is_shared || is_close(at.time, asked.time)) {
                asked.copies += 1;
                self.is_shared = true;
                return Ok(true);
            }
            if self.is_shared || self.is_restarted {
                out.say(SHARED, at)?;
                out.missing(Role::ALL, at)?;
            }
        }
        if self.asked.len() < MOST {
            self.asked.insert(id, Asked { hash, time: at.time, ..Asked::default() });
        }
        Ok(false)
    }

    /// Returns whether a response of the server answers a copy of a request.
    fn response(&mut self, id: &str) -> bool {
        let Some(asked) = self.asked.get_mut(id) else { return false };
        asked.responses += 1;
        asked.responses > 1 && asked.responses - 1 <= asked.copies
    }

    /// Returns whether the same record was written shortly before, by another window.
    fn is_recent(&mut self, hash: u64, time: Option<i64>) -> bool {
        let is_same = |&(other, then): &(u64, _)| other == hash && is_close(time, then);
        if self.is_shared
            && let Some(at) = self.recent.iter().position(is_same)
        {
            // Each record has one copy, so that a third one is new.
            self.recent.remove(at);
            return true;
        }
        if self.recent.len() >= RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back((hash, time));
        false
    }
}
