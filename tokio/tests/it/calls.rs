//! Calls: time-outs, cancellation, back pressure, and ten thousand at once.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tautline_mcp::Revision;
use tautline_tokio::{CallError, Closed, Context, Handlers, LspCancellation, Options, Peer, Raw};
use tokio::time::sleep;

use crate::support::{pipe, pipe_of, until, within};

const SHORT: Duration = Duration::from_millis(50);

#[tokio::test]
async fn params_and_results_of_all_kinds() {
    let (end, mut wire) = pipe();
    let connection = Options::json_rpc().start_stream(end, Handlers::new(()));
    let peer = connection.peer().clone();
    let client = tokio::spawn(async move {
        peer.call::<()>("none", ()).await.unwrap();
        peer.call::<Option<u8>>("none", None::<u8>).await.unwrap();
        let sum: (u8, String) = peer.call("typed", [1, 2]).await.unwrap();
        assert_eq!(sum, (1, "b".to_owned()));
        let raw: Raw = peer.call("raw", Raw::parse("{\"n\":1e999}").unwrap()).await.unwrap();
        assert_eq!(raw.json().as_bytes(), b"[1e999]");
        let error = peer.call::<u8>("string", "not allowed").await.unwrap_err();
        assert!(matches!(error, CallError::NotSent(_)), "{error}");
        peer.notify("note", json!({ "a": 1 })).await.unwrap();
    });
    for (expected, result) in [
        (r#""method":"none"}"#, "null"),
        (r#""method":"none"}"#, "null"),
        (r#""method":"typed","params":[1,2]}"#, "[1,\"b\"]"),
        (r#""method":"raw","params":{"n":1e999}}"#, "[1e999]"),
    ] {
        let line = wire.line().await.unwrap();
        assert!(line.trim_end().ends_with(expected), "{line}");
        let id = line[line.find("\"id\":").unwrap()..].split([':', ',']).nth(1).unwrap().to_owned();
        wire.send_line(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}")).await;
    }
    assert_eq!(
        wire.message().await,
        json!({"jsonrpc": "2.0", "method": "note", "params": {"a": 1}})
    );
    within(client).await.unwrap();
}

#[tokio::test]
async fn a_time_out_frees_the_slot_and_tells_the_peer() {
    let (end, mut wire) = pipe();
    let options = Options::mcp(Revision::V2025_11_25).with_timeout(SHORT).with_max_calls(1);
    let connection = options.start_stream(end, Handlers::new(()));
    let peer = connection.peer();
    for id in 1..=3 {
        let error = within(peer.call::<Value>("slow", json!({}))).await.unwrap_err();
        let CallError::TimedOut { after: SHORT, stray: None, .. } = error else {
            panic!("{error}")
        };
        assert_eq!(peer.pending_calls(), 0);
        assert_eq!(wire.message().await["id"], id);
        let cancelled = json!({
            "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": id, "reason": "timed out after 50ms"},
        });
        assert_eq!(wire.message().await, cancelled);
    }
    // The time-out of one call.
    let call = peer.with_timeout(None);
    let call = tokio::spawn(async move { call.call::<Value>("slow", json!({})).await });
    assert_eq!(wire.message().await["id"], 4);
    sleep(2 * SHORT).await;
    // The late answer to another call changes nothing.
    wire.send_line(r#"{"jsonrpc":"2.0","id":1,"result":{"late":true}}"#).await;
    wire.send_line(r#"{"jsonrpc":"2.0","id":4,"result":{"late":false}}"#).await;
    assert_eq!(within(call).await.unwrap().unwrap(), json!({ "late": false }));
    // MCP forbids cancelling `initialize`.
    let short = peer.with_timeout(SHORT);
    assert!(within(short.call::<Value>("initialize", json!({}))).await.is_err());
    assert_eq!(wire.message().await["method"], "initialize");
    peer.notify("next", json!({})).await.unwrap();
    assert_eq!(wire.message().await["method"], "next");
}

#[tokio::test]
async fn a_dropped_call_is_cancelled() {
    let (end, mut wire) = pipe();
    let connection =
        Options::json_rpc().with_cancellation(LspCancellation).start_stream(end, Handlers::new(()));
    let peer = connection.peer().clone();
    let call = tokio::spawn(async move { peer.call::<Value>("slow", json!({})).await });
    assert_eq!(wire.message().await["id"], 1);
    call.abort();
    let cancel = json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}});
    assert_eq!(wire.message().await, cancel);
    until("the slot is free", || connection.peer().pending_calls() == 0).await;
}

#[tokio::test]
async fn a_request_has_an_id_and_a_time_out_of_its_own() {
    let (end, mut wire) = pipe();
    let connection = Options::json_rpc().with_timeout(SHORT).start_stream(end, Handlers::new(()));
    let peer = connection.peer();
    let call = within(peer.request("slow", [1]).with_timeout(None).send()).await.unwrap();
    let request = json!({"jsonrpc": "2.0", "id": call.id(), "method": "slow", "params": [1]});
    assert_eq!(wire.message().await, request);
    assert_eq!(peer.pending_calls(), 1);
    sleep(2 * SHORT).await;
    wire.send_line(json!({"jsonrpc": "2.0", "id": call.id(), "result": 7}).to_string()).await;
    let result: u8 = within(call).await.unwrap();
    assert_eq!(result, 7);
    let request = peer.with_timeout(None).request::<u8, _>("slow", ()).with_timeout(2 * SHORT);
    let error = within(request.into_future()).await.unwrap_err();
    assert!(matches!(error, CallError::TimedOut { after, .. } if after == 2 * SHORT), "{error}");
}

/// An answer that has arrived is not lost, even if the time-out has expired since.
#[tokio::test]
async fn an_answer_in_time_is_read_later() {
    let (end, mut wire) = pipe();
    let connection =
        Options::json_rpc().with_timeout(2 * SHORT).start_stream(end, Handlers::new(()));
    let call = within(connection.peer().request("slow", ()).send()).await.unwrap();
    wire.send_line(json!({"jsonrpc": "2.0", "id": call.id(), "result": 7}).to_string()).await;
    sleep(4 * SHORT).await;
    let result: u8 = within(call).await.unwrap();
    assert_eq!(result, 7);
}

#[tokio::test]
async fn a_call_is_cancelled_with_a_reason() {
    let cancelled = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 1, "reason": "no \"longer\" wanted"}});
    let cancel = json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}});
    let lsp = Options::json_rpc().with_cancellation(LspCancellation);
    for (options, expected) in [(Options::mcp(Revision::V2025_11_25), cancelled), (lsp, cancel)] {
        let (end, mut wire) = pipe();
        let connection = options.with_max_calls(1).start_stream(end, Handlers::new(()));
        let peer = connection.peer();
        let call = within(peer.request::<Value, _>("slow", json!({})).send()).await.unwrap();
        assert_eq!(wire.message().await["id"], 1);
        call.cancel("no \"longer\" wanted");
        assert_eq!(peer.pending_calls(), 0);
        assert_eq!(wire.message().await, expected);
        // The slot is free again, and a call that is dropped has no reason.
        drop(within(peer.request::<Value, _>("slow", json!({})).send()).await.unwrap());
        assert_eq!(wire.message().await["id"], 2);
        assert_eq!(wire.message().await["params"].as_object().unwrap().len(), 1);
    }
}

/// A request that was not sent needs no cancellation.
#[tokio::test]
async fn a_request_that_waits_for_a_slot_times_out_unsent() {
    let (end, mut wire) = pipe();
    let options = Options::mcp(Revision::V2025_11_25).with_max_calls(1);
    let connection = options.start_stream(end, Handlers::new(()));
    let peer = connection.peer();
    let first = within(peer.request::<Value, _>("first", json!({})).send()).await.unwrap();
    let second = peer.request::<Value, _>("second", json!({})).with_timeout(SHORT);
    let error = within(second.send()).await.unwrap_err();
    assert!(matches!(error, CallError::TimedOut { after: SHORT, .. }), "{error}");
    peer.notify("note", json!({})).await.unwrap();
    for method in ["first", "note"] {
        assert_eq!(wire.message().await["method"], method);
    }
    drop(first);
}

/// A peer that does not read slows callers, and the queue does not grow.
#[tokio::test]
async fn a_peer_that_does_not_read() {
    let (end, mut wire) = pipe_of(1000);
    let options = Options::json_rpc().with_max_unsent(5000).with_timeout(None);
    let connection = options.start_stream(end, Handlers::new(()));
    let sent = Arc::new(AtomicUsize::new(0));
    let senders = (0..100).map(|sender| {
        let (peer, sent) = (connection.peer().clone(), Arc::clone(&sent));
        tokio::spawn(async move {
            for number in 0..10 {
                peer.notify("note", json!([sender, number, "x".repeat(100)])).await.unwrap();
                sent.fetch_add(1, Ordering::Relaxed);
            }
        })
    });
    let senders: Vec<_> = senders.collect();
    sleep(4 * SHORT).await;
    let accepted = sent.load(Ordering::Relaxed);
    assert!((30..60).contains(&accepted), "{accepted}");
    assert!(connection.peer().unsent_bytes() < 5000 + 200, "{:?}", connection.peer());
    // Notifications and calls give up after their time-out.
    let short = connection.peer().with_timeout(SHORT);
    let error = within(short.notify("note", ())).await.unwrap_err();
    assert!(matches!(error, CallError::TimedOut { .. }), "{error}");
    let error = within(short.call::<Value>("call", ())).await.unwrap_err();
    assert!(matches!(error, CallError::TimedOut { .. }), "{error}");

    // When it reads again, everything arrives, in the order of each sender.
    let mut next = [0; 100];
    for _ in 0..1000 {
        let params = wire.message().await["params"].clone();
        let sender = usize::try_from(params[0].as_u64().unwrap()).unwrap();
        assert_eq!(params[1], next[sender]);
        next[sender] += 1;
    }
    for sender in senders {
        within(sender).await.unwrap();
    }
    until("the queue is empty", || connection.peer().unsent_bytes() == 0).await;
}

/// A generator of pseudorandom numbers (xorshift).
fn random(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 16) % below
    }
}

#[derive(Default)]
struct Load {
    running: AtomicUsize,
    most: AtomicUsize,
    finished: Mutex<HashSet<u64>>,
}

/// Counts down even if the handler is dropped.
struct Running<'a>(&'a AtomicUsize);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

async fn work(context: Context<Load>, number: u64) -> Result<u64, tautline_tokio::RpcError> {
    let load = context.state();
    let running = load.running.fetch_add(1, Ordering::SeqCst) + 1;
    let _running = Running(&load.running);
    load.most.fetch_max(running, Ordering::SeqCst);
    let mut random = random(number);
    match random(4) {
        0 => {}
        1 => tokio::task::yield_now().await,
        _ => sleep(Duration::from_millis(random(20))).await,
    }
    assert!(load.finished.lock().unwrap().insert(number), "{number} was handled twice");
    Ok(number * 2)
}

/// Each call gets its own answer, or ends when its caller gives up. In the end, no call is pending.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_calls_at_once() {
    const CALLS: u64 = 10_000;
    let (ours, theirs) = tokio::io::duplex(4096);
    let handlers = Handlers::new(Load::default())
        .request("work", async |context, (number,): (u64,)| work(context, number).await)
        .request("most", async |context: Context<Load>, (): ()| {
            Ok(context.state().most.load(Ordering::SeqCst))
        });
    let options = || Options::json_rpc().with_cancellation(LspCancellation);
    let server = options().with_max_requests(100).start_stream(theirs, handlers);
    let options = options().with_max_unsent(10_000).with_max_calls(500);
    let client = options.start_stream(ours, Handlers::new(()));
    let (watched, peak) = (client.peer().clone(), Arc::new(Mutex::new((0, 0))));
    let watcher = tokio::spawn({
        let peak = Arc::clone(&peak);
        async move {
            loop {
                let now = (watched.pending_calls(), watched.unsent_bytes());
                {
                    let mut peak = peak.lock().unwrap();
                    *peak = (peak.0.max(now.0), peak.1.max(now.1));
                }
                sleep(Duration::from_millis(1)).await;
            }
        }
    });
    let calls = (0..CALLS).map(|number| {
        let peer = client.peer().clone();
        tokio::spawn(async move { one_call(&peer, number).await })
    });
    let calls: Vec<_> = calls.collect();
    let (mut answered, mut ended) = (0, 0);
    for call in calls {
        match within(call).await.unwrap() {
            End::Answered => answered += 1,
            End::GivenUp => ended += 1,
        }
    }
    assert_eq!(answered + ended, CALLS);
    assert!(answered > CALLS / 2 && ended > CALLS / 20, "{answered} {ended}");
    watcher.abort();
    let (calls, bytes) = *peak.lock().unwrap();
    // Cancellations do not wait: there can be one for each call in flight.
    assert!(calls <= 500 && bytes <= 10_100 + 500 * 80, "{calls} calls, {bytes} bytes");
    let most: usize = within(client.peer().call("most", ())).await.unwrap();
    assert!((2..=100).contains(&most), "{most} handlers at once");
    for peer in [client.peer(), server.peer()] {
        until("all is done", || peer.pending_calls() == 0 && peer.unsent_bytes() == 0).await;
    }
    assert!(matches!(within(client.close()).await, Closed::Local));
    assert!(matches!(within(server.wait()).await, Closed::Remote));
}

#[derive(Debug, PartialEq)]
enum End {
    Answered,
    GivenUp,
}

async fn one_call(peer: &Peer, number: u64) -> End {
    let mut random = random(number + 77_777);
    let call = async |peer: &Peer| peer.call::<u64>("work", [number]).await;
    let outcome = match random(10) {
        // The caller drops the call.
        0 => match tokio::time::timeout(Duration::from_millis(random(300)), call(peer)).await {
            Ok(outcome) => outcome,
            Err(_) => return End::GivenUp,
        },
        1 => call(&peer.with_timeout(Duration::from_millis(random(300)))).await,
        _ => call(peer).await,
    };
    match outcome {
        Ok(result) => {
            assert_eq!(result, number * 2);
            End::Answered
        }
        Err(CallError::TimedOut { .. }) => End::GivenUp,
        Err(error) => panic!("{number}: {error}"),
    }
}

#[tokio::test]
async fn a_call_that_the_transport_fails_ends_alone() {
    let (end, mut wire) = pipe();
    let connection = Options::mcp(Revision::V2025_11_25).start_stream(end, Handlers::new(()));
    let peer = connection.peer();
    let failed = peer.request::<Value, _>("failed", json!({})).send().await.unwrap();
    let answered = peer.request::<Value, _>("answered", json!({})).send().await.unwrap();
    assert_eq!(wire.message().await["id"], failed.id());
    assert_eq!(wire.message().await["id"], answered.id());

    assert!(peer.fail_call(failed.id(), "the proxy is gone"));
    assert!(!peer.fail_call(failed.id(), "twice"), "it has ended");
    assert!(!peer.fail_call(77, "an id that no call has"));
    assert_eq!(peer.pending_calls(), 1);
    let id = failed.id();
    let error = within(failed).await.unwrap_err();
    assert_eq!(error.to_string(), "the transport has failed: the proxy is gone");
    assert!(std::error::Error::source(&error).is_some());

    // A late answer changes nothing, and the peer is not notified.
    wire.send_line(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)).await;
    let id = answered.id();
    wire.send_line(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"a":1}}}}"#)).await;
    assert_eq!(within(answered).await.unwrap(), json!({ "a": 1 }));
    peer.notify("notifications/roots/list_changed", ()).await.unwrap();
    assert_eq!(wire.message().await["method"], "notifications/roots/list_changed");
}
