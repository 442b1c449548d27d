//! The layer before a service: requests one by one, and over a connection.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::response::Response;
use axum::routing::any;
use http::Request;
use http::StatusCode;
use http_body_util::{BodyExt, StreamBody};
use tautline_http::{Judged, McpLayer, RequestBody};
use tautline_mcp::http::{Action, Allowed, Policy, Sessions};
use tautline_mcp::{Message, Revision, rule};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tower::{Layer, ServiceExt, service_fn};

const POLICY: Policy<'static> = Policy::new(
    &[Revision::V2025_06_18, Revision::V2025_11_25, Revision::V2026_07_28],
    Allowed::Loopback,
    Allowed::Loopback,
)
.with_sessions(Sessions::Optional)
.with_streams()
.with_session_end();

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// Answers with the verdict that it received, and the length of the body.
async fn serve<B: http_body::Body>(request: Request<B>) -> Result<Response, Infallible> {
    let judged = request.extensions().get::<Judged>().cloned();
    let body = request.into_body().collect().await.map(|body| body.to_bytes().len()).unwrap_or(0);
    let text = match judged {
        Some(judged) => {
            let kind = match judged.message() {
                Ok(Message::Request(request)) => request.method().to_string(),
                Ok(_) => "another message".to_owned(),
                Err(_) => "no message".to_owned(),
            };
            format!("{} {:?} {kind} {body}", judged.revision().name(), judged.action())
        }
        None => format!("not judged {body}"),
    };
    Ok(Response::new(Body::from(text)))
}

/// A request of the modern era: its body, and more headers.
fn modern(body: &str, headers: &[(&str, &str)]) -> Request<Body> {
    let usual = [
        ("host", "localhost:80"),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
    ];
    request("POST", body, usual.iter().chain(headers))
}

fn request<'a>(
    method: &str,
    body: &str,
    headers: impl IntoIterator<Item = &'a (&'a str, &'a str)>,
) -> Request<Body> {
    let mut request = Request::builder().method(method).uri("/mcp");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Body::from(body.to_owned())).unwrap()
}

async fn send(layer: &McpLayer, request: Request<Body>) -> (StatusCode, String) {
    let service = service_fn(serve::<RequestBody<Body>>);
    let response = layer.layer(service).oneshot(request).await.unwrap();
    let status = response.status();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn a_valid_request_is_passed_on_with_its_verdict() {
    let layer = McpLayer::new(POLICY);
    let list = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{META}}}}}"#);
    let (status, body) = send(&layer, modern(&list, &[("mcp-method", "tools/list")])).await;
    assert_eq!(status, 200);
    assert_eq!(body, format!("2026-07-28 {:?} tools/list {}", Action::Answer, list.len()));
    let note = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let legacy = [
        ("host", "127.0.0.1"),
        ("content-type", "application/json; charset=UTF-8"),
        ("accept", "application/json;q=0.5, text/*"),
        ("mcp-protocol-version", "2025-06-18"),
    ];
    let (status, body) = send(&layer, request("POST", note, &legacy)).await;
    assert_eq!(status, 200);
    assert_eq!(body, format!("2025-06-18 Acknowledge another message {}", note.len()));
    let stream = [
        ("host", "[::1]:8"),
        ("accept", "text/event-stream"),
        ("mcp-protocol-version", "2025-06-18"),
    ];
    let (status, body) = send(&layer, request("GET", "", &stream)).await;
    assert_eq!((status, body.as_str()), (StatusCode::OK, "2025-06-18 Stream no message 0"));
}

#[tokio::test]
async fn what_breaks_a_rule_is_refused_with_its_status_code_and_id() {
    let layer = McpLayer::new(POLICY);
    let call = |id: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"t","arguments":{{}},{META}}}}}"#
        )
    };
    let agrees = [("mcp-method", "tools/call"), ("mcp-name", "t")];
    for (body, headers, status, code, id) in [
        (call("1"), &[("mcp-method", "tools/call"), ("mcp-name", "u")][..], 400, -32020, "1"),
        (call("\"x\""), &[("mcp-method", "tools/list"), ("mcp-name", "t")], 400, -32020, "\"x\""),
        (call("null"), &agrees, 400, -32600, ""),
        ("{".to_owned(), &agrees, 400, -32700, ""),
        (call("7").replace("2026-07-28", "2027-01-01"), &agrees, 400, -32020, "7"),
    ] {
        let (found, reply) = send(&layer, modern(&body, headers)).await;
        assert_eq!(found, status, "{body}: {reply}");
        let reply: serde_json::Value = serde_json::from_str(&reply).unwrap();
        assert_eq!(reply["error"]["code"], code, "{body}");
        assert_eq!(reply.get("id").map_or_else(String::new, ToString::to_string), id, "{body}");
    }
    for (headers, status) in [
        (&[("host", "evil.example")][..], 403),
        (&[("host", "localhost"), ("origin", "https://evil.example")], 403),
        (&[("host", "localhost"), ("content-type", "text/plain")], 415),
        (
            &[("host", "localhost"), ("content-type", "application/json"), ("accept", "text/html")],
            406,
        ),
    ] {
        assert_eq!(
            send(&layer, request("POST", &call("1"), headers)).await.0,
            status,
            "{headers:?}"
        );
    }
    let put = request("PUT", "", &[("host", "localhost")]);
    let service = service_fn(serve::<RequestBody<Body>>);
    let response = layer.layer(service).oneshot(put).await.unwrap();
    assert_eq!(response.status(), 405);
    assert_eq!(response.headers()["allow"], "POST, GET, DELETE");
}

#[tokio::test]
async fn a_strict_policy_refuses_what_servers_could_read_differently() {
    let body = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"t","Name":"u","arguments":{{}},{META}}}}}"#
    );
    let call = || modern(&body, &[("mcp-method", "tools/call"), ("mcp-name", "t")]);
    let (status, _) = send(&McpLayer::new(POLICY), call()).await;
    assert_eq!(status, 200);
    let (status, reply) = send(&McpLayer::new(POLICY.strict()), call()).await;
    assert_eq!(status, 400, "{reply}");
    let reply: serde_json::Value = serde_json::from_str(&reply).unwrap();
    assert_eq!((&reply["id"], &reply["error"]["code"]), (&1.into(), &(-32600).into()));
}

#[tokio::test]
async fn a_long_body_is_refused_with_its_id_and_not_kept() {
    let layer = McpLayer::new(POLICY).with_limit(1000);
    let long = |size: usize| {
        format!(
            r#"{{"jsonrpc":"2.0","id":"far","method":"tools/list","params":{{"x":"{}",{META}}}}}"#,
            "x".repeat(size)
        )
    };
    for size in [1000, 3000, 100_000] {
        let list = modern(&long(size), &[("mcp-method", "tools/list")]);
        let (status, reply) = send(&layer, list).await;
        assert_eq!(status, 413, "{size}");
        let reply: serde_json::Value = serde_json::from_str(&reply).unwrap();
        assert_eq!((&reply["id"], &reply["error"]["code"]), (&"far".into(), &(-32600).into()));
    }
    let (status, _) = send(&layer, modern(&long(500), &[("mcp-method", "tools/list")])).await;
    assert_eq!(status, 200);
    // A body without an end is not read for ever.
    let endless = body_of(std::iter::repeat_with(|| Ok(Bytes::from_static(&[b' '; 100]))));
    let (mut parts, _) = modern("", &[("mcp-method", "tools/list")]).into_parts();
    parts.headers.remove("content-length");
    let (status, reply) = send(&layer, Request::from_parts(parts.clone(), endless)).await;
    let reply: serde_json::Value = serde_json::from_str(&reply).unwrap();
    assert_eq!((status.as_u16(), &reply["error"]["code"]), (413, &(-32600).into()));
    // An id that is found before the cut is not certain.
    let pieces = long(100_000).into_bytes().chunks(100).map(<[u8]>::to_vec).collect::<Vec<_>>();
    let cut = body_of(pieces.into_iter().map(|piece| Ok(Bytes::from(piece))));
    let (status, reply) = send(&layer, Request::from_parts(parts, cut)).await;
    let reply: serde_json::Value = serde_json::from_str(&reply).unwrap();
    assert_eq!((status.as_u16(), &reply["error"]["code"]), (413, &(-32600).into()));
    assert_eq!(reply.get("id"), None);
}

#[tokio::test]
async fn the_authority_of_http_2_is_a_host() {
    let layer = McpLayer::new(POLICY);
    let list = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{META}}}}}"#);
    for (authority, host, status) in [
        ("localhost:80", None, 200),
        ("localhost:80", Some("localhost:80"), 200),
        ("evil.example", Some("localhost:80"), 400),
        ("evil.example", None, 403),
    ] {
        let mut request = modern(&list, &[("mcp-method", "tools/list")]);
        *request.uri_mut() = format!("http://{authority}/mcp").parse().unwrap();
        match host {
            Some(host) => request.headers_mut().insert("host", host.parse().unwrap()),
            None => request.headers_mut().remove("host"),
        };
        assert_eq!(send(&layer, request).await.0, status, "{authority} {host:?}");
    }
}

/// Returns the bytes, the trailers and the error that the service gets.
async fn passed(layer: &McpLayer, request: Request<Body>) -> (Vec<u8>, bool, bool) {
    let seen = Arc::<Mutex<(Vec<u8>, bool, bool)>>::default();
    let log = Arc::clone(&seen);
    let service = service_fn(move |request: Request<RequestBody<Body>>| {
        let log = Arc::clone(&log);
        async move {
            let mut body = request.into_body();
            while let Some(frame) = body.frame().await {
                let mut seen = log.lock().unwrap();
                match frame.map(http_body::Frame::into_data) {
                    Ok(Ok(data)) => seen.0.extend_from_slice(&data),
                    Ok(Err(frame)) => seen.1 |= frame.is_trailers(),
                    Err(_) => seen.2 = true,
                }
            }
            Ok::<_, Infallible>(Response::new(Body::empty()))
        }
    });
    let _ = layer.layer(service).oneshot(request).await.unwrap();
    seen.lock().unwrap().clone()
}

#[tokio::test]
async fn trailers_and_errors_are_passed_on() {
    let list = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{META}}}}}"#);
    let (parts, _) = modern("", &[("mcp-method", "tools/list")]).into_parts();
    let frames = |text: &str| {
        let mut trailers = http::HeaderMap::new();
        trailers.insert("x-end", "1".parse().unwrap());
        let data = http_body::Frame::data(Bytes::from(text.to_owned()));
        let frames = [Ok::<_, Infallible>(data), Ok(http_body::Frame::trailers(trailers))];
        Body::new(StreamBody::new(Pieces(frames.into_iter())))
    };
    let enforcing = McpLayer::new(POLICY).with_limit(1000);
    let reporting = enforcing.clone().reporting();
    for (layer, text) in
        [(&enforcing, list.as_str()), (&reporting, "{"), (&reporting, &"x".repeat(5000))]
    {
        let request = Request::from_parts(parts.clone(), frames(text));
        assert_eq!(passed(layer, request).await, (text.as_bytes().to_vec(), true, false));
    }
    let broken = [Ok(Bytes::from_static(b"{\"a")), Err(std::io::Error::other("gone"))];
    let request = Request::from_parts(parts, body_of(broken.into_iter()));
    assert_eq!(passed(&reporting, request).await, (b"{\"a".to_vec(), false, true));
}

fn body_of(
    pieces: impl Iterator<Item = Result<Bytes, std::io::Error>> + Send + Unpin + 'static,
) -> Body {
    let frames = pieces.map(|piece| piece.map(http_body::Frame::data));
    Body::new(StreamBody::new(Pieces(frames)))
}

/// An iterator as a stream.
struct Pieces<I>(I);

impl<I: Iterator + Unpin> futures_core::Stream for Pieces<I> {
    type Item = I::Item;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<I::Item>> {
        std::task::Poll::Ready(self.0.next())
    }
}

#[tokio::test]
async fn a_body_in_pieces_is_judged_as_a_whole_and_a_broken_one_is_refused() {
    let layer = McpLayer::new(POLICY);
    let list = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{META}}}}}"#);
    let (parts, _) = modern("", &[("mcp-method", "tools/list")]).into_parts();
    let pieces = list.clone().into_bytes().into_iter().map(|byte| Ok(Bytes::from(vec![byte])));
    let whole = Request::from_parts(parts.clone(), body_of(pieces));
    assert_eq!(send(&layer, whole).await.0, 200);
    let broken = list.into_bytes().into_iter().take(20).map(|byte| Ok(Bytes::from(vec![byte])));
    let broken = broken.chain([Err(std::io::Error::other("gone"))]);
    let (status, reply) = send(&layer, Request::from_parts(parts, body_of(broken))).await;
    assert_eq!((status, reply.as_str()), (StatusCode::BAD_REQUEST, ""));
}

#[tokio::test]
async fn a_layer_that_reports_refuses_nothing_and_changes_no_byte() {
    let found = Arc::<Mutex<Vec<String>>>::default();
    let log = Arc::clone(&found);
    let layer = McpLayer::new(POLICY).with_limit(100).reporting().on_finding(move |finding| {
        log.lock().unwrap().push(rule::name(finding.rule()).to_owned());
    });
    let call = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{META}}}}}"#);
    for (body, length) in [("{", 1), (call.as_str(), call.len()), (&"x".repeat(5000), 5000)] {
        let headers = [("host", "evil.example"), ("content-type", "application/json")];
        let (status, reply) = send(&layer, request("POST", body, &headers)).await;
        assert_eq!((status, reply), (StatusCode::OK, format!("not judged {length}")));
    }
    let found = found.lock().unwrap();
    assert!(found.iter().filter(|rule| *rule == "http-host").count() == 3, "{found:?}");
    assert!(found.iter().any(|rule| rule == "not-json"), "{found:?}");
    assert!(found.iter().any(|rule| rule == "frame-too-long"), "{found:?}");
}

/// Sends bytes over a connection to a server with the layer, and returns what comes back.
async fn exchange(bytes: &[&[u8]]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let app = Router::new()
        .route("/mcp", any(|request: Request<Body>| async { serve(request).await.unwrap() }))
        .layer(McpLayer::new(POLICY).with_limit(1000));
    tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let mut connection = TcpStream::connect(address).await.unwrap();
    for piece in bytes {
        if connection.write_all(piece).await.is_err() {
            break;
        }
    }
    connection.shutdown().await.ok();
    let mut reply = Vec::new();
    connection.read_to_end(&mut reply).await.ok();
    String::from_utf8_lossy(&reply).into_owned()
}

#[tokio::test]
async fn a_server_stays_alive_whatever_a_client_sends() {
    let list = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{META}}}}}"#);
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\nContent-Length: {}\r\n\r\n",
        list.len()
    );
    let whole = format!("{head}{list}");
    // Two requests on one connection.
    let twice = exchange(&[whole.as_bytes(), whole.as_bytes()]).await;
    assert_eq!(twice.matches("HTTP/1.1 200").count(), 2, "{twice}");
    // A header that is repeated does not choose the other one.
    let repeated =
        whole.replace("Mcp-Method: tools/list", "Mcp-Method: tools/list\r\nMcp-Method: tools/call");
    let refused = exchange(&[repeated.as_bytes()]).await;
    assert!(refused.starts_with("HTTP/1.1 400") && refused.contains("-32020"), "{refused}");
    // A body that ends early, and a length that is contradicted.
    assert!(!exchange(&[head.as_bytes(), &list.as_bytes()[..20]]).await.contains("200 OK"));
    let smuggled = whole.replace("Content-Length", "Transfer-Encoding: chunked\r\nContent-Length");
    assert!(!exchange(&[smuggled.as_bytes()]).await.contains("200 OK"));
    // Chunks that are no chunks.
    let chunked = format!(
        "{}Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        head.split("Content-Length").next().unwrap()
    );
    assert!(!exchange(&[chunked.as_bytes()]).await.contains("200 OK"));
}
