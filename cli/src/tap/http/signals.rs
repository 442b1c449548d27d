//! The signals that end the proxy.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals, which are caught from now on.
pub struct Signals {
    #[cfg(unix)]
    all: [Signal; 3],
}

impl Signals {
    /// Catches SIGINT, SIGTERM and SIGHUP. Elsewhere than on Unix, it is Ctrl-C.
    ///
    /// # Errors
    ///
    /// Fails if the system refuses to catch a signal.
    #[cfg(unix)]
    pub fn catch() -> io::Result<Self> {
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let [one, two, three] = kinds.map(signal);
        Ok(Self { all: [one?, two?, three?] })
    }

    /// Catches Ctrl-C.
    ///
    /// # Errors
    ///
    /// Never fails.
    #[cfg(not(unix))]
    pub fn catch() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Waits for one of the signals.
    #[cfg(unix)]
    pub async fn next(mut self) {
        let [one, two, three] = &mut self.all;
        tokio::select! {
            _ = one.recv() => {}
            _ = two.recv() => {}
            _ = three.recv() => {}
        }
    }

    /// Waits for Ctrl-C.
    #[cfg(not(unix))]
    pub async fn next(self) {
        let _ = tokio::signal::ctrl_c().await;
    }
}
