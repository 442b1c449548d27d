//! A child with its process group, and on Linux with all processes that it has started.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use rustix::process::{Pid, Signal, kill_process_group};

use super::Exit;

/// The process group of a child. Its id is the id of the child.
#[derive(Debug)]
pub struct Family {
    leader: Pid,
    #[cfg(target_os = "linux")]
    descendants: super::linux::Descendants,
}

impl Family {
    /// Starts a child in its own process group.
    pub fn spawn(command: &mut Command) -> io::Result<(Child, Self)> {
        #[cfg(target_os = "linux")]
        let before = super::linux::Before::now();
        let child = command.process_group(0).spawn()?;
        let leader = Pid::from_child(&child);
        let family = Self {
            leader,
            #[cfg(target_os = "linux")]
            descendants: super::linux::Descendants::new(leader, before),
        };
        Ok((child, family))
    }

    /// Returns how the child ended, or `None` while it runs. Its exit status is read but not collected, so that no
    /// other process can get its id while signals are sent to it.
    #[cfg(target_os = "linux")]
    pub fn poll(&mut self, _: &mut Child) -> io::Result<Option<Exit>> {
        use rustix::process::{WaitId, WaitIdOptions, waitid};

        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = waitid(WaitId::Pid(self.leader), options)?;
        Ok(status.and_then(|status| {
            let code = status.exit_status().map(Exit::Code);
            code.or_else(|| status.terminating_signal().map(Exit::Signal))
        }))
    }

    /// Returns how the child ended, or `None` while it runs. Its exit status is collected, because otherwise the child
    /// would still count as a member of its group.
    #[cfg(not(target_os = "linux"))]
    pub fn poll(&mut self, child: &mut Child) -> io::Result<Option<Exit>> {
        Ok(child.try_wait()?.map(Exit::from))
    }

    /// Sends a signal to the group.
    pub fn signal_group(&self, signal: Signal) {
        // It fails if the group has no processes left.
        let _ = kill_process_group(self.leader, signal);
    }

    /// Asks all processes to end. Returns whether that is possible here.
    pub fn terminate(&mut self) -> bool {
        self.signal_all(Signal::TERM);
        true
    }

    /// Kills all processes that exist now.
    pub fn kill(&mut self) {
        self.signal_all(Signal::KILL);
    }

    fn signal_all(&mut self, signal: Signal) {
        self.signal_group(signal);
        #[cfg(target_os = "linux")]
        self.descendants.signal(self.leader, signal);
    }

    /// Returns the number of processes that the child has left behind. The child must have ended.
    #[cfg(target_os = "linux")]
    pub fn count(&mut self) -> usize {
        self.descendants.count()
    }

    /// Returns 1 if processes are left in the group of the child. The child must have ended.
    #[cfg(not(target_os = "linux"))]
    pub fn count(&mut self) -> usize {
        usize::from(rustix::process::test_kill_process_group(self.leader).is_ok())
    }

    /// Collects the exit statuses of orphans.
    pub fn reap(&mut self) {
        #[cfg(target_os = "linux")]
        self.descendants.reap();
    }
}
