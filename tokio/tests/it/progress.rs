//! Progress of calls: who gets it, what a slow caller loses, and how it moves the time-out.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tautline_mcp::Revision;
use tautline_tokio::tautline::frame::Splitter;
use tautline_tokio::{
    CallError, Closed, Connection, Context, Handlers, Options, Peer, PendingCall,
};
use tokio::time::{sleep, timeout};

use crate::support::{LONG, Wire, pipe, until, within};

const SHORT: Duration = Duration::from_millis(50);
const MCP: &str = "notifications/progress";

fn mcp(revision: Revision) -> (Connection, Wire) {
    let (end, wire) = pipe();
    (Options::mcp(revision).start_stream(end, Handlers::new(())), wire)
}

/// Begins a call that listens, and returns it with the params that arrive.
async fn listening(peer: &Peer, wire: &mut Wire) -> (PendingCall<Value>, Value) {
    let call = within(peer.request("slow", json!({})).with_progress().send()).await.unwrap();
    let request = wire.message().await;
    assert_eq!(request["id"], call.id());
    (call, request["params"].clone())
}

fn report(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
}

fn report_of(call: u64, progress: usize) -> String {
    report_with(&json!(format!("call-{call}")), progress)
}

fn report_with(token: &Value, progress: usize) -> String {
    report(MCP, &json!({ "progressToken": token, "progress": progress }))
}

fn answer(id: u64) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "result": { "done": true } }).to_string()
}

/// Reads the progress of a call to its end.
async fn numbers(call: &mut PendingCall<Value>) -> Vec<usize> {
    let mut numbers = Vec::new();
    while let Some(report) = within(call.progress()).await {
        let progress = report.json().member("progress").unwrap().deserialize().unwrap();
        numbers.push(progress);
    }
    numbers
}

#[tokio::test]
async fn progress_of_mcp_reaches_the_caller() {
    for &revision in Revision::ALL {
        let (connection, mut wire) = mcp(revision);
        let (mut call, params) = listening(connection.peer(), &mut wire).await;
        assert_eq!(params["_meta"]["progressToken"], format!("call-{}", call.id()), "{revision}");
        wire.send_line(report_of(call.id(), 1)).await;
        let first = within(call.progress()).await.unwrap();
        assert_eq!(
            first.deserialize::<Value>().unwrap(),
            json!({ "progressToken": "call-1", "progress": 1 })
        );
        wire.send_line(report_of(call.id(), 2)).await;
        wire.send_line(answer(call.id())).await;
        assert_eq!(numbers(&mut call).await, [2]);
        assert!(within(call.progress()).await.is_none());
        assert_eq!(within(call).await.unwrap(), json!({ "done": true }));
    }
}

#[tokio::test]
async fn progress_of_lsp_reaches_the_caller() {
    let (end, mut wire) = pipe();
    let options = Options::lsp().with_framing(Splitter::new(1000));
    let connection = options.start_stream(end, Handlers::new(()));
    let (mut call, params) = listening(connection.peer(), &mut wire).await;
    let token = params["workDoneToken"].clone();
    assert_eq!(params, json!({ "workDoneToken": token }));
    // A server may have created this token itself.
    let others = json!({ "token": call.id(), "value": { "kind": "begin", "title": "other" } });
    wire.send_line(report("$/progress", &others)).await;
    for kind in ["begin", "end"] {
        let params = json!({ "token": token, "value": { "kind": kind } });
        wire.send_line(report("$/progress", &params)).await;
        let report: Value = within(call.progress()).await.unwrap().deserialize().unwrap();
        assert_eq!(report, params);
    }
}

#[tokio::test]
async fn progress_in_a_batch_reaches_the_caller() {
    let (connection, mut wire) = mcp(Revision::V2025_03_26);
    let (mut call, _) = listening(connection.peer(), &mut wire).await;
    let id = call.id();
    wire.send_line(format!("[{},{}]", report_of(id, 1), report_of(id, 2))).await;
    wire.send_line(answer(id)).await;
    assert_eq!(numbers(&mut call).await, [1, 2]);
}

/// Neither the answer nor the connection waits for a caller that does not read.
#[tokio::test]
async fn a_slow_caller_loses_the_oldest_reports() {
    let (connection, mut wire) = mcp(Revision::V2025_11_25);
    let (mut call, _) = listening(connection.peer(), &mut wire).await;
    for number in 1..=1000 {
        wire.send_line(report_of(call.id(), number)).await;
    }
    wire.send_line(answer(call.id())).await;
    until("the answer", || connection.peer().pending_calls() == 0).await;
    assert_eq!(numbers(&mut call).await, (985..=1000).collect::<Vec<_>>());
    assert_eq!(within(call).await.unwrap()["done"], true);
}

#[tokio::test]
async fn no_report_is_lost_when_the_caller_stops_waiting() {
    let (connection, mut wire) = mcp(Revision::V2025_11_25);
    let (mut call, _) = listening(connection.peer(), &mut wire).await;
    for number in 1..=3 {
        assert!(timeout(SHORT, call.progress()).await.is_err());
        wire.send_line(report_of(call.id(), number)).await;
        assert!(timeout(SHORT, &mut call).await.is_err());
        let report = within(call.progress()).await.unwrap();
        assert_eq!(report.json().member("progress").unwrap().as_str(), Some(&*number.to_string()));
    }
}

#[tokio::test]
async fn other_progress_goes_to_the_handler() {
    type Seen = Arc<Mutex<Vec<Value>>>;
    let seen = Seen::default();
    let handlers = Handlers::new(Arc::clone(&seen)).notification(
        MCP,
        async |context: Context<Seen>, params: Value| {
            context.state().lock().unwrap().push(params["progressToken"].clone());
        },
    );
    let (end, mut wire) = pipe();
    let connection = Options::mcp(Revision::V2025_11_25).start_stream(end, handlers);
    let peer = connection.peer();
    let silent = within(peer.request::<Value, _>("slow", json!({})).send()).await.unwrap();
    assert_eq!(wire.message().await["params"], json!({}));
    let own = json!({ "_meta": { "progressToken": "own" } });
    let request = peer.request::<Value, _>("slow", own.clone()).with_progress();
    let with_own_token = within(request.send()).await.unwrap();
    assert_eq!(wire.message().await["params"], own);
    let (mut listening, _) = listening(peer, &mut wire).await;

    let id = listening.id();
    let token = |id: u64| json!(format!("call-{id}"));
    let others = ["own".into(), id.to_string(), format!("call-0{id}"), format!("call-+{id}")];
    let others = others.into_iter().map(Value::String);
    let tokens = [token(silent.id()), json!(77), json!(id)].into_iter().chain(others);
    let tokens: Vec<Value> = tokens.chain([token(id)]).collect();
    for token in &tokens {
        wire.send_line(report_with(token, 1)).await;
    }
    // This one is late: its call has ended.
    wire.send_line(answer(id)).await;
    wire.send_line(report_of(id, 2)).await;
    until("the handler", || seen.lock().unwrap().len() == tokens.len()).await;
    assert_eq!(*seen.lock().unwrap(), tokens);
    assert_eq!(numbers(&mut listening).await, [1]);
    drop((silent, with_own_token));
}

/// The caller does not read the reports. They still restart its time-out.
#[tokio::test]
async fn progress_restarts_the_time_out() {
    let (connection, mut wire) = mcp(Revision::V2025_11_25);
    let request = connection.peer().request::<Value, _>("slow", json!({}));
    let request = request.with_timeout(20 * SHORT).with_progress();
    let call = tokio::spawn(request.into_future());
    assert_eq!(wire.message().await["id"], 1);
    for number in 1..=8 {
        sleep(3 * SHORT).await;
        wire.send_line(report_of(1, number)).await;
    }
    wire.send_line(answer(1)).await;
    assert_eq!(within(call).await.unwrap().unwrap()["done"], true);
}

#[tokio::test]
async fn progress_does_not_move_the_total_time_out() {
    let (connection, mut wire) = mcp(Revision::V2025_11_25);
    let peer = connection.peer().with_timeout(None);
    let request = || peer.request::<Value, _>("slow", json!({})).with_progress();
    for (request, total) in [
        // The default is ten times the other time-out.
        (request().with_timeout(4 * SHORT), 40 * SHORT),
        (request().with_total_timeout(5 * SHORT), 5 * SHORT),
        (request().with_timeout(50 * SHORT).with_total_timeout(5 * SHORT), 5 * SHORT),
    ] {
        let call = tokio::spawn(request.into_future());
        let id = wire.message().await["id"].as_u64().unwrap();
        let started = Instant::now();
        while !call.is_finished() {
            assert!(started.elapsed() < LONG, "progress moves it");
            wire.send_line(report_of(id, 1)).await;
            sleep(SHORT / 10).await;
        }
        let error = within(call).await.unwrap().unwrap_err();
        let CallError::TimedOut { after, is_total: true, .. } = error else { panic!("{error}") };
        assert_eq!(after, total);
        assert_eq!(error.to_string(), format!("timed out after {total:?} in total"));
        let reason = format!("timed out after {total:?}");
        assert_eq!(wire.message().await["params"]["reason"], reason);
    }
}

/// A report always waits to be read.
#[tokio::test]
async fn a_flood_of_progress_does_not_outlast_the_total_time_out() {
    let (connection, mut wire) = mcp(Revision::V2025_11_25);
    let request = connection.peer().request::<Value, _>("slow", json!({})).with_progress();
    let mut call = within(request.with_total_timeout(5 * SHORT).send()).await.unwrap();
    let id = wire.message().await["id"].as_u64().unwrap();
    let flood = tokio::spawn(async move {
        loop {
            wire.send_line(report_of(id, 1)).await;
        }
    });
    within(async { while call.progress().await.is_some() {} }).await;
    let error = within(call).await.unwrap_err();
    assert!(matches!(error, CallError::TimedOut { .. }), "{error}");
    flood.abort();
}

/// The caller keeps the call, which has ended.
#[tokio::test]
async fn a_call_that_timed_out_frees_its_slot() {
    let (end, mut wire) = pipe();
    let options = Options::mcp(Revision::V2025_11_25).with_max_calls(1);
    let connection = options.start_stream(end, Handlers::new(()));
    let (mut call, _) = listening(&connection.peer().with_timeout(SHORT), &mut wire).await;
    assert!(within(call.progress()).await.is_none());
    assert_eq!(wire.message().await["method"], "notifications/cancelled");
    let next = connection.peer().request::<Value, _>("slow", json!({})).send();
    let next = within(next).await.unwrap();
    drop((call, next));
}

#[tokio::test]
async fn progress_ends_with_the_call() {
    let (connection, mut wire) = mcp(Revision::V2025_11_25);
    let peer = connection.peer();
    // By the time-out, which cancels the call once.
    let short = peer.with_timeout(SHORT);
    let (mut call, _) = listening(&short, &mut wire).await;
    assert!(within(call.progress()).await.is_none());
    assert!(within(call.progress()).await.is_none());
    assert_eq!(peer.pending_calls(), 0);
    let error = within(call).await.unwrap_err();
    let is_idle = matches!(error, CallError::TimedOut { after: SHORT, is_total: false, .. });
    assert!(is_idle && error.to_string().ends_with(" without an answer or progress"), "{error}");
    assert_eq!(wire.message().await["method"], "notifications/cancelled");
    // By the end of the connection.
    let (mut call, _) = listening(peer, &mut wire).await;
    wire.close().await;
    assert!(within(call.progress()).await.is_none());
    let error = within(call).await.unwrap_err();
    assert!(matches!(error, CallError::Closed(Closed::Remote)), "{error}");
}

/// Without progress, there is nothing to wait for.
#[tokio::test]
async fn a_call_that_does_not_listen_has_no_progress() {
    let (end, mut wire) = pipe();
    let connection = Options::json_rpc().start_stream(end, Handlers::new(()));
    let request = connection.peer().request::<Value, _>("slow", json!({}));
    let mut call = within(request.send()).await.unwrap();
    assert!(within(call.progress()).await.is_none());
    // JSON-RPC has no progress, so the request is sent as it is.
    let (_call, params) = {
        wire.message().await;
        listening(connection.peer(), &mut wire).await
    };
    assert_eq!(params, json!({}));
}
