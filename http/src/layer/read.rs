//! Reading a body within a limit.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes, BytesMut};
use http::HeaderMap;
use http_body::Body;
use tautline::Profile;
use tautline::envelope::Skimmer;

/// The number of limits up to which a longer body is read for its id.
const SKIMMED: usize = 4;

/// The state of reading a body.
#[derive(Debug)]
pub(crate) struct Reading<B> {
    body: Pin<Box<B>>,
    read: BytesMut,
    trailers: Option<HeaderMap>,
    limit: usize,
    /// False if what is beyond the limit is left to the service.
    skims: bool,
    skimmer: Option<Box<Skimmer>>,
    length: usize,
}

/// The outcome of reading.
#[derive(Debug)]
pub(crate) enum Read {
    /// The whole body.
    All(Bytes, Option<HeaderMap>),
    /// The body is longer than the limit, and was skimmed as a whole.
    Skimmed(Box<Skimmer>),
    /// The body is much longer than the limit, and was not read to its end.
    Cut,
    /// The body is longer than the limit. These bytes were read.
    Begun(Bytes),
}

impl<B: Body> Reading<B> {
    pub(crate) fn new(body: B, limit: usize, skims: bool) -> Self {
        let (body, read) = (Box::pin(body), BytesMut::new());
        Self { body, read, trailers: None, limit, skims, skimmer: None, length: 0 }
    }

    /// Reads until the body ends or is longer than the limit. An error comes with the bytes before it.
    pub(crate) fn poll(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<Read, (Bytes, B::Error)>> {
        while let Some(frame) = ready!(self.body.as_mut().poll_frame(context)) {
            let frame = match frame {
                Ok(frame) => frame,
                Err(error) => return Poll::Ready(Err((self.read.split().freeze(), error))),
            };
            let mut data = match frame.into_data() {
                Ok(data) => data,
                Err(frame) => {
                    self.trailers = frame.into_trailers().ok();
                    continue;
                }
            };
            self.length = self.length.saturating_add(data.remaining());
            let bytes = data.copy_to_bytes(data.remaining());
            if let Some(skimmer) = &mut self.skimmer {
                skimmer.push(&bytes);
            } else {
                self.read.extend_from_slice(&bytes);
            }
            if self.length <= self.limit {
                continue;
            }
            if !self.skims {
                return Poll::Ready(Ok(Read::Begun(self.read.split().freeze())));
            }
            if self.skimmer.is_none() {
                let mut skimmer = Box::new(Skimmer::new(&Profile::JSON_RPC));
                skimmer.push(&self.read);
                self.read = BytesMut::new();
                self.skimmer = Some(skimmer);
            }
            if self.length > self.limit.saturating_mul(SKIMMED) && !self.body.is_end_stream() {
                return Poll::Ready(Ok(Read::Cut));
            }
        }
        Poll::Ready(Ok(match self.skimmer.take() {
            Some(skimmer) => Read::Skimmed(skimmer),
            None => Read::All(self.read.split().freeze(), self.trailers.take()),
        }))
    }

    /// Returns the rest of the body.
    pub(crate) fn into_rest(self) -> Pin<Box<B>> {
        self.body
    }
}
