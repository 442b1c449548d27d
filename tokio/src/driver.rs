//! The task of a connection: it reads, starts handlers, and writes.

use std::collections::{HashMap, VecDeque};
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use tautline::codec::MessageCodec;
use tautline::frame::Framing;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::{self, JoinSet};
use tokio_util::codec::FramedRead;

use crate::handlers::Dispatch;
use crate::shared::{Paused, Shared};
use crate::work::{Task, Work};
use crate::writer::Writer;
use crate::{Closed, Incident};

/// The limits of the task of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The number of handlers of requests that run at the same time.
    pub(crate) requests: usize,
    /// The number of received calls that wait.
    pub(crate) backlog: usize,
    pub(crate) shutdown: Duration,
}

/// The number of frames and handlers after which other tasks get a turn.
const TURN: usize = 128;

pub(crate) struct Driver<R, W, F> {
    pub(crate) input: FramedRead<R, MessageCodec<F>>,
    output: Writer<W>,
    pub(crate) handlers: Arc<dyn Dispatch>,
    pub(crate) shared: Arc<Shared>,
    _end: End,
    pub(crate) limits: Limits,
    /// Received calls that have to wait, in order.
    pub(crate) backlog: VecDeque<Work>,
    pub(crate) running: JoinSet<()>,
    /// The running handlers that have a task.
    pub(crate) tasks: HashMap<task::Id, Task>,
    /// The running handler of a notification, if there is one. Later requests and notifications wait for it.
    pub(crate) barrier: Option<task::Id>,
    /// The error of the writer, if it failed. After that, nothing is sent.
    write_error: Option<Arc<io::Error>>,
    /// True if the peer has closed its side, or reading has failed.
    has_ended: bool,
    /// True if too many calls wait, so that further requests are refused.
    pub(crate) is_refusing: bool,
    /// True if this side has closed the connection, so that no further handlers start.
    pub(crate) is_closing: bool,
}

/// Ends the connection when it is dropped, so that no call waits for a task that was dropped.
struct End(Arc<Shared>);

impl Drop for End {
    fn drop(&mut self) {
        self.0.end(&Closed::Local);
    }
}

impl<R, W, F> Driver<R, W, F>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
    F: Framing + Unpin,
{
    pub(crate) fn new(
        reader: R,
        writer: W,
        codec: MessageCodec<F>,
        handlers: Arc<dyn Dispatch>,
        shared: Arc<Shared>,
        limits: Limits,
    ) -> Self {
        Self {
            input: FramedRead::new(reader, codec),
            output: Writer::new(writer),
            handlers,
            _end: End(Arc::clone(&shared)),
            shared,
            limits,
            backlog: VecDeque::new(),
            running: JoinSet::new(),
            tasks: HashMap::new(),
            barrier: None,
            write_error: None,
            has_ended: false,
            is_refusing: false,
            is_closing: false,
        }
    }

    /// Runs the connection to its end. Returns the reader.
    pub(crate) async fn run(mut self) -> R {
        let reason = poll_fn(|cx| self.poll_open(cx)).await;
        if matches!(reason, Closed::Local) {
            self.refuse_backlog();
        } else {
            // No more answers can arrive, but received requests are still answered.
            self.shared.fail_calls(&reason);
        }
        let grace = self.limits.shutdown;
        let _ = tokio::time::timeout(grace, poll_fn(|cx| self.poll_drain(cx))).await;
        self.backlog.clear();
        self.running.shutdown().await;
        self.shared.fail_calls(&reason);
        if self.write_error.is_none() {
            let Self { output, shared, .. } = &mut self;
            let close = poll_fn(|cx| output.poll_close(cx, &shared.outbox));
            let _ = tokio::time::timeout(grace, close).await;
        }
        self.shared.end(&reason);
        self.input.into_inner()
    }

    /// Runs the open connection until there is a reason to end it.
    fn poll_open(&mut self, cx: &mut Context<'_>) -> Poll<Closed> {
        self.shared.outbox.driver.register(cx.waker());
        for _ in 0..TURN {
            if self.shared.is_close_requested() {
                return Poll::Ready(Closed::Local);
            }
            self.poll_handlers(cx);
            let read = self.poll_read(cx);
            if let Poll::Ready(Some(reason)) = read {
                return Poll::Ready(match &self.write_error {
                    Some(error) => Closed::Write(Arc::clone(error)),
                    None => reason,
                });
            }
            if read.is_ready() {
                continue;
            }
            if let Some(error) = &self.write_error {
                return Poll::Ready(Closed::Write(Arc::clone(error)));
            }
            let had_room = self.shared.outbox.has_room();
            self.poll_write(cx);
            // There is more to do if the queue has room again, or if writing failed and the rest of the input must be
            // read.
            let has_new_room = !had_room && self.shared.outbox.has_room();
            if !has_new_room && self.write_error.is_none() {
                return Poll::Pending;
            }
        }
        // Other tasks get a turn.
        self.poll_write(cx);
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Runs the closing connection until all handlers have finished.
    fn poll_drain(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        self.shared.outbox.driver.register(cx.waker());
        for _ in 0..TURN {
            self.poll_handlers(cx);
            if self.running.is_empty() && self.backlog.is_empty() {
                return Poll::Ready(());
            }
            // Handlers may still wait for answers of the peer.
            let read = if self.has_ended { Poll::Pending } else { self.poll_read(cx) };
            if self.shared.is_close_requested() && !self.is_closing {
                self.refuse_backlog();
            }
            if let Poll::Ready(Some(reason)) = &read {
                self.shared.fail_calls(reason);
            }
            if read.is_ready() {
                continue;
            }
            let had_room = self.shared.outbox.has_room();
            self.poll_write(cx);
            if had_room || !self.shared.outbox.has_room() {
                return Poll::Pending;
            }
        }
        self.poll_write(cx);
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Removes the handlers that have finished, and starts handlers that may start now.
    fn poll_handlers(&mut self, cx: &mut Context<'_>) {
        while let Poll::Ready(Some(finished)) = self.running.poll_join_next_with_id(cx) {
            let id = match &finished {
                Ok((id, ())) => *id,
                Err(error) => error.id(),
            };
            let task = self.tasks.remove(&id);
            if self.barrier == Some(id) {
                self.barrier = None;
            }
            if finished.is_err_and(|error| error.is_panic())
                && let Some(task) = task
            {
                self.shared.observe(&Incident::Panicked { method: &task.method });
            }
        }
        while let Some(work) = self.backlog.front()
            && self.can_start(work)
            && let Some(work) = self.backlog.pop_front()
        {
            self.start(work, cx);
        }
    }

    /// Reads a frame. `Ready(Some)` means that no more frames follow.
    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Option<Closed>> {
        if !self.may_read() {
            return Poll::Pending;
        }
        self.shared.resume_reading();
        if let Some(profile) = self.shared.agreement.new_profile() {
            self.input.decoder_mut().set_profile(&profile);
        }
        match Pin::new(&mut self.input).poll_next(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Some(Ok(item))) => {
                let ended = self.receive(item, cx);
                self.has_ended = ended.is_some();
                Poll::Ready(ended)
            }
            Poll::Ready(Some(Err(error))) => {
                self.has_ended = true;
                Poll::Ready(Some(Closed::Read(Arc::new(error))))
            }
            Poll::Ready(None) => {
                self.has_ended = true;
                Poll::Ready(Some(Closed::Remote))
            }
        }
    }

    /// Returns whether the limits allow reading the next frame.
    ///
    /// If too many calls wait, reading usually stops. There are two exceptions, in which requests are refused instead.
    /// First, pending calls of this side need their answers, which may come after many requests. Second, two peers
    /// whose calls fill both queues would wait for each other, so a side that makes calls keeps reading while its queue
    /// is full.
    fn may_read(&self) -> bool {
        let (waiting, limit) = (self.backlog.len(), self.limits.backlog);
        if waiting < limit {
            return true;
        }
        let is_paused = self.shared.pause_reading() == Paused::Yes;
        let outbox = &self.shared.outbox;
        let reads_on = !is_paused || (!outbox.has_room() && self.shared.has_called());
        reads_on && waiting < limit.saturating_mul(2) && outbox.has_room_for_refusals()
    }

    fn poll_write(&mut self, cx: &mut Context<'_>) {
        if self.write_error.is_some() {
            return;
        }
        if let Poll::Ready(Err(error)) = self.output.poll_send(cx, &self.shared.outbox) {
            self.write_error = Some(Arc::new(error));
            self.shared.outbox.close();
        }
    }
}
