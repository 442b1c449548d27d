//! A running connection.

use std::sync::Arc;

use tautline::frame::Framing;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::{AbortHandle, JoinHandle};

use crate::driver::Driver;
use crate::shared::Shared;
use crate::{Closed, Peer};

/// A connection that runs in its own task; see [`Options::start`](crate::Options::start).
///
/// If this is dropped, the connection ends at once: handlers are dropped at their current await points, and pending
/// calls fail. To shut down gracefully, use [`close`](Self::close).
#[derive(Debug)]
#[must_use = "the connection ends when this is dropped"]
pub struct Connection {
    peer: Peer,
    task: AbortHandle,
}

impl Connection {
    /// Starts the task, which returns the reader.
    pub(crate) fn start<R, W, F>(
        shared: Arc<Shared>,
        driver: Driver<R, W, F>,
    ) -> (Self, JoinHandle<R>)
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
        F: Framing + Send + Unpin + 'static,
    {
        let task = tokio::spawn(driver.run());
        (Self { peer: Peer::new(shared), task: task.abort_handle() }, task)
    }

    /// Returns a handle to the other side.
    pub const fn peer(&self) -> &Peer {
        &self.peer
    }

    /// Waits until the connection has ended, and returns the reason.
    pub async fn wait(&self) -> Closed {
        self.peer.closed().await
    }

    /// Closes the connection: running handlers finish, and queued messages are sent, both within the [shutdown
    /// time-out](crate::Options::with_shutdown_timeout). Returns the reason why the connection ended, which is not
    /// [`Closed::Local`] if it ended before.
    pub async fn close(self) -> Closed {
        self.peer.close();
        self.wait().await
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.task.abort();
    }
}
