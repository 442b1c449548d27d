//! The ledger: pairs each response, cancellation and progress with its request.
//!
//! A [`Ledger`] holds the requests of both sides in a [`Store`]: in [`Slot`]s that the caller lends, or in a
//! `Heap`. It is the only place that compares the ids of messages. Everything else that depends on the request that a
//! message is about, gets that from here.

#![expect(
    unnameable_types,
    reason = "a store is sealed: other crates cannot name what it is made of"
)]

#[cfg(feature = "alloc")]
mod heap;
mod request;
mod slot;

use tautline::{Id, Rule};

#[cfg(feature = "alloc")]
pub use self::heap::{Heap, Pairing};
pub use self::request::InFlight;
pub(crate) use self::request::{Head, Part, Remembered, Same, State, Subscription};
use self::slot::hash_of;
pub use self::slot::{SLOT_TEXT, Slot};
use crate::{CallView, KnownMethod, Role, rule};

/// Room for the requests in flight of a [`Session`](crate::session::Session): [`Slot`]s that the caller lends, or with an
/// allocator a `Heap`.
///
/// It is implemented for everything that has slots, such as an array, a `&mut` slice or a `Vec`. Other crates cannot
/// implement it.
pub trait Requests: Store {}

impl<S: Store> Requests for S {}

/// A request that is now in flight.
#[derive(Clone, Copy, Debug)]
pub struct Incoming<'a, 'buf> {
    pub(crate) from: Role,
    pub(crate) method: Option<KnownMethod>,
    pub(crate) id: &'a Id<'buf>,
    pub(crate) token: Option<&'a Id<'buf>>,
    /// False if it is a frame that is no message, and is answered with its id.
    #[cfg_attr(not(feature = "alloc"), allow(dead_code, reason = "the heap reads it"))]
    pub(crate) is_message: bool,
}

/// A store of requests. A place is valid until the next insertion.
pub trait Store {
    type Request: Remembered;

    /// Puts a request into a free place, or else the place of the request that was answered the longest ago, or else
    /// the place of a request that was cancelled or has made a task. A cancelled request need not be answered.
    ///
    /// Returns `None` if there is no such place. `answers` is the number of answers so far. `forgot_task` becomes true
    /// for the side whose task is forgotten.
    fn insert(
        &mut self,
        incoming: &Incoming<'_, '_>,
        answers: u32,
        forgot_task: &mut Sides<bool>,
    ) -> Option<usize>;

    fn get(&self, place: usize) -> Option<&Self::Request>;

    fn head_mut(&mut self, place: usize) -> Option<&mut Head>;

    /// Visits the requests of a side that may have this id or token. By id, it also visits those whose ids may be
    /// [like](Id::is_like) this one.
    fn each(&self, from: Role, id: &Id<'_>, part: Part, visit: impl FnMut(usize, &Self::Request));

    /// Returns the place of a request of this side in flight whose id is [like](Id::is_like) this one.
    fn alike(&self, from: Role, id: &Id<'_>) -> Option<usize>;

    /// Returns whether a request in flight has named its version.
    fn has_claimed(&self) -> bool;

    /// Returns whether an `initialize` is in flight whose id is not a long one with this hash.
    fn has_initialize(&self, hash: u32) -> bool;

    /// Returns the requests in flight whose ids are stored.
    fn in_flight(&self) -> impl Iterator<Item = InFlight<'_>>;

    /// Returns whether a request of this side may have a progress token that no longer leads to it.
    fn may_have_token(&self, _from: Role, _token: &Id<'_>) -> bool {
        false
    }

    /// Observes that the head at this place has changed.
    fn settle(&mut self, _place: usize) {}

    /// Records that the message that is being observed is about the request at this place, or that the next message is
    /// being observed.
    fn pair(&mut self, _place: Option<usize>) {}

    /// Records which request a notification is about.
    fn pair_notification(&mut self, _from: Role, _call: &CallView<'_>) {}
}

/// The requests of both sides, and what did not fit into the store.
#[derive(Debug)]
#[repr(C)]
pub(crate) struct Ledger<S> {
    /// True if a request was forgotten although its task may still report progress.
    forgot_task: Sides<bool>,
    /// The number of requests answered so far.
    answers: u32,
    /// The requests of each side that are in flight but have no place.
    untracked: Sides<Untracked>,
    pub(crate) store: S,
}

/// Requests in flight that have no place.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sides<T> {
    pub(crate) client: T,
    pub(crate) server: T,
}

impl<T> Sides<T> {
    pub(crate) const fn of(&self, peer: Role) -> &T {
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

/// Everything that the store knows about the requests of one side with an id or a progress token.
#[derive(Clone, Copy)]
pub(crate) struct Seen {
    pub(crate) hash: u32,
    /// The index of the best match among the unanswered requests: the first one whose sender waits for the answer, if
    /// there is one.
    place: usize,
    fit: Fit,
    /// True if several unanswered requests have it.
    is_shared: bool,
    /// True if an unanswered request may have it, because the request has no place, or its text did not fit into one.
    pub(crate) may_be_lost: bool,
    /// True if a request with this id is remembered as answered.
    is_answered: bool,
    /// The same for a request that did not name its version.
    pub(crate) is_answered_unclaimed: bool,
    /// True if a request with it opened a subscription, answered or not.
    pub(crate) subscribes: bool,
    /// True if the store has visited a request. In a search by id, only such a request can have an id that is like it.
    has_visited: bool,
}

/// The quality of a match with an unanswered request, from the worst to the best.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Fit {
    /// No match.
    None,
    /// Its id did not fit into its place, and may be this one. It was cancelled.
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
    pub(crate) fn waits(&self) -> bool {
        self.fit == Fit::Waits
    }

    /// Returns whether a request with it is unanswered.
    pub(crate) fn is_in_flight(&self) -> bool {
        self.fit >= Fit::Cancelled
    }

    /// Returns whether no remembered request has it, and no unanswered request may have it.
    pub(crate) fn is_nothing(&self) -> bool {
        !self.is_in_flight() && !self.is_answered && !self.may_be_lost
    }

    /// Returns whether the best match is a request whose id did not fit into its place, and may be this one.
    pub(crate) fn is_long(&self) -> bool {
        !self.is_in_flight() && self.fit != Fit::None
    }
}

impl<S: Store> Ledger<S> {
    pub(crate) const fn new(store: S) -> Self {
        Self {
            store,
            untracked: Sides { client: Untracked::NONE, server: Untracked::NONE },
            forgot_task: Sides { client: false, server: false },
            answers: 0,
        }
    }

    /// Adds a request. Returns its place. If there is no room, the request is counted.
    pub(crate) fn insert(&mut self, incoming: &Incoming<'_, '_>) -> Option<usize> {
        let place = self.store.insert(incoming, self.answers, &mut self.forgot_task);
        if place.is_none() {
            let untracked = self.untracked.of_mut(incoming.from);
            untracked.count = untracked.count.saturating_add(1);
            untracked.hashes = untracked.hashes.wrapping_add(hash_of(incoming.id));
        }
        self.store.pair(place);
        place
    }

    /// Returns the place of the best match among the requests in flight that have the id. If there are several, prefers
    /// one whose sender still waits for the answer.
    pub(crate) fn in_flight(&self, seen: &Seen) -> Option<usize> {
        Some(seen.place).filter(|_| seen.is_in_flight())
    }

    /// Returns the place of a request in flight whose id did not fit and may be this one, if no other request has this
    /// id.
    pub(crate) fn with_long_id(&self, seen: &Seen) -> Option<usize> {
        Some(seen.place).filter(|_| seen.is_long())
    }

    /// Returns the facts about the request at this place.
    pub(crate) fn head(&self, place: usize) -> Option<&Head> {
        self.store.get(place).map(Remembered::head)
    }

    /// Changes the facts about the request at this place.
    pub(crate) fn change(&mut self, place: usize, change: impl FnOnce(&mut Head)) {
        if let Some(head) = self.store.head_mut(place) {
            change(head);
            self.store.settle(place);
        }
    }

    /// Collects everything that is known about an id or token of this side, in one pass.
    #[inline(never)]
    pub(crate) fn look(&self, from: Role, id: &Id<'_>, same: Same, part: Part) -> Seen {
        let mut seen = Seen {
            hash: hash_of(id),
            place: 0,
            fit: Fit::None,
            is_shared: false,
            may_be_lost: self.has_untracked(from),
            is_answered: false,
            is_answered_unclaimed: false,
            subscribes: false,
            has_visited: false,
        };
        self.store.each(from, id, part, |place, request| {
            seen.has_visited = true;
            let head = request.head();
            let has = request.has(part, id, seen.hash, same);
            seen.subscribes |= has && request.subscribes();
            // A task continues to report progress.
            if head.is_in_flight() || head.state == State::Task && part == Part::Token {
                seen.may_be_lost |= request.has_lost(part);
                let fit = match head.state == State::InFlight {
                    true if has => Fit::Waits,
                    false if has => Fit::Cancelled,
                    _ if !request.has_long_id(seen.hash) => return,
                    true => Fit::Long,
                    false => Fit::LongCancelled,
                };
                seen.is_shared |= has && (seen.is_in_flight() || request.is_shared());
                if fit > seen.fit || fit == seen.fit && !has {
                    seen.fit = fit;
                    seen.place = place;
                }
            } else if has {
                seen.is_answered = true;
                seen.is_answered_unclaimed |= request.is_unclaimed();
            }
        });
        seen
    }

    /// Returns whether a request of this side that waits for its answer has this progress token.
    pub(crate) fn is_token_in_use(&self, from: Role, token: &Id<'_>) -> bool {
        self.look(from, token, Same::Worth, Part::Token).waits()
    }

    /// Returns whether progress may be reported with this token: a request of this side that is in flight or has made a
    /// task has the token, or there is a request whose token is not known.
    pub(crate) fn may_progress(&self, from: Role, token: &Id<'_>) -> bool {
        let seen = self.look(from, token, Same::Equal, Part::Token);
        seen.is_in_flight()
            || seen.may_be_lost
            || *self.forgot_task.of(from)
            || self.store.may_have_token(from, token)
    }

    /// Returns the place of the request that a response to this side answers, and what to report about it. If it returns
    /// neither, the response answers an untracked request, which is then no longer in flight.
    pub(crate) fn answered_by(&mut self, from: Role, id: &Id<'_>) -> (Option<usize>, Option<Rule>) {
        let seen = self.look(from, id, Same::Equal, Part::Id);
        let number = self.answers;
        if let Some(place) = self.with_long_id(&seen) {
            self.change(place, |head| {
                head.state = State::Answered;
                head.answered = number;
            });
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
            // A log of the server alone has no requests to search again.
            let like = if seen.has_visited { self.store.alike(from, id) } else { None };
            match like {
                Some(place) => (Some(place), Some(rule::RESPONSE_ID_REWRITTEN)),
                None => (None, Some(rule::RESPONSE_UNEXPECTED)),
            }
        };
        self.store.pair(place);
        (place, rule)
    }

    /// Returns whether a request of this side is in flight without a place.
    pub(crate) const fn has_untracked(&self, from: Role) -> bool {
        self.untracked.of(from).count > 0
    }

    /// Returns whether a request of this side with an id that was looked for may be in flight without a place.
    pub(crate) const fn may_be_untracked(&self, from: Role, seen: &Seen) -> bool {
        self.untracked.of(from).may_have(seen.hash)
    }

    /// Removes a request without a place that may have this id. Returns whether there is one.
    pub(crate) fn forget_if_untracked(&mut self, from: Role, id: &Id<'_>) -> bool {
        let hash = hash_of(id);
        let may_have = self.untracked.of(from).may_have(hash);
        if may_have {
            self.forget_untracked(from, hash);
        }
        may_have
    }

    /// Counts an answer, and returns its number.
    pub(crate) const fn count_answer(&mut self) -> u32 {
        self.answers = self.answers.wrapping_add(1);
        self.answers
    }

    /// Removes a request without a place that may be answered by a response whose id has this hash.
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
