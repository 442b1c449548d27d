//! The log: written by the threads that forward traffic, and read by the threads that record and show it.
//!
//! A piece is added to the log, with its time, before it is forwarded. Otherwise its answer could be logged first. This
//! costs one copy under a lock, and the piece is parsed only later. Traffic waits for the recorder if the disk is slow.
//! It never waits for the display, which skips a part instead.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tautline_audit::source::Stream;
use tautline_mcp::Role;

use super::batch::{Batch, Note};
use crate::process::Exit;

/// The size of a batch, in bytes, at which traffic waits for the recorder, or the display skips pieces. Up to twice
/// this much is in memory for each reader, because one batch fills while the other is processed.
const LIMIT: usize = 4 * 1024 * 1024;

/// A reader of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    Recorder,
    Display,
}

/// A queue of the events of a session, for its readers.
#[derive(Debug)]
pub struct Log {
    start: Instant,
    lanes: Mutex<Lanes>,
    /// Notified when there may be room in the recorder's batch.
    room: Condvar,
    /// Notified when there is something to read, or at the end.
    filled: [Condvar; 2],
}

#[derive(Debug)]
struct Lanes {
    lanes: [Option<Lane>; 2],
    is_ended: bool,
}

#[derive(Debug, Default)]
struct Lane {
    batch: Batch,
    is_waited_for: bool,
    /// The numbers of bytes of the client and of the server that were skipped since the last piece.
    skipped: [u64; 2],
}

impl Log {
    /// Creates a log that these readers will read.
    pub fn new(readers: &[Reader]) -> Self {
        let lane = |reader| readers.contains(&reader).then(Lane::default);
        let lanes = [lane(Reader::Recorder), lane(Reader::Display)];
        Self {
            start: Instant::now(),
            lanes: Mutex::new(Lanes { lanes, is_ended: false }),
            room: Condvar::new(),
            filled: [Condvar::new(), Condvar::new()],
        }
    }

    /// Adds a piece. Waits while the recorder has no room.
    pub fn bytes(&self, stream: Stream, bytes: &[u8]) {
        let mut lanes = self.lock();
        while lanes.recorder().is_some_and(|lane| lane.is_full()) {
            lanes = self.room.wait(lanes).unwrap_or_else(PoisonError::into_inner);
        }
        let us = self.now();
        if let Some(lane) = lanes.recorder() {
            lane.batch.push_bytes(us, stream, bytes);
        }
        if let (Some(lane), Some(role)) = (lanes.display(), stream.role()) {
            lane.offer(us, role, bytes);
        }
        self.wake(&mut lanes);
    }

    /// Notes that a side will send no more.
    pub fn closed(&self, side: Role) {
        self.note(Note::Closed(side));
    }

    /// Ends the session when the server's process has ended.
    pub fn end(&self, exit: Exit) {
        self.note(Note::Exit(exit));
        let mut lanes = self.lock();
        lanes.is_ended = true;
        self.wake(&mut lanes);
    }

    fn note(&self, note: Note) {
        let mut lanes = self.lock();
        let us = self.now();
        if let Some(lane) = lanes.recorder() {
            lane.batch.push(us, note);
        }
        if let Some(lane) = lanes.display() {
            lane.confess(us);
            lane.batch.push(us, note);
        }
        self.wake(&mut lanes);
    }

    /// Waits for a batch, and swaps it with the given one, which it clears first. Returns false at the end.
    pub fn take(&self, reader: Reader, batch: &mut Batch) -> bool {
        batch.clear();
        let mut lanes = self.lock();
        loop {
            let is_ended = lanes.is_ended;
            let Some(lane) = &mut lanes.lanes[reader as usize] else { return false };
            if !lane.batch.is_empty() {
                std::mem::swap(&mut lane.batch, batch);
                drop(lanes);
                self.room.notify_all();
                return true;
            }
            if is_ended {
                return false;
            }
            lane.is_waited_for = true;
            let filled = &self.filled[reader as usize];
            lanes = filled.wait(lanes).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Removes this reader. Traffic no longer waits for it.
    pub fn leave(&self, reader: Reader) {
        self.lock().lanes[reader as usize] = None;
        self.room.notify_all();
    }

    fn wake(&self, lanes: &mut Lanes) {
        for (lane, filled) in lanes.lanes.iter_mut().zip(&self.filled) {
            // A reader that is not waiting will check again by itself, so notifying it would waste a system call.
            if let Some(lane) = lane
                && std::mem::take(&mut lane.is_waited_for)
            {
                filled.notify_one();
            }
        }
    }

    fn now(&self) -> i64 {
        i64::try_from(self.start.elapsed().as_micros()).unwrap_or(i64::MAX)
    }

    fn lock(&self) -> MutexGuard<'_, Lanes> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lanes {
    fn recorder(&mut self) -> Option<&mut Lane> {
        self.lanes[Reader::Recorder as usize].as_mut()
    }

    fn display(&mut self) -> Option<&mut Lane> {
        self.lanes[Reader::Display as usize].as_mut()
    }
}

impl Lane {
    fn is_full(&self) -> bool {
        self.batch.size() >= LIMIT
    }

    /// Adds a piece, or counts its bytes as skipped.
    fn offer(&mut self, us: i64, side: Role, bytes: &[u8]) {
        if self.is_full() {
            self.skipped[index(side)] += bytes.len() as u64;
            return;
        }
        self.confess(us);
        self.batch.push_bytes(us, side.into(), bytes);
    }

    /// Adds notes on the bytes that were skipped.
    fn confess(&mut self, us: i64) {
        for side in [Role::Client, Role::Server] {
            let skipped = std::mem::take(&mut self.skipped[index(side)]);
            if skipped > 0 {
                self.batch.push(us, Note::Skipped(side.into(), skipped));
            }
        }
    }
}

fn index(side: Role) -> usize {
    match side {
        Role::Client => 0,
        Role::Server => 1,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::Duration;

    use tautline_audit::source::Stream;
    use tautline_mcp::Role;

    use super::{LIMIT, Log, Reader};
    use crate::process::Exit;
    use crate::tap::batch::{Batch, Note};

    static PIECE: [u8; 64 * 1024] = [b'a'; 64 * 1024];

    /// The display misses a part of the traffic while it is busy, and is notified how much was skipped.
    #[test]
    fn the_display_is_never_waited_for() {
        let log = Log::new(&[Reader::Display]);
        let pieces = 3 * LIMIT / PIECE.len();
        (0..pieces).for_each(|_| log.bytes(Stream::Server, &PIECE));
        let mut batch = Batch::default();
        assert!(log.take(Reader::Display, &mut batch));
        assert!(batch.size() < LIMIT + 2 * PIECE.len());
        let count = |batch: &Batch| batch.iter().map(|(.., bytes)| bytes.len() as u64).sum::<u64>();
        let seen = count(&batch);
        log.bytes(Stream::Client, b"1");
        log.closed(Role::Client);
        log.end(Exit::Code(0));
        assert!(log.take(Reader::Display, &mut batch));
        let skipped = (pieces * PIECE.len()) as u64 - seen;
        let notes: Vec<Note> = batch.iter().map(|(_, note, _)| note).collect();
        assert_eq!(
            notes,
            [
                Note::Skipped(Stream::Server, skipped),
                Note::Bytes(Stream::Client, 1),
                Note::Closed(Role::Client),
                Note::Exit(Exit::Code(0)),
            ]
        );
        assert!(!log.take(Reader::Display, &mut batch));
    }

    /// Traffic waits until the recorder has room, or has left.
    #[test]
    fn the_recorder_is_waited_for() {
        for leaves in [false, true] {
            let log = Log::new(&[Reader::Recorder]);
            let is_done = AtomicBool::new(false);
            let pieces = 3 * LIMIT / PIECE.len();
            thread::scope(|scope| {
                scope.spawn(|| {
                    (0..pieces).for_each(|_| log.bytes(Stream::Server, &PIECE));
                    is_done.store(true, Ordering::Relaxed);
                    log.end(Exit::Signal(9));
                });
                thread::sleep(Duration::from_millis(50));
                assert!(!is_done.load(Ordering::Relaxed));
                if leaves {
                    log.leave(Reader::Recorder);
                    return;
                }
                let mut batch = Batch::default();
                let mut taken = 0;
                while log.take(Reader::Recorder, &mut batch) {
                    taken += batch.iter().map(|(.., bytes)| bytes.len()).sum::<usize>();
                }
                assert_eq!(taken, pieces * PIECE.len());
            });
        }
    }
}
