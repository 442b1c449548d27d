//! Handlers: every request is answered once, in the form that the profile demands, whatever its handler does.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tautline::frame::{ContentLength, Splitter};
use tautline::{ErrorCode, Profile};
use tautline_mcp::Revision;
use tautline_tokio::{
    Connection, Context, Handlers, Incident, McpCancellation, Options, Raw, RpcError,
};
use tokio::sync::Notify;
use tokio::time::sleep;

use crate::support::{Wire, pipe, pipe_of, until, within};

const SHORT: Duration = Duration::from_millis(50);

/// The state that the handlers of the tests share.
#[derive(Default)]
struct State {
    running: AtomicUsize,
    most: AtomicUsize,
    log: Mutex<Vec<String>>,
    go: Notify,
}

impl State {
    fn log(&self, text: impl Into<String>) {
        self.log.lock().unwrap().push(text.into());
    }
}

type Shared = Arc<State>;

/// Counts the running handlers, even if they are dropped.
struct Running<'a>(&'a State);

impl<'a> Running<'a> {
    fn new(state: &'a State) -> Self {
        let running = state.running.fetch_add(1, Ordering::SeqCst) + 1;
        state.most.fetch_max(running, Ordering::SeqCst);
        Self(state)
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

fn handlers(state: &Shared) -> Handlers<Shared> {
    Handlers::new(Arc::clone(state))
        .request("add", async |_, (a, b): (i64, i64)| Ok(a + b))
        .request("raw", async |_, params: Raw| Ok(params))
        .request("fail", async |_, (): ()| {
            Err::<(), _>(RpcError::new(ErrorCode::new(7), "seven").with_data([1, 2]))
        })
        .request("panic", async |_, (): ()| -> Result<(), RpcError> { panic!("as it should") })
        .request("panic_later", async |_, (): ()| -> Result<(), RpcError> {
            tokio::task::yield_now().await;
            panic!("as it should")
        })
        .request("not_finite", async |_, (): ()| Ok(std::collections::HashMap::from([((1, 2), 3)])))
        .request("wait", async |context: Context<Shared>, (): ()| {
            let _running = Running::new(context.state());
            context.state().go.notified().await;
            Ok(json!({ "waited": true }))
        })
        .request("sleep", async |context: Context<Shared>, (): ()| {
            let _running = Running::new(context.state());
            sleep(SHORT / 10).await;
            Ok(json!({}))
        })
        .request("call_back", async |context: Context<Shared>, (): ()| {
            Ok(context.peer().call::<Value>("back", [1]).await?)
        })
        .notification("log", async |context: Context<Shared>, (text, wait): (String, u64)| {
            context.state().log(format!("begin {text}"));
            if wait > 0 {
                sleep(Duration::from_millis(wait)).await;
            }
            context.state().log(format!("end {text}"));
        })
        .notification("panic", async |_, (): ()| panic!("as it should"))
}

fn start(options: Options) -> (Connection, Wire, Shared) {
    let state = Shared::default();
    let (end, wire) = pipe();
    (options.start_stream(end, handlers(&state)), wire, state)
}

fn request(id: u32, method: &str, params: &Value) -> String {
    match params {
        Value::Null => json!({"jsonrpc": "2.0", "id": id, "method": method}),
        params => json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}),
    }
    .to_string()
}

#[tokio::test]
async fn each_request_gets_its_answer() {
    let (_connection, mut wire, _) = start(Options::json_rpc());
    let internal = json!({"code": -32603, "message": "Internal error"});
    for (method, params, expected) in [
        ("add", json!([40, 2]), json!({"result": 42})),
        ("raw", json!({"a": [1]}), json!({"result": {"a": [1]}})),
        ("raw", Value::Null, json!({"result": null})),
        ("fail", Value::Null, json!({"error": {"code": 7, "message": "seven", "data": [1, 2]}})),
        ("fail", json!({}), json!({"error": {"code": -32602}})),
        ("add", json!(["40", 2]), json!({"error": {"code": -32602}})),
        ("add", Value::Null, json!({"error": {"code": -32602}})),
        ("nothing", Value::Null, json!({"error": {"code": -32601, "message": "Method not found"}})),
        // The method of a notification can't be requested.
        ("log", json!(["a", 0]), json!({"error": {"code": -32601}})),
        ("panic", Value::Null, json!({"error": internal})),
        ("panic_later", Value::Null, json!({"error": internal})),
        ("not_finite", Value::Null, json!({"error": internal})),
        ("add", json!([1, 1]), json!({"result": 2})),
    ] {
        wire.send_line(request(5, method, &params)).await;
        let mut answer = wire.message().await;
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(5)));
        if let Some(error) = answer.get_mut("error").and_then(Value::as_object_mut)
            && expected["error"].get("message").is_none()
        {
            error.retain(|name, _| name == "code");
        }
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(answer[name], *value, "{method} {params}");
        }
    }
}

/// Ids are repeated byte for byte, and invalid frames get the replies of the core.
#[tokio::test]
async fn ids_and_faults() {
    let (_connection, mut wire, state) =
        start(Options::new(&Profile::JSON_RPC, Splitter::new(500)));
    for (line, expected) in [
        (
            r#"{"jsonrpc":"2.0","id":"\u0061","method":"raw"}"#,
            r#"{"jsonrpc":"2.0","id":"\u0061","result":null}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1.50,"method":"raw"}"#,
            r#"{"jsonrpc":"2.0","id":1.50,"result":null}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":null,"method":"raw"}"#,
            r#"{"jsonrpc":"2.0","id":null,"result":null}"#,
        ),
        ("what", r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#),
        (
            r#"{"jsonrpc":"2.0","id":8,"method":1}"#,
            r#"{"jsonrpc":"2.0","id":8,"error":{"code":-32600,"message":"Invalid Request"}}"#,
        ),
        (
            &format!(
                r#"{{"jsonrpc":"2.0","params":["{}"],"id":9,"method":"raw"}}"#,
                "x".repeat(999)
            ),
            r#"{"jsonrpc":"2.0","id":9,"error":{"code":-32600,"message":"Invalid Request"}}"#,
        ),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]},{"jsonrpc":"2.0","method":"log","params":["x",0]},7]"#,
            r#"[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}},{"jsonrpc":"2.0","id":1,"result":3}]"#,
        ),
        (
            r#"[{"jsonrpc":"2.0","id":1,"method":"sleep"},{"jsonrpc":"2.0","id":2,"method":"raw"}]"#,
            r#"[{"jsonrpc":"2.0","id":2,"result":null},{"jsonrpc":"2.0","id":1,"result":{}}]"#,
        ),
    ] {
        // These must not be answered.
        wire.send_line(r#"{"jsonrpc":"2.0","method":7}"#.replace('7', "\"no\"")).await;
        wire.send_line(r#"[{"jsonrpc":"2.0","method":"no"}]"#).await;
        wire.send_line(r#"{"jsonrpc":"2.0","id":1,"result":1,"error":1}"#).await;
        wire.send_line(line).await;
        let answer = wire.line().await.unwrap();
        let sorted = |text: &str| {
            let mut text: Vec<_> = text.trim_end().split("},{").map(str::to_owned).collect();
            if text.len() > 1 {
                text.iter_mut().for_each(|part| part.retain(|c| !"[]{}".contains(c)));
                text.sort();
            }
            text
        };
        assert_eq!(sorted(&answer), sorted(expected));
    }
    assert_eq!(*state.log.lock().unwrap(), ["begin x", "end x"]);
}

#[tokio::test]
async fn handlers_run_at_once_up_to_the_limit() {
    let (_connection, mut wire, state) = start(Options::json_rpc().with_max_requests(4));
    for id in 1..=50 {
        wire.send_line(request(id, "sleep", &Value::Null)).await;
    }
    let mut ids: Vec<_> = Vec::new();
    for _ in 0..50 {
        ids.push(wire.message().await["id"].as_u64().unwrap());
    }
    ids.sort_unstable();
    assert!(ids.into_iter().eq(1..=50));
    assert_eq!(state.most.load(Ordering::SeqCst), 4);
}

/// Notifications are handled one after the other, and later messages wait for them.
#[tokio::test]
async fn notifications_keep_their_order() {
    let (_connection, mut wire, state) = start(Options::json_rpc());
    for (name, wait) in [("a", 20), ("b", 0), ("c", 10)] {
        let params = json!([name, wait]);
        let note = json!({"jsonrpc": "2.0", "method": "log", "params": params});
        wire.send_line(note.to_string()).await;
    }
    // A panic, params that do not fit, and an unknown method change nothing.
    wire.send_line(r#"{"jsonrpc":"2.0","method":"panic"}"#).await;
    wire.send_line(r#"{"jsonrpc":"2.0","method":"log","params":{}}"#).await;
    wire.send_line(r#"{"jsonrpc":"2.0","method":"unknown"}"#).await;
    wire.send_line(request(1, "add", &json!([1, 1]))).await;
    assert_eq!(wire.message().await["result"], 2);
    let expected = ["begin a", "end a", "begin b", "end b", "begin c", "end c"];
    assert_eq!(*state.log.lock().unwrap(), expected);
}

/// Handlers that wait for answers get them, even if more requests come before the answers than may wait.
#[tokio::test]
async fn calling_back_is_never_stuck() {
    let options = Options::json_rpc().with_max_requests(2).with_max_backlog(3);
    let (_connection, mut wire, _) = start(options);
    wire.send_line(request(1, "call_back", &Value::Null)).await;
    wire.send_line(request(2, "call_back", &Value::Null)).await;
    let calls = [wire.message().await, wire.message().await];
    for id in 3..=9 {
        wire.send_line(request(id, "add", &json!([1, 1]))).await;
    }
    for call in calls {
        assert_eq!((&call["method"], &call["params"]), (&json!("back"), &json!([1])));
        let answer = json!({"jsonrpc": "2.0", "id": call["id"], "result": "there"});
        wire.send_line(answer.to_string()).await;
    }
    let (mut results, mut refused) = (Vec::new(), Vec::new());
    for _ in 1..=9 {
        let answer = wire.message().await;
        let id = answer["id"].as_u64().unwrap();
        match answer["error"]["code"].as_i64() {
            None => results.push(id),
            Some(code) => {
                assert_eq!(code, -32000);
                refused.push(id);
            }
        }
    }
    results.sort_unstable();
    assert_eq!((results, refused), (vec![1, 2, 3, 4, 5], vec![6, 7, 8, 9]));
}

/// A batch may contain more requests than the limit on waiting ones.
#[tokio::test]
async fn a_large_batch_is_answered_whole() {
    let options = Options::json_rpc().with_max_requests(2).with_max_backlog(3);
    let (_connection, mut wire, state) = start(options);
    let batch: Vec<_> = (1..=100).map(|id| request(id, "sleep", &Value::Null)).collect();
    wire.send_line(format!("[{}]", batch.join(","))).await;
    let answers = wire.message().await;
    assert!(answers.as_array().unwrap().iter().all(|answer| answer["result"] == json!({})));
    assert_eq!((answers.as_array().unwrap().len(), state.most.load(Ordering::SeqCst)), (100, 2));
}

/// If this side makes no calls, the connection stops reading, and nothing is lost.
#[tokio::test]
async fn a_full_backlog_stops_the_sender() {
    let (end, mut wire) = pipe_of(200);
    let state = Shared::default();
    let options = Options::json_rpc().with_max_requests(1).with_max_backlog(2);
    let _connection = options.start_stream(end, handlers(&state));
    for id in 1..=3 {
        wire.send_line(request(id, "wait", &Value::Null)).await;
    }
    let flood = async {
        for id in 4..=500 {
            wire.send_line(request(id, "add", &json!([1, 1]))).await;
        }
    };
    assert!(tokio::time::timeout(4 * SHORT, flood).await.is_err(), "it reads without a limit");
    for _ in 0..3 {
        state.go.notify_one();
        assert_eq!(wire.message().await["result"]["waited"], true);
    }
}

#[tokio::test]
async fn the_peer_cancels_a_request() {
    // LSP answers, and MCP does not.
    let options = Options::mcp(Revision::V2025_11_25).with_max_requests(1);
    let (_connection, mut wire, state) = start(options);
    let cancel = |id: u32| json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
    wire.send_line(request(1, "wait", &Value::Null)).await;
    wire.send_line(request(2, "wait", &Value::Null)).await;
    until("it runs", || state.running.load(Ordering::SeqCst) == 1).await;
    // A request that waits, one that runs, and one that does not exist.
    for id in [2, 1, 77] {
        wire.send_line(cancel(id).to_string()).await;
    }
    until("it was dropped", || state.running.load(Ordering::SeqCst) == 0).await;
    wire.send_line(request(3, "sleep", &Value::Null)).await;
    assert_eq!(wire.message().await["id"], 3);

    let (end, mut wire) = pipe();
    let options = Options::lsp().with_max_requests(1);
    let _connection = options.start_stream(end, handlers(&state));
    for body in [
        request(1, "wait", &Value::Null),
        json!({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 1}}).to_string(),
    ] {
        wire.send(format!("Content-Length: {}\r\n\r\n{body}", body.len())).await;
    }
    let body = br#"{"jsonrpc":"2.0","id":1,"error":{"code":-32800,"message":"The request was cancelled"}}"#;
    let expected = [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat();
    assert_eq!(wire.bytes(expected.len()).await, expected);
}

#[tokio::test]
async fn framing_by_content_length() {
    let (ours, theirs) = tokio::io::duplex(100);
    let state = Shared::default();
    let options = || Options::new(&Profile::JSON_RPC, ContentLength::new(10_000));
    let server = options().start_stream(theirs, handlers(&state));
    let client = options()
        .start_stream(ours, Handlers::new(()).request("back", async |_, (n,): (i32,)| Ok(n + 1)));
    let text = "two\nlines\r\n".repeat(100);
    let echo: Vec<String> = within(client.peer().call("raw", [&text])).await.unwrap();
    assert_eq!(echo, [text]);
    assert_eq!(within(client.peer().call::<i32>("call_back", ())).await.unwrap(), 2);
    drop(server);
}

/// The rules for results apply to handlers too.
#[tokio::test]
async fn a_result_that_the_rules_forbid() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let options = Options::mcp(Revision::V2025_11_25)
        .with_cancellation(McpCancellation)
        .with_observer(move |event| log.lock().unwrap().push(event.to_string()));
    let (_connection, mut wire, _) = start(options);
    wire.send_line("log line").await;
    wire.send_line(request(1, "add", &json!({}))).await;
    assert_eq!(wire.message().await["error"]["code"], -32602);
    wire.send_line(request(2, "raw", &Value::Null)).await;
    assert_eq!(wire.message().await["error"]["code"], -32603);
    assert_eq!(seen.lock().unwrap().len(), 3, "{seen:?}");
}

/// The observer hears of each, whether the handler has waited or not.
#[tokio::test]
async fn panics_of_handlers_are_incidents() {
    let count = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&count);
    let options = Options::json_rpc().with_observer(move |incident| {
        seen.fetch_add(
            usize::from(matches!(incident, Incident::Panicked { .. })),
            Ordering::Relaxed,
        );
    });
    let (_connection, mut wire, _) = start(options);
    for (method, panics) in [("panic", 1), ("panic_later", 2)] {
        wire.send_line(request(panics, method, &Value::Null)).await;
        assert_eq!(wire.message().await["error"]["code"], -32603);
        until("the incident", || count.load(Ordering::Relaxed) == panics as usize).await;
    }
    wire.send_line(json!({"jsonrpc": "2.0", "method": "panic"}).to_string()).await;
    until("the incident", || count.load(Ordering::Relaxed) == 3).await;
}
