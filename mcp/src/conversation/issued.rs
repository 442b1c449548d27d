//! Cancellations of requests that were never issued.

use tautline::Severity;

use super::{Conversation, Notice};
use crate::session::Pairing;
use crate::{Era, Finding, Role, rule};

impl Conversation {
    /// Checks that the cancelled request was issued in the same direction (utilities/cancellation, behavior
    /// requirements). A session cannot tell an id that was never issued from one that was answered long ago, and
    /// reports both as a note.
    pub(super) fn check_issued(
        &self,
        from: Role,
        (at, era): (usize, Era),
        pairing: &Pairing,
        notice: &mut Notice<'_, '_>,
    ) {
        // A modern server sends no requests, and ends the subscriptions of the client.
        let asker = if era == Era::Modern { Role::Client } else { from };
        if self.is_whole && pairing.is_never_issued(asker) {
            let severity = Severity::Error;
            (notice.report)(Finding::new(rule::CANCEL_UNKNOWN, severity, super::u32_from(at)));
        }
    }
}
