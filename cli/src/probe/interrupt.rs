//! Ctrl-C and similar signals: the probe ends the processes that it has started, and then itself.

use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::exit::Stopped;
use crate::process::{Exit, signals};

static IS_SET: AtomicBool = AtomicBool::new(false);
/// True if no process runs that has to be ended first.
static IS_ALONE: AtomicBool = AtomicBool::new(false);
static SIGNAL: Mutex<Option<i32>> = Mutex::new(None);

/// The reason why a probe did not run all its cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    TimeLimit,
    Interrupted,
}

impl Cut {
    pub const fn words(self) -> &'static str {
        match self {
            Self::TimeLimit => "the time limit was reached",
            Self::Interrupted => "the probe was interrupted",
        }
    }
}

/// Watches for signals from now on.
pub fn watch() -> io::Result<()> {
    signals::watch(|notice| {
        match notice {
            signals::Notice::Child => {}
            #[cfg(unix)]
            signals::Notice::Signal(signal) => {
                if let Ok(mut first) = SIGNAL.lock() {
                    first.get_or_insert(signal.as_raw());
                }
                IS_SET.store(true, Ordering::Release);
                if IS_ALONE.load(Ordering::Acquire) {
                    signals::end_like(exit());
                }
            }
        }
        // Children are polled, so the watcher is needed only for signals, which only Unix has.
        cfg!(unix)
    })
}

/// Fails if a signal has arrived, or if the time is over.
pub fn check(until: Option<Instant>) -> Result<(), Cut> {
    if IS_SET.load(Ordering::Acquire) {
        return Err(Cut::Interrupted);
    }
    match until {
        Some(until) if Instant::now() >= until => Err(Cut::TimeLimit),
        _ => Ok(()),
    }
}

/// Notes that no process runs any more: from now on, a signal ends this program at once, even while it waits for the
/// reader of a report.
pub fn is_alone() -> Result<(), Cut> {
    IS_ALONE.store(true, Ordering::Release);
    check(None)
}

/// Returns the end of this program that the signal asks for.
fn exit() -> Exit {
    let signal = SIGNAL.lock().ok().and_then(|signal| *signal);
    signal.map_or(Exit::Code(130), Exit::Signal)
}

impl From<Cut> for Stopped {
    fn from(cut: Cut) -> Self {
        match cut {
            Cut::Interrupted => Self::Interrupted(exit()),
            Cut::TimeLimit => Self::Said(cut.words().to_owned()),
        }
    }
}
