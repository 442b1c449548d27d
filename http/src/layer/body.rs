//! The bodies that the layer passes on.

use std::fmt;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use http::HeaderMap;
use http_body::{Body, Frame, SizeHint};

/// The body of a request: the bytes that the layer has read, and then the rest. All of it is as it came.
pub struct RequestBody<B: Body> {
    read: Option<Bytes>,
    then: Then<B>,
}

/// The end of a body, after the bytes that were read.
enum Then<B: Body> {
    End,
    Trailers(HeaderMap),
    Rest(Pin<Box<B>>),
    Failed(B::Error),
}

// The body is not pinned by what it contains: the rest is in a box, and an error is only moved.
impl<B: Body> Unpin for RequestBody<B> {}

impl<B: Body> RequestBody<B> {
    /// A body that was not read.
    pub(crate) fn unread(body: B) -> Self {
        Self { read: None, then: Then::Rest(Box::pin(body)) }
    }

    pub(crate) fn all(read: Bytes, trailers: Option<HeaderMap>) -> Self {
        let then = match trailers {
            Some(trailers) => Then::Trailers(trailers),
            None => Then::End,
        };
        Self { read: Some(read), then }
    }

    pub(crate) const fn begun(read: Bytes, rest: Pin<Box<B>>) -> Self {
        Self { read: Some(read), then: Then::Rest(rest) }
    }

    pub(crate) const fn failed(read: Bytes, error: B::Error) -> Self {
        Self { read: Some(read), then: Then::Failed(error) }
    }
}

impl<B: Body> fmt::Debug for RequestBody<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestBody").field("read", &self.read).finish_non_exhaustive()
    }
}

impl<B: Body> Body for RequestBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        if let Some(read) = self.read.take().filter(|read| !read.is_empty()) {
            return Poll::Ready(Some(Ok(Frame::data(read))));
        }
        if let Then::Rest(rest) = &mut self.then {
            return rest.as_mut().poll_frame(context).map_ok(|frame| frame.map_data(all_of));
        }
        Poll::Ready(match mem::replace(&mut self.then, Then::End) {
            Then::Trailers(trailers) => Some(Ok(Frame::trailers(trailers))),
            Then::Failed(error) => Some(Err(error)),
            Then::End | Then::Rest(_) => None,
        })
    }

    fn is_end_stream(&self) -> bool {
        let is_over = match &self.then {
            Then::End => true,
            Then::Rest(rest) => rest.is_end_stream(),
            Then::Trailers(_) | Then::Failed(_) => false,
        };
        is_over && self.read.as_ref().is_none_or(Bytes::is_empty)
    }

    fn size_hint(&self) -> SizeHint {
        let read = u64::try_from(self.read.as_ref().map_or(0, Bytes::len)).unwrap_or(u64::MAX);
        let then = match &self.then {
            Then::End | Then::Trailers(_) => SizeHint::with_exact(0),
            Then::Rest(rest) => rest.size_hint(),
            Then::Failed(_) => SizeHint::new(),
        };
        let mut hint = SizeHint::new();
        hint.set_lower(then.lower().saturating_add(read));
        if let Some(upper) = then.upper() {
            hint.set_upper(upper.saturating_add(read));
        }
        hint
    }
}

/// Returns the bytes of a piece of data.
pub(crate) fn all_of(mut data: impl Buf) -> Bytes {
    data.copy_to_bytes(data.remaining())
}

pin_project_lite::pin_project! {
    /// The body of a response: that of the service, or that of the layer's refusal.
    #[derive(Debug)]
    pub struct ResponseBody<B> {
        #[pin]
        source: Source<B>,
    }
}

pin_project_lite::pin_project! {
    #[derive(Debug)]
    #[project = Projected]
    enum Source<B> {
        Served { #[pin] body: B },
        // A JSON-RPC error, or nothing.
        Refused { bytes: Option<Bytes> },
    }
}

impl<B> ResponseBody<B> {
    pub(crate) const fn served(body: B) -> Self {
        Self { source: Source::Served { body } }
    }

    pub(crate) const fn refused(bytes: Bytes) -> Self {
        Self { source: Source::Refused { bytes: Some(bytes) } }
    }
}

impl<B: Body> Body for ResponseBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        match self.project().source.project() {
            Projected::Served { body } => {
                body.poll_frame(context).map_ok(|frame| frame.map_data(all_of))
            }
            Projected::Refused { bytes } => {
                let bytes = bytes.take().filter(|bytes| !bytes.is_empty());
                Poll::Ready(bytes.map(|bytes| Ok(Frame::data(bytes))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.source {
            Source::Served { body } => body.is_end_stream(),
            Source::Refused { bytes } => bytes.as_ref().is_none_or(Bytes::is_empty),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.source {
            Source::Served { body } => body.size_hint(),
            Source::Refused { bytes } => {
                let length = bytes.as_ref().map_or(0, Bytes::len);
                SizeHint::with_exact(u64::try_from(length).unwrap_or(u64::MAX))
            }
        }
    }
}
