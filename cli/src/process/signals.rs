//! Signals to this program: what it is told, and how it ends as another process has ended.

use std::io;
#[cfg(not(unix))]
use std::thread;

use super::Exit;

/// A notice to a watcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A child may have ended: [poll](super::Child::poll) it.
    Child,
    /// This program got a signal, and decides what to do about it.
    #[cfg(unix)]
    Signal(rustix::process::Signal),
}

#[cfg(unix)]
mod unix {
    use rustix::process::Signal;

    /// The signals that users and clients send to a server.
    pub const WATCHED: [Signal; 6] =
        [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT, Signal::USR1, Signal::USR2];
}

/// Calls a function for each notice, in a thread of its own, for as long as it returns true.
///
/// Call this after a child was started: a child starts with the signals ignored that this program ignored, and without
/// those that it catches. A child may have ended before, so poll it once.
///
/// # Errors
///
/// Fails if the system refuses to catch a signal, or to start the thread.
#[cfg(unix)]
pub fn watch(mut call: impl FnMut(Notice) -> bool + Send + 'static) -> io::Result<()> {
    use rustix::process::Signal;
    use signal_hook::consts::SIGCHLD;
    use signal_hook::iterator::Signals;

    let numbers = unix::WATCHED.iter().map(|signal| signal.as_raw()).chain([SIGCHLD]);
    let mut signals = Signals::new(numbers)?;
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for number in signals.forever() {
            let is_it = |signal: &&Signal| signal.as_raw() == number;
            let notice = match unix::WATCHED.iter().find(is_it) {
                Some(&signal) => Notice::Signal(signal),
                None => Notice::Child,
            };
            if !call(notice) {
                break;
            }
        }
    })?;
    Ok(())
}

/// Calls a function now and then, in a thread of its own, for as long as it returns true.
#[cfg(not(unix))]
pub fn watch(mut call: impl FnMut(Notice) -> bool + Send + 'static) -> io::Result<()> {
    const PAUSE: std::time::Duration = std::time::Duration::from_millis(20);
    thread::Builder::new().name("child".to_owned()).spawn(move || {
        while call(Notice::Child) {
            thread::sleep(PAUSE);
        }
    })?;
    Ok(())
}

/// Returns the exit code that stands for the end of another process; for a signal, 128 and its number, as in shells.
pub fn code(exit: Exit) -> i32 {
    match exit {
        Exit::Code(code) => code,
        Exit::Signal(signal) => 128 + signal,
    }
}

/// Ends this program as another process has ended: with its code, or by its signal if that is possible.
pub fn end_like(exit: Exit) -> ! {
    #[cfg(unix)]
    if let Exit::Signal(signal) = exit {
        use rustix::process::{Resource, Rlimit, setrlimit};

        // The memory of this program is not what one would look for.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
    std::process::exit(code(exit))
}
