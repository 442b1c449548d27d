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

    /// Returns how the child has ended.
    pub fn poll(&mut self, child: &mut Child) -> io::Result<Option<Exit>> {
        Ok(child.try_wait()?.map(Exit::from))
    }

    /// Returns false: nobody can ask a process to end here.
    pub fn terminate(&mut self) -> bool {
        false
    }

    /// Does nothing: the child itself is killed by its handle.
    pub fn kill(&mut self) {}

    /// Returns 0: what the child has left behind is unknown.
    pub fn count(&mut self) -> usize {
        0
    }

    pub fn reap(&mut self) {}
}
