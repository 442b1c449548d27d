//! The queue of outgoing messages, bounded in bytes.

use std::fmt;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures_util::task::AtomicWaker;
use tautline::ErrorCode;
use tokio::sync::{Notify, Semaphore};

use crate::tap::SentTap;

/// Turns an encoded line into a frame, and adds it to the queue.
pub(crate) type Framer = Box<dyn FnMut(&[u8], &mut Vec<u8>) + Send>;

/// The number of bytes by which refusals may exceed the limit: room for about ten thousand.
const ROOM_FOR_REFUSALS: usize = 1 << 20;

/// Messages that wait until the connection sends them.
///
/// A message enters while the queue contains fewer bytes than the limit. So the queue exceeds the limit by at most one
/// message, plus the few messages that cannot wait: see [`push`](Self::push).
pub(crate) struct Outbox {
    queue: Mutex<Queue>,
    limit: usize,
    /// Orders the senders: first come, first served.
    turn: Semaphore,
    /// Notifies the sender whose turn it is that there is room.
    room: Notify,
    /// Wakes the task of the connection.
    pub(crate) driver: AtomicWaker,
}

struct Queue {
    bytes: Vec<u8>,
    /// The number of bytes that the connection has taken but not yet sent.
    taken: usize,
    is_closed: bool,
    /// The answer, once it is in the queue.
    answer: Option<Answer>,
    /// True if the answer is the last message.
    ends_with_answer: bool,
    framer: Option<Framer>,
    tap: Option<SentTap>,
}

/// An answer: the code of its error, or `None` if it is a result or a batch.
pub(crate) type Answer = Option<ErrorCode>;

/// The error if the connection can't send any more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutboxClosed;

impl Outbox {
    /// Creates an empty queue. Without a framer, each line is a frame.
    pub(crate) fn new(limit: usize, framer: Option<Framer>, tap: Option<SentTap>) -> Self {
        let queue = Queue {
            bytes: Vec::new(),
            taken: 0,
            is_closed: false,
            answer: None,
            ends_with_answer: false,
            framer,
            tap,
        };
        Self {
            queue: Mutex::new(queue),
            limit,
            turn: Semaphore::new(1),
            room: Notify::new(),
            driver: AtomicWaker::new(),
        }
    }

    /// Adds a request or a notification when there is room.
    pub(crate) async fn send(&self, mut line: Vec<u8>) -> Result<(), OutboxClosed> {
        self.send_as(&mut line, None).await
    }

    /// Adds an answer when there is room. The line is empty once it was added.
    pub(crate) async fn send_answer(&self, line: &mut Vec<u8>, answer: Answer) {
        // If the connection has ended, no one waits for the answer.
        let _ = self.send_as(line, Some(answer)).await;
    }

    async fn send_as(
        &self,
        line: &mut Vec<u8>,
        answer: Option<Answer>,
    ) -> Result<(), OutboxClosed> {
        let _turn = self.turn.acquire().await.map_err(|_| OutboxClosed)?;
        loop {
            {
                let queue = self.lock();
                if queue.is_over() {
                    return Err(OutboxClosed);
                }
                if queue.len() < self.limit {
                    self.add(queue, line, answer);
                    return Ok(());
                }
            }
            self.room.notified().await;
        }
    }

    /// Adds a message at once. Use this only for messages whose number is bounded in another way: the message belongs
    /// to a call or to a request that is in flight, or the sender has checked that there is [room](Self::has_room).
    pub(crate) fn push(&self, mut line: Vec<u8>) {
        self.push_as(&mut line, None);
    }

    /// Adds an answer at once, as [`push`](Self::push) does.
    pub(crate) fn push_answer(&self, mut line: Vec<u8>, answer: Answer) {
        self.push_as(&mut line, Some(answer));
    }

    fn push_as(&self, line: &mut Vec<u8>, answer: Option<Answer>) {
        let queue = self.lock();
        if !queue.is_over() {
            self.add(queue, line, answer);
        }
    }

    fn add(&self, mut queue: MutexGuard<'_, Queue>, line: &mut Vec<u8>, answer: Option<Answer>) {
        let was_empty = queue.len() == 0;
        queue.answer = queue.answer.or(answer);
        let Queue { bytes, framer, tap, .. } = &mut *queue;
        // This is under the lock, so that messages are seen in the order in which they are sent.
        if let Some(tap) = tap {
            tap.see(line);
        }
        match framer {
            // A long line is moved, and not copied.
            None if bytes.is_empty() && line.len() > bytes.capacity() => mem::swap(bytes, line),
            None => bytes.extend_from_slice(line),
            Some(framer) => framer(line, bytes),
        }
        line.clear();
        drop(queue);
        // If the queue was not empty, the connection is awake or waits for the writer, and checks the queue again.
        if was_empty {
            self.driver.wake();
        }
    }

    /// Makes the first answer the last message: nothing enters the queue after it.
    pub(crate) fn end_with_answer(&self) {
        self.lock().ends_with_answer = true;
    }

    /// Returns the answer, if it has entered the queue.
    pub(crate) fn answer(&self) -> Option<Answer> {
        self.lock().answer
    }

    pub(crate) fn has_room(&self) -> bool {
        let queue = self.lock();
        queue.is_closed || queue.len() < self.limit
    }

    /// Returns whether there is room for refusals, which may exceed the limit so that reading can continue.
    pub(crate) fn has_room_for_refusals(&self) -> bool {
        let queue = self.lock();
        queue.is_closed || queue.len() < self.limit.saturating_add(ROOM_FOR_REFUSALS)
    }

    /// Returns the number of bytes that are not yet sent.
    pub(crate) fn len(&self) -> usize {
        self.lock().len()
    }

    /// Swaps an empty buffer for the queued bytes. Returns whether there are any.
    pub(crate) fn take(&self, buffer: &mut Vec<u8>) -> bool {
        let mut queue = self.lock();
        mem::swap(&mut queue.bytes, buffer);
        queue.taken = buffer.len();
        !buffer.is_empty()
    }

    /// Records that this many of the taken bytes were sent.
    pub(crate) fn sent(&self, count: usize) {
        let mut queue = self.lock();
        let was_full = queue.len() >= self.limit;
        queue.taken = queue.taken.saturating_sub(count);
        let is_full = queue.len() >= self.limit;
        drop(queue);
        if was_full && !is_full {
            self.room.notify_one();
        }
    }

    /// Closes the queue. Its messages and later ones are dropped.
    pub(crate) fn close(&self) {
        let mut queue = self.lock();
        queue.is_closed = true;
        queue.bytes = Vec::new();
        queue.taken = 0;
        drop(queue);
        self.turn.close();
        self.room.notify_one();
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    /// Returns whether nothing more enters the queue.
    const fn is_over(&self) -> bool {
        self.is_closed || (self.ends_with_answer && self.answer.is_some())
    }

    const fn len(&self) -> usize {
        self.bytes.len().saturating_add(self.taken)
    }
}

impl fmt::Debug for Outbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outbox").field("len", &self.len()).field("limit", &self.limit).finish()
    }
}
