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

/// Sends a request with id 7 for each of these responses. Returns the replies of the filter that enforces, in each
/// runtime. Checks that the filter that only reports changes nothing.
async fn ask(responses: &[(&'static str, String)]) -> Vec<Vec<Reply>> {
    let answers = responses.to_vec();
    let upstream = Upstream::answering(move |record| {
        let number = record.headers["x-answer"].to_str().expect("ASCII").parse::<usize>();
        let (kind, body) = answers[number.expect("a number")].clone();
        response(kind, body.into())
    });
    let upstream = upstream.await;
    let mut all = Vec::new();
    for runtime in runtimes() {
        for mode in ["report", "enforce"] {
            let filter = Filter::tautline(&runtime, &json!({ "responses": mode }));
            let envoy = Envoy::start(&Config::new(filter, upstream.address)).await;
            let mut replies = Vec::new();
            for (number, (_, body)) in responses.iter().enumerate() {
                let mut connection = Connection::open(envoy.address).await.expect("Envoy");
                let head = format!("X-Answer: {number}\r\nContent-Length: 40");
                let request = Plain::ping(7);
                assert_eq!(request.body.len(), 40);
                connection.send(&[&request.head(&head), &request.body[..]].concat()).await;
                connection.wait(1, Duration::from_secs(20)).await;
                let reply = connection.replies.pop();
                let reply = reply.unwrap_or_else(|| panic!("{runtime}: {mode}: {}", envoy.log()));
                if mode == "report" {
                    let is_same = reply.status == 200 && reply.body == body.as_bytes();
                    assert!(is_same, "{runtime}: {body}: {reply:?}");
                }
                replies.push(reply);
            }
            if mode == "enforce" {
                all.push(replies);
            }
        }
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn good_bodies_pass_as_they_are() {
    let responses = [
        (JSON, GOOD.to_owned()),
        (EVENTS, format!(": hello\r\n\r\nid: 1\r\ndata: {GOOD}\r\n\r\n")),
        (EVENTS, "data: {\"jsonrpc\":\"2.0\",\ndata: \"id\":7,\"result\":{}}\n\n".to_owned()),
    ];
    for replies in ask(&responses).await {
        for ((_, body), reply) in responses.iter().zip(replies) {
            let text = String::from_utf8_lossy(&reply.body);
            assert_eq!((reply.status, &*text), (200, body.as_str()));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_body_is_replaced_by_an_error() {
    let long = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"a":"{}"}}}}"#, "a".repeat(LIMIT));
    let bodies = [
        "",
        "hello",
        r#"{"jsonrpc":"2.0","id":7}"#,
        r#"{"jsonrpc":"2.0","id":8,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":7,"id":7,"result":{}}"#,
        &long,
    ];
    for replies in ask(&bodies.map(|body| (JSON, body.to_owned()))).await {
        for (body, reply) in bodies.iter().zip(replies) {
            let start = &body[..body.len().min(60)];
            assert_eq!(reply.status, 502, "{start}: {reply:?}");
            let error: Value = serde_json::from_slice(&reply.body).expect("JSON");
            assert_eq!(error["id"], 7, "{start}: {error}");
            assert!(error["error"]["code"].is_i64(), "{start}: {error}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bad_event_is_removed_and_the_answer_is_not_lost() {
    let note = "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":1}}\n\n";
    let good = format!("data: {GOOD}\n\n");
    let bad = [
        "data: hello\n\n",
        "data: {\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{}}\n\n",
        "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":7}\n\n",
    ];
    let answered = bad.map(|bad| (EVENTS, [note, bad, &good].concat()));
    for replies in ask(&answered).await {
        for (bad, reply) in bad.iter().zip(replies) {
            // An empty line more means nothing.
            let text = String::from_utf8_lossy(&reply.body).replace("\n\n\n", "\n\n");
            assert_eq!((reply.status, text), (200, [note, &good].concat()), "{bad}");
        }
    }
    // Without the answer, the caller gets an error.
    let unanswered = bad.map(|bad| (EVENTS, [note, bad].concat()));
    for replies in ask(&unanswered).await {
        for (bad, reply) in bad.iter().zip(replies) {
            let text = String::from_utf8_lossy(&reply.body);
            let rest = text.strip_prefix(note).unwrap_or_else(|| panic!("{bad}: {text}"));
            let data = rest.lines().find_map(|line| line.strip_prefix("data: ")).expect("an event");
            let error: Value = serde_json::from_str(data).expect("JSON");
            assert_eq!(error["id"], 7, "{bad}: {error}");
            assert_eq!(error["error"]["code"], -32603, "{bad}: {error}");
            assert!(rest.ends_with("\n\n"), "{bad}: {rest}");
        }
    }
}
