//! The end of a command: its exit code, or the reason why it ended early.

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use crate::input::{complain, reason, shown};
use crate::process::{Exit, signals};

/// No finding has severity error, and the baseline is not stale.
pub const CLEAN: u8 = 0;
/// Errors were found, or the baseline is stale.
pub const ERRORS: u8 = 1;
/// The command could not run to the end.
pub const FAILED: u8 = 2;

/// The reason why a command ended early.
#[derive(Debug)]
pub enum Stopped {
    /// The reason, in words.
    Said(String),
    /// The output could not be written.
    Writing(io::Error),
    /// A signal asks this program to end. The program ends as this says.
    Interrupted(Exit),
}

impl From<io::Error> for Stopped {
    fn from(error: io::Error) -> Self {
        Self::Writing(error)
    }
}

impl Stopped {
    pub fn said(why: &impl ToString) -> Self {
        Self::Said(why.to_string())
    }

    pub fn cannot_write(path: &Path, error: &io::Error) -> Self {
        Self::Said(format!("cannot write {}: {}", shown(path), reason(error)))
    }

    pub fn cannot_read(name: &str, error: &io::Error) -> Self {
        Self::Said(format!("cannot read {name}: {}", reason(error)))
    }
}

/// Returns why a command can't be run.
pub fn cannot_run(command: &[OsString], error: &io::Error) -> String {
    let program = command.first().map(|program| shown(program.as_ref())).unwrap_or_default();
    let why = match error.kind() {
        io::ErrorKind::NotFound => "there is no such program".to_owned(),
        _ => error.to_string(),
    };
    format!("cannot run {program}: {why}")
}

/// Returns the exit code of a command, and complains if it ended early.
///
/// The parameter `what` is the name of the output. If the reader of the output has closed the pipe, as in `tautline check … | head -1`, there
/// is nothing to complain about, and the code is `unread`.
pub fn conclude(result: Result<u8, Stopped>, what: &str, unread: u8) -> ExitCode {
    ExitCode::from(match result {
        Ok(code) => code,
        Err(Stopped::Interrupted(exit)) => signals::end_like(exit),
        Err(Stopped::Writing(error)) if error.kind() == io::ErrorKind::BrokenPipe => unread,
        Err(Stopped::Writing(error)) => {
            complain(format_args!("cannot write {what}: {error}"));
            FAILED
        }
        Err(Stopped::Said(why)) => {
            complain(why);
            FAILED
        }
    })
}
