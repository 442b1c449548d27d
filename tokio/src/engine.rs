//! The handlers of a connection: those that wait for their turn, and those that run.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::task::{self, JoinSet};

use crate::handlers::Dispatch;
use crate::shared::Shared;
use crate::work::{Task, Work};
use crate::{Closed, Incident};

/// The limits of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The number of handlers of requests that run at the same time.
    pub(crate) requests: usize,
    /// The number of received calls that wait.
    pub(crate) backlog: usize,
    pub(crate) shutdown: Duration,
}

/// A connection without its input and output: it is given messages, and adds its own to the outbox.
pub(crate) struct Engine {
    pub(crate) handlers: Arc<dyn Dispatch>,
    pub(crate) shared: Arc<Shared>,
    _end: End,
    pub(crate) limits: Limits,
    /// Received calls that have to wait, in order.
    pub(crate) backlog: VecDeque<Work>,
    pub(crate) running: JoinSet<()>,
    /// The running handlers that have a task.
    pub(crate) tasks: HashMap<task::Id, Task>,
    /// The running handler of a notification, if there is one. Later requests and notifications wait for it.
    pub(crate) barrier: Option<task::Id>,
    /// True if too many calls wait, so that further requests are refused.
    pub(crate) is_refusing: bool,
    /// True if this side has closed the connection, so that no further handlers start.
    pub(crate) is_closing: bool,
}

/// Ends the connection when it is dropped, so that no call waits for a task that was dropped.
struct End(Arc<Shared>);

impl Drop for End {
    fn drop(&mut self) {
        self.0.end(&Closed::Local);
    }
}

impl Engine {
    pub(crate) fn new(handlers: Arc<dyn Dispatch>, shared: Arc<Shared>, limits: Limits) -> Self {
        Self {
            handlers,
            _end: End(Arc::clone(&shared)),
            shared,
            limits,
            backlog: VecDeque::new(),
            running: JoinSet::new(),
            tasks: HashMap::new(),
            barrier: None,
            is_refusing: false,
            is_closing: false,
        }
    }

    /// Returns whether no handler runs or waits.
    pub(crate) fn is_idle(&self) -> bool {
        self.running.is_empty() && self.backlog.is_empty()
    }

    /// Returns whether no handler runs, and no request waits to be handled or answered.
    pub(crate) fn owes_nothing(&self) -> bool {
        let is_owed = |work: &Work| !matches!(work, Work::Notification(..));
        self.running.is_empty() && !self.backlog.iter().any(is_owed)
    }

    /// Drops all handlers.
    pub(crate) async fn shutdown(&mut self) {
        self.backlog.clear();
        self.running.shutdown().await;
    }

    /// Removes the handlers that have finished, and starts handlers that may start now.
    pub(crate) fn poll_handlers(&mut self, cx: &mut Context<'_>) {
        while let Poll::Ready(Some(finished)) = self.running.poll_join_next_with_id(cx) {
            let id = match &finished {
                Ok((id, ())) => *id,
                Err(error) => error.id(),
            };
            let task = self.tasks.remove(&id);
            if self.barrier == Some(id) {
                self.barrier = None;
            }
            if finished.is_err_and(|error| error.is_panic())
                && let Some(task) = task
            {
                self.shared.observe(&Incident::Panicked { method: &task.method });
            }
        }
        while let Some(work) = self.backlog.front()
            && self.can_start(work)
            && let Some(work) = self.backlog.pop_front()
        {
            self.start(work, cx);
        }
    }
}
