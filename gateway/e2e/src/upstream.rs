//! Upstreams that record each request. One of them is the native twin of the filter: the same service
//! with the layer of `tautline-http`.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use http_body::{Body, Frame};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use serde_json::{Value, json};
use tautline::{Message, Profile};
use tautline_http::McpLayer;
use tautline_mcp::Revision;
use tautline_mcp::http::{Allowed, Policy, Sessions};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tower::{Layer as _, Service, ServiceExt as _, service_fn};

use crate::LIMIT;

/// The header of a response that has the number of the recorded request.
pub const RECORD: &str = "x-record";

/// All revisions with Streamable HTTP.
const REVISIONS: &[Revision] =
    &[Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28];

/// The rules of the native twin.
pub const POLICY: Policy<'static> = Policy::new(REVISIONS, Allowed::Loopback, Allowed::Loopback)
    .with_sessions(Sessions::Required)
    .with_streams()
    .with_session_end();

/// Returns the settings under which the filter does the same as its native twin.
#[must_use]
pub fn settings() -> Value {
    json!({
        "requests": "enforce",
        "responses": "off",
        "hosts": "loopback",
        "origins": "loopback",
        "sessions": "required",
    })
}

/// A request that has reached an upstream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The method.
    pub method: String,
    /// The target.
    pub target: String,
    /// The header fields.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
    /// The trailers.
    pub trailers: Option<HeaderMap>,
    /// False if the connection has failed within the body.
    pub is_whole: bool,
}

/// The body of an answer.
pub type Answer = UnsyncBoxBody<Bytes, Infallible>;

type Records = Arc<Mutex<Vec<Record>>>;
type Answering = Arc<dyn Fn(&Record) -> Response<Answer> + Send + Sync>;

/// An upstream that runs until it is dropped.
#[derive(Debug)]
pub struct Upstream {
    /// The address.
    pub address: SocketAddr,
    records: Records,
    accepting: JoinHandle<()>,
}

impl Upstream {
    /// Starts an upstream that answers every request with a valid response.
    pub async fn start() -> Self {
        Self::answering(answer).await
    }

    /// Starts an upstream that answers with what the function returns.
    pub async fn answering(
        answer: impl Fn(&Record) -> Response<Answer> + Send + Sync + 'static,
    ) -> Self {
        let (records, answer) = (Records::default(), Arc::new(answer) as Answering);
        let kept = Arc::clone(&records);
        let service = service_fn(move |request: Request<Incoming>| {
            record(request, Arc::clone(&kept), Arc::clone(&answer))
        });
        Self::serving(service, records).await
    }

    /// Starts the native twin of the filter.
    pub async fn twin() -> Self {
        let (records, answer) = (Records::default(), Arc::new(answer) as Answering);
        let kept = Arc::clone(&records);
        let service = service_fn(move |request: Request<_>| {
            record(request, Arc::clone(&kept), Arc::clone(&answer))
        });
        let judging = McpLayer::new(POLICY).with_limit(LIMIT).layer(service);
        // The body is read before it is judged: a refusal in the middle of a body would close the connection of a
        // proxy.
        let service = service_fn(move |request: Request<Incoming>| {
            let judging = judging.clone();
            async move {
                let (parts, body) = request.into_parts();
                let request = Request::from_parts(parts, Pieces::read(body).await);
                judging.oneshot(request).await
            }
        });
        Self::serving(service, records).await
    }

    async fn serving<S, B>(service: S, records: Records) -> Self
    where
        S: Service<Request<Incoming>, Response = Response<B>, Error = Infallible>,
        S: Clone + Send + Sync + 'static,
        S::Future: Send,
        B: Body<Data = Bytes, Error = Infallible> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let _ = stream.set_nodelay(true);
                let service = TowerToHyperService::new(service.clone());
                tokio::spawn(async move {
                    let mut builder = Builder::new(TokioExecutor::new());
                    builder.http1().half_close(true);
                    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Self { address, records, accepting }
    }

    /// Returns the number of recorded requests.
    ///
    /// # Panics
    ///
    /// Panics if a service has.
    #[must_use]
    pub fn count(&self) -> usize {
        self.records.lock().expect("records").len()
    }

    /// Returns the recorded request of this number.
    ///
    /// # Panics
    ///
    /// Panics if there is none.
    #[must_use]
    pub fn record(&self, number: usize) -> Record {
        self.records.lock().expect("records")[number].clone()
    }

    /// Forgets what was recorded.
    ///
    /// # Panics
    ///
    /// Panics if a service has.
    pub fn forget(&self) {
        self.records.lock().expect("records").clear();
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// Reads a request, records it and answers it.
async fn record<B: Body<Data = Bytes>>(
    request: Request<B>,
    records: Records,
    answer: Answering,
) -> Result<Response<Answer>, Infallible> {
    let (parts, body) = request.into_parts();
    let (mut read, mut trailers, mut is_whole) = (Vec::new(), None, true);
    let mut body = std::pin::pin!(body);
    while let Some(frame) = body.frame().await {
        match frame.map(Frame::into_data) {
            Ok(Ok(data)) => read.extend_from_slice(&data),
            Ok(Err(frame)) => trailers = frame.into_trailers().ok(),
            Err(_) => {
                is_whole = false;
                break;
            }
        }
    }
    let target = parts.uri.path_and_query().map_or_else(String::new, ToString::to_string);
    let record = Record {
        method: parts.method.to_string(),
        target,
        headers: parts.headers,
        body: read.into(),
        trailers,
        is_whole,
    };
    let mut response = answer(&record);
    let mut records = records.lock().expect("records");
    response.headers_mut().insert(RECORD, records.len().into());
    records.push(record);
    Ok(response)
}

/// The length of a piece of a body, in bytes.
const PIECE: usize = 16 << 10;

/// A body that was read, in small pieces.
struct Pieces {
    rest: Bytes,
    then: Option<Result<HeaderMap, hyper::Error>>,
}

impl Pieces {
    async fn read(mut body: Incoming) -> Self {
        let (mut rest, mut then) = (Vec::new(), None);
        while let Some(frame) = body.frame().await {
            match frame.map(Frame::into_data) {
                Ok(Ok(data)) => rest.extend_from_slice(&data),
                Ok(Err(frame)) => then = frame.into_trailers().ok().map(Ok),
                Err(error) => {
                    then = Some(Err(error));
                    break;
                }
            }
        }
        Self { rest: rest.into(), then }
    }
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let length = self.rest.len().min(PIECE);
        let piece = self.rest.split_to(length);
        Poll::Ready(match piece.is_empty() {
            true => self.then.take().map(|then| then.map(Frame::trailers)),
            false => Some(Ok(Frame::data(piece))),
        })
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.then.is_none()
    }
}

/// Returns a body of these bytes.
#[must_use]
pub fn full(bytes: impl Into<Bytes>) -> Answer {
    Full::new(bytes.into()).boxed_unsync()
}

/// Returns a valid response: a result with the id of the request, an empty stream, or an acknowledgement.
fn answer(record: &Record) -> Response<Answer> {
    let (status, kind, body) = match (record.method.as_str(), results(&record.body)) {
        ("GET", _) => (StatusCode::OK, "text/event-stream", String::new()),
        ("POST", Some(body)) if body.is_empty() => (StatusCode::ACCEPTED, "", body),
        ("POST", Some(body)) => (StatusCode::OK, "application/json", body),
        _ => (StatusCode::OK, "", String::new()),
    };
    let mut response = Response::new(full(body));
    *response.status_mut() = status;
    if !kind.is_empty() {
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    }
    response
}

/// Returns the results for the requests in a body.
fn results(body: &[u8]) -> Option<String> {
    let one = |message: &Message<'_>| match message {
        Message::Request(request) => {
            Some(format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{}}}}"#, request.id()))
        }
        _ => None,
    };
    match Message::parse(body, &Profile::JSON_RPC).ok()? {
        Message::Batch(batch) => {
            let messages = batch.iter().filter_map(|element| one(&element.message().ok()?));
            let messages: Vec<_> = messages.collect();
            Some(if messages.is_empty() {
                String::new()
            } else {
                format!("[{}]", messages.join(","))
            })
        }
        message => Some(one(&message).unwrap_or_default()),
    }
}
