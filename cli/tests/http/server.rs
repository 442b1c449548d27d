//! A small server over Streamable HTTP, in both eras. The layer of `tautline-http` judges its requests.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::thread;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Request};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::any;
use tautline::{ErrorCode, Id, Message, RawStr};
use tautline_http::{Judged, McpLayer};
use tautline_mcp::http::{Action, Allowed, Policy, Server, Session, Sessions, status};
use tautline_mcp::{Era, Revision};

const SUPPORTED: &[Revision] =
    &[Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28];

const POLICY: Policy<'static> = Policy::new(SUPPORTED, Allowed::Loopback, Allowed::Loopback)
    .with_sessions(Sessions::Required)
    .with_streams()
    .with_session_end();

/// A mistake that a server makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
    /// A body that is not JSON gets 415.
    WrongStatus,
    /// The first of repeated headers counts.
    FirstOfRepeated,
    /// A GET gets a page.
    PageForGet,
    /// A notification gets a body.
    BodyForNotification,
    /// After the first request that is not JSON, nothing is answered any more.
    Hangs,
    /// Not a mistake: a request needs the header `X-Key: 7`.
    NeedsKey,
}

/// Starts a server on a thread of its own, and returns its address.
pub fn start(mistake: Option<Mistake>) -> SocketAddr {
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = runtime.worker_threads(2).enable_all().build().unwrap();
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    let sessions = Open::default();
    let layer = McpLayer::new(POLICY).with_server(sessions.clone());
    let serve = move |request: Request| {
        let sessions = sessions.clone();
        async move { answer(&request, &sessions) }
    };
    let hung = Arc::new(Mutex::new(false));
    let mistaken =
        from_fn(move |request: Request, next: Next| err(mistake, Arc::clone(&hung), request, next));
    let app = Router::new().route("/mcp", any(serve).layer(layer));
    let app = app.layer(mistaken).layer(DefaultBodyLimit::disable());
    thread::spawn(move || runtime.block_on(async { axum::serve(listener, app).await.unwrap() }));
    address
}

/// The sessions that are open.
#[derive(Clone, Default)]
struct Open(Arc<Mutex<HashMap<Vec<u8>, Revision>>>);

impl Server for Open {
    fn session(&self, id: &[u8]) -> Session {
        self.0.lock().unwrap().get(id).map_or(Session::Unknown, |revision| Session::Open(*revision))
    }

    fn has_method(&self, method: RawStr<'_>) -> Option<bool> {
        Some(method == *"server/discover" || method == *"tools/list")
    }
}

fn answer(request: &Request, sessions: &Open) -> Response {
    let judged = request.extensions().get::<Judged>().unwrap();
    let session = request.headers().get("mcp-session-id").map(|id| id.as_bytes().to_vec());
    match judged.action() {
        Action::Acknowledge => reply(202, Body::empty()),
        Action::Stream => {
            let body = http_body_util::StreamBody::new(Pending);
            let mut response = reply(200, Body::new(body));
            let events = "text/event-stream".parse().unwrap();
            response.headers_mut().insert("content-type", events);
            response
        }
        Action::EndSession => {
            sessions.0.lock().unwrap().remove(&session.unwrap());
            reply(200, Body::empty())
        }
        _ => match judged.message().unwrap() {
            Message::Batch(batch) => {
                let answers = batch.iter().filter_map(|element| match element.message() {
                    Ok(Message::Request(request)) => {
                        let params = request.params().map(|params| params.to_string());
                        let body = outcome(judged.revision(), request.method(), params.as_deref());
                        Some(envelope(request.id(), &body.1))
                    }
                    _ => None,
                });
                let answers = answers.collect::<Vec<_>>().join(",");
                json(200, format!("[{answers}]"))
            }
            Message::Request(request) => {
                let params = request.params().map(|params| params.to_string());
                let (status, body) =
                    outcome(judged.revision(), request.method(), params.as_deref());
                let mut response = json(status, envelope(request.id(), &body));
                if request.method() == *"initialize" {
                    let mut open = sessions.0.lock().unwrap();
                    let id = format!("session-{}", open.len() + 1);
                    let negotiated = negotiated(params.as_deref());
                    open.insert(id.clone().into_bytes(), negotiated);
                    response.headers_mut().insert("mcp-session-id", id.parse().unwrap());
                }
                response
            }
            other => panic!("{other:?} asks for no answer"),
        },
    }
}

fn negotiated(params: Option<&str>) -> Revision {
    let params: serde_json::Value = serde_json::from_str(params.unwrap_or("{}")).unwrap();
    let asked = params["protocolVersion"].as_str().and_then(|name| name.parse().ok());
    let is_legacy = |revision: &Revision| revision.era() == Era::Legacy;
    asked.filter(is_legacy).unwrap_or(Revision::V2025_11_25)
}

/// Returns the status, and the result or the error.
fn outcome(revision: Revision, method: RawStr<'_>, params: Option<&str>) -> (u16, String) {
    let is_modern = revision.era() == Era::Modern;
    let complete =
        if is_modern { r#","resultType":"complete","ttlMs":0,"cacheScope":"private""# } else { "" };
    let versions = SUPPORTED.iter().map(|one| format!("{:?}", one.name())).collect::<Vec<_>>();
    let result = match method.to_string().trim_matches('"') {
        "initialize" => format!(
            r#"{{"protocolVersion":"{}","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"small","version":"1"}}}}"#,
            negotiated(params).name()
        ),
        "ping" => "{}".to_owned(),
        "server/discover" => format!(
            r#"{{"supportedVersions":[{}],"capabilities":{{"tools":{{}}}}{complete}}}"#,
            versions.join(",")
        ),
        "tools/list" => format!(r#"{{"tools":[]{complete}}}"#),
        _ => {
            let code = ErrorCode::METHOD_NOT_FOUND;
            let error = r#""error":{"code":-32601,"message":"there is no such method"}"#;
            return (status::of_error(revision, code), error.to_owned());
        }
    };
    (200, format!(r#""result":{result}"#))
}

fn envelope(id: Id<'_>, body: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},{body}}}"#)
}

fn json(status: u16, body: String) -> Response {
    let mut response = reply(status, Body::from(body));
    response.headers_mut().insert("content-type", "application/json".parse().unwrap());
    response
}

fn reply(status: u16, body: Body) -> Response {
    Response::builder().status(status).body(body).unwrap()
}

/// A stream without events.
struct Pending;

impl futures_core::Stream for Pending {
    type Item = Result<http_body::Frame<Bytes>, std::io::Error>;

    fn poll_next(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        std::task::Poll::Pending
    }
}

/// Makes a mistake before the layer.
async fn err(
    mistake: Option<Mistake>,
    hung: Arc<Mutex<bool>>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(mistake) = mistake else { return next.run(request).await };
    if mistake == Mistake::NeedsKey && request.headers().get("x-key").is_none_or(|key| key != "7") {
        return reply(401, Body::empty());
    }
    if mistake == Mistake::PageForGet && request.method() == "GET" {
        return reply(200, Body::from("<p>hello</p>"));
    }
    if mistake == Mistake::FirstOfRepeated {
        let headers = std::mem::take(request.headers_mut());
        let names: Vec<_> = headers.keys().cloned().collect();
        for name in names {
            if let Some(first) = headers.get(&name) {
                request.headers_mut().insert(name, first.clone());
            }
        }
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    let Ok(body) = axum::body::to_bytes(body, 32 << 20).await else {
        return reply(400, Body::empty());
    };
    let is_json = serde_json::from_slice::<serde_json::Value>(&body).is_ok();
    let is_hung = *hung.lock().unwrap();
    if mistake == Mistake::Hangs && (is_hung || !is_json && parts.method == "POST") {
        *hung.lock().unwrap() = true;
        std::future::pending::<()>().await;
    }
    if mistake == Mistake::WrongStatus && !is_json && parts.method == "POST" {
        return reply(415, Body::empty());
    }
    let response = next.run(Request::from_parts(parts, Body::from(body))).await;
    if mistake == Mistake::BodyForNotification && response.status() == 202 {
        return reply(202, Body::from("null"));
    }
    response
}
