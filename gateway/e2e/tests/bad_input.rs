//! Bad and unusual input for the filter that enforces: in pieces, without an end, far too long, with trailers and
//! encodings, many on a connection, and on many connections.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Channel;
use serde_json::{Value, json};
use tautline_gateway_tests::bootstrap::{Config, Filter};
use tautline_gateway_tests::connection::{Connection, Reply};
use tautline_gateway_tests::envoy::{Envoy, Memory};
use tautline_gateway_tests::outcome::{Outcome, row};
use tautline_gateway_tests::request::{Plain, plain_cases};
use tautline_gateway_tests::rig::Rig;
use tautline_gateway_tests::upstream::{Upstream, settings};
use tautline_gateway_tests::{LIMIT, http2, runtimes, volume};
use tokio::time::{Instant, sleep};

/// The growth of Envoy's memory that no body may exceed, in bytes.
const GROWTH: u64 = 2 << 20;

/// Returns the id of an error.
fn id_of(reply: &Reply) -> Value {
    let body: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    assert!(body["error"].is_object(), "{reply:?}");
    body["id"].clone()
}

fn chunk(bytes: &[u8]) -> Vec<u8> {
    let size = format!("{:x}\r\n", bytes.len());
    [size.as_bytes(), bytes, b"\r\n"].concat()
}

/// Returns a request with the header `Transfer-Encoding`, up to its body.
fn chunked(request: &Plain) -> Vec<u8> {
    request.head("Transfer-Encoding: chunked")
}

#[tokio::test(flavor = "multi_thread")]
async fn pieces_of_one_byte_make_no_difference() {
    let cases = plain_cases().await;
    let cases = cases.into_iter().filter(|(_, plain)| (1..600).contains(&plain.body.len()));
    let every = 12_usize.div_ceil(volume());
    let cases: Vec<_> = cases.step_by(every).collect();
    assert!(cases.len() > 40, "{}", cases.len());
    for rig in Rig::each(&settings()).await {
        let address = rig.address();
        let sending = cases.iter().map(|(name, plain)| {
            let (name, plain) = (name.clone(), plain.clone());
            tokio::spawn(async move {
                let mut whole = Connection::open(address).await.expect("Envoy");
                whole.send(&plain.bytes()).await;
                whole.wait(1, Duration::from_secs(20)).await;
                // Each chunk has a byte, and a write of its own.
                let mut pieces = Connection::open(address).await.expect("Envoy");
                pieces.send(&chunked(&plain)).await;
                for byte in &plain.body {
                    pieces.send(&chunk(&[*byte])).await;
                    sleep(Duration::from_millis(1)).await;
                }
                pieces.send(b"0\r\n\r\n").await;
                pieces.wait(1, Duration::from_secs(20)).await;
                // And each frame of HTTP/2.
                let (mut frames, body) = Channel::<Bytes, io::Error>::new(1);
                let request = plain.http2(body);
                let sent = plain.body.clone();
                let feeding = tokio::spawn(async move {
                    for at in 0..sent.len() {
                        // Envoy may have refused it by its head.
                        if frames.send_data(sent.slice(at..=at)).await.is_err() {
                            break;
                        }
                    }
                });
                let framed = http2::send(request, address).await;
                let _ = feeding.await;
                let whole_frame = http2::send(plain.whole(), address).await;
                [
                    (name.clone(), whole.replies, pieces.replies),
                    (name, whole_frame.replies, framed.replies),
                ]
            })
        });
        for task in sending.collect::<Vec<_>>() {
            for (name, whole, pieces) in task.await.expect("a case") {
                let [whole, pieces] = [whole, pieces].map(|replies| {
                    let outcomes = replies.iter().map(|reply| Outcome::of(reply, &rig.upstream));
                    outcomes.collect::<Vec<_>>()
                });
                let agrees = whole.len() == 1 && pieces.len() == 1 && whole[0].agrees(&pieces[0]);
                assert!(agrees, "{}: {name}: {} and {}", rig.runtime, row(&whole), row(&pieces));
            }
        }
    }
}

/// Looks at the memory of Envoy, from time to time, until it is stopped.
struct Watch<'a> {
    envoy: &'a Envoy,
    before: Memory,
    most: Memory,
}

impl<'a> Watch<'a> {
    async fn start(envoy: &'a Envoy) -> Self {
        let before = envoy.memory().await;
        Self { envoy, before, most: before }
    }

    async fn look(&mut self) {
        let now = self.envoy.memory().await;
        self.most.allocated = self.most.allocated.max(now.allocated);
        self.most.resident = self.most.resident.max(now.resident);
        self.most.proportional = self.most.proportional.max(now.proportional);
    }

    /// Returns the growth of what is allocated and of what is resident, in bytes.
    const fn growth(&self) -> [u64; 2] {
        let Self { before, most, .. } = self;
        [
            most.allocated.saturating_sub(before.allocated),
            most.resident.saturating_sub(before.resident),
        ]
    }
}

/// Sends a body of the size of the limit, so that Envoy and the runtime have what they need for one.
async fn warm_up(rig: &Rig) {
    for _ in 0..3 {
        let params = "a".repeat(LIMIT - 200);
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"a","arguments":{{"a":"{params}"}}}}}}"#
        );
        let (_, outcome) = rig.send(&Plain::post(body).bytes()).await;
        assert!(matches!(outcome, Outcome::Reached(_)), "{outcome}");
    }
    rig.upstream.forget();
}

/// The bytes of a body that has its id and then a string of the letter `a`.
fn long(length: usize) -> Vec<u8> {
    let (start, end) = (br#"{"jsonrpc":"2.0","id":77,"method":"ping","params":{"a":""#, br#""}}"#);
    let mut body = start.to_vec();
    body.resize(length - end.len(), b'a');
    body.extend_from_slice(end);
    body
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_over_the_limit_is_refused_with_its_id() {
    for rig in Rig::each(&settings()).await {
        for (length, is_accepted) in [(LIMIT, true), (LIMIT + 1, false), (3 * LIMIT, false)] {
            let request = Plain::post(long(length));
            let whole = request.bytes();
            let mut pieces = chunked(&request);
            for piece in request.body.chunks(7000) {
                pieces.extend_from_slice(&chunk(piece));
            }
            pieces.extend_from_slice(b"0\r\n\r\n");
            for bytes in [whole, pieces] {
                let (reply, outcome) = rig.send(&bytes).await;
                match is_accepted {
                    true => {
                        let Outcome::Reached(record) = outcome else { panic!("{outcome}") };
                        assert!(record.body == request.body, "{}", rig.runtime);
                    }
                    false => {
                        assert_eq!(reply.status, 413, "{}: {reply:?}", rig.runtime);
                        assert_eq!(id_of(&reply), 77, "{}", rig.runtime);
                    }
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_of_100_megabytes_takes_no_memory() {
    const LENGTH: usize = 100_000_000;
    for rig in Rig::each(&settings()).await {
        for is_chunked in [false, true] {
            warm_up(&rig).await;
            let mut watch = Watch::start(&rig.envoy).await;
            let request = Plain::post(long(1000));
            let head = match is_chunked {
                true => chunked(&request),
                false => request.head(&format!("Content-Length: {LENGTH}")),
            };
            let mut connection = Connection::open(rig.address()).await.expect("Envoy");
            connection.send(&head).await;
            let mut left = LENGTH;
            let mut piece = request.body[..request.body.len() - 3].to_vec();
            let mut sent = 0;
            while left > 0 && !connection.is_closed && connection.replies.is_empty() {
                let bytes = if is_chunked { chunk(&piece) } else { piece.clone() };
                connection.send(&bytes).await;
                left = left.saturating_sub(piece.len());
                sent += piece.len();
                piece = vec![b'a'; left.min(64 << 10)];
                watch.look().await;
            }
            let (reply, _) = rig.reply(&mut connection).await;
            assert_eq!(reply.status, 413, "{}: {reply:?}", rig.runtime);
            // As much as was read before the id had to be given up.
            assert!(sent <= 4 * LIMIT + (8 << 20), "{}: {sent} bytes were read", rig.runtime);
            let [allocated, resident] = watch.growth();
            println!(
                "{}, chunked {is_chunked}: {sent} bytes sent, {} KiB more allocated, {} KiB more resident",
                rig.runtime,
                allocated >> 10,
                resident >> 10
            );
            assert!(allocated < GROWTH, "{}: {allocated} bytes more", rig.runtime);
            assert!(resident < 2 * GROWTH, "{}: {resident} bytes more", rig.runtime);
            assert_eq!(rig.upstream.count(), 0);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_without_an_end_is_timed_out() {
    const CONNECTIONS: u64 = 20;
    let idle = Duration::from_secs(2);
    for rig in Rig::each_with(&settings(), |config| config.idle = idle).await {
        warm_up(&rig).await;
        let mut watch = Watch::start(&rig.envoy).await;
        // Some have sent almost nothing, and some almost as much as is allowed.
        let requests = [Plain::post(long(500)), Plain::post(long(LIMIT))];
        let mut connections = Vec::new();
        for at in 0..CONNECTIONS {
            let request = &requests[usize::from(at % 4 < 2)];
            let start = &request.body[..request.body.len() - 10];
            let bytes = match at % 2 {
                0 => [chunked(request), chunk(start)].concat(),
                _ => [&request.head(&format!("Content-Length: {}", LIMIT)), start].concat(),
            };
            let mut connection = Connection::open(rig.address()).await.expect("Envoy");
            connection.send(&bytes).await;
            connections.push(connection);
        }
        watch.look().await;
        let start = Instant::now();
        for mut connection in connections {
            let (reply, _) = rig.reply(&mut connection).await;
            assert_eq!(reply.status, 408, "{}: {reply:?}", rig.runtime);
        }
        assert!(start.elapsed() < idle * 4, "{:?}", start.elapsed());
        // Envoy may round each up to twice its length.
        let [held, _] = watch.growth();
        let bound = CONNECTIONS / 2 * 2 * u64::try_from(LIMIT).expect("a length") + GROWTH;
        assert!(held < bound, "{}: {held} bytes are held", rig.runtime);
        watch.most = watch.before;
        sleep(Duration::from_millis(200)).await;
        watch.look().await;
        let [left, _] = watch.growth();
        println!("{}: {} KiB held, {} KiB left", rig.runtime, held >> 10, left >> 10);
        assert!(left < GROWTH, "{}: {left} bytes are left", rig.runtime);
        assert_eq!(rig.upstream.count(), 0, "{}", rig.runtime);
        // The filter still works.
        let (_, outcome) = rig.send(&Plain::ping(1).bytes()).await;
        assert!(matches!(outcome, Outcome::Reached(_)), "{outcome}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn trailers_pass_and_do_not_hide_a_body() {
    for rig in Rig::each(&settings()).await {
        for request in [Plain::ping(5), Plain::broken(5)] {
            let end = b"0\r\nX-Trailer: 1\r\nMcp-Method: tools/call\r\n\r\n";
            let bytes = [chunked(&request), chunk(&request.body), end.to_vec()].concat();
            let (reply, first) = rig.send(&bytes).await;
            let (mut frames, body) = Channel::<Bytes, io::Error>::new(1);
            let sent = request.body.clone();
            let feeding = tokio::spawn(async move {
                let mut trailers = http::HeaderMap::new();
                trailers.insert("x-trailer", http::HeaderValue::from_static("1"));
                let _ = frames.send_data(sent).await;
                let _ = frames.send_trailers(trailers).await;
            });
            let framed = http2::send(request.http2(body), rig.address()).await;
            let _ = feeding.await;
            let [second] = framed.replies.as_slice() else { panic!("{framed:?}") };
            let second = Outcome::of(second, &rig.upstream);
            match request.body == Plain::ping(5).body {
                true => {
                    for outcome in [first, second] {
                        let Outcome::Reached(record) = outcome else { panic!("{outcome}") };
                        let trailers = record.trailers.unwrap_or_default();
                        assert_eq!(record.body, request.body, "{}", rig.runtime);
                        assert_eq!(trailers["x-trailer"], "1", "{}", rig.runtime);
                    }
                }
                false => {
                    assert_eq!(id_of(&reply), 5, "{}", rig.runtime);
                    assert!(first.agrees(&second), "{}: {first} and {second}", rig.runtime);
                }
            }
        }
    }
}

/// An empty stream of gzip.
const GZIP: [u8; 20] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0];

#[tokio::test(flavor = "multi_thread")]
async fn compressed_bodies_are_refused_or_passed_as_they_are() {
    for choice in ["refuse", "pass"] {
        let mut settings = settings();
        settings["compressed"] = choice.into();
        for rig in Rig::each(&settings).await {
            for coding in ["gzip", "br", "zstd", "identity, gzip"] {
                let request = Plain::post(GZIP.to_vec()).with("content-encoding", coding);
                let (reply, outcome) = rig.send(&request.bytes()).await;
                match (choice, outcome) {
                    ("refuse", Outcome::Answered { .. }) => assert_eq!(reply.status, 415),
                    ("pass", Outcome::Reached(record)) => assert_eq!(record.body, request.body),
                    (_, outcome) => panic!("{}: {choice}: {coding}: {outcome}", rig.runtime),
                }
            }
            // This encodes nothing.
            let request = Plain::broken(1).with("content-encoding", "identity");
            let (reply, _) = rig.send(&request.bytes()).await;
            assert_eq!(id_of(&reply), 1, "{}", rig.runtime);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn envoy_does_not_start_with_invalid_settings() {
    let upstream = Upstream::start().await;
    for (settings, reason) in [
        (r#"{"requests":"enforced"}"#, "requests"),
        (r#"{"request":"enforce"}"#, "request"),
        (r#"{"limits":{"request":2000000}}"#, "request"),
        (r#"{"revisions":["2024-11-05"]}"#, "revisions[0]: must be one of"),
        (r#"{"revisions":[]}"#, "revisions"),
        (r#"{"methods":{"allow":["a"],"deny":["b"]}}"#, "methods"),
        ("{", "must be JSON"),
        ("[]", "must be"),
    ] {
        for runtime in runtimes() {
            let filter = Filter::Tautline { runtime: runtime.clone(), settings: settings.into() };
            let started = Envoy::try_start(&Config::new(filter, upstream.address)).await;
            let Err(failure) = started else { panic!("{runtime}: Envoy has started: {settings}") };
            assert!(failure.has_ended, "{runtime}: {settings}: {failure}");
            let said =
                failure.log.lines().any(|line| line.contains("tautline") && line.contains(reason));
            assert!(said, "{runtime}: {settings}: {failure}");
        }
    }
}

/// Settings under which some requests are refused with another status than 400: after 400, Envoy closes a connection of
/// HTTP/1.1.
fn without_lists() -> Value {
    let mut settings = settings();
    settings["methods"] = json!({ "deny": ["tools/list"] });
    settings
}

#[tokio::test(flavor = "multi_thread")]
async fn many_requests_on_a_connection_are_told_apart() {
    let count = 10_000 * volume();
    for rig in Rig::each(&without_lists()).await {
        let mut connection = Connection::open(rig.address()).await.expect("Envoy");
        // One after the other: Envoy itself ends a connection on which more than two replies wait to be sent.
        for id in 0..count {
            let is_denied = id % 3 == 1;
            let request = if is_denied { Plain::list(id) } else { Plain::ping(id) };
            connection.send(&request.bytes()).await;
            let (reply, _) = rig.reply(&mut connection).await;
            let body: Value = serde_json::from_slice(&reply.body).expect("JSON");
            assert_eq!(body["id"], id, "{}: {reply:?}", rig.runtime);
            assert_eq!(reply.status == 403, is_denied, "{}: {reply:?}", rig.runtime);
        }
        let denied = (0..count).filter(|id| id % 3 == 1).count();
        assert_eq!(rig.upstream.count(), count - denied, "{}", rig.runtime);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_connections_are_told_apart() {
    let (connections, requests) = (100, 10 * volume());
    for rig in Rig::each(&without_lists()).await {
        let address = rig.address();
        let tasks = (0..connections).map(|one| {
            tokio::spawn(async move {
                let mut connection = Connection::open(address).await.expect("Envoy");
                let mut wrong = Vec::new();
                for at in 0..requests {
                    let id = one * requests + at;
                    let plain = if at % 2 == 0 { Plain::ping(id) } else { Plain::list(id) };
                    let bytes = plain.bytes();
                    // The requests of the connections interleave.
                    let (first, second) = bytes.split_at(bytes.len() - 1 - id % 60);
                    connection.send(first).await;
                    tokio::task::yield_now().await;
                    connection.send(second).await;
                    connection.wait(1, Duration::from_secs(30)).await;
                    let reply = connection.replies.pop();
                    let is_right = reply.as_ref().is_some_and(|reply| {
                        let body: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
                        body["id"] == id && (reply.status == 200) == (at % 2 == 0)
                    });
                    if !is_right {
                        wrong.push((id, reply));
                    }
                }
                wrong
            })
        });
        for task in tasks.collect::<Vec<_>>() {
            let wrong = task.await.expect("a connection");
            assert!(wrong.is_empty(), "{}: {wrong:?}", rig.runtime);
        }
        let counters = rig.envoy.counters().await;
        let half = u64::try_from(connections * requests / 2).expect("a count");
        assert_eq!(counters["tautline.request.accepted"], half, "{}", rig.runtime);
        assert_eq!(counters["tautline.request.refused"], half, "{}", rig.runtime);
        let value = json!(counters);
        assert!(value.get("tautline.request.aborted").is_none_or(|count| *count == 0), "{value}");
    }
}
