//! A child on a system without process groups and signals: only the child itself can be ended.

use std::io;
use std::process::{Child, Command};

use super::Exit;

#[derive(Debug)]
pub struct Family;

impl Family {
    pub fn spawn(command: &mut Command) -> io::Result<(Child, Self)> {
        Ok((command.spawn()?, Self))
    }

    /// Returns how the child ended, or `None` while it runs.
    pub fn poll(&mut self, child: &mut Child) -> io::Result<Option<Exit>> {
        Ok(child.try_wait()?.map(Exit::from))
    }

    /// Returns false: this system has no way to ask a process to end.
    pub fn terminate(&mut self) -> bool {
        false
    }

    /// Does nothing: the child itself is killed by its handle.
    pub fn kill(&mut self) {}

    /// Returns 0: the processes that the child has left behind are unknown.
    pub fn count(&mut self) -> usize {
        0
    }

    pub fn reap(&mut self) {}
}
