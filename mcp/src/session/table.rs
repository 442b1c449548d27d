//! The table of the requests in flight, of both sides.

use tautline::{Id, Rule};

use super::slot::{Part, Same, Slot, State, hash_of};
use crate::{KnownMethod, Role, rule};

/// The slots, and what did not fit into them.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Table<S> {
    /// True if a slot was reused although its task may still report progress.
    forgot_task: Sides<bool>,
    /// The number of requests answered so far.
    answers: u32,
    /// The requests of each side that are in flight but have no slot.
    untracked: Sides<Untracked>,
    pub(super) slots: S,
}

/// Requests in flight that have no slot.
#[derive(Clone, Copy, Debug)]
struct Untracked {
    count: u32,
    /// The sum of the hashes of their ids. If there is one request, this is the hash of its id.
    hashes: u32,
    /// True if a response was counted as the answer to one of several requests, although it may have answered none of
    /// them.
    is_vague: bool,
}

impl Untracked {
    const NONE: Self = Self { count: 0, hashes: 0, is_vague: false };

    /// Returns whether a response whose id has this hash may answer one of them.
    const fn may_have(&self, hash: u32) -> bool {
        self.count > 1 || self.count == 1 && (self.is_vague || self.hashes == hash)
    }

    /// Returns whether there is only one of them, and its id has this hash.
    const fn surely_has(&self, hash: u32) -> bool {
        self.count == 1 && self.hashes == hash
    }
}

/// One value for each side.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sides<T> {
    pub(super) client: T,
    pub(super) server: T,
}

impl<T> Sides<T> {
    pub(super) const fn of(&self, peer: Role) -> &T {
        match peer {
            Role::Client => &self.client,
            Role::Server => &self.server,
        }
    }

    const fn of_mut(&mut self, peer: Role) -> &mut T {
        match peer {
            Role::Client => &mut self.client,
            Role::Server => &mut self.server,
        }
    }
}

/// Everything that one side's slots know about an id or a progress token.
#[derive(Clone, Copy)]
pub(super) struct Seen {
    pub(super) hash: u32,
    /// The index of the best match among the unanswered requests: the first one whose sender waits for the answer, if
    /// there is one.
    place: usize,
    fit: Fit,
    /// True if several unanswered requests have it.
    is_shared: bool,
    /// True if an unanswered request may have it, because the request has no slot, or its text did not fit into one.
    pub(super) may_be_lost: bool,
    /// True if a request with this id is remembered as answered.
    is_answered: bool,
    /// The same for a request that did not name its version.
    pub(super) is_answered_unclaimed: bool,
    /// True if a request with it opened a subscription, answered or not.
    pub(super) subscribes: bool,
}

/// The quality of a match with an unanswered request, from the worst to the best.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Fit {
    /// No match.
    None,
    /// Its id did not fit into the slot, and may be this one. It was cancelled.
    LongCancelled,
    /// The same, but its sender waits for the answer.
    Long,
    /// It has this id. It was cancelled, or a task reports its progress.
    Cancelled,
    /// It has this id, and its sender waits for the answer.
    Waits,
}

impl Seen {
    /// Returns whether the sender of a request with it waits for the answer.
    pub(super) fn waits(&self) -> bool {
        self.fit == Fit::Waits
    }

    /// Returns whether a request with it is unanswered.
    pub(super) fn is_in_flight(&self) -> bool {
        self.fit >= Fit::Cancelled
    }

    /// Returns whether no remembered request has it, and no unanswered request may have it.
    pub(super) fn is_nothing(&self) -> bool {
        !self.is_in_flight() && !self.is_answered && !self.may_be_lost
    }

    /// Returns whether the best match is a request whose id did not fit into the slot, and may be this one.
    pub(super) fn is_long(&self) -> bool {
        !self.is_in_flight() && self.fit != Fit::None
    }
}

impl<S: AsRef<[Slot]> + AsMut<[Slot]>> Table<S> {
    pub(super) const fn new(slots: S) -> Self {
        Self {
            slots,
            untracked: Sides { client: Untracked::NONE, server: Untracked::NONE },
            forgot_task: Sides { client: false, server: false },
            answers: 0,
        }
    }

    /// Puts a request into a slot: a free one, or else the slot of the request that was answered the longest ago, or
    /// else the slot of a request that was cancelled or has made a task. A cancelled request need not be answered.
    ///
    /// Returns that slot, which has only the hash of a long id. If there is no such slot, the request is counted.
    pub(super) fn insert(
        &mut self,
        from: Role,
        method: Option<KnownMethod>,
        id: &Id<'_>,
        token: Option<&Id<'_>>,
    ) -> Option<&mut Slot> {
        let answers = self.answers;
        let (mut best, mut most) = (None, 0);
        for slot in self.slots.as_mut() {
            let use_for_it = match slot.state {
                State::Free => u32::MAX,
                State::Answered => answers.wrapping_sub(slot.answered).saturating_add(1),
                State::Cancelled | State::Task => 0,
                State::InFlight => continue,
            };
            if use_for_it >= most {
                most = use_for_it;
                best = Some(slot);
            }
        }
        if let Some(slot) = best {
            *self.forgot_task.of_mut(slot.from) |= slot.state == State::Task;
            slot.take(from, method, id, token);
            return Some(slot);
        }
        let untracked = self.untracked.of_mut(from);
        untracked.count = untracked.count.saturating_add(1);
        untracked.hashes = untracked.hashes.wrapping_add(hash_of(id));
        None
    }

    /// Returns the request of this side in flight that has this id. If there are several, prefers one whose sender
    /// still waits for the answer.
    pub(super) fn in_flight(&mut self, seen: &Seen) -> Option<&mut Slot> {
        self.slots.as_mut().get_mut(seen.place).filter(|_| seen.is_in_flight())
    }

    /// Returns a request in flight whose id did not fit into the slot and may be this one, if no other request has this
    /// id.
    pub(super) fn with_long_id(&mut self, seen: &Seen) -> Option<&mut Slot> {
        self.slots.as_mut().get_mut(seen.place).filter(|_| seen.is_long())
    }

    /// Collects everything that the slots of this side know about an id or token, in one pass.
    #[inline(never)]
    pub(super) fn look(&self, from: Role, id: &Id<'_>, same: Same, part: Part) -> Seen {
        let mut seen = Seen {
            hash: hash_of(id),
            place: 0,
            fit: Fit::None,
            is_shared: false,
            may_be_lost: self.has_untracked(from),
            is_answered: false,
            is_answered_unclaimed: false,
            subscribes: false,
        };
        for (place, slot) in self.slots.as_ref().iter().enumerate() {
            if slot.from != from || slot.state == State::Free {
                continue;
            }
            let has = slot.has(part, id, seen.hash, same);
            seen.subscribes |= has && slot.method == Some(KnownMethod::SubscriptionsListen);
            // A task continues to report progress.
            if slot.is_in_flight() || slot.state == State::Task && part == Part::Token {
                seen.may_be_lost |= slot.has_lost(part);
                let fit = match slot.state == State::InFlight {
                    true if has => Fit::Waits,
                    false if has => Fit::Cancelled,
                    _ if !slot.has_long_id(seen.hash) => continue,
                    true => Fit::Long,
                    false => Fit::LongCancelled,
                };
                seen.is_shared |= has && seen.is_in_flight();
                if fit > seen.fit || fit == seen.fit && !has {
                    seen.fit = fit;
                    seen.place = place;
                }
            } else if has {
                seen.is_answered = true;
                seen.is_answered_unclaimed |= !slot.claimed;
            }
        }
        seen
    }

    /// Returns whether a request of this side that waits for its answer has this progress token.
    pub(super) fn is_token_in_use(&self, from: Role, token: &Id<'_>) -> bool {
        self.look(from, token, Same::Worth, Part::Token).waits()
    }

    /// Returns whether progress may be reported with this token: a request of this side that is in flight or has made a
    /// task has the token, or there is a request whose token is not known.
    pub(super) fn may_progress(&self, from: Role, token: &Id<'_>) -> bool {
        let seen = self.look(from, token, Same::Equal, Part::Token);
        seen.is_in_flight() || seen.may_be_lost || *self.forgot_task.of(from)
    }

    /// Returns the request that a response to this side answers, and what to report about it. If it returns neither,
    /// the response answers an untracked request, which is then no longer in flight.
    pub(super) fn answered_by(
        &mut self,
        from: Role,
        id: &Id<'_>,
    ) -> (Option<&mut Slot>, Option<Rule>) {
        let seen = self.look(from, id, Same::Equal, Part::Id);
        let number = self.answers;
        if let Some(slot) = self.with_long_id(&seen) {
            slot.state = State::Answered;
            slot.answered = number;
            return (None, None);
        }
        let untracked = *self.untracked.of(from);
        let (place, rule) = if seen.is_in_flight() {
            (Some(seen.place), seen.is_shared.then_some(rule::RESPONSE_AMBIGUOUS))
        } else if seen.is_answered && !untracked.surely_has(seen.hash) {
            (None, Some(rule::RESPONSE_DUPLICATE))
        } else if untracked.may_have(seen.hash) {
            // It may be the answer to one of these, even if its id is like another one.
            self.forget_untracked(from, seen.hash);
            (None, None)
        } else {
            let alike = |slot: &Slot| {
                slot.is_in_flight()
                    && slot.from == from
                    && slot.id().is_some_and(|own| own.is_like(id))
            };
            match self.slots.as_ref().iter().position(alike) {
                Some(place) => (Some(place), Some(rule::RESPONSE_ID_REWRITTEN)),
                None => (None, Some(rule::RESPONSE_UNEXPECTED)),
            }
        };
        (place.and_then(|place| self.slots.as_mut().get_mut(place)), rule)
    }

    /// Returns whether a request of this side is in flight without a slot.
    pub(super) const fn has_untracked(&self, from: Role) -> bool {
        self.untracked.of(from).count > 0
    }

    /// Counts an answer, and returns its number.
    pub(super) const fn count_answer(&mut self) -> u32 {
        self.answers = self.answers.wrapping_add(1);
        self.answers
    }

    /// Removes a request without a slot that may be answered by a response whose id has this hash.
    const fn forget_untracked(&mut self, from: Role, hash: u32) {
        let untracked = self.untracked.of_mut(from);
        *untracked = match untracked.count {
            0 | 1 => Untracked::NONE,
            count => Untracked {
                count: count.wrapping_sub(1),
                hashes: untracked.hashes.wrapping_sub(hash),
                is_vague: true,
            },
        };
    }
}
