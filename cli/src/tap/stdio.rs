//! The standard input and output of this program, as files that can be closed.
//!
//! On Unix, a peer notices at once when its stream is closed here. Elsewhere, the streams stay open until this program
//! ends.

use std::io;

/// A reader of standard input.
#[cfg(unix)]
pub type Input = std::fs::File;
/// A writer of standard output.
#[cfg(unix)]
pub type Output = std::fs::File;

#[cfg(not(unix))]
pub type Input = io::Stdin;
#[cfg(not(unix))]
pub type Output = io::Stdout;

/// Takes standard input and output away from the rest of the program, which gets the null device instead.
///
/// # Errors
///
/// Fails if the system has no more descriptors.
#[cfg(unix)]
pub fn take() -> io::Result<(Input, Output)> {
    use std::fs::OpenOptions;

    use rustix::stdio::{dup2_stdin, dup2_stdout, stdin, stdout};

    let input = stdin().try_clone_to_owned()?;
    let output = stdout().try_clone_to_owned()?;
    let null = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&null)?;
    dup2_stdout(&null)?;
    Ok((input.into(), output.into()))
}

/// Returns standard input and output.
///
/// # Errors
///
/// Never fails.
#[cfg(not(unix))]
pub fn take() -> io::Result<(Input, Output)> {
    Ok((io::stdin(), io::stdout()))
}
