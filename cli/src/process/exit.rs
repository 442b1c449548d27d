//! How a child process ended.

use std::fmt;
use std::process::ExitStatus;

use tautline_audit::source::Ending;

/// The status of a process that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It exited with this code.
    Code(i32),
    /// This signal ended it.
    #[cfg_attr(not(unix), allow(dead_code, reason = "no other system has signals"))]
    Signal(i32),
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return Self::Signal(signal);
        }
        Self::Code(status.code().unwrap_or_default())
    }
}

impl Exit {
    /// Returns how a session ended, in the words that readers of recordings use.
    pub fn how(self) -> String {
        match self {
            Self::Code(code) => format!("exited with status {code}"),
            Self::Signal(number) => format!("ended by signal {number}"),
        }
    }

    /// Returns how an audit classifies the end of the process.
    pub const fn ending(self) -> Ending {
        match self {
            Self::Code(0) => Ending::Normal,
            Self::Code(_) => Ending::Failed,
            Self::Signal(_) => Ending::Signal,
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exited with code {code}"),
            Self::Signal(signal) => write!(f, "was ended by signal {signal}"),
        }
    }
}

/// The step of the shutdown that ended a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// It had ended before the shutdown began.
    Before,
    /// It exited after its standard input was closed.
    Closed,
    /// It ended after SIGTERM.
    Terminated,
    /// It was killed.
    Killed,
}

/// The end of a child process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    pub exit: Exit,
    pub step: Step,
    /// The number of processes that the child had started, that outlived it, and that had to be ended.
    pub outlived: usize,
}
