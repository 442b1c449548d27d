//! The administration interface of Envoy.

use std::net::SocketAddr;
use std::time::Duration;

use crate::connection::{Connection, Reply};

/// Asks for a page, and returns its text. Returns `None` if Envoy does not answer with 200.
pub async fn page(address: SocketAddr, path: &str) -> Option<String> {
    let mut connection = Connection::open(address).await.ok()?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: admin\r\n\r\n");
    connection.send(request.as_bytes()).await;
    connection.wait(1, Duration::from_secs(5)).await;
    let Reply { status, body, is_whole, .. } = connection.replies.pop()?;
    (status == 200 && is_whole).then(|| String::from_utf8_lossy(&body).into_owned())
}
