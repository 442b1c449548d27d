//! The time-outs of a call.

use std::time::Duration;

use tokio::time::Instant;

use crate::CallError;
use crate::shared::Shared;

/// The time of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    pub(crate) started: Instant,
    pub(crate) timeout: Option<Duration>,
    pub(crate) total_timeout: Option<Duration>,
    /// The number of stray frames when the call started.
    pub(crate) strays: u64,
}

/// A time-out of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub(crate) after: Duration,
    /// True if progress does not restart it.
    pub(crate) is_total: bool,
}

impl Clock {
    /// Returns the time-outs of the call.
    pub(crate) fn limits(&self) -> impl Iterator<Item = Limit> + use<> {
        let limit = |is_total| move |after| Limit { after, is_total };
        let total = self.total_timeout.map(limit(true));
        self.timeout.map(limit(false)).into_iter().chain(total)
    }

    /// Returns when the call times out, and by which time-out.
    pub(crate) fn deadline(&self, last_progress: Option<Instant>) -> Option<(Instant, Limit)> {
        let started = self.started;
        let end = |limit: Limit| {
            let restarted = last_progress.filter(|_| !limit.is_total);
            Some((restarted.unwrap_or(started).checked_add(limit.after)?, limit))
        };
        self.limits().filter_map(end).min_by_key(|(at, _)| *at)
    }

    pub(crate) fn timed_out(&self, limit: Limit, shared: &Shared) -> CallError {
        let Limit { after, is_total } = limit;
        CallError::TimedOut { after, is_total, stray: shared.stray_since(self.strays) }
    }
}
