//! The log of exchanges: written by the proxy, and read by the threads that record and show them.
//!
//! Traffic never waits for a reader. If one falls behind, bytes of bodies and whole new exchanges are left out for it, and
//! their numbers are noted.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use tautline_audit::source::http::Part;
use tautline_audit::source::{Fields, RequestHead, ResponseHead};
use tautline_mcp::Role;

/// The most bytes that wait for a reader.
const MOST: usize = 64 * 1024 * 1024;

/// The most numbers of exchanges that are left out which are remembered. The lower ones have long ended.
const MOST_LEFT_OUT: usize = 64 * 1024;

/// The memory that an entry takes beside its bytes, roughly.
const ENTRY: usize = 256;

/// A part of an exchange that owns its contents.
#[derive(Clone, Debug)]
pub enum Note {
    Request(RequestHead<'static>),
    Response(ResponseHead<'static>),
    Bytes(Role, Bytes),
    Omitted(Role, u64),
    Closed(Role, Fields<'static>),
    Aborted(Role, String),
}

impl Note {
    /// Returns the part.
    pub fn part(&self) -> Part<'_> {
        match self {
            Self::Request(head) => Part::Request(head.clone()),
            Self::Response(head) => Part::Response(head.clone()),
            Self::Bytes(from, bytes) => Part::Bytes { from: *from, bytes },
            Self::Omitted(from, count) => Part::Omitted { from: *from, count: *count },
            Self::Closed(from, trailers) => {
                Part::Closed { from: *from, trailers: trailers.clone() }
            }
            Self::Aborted(from, why) => Part::Aborted { from: *from, why: why.as_str().into() },
        }
    }

    fn size(&self) -> usize {
        let fields = |fields: &Fields<'_>| {
            fields.iter().map(|(name, value)| name.len() + value.len() + 64).sum::<usize>()
        };
        ENTRY
            + match self {
                Self::Request(head) => head.target.len() + fields(&head.headers),
                Self::Response(head) => fields(&head.headers),
                Self::Bytes(_, bytes) => bytes.len(),
                Self::Omitted(..) => 0,
                Self::Closed(_, trailers) => fields(trailers),
                Self::Aborted(_, why) => why.len(),
            }
    }
}

/// A part of an exchange, with its time and the number of the exchange.
#[derive(Clone, Debug)]
pub struct Entry {
    pub us: i64,
    pub exchange: u64,
    pub note: Note,
}

/// A queue of the parts of exchanges, for its readers.
#[derive(Debug)]
pub struct Log {
    start: Instant,
    lanes: Mutex<Vec<Lane>>,
    is_stopping: AtomicBool,
}

#[derive(Debug)]
struct Lane {
    sender: Sender<Entry>,
    queued: Arc<AtomicUsize>,
    /// The numbers of bytes that were left out, and are not noted yet: by exchange, and whether the server sent them.
    omitted: BTreeMap<(u64, bool), u64>,
    /// The exchanges that are left out, because they began when too much was waiting.
    left_out: BTreeSet<u64>,
    missed: Arc<AtomicU64>,
}

/// A reader of the log.
#[derive(Debug)]
pub struct Reader {
    receiver: Receiver<Entry>,
    queued: Arc<AtomicUsize>,
    missed: Arc<AtomicU64>,
}

impl Log {
    /// Creates a log with this many readers.
    pub fn new(readers: usize) -> (Self, Vec<Reader>) {
        let (lanes, readers) = (0..readers)
            .map(|_| {
                let (sender, receiver) = mpsc::channel();
                let queued = Arc::new(AtomicUsize::new(0));
                let missed = Arc::new(AtomicU64::new(0));
                let lane = Lane {
                    sender,
                    queued: queued.clone(),
                    omitted: BTreeMap::new(),
                    left_out: BTreeSet::new(),
                    missed: missed.clone(),
                };
                (lane, Reader { receiver, queued, missed })
            })
            .unzip();
        let lanes = Mutex::new(lanes);
        let is_stopping = AtomicBool::new(false);
        (Self { start: Instant::now(), lanes, is_stopping }, readers)
    }

    /// Adds a part of an exchange.
    pub fn push(&self, exchange: u64, note: Note) {
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        let note = match note {
            // A slice would keep all of the buffer that it was read into.
            Note::Bytes(from, bytes) if !lanes.is_empty() => {
                Note::Bytes(from, Bytes::copy_from_slice(&bytes))
            }
            note => note,
        };
        // Under the lock, so that times never decrease.
        let us = self.now();
        for lane in lanes.iter_mut() {
            lane.push(us, exchange, &note);
        }
    }

    /// Returns the time since the start, in microseconds.
    pub fn now(&self) -> i64 {
        i64::try_from(self.start.elapsed().as_micros()).unwrap_or(i64::MAX)
    }

    /// Notes that the proxy stops. Exchanges that it breaks off from here on are no fault of the two sides.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    pub fn is_stopping(&self) -> bool {
        self.is_stopping.load(Ordering::Relaxed)
    }

    /// Ends the log: its readers read the rest.
    pub fn end(&self) {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Lane {
    fn push(&mut self, us: i64, exchange: u64, note: &Note) {
        let is_full = self.queued.load(Ordering::Relaxed) > MOST;
        if is_full && matches!(note, Note::Request(_)) {
            self.leave_out(exchange);
        }
        if self.left_out.contains(&exchange) {
            return;
        }
        if let (true, Note::Bytes(from, bytes)) = (is_full, note) {
            *self.omitted.entry((exchange, *from == Role::Server)).or_default() +=
                bytes.len() as u64;
            return;
        }
        for from in [Role::Client, Role::Server] {
            if let Some(count) = self.omitted.remove(&(exchange, from == Role::Server)) {
                self.send(Entry { us, exchange, note: Note::Omitted(from, count) });
            }
        }
        self.send(Entry { us, exchange, note: note.clone() });
    }

    fn leave_out(&mut self, exchange: u64) {
        self.missed.fetch_add(1, Ordering::Relaxed);
        self.left_out.insert(exchange);
        if self.left_out.len() > MOST_LEFT_OUT {
            self.left_out.pop_first();
        }
    }

    fn send(&self, entry: Entry) {
        let size = entry.note.size();
        // A reader that has left reads nothing more.
        if self.sender.send(entry).is_ok() {
            self.queued.fetch_add(size, Ordering::Relaxed);
        }
    }
}

impl Reader {
    /// Waits for the next entry. Returns `None` at the end of the log.
    pub fn next(&self) -> Option<Entry> {
        self.receiver.recv().ok().inspect(|entry| self.taken(entry))
    }

    /// Returns the number of exchanges that the reader misses, which may still grow.
    pub fn missed(&self) -> Arc<AtomicU64> {
        self.missed.clone()
    }

    /// Returns the next entry, if there is one.
    pub fn try_next(&self) -> Option<Entry> {
        self.receiver.try_recv().ok().inspect(|entry| self.taken(entry))
    }

    fn taken(&self, entry: &Entry) {
        self.queued.fetch_sub(entry.note.size(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use tautline_mcp::Role;

    use tautline_audit::source::RequestHead;

    use super::{Log, MOST, Note};

    /// A reader that falls behind misses new exchanges as a whole, and learns how many. Then it continues.
    #[test]
    fn heads_do_not_pile_up() {
        let (log, readers) = Log::new(1);
        let target = "x".repeat(64 * 1024);
        let request = |exchange| {
            let target = target.clone().into();
            let head = RequestHead { method: "GET".into(), target, headers: Vec::new() };
            log.push(exchange, Note::Request(head));
        };
        let close = |exchange| log.push(exchange, Note::Closed(Role::Server, Vec::new()));
        let count = (3 * MOST / target.len()) as u64;
        request(0);
        for exchange in 1..count {
            request(exchange);
            log.push(exchange, Note::Bytes(Role::Server, Bytes::from_static(b"a")));
            close(exchange);
        }
        // The end of one that is known is not left out.
        close(0);
        let (mut begun, mut ended) = (Vec::new(), Vec::new());
        while let Some(entry) = readers[0].try_next() {
            match entry.note {
                Note::Request(_) => begun.push(entry.exchange),
                Note::Closed(..) => ended.push(entry.exchange),
                _ => {}
            }
        }
        assert!(begun.len() * target.len() <= MOST + target.len());
        ended.sort_unstable();
        assert_eq!(begun, ended);
        let missed = readers[0].missed().load(super::Ordering::Relaxed);
        assert!(missed > 0);
        assert_eq!(begun.len() as u64 + missed, count);
        request(count);
        assert!(matches!(readers[0].try_next().unwrap().note, Note::Request(_)));
    }

    /// A reader that falls behind misses bytes, and learns how many.
    #[test]
    fn nobody_waits_for_a_reader() {
        let (log, readers) = Log::new(1);
        let piece = Bytes::from(vec![b'a'; 1024 * 1024]);
        let pieces = 2 * MOST / piece.len();
        (0..pieces).for_each(|_| log.push(1, Note::Bytes(Role::Server, piece.clone())));
        log.push(1, Note::Closed(Role::Server, Vec::new()));
        log.end();
        let (mut seen, mut omitted, mut is_closed) = (0, 0, false);
        while let Some(entry) = readers[0].next() {
            match entry.note {
                Note::Bytes(_, bytes) => seen += bytes.len() as u64,
                Note::Omitted(_, count) => omitted += count,
                Note::Closed(..) => is_closed = true,
                note => panic!("{note:?}"),
            }
        }
        assert!(is_closed && omitted > 0);
        assert!(seen as usize <= MOST + piece.len());
        assert_eq!(seen + omitted, (pieces * piece.len()) as u64);
    }
}
