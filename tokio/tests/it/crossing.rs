//! Two peers that both call each other, with more calls than their queues hold.

use std::time::Duration;

use serde_json::{Value, json};
use tautline_mcp::Revision;
use tautline_tokio::{CallError, Connection, Handlers, Options};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::task::JoinSet;

const PATIENCE: Duration = Duration::from_secs(20);

struct Storm {
    calls: usize,
    /// The length of the text in each call, in bytes.
    size: usize,
    /// The capacity of the pipe in each direction, in bytes.
    pipe: usize,
    options: fn() -> Options,
    /// True if both sides call. Otherwise one side calls, and the handlers of the other call back.
    both: bool,
}

fn peer(pipe: DuplexStream, options: Options) -> Connection {
    let handlers = Handlers::new(())
        .request("echo", async |_, value: Value| Ok(value))
        .request("back", async |context, value: Value| {
            Ok(context.peer().call::<Value>("echo", value).await?)
        });
    options.with_timeout(PATIENCE).start_stream(pipe, handlers)
}

/// Calls, and requires that every call ends before the time-out, with its answer or as refused.
async fn rages(storm: Storm) {
    let (left, right) = tokio::io::duplex(storm.pipe);
    let connections = [peer(left, (storm.options)()), peer(right, (storm.options)())];
    let callers = if storm.both { 2 } else { 1 };
    let mut calls = JoinSet::new();
    for number in 0..storm.calls {
        for connection in &connections[..callers] {
            let peer = connection.peer().clone();
            let method = if storm.both { "echo" } else { "back" };
            let params = json!([number, "x".repeat(storm.size)]);
            calls.spawn(async move {
                match peer.call::<Value>(method, &params).await {
                    Ok(answer) => assert_eq!(answer, params),
                    Err(CallError::Peer(error)) => assert_eq!(error.code().value(), -32000),
                    Err(other) => panic!("{number}: {other}"),
                }
            });
        }
    }
    while let Some(ended) = calls.join_next().await {
        ended.unwrap();
    }
    for connection in &connections {
        let answer: Value = connection.peer().call("echo", json!([1])).await.unwrap();
        assert_eq!(answer, json!([1]));
        assert_eq!((connection.peer().pending_calls(), connection.peer().unsent_bytes()), (0, 0));
    }
}

fn tiny() -> Options {
    Options::json_rpc().with_max_unsent(1).with_max_backlog(1).with_max_requests(1)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tiny_queues() {
    rages(Storm { calls: 8, size: 10, pipe: 64, options: tiny, both: true }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn usual_queues_and_large_messages() {
    let options = Options::json_rpc;
    rages(Storm { calls: 1024, size: 60_000, pipe: 65536, options, both: true }).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn handlers_that_call_back() {
    rages(Storm { calls: 100, size: 10, pipe: 64, options: tiny, both: false }).await;
}

/// MCP does not allow clients to cancel `initialize` (basic/utilities/cancellation), so it is answered.
#[tokio::test]
async fn initialize_cannot_be_cancelled() {
    let (near, far) = tokio::io::duplex(1 << 16);
    let handlers = Handlers::new(()).request("initialize", async |_, _: Value| {
        tokio::time::sleep(Duration::from_millis(50)).await;
        Ok(json!({}))
    });
    let _connection = Options::mcp(Revision::V2025_11_25).start_stream(near, handlers);
    let (input, mut output) = tokio::io::split(far);
    let lines = concat!(
        r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#,
        "\n",
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        "\n",
    );
    output.write_all(lines.as_bytes()).await.unwrap();
    let mut answer = String::new();
    let mut input = BufReader::new(input);
    let read = input.read_line(&mut answer);
    tokio::time::timeout(PATIENCE, read).await.expect("no answer").unwrap();
    assert_eq!(answer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
}
