//! Child processes: how they are started, watched, signalled and ended, so that none is left running.
//!
//! A [`Child`] has pipes for its standard input and output, and a process group of its own. So a Ctrl-C in the terminal
//! reaches only this program, which decides what the child gets of it ([`signals`]). [`Child::end`] shuts a child down
//! in the steps of MCP's stdio transport, and then ends the processes that the child has started. A child that is
//! dropped is killed.
//!
//! # Differences between systems
//!
//! | | Linux | macOS and other Unix | others, such as Windows |
//! |---|---|---|---|
//! | the request to end | SIGTERM to the process group | the same | none: after the patience, the child is killed |
//! | what the child has started | all of it ends, sessions of its own and orphans included | what is in the process group ends | goes on |
//! | signals to this program | can be passed on | the same | the system sends Ctrl-C to both |
//! | end by a signal | is told from an exit code | the same | does not exist |
//!
//! On Linux, this program becomes the reaper of orphans below it, so that a process which has left its group and its
//! parent can still be found. It needs `/proc`. An orphan can't be told from that of another child, so run one child at
//! a time. Processes that this program had below it before the child are spared. Processes of another user can't be
//! signalled, and stay.

mod child;
mod exit;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(unix))]
mod other;
pub mod signals;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
use other::Family;
#[cfg(unix)]
use unix::Family;

pub use child::{Child, Stderr};
pub use exit::{End, Exit, Step};
