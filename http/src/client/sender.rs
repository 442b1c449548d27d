//! The service that sends requests, whatever its type.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use tower_service::Service;

use super::error::BoxError;
use crate::layer::all_of;

/// The body of a response.
pub(super) type Incoming = UnsyncBoxBody<Bytes, BoxError>;

/// The future response to a request.
pub(super) type Exchanged =
    Pin<Box<dyn Future<Output = Result<Response<Incoming>, BoxError>> + Send>>;

/// Sends requests.
trait Post: Send {
    /// Sends a request. The future does not borrow this.
    fn send(&self, request: Request<Full<Bytes>>) -> Exchanged;
}

/// A service of any type. It is in a mutex because it need not be `Sync`, and locked only while it is cloned.
pub(super) struct Sender(Mutex<Box<dyn Post>>);

impl Sender {
    pub(super) fn new<S, B>(service: S) -> Self
    where
        S: Service<Request<Full<Bytes>>, Response = Response<B>> + Clone + Send + 'static,
        S::Future: Send + 'static,
        S::Error: Into<BoxError>,
        B: Body + Send + 'static,
        B::Error: Into<BoxError>,
    {
        Self(Mutex::new(Box::new(Erased(service))))
    }

    /// Sends a request.
    pub(super) fn send(&self, request: Request<Full<Bytes>>) -> Exchanged {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).send(request)
    }
}

struct Erased<S>(S);

impl<S, B> Post for Erased<S>
where
    S: Service<Request<Full<Bytes>>, Response = Response<B>> + Clone + Send + 'static,
    S::Future: Send + 'static,
    S::Error: Into<BoxError>,
    B: Body + Send + 'static,
    B::Error: Into<BoxError>,
{
    fn send(&self, request: Request<Full<Bytes>>) -> Exchanged {
        let mut service = self.0.clone();
        Box::pin(async move {
            poll_fn(|context| service.poll_ready(context)).await.map_err(Into::into)?;
            let response = service.call(request).await.map_err(Into::into)?;
            Ok(response.map(|body| {
                let body = body.map_frame(|frame| frame.map_data(all_of));
                body.map_err(Into::into).boxed_unsync()
            }))
        })
    }
}
