//! The tasks of a pump, and the work of each.

use std::collections::HashMap;

use bytes::Bytes;
use tokio::task::{AbortHandle, Id, JoinSet};

/// The work of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Exchanges the call with this id.
    Call(u64),
    /// Sends a message that later ones wait for.
    Ordered,
    /// Sends a message that no other one waits for.
    Unordered,
    /// Keeps the stream for messages of the server open.
    Listening,
    /// Begins a new session with this request.
    Renewal(Bytes),
    /// Reads what comes after an answer.
    Draining,
}

/// Running tasks. All of them end when this is dropped.
pub(super) struct Tasks<T> {
    set: JoinSet<T>,
    running: HashMap<Id, (Role, AbortHandle)>,
}

impl<T: Send + 'static> Tasks<T> {
    pub(super) fn new() -> Self {
        Self { set: JoinSet::new(), running: HashMap::new() }
    }

    pub(super) fn spawn(&mut self, role: Role, task: impl Future<Output = T> + Send + 'static) {
        let handle = self.set.spawn(task);
        self.running.insert(handle.id(), (role, handle));
    }

    /// Returns the next task that ends, with its outcome unless it was aborted or has panicked. `None` means that no task
    /// is running. If the future is dropped, nothing is lost.
    pub(super) async fn next(&mut self) -> Option<(Role, Option<T>)> {
        loop {
            let (id, outcome) = match self.set.join_next_with_id().await? {
                Ok((id, outcome)) => (id, Some(outcome)),
                Err(error) => (error.id(), None),
            };
            if let Some((role, _)) = self.running.remove(&id) {
                return Some((role, outcome));
            }
        }
    }

    pub(super) fn roles(&self) -> impl Iterator<Item = &Role> {
        self.running.values().map(|(role, _)| role)
    }

    pub(super) fn count(&self, is_it: impl Fn(&Role) -> bool) -> usize {
        self.roles().filter(|role| is_it(role)).count()
    }

    /// Aborts the tasks with these roles.
    pub(super) fn abort(&self, is_it: impl Fn(&Role) -> bool) {
        let tasks = self.running.values().filter(|(role, _)| is_it(role));
        tasks.for_each(|(_, task)| task.abort());
    }
}
