//! A server, the proxy in front of it, and clients.

use std::convert::Infallible;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Frame, Incoming};
use hyper::service::service_fn;
use hyper::{HeaderMap, Request, Response};
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

use crate::support::tautline;

/// The time limit for every event, long enough for a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(30);

pub type AnyBody = BoxBody<Bytes, Infallible>;

/// Returns a body of these bytes.
pub fn whole(bytes: impl Into<Bytes>) -> AnyBody {
    Full::new(bytes.into()).boxed()
}

/// Returns a body, and where to send its frames.
pub fn stream() -> (mpsc::Sender<Frame<Bytes>>, AnyBody) {
    let (sender, receiver) = mpsc::channel(4);
    (sender, BodyExt::boxed(Channel(receiver)))
}

/// A body whose frames come through a channel.
struct Channel(mpsc::Receiver<Frame<Bytes>>);

impl Body for Channel {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|frame| frame.map(Ok))
    }
}

/// A server, whose handler answers each request.
pub struct Server {
    pub address: SocketAddr,
    _runtime: Runtime,
}

impl Server {
    pub fn start<F, R>(handler: F) -> Self
    where
        F: Fn(Request<Incoming>) -> R + Send + Sync + 'static,
        R: Future<Output = Response<AnyBody>> + Send + 'static,
    {
        let runtime = runtime();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let handler = Arc::new(handler);
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let handler = handler.clone();
                tokio::spawn(async move {
                    let service = service_fn(move |request| {
                        let response = handler(request);
                        async move { Ok::<_, Infallible>(response.await) }
                    });
                    let server = hyper::server::conn::http1::Builder::new();
                    let _ = server.serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Self { address, _runtime: runtime }
    }

    /// Starts a server that answers each request with a result, as JSON.
    pub fn answering() -> Self {
        Self::start(|request| async move {
            let body = request.into_body().collect().await.unwrap().to_bytes();
            let message: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
            let mut response = Response::new(whole(answer(&message)));
            response.headers_mut().insert("content-type", "application/json".parse().unwrap());
            response.headers_mut().insert("set-cookie", "id=secret-cookie".parse().unwrap());
            response
        })
    }
}

/// Returns the answer to a call.
pub fn answer(request: &serde_json::Value) -> String {
    let server = serde_json::json!({"name": "s", "version": "1"});
    serde_json::json!({"jsonrpc": "2.0", "id": request["id"], "result": {
        "resultType": "complete", "content": [{"type": "text", "text": "done"}],
        "_meta": {"io.modelcontextprotocol/serverInfo": server},
    }})
    .to_string()
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// A running proxy.
pub struct Tap {
    child: Child,
    pub address: SocketAddr,
    pub record: PathBuf,
    rest: JoinHandle<String>,
}

impl Tap {
    /// Starts the proxy for this URL, with a record.
    pub fn start(url: &str, options: &[&str]) -> Self {
        Self::start_with(url, options, |_| {})
    }

    /// Starts the proxy after a change of its command.
    pub fn start_with(url: &str, options: &[&str], change: impl FnOnce(&mut Command)) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("http");
        std::fs::create_dir_all(&folder).unwrap();
        let record = folder.join(format!("{}-{count}.jsonl", std::process::id()));
        let mut command = tautline(&["tap", "--http", "127.0.0.1:0", "--to", url, "--record"]);
        command.arg(&record).args(options).stdin(Stdio::null()).stderr(Stdio::piped());
        change(&mut command);
        let mut child = command.spawn().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
        let address = address.unwrap_or_else(|| panic!("{line}")).parse().unwrap();
        let rest = std::thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).unwrap();
            text
        });
        Self { child, address, record, rest }
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Sends it a signal to end, and returns the rest of its standard error.
    pub fn stop(mut self) -> Stopped {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(begin.elapsed() < PATIENCE, "the proxy does not stop");
            std::thread::sleep(Duration::from_millis(10));
        };
        assert_eq!(status.code(), Some(0));
        Stopped { stderr: self.rest.join().unwrap(), record: self.record }
    }
}

/// A proxy that has stopped.
pub struct Stopped {
    pub stderr: String,
    pub record: PathBuf,
}

impl Stopped {
    /// Returns the record, and removes it.
    pub fn text(&self) -> String {
        std::fs::read_to_string(&self.record).unwrap()
    }

    /// Returns the records after the header.
    pub fn records(&self) -> Vec<serde_json::Value> {
        let text = self.text();
        text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Audits the record, and returns the rules of errors and warnings.
    pub fn audit(&self) -> (Output, Vec<String>) {
        let record = self.record.to_str().unwrap();
        let output = tautline(&["audit", "--format", "json", record]).output().unwrap();
        let document: serde_json::Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
        let findings = document["findings"].as_array().unwrap();
        let loud = findings.iter().filter(|finding| finding["severity"] != "note");
        let rules = loud.map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect();
        (output, rules)
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.record);
    }
}

/// A client, with its runtime.
pub struct User {
    runtime: Runtime,
    client: Client<hyper_util::client::legacy::connect::HttpConnector, AnyBody>,
}

/// A response that was read to its end.
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Bytes,
    pub trailers: Option<HeaderMap>,
}

impl User {
    pub fn new() -> Self {
        let runtime = runtime();
        let client = Client::builder(TokioExecutor::new()).build_http();
        Self { runtime, client }
    }

    /// Creates a client that knows that the server has HTTP/2.
    pub fn with_http2() -> Self {
        let runtime = runtime();
        let client = Client::builder(TokioExecutor::new()).http2_only(true).build_http();
        Self { runtime, client }
    }

    pub fn run<T>(&self, future: impl Future<Output = T>) -> T {
        let limited = async { tokio::time::timeout(PATIENCE, future).await.expect("too late") };
        self.runtime.block_on(limited)
    }

    pub fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(future);
    }

    /// Sends a request, and returns its response once its head is there.
    pub fn send(&self, request: Request<AnyBody>) -> Response<Incoming> {
        self.run(self.client.request(request)).unwrap()
    }

    /// Sends a request, and reads the response.
    pub fn ask(&self, request: Request<AnyBody>) -> Answer {
        let (head, body) = self.send(request).into_parts();
        let collected = self.run(body.collect()).unwrap();
        let trailers = collected.trailers().cloned();
        let (status, headers) = (head.status.as_u16(), head.headers);
        Answer { status, headers, body: collected.to_bytes(), trailers }
    }
}

/// Returns a request of the modern era, with the headers that it should have.
pub fn call(url: &str, method: &str, name: &str) -> Request<AnyBody> {
    const PREFIX: &str = "io.modelcontextprotocol/";
    let meta = serde_json::json!({
        format!("{PREFIX}protocolVersion"): "2026-07-28",
        format!("{PREFIX}clientCapabilities"): {},
        format!("{PREFIX}clientInfo"): {"name": "c", "version": "1"},
    });
    let message = serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": method,
        "params": {"name": name, "arguments": {}, "_meta": meta}});
    Request::post(url)
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", method)
        .header("mcp-name", name)
        .body(whole(message.to_string()))
        .unwrap()
}
