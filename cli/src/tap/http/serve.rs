//! The server: its connections, and its end.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::proxy::Proxy;
use super::signals::Signals;

/// The most connections at the same time. Others wait until one is closed.
const CONNECTIONS: usize = 512;
/// The time for the head of a request.
const HEAD: Duration = Duration::from_secs(30);
/// The time for responses to end after the proxy was stopped.
const GRACE: Duration = Duration::from_secs(1);
/// The first bytes of HTTP/2 (RFC 9113, section 3.4).
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// The pause after the system has refused a connection, for example because there are too many open files,
/// and between two looks at the beginning of a connection.
const PAUSE: Duration = Duration::from_millis(50);

/// Serves connections until a signal comes.
pub async fn serve(listener: TcpListener, proxy: Arc<Proxy>, signals: Signals) {
    let (stop, stopped) = watch::channel(());
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let mut connections = JoinSet::new();
    let mut signal = std::pin::pin!(signals.next());
    loop {
        let accepted = tokio::select! {
            () = &mut signal => break,
            accepted = accept(&listener, &room) => accepted,
        };
        // Those that have ended are forgotten.
        while connections.try_join_next().is_some() {}
        match accepted {
            Ok((stream, permit)) => {
                let connection = connection(stream, proxy.clone(), stopped.clone());
                connections.spawn(async move {
                    connection.await;
                    drop(permit);
                });
            }
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
    drop(listener);
    proxy.log.stop();
    drop(stop);
    let all = async { while connections.join_next().await.is_some() {} };
    let _ = timeout(GRACE, all).await;
}

async fn accept(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
) -> io::Result<(TcpStream, tokio::sync::OwnedSemaphorePermit)> {
    let permit = room.clone().acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, permit))
}

/// Waits until a connection shows whether it has HTTP/2. hyper-util would wait for that without a limit.
async fn begins(stream: &TcpStream) -> io::Result<()> {
    let mut bytes = [0; PREFACE.len()];
    loop {
        stream.readable().await?;
        let length = stream.peek(&mut bytes).await?;
        let begun = bytes.get(..length).unwrap_or_default();
        if begun.is_empty() || begun.len() == PREFACE.len() || !PREFACE.starts_with(begun) {
            return Ok(());
        }
        // The bytes stay readable.
        tokio::time::sleep(PAUSE).await;
    }
}

/// Serves a connection until it ends, or until the proxy stops.
async fn connection(stream: TcpStream, proxy: Arc<Proxy>, mut stopped: watch::Receiver<()>) {
    // Small events must not wait for others.
    let _ = stream.set_nodelay(true);
    tokio::select! {
        begun = timeout(HEAD, begins(&stream)) => if !matches!(begun, Ok(Ok(()))) { return },
        _ = stopped.changed() => return,
    }
    let mut server = auto::Builder::new(TokioExecutor::new());
    let timer = TokioTimer::new;
    server.http1().preserve_header_case(true).timer(timer()).header_read_timeout(HEAD);
    server.http2().timer(timer()).keep_alive_interval(Some(HEAD));
    let service = service_fn(move |request| proxy.clone().serve(request));
    let served = server.serve_connection(TokioIo::new(stream), service);
    let mut served = std::pin::pin!(served);
    // A connection that fails concerns its client only, which notices it.
    tokio::select! {
        _ = &mut served => {}
        _ = stopped.changed() => {
            served.as_mut().graceful_shutdown();
            let _ = served.await;
        }
    }
}
