//! A long stream of events, with the time that each takes from the upstream to the client.
//!
//! It prints the times and asserts none: a busy machine must not fail a test.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Response;
use http::header::{CONTENT_TYPE, HeaderValue};
use http_body_util::{BodyExt as _, Channel};
use serde_json::json;
use tautline_gateway_tests::bootstrap::{Config, Filter};
use tautline_gateway_tests::connection::Connection;
use tautline_gateway_tests::envoy::Envoy;
use tautline_gateway_tests::request::Plain;
use tautline_gateway_tests::upstream::{Answer, Upstream, settings};
use tautline_gateway_tests::{runtimes, volume};
use tokio::time::sleep;

/// Before every event of this number, the upstream waits for some milliseconds.
const PAUSE: usize = 20;

/// The events that the upstream sends, and when.
#[derive(Clone, Default)]
struct Sent(Arc<Mutex<Vec<(Bytes, Instant)>>>);

fn event(number: usize, total: usize) -> Bytes {
    let message = match number + 1 == total {
        true => r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#.to_owned(),
        false => format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":"t","progress":{number}}}}}"#
        ),
    };
    // All ways to end a line, a name, an id and a comment.
    let text = match number % 4 {
        0 => format!("data: {message}\n\n"),
        1 => format!("event: message\r\ndata:{message}\r\n\r\n"),
        2 => format!("id: {number}\ndata: {message}\n\n"),
        _ => format!(": {number}\ndata: {message}\n\n"),
    };
    text.into()
}

impl Sent {
    /// Returns a response that sends as many events.
    fn response(&self, total: usize) -> Response<Answer> {
        let (mut frames, body) = Channel::<Bytes, Infallible>::new(1);
        let sent = self.clone();
        tokio::spawn(async move {
            for number in 0..total {
                if number % PAUSE == 0 {
                    let pause = 1 + number / PAUSE % 5;
                    sleep(Duration::from_millis(pause as u64)).await;
                }
                let event = event(number, total);
                sent.0.lock().expect("events").push((event.clone(), Instant::now()));
                if frames.send_data(event).await.is_err() {
                    break;
                }
            }
        });
        let mut response = Response::new(body.boxed_unsync());
        let kind = HeaderValue::from_static("text/event-stream");
        response.headers_mut().insert(CONTENT_TYPE, kind);
        response
    }
}

fn shown(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |part: usize| times[(times.len() - 1) * part / 100];
    format!("median {:?}, 99 % {:?}, most {:?}", at(50), at(99), at(100))
}

/// Asks for the stream, and prints the time of each event.
async fn stream(name: &str, filter: Filter, total: usize) {
    let sent = Sent::default();
    let answering = sent.clone();
    let upstream = Upstream::answering(move |_| answering.response(total)).await;
    let envoy = Envoy::start(&Config::new(filter, upstream.address)).await;
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{},"_meta":{"progressToken":"t"}}}"#;
    let mut connection = Connection::open(envoy.address).await.expect("Envoy");
    connection.send(&Plain::post(call).bytes()).await;
    let time = Duration::from_secs(60) * u32::try_from(volume()).expect("a small number");
    let (received, times) = connection.stream(time).await;
    let sent = sent.0.lock().expect("events").clone();
    assert_eq!(sent.len(), total, "{name}");
    let expected: Vec<u8> = sent.iter().flat_map(|(event, _)| event.to_vec()).collect();
    assert_eq!(received.len(), expected.len(), "{name}: bytes were lost or added");
    assert!(received == expected, "{name}: the bytes differ");
    // The event has arrived with its last byte.
    let (mut end, mut all, mut after_pause) = (0, Vec::new(), Vec::new());
    let mut times = times.iter();
    let mut arrived = times.next().expect("bytes");
    for (number, (event, sent)) in sent.iter().enumerate() {
        end += event.len();
        while arrived.0 < end {
            arrived = times.next().expect("bytes");
        }
        let time = arrived.1.saturating_duration_since(*sent);
        all.push(time);
        if number % PAUSE == 0 {
            after_pause.push(time);
        }
    }
    println!("{name}: {}; after a pause: {}", shown(all), shown(after_pause));
    envoy.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_event_arrives_as_it_was_sent() {
    let total = 10_000 * volume();
    stream("no filter", Filter::None, total).await;
    for runtime in runtimes() {
        for mode in ["report", "enforce"] {
            let mut settings = settings();
            settings["responses"] = json!(mode);
            let filter = Filter::tautline(&runtime, &settings);
            stream(&format!("{runtime}, {mode}"), filter, total).await;
        }
    }
}
