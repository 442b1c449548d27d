//! The stored stream of a request of the legacy era: it outlives the connection, so that a client can resume it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Notify;

use super::event;

/// The messages of a stream, up to a limit. Those that were sent are kept for a client that resumes, as long as there is
/// room.
#[derive(Debug)]
pub(crate) struct Stream {
    number: u64,
    kind: Kind,
    limit: usize,
    state: Mutex<State>,
    /// Notifies the writer that there is room.
    room: Notify,
}

/// The treatment of messages that no one reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The writer waits until a client reads them. The stream of a request in a session.
    Stored,
    /// The oldest are dropped. The stream of a session, which a client may never open.
    Lossy,
    /// They are dropped once the reader has gone. The stream of a request without a session.
    Plain,
}

#[derive(Debug, Default)]
struct State {
    messages: VecDeque<Bytes>,
    /// The position of the first message that is stored.
    first: u64,
    /// The position after the last message that was handed to a reader.
    sent: u64,
    bytes: usize,
    is_over: bool,
    /// True if what is written is dropped.
    is_abandoned: bool,
    /// The number of readers that there were. Only the latest of them reads.
    readers: u64,
    is_read: bool,
    waker: Option<Waker>,
    /// The wish of a handler to end the response, and when the client shall come back.
    pause: Option<Duration>,
}

impl State {
    fn end(&self) -> u64 {
        self.first.saturating_add(u64::try_from(self.messages.len()).unwrap_or(u64::MAX))
    }

    fn pop(&mut self) {
        if let Some(message) = self.messages.pop_front() {
            self.bytes = self.bytes.saturating_sub(message.len());
            self.first = self.first.saturating_add(1);
        }
    }

    fn wake(&mut self) {
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }
}

/// The contents of a stream when its response begins.
#[derive(Debug)]
pub(crate) enum Opening {
    /// One message, and it is all.
    Single(Bytes),
    /// More than that, or it is not known yet.
    Events,
}

impl Stream {
    pub(crate) fn new(number: u64, kind: Kind, limit: usize) -> Arc<Self> {
        let (state, room) = (Mutex::default(), Notify::new());
        Arc::new(Self { number, kind, limit, state, room })
    }

    pub(crate) const fn number(&self) -> u64 {
        self.number
    }

    /// Adds a message, which may be the last one. Waits for room, unless messages are dropped.
    pub(crate) async fn push(&self, message: Bytes, is_last: bool) {
        while !self.try_push(&message, is_last) {
            self.room.notified().await;
        }
    }

    fn try_push(&self, message: &Bytes, is_last: bool) -> bool {
        let mut state = self.lock();
        if state.is_abandoned {
            return true;
        }
        let limit = self.limit.saturating_sub(message.len());
        while state.bytes > limit && (state.first < state.sent || self.kind == Kind::Lossy) {
            state.pop();
        }
        if state.bytes > limit && !state.messages.is_empty() {
            return false;
        }
        state.bytes = state.bytes.saturating_add(message.len());
        state.messages.push_back(message.clone());
        state.is_over |= is_last;
        state.wake();
        true
    }

    /// Marks the stream as complete.
    pub(crate) fn finish(&self) {
        let mut state = self.lock();
        state.is_over = true;
        state.wake();
    }

    /// Drops all messages, and ends the reader.
    pub(crate) fn abandon(&self) {
        let mut state = self.lock();
        state.is_abandoned = true;
        state.is_over = true;
        state.messages.clear();
        state.bytes = 0;
        state.wake();
        drop(state);
        self.room.notify_one();
    }

    /// Ends the response, and tells the client to come back after this time.
    pub(crate) fn pause(&self, retry: Duration) {
        let mut state = self.lock();
        state.pause = Some(retry);
        state.wake();
    }

    /// Returns whether a client reads the stream.
    pub(crate) fn is_read(&self) -> bool {
        self.lock().is_read
    }

    /// Returns the number of bytes that are stored.
    pub(crate) fn len(&self) -> usize {
        self.lock().bytes
    }

    /// Waits for what the response begins with.
    pub(crate) fn poll_opening(&self, cx: &mut Context<'_>) -> Poll<Opening> {
        let mut state = self.lock();
        if state.is_over
            && state.end() == 1
            && let Some(message) = state.messages.front().cloned()
        {
            state.sent = 1;
            return Poll::Ready(Opening::Single(message));
        }
        if state.is_over || !state.messages.is_empty() || state.pause.is_some() {
            return Poll::Ready(Opening::Events);
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Returns a reader of what was not sent yet, or of what comes after a position. An earlier reader ends. Returns `None`
    /// if the messages after the position are not stored any more, or never were.
    pub(crate) fn reader(self: &Arc<Self>, after: Option<u64>) -> Option<Reader> {
        let mut state = self.lock();
        let next = after.unwrap_or(state.sent.max(state.first));
        if next < state.first || next > state.end() {
            return None;
        }
        state.readers = state.readers.wrapping_add(1);
        let reader = state.readers;
        state.is_read = true;
        state.wake();
        drop(state);
        Some(Reader { stream: Arc::clone(self), next, reader })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A reader of a stream.
#[derive(Debug)]
pub(crate) struct Reader {
    stream: Arc<Stream>,
    next: u64,
    reader: u64,
}

impl Reader {
    /// Returns the position of the reader, for the id of an event.
    pub(crate) fn position(&self) -> (u64, u64) {
        (self.stream.number, self.next)
    }

    /// Returns the next event. `None` ends the response.
    pub(crate) fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let mut state = self.stream.lock();
        if state.readers != self.reader {
            return Poll::Ready(None);
        }
        // A lossy stream may have dropped the next message.
        self.next = self.next.max(state.first);
        let index = usize::try_from(self.next.saturating_sub(state.first)).unwrap_or(usize::MAX);
        if let Some(message) = state.messages.get(index).cloned() {
            self.next = self.next.saturating_add(1);
            state.sent = state.sent.max(self.next);
            drop(state);
            self.stream.room.notify_one();
            let id = (self.stream.kind != Kind::Plain).then(|| self.position());
            return Poll::Ready(Some(event::message(&message, id)));
        }
        if state.is_over {
            return Poll::Ready(None);
        }
        if let Some(retry) = state.pause.take() {
            state.readers = state.readers.wrapping_add(1);
            return Poll::Ready(Some(event::retry(retry)));
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let mut state = self.stream.lock();
        state.is_read &= state.readers != self.reader;
        drop(state);
        if self.stream.kind == Kind::Plain {
            self.stream.abandon();
        }
    }
}
