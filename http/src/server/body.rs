//! The body of a response of the server.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tautline_tokio::Exchange;
use tokio::time::{Instant, Sleep, sleep};
use tokio_util::sync::WaitForCancellationFutureOwned;
use tokio_util::task::task_tracker::TaskTrackerToken;

use super::event;
use super::session::Visit;
use super::stream::Reader;

/// The body of a response of an [`McpServer`](crate::McpServer): one message, a stream of events, or nothing.
///
/// If the body of a request of 2026-07-28 is dropped before its end, its handler is dropped (2026-07-28,
/// basic/transports/streamable-http, cancellation).
pub struct ServerBody(Content);

enum Content {
    Full(Option<Bytes>),
    Events(Box<Events>),
}

/// A stream of events.
struct Events {
    /// Events that are ready.
    first: Option<Bytes>,
    source: Source,
    keep_alive: Duration,
    sleep: Option<Pin<Box<Sleep>>>,
    /// Resolves if the server drops what is open.
    end: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
    /// Counts the response as open.
    _open: TaskTrackerToken,
}

/// The source of the events.
pub(crate) enum Source {
    /// The handler runs as long as the response is read.
    Exchange(Box<Exchange>),
    Stream {
        reader: Reader,
        /// The session is in use as long as this response is open.
        _session: Option<Visit>,
    },
}

impl ServerBody {
    pub(crate) fn full(bytes: impl Into<Bytes>) -> Self {
        Self(Content::Full(Some(bytes.into())))
    }

    pub(crate) const fn empty() -> Self {
        Self(Content::Full(None))
    }

    pub(crate) fn events(
        first: Option<Bytes>,
        source: Source,
        keep_alive: Duration,
        end: WaitForCancellationFutureOwned,
        open: TaskTrackerToken,
    ) -> Self {
        let end = Some(Box::pin(end));
        let events = Events { first, source, keep_alive, sleep: None, end, _open: open };
        Self(Content::Events(Box::new(events)))
    }
}

impl Events {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(first));
        }
        let event = match &mut self.source {
            Source::Exchange(exchange) => {
                let message = exchange.poll_message(cx);
                message.map(|message| message.map(|message| event::message(&message, None)))
            }
            Source::Stream { reader, .. } => reader.poll_event(cx),
        };
        if event.is_ready() {
            // The next silence begins later.
            if let Some(sleep) = &mut self.sleep {
                sleep.as_mut().reset(later(self.keep_alive));
            }
            return event;
        }
        if let Some(end) = &mut self.end
            && end.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(None);
        }
        let keep_alive = self.keep_alive;
        let sleep = self.sleep.get_or_insert_with(|| Box::pin(sleep(keep_alive)));
        if sleep.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        sleep.as_mut().reset(later(keep_alive));
        Poll::Ready(Some(event::COMMENT))
    }
}

/// Returns the time after this duration, or one that never comes.
fn later(duration: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(duration).unwrap_or_else(|| now + Duration::from_secs(1 << 30))
}

impl Body for ServerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let data = match &mut self.0 {
            Content::Full(bytes) => Poll::Ready(bytes.take()),
            Content::Events(events) => events.poll(cx),
        };
        data.map(|data| data.map(|data| Ok(Frame::data(data))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(&self.0, Content::Full(None))
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Content::Full(bytes) => {
                let length = bytes.as_ref().map_or(0, Bytes::len);
                SizeHint::with_exact(u64::try_from(length).unwrap_or(u64::MAX))
            }
            Content::Events(_) => SizeHint::new(),
        }
    }
}

impl fmt::Debug for ServerBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match &self.0 {
            Content::Full(_) => "message",
            Content::Events(_) => "events",
        };
        f.debug_tuple("ServerBody").field(&kind).finish()
    }
}
