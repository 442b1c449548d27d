//! Requests in flight: no error answers another request, whatever the peer sends with the same id.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use serde_json::{Value, json};
use tautline::Profile;
use tautline::frame::Splitter;
use tautline_mcp::Revision;
use tautline_tokio::{Connection, Context, Handlers, McpCancellation, Options};
use tokio::sync::Notify;

use crate::support::{Wire, pipe, within};

/// The limit on frames.
const LIMIT: u32 = 300;

/// Returns handlers of `wait`, which is answered after a notification, and of `at_once`.
fn handlers(go: &Arc<Notify>) -> Handlers<Arc<Notify>> {
    Handlers::new(Arc::clone(go))
        .request("wait", async |context: Context<Arc<Notify>>, (): ()| {
            context.state().notified().await;
            Ok(json!({ "waited": true }))
        })
        .request("at_once", async |_, (): ()| Ok(json!({})))
}

fn start(options: Options) -> (Connection, Wire, Arc<Notify>) {
    let go = Arc::<Notify>::default();
    let (end, wire) = pipe();
    (options.start_stream(end, handlers(&go)), wire, go)
}

fn options() -> Options {
    Options::new(&Profile::JSON_RPC, Splitter::new(LIMIT))
}

/// Frames that are no messages, and whose reply repeats the id.
fn faults(id: &str) -> Vec<String> {
    let long = "x".repeat(999);
    let deep = format!("{}{}", "[".repeat(140), "]".repeat(140));
    vec![
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":1}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"wait","params":7}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"wait","method":"wait"}}"#),
        format!(r#"{{"id":{id},"method":"wait"}}"#),
        format!(r#"{{"jsonrpc":"1.0","id":{id},"method":"wait"}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":{id}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"wait","params":["{long}"]}}"#),
        format!(r#"{{"jsonrpc":"2.0","params":["{long}"],"method":"wait","id":{id}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"wait","params":{deep}}}"#),
    ]
}

fn request(id: &str, method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#)
}

/// Sends the lines and a request, and checks that the request gets the first answer.
async fn nothing_answers(wire: &mut Wire, lines: &[String]) {
    for line in lines {
        wire.send_line(line).await;
        wire.send_line(request("\"next\"", "at_once")).await;
        let answer = wire.message().await;
        assert_eq!(answer["id"], "next", "{line}: {answer}");
    }
}

/// Sends each line, and checks that it gets an error with this id.
async fn each_is_refused(wire: &mut Wire, lines: &[String], id: &str) {
    for line in lines {
        wire.send_line(line).await;
        let answer = wire.line().await.unwrap();
        assert!(
            answer.contains(&format!(r#""id":{id},"error":{{"code":-32600,"#)),
            "{line}: {answer}"
        );
    }
}

#[tokio::test]
async fn a_fault_does_not_answer_the_request_with_its_id() {
    for id in ["1", r#""a""#, "1.5", r#""x-\u00e9""#] {
        let (_connection, mut wire, go) = start(options());
        each_is_refused(&mut wire, &faults(id), id).await;
        wire.send_line(request(id, "wait")).await;
        nothing_answers(&mut wire, &faults(id)).await;
        each_is_refused(&mut wire, &faults("7"), "7").await;
        go.notify_one();
        let answer = wire.line().await.unwrap();
        assert!(answer.contains(&format!(r#""id":{id},"result":{{"waited":true}}"#)), "{answer}");
        each_is_refused(&mut wire, &faults(id), id).await;
    }
}

/// As long as the answer is not sent, the request is in flight, however its id is written.
#[tokio::test]
async fn ids_are_compared_by_their_values() {
    let (_connection, mut wire, _go) = start(options());
    wire.send_line(request(r#""\u0061/""#, "wait")).await;
    nothing_answers(&mut wire, &faults(r#""a\/""#)).await;
    // A peer in JavaScript cannot tell these numbers apart.
    wire.send_line(request("1", "wait")).await;
    for id in ["1.0", "1e0", "10e-1"] {
        nothing_answers(&mut wire, &faults(id)).await;
    }
    // These are other ids.
    for id in ["1.5", r#""1""#, r#""A""#] {
        each_is_refused(&mut wire, &faults(id), id).await;
    }
}

/// The parameters do not fit the type that the handler reads.
#[tokio::test]
async fn invalid_params_do_not_answer_the_request_with_their_id() {
    let (_connection, mut wire, go) = start(options());
    let unfit = r#"{"jsonrpc":"2.0","id":1,"method":"at_once","params":{"a":1}}"#;
    wire.send_line(unfit).await;
    assert_eq!(wire.message().await["error"]["code"], -32602);
    wire.send_line(request("1", "wait")).await;
    nothing_answers(&mut wire, &[unfit.to_owned()]).await;
    go.notify_one();
    assert_eq!(wire.message().await["result"], json!({ "waited": true }));
}

/// A reply without an id of its sender's answers nothing (JSON-RPC 2.0, section 5).
#[tokio::test]
async fn a_fault_whose_id_can_not_be_read_is_answered_with_null() {
    let (_connection, mut wire, _go) = start(options());
    wire.send_line(request("1", "wait")).await;
    for line in [
        r#"{"jsonrpc":"2.0","id":1,"method":"#,
        r#"{"jsonrpc":"2.0","id":1,"id":1,"method":"wait"}"#,
        r#"{"jsonrpc":"2.0","id":[1],"method":"wait"}"#,
        "[]",
    ] {
        wire.send_line(line).await;
        let answer = wire.message().await;
        assert_eq!((&answer["id"], answer["error"].is_object()), (&Value::Null, true), "{line}");
    }
}

#[tokio::test]
async fn a_request_that_waits_for_its_turn_is_in_flight() {
    let (_connection, mut wire, go) = start(options().with_max_requests(1));
    for id in ["1", "2"] {
        wire.send_line(request(id, "wait")).await;
    }
    for line in faults("2") {
        wire.send_line(line).await;
    }
    for id in [1, 2] {
        go.notify_one();
        assert_eq!(
            wire.message().await,
            json!({"jsonrpc": "2.0", "id": id, "result": {"waited": true}})
        );
    }
    each_is_refused(&mut wire, &faults("2"), "2").await;
}

/// The answers to a batch come together, so all of its requests are in flight until then.
#[tokio::test]
async fn the_requests_of_a_batch_are_in_flight_until_the_last_is_answered() {
    let (_connection, mut wire, go) = start(options());
    wire.send_line(format!("[{},{}]", request("1", "wait"), request("2", "at_once"))).await;
    for id in ["1", "2"] {
        nothing_answers(&mut wire, &faults(id)).await;
        nothing_answers(&mut wire, &[format!("[{}]", faults(id)[0])]).await;
    }
    go.notify_one();
    let answers = wire.message().await;
    let ids: Vec<_> = answers.as_array().unwrap().iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [2, 1]);
    for id in ["1", "2"] {
        each_is_refused(&mut wire, &faults(id), id).await;
    }
}

#[tokio::test]
async fn a_batch_does_not_answer_one_of_its_requests_with_an_error() {
    let (_connection, mut wire, _go) = start(options());
    wire.send_line(format!("[{},{},7]", request("1", "at_once"), faults("1")[0])).await;
    let mut answers: Vec<Value> = serde_json::from_value(wire.message().await).unwrap();
    answers.sort_by_key(|answer| answer["id"].is_null());
    let parts: Vec<_> = answers.iter().map(|it| (&it["id"], it["error"].is_null())).collect();
    assert_eq!(parts, [(&json!(1), true), (&Value::Null, false)]);
}

/// Two requests with one id are both served, but the refusal of one would answer the other.
#[tokio::test]
async fn a_request_is_not_refused_with_an_id_that_is_in_flight() {
    let (connection, mut wire, go) = start(options());
    wire.send_line(request("1", "wait")).await;
    nothing_answers(
        &mut wire,
        &[request("1", "unknown"), format!("[{}]", request("1", "unknown"))],
    )
    .await;
    wire.send_line(request("2", "unknown")).await;
    assert_eq!(wire.message().await["error"]["code"], -32601);
    connection.peer().close();
    wire.send_line(request("1", "at_once")).await;
    go.notify_one();
    assert_eq!(wire.message().await["result"], json!({"waited": true}));
    assert_eq!(wire.line().await, None);
}

/// A request that is cancelled gets no answer, so its id is free once the handler was dropped.
#[tokio::test]
async fn the_id_of_a_cancelled_request_is_free() {
    let profile = Revision::V2025_11_25.profile();
    let options = Options::new(&profile, Splitter::new(LIMIT)).with_cancellation(McpCancellation);
    let (_connection, mut wire, _go) = start(options);
    wire.send_line(request("1", "wait")).await;
    nothing_answers(&mut wire, &faults("1")[..1]).await;
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    nothing_answers(&mut wire, &[cancel.to_owned()]).await;
    each_is_refused(&mut wire, &faults("1")[..1], "1").await;
}

/// Each exchange has its own requests: an answer reaches the peer where its request came from.
#[tokio::test]
async fn an_exchange_does_not_answer_its_request_with_an_error() {
    let go = Arc::<Notify>::default();
    let mut exchange = Options::json_rpc().exchange(&Arc::new(handlers(&go)));
    exchange.receive(request("1", "wait").into(), &Profile::JSON_RPC);
    exchange.receive(faults("1").swap_remove(0).into(), &Profile::JSON_RPC);
    let first = poll_fn(|cx| Poll::Ready(exchange.poll_message(cx))).await;
    assert!(first.is_pending(), "{first:?}");
    go.notify_one();
    let answer = within(poll_fn(|cx| exchange.poll_message(cx))).await;
    assert_eq!(answer.unwrap(), r#"{"jsonrpc":"2.0","id":1,"result":{"waited":true}}"#);
}
