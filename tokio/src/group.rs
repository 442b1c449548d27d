//! The process group of a child: the child, and the processes that it has started.

use std::time::Duration;

use tokio::process::{Child, Command};

/// The process group of a child, as long as it may have processes. Its id is the id of the child.
#[derive(Debug)]
pub(crate) struct Group {
    #[cfg(unix)]
    leader: Option<rustix::process::Pid>,
}

#[cfg(unix)]
impl Group {
    /// Starts a child in its own group.
    pub(crate) fn spawn(command: &mut Command) -> std::io::Result<(Child, Self)> {
        let child = command.process_group(0).spawn()?;
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Ok((child, Self { leader: id.and_then(rustix::process::Pid::from_raw) }))
    }

    /// Sends SIGTERM to the group, and returns whether that was possible.
    pub(crate) fn terminate(&self) -> bool {
        self.signal(rustix::process::Signal::TERM)
    }

    /// Kills the group. It is not used after that.
    pub(crate) fn kill(&mut self) {
        self.signal(rustix::process::Signal::KILL);
        self.leader = None;
    }

    /// The id belongs to the group: either the exit status of the child has not been collected, or there were processes
    /// in the group a moment ago.
    fn signal(&self, signal: rustix::process::Signal) -> bool {
        let send = |leader| rustix::process::kill_process_group(leader, signal).is_ok();
        self.leader.is_some_and(send)
    }

    /// Returns whether the group has no processes. Before the exit status of the child is collected, the child counts.
    fn is_empty(&mut self) -> bool {
        let exists = |leader: &_| rustix::process::test_kill_process_group(*leader).is_ok();
        // After that, another process may get the id.
        self.leader = self.leader.filter(exists);
        self.leader.is_none()
    }
}

/// Processes have no groups here.
#[cfg(not(unix))]
impl Group {
    pub(crate) fn spawn(command: &mut Command) -> std::io::Result<(Child, Self)> {
        Ok((command.spawn()?, Self {}))
    }

    pub(crate) const fn terminate(&self) -> bool {
        false
    }

    pub(crate) const fn kill(&mut self) {}

    const fn is_empty(&mut self) -> bool {
        true
    }
}

impl Group {
    /// Waits until the group has no processes, but no longer than the limit. Returns whether there are none. The exit
    /// status of the child must have been collected.
    pub(crate) async fn ends_within(&mut self, limit: Duration) -> bool {
        const PAUSE: Duration = Duration::from_millis(10);
        let all = async {
            while !self.is_empty() {
                tokio::time::sleep(PAUSE).await;
            }
        };
        tokio::time::timeout(limit, all).await.is_ok()
    }
}
