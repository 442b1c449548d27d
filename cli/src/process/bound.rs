//! A process that ends with its parent, and then becomes another program.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Signal, getppid, set_parent_process_death_signal};

/// Becomes a command that SIGKILL ends when the parent ends. Returns only if that fails, with the reason.
pub fn become_bound(parent: u32, command: &[OsString]) -> io::Error {
    let Some((program, arguments)) = command.split_first() else {
        return io::ErrorKind::InvalidInput.into();
    };
    if let Err(error) = set_parent_process_death_signal(Some(Signal::KILL)) {
        return error.into();
    }
    // The parent may have ended before the request.
    let is_orphan =
        getppid().is_none_or(|pid| pid.as_raw_nonzero().get().cast_unsigned() != parent);
    if is_orphan {
        return io::Error::other("the parent has ended");
    }
    Command::new(program).args(arguments).exec()
}
