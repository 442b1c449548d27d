//! The task of a connection: it reads, starts handlers, and writes.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;
use tautline::codec::MessageCodec;
use tautline::frame::Framing;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::codec::FramedRead;

use crate::Closed;
use crate::engine::{Engine, Limits};
use crate::handlers::Dispatch;
use crate::shared::{Paused, Shared};
use crate::writer::Writer;

/// The number of frames and handlers after which other tasks get a turn.
const TURN: usize = 128;

pub(crate) struct Driver<R, W, F> {
    input: FramedRead<R, MessageCodec<F>>,
    output: Writer<W>,
    engine: Engine,
    shared: Arc<Shared>,
    /// The error of the writer, if it failed. After that, nothing is sent.
    write_error: Option<Arc<io::Error>>,
    /// True if the peer has closed its side, or reading has failed.
    has_ended: bool,
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
            engine: Engine::new(handlers, Arc::clone(&shared), limits),
            shared,
            write_error: None,
            has_ended: false,
        }
    }

    /// Runs the connection to its end. Returns the reader.
    pub(crate) async fn run(mut self) -> R {
        let reason = poll_fn(|cx| self.poll_open(cx)).await;
        if matches!(reason, Closed::Local) {
            self.engine.refuse_backlog();
        } else {
            // No more answers can arrive, but received requests are still answered.
            self.shared.fail_calls(&reason);
        }
        let grace = self.engine.limits.shutdown;
        let _ = tokio::time::timeout(grace, poll_fn(|cx| self.poll_drain(cx))).await;
        self.engine.shutdown().await;
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
            self.engine.poll_handlers(cx);
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
            self.engine.poll_handlers(cx);
            if self.engine.is_idle() {
                return Poll::Ready(());
            }
            // Handlers may still wait for answers of the peer.
            let read = if self.has_ended { Poll::Pending } else { self.poll_read(cx) };
            if self.shared.is_close_requested() && !self.engine.is_closing {
                self.engine.refuse_backlog();
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
                let profile = *self.input.decoder().profile();
                let ended = self.engine.receive(item, &profile, cx);
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
        let (waiting, limit) = (self.engine.backlog.len(), self.engine.limits.backlog);
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
