//! A body that passes through, and is logged.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tautline_mcp::Role;

use super::head::fields;
use super::log::{Log, Note};

pin_project_lite::pin_project! {
    /// A body that passes through unchanged. Each piece is logged when it passes.
    #[derive(Debug)]
    pub struct Logged<B> {
        #[pin]
        inner: B,
        watch: Watch,
    }
}

/// The log's side of a body.
#[derive(Debug)]
struct Watch {
    log: Arc<Log>,
    exchange: u64,
    from: Role,
    /// The number of bytes that are still recorded.
    room: u64,
    /// The number of bytes that were left out and are not noted yet, once some were left out.
    omitted: Option<u64>,
    is_done: bool,
    /// True once the body has failed.
    has_failed: Arc<AtomicBool>,
}

impl<B: Body<Data = Bytes>> Logged<B> {
    /// Creates the body of a side, of which up to `room` bytes are recorded.
    pub fn new(inner: B, log: Arc<Log>, exchange: u64, from: Role, room: u64) -> Self {
        let (omitted, is_done, has_failed) = (None, false, Arc::default());
        let mut watch = Watch { log, exchange, from, room, omitted, is_done, has_failed };
        if inner.is_end_stream() {
            watch.close(Vec::new());
        }
        Self { inner, watch }
    }

    /// Returns what will be true once the body has failed, and its exchange has been aborted for that.
    pub fn failure(&self) -> Arc<AtomicBool> {
        self.watch.has_failed.clone()
    }
}

impl<B> Body for Logged<B>
where
    B: Body<Data = Bytes>,
    B::Error: std::fmt::Display,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let mut this = self.project();
        let frame = ready!(this.inner.as_mut().poll_frame(context));
        match &frame {
            Some(Ok(frame)) => {
                if let Some(bytes) = frame.data_ref() {
                    this.watch.bytes(bytes);
                }
                if let Some(trailers) = frame.trailers_ref() {
                    this.watch.close(fields(trailers));
                }
                if this.inner.is_end_stream() {
                    this.watch.close(Vec::new());
                }
            }
            Some(Err(error)) => {
                this.watch.has_failed.store(true, Ordering::Relaxed);
                this.watch.abort(this.watch.from, error.to_string());
            }
            None => this.watch.close(Vec::new()),
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Watch {
    fn bytes(&mut self, bytes: &Bytes) {
        let room = usize::try_from(self.room).unwrap_or(usize::MAX).min(bytes.len());
        self.room -= room as u64;
        let rest = (bytes.len() - room) as u64;
        if room > 0 {
            self.log.push(self.exchange, Note::Bytes(self.from, bytes.slice(..room)));
        }
        // The first omission is noted at once, and the others in one number.
        match &mut self.omitted {
            _ if rest == 0 => {}
            Some(omitted) => *omitted += rest,
            None => {
                self.omitted = Some(0);
                self.log.push(self.exchange, Note::Omitted(self.from, rest));
            }
        }
    }

    fn close(&mut self, trailers: tautline_audit::source::Fields<'static>) {
        if std::mem::replace(&mut self.is_done, true) {
            return;
        }
        self.omit_rest();
        self.log.push(self.exchange, Note::Closed(self.from, trailers));
    }

    fn abort(&mut self, side: Role, why: String) {
        if std::mem::replace(&mut self.is_done, true) || self.log.is_stopping() {
            return;
        }
        self.omit_rest();
        self.log.push(self.exchange, Note::Aborted(side, why));
    }

    fn omit_rest(&mut self) {
        if let Some(rest) = self.omitted.take().filter(|rest| *rest > 0) {
            self.log.push(self.exchange, Note::Omitted(self.from, rest));
        }
    }
}

/// A response that is dropped before its end has lost its client. A request that is dropped was not read to its end,
/// because it was answered before.
impl Drop for Watch {
    fn drop(&mut self) {
        if self.from == Role::Server {
            self.abort(Role::Client, "the client has closed the connection".to_owned());
        } else {
            self.omit_rest();
        }
    }
}
