//! The table of the requests in flight, of both sides.

use super::slot::{Part, Same, Slot, State, hash_of};
use crate::envelope::Id;
use crate::mcp::{KnownMethod, Role};
use crate::rule::Rule;

/// The slots, and what did not fit in.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Table<S> {
    /// True if a slot was needed again whose task may still report progress.
    forgot_task: Sides<bool>,
    /// So many were answered.
    answers: u32,
    /// Requests of either side that are in flight and in no slot.
    untracked: Sides<Untracked>,
    pub(super) slots: S,
}

/// Requests in flight that are in no slot.
#[derive(Clone, Copy, Debug)]
struct Untracked {
    count: u32,
    /// The sum of the hashes of their ids: if there is one request, this is its hash.
    hashes: u32,
    /// True if a response was taken for the answer to one of several, and may have been none.
    is_vague: bool,
}

impl Untracked {
    const NONE: Self = Self { count: 0, hashes: 0, is_vague: false };

    /// Returns whether a response with such an id may answer one of them.
    const fn may_have(&self, hash: u32) -> bool {
        self.count > 1 || self.count == 1 && (self.is_vague || self.hashes == hash)
    }

    /// Returns whether a response with such an id answers the only one.
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
    /// The best of the requests that are not answered: the first that somebody waits for, if there is one.
    place: usize,
    fit: Fit,
    /// True if several requests that are not answered have it.
    is_shared: bool,
    /// True if a request is not answered that may have it, since it is in no slot, or its text is in none.
    pub(super) may_be_lost: bool,
    /// True if a request with this id was answered, as far as is remembered.
    is_answered: bool,
    /// The same of one that did not say its version.
    pub(super) is_answered_unclaimed: bool,
    /// True if a request with it opened a subscription, answered or not.
    pub(super) subscribes: bool,
}

/// How well a request that is not answered fits, from the worst.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Fit {
    /// There is none.
    None,
    /// Its id fits in no slot and may be this one. It was cancelled.
    LongCancelled,
    /// The same, and somebody waits for the answer.
    Long,
    /// It has this id. It was cancelled, or a task reports its progress.
    Cancelled,
    /// It has this id, and somebody waits for the answer.
    Waits,
}

impl Seen {
    /// Returns whether somebody waits for the answer to a request with it.
    pub(super) fn waits(&self) -> bool {
        self.fit == Fit::Waits
    }

    /// Returns whether a request with it is not answered.
    pub(super) fn is_in_flight(&self) -> bool {
        self.fit >= Fit::Cancelled
    }

    /// Returns whether there is no request with it, as far as is remembered, and none that may have it.
    pub(super) fn is_nothing(&self) -> bool {
        !self.is_in_flight() && !self.is_answered && !self.may_be_lost
    }

    /// Returns whether the best is a request whose id fits in no slot, and may be this one.
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

    /// Puts a request into a slot: a free one, or else that of the request that was answered the
    /// longest ago, or else one that was cancelled, whose answer need not come, or that made a task.
    ///
    /// Gives that slot, in which a long id has left no more than its hash. If there is none, the request is counted.
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

    /// The request of this side in flight that has this id, and of several the one that somebody
    /// still waits for.
    pub(super) fn in_flight(&mut self, seen: &Seen) -> Option<&mut Slot> {
        self.slots.as_mut().get_mut(seen.place).filter(|_| seen.is_in_flight())
    }

    /// The same of one whose id fits in no slot and may be this one, if there is no other.
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
            // The progress of a task goes on.
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

    /// Returns whether progress may be reported with this token: a request of this side has it that is in flight,
    /// or has made a task, or there is one whose token is not known.
    pub(super) fn may_progress(&self, from: Role, token: &Id<'_>) -> bool {
        let seen = self.look(from, token, Same::Equal, Part::Token);
        seen.is_in_flight() || seen.may_be_lost || *self.forgot_task.of(from)
    }

    /// The request that a response to this side answers, and what to report about it. If there is neither, it
    /// is one that is not kept in mind, and that is not waited for any more.
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
            (Some(seen.place), seen.is_shared.then_some(Rule::ResponseAmbiguous))
        } else if seen.is_answered && !untracked.surely_has(seen.hash) {
            (None, Some(Rule::ResponseDuplicate))
        } else if untracked.may_have(seen.hash) {
            // It may be the answer to one of those, whatever else it is like.
            self.forget_untracked(from, seen.hash);
            (None, None)
        } else {
            let alike = |slot: &Slot| {
                slot.is_in_flight()
                    && slot.from == from
                    && slot.id().is_some_and(|own| own.is_like(id))
            };
            match self.slots.as_ref().iter().position(alike) {
                Some(place) => (Some(place), Some(Rule::ResponseIdRewritten)),
                None => (None, Some(Rule::ResponseUnexpected)),
            }
        };
        (place.and_then(|place| self.slots.as_mut().get_mut(place)), rule)
    }

    /// Returns whether a request of this side is in flight that is in no slot.
    pub(super) const fn has_untracked(&self, from: Role) -> bool {
        self.untracked.of(from).count > 0
    }

    /// Counts an answer; gives its number.
    pub(super) const fn count_answer(&mut self) -> u32 {
        self.answers = self.answers.wrapping_add(1);
        self.answers
    }

    /// A response with this id may answer a request that is in no slot.
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
