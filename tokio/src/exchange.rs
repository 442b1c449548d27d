//! An exchange: a connection without a stream of bytes, for transports such as HTTP.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use tautline::{ErrorCode, Profile};
use tokio::sync::mpsc;

use crate::engine::Engine;
use crate::inbox::Entry;
use crate::{Inbox, Peer};

/// A connection that is given its messages one by one, and whose messages are taken from it one by one; see
/// [`Options::exchange`](crate::Options::exchange).
///
/// It does nothing until it is [polled](Self::poll_message). If it is dropped, its handlers are dropped at their current
/// await points, and its calls fail.
///
/// If the first message is a request or a batch with requests, the answer to it is the last message of the exchange.
/// Notifications that a handler, or a task of it, sends later fail with [`CallError::Closed`](crate::CallError::Closed).
///
/// ```
/// use std::future::poll_fn;
/// use std::sync::Arc;
///
/// use tautline::Profile;
/// use tautline_tokio::{Handlers, Options};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let handlers = Handlers::new(()).request("add", async |_, (a, b): (i64, i64)| Ok(a + b));
/// let mut exchange = Options::json_rpc().exchange(&Arc::new(handlers));
/// let request = r#"{"jsonrpc":"2.0","id":1,"method":"add","params":[40,2]}"#;
/// exchange.receive(request.into(), &Profile::JSON_RPC);
/// let answer = poll_fn(|cx| exchange.poll_message(cx)).await;
/// assert_eq!(answer.unwrap(), r#"{"jsonrpc":"2.0","id":1,"result":42}"#);
/// assert!(poll_fn(|cx| exchange.poll_message(cx)).await.is_none());
/// # }
/// ```
#[must_use = "an exchange does nothing unless it is polled"]
pub struct Exchange {
    engine: Engine,
    peer: Peer,
    received: VecDeque<Entry>,
    inbox: Option<(Inbox, mpsc::Receiver<Entry>)>,
    /// Lines that were taken from the outbox.
    lines: Bytes,
    /// The length of the buffer that the lines are part of.
    buffer: usize,
    /// True once a request was received, so that its answer ends the exchange.
    is_asked: bool,
}

impl Exchange {
    pub(crate) fn new(engine: Engine) -> Self {
        let peer = Peer::new(Arc::clone(&engine.shared));
        Self {
            engine,
            peer,
            received: VecDeque::new(),
            inbox: None,
            lines: Bytes::new(),
            buffer: 0,
            is_asked: false,
        }
    }

    /// Returns a handle to the other side.
    pub const fn peer(&self) -> &Peer {
        &self.peer
    }

    /// Passes on a message, which is parsed under this profile and handled when the exchange is polled. White space around
    /// and inside of the message may contain line feeds. If it is invalid, the reply that it is owed is sent.
    pub fn receive(&mut self, message: Bytes, profile: &Profile) {
        self.received.push_back((message, *profile, None));
    }

    /// Returns a handle through which other tasks pass on messages, such as the answers to the calls of a handler.
    pub fn inbox(&mut self) -> Inbox {
        let limit = self.engine.limits.backlog;
        let (inbox, _) = self.inbox.get_or_insert_with(|| Inbox::new(limit));
        inbox.clone()
    }

    /// Handles what was received, and returns the next message to send, without a line feed. `None` means that all is
    /// answered: no handler runs, and no message waits. The exchange can be polled again, and continues when it receives
    /// another message.
    ///
    /// Messages that are not taken fill the [queue](crate::Options::with_max_unsent), and then the handlers wait.
    pub fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            if let Some(line) = self.next_line() {
                return Poll::Ready(Some(line));
            }
            self.engine.shared.outbox.driver.register(cx.waker());
            self.handle(cx);
            let mut bytes = Vec::new();
            if self.engine.shared.outbox.take(&mut bytes) {
                self.buffer = bytes.capacity();
                self.lines = bytes.into();
                continue;
            }
            let is_over = self.engine.is_idle();
            return if is_over { Poll::Ready(None) } else { Poll::Pending };
        }
    }

    /// Handles what was received, and takes no message. Use this while a message that was taken waits for room elsewhere,
    /// so that answers and cancellations still arrive. `Ready` means that no handler runs and no request waits.
    pub fn poll_received(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.engine.shared.outbox.driver.register(cx.waker());
        self.handle(cx);
        if self.engine.owes_nothing() { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Returns the code of the error that answers the request, or `None` if the answer is a result or a batch. Returns
    /// `None` as a whole while there is no answer.
    #[must_use]
    pub fn answer(&self) -> Option<Option<ErrorCode>> {
        self.engine.shared.outbox.answer()
    }

    /// Returns the [answer](Self::answer), if it was taken. It is the message that was taken last.
    #[must_use]
    pub fn taken_answer(&self) -> Option<Option<ErrorCode>> {
        self.answer().filter(|_| !self.has_message())
    }

    /// Returns whether a message can be taken without waiting.
    #[must_use]
    pub fn has_message(&self) -> bool {
        !self.lines.is_empty() || self.engine.shared.outbox.len() > 0
    }

    fn handle(&mut self, cx: &mut Context<'_>) {
        while let Some(entry) = self.received.pop_front() {
            self.handle_one(entry, cx);
        }
        while let Some((_, inbox)) = &mut self.inbox
            && let Poll::Ready(Some(entry)) = inbox.poll_recv(cx)
        {
            self.handle_one(entry, cx);
        }
        self.engine.poll_handlers(cx);
    }

    fn handle_one(&mut self, (message, profile, ticket): Entry, cx: &mut Context<'_>) {
        let asks = self.engine.receive_text(&message, &profile, self.is_asked, ticket, cx);
        self.is_asked |= asks;
    }

    fn next_line(&mut self) -> Option<Bytes> {
        let end = memchr::memchr(b'\n', &self.lines)?;
        let mut line = self.lines.split_to(end.saturating_add(1));
        self.engine.shared.outbox.sent(line.len());
        line.truncate(end);
        // A short message that is kept does not keep a long neighbour.
        let is_small = line.len() < self.buffer / 2;
        Some(if is_small { Bytes::copy_from_slice(&line) } else { line })
    }
}

impl fmt::Debug for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange").field("shared", &self.engine.shared).finish_non_exhaustive()
    }
}
