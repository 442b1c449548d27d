//! The end of a connection: handlers finish, everything is sent, calls fail, and the reason is reported.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context as Task, Poll};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tautline_tokio::{CallError, Closed, Connection, Context, Handlers, Options};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::sleep;

use crate::support::{Wire, pipe, pipe_of, until, within};

const SHORT: Duration = Duration::from_millis(50);

type State = Arc<AtomicBool>;

/// Records that it was dropped.
struct Dropped(State);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

fn handlers(dropped: &State) -> Handlers<State> {
    Handlers::new(Arc::clone(dropped))
        .request("slow", async |_, (): ()| {
            sleep(SHORT).await;
            Ok("done")
        })
        .request("forever", async |context: Context<State>, (): ()| {
            let _dropped = Dropped(Arc::clone(context.state()));
            std::future::pending::<()>().await;
            Ok(())
        })
        .request("ask", async |context: Context<State>, (): ()| {
            Ok(context.peer().call::<Value>("question", ()).await?)
        })
        .request("close", async |context: Context<State>, (): ()| {
            context.peer().close();
            Ok("closing")
        })
}

fn start(options: Options) -> (Connection, Wire, State) {
    let dropped = State::default();
    let (end, wire) = pipe();
    (options.start_stream(end, handlers(&dropped)), wire, dropped)
}

async fn send(wire: &mut Wire, id: u32, method: &str) {
    wire.send_line(json!({"jsonrpc": "2.0", "id": id, "method": method}).to_string()).await;
}

#[tokio::test]
async fn running_handlers_finish_and_new_ones_do_not_begin() {
    let (connection, mut wire, _) = start(Options::json_rpc().with_max_requests(2));
    send(&mut wire, 1, "ask").await;
    send(&mut wire, 2, "ask").await;
    let questions = [wire.message().await, wire.message().await];
    send(&mut wire, 3, "slow").await;
    sleep(SHORT / 10).await;
    connection.peer().close();
    assert_eq!(wire.message().await["error"]["code"], -32000, "3 had not begun");
    send(&mut wire, 4, "slow").await;
    assert_eq!(wire.message().await["error"]["code"], -32000, "4 comes too late");
    // Handlers still get the answers to their calls.
    for question in questions {
        let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": 42});
        wire.send_line(answer.to_string()).await;
        assert_eq!(wire.message().await["result"], 42);
    }
    assert_eq!(wire.line().await, None);
    assert!(matches!(within(connection.wait()).await, Closed::Local));
    // It stays ended.
    let error = connection.peer().notify("late", ()).await.unwrap_err();
    assert!(matches!(error, CallError::Closed(Closed::Local)), "{error}");
}

#[tokio::test]
async fn a_handler_that_does_not_finish_is_dropped_and_answered() {
    let options = Options::json_rpc().with_shutdown_timeout(SHORT);
    let (connection, mut wire, dropped) = start(options);
    send(&mut wire, 1, "forever").await;
    send(&mut wire, 2, "close").await;
    assert_eq!(wire.message().await["result"], "closing");
    assert_eq!(wire.message().await["error"]["code"], -32603);
    assert_eq!(wire.line().await, None);
    assert!(dropped.load(Ordering::SeqCst));
    assert!(matches!(within(connection.close()).await, Closed::Local));
}

/// As for `printf … | server`: the input ends before the answers are written.
#[tokio::test]
async fn requests_before_the_end_of_the_input_are_answered() {
    let (connection, mut wire, _) = start(Options::json_rpc().with_max_requests(1));
    for id in 1..=3 {
        send(&mut wire, id, "slow").await;
    }
    wire.close().await;
    for id in 1..=3 {
        assert_eq!(wire.message().await["id"], id);
    }
    assert_eq!(wire.line().await, None);
    assert!(matches!(within(connection.wait()).await, Closed::Remote));
}

#[tokio::test]
async fn a_dropped_connection_ends_at_once() {
    let (connection, mut wire, dropped) = start(Options::json_rpc());
    let peer = connection.peer().clone();
    send(&mut wire, 1, "forever").await;
    let call = tokio::spawn(async move { peer.call::<Value>("a", ()).await });
    wire.message().await;
    let peer = connection.peer().clone();
    drop(connection);
    let error = within(call).await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Closed(Closed::Local)), "{error}");
    until("it was dropped", || dropped.load(Ordering::SeqCst)).await;
    assert!(matches!(within(peer.closed()).await, Closed::Local));
}

/// The queue is sent before the connection is closed, within the time-out.
#[tokio::test]
async fn what_is_queued_is_sent_within_a_time() {
    for reads in [true, false] {
        let (end, mut wire) = pipe_of(100);
        let options = Options::json_rpc().with_shutdown_timeout(2 * SHORT);
        let connection = options.start_stream(end, Handlers::new(()));
        let text = "x".repeat(100_000);
        connection.peer().notify("a", [&text]).await.unwrap();
        let begun = Instant::now();
        if reads {
            let close = connection.close();
            let (reason, message) = within(async { tokio::join!(close, wire.message()) }).await;
            assert_eq!(message["params"][0], *text);
            assert!(matches!(reason, Closed::Local));
        } else {
            within(connection.close()).await;
            assert!((2 * SHORT..200 * SHORT).contains(&begun.elapsed()), "{:?}", begun.elapsed());
        }
    }
}

/// A reader or a writer that fails.
struct Failing;

impl AsyncRead for Failing {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Task<'_>,
        _: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()))
    }
}

impl AsyncWrite for Failing {
    fn poll_write(self: Pin<&mut Self>, _: &mut Task<'_>, _: &[u8]) -> Poll<io::Result<usize>> {
        Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Task<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Task<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[tokio::test]
async fn the_reason_is_told() {
    let connection = Options::json_rpc().start(Failing, tokio::io::sink(), Handlers::new(()));
    let reason = within(connection.wait()).await;
    assert!(
        matches!(&reason, Closed::Read(error) if error.kind() == io::ErrorKind::ConnectionReset)
    );

    let (ours, _theirs) = tokio::io::duplex(100);
    let connection = Options::json_rpc().start(ours, Failing, Handlers::new(()));
    let error = within(connection.peer().call::<Value>("a", ())).await.unwrap_err();
    assert!(matches!(error, CallError::Closed(Closed::Write(_))), "{error}");
    let reason = within(connection.wait()).await;
    assert!(matches!(&reason, Closed::Write(error) if error.kind() == io::ErrorKind::BrokenPipe));

    // After garbage instead of a header, no message can be found.
    let (end, mut wire) = pipe();
    let connection = Options::lsp().start_stream(end, Handlers::new(()));
    let peer = connection.peer().clone();
    let call = tokio::spawn(async move { peer.call::<Value>("a", ()).await });
    wire.send("garbage\r\n\r\n").await;
    let error = within(call).await.unwrap().unwrap_err();
    assert!(matches!(error, CallError::Closed(Closed::Desynchronised(_))), "{error}");
    assert!(matches!(within(connection.wait()).await, Closed::Desynchronised(_)));
}

/// An answer received before a write failed is not lost.
#[tokio::test]
async fn answers_received_before_a_write_error_count() {
    let answer = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"in time\"}\n";
    let (ours, mut theirs) = tokio::io::duplex(1000);
    tokio::io::AsyncWriteExt::write_all(&mut theirs, answer.as_bytes()).await.unwrap();
    struct Late<W>(W);
    impl<W: AsyncRead + Unpin> AsyncRead for Late<W> {
        fn poll_read(
            mut self: Pin<&mut Self>,
            cx: &mut Task<'_>,
            buffer: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            Pin::new(&mut self.0).poll_read(cx, buffer)
        }
    }
    // The connection runs for the first time when the call is in its queue.
    let connection = Options::json_rpc().start(Late(ours), Failing, Handlers::new(()));
    let result: String = within(connection.peer().call("a", ())).await.unwrap();
    assert_eq!(result, "in time");
    assert!(matches!(within(connection.wait()).await, Closed::Write(_)));
}
