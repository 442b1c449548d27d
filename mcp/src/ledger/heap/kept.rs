//! A request that is kept on the heap.

use alloc::vec::Vec;

use tautline::Id;

use super::{Counted, Kept, Key, Queued, Text};
use crate::KnownMethod;
use crate::ledger::Incoming;
use crate::ledger::request::{Head, Part, Remembered, Same, State};

impl Kept {
    /// Creates a request that is now in flight. `before` is the answered request with its id that it replaces.
    pub(super) fn new(
        incoming: &Incoming<'_, '_>,
        key: Key<'static>,
        number: u64,
        before: Option<&Self>,
    ) -> Self {
        let mut head = Head::FREE;
        head.take(incoming);
        Self {
            head,
            key,
            id: Text::of(incoming.id),
            tokens: Vec::new(),
            number,
            others: None,
            is_mixed: false,
            excused: 0,
            spare: 0,
            is_fault: !incoming.is_message,
            has_subscribed: before.is_some_and(Remembered::subscribes),
            was_unclaimed: before.is_some_and(Remembered::is_unclaimed),
            queued: None,
            counted: Counted::default(),
        }
    }

    /// Returns the number of requests in flight that it stands for.
    pub(super) fn count(&self) -> u32 {
        self.others.unwrap_or(0).saturating_add(1)
    }

    /// Returns whether the answer to one of the requests is owed.
    pub(super) fn is_owed(&self) -> bool {
        self.head.state == State::InFlight && self.count() > self.excused
    }

    /// Records that no answer is owed to the requests so far.
    pub(super) fn excuse(&mut self) {
        self.excused = self.count();
    }

    /// Returns the queue that it belongs in.
    pub(super) fn queue(&self) -> Option<Queued> {
        match self.head.state {
            State::Answered => Some(Queued::Answered),
            State::InFlight if self.is_owed() => None,
            _ => Some(Queued::Idle),
        }
    }
}

impl Remembered for Kept {
    fn head(&self) -> &Head {
        &self.head
    }

    fn id(&self) -> Option<Id<'_>> {
        self.id.id()
    }

    fn has(&self, part: Part, id: &Id<'_>, _hash: u32, same: Same) -> bool {
        // Requests that share a place may spell the id differently.
        let shared = if self.others.is_some() { Same::Worth } else { same };
        match part {
            Part::Id => self.id.is(id, shared),
            Part::Token => self.tokens.iter().any(|(_, token)| token.is(id, same)),
        }
    }

    fn has_long_id(&self, _: u32) -> bool {
        false
    }

    fn has_lost(&self, _: Part) -> bool {
        false
    }

    fn subscribes(&self) -> bool {
        self.has_subscribed || self.head.method == Some(KnownMethod::SubscriptionsListen)
    }

    fn is_unclaimed(&self) -> bool {
        self.was_unclaimed || !self.head.claimed
    }

    fn is_shared(&self) -> bool {
        self.others.is_some_and(|others| others > 0)
    }
}
