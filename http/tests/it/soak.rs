//! A long run: valid and broken requests of both eras, clients that vanish, and restarts. Every request is answered once, and
//! nothing is left over.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::serve::ListenerExt;
use serde_json::{Value, json};
use tautline_http::{McpServer, ServerOptions};
use tautline_mcp::Revision;
use tautline_mcp::http::{Allowed, Policy};
use tautline_tokio::{Context, Handlers, RpcError, ServerInfo};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

const POLICY: Policy<'static> = Policy::new(Revision::ALL, Allowed::Loopback, Allowed::Loopback);

/// The number of connections.
const CLIENTS: u64 = 16;

/// The number of times that the server is replaced.
const RESTARTS: u64 = 4;

/// Counts the handlers that run.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

struct Running;

impl Running {
    fn new() -> Self {
        RUNNING.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
    }
}

async fn call(context: Context<()>, params: Value) -> Result<Value, RpcError> {
    let _running = Running::new();
    let text = match params["name"].as_str() {
        Some("echo") => params["arguments"]["text"].clone(),
        Some("steps") => {
            for step in 1..=3 {
                let report = json!({ "progressToken": 1, "progress": step });
                context.peer().notify("notifications/progress", report).await?;
                tokio::task::yield_now().await;
            }
            "done".into()
        }
        Some("slow") => {
            context
                .peer()
                .notify("notifications/message", json!({ "level": "info", "data": 1 }))
                .await?;
            sleep(Duration::from_secs(600)).await;
            "late".into()
        }
        _ => return Err(RpcError::invalid_params("no such tool")),
    };
    Ok(json!({ "content": [{ "type": "text", "text": text }] }))
}

/// A server, and the task that accepts its connections.
struct Serving(McpServer, JoinHandle<()>);

async fn serve() -> (Serving, String) {
    let info = ServerInfo::new("soak", "1").with_capabilities(json!({ "tools": {} }));
    let handlers = Handlers::new(()).with_server_info(info).request("tools/call", call);
    let server = ServerOptions::new(POLICY)
        .with_limit(10_000)
        .with_session_timeout(Duration::from_secs(1))
        .with_shutdown_timeout(Duration::from_millis(50))
        .serve(handlers);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let listener = listener.tap_io(|stream| stream.set_nodelay(true).unwrap());
    let app = axum::Router::new().route_service("/mcp", server.clone());
    let accepting = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    (Serving(server, accepting), address)
}

/// A generator of numbers that are random enough (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }
}

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// The parts of a request.
#[derive(Clone)]
struct Sent {
    method: &'static str,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

impl Sent {
    fn post(headers: &[(&'static str, &str)], body: String) -> Self {
        let mut all = vec![
            ("Host", "localhost".to_owned()),
            ("Content-Type", "application/json".to_owned()),
            ("Accept", "application/json, text/event-stream".to_owned()),
        ];
        all.extend(headers.iter().map(|(name, value)| (*name, (*value).to_owned())));
        Self { method: "POST", headers: all, body: body.into_bytes() }
    }

    fn modern(id: &str, tool: &str) -> Self {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{"text":"hello"}},{META}}}}}"#
        );
        let version = ("MCP-Protocol-Version", "2026-07-28");
        Self::post(&[version, ("Mcp-Method", "tools/call"), ("Mcp-Name", tool)], body)
    }

    fn legacy(session: &str, body: String) -> Self {
        let version = ("MCP-Protocol-Version", "2025-11-25");
        Self::post(&[version, ("Mcp-Session-Id", session)], body)
    }

    fn set(mut self, name: &'static str, value: &str) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        self.headers.push((name, value.to_owned()));
        self
    }

    fn and(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| *known != name);
        self
    }

    fn with_body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    fn replaced(self, from: &str, to: &str) -> Self {
        let body = String::from_utf8(self.body.clone()).unwrap();
        assert!(body.contains(from), "{from}");
        self.with_body(body.replace(from, to))
    }

    fn with_method(self, method: &'static str) -> Self {
        Self { method, ..self }
    }

    fn bytes(&self) -> Vec<u8> {
        let mut text = format!("{} /mcp HTTP/1.1\r\n", self.method).into_bytes();
        for (name, value) in &self.headers {
            text.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        text.extend_from_slice(format!("Content-Length: {}\r\n\r\n", self.body.len()).as_bytes());
        text.extend_from_slice(&self.body);
        text
    }
}

/// Returns a broken request, and the status and the code of its refusal.
fn broken(kind: u64, id: &str) -> (Sent, u16, Option<i64>) {
    let good = || Sent::modern(id, "echo");
    let version = "MCP-Protocol-Version";
    match kind {
        0 => (good().with_method("PUT"), 405, None),
        1 => (good().with_method("GET"), 405, None),
        2 => (good().with_method("DELETE"), 405, None),
        3 => (good().without("Host"), 400, None),
        4 => (good().set("Host", "evil.example"), 403, None),
        5 => (good().set("Host", "a b"), 400, None),
        6 => (good().and("Origin", "https://evil.example"), 403, None),
        7 => (good().and("Origin", "::"), 403, None),
        8 => (good().without("Content-Type"), 415, None),
        9 => (good().set("Content-Type", "text/plain"), 415, None),
        10 => (good().without("Accept"), 406, None),
        11 => (good().set("Accept", "application/json"), 406, None),
        12 => (good().set("Accept", "application/json, text/event-stream;q=0"), 406, None),
        13 => (good().without(version), 400, Some(-32020)),
        14 => (good().set(version, "2026-07-28").and(version, "2026-07-28"), 400, Some(-32020)),
        15 => (good().set(version, "2025-11-25"), 400, Some(-32020)),
        16 => (
            good().set(version, "2099-01-01").replaced("2026-07-28", "2099-01-01"),
            400,
            Some(-32022),
        ),
        17 => (good().without("Mcp-Method"), 400, Some(-32020)),
        18 => (good().set("Mcp-Method", "tools/list"), 400, Some(-32020)),
        19 => (good().and("Mcp-Method", "tools/call"), 400, Some(-32020)),
        20 => (good().without("Mcp-Name"), 400, Some(-32020)),
        21 => (good().set("Mcp-Name", "Echo"), 400, Some(-32020)),
        22 => (good().set("Mcp-Name", "=?base64?!!?="), 400, Some(-32020)),
        23 => (good().set("Mcp-Name", "=?BASE64?ZWNobw==?="), 400, Some(-32020)),
        24 => (good().with_body(""), 400, Some(-32700)),
        25 => (good().with_body("{"), 400, Some(-32700)),
        26 => (good().with_body([0xFF, 0xFE]), 400, Some(-32700)),
        27 => (good().with_body("[]"), 400, Some(-32600)),
        28 => (good().with_body("7"), 400, Some(-32600)),
        29 => (good().replaced("\"2.0\"", "\"2.1\""), 400, Some(-32600)),
        30 => (good().replaced("\"method\"", "\"Method\""), 400, Some(-32600)),
        31 => (good().replaced("\"params\"", "\"id\":1,\"params\""), 400, Some(-32600)),
        32 => (good().replaced(&format!("\"id\":{id}"), "\"id\":null"), 400, Some(-32600)),
        33 => (good().replaced(&format!("\"id\":{id}"), "\"id\":1.5"), 400, Some(-32600)),
        34 => (
            good().replaced("tools/call", "tools/none").set("Mcp-Method", "tools/none"),
            404,
            Some(-32601),
        ),
        35 => (
            good().replaced("tools/call", "tools/list").set("Mcp-Method", "tools/list"),
            404,
            Some(-32601),
        ),
        36 => (good().replaced("clientCapabilities", "other"), 400, Some(-32602)),
        37 => (good().replaced("hello", &"x".repeat(20_000)), 413, Some(-32600)),
        38 => (
            good().replaced("\"hello\"", &format!("{}{}", "[".repeat(2000), "]".repeat(2000))),
            400,
            None,
        ),
        _ => {
            (good().with_body(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)), 400, None)
        }
    }
}

const KINDS: u64 = 40;

/// A connection that is opened again when the server has closed it.
struct Client {
    address: Arc<Mutex<String>>,
    stream: Option<TcpStream>,
    read: Vec<u8>,
}

/// A response: its status, its headers and its body.
type Response = (u16, String, Vec<u8>);

impl Client {
    /// Sends a request. Returns `None` if the connection ends before a whole response has come.
    async fn send(&mut self, request: &[u8]) -> Option<Response> {
        if self.stream.is_none() {
            let address = self.address.lock().unwrap().clone();
            self.stream = TcpStream::connect(address).await.ok();
        }
        let response = timeout(Duration::from_secs(20), self.exchange(request)).await.unwrap();
        let closes = |head: &str| head.contains("connection: close");
        if response.as_ref().is_none_or(|(_, head, _)| closes(head)) {
            self.stream = None;
        }
        response
    }

    async fn exchange(&mut self, request: &[u8]) -> Option<Response> {
        let stream = self.stream.as_mut()?;
        stream.write_all(request).await.ok()?;
        self.read.clear();
        let find =
            |read: &[u8], what: &[u8]| read.windows(what.len()).position(|part| part == what);
        let head = loop {
            if let Some(end) = find(&self.read, b"\r\n\r\n") {
                break end + 4;
            }
            if stream.read_buf(&mut self.read).await.ok()? == 0 {
                return None;
            }
        };
        let text = String::from_utf8(self.read[..head].to_vec()).unwrap().to_ascii_lowercase();
        let status = text[9..12].parse().unwrap();
        let length = text.split("content-length: ").nth(1);
        let length =
            length.map(|rest| rest.split("\r\n").next().unwrap().parse::<usize>().unwrap());
        let is_chunked = text.contains("transfer-encoding: chunked");
        loop {
            let is_whole = match length {
                Some(length) => self.read.len() >= head + length,
                None => !is_chunked || self.read.ends_with(b"\r\n0\r\n\r\n"),
            };
            if is_whole {
                return Some((status, text, self.read[head..].to_vec()));
            }
            if stream.read_buf(&mut self.read).await.ok()? == 0 {
                return None;
            }
        }
    }

    /// Sends a request, of which the client reads no answer, and goes away.
    async fn vanish(&mut self, request: &[u8], length: usize) {
        let address = self.address.lock().unwrap().clone();
        if let Ok(mut stream) = TcpStream::connect(address).await {
            let _ = stream.write_all(&request[..length]).await;
            tokio::task::yield_now().await;
        }
    }

    /// Opens a session, unless the server is being replaced.
    async fn open(&mut self) -> Option<String> {
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
        let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let (status, head, _) = self.send(&Sent::post(&[], body.to_string()).bytes()).await?;
        if status == 503 {
            return None;
        }
        let session = head.split("mcp-session-id: ").nth(1).unwrap();
        Some(session.split("\r\n").next().unwrap().to_owned())
    }
}

/// The counts of a run.
#[derive(Default)]
struct Counts {
    answered: AtomicU64,
    refused: AtomicU64,
    vanished: AtomicU64,
    lost: AtomicU64,
}

/// Checks that a response has one answer to the request with this id.
fn assert_answer(body: &[u8], id: &str) {
    let text = std::str::from_utf8(body).unwrap();
    let answer = format!("\"id\":{id},\"result\"");
    assert_eq!(text.matches(&answer).count(), 1, "{text}");
    assert_eq!(
        text.matches("\"jsonrpc\"").count() - text.matches("\"method\"").count(),
        1,
        "{text}"
    );
}

async fn client(number: u64, requests: u64, address: Arc<Mutex<String>>, counts: Arc<Counts>) {
    let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ (number + 1));
    let mut client = Client { address, stream: None, read: Vec::new() };
    let mut session = None;
    for count in 0..requests {
        let id = number * 1_000_000_000 + count;
        let id = if count % 2 == 0 { id.to_string() } else { format!("\"{id}\"") };
        if random.next(100) == 0 {
            let (sent, status, code) = broken(random.next(KINDS), &id);
            let Some((found, _, body)) = client.send(&sent.bytes()).await else {
                counts.lost.fetch_add(1, Ordering::Relaxed);
                continue;
            };
            if found != 503 {
                let text = String::from_utf8_lossy(&body).into_owned();
                assert_eq!(found, status, "{} {text}", String::from_utf8_lossy(&sent.bytes()));
                if let Some(code) = code {
                    assert!(!body.is_empty(), "{}", String::from_utf8_lossy(&sent.bytes()));
                    let reply: Value = serde_json::from_slice(&body).unwrap();
                    assert_eq!(reply["error"]["code"], code, "{text}");
                }
            }
            counts.refused.fetch_add(1, Ordering::Relaxed);
            continue;
        }
        if random.next(200) == 0 {
            let tool = if random.next(2) == 0 { "slow" } else { "echo" };
            let bytes = Sent::modern(&id, tool).bytes();
            let length = if random.next(2) == 0 {
                bytes.len()
            } else {
                usize::try_from(random.next(500)).unwrap()
            };
            client.vanish(&bytes, length.min(bytes.len())).await;
            counts.vanished.fetch_add(1, Ordering::Relaxed);
            continue;
        }
        let tool = if random.next(10) == 0 { "steps" } else { "echo" };
        let sent = if random.next(2) == 0 {
            Sent::modern(&id, tool)
        } else {
            if session.is_none() {
                session = client.open().await;
            }
            let Some(session) = &session else { continue };
            let body = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{"text":"hello"}}}}}}"#
            );
            Sent::legacy(session, body)
        };
        match client.send(&sent.bytes()).await {
            Some((200, _, body)) => {
                assert_answer(&body, &id);
                counts.answered.fetch_add(1, Ordering::Relaxed);
            }
            // The server is being replaced.
            Some((404 | 503, ..)) => {
                session = None;
                // The next request goes to the new server.
                client.stream = None;
                counts.lost.fetch_add(1, Ordering::Relaxed);
            }
            None => {
                counts.lost.fetch_add(1, Ordering::Relaxed);
            }
            Some((status, _, body)) => panic!("{status} {}", String::from_utf8_lossy(&body)),
        }
    }
}

/// Returns the resident memory of this process in KiB.
fn memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Runs 10,000 requests, or as many times more as `TAUTLINE_TEST_VOLUME` tells.
#[tokio::test(flavor = "multi_thread")]
async fn every_request_is_answered_once() {
    let volume = std::env::var("TAUTLINE_TEST_VOLUME").ok().and_then(|volume| volume.parse().ok());
    let requests = volume.unwrap_or(1) * 10_000_u64;
    let rounds = RESTARTS + 1;
    let counts = Arc::new(Counts::default());
    let (mut serving, address) = serve().await;
    let address = Arc::new(Mutex::new(address));
    let mut memories = Vec::new();
    for round in 0..rounds {
        let each = requests / CLIENTS / rounds;
        let clients = (0..CLIENTS).map(|number| {
            let (address, counts) = (Arc::clone(&address), Arc::clone(&counts));
            tokio::spawn(client(number + round * CLIENTS, each, address, counts))
        });
        let clients: Vec<_> = clients.collect();
        if round > 0 {
            // While the clients send, the server is replaced.
            sleep(Duration::from_millis(5)).await;
            let Serving(server, accepting) = serving;
            let next;
            (serving, next) = serve().await;
            *address.lock().unwrap() = next;
            server.close().await;
            accepting.abort();
            assert_eq!(server.sessions(), 0);
        }
        for client in clients {
            client.await.unwrap();
        }
        memories.extend(memory());
    }
    // Handlers of clients that vanished end, and sessions expire.
    for _ in 0..100 {
        if RUNNING.load(Ordering::SeqCst) == 0 && serving.0.sessions() == 0 {
            break;
        }
        sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(RUNNING.load(Ordering::SeqCst), 0);
    assert_eq!(serving.0.sessions(), 0);
    let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
    let Counts { answered, refused, vanished, lost } = &*counts;
    let (answered, refused, vanished, lost) =
        (count(answered), count(refused), count(vanished), count(lost));
    println!(
        "{answered} answered, {refused} refused, {vanished} vanished, {lost} lost; {memories:?} KiB"
    );
    assert!(answered > requests * 9 / 10, "{answered} of {requests}");
    // Those that a restart has met: at most some of each client.
    assert!(lost <= RESTARTS * CLIENTS * 8, "{lost} lost");
    if let (Some(before), Some(after)) = (memories.get(1), memories.last()) {
        assert!(*after < before + 16 * 1024, "{memories:?}");
    }
}
