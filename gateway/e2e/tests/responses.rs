//! Responses of a server that break the rules, with a filter that enforces and one that only reports.

use bytes::Bytes;
use http::Response;
use http::header::{CONTENT_TYPE, HeaderValue};
use serde_json::{Value, json};
use tautline_gateway_tests::LIMIT;
use tautline_gateway_tests::bootstrap::{Config, Filter};
use tautline_gateway_tests::connection::{Connection, Reply};
use tautline_gateway_tests::envoy::Envoy;
use tautline_gateway_tests::request::Plain;
use tautline_gateway_tests::runtimes;
use tautline_gateway_tests::upstream::{Answer, Upstream, full};
use tokio::time::Duration;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const GOOD: &str = r#"{"jsonrpc":"2.0","id":7,"result":{ "a" : 1.0 }}"#;

fn response(kind: &'static str, body: Bytes) -> Response<Answer> {
    let mut response = Response::new(full(body));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// Returns the replies to a request with id 7, with responses enforced and reported, in each runtime. The reports come with the
/// counters.
async fn ask(kind: &'static str, body: &str) -> Vec<(Reply, Reply)> {
    let body = Bytes::from(body.to_owned());
    let answered = body.clone();
    let upstream = Upstream::answering(move |_| response(kind, answered.clone())).await;
    let mut pairs = Vec::new();
    for runtime in runtimes() {
        let mut replies = Vec::new();
        for mode in ["enforce", "report"] {
            let filter = Filter::tautline(&runtime, &json!({ "responses": mode }));
            let envoy = Envoy::start(&Config::new(filter, upstream.address)).await;
            let mut connection = Connection::open(envoy.address).await.expect("Envoy");
            connection.send(&Plain::ping(7).bytes()).await;
            connection.wait(1, Duration::from_secs(20)).await;
            let reply = connection.replies.pop();
            let reply = reply.unwrap_or_else(|| panic!("{runtime}: {mode}: {}", envoy.log()));
            if mode == "report" {
                assert_eq!((reply.status, reply.body.as_slice()), (200, &body[..]), "{runtime}");
            }
            replies.push(reply);
        }
        let report = replies.remove(1);
        pairs.push((replies.remove(0), report));
    }
    pairs
}

#[tokio::test(flavor = "multi_thread")]
async fn good_bodies_pass_as_they_are() {
    let events = format!(": hello\r\n\r\nid: 1\r\ndata: {GOOD}\r\n\r\n");
    let split = "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":7,\"result\":{}}\n\n";
    for (kind, body) in [(JSON, GOOD), (EVENTS, events.as_str()), (EVENTS, split)] {
        for (enforced, _) in ask(kind, body).await {
            let text = String::from_utf8_lossy(&enforced.body);
            assert_eq!((enforced.status, &*text), (200, body));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_body_is_replaced_by_an_error() {
    let long = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"a":"{}"}}}}"#, "a".repeat(LIMIT));
    for body in [
        "",
        "hello",
        r#"{"jsonrpc":"2.0","id":7}"#,
        r#"{"jsonrpc":"2.0","id":8,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":7,"id":7,"result":{}}"#,
        &long,
    ] {
        for (enforced, _) in ask(JSON, body).await {
            let start = &body[..body.len().min(60)];
            assert_eq!(enforced.status, 502, "{start}: {enforced:?}");
            let error: Value = serde_json::from_slice(&enforced.body).expect("JSON");
            assert_eq!(error["id"], 7, "{start}: {error}");
            assert!(error["error"]["code"].is_i64(), "{start}: {error}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_event_is_removed_and_the_answer_is_not_lost() {
    let note = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}\n\n";
    let good = format!("data: {GOOD}\n\n");
    for bad in [
        "data: hello\n\n",
        "data: {\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{}}\n\n",
        "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":7}\n\n",
    ] {
        for (enforced, _) in ask(EVENTS, &[note, bad, &good].concat()).await {
            let text = String::from_utf8_lossy(&enforced.body);
            assert_eq!((enforced.status, &*text), (200, &*[note, &good].concat()), "{bad}");
        }
        // Without the answer, the caller gets an error.
        for (enforced, _) in ask(EVENTS, &[note, bad].concat()).await {
            let text = String::from_utf8_lossy(&enforced.body);
            let rest = text.strip_prefix(note).unwrap_or_else(|| panic!("{bad}: {text}"));
            let data = rest.lines().find_map(|line| line.strip_prefix("data: ")).expect("an event");
            let error: Value = serde_json::from_str(data).expect("JSON");
            assert_eq!(error["id"], 7, "{bad}: {error}");
            assert_eq!(error["error"]["code"], -32603, "{bad}: {error}");
            assert!(rest.ends_with("\n\n"), "{bad}: {rest}");
        }
    }
}
