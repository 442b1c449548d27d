//! The table of the requests in flight, of both sides.

use super::slot::{Slot, State, hash_of};
use crate::envelope::Id;
use crate::mcp::{Method, Peer};

/// The slots, and what did not fit in.
#[derive(Debug)]
pub(super) struct Table<S> {
    pub(super) slots: S,
    /// Requests of either side that are in flight and in no slot.
    untracked: Sides<u32>,
    /// So many were answered.
    answers: u32,
}

/// One value for each side.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sides<T> {
    pub(super) client: T,
    pub(super) server: T,
}

impl<T> Sides<T> {
    pub(super) const fn of(&self, peer: Peer) -> &T {
        match peer {
            Peer::Client => &self.client,
            Peer::Server => &self.server,
        }
    }

    const fn of_mut(&mut self, peer: Peer) -> &mut T {
        match peer {
            Peer::Client => &mut self.client,
            Peer::Server => &mut self.server,
        }
    }
}

/// What is known of an id that somebody names.
pub(super) enum Known<'a> {
    /// A request with it waits for its answer.
    InFlight(&'a mut Slot),
    /// One was answered.
    Answered,
    /// One with an id that is written otherwise waits for its answer.
    Alike(&'a mut Slot),
    /// It may be one of those that are not kept in mind.
    Untracked,
    Unknown,
}

impl<S: AsRef<[Slot]> + AsMut<[Slot]>> Table<S> {
    pub(super) const fn new(slots: S) -> Self {
        Self { slots, untracked: Sides { client: 0, server: 0 }, answers: 0 }
    }

    /// Puts a request into a slot: a free one, or else that of the request that was answered the
    /// longest ago, or else one that was cancelled, whose answer need not come.
    ///
    /// Gives that slot. If there is none, the request is counted.
    pub(super) fn insert(
        &mut self,
        from: Peer,
        method: Option<Method>,
        id: &Id<'_>,
        token: Option<&Id<'_>>,
    ) -> Option<&mut Slot> {
        let answers = self.answers;
        let (mut best, mut most) = (None, 0);
        for slot in self.slots.as_mut() {
            let use_for_it = match slot.state {
                State::Free => u32::MAX,
                State::Answered => answers.wrapping_sub(slot.answered).saturating_add(1),
                State::Cancelled => 0,
                State::InFlight => continue,
            };
            if use_for_it >= most {
                most = use_for_it;
                best = Some(slot);
            }
        }
        if let Some(slot) = best
            && slot.take(from, method, id, token).is_some()
        {
            return Some(slot);
        }
        let untracked = self.untracked.of_mut(from);
        *untracked = untracked.saturating_add(1);
        None
    }

    /// The request of this side in flight that has this id, and of several the one that somebody
    /// still waits for.
    pub(super) fn in_flight(&mut self, from: Peer, id: &Id<'_>) -> Option<&mut Slot> {
        self.waiting(from, id, Slot::has_id)
    }

    /// The request of this side in flight that has such an id or token, and of several the one that
    /// somebody still waits for.
    fn waiting(
        &mut self,
        from: Peer,
        id: &Id<'_>,
        has: fn(&Slot, &Id<'_>, u32) -> bool,
    ) -> Option<&mut Slot> {
        let hash = hash_of(id);
        let mut found = None;
        for slot in self.slots.as_mut() {
            if slot.is_in_flight_from(from) && has(slot, id, hash) {
                if slot.state == State::InFlight {
                    return Some(slot);
                }
                found = found.or(Some(slot));
            }
        }
        found
    }

    /// Whether a request of this side that had this id was answered, as far as is remembered.
    pub(super) fn was_answered(&self, from: Peer, id: &Id<'_>) -> bool {
        let hash = hash_of(id);
        let mut slots = self.slots.as_ref().iter();
        slots
            .any(|slot| slot.state == State::Answered && slot.from == from && slot.has_id(id, hash))
    }

    /// The request of this side in flight that has this progress token, and of several the one that
    /// somebody still waits for.
    pub(super) fn with_token(&mut self, from: Peer, token: &Id<'_>) -> Option<&mut Slot> {
        self.waiting(from, token, Slot::has_token)
    }

    /// Whether a request of this side is in flight whose progress token is not known.
    pub(super) fn has_lost_tokens(&self, from: Peer) -> bool {
        let lost = |slot: &Slot| slot.is_in_flight_from(from) && slot.has_lost_token();
        self.has_untracked(from) || self.slots.as_ref().iter().any(lost)
    }

    /// Whether a request of this side is in flight that is in no slot.
    pub(super) const fn has_untracked(&self, from: Peer) -> bool {
        *self.untracked.of(from) > 0
    }

    /// What is known of the id of a response to a request of this side.
    pub(super) fn known(&mut self, from: Peer, id: &Id<'_>) -> Known<'_> {
        if self.in_flight(from, id).is_some() {
            // Looked for once more, because the borrow checker takes the one above for returned.
            return self.in_flight(from, id).map_or(Known::Unknown, Known::InFlight);
        }
        if self.was_answered(from, id) {
            return Known::Answered;
        }
        // It may be the answer to one of those, whatever else it is like.
        if self.has_untracked(from) {
            return Known::Untracked;
        }
        let alike = |slot: &&mut Slot| {
            slot.is_in_flight_from(from) && slot.id().is_some_and(|own| own.is_like(id))
        };
        match self.slots.as_mut().iter_mut().find(alike) {
            Some(slot) => Known::Alike(slot),
            None => Known::Unknown,
        }
    }

    /// Counts an answer; gives its number.
    pub(super) const fn count_answer(&mut self) -> u32 {
        self.answers = self.answers.wrapping_add(1);
        self.answers
    }

    /// A request that is in no slot was answered. Says whether that was the last.
    pub(super) const fn forget_untracked(&mut self, from: Peer) -> bool {
        let untracked = self.untracked.of_mut(from);
        *untracked = untracked.saturating_sub(1);
        *untracked == 0
    }
}
