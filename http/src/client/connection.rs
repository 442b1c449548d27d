//! A running connection to a server.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tautline_mcp::{Revision, meta};
use tautline_tokio::{Closed, Connection, Peer};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::shared::Shared;

/// A connection to a server over HTTP; see [`Client::connect`](crate::client::Client::connect).
///
/// If this is dropped, the connection ends at once, and the session of a server up to 2025-11-25 is left to expire. To
/// end it, use [`close`](Self::close).
#[must_use = "the connection ends when this is dropped"]
pub struct HttpConnection {
    connection: Connection,
    pump: Task,
    shared: Arc<Shared>,
    revision: Revision,
    server: Value,
}

/// A task that ends when this is dropped.
pub(super) struct Task(pub(super) JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl HttpConnection {
    pub(super) fn new(
        connection: Connection,
        pump: Task,
        shared: Arc<Shared>,
        negotiated: (Revision, Value),
    ) -> Self {
        let (revision, server) = negotiated;
        Self { connection, pump, shared, revision, server }
    }

    /// Returns the handle to call the server.
    pub const fn peer(&self) -> &Peer {
        self.connection.peer()
    }

    /// Returns the revision of the connection.
    #[must_use]
    pub const fn revision(&self) -> Revision {
        self.revision
    }

    /// Returns the server's description of itself: the result of `server/discover`, or up to 2025-11-25 that of `initialize`.
    /// Both have its `capabilities`.
    #[must_use]
    pub const fn server(&self) -> &Value {
        &self.server
    }

    /// Returns the server's name and version, an object with `name` and `version`, if the server has sent it.
    #[must_use]
    pub fn server_info(&self) -> Option<&Value> {
        let meta = self.server.get("_meta").and_then(|meta| meta.get(meta::SERVER_INFO));
        meta.or_else(|| self.server.get("serverInfo"))
    }

    /// Returns whether the server has given the client a session id (up to 2025-11-25).
    #[must_use]
    pub fn has_session(&self) -> bool {
        self.shared.mode().session.is_some()
    }

    /// Waits until the connection has ended, and returns the reason.
    pub async fn wait(&self) -> Closed {
        self.connection.wait().await
    }

    /// Closes the connection. Pending calls fail, and their responses are closed. Notifications and answers that wait are
    /// sent, and then the session is ended with DELETE (up to 2025-11-25), each within the [time for an
    /// acknowledgement](crate::client::Client::with_ack_timeout). After three times as long, everything is closed as it
    /// is.
    ///
    /// Returns the reason why the connection ended, which is not [`Closed::Local`] if it ended before.
    pub async fn close(self) -> Closed {
        close(self.connection, self.pump, self.shared.settings.ack_timeout).await
    }
}

/// Closes a connection, and waits for its pump. This is the time for an acknowledgement.
pub(super) async fn close(connection: Connection, mut pump: Task, ack_timeout: Duration) -> Closed {
    let reason = connection.close().await;
    // The pump reads what the connection has written, sends it, and ends the session. If it has panicked, nothing is left
    // to be done.
    let _ = timeout(ack_timeout.saturating_mul(3), &mut pump.0).await;
    reason
}

impl fmt::Debug for HttpConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpConnection")
            .field("revision", &self.revision)
            .field("settings", &self.shared.settings)
            .finish_non_exhaustive()
    }
}
