//! Child processes: starting, watching, signalling and ending them, so that none is left running.
//!
//! A [`Child`] has pipes for its standard input and output, and its own process group. So a Ctrl-C in the terminal
//! reaches only this program, which decides whether to pass it on to the child ([`signals`]). [`Child::end`] shuts a
//! child down in the steps of MCP's stdio transport, and then ends the processes that the child has started. A child
//! that is dropped is killed.
//!
//! # Differences between systems
//!
//! | | Linux | macOS and other Unix | others, such as Windows |
//! |---|---|---|---|
//! | the request to end | SIGTERM to the process group | the same | none: after the patience, the child is killed |
//! | its descendants | all end, orphans and other sessions included | those in the process group end | keep running |
//! | signals to this program | can be passed on | the same | the system sends Ctrl-C to both |
//! | SIGKILL to this program | ends a bound child | its pipes close | the same |
//! | end by a signal | is distinguished from an exit code | the same | does not exist |
//!
//! On Linux, this program becomes the reaper of orphans below it, so that it can find a process that has left its group
//! and its parent. This needs `/proc`. Orphans of different children can't be distinguished, so run one child at a
//! time. Processes that were below this program before the child started are spared. Processes of another user can't be
//! signalled, and keep running.

#[cfg(target_os = "linux")]
pub mod bound;
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
