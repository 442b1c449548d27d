//! The stored stream of a request of the legacy era: it outlives the connection, so that a client can resume it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use tautline::ErrorCode;
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

/// An answer: the code of its error, or `None` if it is a result or a batch.
pub(crate) type Answer = Option<ErrorCode>;

#[derive(Debug, Default)]
struct State {
    messages: VecDeque<Bytes>,
    /// The position of the first message that is stored.
    first: u64,
    /// The position after the last message that was handed to a reader.
    sent: u64,
    bytes: usize,
    /// The kind of the last message, once it was added.
    answer: Option<Answer>,
    is_over: bool,
    /// True if what is written is dropped.
    is_abandoned: bool,
    /// The number of readers that there were. Only the latest of them reads, and waits with the waker.
    readers: u64,
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
    /// The answer, and it is all.
    Single(Bytes, Answer),
    /// More than that, or it is not known yet.
    Events,
    /// The stream was abandoned.
    Gone,
}

impl Stream {
    pub(crate) fn new(number: u64, kind: Kind, limit: usize) -> Arc<Self> {
        let (state, room) = (Mutex::default(), Notify::new());
        Arc::new(Self { number, kind, limit, state, room })
    }

    pub(crate) const fn number(&self) -> u64 {
        self.number
    }

    /// Adds a message, which is the last one if it is an answer. Waits for room, unless messages are dropped.
    pub(crate) async fn push(&self, message: Bytes, answer: Option<Answer>) {
        while !self.try_push(&message, answer) {
            self.room.notified().await;
        }
    }

    fn try_push(&self, message: &Bytes, answer: Option<Answer>) -> bool {
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
        state.answer = answer;
        state.is_over |= answer.is_some();
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

    /// Returns the number of bytes that are stored.
    pub(crate) fn len(&self) -> usize {
        self.lock().bytes
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
        // Keep the messages that this reader has not got, even if an earlier one has got them.
        state.sent = next;
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

    /// Waits for what the response begins with.
    pub(crate) fn poll_opening(&self, cx: &mut Context<'_>) -> Poll<Opening> {
        let mut state = self.stream.lock();
        if state.is_abandoned {
            return Poll::Ready(Opening::Gone);
        }
        if let Some(answer) = state.answer
            && state.end() == 1
            && let Some(message) = state.messages.front().cloned()
        {
            state.sent = 1;
            return Poll::Ready(Opening::Single(message, answer));
        }
        let is_read_elsewhere = state.readers != self.reader;
        let has_more = state.is_over || !state.messages.is_empty() || state.pause.is_some();
        if is_read_elsewhere || has_more {
            return Poll::Ready(Opening::Events);
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
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
        if self.stream.kind == Kind::Plain {
            self.stream.abandon();
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests are expected to panic")]
mod tests {
    use std::future::poll_fn;

    use super::*;

    #[tokio::test]
    async fn one_message_that_is_no_answer_is_an_event() {
        let stream = Stream::new(1, Kind::Stored, 30);
        let reader = stream.reader(None).unwrap();
        stream.push("notification".into(), None).await;
        stream.finish();
        let opening = poll_fn(|cx| reader.poll_opening(cx)).await;
        assert!(matches!(opening, Opening::Events), "{opening:?}");
    }

    #[tokio::test]
    async fn what_a_resumed_reader_has_not_got_is_kept() {
        let stream = Stream::new(1, Kind::Stored, 8);
        let mut reader = stream.reader(None).unwrap();
        for message in ["m0", "m1", "m2", "m3"] {
            stream.push(message.into(), None).await;
            poll_fn(|cx| reader.poll_event(cx)).await;
        }
        let mut reader = stream.reader(Some(1)).unwrap();
        let push = tokio::spawn({
            let stream = Arc::clone(&stream);
            async move {
                for message in ["m4", "m5", "m6"] {
                    stream.push(message.into(), None).await;
                }
                stream.finish();
            }
        });
        tokio::task::yield_now().await;
        for position in 2..=7 {
            let event = poll_fn(|cx| reader.poll_event(cx)).await.unwrap();
            let expected = format!("id: 1-{position}\nevent: message\ndata: m{}\n\n", position - 1);
            assert_eq!(event, expected);
        }
        assert_eq!(poll_fn(|cx| reader.poll_event(cx)).await, None);
        push.await.unwrap();
    }
}
