//! Requests over HTTP/2.

use std::net::SocketAddr;

use bytes::Bytes;
use http::Request;
use http_body::Body;
use http_body_util::BodyExt as _;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;

use crate::case::Played;
use crate::connection::Reply;

/// Sends a request on a connection of its own.
///
/// # Panics
///
/// Panics if there is no server.
pub async fn send<B>(request: Request<B>, address: SocketAddr) -> Played
where
    B: Body<Data = Bytes> + Send + Unpin + 'static,
    B::Error: std::error::Error + Send + Sync,
{
    let stream = TcpStream::connect(address).await.expect("a server");
    stream.set_nodelay(true).expect("a socket");
    let port = stream.local_addr().expect("an address").port();
    let (mut sender, connection) =
        http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.expect("HTTP/2");
    let running = tokio::spawn(connection);
    let mut replies = Vec::new();
    if let Ok(response) = sender.send_request(request).await {
        let status = response.status().as_u16();
        let fields = response.headers().iter();
        let headers = fields.map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()));
        let headers = headers.collect();
        let (mut body, mut is_whole) = (Vec::new(), true);
        let mut frames = response.into_body();
        while let Some(frame) = frames.frame().await {
            match frame.map(http_body::Frame::into_data) {
                Ok(Ok(data)) => body.extend_from_slice(&data),
                Ok(Err(_)) => {}
                Err(_) => {
                    is_whole = false;
                    break;
                }
            }
        }
        replies.push(Reply { status, headers, body, is_whole });
    }
    drop(sender);
    let _ = running.await;
    Played { replies, port }
}
