//! The server, over real connections, in both eras.

mod bounds;
mod closing;
mod delivery;
mod expiry;
mod streams;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::{Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde_json::{Value, json};
use tautline::ErrorCode;
use tautline_http::{HttpRequest, McpServer, ServerOptions};
use tautline_mcp::Revision;
use tautline_mcp::http::{Allowed, Policy};
use tautline_tokio::{Context, Handlers, RpcError, ServerInfo};
use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc};
use tokio::time::{sleep, timeout};

const POLICY: Policy<'static> = Policy::new(Revision::ALL, Allowed::Loopback, Allowed::Loopback);

/// The limit on what a test waits for.
const LIMIT: Duration = Duration::from_secs(10);

/// The state of the handlers: what they report, and what they wait for.
struct Probe {
    log: mpsc::UnboundedSender<String>,
    go: Notify,
    sent: AtomicUsize,
}

type Handler = Context<Arc<Probe>>;

/// Reports when a handler is dropped.
struct Guard(mpsc::UnboundedSender<String>, &'static str);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.send(format!("{} ended", self.1));
    }
}

fn handlers(probe: &Arc<Probe>) -> Handlers<Arc<Probe>> {
    let info = ServerInfo::new("test", "1").with_capabilities(json!({ "tools": {} }));
    Handlers::new(Arc::clone(probe))
        .with_server_info(info)
        .request("tools/list", async |_: Handler, _: Value| {
            let schema = json!({ "type": "object", "properties": {
                "region": { "type": "string", "x-mcp-header": "Region" } } });
            let tool = json!({ "name": "call", "inputSchema": schema });
            Ok(json!({ "tools": [tool], "ttlMs": 0, "cacheScope": "private" }))
        })
        .request("tools/call", tool)
        .request("subscriptions/listen", listen)
        .notification("notifications/roots/list_changed", roots)
        .notification("notifications/initialized", async |context: Handler, _: Value| {
            let _ = context.state().log.send("initialized".to_owned());
            let _ = context.peer().notify("notifications/tools/list_changed", ()).await;
        })
}

/// Asks for the roots that have changed.
async fn roots(context: Handler, _: Value) {
    let log = &context.state().log;
    let pauses = context.attachment::<HttpRequest>().unwrap().pause(Duration::ZERO);
    let _ = log.send(format!("roots changed, pauses: {pauses}"));
    let answer: Result<Value, _> = context.peer().call("roots/list", ()).await;
    let _ = log.send(format!("roots: {}", answer.is_ok()));
}

async fn tool(context: Handler, params: Value) -> Result<Value, RpcError> {
    let text = match params["name"].as_str().unwrap_or_default() {
        "call" => "done".to_owned(),
        "progress" => {
            let token = &params["_meta"]["progressToken"];
            for progress in 1..=3 {
                let report = json!({ "progressToken": token, "progress": progress });
                context.peer().notify("notifications/progress", report).await?;
            }
            "done".to_owned()
        }
        "wait" => {
            let _guard = Guard(context.state().log.clone(), "wait");
            let report = json!({ "level": "info", "data": "begun" });
            context.peer().notify("notifications/message", report).await?;
            context.state().go.notified().await;
            "waited".to_owned()
        }
        "silent" => {
            context.state().go.notified().await;
            "waited".to_owned()
        }
        "hang" => {
            let _guard = Guard(context.state().log.clone(), "hang");
            context.state().sent.fetch_add(1, Ordering::Relaxed);
            std::future::pending().await
        }
        "late flood" => {
            let _guard = Guard(context.state().log.clone(), "late flood");
            sleep(Duration::from_millis(300)).await;
            for _ in 0..1000 {
                let report = json!({ "level": "info", "data": "x".repeat(10_000) });
                context.peer().notify("notifications/message", report).await?;
            }
            "sent".to_owned()
        }
        "sample" => {
            let call = context.peer().request("sampling/createMessage", json!({}));
            let call = call.with_progress().with_timeout(Duration::from_millis(1000));
            let mut call = call.send().await?;
            let mut reports = 0;
            while call.progress().await.is_some() {
                reports += 1;
            }
            let answer: Value = call.await?;
            format!("{reports} {answer}")
        }
        "invalid" => return Err(RpcError::new(ErrorCode::INVALID_REQUEST, "invalid")),
        "late invalid" => {
            sleep(Duration::from_millis(50)).await;
            return Err(RpcError::new(ErrorCode::INVALID_REQUEST, "invalid"));
        }
        "may pause" => {
            let request = context.attachment::<HttpRequest>().unwrap();
            let pauses = request.pause(Duration::ZERO);
            sleep(Duration::from_millis(50)).await;
            pauses.to_string()
        }
        "pause" => {
            let request = context.attachment::<HttpRequest>();
            assert!(request.is_some_and(|request| request.pause(Duration::from_millis(7))));
            context.state().go.notified().await;
            "paused".to_owned()
        }
        "ask" => {
            let answer: Value = context.peer().call("roots/list", ()).await?;
            answer["roots"][0]["uri"].to_string()
        }
        "calls" => {
            let session = context.attachment::<HttpRequest>().and_then(HttpRequest::session);
            let Some(session) = session else { return Err(RpcError::internal("no session")) };
            let count = session.data::<Mutex<u32>>();
            let mut count = count.lock().unwrap();
            *count += 1;
            let client: Value = session.client().unwrap().deserialize().unwrap();
            format!("{} of {}", *count, client["clientInfo"]["name"])
        }
        "flood" => {
            let _guard = Guard(context.state().log.clone(), "flood");
            for count in 0..10_000 {
                let report = json!({ "level": "info", "data": "x".repeat(10_000) });
                context.peer().notify("notifications/message", report).await?;
                context.state().sent.store(count, Ordering::Relaxed);
            }
            "sent".to_owned()
        }
        "agent" => {
            let request = context.attachment::<HttpRequest>();
            let agent = request.and_then(|request| request.headers().get("user-agent"));
            format!("{agent:?}")
        }
        name => return Err(RpcError::invalid_params(format!("no tool {name}"))),
    };
    Ok(json!({ "content": [{ "type": "text", "text": text }] }))
}

async fn listen(context: Handler, params: Value) -> Result<Value, RpcError> {
    let _guard = Guard(context.state().log.clone(), "listen");
    let meta = json!({ "io.modelcontextprotocol/subscriptionId": context.request_id() });
    let accepted = json!({ "_meta": meta, "notifications": params["notifications"] });
    context.peer().notify("notifications/subscriptions/acknowledged", accepted).await?;
    match context.attachment::<HttpRequest>() {
        Some(request) => request.closing().await,
        None => return Err(RpcError::internal("no request")),
    }
    Ok(json!({ "_meta": meta }))
}

/// A server on a port of its own, and a client.
struct Fixture {
    server: McpServer,
    url: String,
    client: Client<hyper_util::client::legacy::connect::HttpConnector, Full<Bytes>>,
    probe: Arc<Probe>,
    log: mpsc::UnboundedReceiver<String>,
}

async fn fixture(options: ServerOptions) -> Fixture {
    let (sender, log) = mpsc::unbounded_channel();
    let probe = Arc::new(Probe { log: sender, go: Notify::new(), sent: AtomicUsize::new(0) });
    let server = options.serve(handlers(&probe));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let app = axum::Router::new().route_service("/mcp", server.clone());
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let client = Client::builder(TokioExecutor::new()).build_http();
    Fixture { server, url, client, probe, log }
}

async fn start() -> Fixture {
    fixture(ServerOptions::new(POLICY)).await
}

impl Fixture {
    async fn send(
        &self,
        method: Method,
        headers: &[(&str, &str)],
        body: String,
    ) -> Response<Incoming> {
        let mut request = Request::builder().method(method).uri(&self.url);
        request = request
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::from(body)).unwrap();
        timeout(LIMIT, self.client.request(request)).await.unwrap().unwrap()
    }

    /// Sends a request of 2026-07-28.
    async fn modern(
        &self,
        method: &str,
        mut params: Value,
        headers: &[(&str, &str)],
    ) -> Response<Incoming> {
        let name = params["name"].as_str().map(str::to_owned);
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
        let body = json!({ "jsonrpc": "2.0", "id": "m", "method": method, "params": params });
        let mut all = vec![("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
        all.extend(name.iter().map(|name| ("mcp-name", name.as_str())));
        all.extend(headers);
        self.send(Method::POST, &all, body.to_string()).await
    }

    async fn call(&self, tool: &str) -> Response<Incoming> {
        self.modern("tools/call", json!({ "name": tool, "arguments": {} }), &[]).await
    }

    /// Opens a session, and returns its id.
    async fn open(&self, revision: &str) -> String {
        let params = json!({ "protocolVersion": revision, "capabilities": {},
            "clientInfo": { "name": "t", "version": "1" } });
        let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        let reply = self.send(Method::POST, &[], body.to_string()).await;
        assert_eq!(reply.status(), 200);
        let id = reply.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        assert_eq!(value(reply).await["result"]["protocolVersion"], revision);
        id
    }

    /// Sends a message in a session.
    async fn legacy(&self, session: &str, revision: &str, body: Value) -> Response<Incoming> {
        let headers = [("mcp-session-id", session), ("mcp-protocol-version", revision)];
        self.send(Method::POST, &headers, body.to_string()).await
    }

    async fn get(&self, session: &str, last: Option<&str>) -> Response<Incoming> {
        let mut headers = vec![("mcp-session-id", session), ("mcp-protocol-version", "2025-11-25")];
        headers.extend(last.map(|last| ("last-event-id", last)));
        self.send(Method::GET, &headers, String::new()).await
    }

    async fn end(&self, session: &str) -> Response<Incoming> {
        let headers = [("mcp-session-id", session), ("mcp-protocol-version", "2025-11-25")];
        self.send(Method::DELETE, &headers, String::new()).await
    }

    /// Waits until the flood of a handler has filled all buffers. Returns the number of messages that it has sent.
    async fn stalled(&self) -> usize {
        let mut before = usize::MAX;
        loop {
            sleep(Duration::from_millis(300)).await;
            let sent = self.probe.sent.load(Ordering::Relaxed);
            if sent == before {
                return sent;
            }
            before = sent;
        }
    }

    async fn logged(&mut self) -> String {
        timeout(LIMIT, self.log.recv()).await.unwrap().unwrap()
    }
}

fn tool_call(id: u64, name: &str) -> Value {
    let params = json!({ "name": name, "arguments": {}, "_meta": { "progressToken": 1 } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

async fn value(reply: Response<Incoming>) -> Value {
    assert_eq!(reply.headers()["content-type"], "application/json");
    let body = timeout(LIMIT, reply.into_body().collect()).await.unwrap().unwrap().to_bytes();
    serde_json::from_slice(&body).unwrap()
}

/// The events of a response.
struct Events(Incoming, String);

impl Events {
    fn of(reply: Response<Incoming>) -> Self {
        assert_eq!(reply.status(), 200);
        assert_eq!(reply.headers()["content-type"], "text/event-stream");
        assert_eq!(reply.headers()["x-accel-buffering"], "no");
        Self(reply.into_body(), String::new())
    }

    /// Returns the text of the next event, or `None` at the end.
    async fn next(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.1.find("\n\n") {
                let rest = self.1.split_off(end + 2);
                return Some(std::mem::replace(&mut self.1, rest));
            }
            let frame = timeout(LIMIT, self.0.frame()).await.unwrap()?;
            let data = frame.unwrap().into_data().unwrap();
            self.1.push_str(std::str::from_utf8(&data).unwrap());
        }
    }

    /// Returns the next message, and the id of its event.
    async fn message(&mut self) -> (Option<String>, Value) {
        let event = self.next().await.unwrap();
        let field = |name: &str| {
            let mut lines = event.lines();
            lines.find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(": ")?.to_owned()))
        };
        (field("id"), serde_json::from_str(&field("data").unwrap()).unwrap())
    }
}

#[tokio::test]
async fn an_answer_that_is_all_is_json() {
    let fixture = start().await;
    let reply = fixture.call("call").await;
    assert_eq!(reply.status(), 200);
    assert_eq!(reply.headers().get("mcp-session-id"), None);
    let answer = value(reply).await;
    assert_eq!(answer["id"], "m");
    assert_eq!(answer["result"]["resultType"], "complete");
    let reply = fixture.modern("server/discover", json!({}), &[]).await;
    assert_eq!(value(reply).await["result"]["supportedVersions"].as_array().unwrap().len(), 5);
}

#[tokio::test]
async fn what_a_handler_sends_before_makes_it_a_stream() {
    let fixture = start().await;
    let params = json!({ "name": "progress", "arguments": {}, "_meta": { "progressToken": "t" } });
    let mut events = Events::of(fixture.modern("tools/call", params, &[]).await);
    for progress in 1..=3 {
        let (id, report) = events.message().await;
        assert_eq!((id, &report["params"]["progress"]), (None, &json!(progress)));
    }
    assert_eq!(events.message().await.1["result"]["content"][0]["text"], "done");
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn errors_have_their_status() {
    let fixture = start().await;
    let reply = fixture.modern("resources/list", json!({}), &[]).await;
    assert_eq!(reply.status(), StatusCode::NOT_FOUND);
    assert_eq!(value(reply).await["error"]["code"], -32601);
    let reply = fixture.call("none").await;
    assert_eq!(reply.status(), StatusCode::OK);
    assert_eq!(value(reply).await["error"]["code"], -32602);
    let reply = fixture.send(Method::GET, &[("mcp-protocol-version", "2026-07-28")], String::new());
    assert_eq!(reply.await.status(), StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn headers_of_parameters_are_judged_by_the_tools_of_the_server() {
    let fixture = start().await;
    let params = json!({ "name": "call", "arguments": { "region": "north" } });
    let reply = fixture.modern("tools/call", params.clone(), &[]).await;
    assert_eq!(reply.status(), StatusCode::BAD_REQUEST);
    let error = &value(reply).await["error"];
    assert_eq!((&error["code"], &error["data"]["header"]), (&json!(-32020), &json!("Mcp-Param-*")));
    for (region, status) in [("south", 400), ("north", 200), ("=?base64?bm9ydGg=?=", 200)] {
        let headers = [("mcp-param-region", region)];
        let reply = fixture.modern("tools/call", params.clone(), &headers).await;
        assert_eq!(reply.status(), status, "{region}");
    }
}

#[tokio::test]
async fn a_closed_response_drops_the_handler_in_2026_07_28() {
    let mut fixture = start().await;
    let mut events = Events::of(fixture.call("wait").await);
    assert_eq!(events.message().await.1["method"], "notifications/message");
    drop(events);
    assert_eq!(fixture.logged().await, "wait ended");
    assert_eq!(value(fixture.call("call").await).await["id"], "m");
}

#[tokio::test]
async fn silence_is_filled_with_comments() {
    let options = ServerOptions::new(POLICY).with_keep_alive(Duration::from_millis(20));
    let fixture = fixture(options).await;
    let mut events = Events::of(fixture.call("silent").await);
    for _ in 0..3 {
        assert_eq!(events.next().await.unwrap(), ":\n\n");
    }
    fixture.probe.go.notify_one();
    loop {
        let event = events.next().await.unwrap();
        if event != ":\n\n" {
            assert!(event.contains("waited"), "{event}");
            break;
        }
    }
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn subscriptions_stay_open_until_the_server_closes() {
    let mut fixture = start().await;
    let params = json!({ "notifications": { "toolsListChanged": true } });
    let mut events = Events::of(fixture.modern("subscriptions/listen", params, &[]).await);
    let (_, accepted) = events.message().await;
    let meta = &accepted["params"]["_meta"];
    assert_eq!(meta["io.modelcontextprotocol/subscriptionId"], "m");
    let server = fixture.server.clone();
    let closing = tokio::spawn(async move { server.close().await });
    assert_eq!(events.message().await.1["result"]["resultType"], "complete");
    assert_eq!(events.next().await, None);
    timeout(LIMIT, closing).await.unwrap().unwrap();
    assert_eq!(fixture.logged().await, "listen ended");
    assert_eq!(fixture.call("call").await.status(), StatusCode::SERVICE_UNAVAILABLE);
}

#[tokio::test]
async fn a_session_opens_serves_and_ends() {
    let mut fixture = start().await;
    for revision in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let session = fixture.open(revision).await;
        assert_eq!(session.len(), 32);
        let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let reply = fixture.legacy(&session, revision, note).await;
        assert_eq!(reply.status(), StatusCode::ACCEPTED);
        assert_eq!(fixture.logged().await, "initialized");
        let reply = fixture.legacy(&session, revision, tool_call(1, "call")).await;
        assert_eq!(value(reply).await["result"]["content"][0]["text"], "done");
        let ping = json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" });
        assert_eq!(value(fixture.legacy(&session, revision, ping.clone()).await).await["id"], 2);
        let unknown = json!({ "jsonrpc": "2.0", "id": 3, "method": "no" });
        let reply = fixture.legacy(&session, revision, unknown).await;
        assert_eq!(reply.status(), StatusCode::OK);
        assert_eq!(value(reply).await["error"]["code"], -32601);
        let headers = [("mcp-session-id", &*session), ("mcp-protocol-version", revision)];
        let reply = fixture.send(Method::DELETE, &headers, String::new()).await;
        assert_eq!(reply.status(), StatusCode::NO_CONTENT);
        let reply = fixture.legacy(&session, revision, ping).await;
        assert_eq!(reply.status(), StatusCode::NOT_FOUND);
    }
    assert_eq!(fixture.server.sessions(), 0);
}

#[tokio::test]
async fn a_session_keeps_what_its_handlers_store() {
    let fixture = start().await;
    let (first, second) = (fixture.open("2025-11-25").await, fixture.open("2025-11-25").await);
    for (session, count) in [(&first, 1), (&first, 2), (&second, 1)] {
        let reply = fixture.legacy(session, "2025-11-25", tool_call(1, "calls")).await;
        let text = &value(reply).await["result"]["content"][0]["text"];
        assert_eq!(text, &format!("{count} of \"t\""));
    }
    // A request of the modern era has no session.
    assert_eq!(value(fixture.call("calls").await).await["error"]["code"], -32603);
}

#[tokio::test]
async fn batches_of_2025_03_26_have_one_answer() {
    let fixture = start().await;
    let session = fixture.open("2025-03-26").await;
    let batch = json!([tool_call(1, "call"), tool_call(2, "none"),
        { "jsonrpc": "2.0", "method": "notifications/roots/list_changed" }]);
    let answers = value(fixture.legacy(&session, "2025-03-26", batch).await).await;
    assert_eq!(answers.as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn messages_of_the_session_come_on_the_stream_of_get() {
    let mut fixture = start().await;
    let session = fixture.open("2025-11-25").await;
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    fixture.legacy(&session, "2025-11-25", note.clone()).await;
    fixture.logged().await;
    let mut events = Events::of(fixture.get(&session, None).await);
    let priming = events.next().await.unwrap();
    assert_eq!(priming, "id: 0-0\nretry: 1000\ndata: \n\n");
    let (id, message) = events.message().await;
    assert_eq!(
        (id.as_deref(), &message["method"]),
        (Some("0-1"), &json!("notifications/tools/list_changed"))
    );
    // A second stream takes over, and what the first one got does not come again.
    let mut second = Events::of(fixture.get(&session, None).await);
    assert_eq!(second.next().await.unwrap(), "id: 0-1\nretry: 1000\ndata: \n\n");
    assert_eq!(events.next().await, None);
    fixture.legacy(&session, "2025-11-25", note).await;
    assert_eq!(second.message().await.0.as_deref(), Some("0-2"));
    // A client that has missed an event gets it again.
    let mut third = Events::of(fixture.get(&session, Some("0-1")).await);
    assert_eq!(third.next().await.unwrap(), "id: 0-1\nretry: 1000\ndata: \n\n");
    assert_eq!(third.message().await.0.as_deref(), Some("0-2"));
    for bad in ["0-9", "7-0", "x", "0-1-2", "-", "18446744073709551616-0"] {
        assert_eq!(fixture.get(&session, Some(bad)).await.status(), 400, "{bad}");
    }
}

#[tokio::test]
async fn a_lost_response_can_be_resumed_in_the_legacy_era() {
    let mut fixture = start().await;
    let session = fixture.open("2025-11-25").await;
    let reply = fixture.legacy(&session, "2025-11-25", tool_call(5, "wait")).await;
    let mut events = Events::of(reply);
    assert!(events.next().await.unwrap().starts_with("id: 1-0\nretry: "));
    let (id, _) = events.message().await;
    assert_eq!(id.as_deref(), Some("1-1"));
    drop(events);
    sleep(Duration::from_millis(30)).await;
    fixture.probe.go.notify_one();
    assert_eq!(fixture.logged().await, "wait ended");
    let mut events = Events::of(fixture.get(&session, Some("1-1")).await);
    events.next().await.unwrap();
    let (id, answer) = events.message().await;
    assert_eq!((id.as_deref(), &answer["id"]), (Some("1-2"), &json!(5)));
    assert_eq!(events.next().await, None);
    // All of it again, for a client that has seen nothing.
    let mut events = Events::of(fixture.get(&session, Some("1-0")).await);
    events.next().await.unwrap();
    assert_eq!(events.message().await.1["method"], "notifications/message");
    assert_eq!(events.message().await.1["id"], 5);
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn a_handler_can_pause_its_response() {
    let fixture = start().await;
    let session = fixture.open("2025-11-25").await;
    let reply = fixture.legacy(&session, "2025-11-25", tool_call(5, "pause")).await;
    let mut events = Events::of(reply);
    assert!(events.next().await.unwrap().starts_with("id: 1-0\n"));
    assert_eq!(events.next().await.unwrap(), "retry: 7\n\n");
    assert_eq!(events.next().await, None);
    fixture.probe.go.notify_one();
    let mut events = Events::of(fixture.get(&session, Some("1-0")).await);
    events.next().await.unwrap();
    assert_eq!(events.message().await.1["result"]["content"][0]["text"], "paused");
}

#[tokio::test]
async fn requests_of_a_handler_are_answered_by_another_post() {
    let fixture = start().await;
    let session = fixture.open("2025-06-18").await;
    let reply = fixture.legacy(&session, "2025-06-18", tool_call(1, "ask")).await;
    let mut events = Events::of(reply);
    let (id, call) = events.message().await;
    assert_eq!((id.as_deref(), &call["method"]), (Some("1-1"), &json!("roots/list")));
    let answer = json!({ "jsonrpc": "2.0", "id": call["id"], "result": { "roots": [{ "uri": "file:///a" }] } });
    let reply = fixture.legacy(&session, "2025-06-18", answer).await;
    assert_eq!(reply.status(), StatusCode::ACCEPTED);
    let (_, answer) = events.message().await;
    assert_eq!(answer["result"]["content"][0]["text"], "\"file:///a\"");
}

#[tokio::test]
async fn a_cancelled_request_ends_without_an_answer() {
    let mut fixture = start().await;
    let session = fixture.open("2025-11-25").await;
    let reply = fixture.legacy(&session, "2025-11-25", tool_call(9, "wait")).await;
    let mut events = Events::of(reply);
    events.next().await.unwrap();
    events.message().await;
    let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 9 } });
    let reply = fixture.legacy(&session, "2025-11-25", cancel).await;
    assert_eq!(reply.status(), StatusCode::ACCEPTED);
    assert_eq!(fixture.logged().await, "wait ended");
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn sessions_are_bounded_and_expire() {
    let options = ServerOptions::new(POLICY)
        .with_max_sessions(2)
        .with_session_timeout(Duration::from_millis(200));
    let mut fixture = fixture(options).await;
    let first = fixture.open("2025-11-25").await;
    fixture.open("2025-11-25").await;
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } });
    let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
    let reply = fixture.send(Method::POST, &[], body.to_string()).await;
    assert_eq!(reply.status(), StatusCode::SERVICE_UNAVAILABLE);
    // A request that runs keeps its session open.
    let mut events = Events::of(fixture.legacy(&first, "2025-11-25", tool_call(1, "wait")).await);
    events.next().await.unwrap();
    sleep(Duration::from_millis(500)).await;
    assert_eq!(fixture.server.sessions(), 1);
    fixture.probe.go.notify_one();
    assert_eq!(fixture.logged().await, "wait ended");
    drop(events);
    sleep(Duration::from_millis(500)).await;
    assert_eq!(fixture.server.sessions(), 0);
    let ping = json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" });
    assert_eq!(fixture.legacy(&first, "2025-11-25", ping).await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn without_sessions_the_legacy_era_has_requests_alone() {
    let mut fixture = fixture(ServerOptions::new(POLICY).without_sessions()).await;
    let version = [("mcp-protocol-version", "2025-06-18")];
    let reply = fixture.send(Method::POST, &version, tool_call(1, "call").to_string()).await;
    assert_eq!(value(reply).await["id"], 1);
    let reply = fixture.send(Method::POST, &version, tool_call(2, "wait").to_string()).await;
    let mut events = Events::of(reply);
    let (id, _) = events.message().await;
    assert_eq!(id, None);
    // The handler continues.
    drop(events);
    fixture.probe.go.notify_one();
    assert_eq!(fixture.logged().await, "wait ended");
    let reply = fixture.send(Method::GET, &version, String::new()).await;
    assert_eq!(reply.status(), StatusCode::METHOD_NOT_ALLOWED);
}

#[tokio::test]
async fn handlers_see_the_request() {
    let fixture = start().await;
    let params = json!({ "name": "agent", "arguments": {} });
    let reply = fixture.modern("tools/call", params, &[("user-agent", "tester")]).await;
    let answer = value(reply).await;
    assert_eq!(answer["result"]["content"][0]["text"], r#"Some("tester")"#);
}

#[tokio::test]
async fn a_client_that_does_not_read_stops_its_handler_and_no_other() {
    let mut fixture = start().await;
    let session = fixture.open("2025-11-25").await;
    for is_modern in [true, false] {
        let reply = if is_modern {
            fixture.call("flood").await
        } else {
            fixture.legacy(&session, "2025-11-25", tool_call(1, "flood")).await
        };
        let before = fixture.stalled().await;
        // The buffers of the sockets take some megabytes, and the server one or two more.
        assert!(before < 2000, "{before}");
        assert_eq!(value(fixture.call("call").await).await["id"], "m");
        if is_modern {
            drop(reply);
            assert_eq!(fixture.logged().await, "flood ended");
        } else {
            let headers = [("mcp-session-id", &*session), ("mcp-protocol-version", "2025-11-25")];
            fixture.send(Method::DELETE, &headers, String::new()).await;
            assert_eq!(fixture.logged().await, "flood ended");
            let mut events = Events::of(reply);
            while events.next().await.is_some() {}
        }
    }
}
