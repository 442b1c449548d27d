//! `tautline tap --http`: what passes, what is recorded, and what an audit of the record finds.

mod support;
#[cfg(feature = "tls")]
mod tls;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Frame;
use hyper::header::HeaderValue;
use hyper::{HeaderMap, Request, Response, Version};

use crate::support::tautline;

use self::support::{PATIENCE, Server, Tap, User, call, stream, whole};

/// Numbers that look random, and are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.next().to_le_bytes()[0]).collect()
    }
}

/// Bytes of any kind pass in both directions, however they are cut, and the trailers after them.
#[test]
fn bodies_pass_unchanged() {
    let server = Server::start(|request: Request<hyper::body::Incoming>| async move {
        // The echo begins before the request ends.
        let has_trailers = request.headers().contains_key("te");
        let mut response =
            Response::new(request.into_body().map_err(|error| panic!("{error}")).boxed());
        if has_trailers {
            response.headers_mut().insert("trailer", "x-sum".parse().unwrap());
        }
        response
    });
    let tap = Tap::start(&format!("http://{}/mcp", server.address), &["--max-body", "1000000"]);
    let user = User::new();
    let mut numbers = Numbers(7);
    for length in [0, 1, 70_000, 5 * 1024 * 1024] {
        let sent = numbers.bytes(length);
        let (frames, body) = stream();
        let pieces: Vec<Bytes> = {
            let (mut rest, mut pieces) = (&sent[..], Vec::new());
            while !rest.is_empty() {
                let most = if numbers.next() & 3 == 0 { 100 } else { 100_000 };
                let (piece, after) =
                    rest.split_at((numbers.next() as usize % most + 1).min(rest.len()));
                pieces.push(Bytes::copy_from_slice(piece));
                rest = after;
            }
            pieces
        };
        user.spawn(async move {
            for piece in pieces {
                frames.send(Frame::data(piece)).await.unwrap();
            }
            let mut trailers = HeaderMap::new();
            trailers.insert("x-sum", "42".parse().unwrap());
            frames.send(Frame::trailers(trailers)).await.unwrap();
        });
        let request =
            Request::post(tap.url("/mcp")).header("te", "trailers").header("trailer", "x-sum");
        let answer = user.ask(request.body(body).unwrap());
        assert_eq!(answer.status, 200);
        assert!(answer.body == sent, "{length} bytes: {} came back", answer.body.len());
        assert_eq!(answer.trailers.unwrap()["x-sum"], "42");
    }
    let stopped = tap.stop();
    let records = stopped.records();
    // The last body was over the limit, and its rest was counted.
    for side in ["client", "server"] {
        let of_last = records.iter().filter(|one| one["exchange"] == 4 && one["from"] == side);
        let omitted: u64 = of_last.clone().filter_map(|one| one["omitted"].as_u64()).sum();
        assert_eq!(omitted, 5 * 1024 * 1024 - 1_000_000, "{side}");
        assert!(of_last.count() > 2);
        let closed = records.iter().find(|one| one["exchange"] == 3 && one["closed"] == side);
        assert_eq!(closed.unwrap()["trailers"][0][1], "42");
    }
    assert_eq!(records.last().unwrap()["stopped"], true);
}

/// Each event passes before the next one is sent.
#[test]
fn events_are_not_delayed() {
    let (frames, body) = stream();
    let body = std::sync::Mutex::new(Some(body));
    let server = Server::start(move |_| {
        let body = body.lock().unwrap().take().unwrap();
        async move {
            let response = Response::builder().header("content-type", "text/event-stream");
            response.header("x-accel-buffering", "no").body(body).unwrap()
        }
    });
    let tap = Tap::start(&format!("http://{}/mcp", server.address), &[]);
    let user = User::new();
    // The server sends the first event before the rest of the response is known.
    let mut response = user.send(call(&tap.url("/mcp"), "tools/call", "slow")).into_body();
    let mut worst = Duration::ZERO;
    for number in 0..5 {
        std::thread::sleep(Duration::from_millis(150));
        let note = format!(
            "data: {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{{\"level\":\"info\",\"data\":{number}}}}}\n\n"
        );
        let begin = Instant::now();
        user.run(frames.send(Frame::data(Bytes::from(note.clone())))).unwrap();
        let event = user.run(response.frame()).unwrap().unwrap().into_data().unwrap();
        worst = worst.max(begin.elapsed());
        assert_eq!(event, note.as_bytes());
    }
    // Each came before the next one was sent. A busy machine may take its time.
    assert!(worst < Duration::from_secs(1), "{worst:?}");
    let last = "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\",\"content\":[]}}\n\n";
    user.run(frames.send(Frame::data(Bytes::from(last)))).unwrap();
    drop(frames);
    assert_eq!(user.run(response.collect()).unwrap().to_bytes(), last);
    let stopped = tap.stop();
    let records = stopped.records();
    let events = records.iter().filter(|one| one["from"] == "server");
    let times: Vec<i64> = events.map(|one| one["us"].as_i64().unwrap()).collect();
    assert_eq!(times.len(), 6);
    // Each event has its own time.
    assert!(times.windows(2).take(4).all(|pair| pair[1] - pair[0] > 100_000), "{times:?}");
}

#[test]
fn credentials_pass_and_are_not_recorded() {
    let (seen, requests) = mpsc::channel();
    let server = Server::start(move |request| {
        seen.send((request.uri().to_string(), request.headers().clone())).unwrap();
        async move {
            let response = Response::builder().header("Set-Cookie", "id=secret-cookie");
            let response = response.header("Mcp-Session-Id", "secret-session");
            response.header("connection", "x-hop").header("x-hop", "1").body(whole("")).unwrap()
        }
    });
    for keeps in [false, true] {
        let options: &[_] = if keeps { &["--keep-credentials"] } else { &[] };
        let tap = Tap::start(&format!("http://{}/mcp", server.address), options);
        let user = User::new();
        let request = Request::post(tap.url("/mcp?access_token=secret-query&page=2"))
            .header("Authorization", "Bearer secret-bearer")
            .header("Proxy-Authorization", "Basic secret-proxy")
            .header("Cookie", "id=secret-cookie")
            .header("Mcp-Session-Id", "secret-session")
            .header("Connection", "X-Other")
            .header("X-Other", "1")
            .header("X-Kept", "kept")
            .body(whole(""));
        let answer = user.ask(request.unwrap());
        assert_eq!(answer.headers["set-cookie"], "id=secret-cookie");
        assert!(!answer.headers.contains_key("x-hop"));
        let (target, headers) = requests.recv_timeout(PATIENCE).unwrap();
        assert_eq!(target, "/mcp?access_token=secret-query&page=2");
        assert_eq!(headers["authorization"], "Bearer secret-bearer");
        assert_eq!(headers["proxy-authorization"], "Basic secret-proxy");
        assert_eq!(headers["mcp-session-id"], "secret-session");
        assert_eq!(headers["host"], server.address.to_string());
        assert_eq!(headers["x-kept"], "kept");
        assert!(!headers.contains_key("x-other"));
        let stopped = tap.stop();
        assert_eq!(stopped.text().contains("secret-"), keeps);
        let records = stopped.records();
        let id_of = |head: &str| {
            let head = records.iter().find_map(|one| one[head]["headers"].as_array()).unwrap();
            let id = head.iter().find(|field| field[0] == "mcp-session-id").unwrap();
            id[1].as_str().unwrap().to_owned()
        };
        // The same session has the same id in both heads.
        assert_eq!(id_of("request"), id_of("response"));
        assert!(stopped.text().contains("&page=2") && stopped.text().contains("\"kept\""));
    }
}

/// The bodies of OAuth have credentials. They pass, and are recorded only if credentials are.
#[test]
fn bodies_of_other_paths_are_left_out() {
    let server = Server::start(|_| async { Response::new(whole("secret-token")) });
    for keeps in [false, true] {
        let options: &[_] = if keeps { &["--live", "--keep-credentials"] } else { &["--live"] };
        let tap = Tap::start(&format!("http://{}/mcp", server.address), options);
        let user = User::new();
        let request = Request::post(tap.url("/token?a=/mcp")).body(whole("code=secret-code"));
        assert_eq!(user.ask(request.unwrap()).body, "secret-token");
        let stopped = tap.stop();
        let text = stopped.text();
        assert_eq!([text.contains("secret-code"), text.contains("secret-token")], [keeps; 2]);
        let records = stopped.records();
        let omitted: Vec<_> = records.iter().filter_map(|one| one["omitted"].as_u64()).collect();
        assert_eq!(omitted, if keeps { vec![] } else { vec![16, 12] });
        assert!(!stopped.stderr.contains("not examined"), "{}", stopped.stderr);
    }
}

/// Returns the address of a server that answers one connection with these bytes.
fn raw(answer: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut room = [0; 4096];
        assert!(stream.read(&mut room).unwrap() > 0);
        stream.write_all(answer.as_bytes()).unwrap();
        // The connection stays open until the proxy closes it.
        let _ = stream.read_to_end(&mut Vec::new());
    });
    address
}

/// A length that contradicts the chunks must not reach the client, which may believe it (RFC 9112, section 6.3).
#[test]
fn chunks_win_over_a_length() {
    let address = raw("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n\
                       5\r\nhello\r\n0\r\n\r\n");
    let tap = Tap::start(&format!("http://{address}/mcp"), &[]);
    let answer = User::new().ask(Request::get(tap.url("/mcp")).body(whole("")).unwrap());
    assert_eq!(answer.body, "hello");
    assert_eq!(answer.headers.get("content-length"), None);
    // The record has what the server has sent.
    assert!(tap.stop().text().contains("content-length"));
}

/// A client whose body is broken ends the exchange once, and is no fault of the server.
#[test]
fn a_broken_body_of_a_client_is_not_a_fault_of_the_server() {
    let address = raw("");
    let tap = Tap::start(&format!("http://{address}/mcp"), &[]);
    let mut stream = TcpStream::connect(tap.address).unwrap();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\nX\r\n"
    )
    .unwrap();
    let mut answer = Vec::new();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let _ = stream.read_to_end(&mut answer);
    let records = tap.stop().records();
    let aborted = records.iter().filter_map(|one| one["aborted"].as_str()).collect::<Vec<_>>();
    assert_eq!(aborted, ["client"], "{records:?}");
}

#[test]
fn a_server_that_is_down_is_a_bad_gateway() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let tap = Tap::start(&format!("http://{address}/mcp?key=secret-key"), &["--live"]);
    let answer = User::new().ask(call(&tap.url("/mcp"), "tools/call", "a"));
    assert_eq!(answer.status, 502);
    let text = String::from_utf8_lossy(&answer.body).into_owned();
    assert!(text.contains(&format!("http://{address}/mcp")) && text.contains("refused"), "{text}");
    assert!(!text.contains("secret-key"), "{text}");
    let stopped = tap.stop();
    let aborted = stopped.records().into_iter().find(|one| one["aborted"] == "server").unwrap();
    assert!(aborted["why"].as_str().unwrap().contains("refused"), "{aborted}");
    assert!(stopped.stderr.contains("refused"), "{}", stopped.stderr);
}

/// A client that leaves while it waits, or while it reads events, cancels the request at the server.
#[test]
fn a_client_that_leaves_cancels_its_request() {
    struct Gone(mpsc::Sender<&'static str>, &'static str);
    impl Drop for Gone {
        fn drop(&mut self) {
            let _ = self.0.send(self.1);
        }
    }
    let (gone, dropped) = mpsc::channel();
    let server = Server::start(move |request| {
        let path = request.uri().path().to_owned();
        let gone = gone.clone();
        async move {
            if path == "/waiting" {
                let _gone = Gone(gone, "waiting");
                tokio::time::sleep(PATIENCE).await;
                return Response::new(whole(""));
            }
            let (frames, body) = stream();
            tokio::spawn(async move {
                let _gone = Gone(gone, "reading");
                while frames.send(Frame::data(Bytes::from(": ping\n\n"))).await.is_ok() {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            });
            Response::builder().header("content-type", "text/event-stream").body(body).unwrap()
        }
    });
    let tap = Tap::start(&format!("http://{}/mcp", server.address), &[]);
    for (path, name) in [("/waiting", "waiting"), ("/reading", "reading")] {
        let mut stream = TcpStream::connect(tap.address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        if name == "reading" {
            let mut room = [0; 512];
            assert!(stream.read(&mut room).unwrap() > 0);
        } else {
            std::thread::sleep(Duration::from_millis(300));
        }
        drop(stream);
        assert_eq!(dropped.recv_timeout(PATIENCE), Ok(name));
    }
    let stopped = tap.stop();
    let records = stopped.records();
    let aborted = records.iter().filter(|one| one["aborted"] == "client").count();
    assert_eq!(aborted, 2, "{records:?}");
}

#[test]
fn other_names_can_not_reach_a_server_of_this_machine() {
    let server = Server::answering();
    let tap = Tap::start(&format!("http://{}/mcp", server.address), &[]);
    let mut stream = TcpStream::connect(tap.address).unwrap();
    write!(stream, "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n").unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.1 403 "), "{text}");
    assert_eq!(tap.stop().records().len(), 1);
}

#[test]
fn an_audit_of_a_clean_session_finds_nothing() {
    let server = Server::answering();
    let tap = Tap::start(&format!("http://{}/mcp", server.address), &["--live"]);
    let user = User::new();
    for path in ["/mcp", "/"] {
        assert_eq!(user.ask(call(&tap.url(path), "tools/call", "add")).status, 200);
    }
    // Other requests are recorded, and not judged.
    user.ask(
        Request::get(tap.url("/.well-known/oauth-protected-resource")).body(whole("")).unwrap(),
    );
    let stopped = tap.stop();
    let (output, rules) = stopped.audit();
    assert_eq!(rules, [] as [&str; 0]);
    assert_eq!(output.status.code(), Some(0));
    assert!(stopped.text().contains("/.well-known/"));
    assert!(stopped.stderr.contains("tools/call add"), "{}", stopped.stderr);
    assert!(stopped.stderr.contains("4 frames, 0 errors"), "{}", stopped.stderr);
}

#[test]
fn an_audit_finds_headers_that_contradict_the_body() {
    let server = Server::answering();
    let tap = Tap::start(&format!("http://{}/mcp", server.address), &["--live"]);
    let user = User::new();
    let mut request = call(&tap.url("/mcp"), "tools/call", "delete");
    request.headers_mut().insert("mcp-method", "tools/list".parse().unwrap());
    // It must not reach the terminal as it is.
    let name = HeaderValue::from_bytes("\u{9b}31mred\u{202e}".as_bytes()).unwrap();
    request.headers_mut().insert("mcp-name", name);
    assert_eq!(user.ask(request).status, 200);
    let stopped = tap.stop();
    let (output, rules) = stopped.audit();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(rules, ["http-header-mismatch", "http-header-characters"]);
    // The display finds the same at once.
    assert!(stopped.stderr.contains("error[http-header-mismatch]"), "{}", stopped.stderr);
    let is_harmless = |c: char| c == '\n' || !c.is_control() && c != '\u{202e}';
    assert!(stopped.stderr.chars().all(is_harmless), "{:?}", stopped.stderr);
}

/// Values are replaced in the record, also in headers that repeat them, and the audit does not mind.
#[test]
fn values_are_replaced_in_the_record() {
    let server = Server::answering();
    let tap = Tap::start(&format!("http://{}/mcp", server.address), &["--redact", "name"]);
    let user = User::new();
    let mut request = call(&tap.url("/mcp"), "tools/call", "secret-tool");
    request.headers_mut().insert("mcp-param-key", HeaderValue::from_static("secret-key"));
    let answer = user.ask(request);
    assert!(answer.body.starts_with(b"{"), "{:?}", answer.body);
    let stopped = tap.stop();
    let text = stopped.text();
    assert!(!text.contains("secret-") && text.contains("[redacted]"), "{text}");
    assert!(text.lines().next().unwrap().contains("\"redacted\":[\"name\"]"));
    let (_, rules) = stopped.audit();
    assert_eq!(rules, [] as [&str; 0]);
}

/// Each row has arguments that do not fit together, and what stderr has to contain.
#[test]
fn arguments_that_contradict_each_other_are_bad_usage() {
    for (args, why) in [
        ("tap --http 127.0.0.1:0", "--to <URL>"),
        ("tap --to http://127.0.0.1:1/", "--http <ADDRESS>"),
        ("tap --http 127.0.0.1:0 --to http://127.0.0.1:1/ -- server", "cannot be used with"),
        ("tap --http 127.0.0.1:0 --to http://127.0.0.1:1/ --framing sse", "cannot be used with"),
        (
            "tap --http 127.0.0.1:0 --to http://u:p@127.0.0.1:1/",
            "let the client send Authorization",
        ),
        ("tap --http 127.0.0.1 --to http://127.0.0.1:1/", "invalid socket address"),
        ("tap --http 127.0.0.1:0 --to http://127.0.0.1:1/ --keep-credentials", "--record <FILE>"),
        (
            "tap --http 127.0.0.1:0 --to http://127.0.0.1:1/ --max-body 9",
            "--max-body has no effect",
        ),
        ("tap --http 127.0.0.1:0 --to http://127.0.0.1:1/ --rules lsp", "--rules has no effect"),
    ] {
        let output = tautline(&args.split(' ').collect::<Vec<_>>()).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && stderr.contains(why), "{args}: {stderr}");
    }
    // An address that is in use.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let output = tautline(&["tap", "--http", &address, "--to", "http://127.0.0.1:1/"]).output();
    let output = output.unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(125) && stderr.contains("cannot listen on"), "{stderr}");
}

/// A client may use HTTP/2 without TLS. Its requests run on one connection, and the server gets HTTP/1.1.
#[test]
fn clients_may_use_http_2() {
    let (seen, requests) = mpsc::channel();
    let server = Server::start(move |request| {
        seen.send((request.version(), request.headers()["host"].clone())).unwrap();
        async move { Response::new(request.into_body().map_err(|error| panic!("{error}")).boxed()) }
    });
    let tap = Tap::start(&format!("http://{}/mcp", server.address), &[]);
    let user = User::with_http2();
    let sent = Numbers(3).bytes(300_000);
    let answer = user.ask(Request::post(tap.url("/mcp")).body(whole(sent.clone())).unwrap());
    assert!(answer.status == 200 && answer.body == sent);
    let (version, host) = requests.recv_timeout(PATIENCE).unwrap();
    assert_eq!((version, host.to_str().unwrap()), (Version::HTTP_11, &*server.address.to_string()));
    let address = tap.address.to_string();
    let records = tap.stop().records();
    assert_eq!(records[0]["request"]["headers"][0], serde_json::json!(["host", address]));
}
