//! The ids of all requests, answered or not: a cancellation must name one of them.

use alloc::collections::BTreeSet;

use tautline::{Id, Severity};

use super::{Conversation, Notice, call};
use crate::{Era, Finding, Role, hash, rule};

/// The number of ids that are kept.
const MOST: usize = 1 << 16;

/// Hashes of the ids of both sides.
#[derive(Debug)]
pub(super) struct Issued {
    keys: BTreeSet<u64>,
    /// True if an id could not be kept, so that a missing one proves nothing.
    has_lost: bool,
}

impl Issued {
    pub(super) const NONE: Self = Self { keys: BTreeSet::new(), has_lost: false };

    /// Adds the [key](call::key) of a request.
    pub(super) fn insert(&mut self, key: &str) {
        if self.keys.len() < MOST {
            self.keys.insert(hash::of_bytes(key.as_bytes()));
        } else {
            self.has_lost = true;
        }
    }

    /// Notes that a request was lost whose id is unknown.
    pub(super) const fn lose(&mut self) {
        self.has_lost = true;
    }

    fn surely_lacks(&self, key: &str) -> bool {
        !self.has_lost && !self.keys.contains(&hash::of_bytes(key.as_bytes()))
    }
}

impl Conversation {
    /// Checks that the cancelled request was issued in the same direction (utilities/cancellation, behavior
    /// requirements). A session cannot tell an id that was never issued from one that was answered long ago, and
    /// reports both as a note.
    pub(super) fn check_issued(
        &self,
        from: Role,
        id: &Id<'_>,
        at: usize,
        era: Era,
        notice: &mut Notice<'_, '_>,
    ) {
        // A modern server sends no requests, and ends the subscriptions of the client.
        let asker = if era == Era::Modern { Role::Client } else { from };
        if self.is_whole && self.issued.surely_lacks(&call::key(asker, id)) {
            let severity = Severity::Error;
            (notice.report)(Finding::new(rule::CANCEL_UNKNOWN, severity, super::u32_from(at)));
        }
    }
}
