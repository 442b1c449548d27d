//! Small servers that record what they get, and answer as a test wants.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::response::Response;
use http::{HeaderMap, Method, StatusCode, Uri};
use http_body::Frame;
use serde_json::{Value, json};
use tautline_http::client::{Client, HttpConnection};
use tautline_mcp::Revision;
use tautline_tokio::Handlers;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::time::timeout;

pub const MODERN: &[Revision] = &[Revision::V2026_07_28];
pub const LEGACY: &[Revision] = &[Revision::V2025_06_18, Revision::V2025_11_25];

/// A request as the server got it.
#[derive(Clone, Debug)]
pub struct Seen {
    pub verb: Method,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Seen {
    pub fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    pub fn id(&self) -> &Value {
        &self.body["id"]
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        let value = values.next().map(|value| value.to_str().unwrap());
        assert!(values.next().is_none(), "{name} is repeated");
        value
    }
}

pub type Log = Arc<Mutex<Vec<Seen>>>;
type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

/// A running server. It ends when it is dropped.
pub struct Server {
    pub uri: Uri,
    log: Log,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Starts a server that answers all requests with this function.
    pub async fn start<F, A>(answer: F) -> Self
    where
        F: Fn(Seen) -> A + Clone + Send + Sync + 'static,
        A: Future<Output = Response> + Send + 'static,
    {
        let log = Log::default();
        let seen = Arc::clone(&log);
        let serve = move |request: axum::extract::Request| {
            let (answer, seen) = (answer.clone(), Arc::clone(&seen));
            let served: Answering = Box::pin(async move {
                let (head, body) = request.into_parts();
                let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
                let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
                let request = Seen { verb: head.method, headers: head.headers, body };
                seen.lock().unwrap().push(request.clone());
                answer(request).await
            });
            served
        };
        let app = Router::new().fallback(serve);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let uri = format!("http://{}/mcp", listener.local_addr().unwrap()).parse().unwrap();
        let task = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { uri, log, task }
    }

    pub fn log(&self) -> MutexGuard<'_, Vec<Seen>> {
        self.log.lock().unwrap()
    }

    /// Returns the methods of the messages so far, and the verbs of other requests.
    pub fn methods(&self) -> Vec<String> {
        let name = |seen: &Seen| match (&seen.verb, seen.method()) {
            (&Method::POST, "") => "answer".to_owned(),
            (&Method::POST, method) => method.to_owned(),
            (verb, _) => verb.to_string(),
        };
        self.log().iter().map(name).collect()
    }

    /// Returns the requests with this method of JSON-RPC, or with this verb.
    pub fn all(&self, of: &str) -> Vec<Seen> {
        let log = self.log();
        log.iter().filter(|seen| seen.method() == of || seen.verb == of).cloned().collect()
    }

    /// Waits until so many requests of a kind have come, and returns them.
    pub async fn wait_for(&self, of: &str, count: usize) -> Vec<Seen> {
        until(&format!("{count} {of}"), || self.all(of).len() >= count).await;
        self.all(of)
    }

    pub fn client(&self) -> Client {
        Client::http(self.uri.clone()).with_info(json!({ "name": "test", "version": "1" }))
    }

    /// Connects in one of these revisions.
    pub async fn connect(&self, revisions: &[Revision]) -> HttpConnection {
        let client = self.client().with_revisions(revisions);
        within(client.connect(Handlers::new(()))).await.unwrap()
    }
}

/// Answers the handshakes of both eras, GET and DELETE, and leaves the rest to the test.
pub async fn usual<A>(seen: Seen, rest: impl FnOnce(Seen) -> A) -> Response
where
    A: Future<Output = Response>,
{
    match (seen.verb.as_str(), seen.method()) {
        ("GET" | "DELETE", _) => status(405),
        (_, "server/discover") => discovered(&seen),
        (_, "initialize") => initialized(&seen, Some("session-1")),
        (_, "notifications/initialized") => status(202),
        _ => rest(seen).await,
    }
}

pub fn discovered(seen: &Seen) -> Response {
    result(
        seen,
        json!({
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} },
            "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "server", "version": "1" } },
        }),
    )
}

pub fn initialized(seen: &Seen, session: Option<&str>) -> Response {
    let version = &seen.body["params"]["protocolVersion"];
    let mut response = result(
        seen,
        json!({
            "protocolVersion": version, "capabilities": {},
            "serverInfo": { "name": "server", "version": "1" },
        }),
    );
    if let Some(session) = session {
        response.headers_mut().insert("mcp-session-id", session.parse().unwrap());
    }
    response
}

pub fn result(seen: &Seen, result: Value) -> Response {
    json_text(200, json!({ "jsonrpc": "2.0", "id": seen.id(), "result": result }).to_string())
}

pub fn error(seen: &Seen, status: u16, code: i64, data: Value) -> Response {
    let error = json!({ "code": code, "message": "refused", "data": data });
    json_text(status, json!({ "jsonrpc": "2.0", "id": seen.id(), "error": error }).to_string())
}

pub fn json_text(status: u16, text: impl Into<Body>) -> Response {
    text_of(status, "application/json", text)
}

pub fn text_of(status: u16, of: &str, text: impl Into<Body>) -> Response {
    let response = Response::builder().status(status).header("content-type", of);
    response.body(text.into()).unwrap()
}

pub fn status(status: u16) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::from_u16(status).unwrap();
    response
}

/// Returns the text of an event with a message.
pub fn event(message: &Value) -> String {
    format!("event: message\ndata: {message}\n\n")
}

pub fn answer(seen: &Seen, result: Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": seen.id(), "result": result })
}

/// A stream of events that a test writes.
#[derive(Clone)]
pub struct Stream(mpsc::Sender<Result<Bytes, std::io::Error>>);

impl Stream {
    /// Returns a stream of events, and the response with it.
    pub fn new() -> (Self, Response) {
        Self::of("text/event-stream")
    }

    /// Returns a stream with this content type, and the response with it.
    pub fn of(content: &str) -> (Self, Response) {
        let (sender, receiver) = mpsc::channel(16);
        let response = Response::builder()
            .header("content-type", content)
            .header("x-accel-buffering", "no")
            .body(Body::new(Parts(receiver)))
            .unwrap();
        (Self(sender), response)
    }

    pub async fn write(&self, text: impl Into<Bytes>) {
        let _ = self.0.send(Ok(text.into())).await;
    }

    /// Breaks the connection.
    pub async fn cut(&self) {
        // The bytes before have to arrive.
        tokio::time::sleep(Duration::from_millis(30)).await;
        let _ = self.0.send(Err(std::io::Error::other("cut"))).await;
    }

    /// Waits until the client has closed the response.
    pub async fn closed(&self) {
        within(self.0.closed()).await;
    }
}

struct Parts(mpsc::Receiver<Result<Bytes, std::io::Error>>);

impl http_body::Body for Parts {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        self.0.poll_recv(context).map(|part| part.map(|part| part.map(Frame::data)))
    }
}

/// The incidents that an observer has seen.
#[derive(Clone, Default)]
pub struct Incidents(Arc<Mutex<Vec<String>>>);

impl Incidents {
    pub fn observe(&self, client: Client) -> Client {
        let seen = Arc::clone(&self.0);
        client.with_observer(move |incident| seen.lock().unwrap().push(incident.to_string()))
    }

    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    pub async fn wait_for(&self, text: &str) {
        until(text, || self.0.lock().unwrap().iter().any(|seen| seen.contains(text))).await;
    }
}

/// Waits for what must happen soon.
pub async fn within<F: IntoFuture>(future: F) -> F::Output {
    timeout(Duration::from_secs(20), future.into_future()).await.expect("this takes too long")
}

pub async fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let wait = async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    };
    if timeout(Duration::from_secs(20), wait).await.is_err() {
        panic!("this never happened: {what}");
    }
}
