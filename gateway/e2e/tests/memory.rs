//! The memory of Envoy while bodies are far too long or have no end.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Channel;
use tautline_gateway_tests::connection::Connection;
use tautline_gateway_tests::envoy::{Envoy, Memory};
use tautline_gateway_tests::outcome::Outcome;
use tautline_gateway_tests::request::{Plain, chunk};
use tautline_gateway_tests::rig::Rig;
use tautline_gateway_tests::upstream::settings;
use tautline_gateway_tests::{LIMIT, http2};
use tokio::time::{Instant, sleep};

/// The growth of Envoy's memory that no body may exceed, in bytes.
const GROWTH: u64 = 2 << 20;

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

#[tokio::test(flavor = "multi_thread")]
async fn a_body_of_100_megabytes_takes_no_memory() {
    const LENGTH: usize = 100_000_000;
    for rig in Rig::each(&settings()).await {
        for is_chunked in [false, true] {
            warm_up(&rig).await;
            let mut watch = Watch::start(&rig.envoy).await;
            let request = Plain::long(1000);
            let head = match is_chunked {
                true => request.chunked(),
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
async fn a_body_of_100_megabytes_takes_no_memory_over_http2() {
    for rig in Rig::each(&settings()).await {
        warm_up(&rig).await;
        let mut watch = Watch::start(&rig.envoy).await;
        let request = Plain::long(1000);
        let (mut frames, body) = Channel::<Bytes, io::Error>::new(1);
        let start = request.body.slice(..request.body.len() - 3);
        let sending = tokio::spawn(http2::send(request.http2(body), rig.address()));
        let mut sent = 0;
        let mut piece = start;
        while sent < 100_000_000 && !sending.is_finished() {
            sent += piece.len();
            if frames.send_data(piece).await.is_err() {
                break;
            }
            piece = Bytes::from_static(&[b'a'; 64 << 10]);
            watch.look().await;
        }
        drop(frames);
        let played = sending.await.expect("a request");
        let [reply] = played.replies.as_slice() else { panic!("{played:?}") };
        assert_eq!(reply.status, 413, "{}: {reply:?}", rig.runtime);
        assert!(sent <= 4 * LIMIT + (8 << 20), "{}: {sent} bytes were read", rig.runtime);
        let [allocated, resident] = watch.growth();
        println!(
            "{}, HTTP/2: {sent} bytes sent, {} KiB more allocated, {} KiB more resident",
            rig.runtime,
            allocated >> 10,
            resident >> 10
        );
        assert!(allocated < GROWTH, "{}: {allocated} bytes more", rig.runtime);
        assert!(resident < 2 * GROWTH, "{}: {resident} bytes more", rig.runtime);
        assert_eq!(rig.upstream.count(), 0, "{}", rig.runtime);
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
        let requests = [Plain::long(500), Plain::long(LIMIT)];
        let mut connections = Vec::new();
        for at in 0..CONNECTIONS {
            let request = &requests[usize::from(at % 4 < 2)];
            let start = &request.body[..request.body.len() - 10];
            let bytes = match at % 2 {
                0 => [request.chunked(), chunk(start)].concat(),
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
