//! Signals to this program: how a watcher is notified, and how this program ends like another process.

use std::io;
#[cfg(not(unix))]
use std::thread;

use super::Exit;

/// A notice to a watcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A child may have ended: [poll](super::Child::poll) it.
    Child,
    /// This program got a signal, and the watcher decides what to do about it.
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

/// Calls a function for each notice, in a separate thread, as long as it returns true.
///
/// Call this after a child was started, because a child inherits the ignored signals of this program but not its
/// handlers. The child may have ended before, so poll it once.
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

/// Calls a function every 20 ms, in a separate thread, as long as it returns true.
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

/// Returns the exit code that represents the end of another process. For a signal, it is 128 plus the number of the
/// signal, as in shells.
pub fn code(exit: Exit) -> i32 {
    match exit {
        Exit::Code(code) => code,
        Exit::Signal(signal) => 128 + signal,
    }
}

/// Ends this program in the same way as another process: with its code, or by its signal if possible.
pub fn end_like(exit: Exit) -> ! {
    #[cfg(unix)]
    if let Exit::Signal(signal) = exit {
        use rustix::process::{Resource, Rlimit, setrlimit};

        // A core dump of this program would not help: the fault is in the other process.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
    std::process::exit(code(exit))
}
