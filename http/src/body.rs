//! The bodies that the layer passes on.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use http_body::{Body, Frame, SizeHint};

/// The body of a request that the layer has read, followed by what it has not read.
///
/// It is complete, unless the layer only reports and the body is longer than its limit.
#[derive(Debug)]
pub struct RequestBody<B> {
    read: Option<Bytes>,
    rest: Option<Pin<Box<B>>>,
}

impl<B> RequestBody<B> {
    pub(crate) const fn new(read: Bytes, rest: Option<Pin<Box<B>>>) -> Self {
        Self { read: Some(read), rest }
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
        let Some(rest) = &mut self.rest else { return Poll::Ready(None) };
        rest.as_mut()
            .poll_frame(context)
            .map_ok(|frame| frame.map_data(|mut data| data.copy_to_bytes(data.remaining())))
    }

    fn is_end_stream(&self) -> bool {
        self.read.as_ref().is_none_or(Bytes::is_empty)
            && self.rest.as_ref().is_none_or(|rest| rest.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        let read = u64::try_from(self.read.as_ref().map_or(0, Bytes::len)).unwrap_or(u64::MAX);
        let rest =
            self.rest.as_ref().map_or_else(|| SizeHint::with_exact(0), |rest| rest.size_hint());
        let mut hint = SizeHint::new();
        hint.set_lower(rest.lower().saturating_add(read));
        if let Some(upper) = rest.upper() {
            hint.set_upper(upper.saturating_add(read));
        }
        hint
    }
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

impl<B: Body> Body for ResponseBody<B>
where
    B::Data: Into<Bytes>,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        match self.project().source.project() {
            Projected::Served { body } => {
                body.poll_frame(context).map_ok(|frame| frame.map_data(Into::into))
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
