//! Bodies for the filter that enforces: in pieces, as long as the limit and longer, with trailers and with encodings.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Channel;
use serde_json::Value;
use tautline_gateway_tests::connection::{Connection, Reply};
use tautline_gateway_tests::outcome::{Outcome, row};
use tautline_gateway_tests::request::{Plain, chunk, plain_cases};
use tautline_gateway_tests::rig::Rig;
use tautline_gateway_tests::upstream::settings;
use tautline_gateway_tests::{LIMIT, http2, volume};
use tokio::time::sleep;

/// Returns the id of an error.
fn id_of(reply: &Reply) -> Value {
    let body: Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    assert!(body["error"].is_object(), "{reply:?}");
    body["id"].clone()
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
                pieces.send(&plain.chunked()).await;
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
        let (mut reached, mut refused) = (0, 0);
        for task in sending.collect::<Vec<_>>() {
            for (name, whole, pieces) in task.await.expect("a case") {
                let [whole, pieces] = [whole, pieces].map(|replies| {
                    let outcomes = replies.iter().map(|reply| Outcome::of(reply, &rig.upstream));
                    outcomes.collect::<Vec<_>>()
                });
                let agrees = whole.len() == pieces.len()
                    && whole.iter().zip(&pieces).all(|(whole, piece)| whole.agrees(piece));
                assert!(agrees, "{}: {name}: {} and {}", rig.runtime, row(&whole), row(&pieces));
                match whole.first() {
                    Some(Outcome::Reached(_)) => reached += 1,
                    Some(_) => refused += 1,
                    // Envoy ends a connection of HTTP/2 on which a head is too long.
                    None => {}
                }
            }
        }
        assert!(reached > 20 && refused > 20, "{}: {reached}, {refused}", rig.runtime);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_over_the_limit_is_refused_with_its_id() {
    for rig in Rig::each(&settings()).await {
        for (length, is_accepted) in [(LIMIT, true), (LIMIT + 1, false), (3 * LIMIT, false)] {
            let request = Plain::long(length);
            let whole = request.bytes();
            let mut pieces = request.chunked();
            for piece in request.body.chunks(7000) {
                pieces.extend_from_slice(&chunk(piece));
            }
            pieces.extend_from_slice(b"0\r\n\r\n");
            for (bytes, is_declared) in [(whole, true), (pieces, false)] {
                let (reply, outcome) = rig.send(&bytes).await;
                if is_accepted {
                    let Outcome::Reached(record) = outcome else { panic!("{outcome}") };
                    assert!(record.body == request.body, "{}", rig.runtime);
                    continue;
                }
                assert_eq!(reply.status, 413, "{}: {reply:?}", rig.runtime);
                // Envoy may read so much at once that its own limit is exceeded before the filter sees a body whose
                // length was not declared.
                let id = id_of(&reply);
                let is_known = id == 77 || (id.is_null() && !is_declared);
                assert!(is_known, "{}: {length}: {id}", rig.runtime);
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_buffer_that_is_too_small_passes_nothing_unjudged() {
    // The settings say that Envoy buffers 1 MiB.
    for rig in Rig::each_with(&settings(), |config| config.buffer = Some(64 << 10)).await {
        for length in [1 << 10, 200 << 10, LIMIT] {
            let request = Plain::long(length);
            let (reply, outcome) = rig.send(&request.bytes()).await;
            match outcome {
                Outcome::Reached(record) => {
                    let is_small = length < 64 << 10 && record.body == request.body;
                    assert!(is_small, "{}: {length}", rig.runtime);
                }
                _ => assert_eq!(reply.status, 413, "{}: {length}: {reply:?}", rig.runtime),
            }
        }
        assert_eq!(rig.upstream.count(), 1, "{}", rig.runtime);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_on_http2_gets_the_same() {
    for rig in Rig::each_with(&settings(), |config| config.http2 = true).await {
        for length in [1 << 10, 200 << 10, LIMIT] {
            let request = Plain::long(length);
            let (_, outcome) = rig.send(&request.bytes()).await;
            let Outcome::Reached(record) = outcome else { panic!("{}: {outcome}", rig.runtime) };
            assert!(record.body == request.body && record.is_whole, "{}", rig.runtime);
        }
        let (reply, _) = rig.send(&Plain::broken(3).bytes()).await;
        assert_eq!(id_of(&reply), 3, "{}", rig.runtime);
        assert_eq!(rig.upstream.count(), 3, "{}", rig.runtime);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn trailers_pass_and_do_not_hide_a_body() {
    for rig in Rig::each(&settings()).await {
        for request in [Plain::ping(5), Plain::broken(5)] {
            let end = b"0\r\nX-Trailer: 1\r\nMcp-Method: tools/call\r\n\r\n";
            let bytes = [request.chunked(), chunk(&request.body), end.to_vec()].concat();
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
