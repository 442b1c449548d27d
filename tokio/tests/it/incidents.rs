//! Incidents: which ones an observer sees, and how they are displayed.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tautline_mcp::Revision;
use tautline_tokio::tautline::frame::{Framing, Splitter};
use tautline_tokio::{Connection, Handlers, Incident, Options, Peer, PendingCall, RpcError};

use crate::support::{Wire, pipe, until, within};

/// The texts of all incidents.
type Log = Arc<Mutex<Vec<String>>>;

/// Starts a connection whose incidents are logged.
fn logged<F>(options: Options<F>, handlers: Handlers<()>) -> (Connection, Wire, Log)
where
    F: Framing + Clone + Send + Unpin + 'static,
{
    let log = Log::default();
    let seen = Arc::clone(&log);
    let options =
        options.with_observer(move |incident| seen.lock().unwrap().push(incident.to_string()));
    let (end, wire) = pipe();
    (options.start_stream(end, handlers), wire, log)
}

fn client() -> (Connection, Wire, Log) {
    logged(Options::mcp(Revision::V2025_11_25), Handlers::new(()))
}

/// Takes the incidents, of which there must be this many.
async fn taken(log: &Log, count: usize) -> Vec<String> {
    until("the incident", || log.lock().unwrap().len() >= count).await;
    std::mem::take(&mut log.lock().unwrap())
}

#[tokio::test]
async fn an_answer_with_a_rewritten_id_completes_its_call() {
    let (connection, mut wire, log) = client();
    for (call, written) in
        [(1, "1.0"), (2, "2e0"), (3, "\"3\""), (4, r#""\u0034""#), (5, "0.5e1"), (6, "6")]
    {
        let pending = connection.peer().request::<Value, _>("a", ()).send();
        let pending = within(pending).await.unwrap();
        assert_eq!(wire.message().await["id"], call);
        let line = format!(r#"{{"jsonrpc":"2.0","id":{written},"result":{{"a":{call}}}}}"#);
        wire.send_line(line).await;
        assert_eq!(within(pending).await.unwrap(), json!({ "a": call }));
        let expected = match written {
            "6" => Vec::new(),
            _ => vec![format!("the answer to call {call} has the id {written}")],
        };
        assert_eq!(taken(&log, expected.len()).await, expected);
    }
}

/// An id that has only a part of the value, or none, identifies no call.
#[tokio::test]
async fn an_unexpected_response_is_displayed_with_its_id() {
    let (connection, mut wire, log) = client();
    let call = connection.peer().request::<Value, _>("a", ()).send();
    let call = within(call).await.unwrap();
    wire.message().await;
    for id in ["7.0", r#""1\u0000""#, "-1"] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        wire.send_line(line).await;
        let expected =
            format!("the peer sent a response with the id {id}, which no pending call has");
        assert_eq!(taken(&log, 1).await, [expected]);
    }
    // The error of the call mentions the last one.
    drop(call);
    wire.message().await;
    let short = connection.peer().with_timeout(Duration::from_millis(100));
    let call = within(short.request::<Value, _>("a", ()).send()).await.unwrap();
    wire.send_line(r#"{"jsonrpc":"2.0","id":"x","result":{}}"#).await;
    let error = within(call).await.unwrap_err().to_string();
    assert!(error.contains(r#"with the id "x","#), "{error}");
}

#[tokio::test]
async fn an_error_without_an_id_is_displayed_with_its_code() {
    let (connection, mut wire, log) = client();
    let short = connection.peer().with_timeout(Duration::from_millis(100));
    let call = within(short.request::<Value, _>("a", ()).send()).await.unwrap();
    wire.send_line(r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"what?"}}"#).await;
    const TEXT: &str = "the peer could not read what was sent: -32700: what?";
    assert_eq!(taken(&log, 1).await, [TEXT]);
    let error = within(call).await.unwrap_err().to_string();
    assert!(error.ends_with(TEXT), "{error}");
}

/// The place of a fault in the stream, and the text around it.
#[tokio::test]
async fn a_fault_has_a_place_and_an_excerpt() {
    type Fault = (u64, u64, u64, Option<String>);
    const NOTE: &str = r#"{"jsonrpc":"2.0","method":"m"}"#;
    let seen = Arc::<Mutex<Vec<Fault>>>::default();
    let log = Arc::clone(&seen);
    let options = Options::mcp(Revision::V2025_03_26).with_framing(Splitter::new(1000));
    let options = options.with_observer(move |incident| {
        let &Incident::Fault { line, offset, length, .. } = incident else { return };
        let excerpt = incident.excerpt().map(|excerpt| excerpt.to_string());
        log.lock().unwrap().push((line, offset, length, excerpt));
    });
    let (end, mut wire) = pipe();
    let _connection = options.start_stream(end, Handlers::new(()));
    wire.send_line("\n{\"jsonrpc\":\"2.0\",\"method\":\"m\"\t7}").await;
    let long = format!(r#"{{"jsonrpc":"1.0","é":"{}","id":4}}"#, "ü".repeat(50));
    wire.send_line(&long).await;
    wire.send_line(format!(r#"{{"jsonrpc":"2.0","id":"a","result":"{}"}}"#, "x".repeat(2000)))
        .await;
    wire.send_line(format!("[{NOTE}, {{\"id\":5,\"method\":\"m\"}}]")).await;
    wire.send(b"{\"a\":\"\xff\x1b\"}\n").await;
    until("the incidents", || seen.lock().unwrap().len() == 5).await;
    let expected: [Fault; 5] = [
        (2, 1, 32, Some(r#"{"jsonrpc":"2.0","method":"m"\t[here]7}"#.to_owned())),
        (3, 34, 132, Some(format!(r#"{{"jsonrpc":[here]"1.0","é":"{}…"#, "ü".repeat(24)))),
        (4, 167, 2038, None),
        (5, 2206, 55, Some(format!("[{NOTE}, [here]{{\"id\":5,\"method\":\"m\"}}]"))),
        (6, 2262, 10, Some(r#"{"a":"[here]\xff\u{1b}"}"#.to_owned())),
    ];
    assert_eq!(*seen.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_fault_is_displayed_with_its_place() {
    let options = Options::mcp(Revision::V2025_11_25).with_framing(Splitter::new(60));
    let (_connection, mut wire, log) = logged(options, Handlers::new(()));
    wire.send_line("{\"id\":8}").await;
    let missing = "frame 1 (8 bytes at byte 0 of the input, id 8) breaks a rule: \
        missing-jsonrpc at byte 0: ";
    let texts = taken(&log, 1).await;
    assert!(texts[0].starts_with(missing), "{texts:?}");
    wire.send_line(format!(r#"{{"jsonrpc":"2.0","id":9,"result":"{}"}}"#, "x".repeat(99))).await;
    let long = "frame 2 (135 bytes at byte 9 of the input, id 9) breaks a rule: \
        frame-too-long: the frame is longer than the limit, and was discarded";
    assert_eq!(taken(&log, 1).await, [long]);
}

async fn listening(peer: &Peer) -> PendingCall<Value> {
    within(peer.request("a", json!({})).with_progress().send()).await.unwrap()
}

/// The peer has sent these before it knew of the end of the call.
#[tokio::test]
async fn late_traffic_of_a_call_is_not_a_fault_of_the_peer() {
    let (connection, mut wire, log) = client();
    let peer = connection.peer();
    let progress = |call: u64| {
        let params = json!({ "progressToken": format!("call-{call}"), "progress": 1 });
        json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params })
    };
    let answer = |call: u64| json!({ "jsonrpc": "2.0", "id": call, "result": {} }).to_string();

    listening(peer).await.cancel("no");
    wire.send_line(progress(1).to_string()).await;
    wire.send_line(answer(1)).await;
    assert_eq!(
        taken(&log, 2).await,
        [
            "progress of call 1 came after the call had ended",
            "the answer to call 1 came after the call was given up"
        ]
    );
    // A second answer is a fault of the peer, and so is one to a call that was answered.
    wire.send_line(answer(1)).await;
    let call = listening(peer).await;
    wire.send_line(answer(2)).await;
    within(call).await.unwrap();
    wire.send_line(progress(2).to_string()).await;
    wire.send_line(answer(2)).await;
    // This call does not exist.
    wire.send_line(progress(3).to_string()).await;
    assert_eq!(
        taken(&log, 4).await,
        [
            "the peer sent a response with the id 1, which no pending call has",
            "progress of call 2 came after the call had ended",
            "the peer sent a response with the id 2, which no pending call has",
            "the notification notifications/progress has no handler",
        ]
    );
    // The memory is bounded: the oldest call is forgotten.
    for _ in 0..257 {
        drop(listening(peer).await);
    }
    for call in [3, 4, 259] {
        wire.send_line(answer(call)).await;
    }
    let texts = taken(&log, 3).await;
    let is_late: Vec<_> = texts.iter().map(|text| text.ends_with("given up")).collect();
    assert_eq!(is_late, [false, true, true], "{texts:?}");
}

#[tokio::test]
async fn incidents_name_the_method() {
    let handlers = Handlers::new(())
        .request("add", async |_, (a, b): (u8, u8)| Ok(a + b))
        .request("bad", async |_, (): ()| Ok("not an object"))
        .request("own", async |_, (): ()| Err::<(), _>(RpcError::invalid_params("no")))
        .request("fail", async |_, (): ()| -> Result<(), RpcError> { panic!("no") })
        .request("fail later", async |_, (): ()| -> Result<(), RpcError> {
            tokio::task::yield_now().await;
            panic!("no")
        })
        .notification("note", async |_, (_,): (u8,)| {})
        .notification("note later", async |_, (): ()| {
            tokio::task::yield_now().await;
            panic!("no")
        });
    let (_connection, mut wire, log) = logged(Options::mcp(Revision::V2025_11_25), handlers);
    let cases = [
        (r#""id":1,"method":"nothing""#, "the request nothing with the id 1 was refused: -32601: "),
        (r#""id":"x","method":"add""#, "the request add with the id \"x\" was refused: -32602: "),
        (r#""id":3,"method":"bad""#, "the answer to the request bad with the id 3: the result is "),
        (r#""id":4,"method":"fail""#, "the handler of fail panicked"),
        (r#""id":5,"method":"fail later""#, "the handler of fail later panicked"),
        (r#""method":"note","params":{}"#, "the params of the notification note: "),
        (r#""method":"note later""#, "the handler of note later panicked"),
        (r#""method":"n\u0000\n""#, r"the notification n\u0000\n has no handler"),
    ];
    for (message, expected) in cases {
        wire.send_line(format!(r#"{{"jsonrpc":"2.0",{message}}}"#)).await;
        let texts = taken(&log, 1).await;
        assert!(texts.len() == 1 && texts[0].starts_with(expected), "{texts:?}");
    }
    // A handler knows of the errors that it returns.
    wire.send_line(r#"{"jsonrpc":"2.0","id":6,"method":"own"}"#).await;
    while wire.message().await["id"] != 6 {}
    assert!(taken(&log, 0).await.is_empty());
}

#[tokio::test]
async fn refusals_for_lack_of_room_are_incidents() {
    let handlers = Handlers::new(()).request("wait", async |_, (): ()| {
        std::future::pending::<()>().await;
        Ok(json!({}))
    });
    let options = Options::mcp(Revision::V2025_11_25)
        .with_max_requests(1)
        .with_shutdown_timeout(Duration::from_millis(100));
    let (connection, mut wire, log) = logged(options, handlers);
    for id in [1, 2] {
        wire.send_line(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"wait"}}"#)).await;
    }
    wire.send_line(r#"{"jsonrpc":"2.0","method":"unknown"}"#).await;
    // The notification waits too, so the close finds both.
    tokio::time::sleep(Duration::from_millis(50)).await;
    connection.peer().close();
    assert_eq!(wire.message().await["error"]["code"], -32000);
    let texts = taken(&log, 1).await;
    let expected = "the request wait with the id 2 was refused: -32000: ";
    assert!(texts[0].starts_with(expected), "{texts:?}");
}
