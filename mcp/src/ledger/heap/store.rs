//! The heap as a store of requests, and the request that each message is about.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use tautline::Id;

use super::{Counted, Heap, Kept, Key, MOST_ALIKE, are_many};
use crate::ledger::request::{Head, InFlight, Part, Remembered, Same, State};
use crate::ledger::slot::hash_of;
use crate::ledger::{Incoming, Sides, Store};
use crate::{CallView, KnownMethod, Role};

/// The request that a message is, answers, cancels, or reports on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    number: Option<u64>,
    method: Option<KnownMethod>,
    is_shared: bool,
    is_last: bool,
    forgotten: Option<u64>,
    /// True if the notification names an id that no request of the side has had.
    never_issued: Sides<bool>,
}

impl Pairing {
    /// The pairing of a message that is about no request.
    pub(super) const NONE: Self = Self {
        number: None,
        method: None,
        is_shared: false,
        is_last: true,
        forgotten: None,
        never_issued: Sides { client: false, server: false },
    };

    /// Returns the number of the request, by which facts about it can be kept: the first request of a session has the
    /// number 1. Requests with one id that wait at the same time have one number. It is `None` if the message concerns no
    /// remembered request.
    #[must_use]
    pub const fn number(&self) -> Option<u64> {
        self.number
    }

    /// Returns the method of the request, if MCP defines it. Requests with one id and different methods have none.
    #[must_use]
    pub const fn method(&self) -> Option<KnownMethod> {
        self.method
    }

    /// Returns whether several requests with the id wait, or have waited at the same time. A response may then answer
    /// any of them.
    #[must_use]
    pub const fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// Returns whether no other request with the id waits.
    #[must_use]
    pub const fn is_last(&self) -> bool {
        self.is_last
    }

    /// Returns the number of a request that is forgotten, to make room for the one that the message is. Drop the facts about
    /// it.
    #[must_use]
    pub const fn forgotten(&self) -> Option<u64> {
        self.forgotten
    }

    /// Returns whether the notification names a request of this side, and the side has surely never sent one with the id.
    #[cfg_attr(not(feature = "shapes"), allow(dead_code, reason = "conversations ask it"))]
    pub(crate) const fn is_never_issued(&self, side: Role) -> bool {
        *self.never_issued.of(side)
    }
}

impl Default for Pairing {
    fn default() -> Self {
        Self::NONE
    }
}

impl Store for Heap {
    type Request = Kept;

    fn insert(
        &mut self,
        incoming: &Incoming<'_, '_>,
        _answers: u32,
        _forgot_task: &mut Sides<bool>,
    ) -> Option<usize> {
        let &Incoming { from, id, .. } = incoming;
        self.issued.insert(from, id);
        let key = Key::of(from, id);
        let places: Vec<usize> = self.ids.places(&key, &self.requests).collect();
        let same = self.replaced(&places, id);
        let before = same.and_then(|place| self.requests.get(place));
        // A message takes the place of a frame that was none.
        let is_better = |before: &Kept| before.is_fault && incoming.is_message;
        if let Some(place) = same
            && before.is_some_and(|before| before.head.is_in_flight() && !is_better(before))
        {
            self.share(place, incoming);
            return Some(place);
        }
        let number = self.count.saturating_add(1);
        let equal = before.filter(|before| before.id.is(id, Same::Equal));
        let mut request = Kept::new(incoming, key.into_owned(), number, equal);
        if let Some(before) = before.filter(|before| before.head.is_in_flight()) {
            request.spare = before.spare.saturating_add(before.count());
        }
        let place = match same {
            Some(place) => place,
            None if are_many(&places) => return None,
            None => self.make_room()?,
        };
        self.count = number;
        self.forget(place);
        match self.requests.get_mut(place) {
            Some(old) => {
                // A task continues to report progress.
                let is_task = old.head.state == State::Task;
                *self.has_lost_token.of_mut(old.head.from) |= is_task && old.head.has_token;
                self.forgotten = (old.head.state != State::Answered).then_some(old.number);
                let before = core::mem::replace(old, request).counted;
                self.recount(before, Counted::default());
            }
            None => self.requests.push(request),
        }
        self.ids.insert(place, &self.requests);
        self.use_token(incoming, place);
        self.settle(place);
        Some(place)
    }

    fn get(&self, place: usize) -> Option<&Kept> {
        self.requests.get(place)
    }

    fn head_mut(&mut self, place: usize) -> Option<&mut Head> {
        self.requests.get_mut(place).map(|request| &mut request.head)
    }

    fn each(&self, from: Role, id: &Id<'_>, part: Part, mut visit: impl FnMut(usize, &Kept)) {
        let mut visit = |place| {
            if let Some(request) = self.requests.get(place) {
                visit(place, request);
            }
        };
        match part {
            Part::Id => {
                self.ids.places(&Key::of(from, id), &self.requests).for_each(visit);
            }
            Part::Token => {
                let users = self.tokens.get(&Key::of_token(from, id)).into_iter();
                let newest = users.flat_map(BTreeMap::values).rev();
                newest.take(MOST_ALIKE).for_each(|place| visit(*place));
            }
        }
    }

    fn alike(&self, from: Role, id: &Id<'_>) -> Option<usize> {
        let key = Key::of(from, id);
        let places = self.ids.places(&key, &self.requests);
        let requests = places.filter_map(|place| Some((place, self.requests.get(place)?)));
        let in_flight = requests.filter(|(_, request)| request.head.is_in_flight());
        in_flight.max_by_key(|(_, request)| request.number).map(|(place, _)| place)
    }

    fn has_claimed(&self) -> bool {
        self.claimed > 0
    }

    fn has_initialize(&self, _: u32) -> bool {
        self.initializing > 0
    }

    fn in_flight(&self) -> impl Iterator<Item = InFlight<'_>> {
        self.requests.iter().filter_map(InFlight::of)
    }

    fn may_have_token(&self, from: Role, token: &Id<'_>) -> bool {
        let users = self.tokens.get(&Key::of_token(from, token));
        *self.has_lost_token.of(from) || users.is_some_and(|users| users.len() > MOST_ALIKE)
    }

    fn settle(&mut self, place: usize) {
        let Some(request) = self.requests.get_mut(place) else { return };
        let others = request.others.and_then(|others| others.checked_sub(1));
        match (request.head.state, others) {
            // Another request with the id still waits.
            (State::Answered | State::Task, Some(others)) => {
                let is_task = request.head.state == State::Task;
                *self.has_lost_token.of_mut(request.head.from) |= is_task;
                request.others = Some(others);
                request.head.state = State::InFlight;
            }
            // Each of them may still be answered.
            (State::Cancelled, Some(_)) => {
                request.excused = request.excused.saturating_add(1);
                request.head.state = State::InFlight;
            }
            (State::Answered, None) if request.spare > 0 => {
                request.spare = request.spare.saturating_sub(1);
                request.excuse();
                request.head.state = State::InFlight;
            }
            _ => {}
        }
        let is_answered = request.head.state == State::Answered;
        self.settle_counts(place);
        if is_answered {
            self.release_tokens(place);
        }
        self.enqueue(place);
    }

    fn pair(&mut self, place: Option<usize>) {
        self.paired = place;
        self.pairing = Pairing { forgotten: self.forgotten.take(), ..Pairing::NONE };
        if let Some(request) = place.and_then(|place| self.requests.get(place)) {
            self.pairing.number = Some(request.number);
            self.pairing.method = request.head.method.filter(|_| !request.is_mixed);
            self.pairing.is_shared = request.others.is_some();
            self.pairing.is_last = !request.is_shared();
        }
    }

    fn pair_notification(&mut self, from: Role, call: &CallView<'_>) {
        let Some(params) = &call.params else { return };
        let (asker, id, part) = match call.method {
            Some(KnownMethod::Cancelled) => (from, params.request_id(), Part::Id),
            Some(KnownMethod::Progress) => (from.other(), params.progress_token(), Part::Token),
            _ => {
                let meta = call.meta.as_ref();
                (Role::Client, meta.and_then(|meta| meta.subscription_id()), Part::Id)
            }
        };
        let Some(id) = id else { return };
        let find = |side| {
            let (mut found, hash) = (None, hash_of(&id));
            self.each(side, &id, part, |place, request| {
                if found.is_none() && request.has(part, &id, hash, Same::Equal) {
                    found = Some(place);
                }
            });
            found
        };
        let mut place = find(asker);
        if call.method == Some(KnownMethod::Cancelled) {
            let never_issued = Sides {
                client: self.issued.surely_lacks(Role::Client, &id),
                server: self.issued.surely_lacks(Role::Server, &id),
            };
            // A server ends the subscriptions of the client.
            place = place.or_else(|| find(Role::Client));
            self.pair(place);
            self.pairing.never_issued = never_issued;
        } else {
            self.pair(place);
        }
    }
}
