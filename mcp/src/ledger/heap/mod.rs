//! Requests on the heap, for programs that have an allocator: every search takes the same time, however many requests
//! are remembered.

mod index;
mod kept;
mod key;
mod store;

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::string::String;
use alloc::vec::Vec;

use tautline::Id;

use self::index::Index;
pub use self::store::Pairing;
use super::request::{Head, InFlight, Same, State};
use super::{Incoming, Sides};
use crate::{KnownMethod, Role};

/// The number of requests that are remembered, answered or not.
const MOST: usize = 1 << 14;
/// The number of ids of one value that are distinguished by their spelling, of the tokens of requests with one id, and of
/// the requests with one token that are searched.
const MOST_ALIKE: usize = 32;

/// The requests in flight of a [`Session`](crate::session::Session), on the heap.
///
/// It remembers up to 16,384 requests, answered or not, and up to 65,536 ids. Answered requests make room for others, the
/// oldest first, and then those that need no answer. If more are in flight, the session reports them as
/// [untracked](crate::rule::UNTRACKED_REQUEST). Requests with one id that wait at the same time share their place. An id of
/// more than 256 bytes is kept as a hash.
#[derive(Debug, Default)]
pub struct Heap {
    requests: Vec<Kept>,
    /// The places of the requests of a side, by what their ids are like.
    ids: Index,
    /// The requests that use a progress token: their places, by their numbers.
    tokens: BTreeMap<Key<'static>, BTreeMap<u64, usize>>,
    /// For each side, true if a token was lost that may be used.
    has_lost_token: Sides<bool>,
    /// The places and numbers of the requests that were answered, the oldest first.
    answered: VecDeque<(usize, u64)>,
    /// The same for those that need no answer.
    idle: VecDeque<(usize, u64)>,
    /// The number of requests so far.
    count: u64,
    /// The number of requests in flight that have named their version, and of those that are `initialize`.
    claimed: usize,
    initializing: usize,
    issued: Issued,
    /// The number of the request that made room for the message.
    forgotten: Option<u64>,
    pairing: Pairing,
    /// The place of the request that the message is about.
    paired: Option<usize>,
}

/// A remembered request, or several that have one id and are in flight at the same time.
#[derive(Debug)]
pub struct Kept {
    head: Head,
    key: Key<'static>,
    id: Text,
    /// The progress tokens, one for each of the requests that has one.
    tokens: Vec<(Key<'static>, Text)>,
    number: u64,
    /// The number of other requests in flight with its id, if there has been one.
    others: Option<u32>,
    /// True if their methods differ.
    is_mixed: bool,
    /// The number of them whose answers are not owed.
    excused: u32,
    /// The number of answers that frames may still get which were no messages, and had its id before it.
    spare: u32,
    /// True if it is a frame that was no message.
    is_fault: bool,
    /// True if an answered request with this id, which it replaces, has opened a subscription.
    has_subscribed: bool,
    /// True if one of them did not name its version.
    was_unclaimed: bool,
    /// The queue that it is in.
    queued: Option<Queued>,
    counted: Counted,
}

/// A queue of requests that make room for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Queued {
    Answered,
    /// Not answered, but no answer is owed.
    Idle,
}

/// The counters of the heap in which a request is included.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    claimed: bool,
    initializing: bool,
}

/// A side, and the value that ids have in common that are [like](Id::is_like) each other, or tokens that are the same.
///
/// The order of keys has no meaning. Their hashes come first, so that a search in a map compares little else.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key<'id> {
    hash: u64,
    is_client: bool,
    value: Value<'id>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Value<'id> {
    Integer(bool, u64),
    Text(Cow<'id, str>),
}

/// The text of an id.
#[derive(Debug)]
enum Text {
    /// As JSON.
    Json(Box<[u8]>),
    /// A text that stands for a long id, and its beginning as JSON, with an ellipsis.
    Long(String, Box<[u8]>),
}

/// Hashes of the ids of all requests, answered or not.
#[derive(Debug, Default)]
struct Issued {
    hashes: BTreeSet<u64>,
    /// True if an id could not be kept, so that a missing one proves nothing.
    has_lost: bool,
}

impl Heap {
    /// Creates a store that has no requests.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            requests: Vec::new(),
            ids: Index::NONE,
            tokens: BTreeMap::new(),
            has_lost_token: Sides { client: false, server: false },
            answered: VecDeque::new(),
            idle: VecDeque::new(),
            count: 0,
            claimed: 0,
            initializing: 0,
            issued: Issued::NONE,
            forgotten: None,
            pairing: Pairing::NONE,
            paired: None,
        }
    }

    pub(crate) const fn pairing(&self) -> Pairing {
        self.pairing
    }

    /// Returns the progress token of the request that the message is about, unless it is long.
    pub(crate) fn progress_token(&self) -> Option<Id<'_>> {
        let request = self.requests.get(self.paired?)?;
        request.tokens.last().and_then(|(_, token)| token.id())
    }

    /// Records that a side has issued an id, or one that could not be read.
    pub(crate) fn note_issued(&mut self, from: Role, id: Option<&Id<'_>>) {
        match id {
            Some(id) => self.issued.insert(from, id),
            None => self.issued.has_lost = true,
        }
    }

    /// Records that no answer is owed to the requests of a side in flight whose ids are like this one. Passes their numbers
    /// to `note`.
    pub(crate) fn excuse_alike(&mut self, from: Role, id: &Id<'_>, mut note: impl FnMut(u64)) {
        let places: Vec<usize> = self.ids.places(&Key::of(from, id), &self.requests).collect();
        for place in places {
            if let Some(request) = self.requests.get(place)
                && request.head.is_in_flight()
            {
                note(request.number);
                self.excuse(place);
            }
        }
    }

    /// Records that no answer is owed to the requests at this place.
    pub(crate) fn excuse(&mut self, place: usize) {
        if let Some(request) = self.requests.get_mut(place) {
            request.excuse();
            self.enqueue(place);
        }
    }

    /// Returns the requests whose answers are owed, with their numbers. A long id is shortened.
    pub(crate) fn owed(&self) -> impl Iterator<Item = (u64, InFlight<'_>)> {
        let owed = self.requests.iter().filter(|request| request.is_owed());
        let owed = owed.filter_map(|request| {
            Some((request.number, InFlight::with_id(&request.head, request.id.shown()?)))
        });
        owed.filter(|(_, request)| request.waits())
    }

    /// Returns whether the answer to a request at this place is owed.
    pub(crate) fn is_owed(&self, place: usize) -> bool {
        self.requests.get(place).is_some_and(Kept::is_owed)
    }

    fn queue_mut(&mut self, queue: Queued) -> &mut VecDeque<(usize, u64)> {
        match queue {
            Queued::Answered => &mut self.answered,
            Queued::Idle => &mut self.idle,
        }
    }

    /// Returns the first place in a queue that still belongs there, and removes it.
    fn dequeue(&mut self, queue: Queued) -> Option<usize> {
        while let Some((place, number)) = self.queue_mut(queue).pop_front() {
            let Some(request) = self.requests.get_mut(place) else { continue };
            if request.number == number {
                request.queued = None;
                if request.queue() == Some(queue) {
                    return Some(place);
                }
            }
        }
        None
    }

    /// Adds a place to the queue that it belongs in, once. Places that no longer belong in the queue are removed now and
    /// then, so that it stays short.
    fn enqueue(&mut self, place: usize) {
        let Some(request) = self.requests.get_mut(place) else { return };
        let Some(queue) = request.queue().filter(|queue| request.queued != Some(*queue)) else {
            return;
        };
        request.queued = Some(queue);
        let number = request.number;
        if self.queue_mut(queue).len() >= 2 * MOST {
            let mut all = core::mem::take(self.queue_mut(queue));
            all.retain(|&(place, number)| {
                let request = self.requests.get(place).filter(|one| one.number == number);
                request.is_some_and(|one| one.queued == Some(queue) && one.queue() == Some(queue))
            });
            *self.queue_mut(queue) = all;
        }
        self.queue_mut(queue).push_back((place, number));
    }

    /// Removes a request from the indexes.
    fn forget(&mut self, place: usize) {
        self.ids.remove(place, &self.requests);
        self.release_tokens(place);
    }

    /// Records that a request no longer uses its tokens.
    fn release_tokens(&mut self, place: usize) {
        let Some(request) = self.requests.get_mut(place) else { return };
        for (key, _) in core::mem::take(&mut request.tokens) {
            if let Some(users) = self.tokens.get_mut(&key) {
                users.remove(&request.number);
                if users.is_empty() {
                    self.tokens.remove(&key);
                }
            }
        }
    }

    fn use_token(&mut self, incoming: &Incoming<'_, '_>, place: usize) {
        let (Some(token), Some(request)) = (incoming.token, self.requests.get_mut(place)) else {
            return;
        };
        let key = Key::of_token(incoming.from, token).into_owned();
        if request.tokens.iter().any(|(own, _)| *own == key) {
            return;
        }
        if request.tokens.len() >= MOST_ALIKE {
            *self.has_lost_token.of_mut(incoming.from) = true;
            return;
        }
        self.tokens.entry(key.clone()).or_default().insert(request.number, place);
        request.tokens.push((key, Text::of(token)));
    }

    /// Returns the place that a request with this id takes over: that of a request in flight whose id is worth this one,
    /// or else that of another one with the same id. If there are many like it, that is any that is answered.
    fn replaced(&self, places: &[usize], id: &Id<'_>) -> Option<usize> {
        let find = |is_it: &dyn Fn(&Kept) -> bool| {
            let mut places = places.iter().copied();
            places.find(|place| self.requests.get(*place).is_some_and(is_it))
        };
        find(&|one| one.head.is_in_flight() && one.id.is(id, Same::Worth))
            .or_else(|| find(&|one| one.id.is(id, Same::Equal)))
            .or_else(|| find(&|one| one.head.state == State::Answered).filter(|_| are_many(places)))
    }

    /// Lets a request in flight share its place with one that has its id, and is now in flight as well.
    fn share(&mut self, place: usize, incoming: &Incoming<'_, '_>) {
        let Some(request) = self.requests.get_mut(place) else { return };
        request.others = Some(request.count());
        request.is_mixed |= request.head.method != incoming.method;
        // The answer to a request that was cancelled may still come.
        if request.head.state == State::Cancelled {
            request.excused = request.excused.saturating_add(1);
            request.head.take(incoming);
        }
        self.use_token(incoming, place);
        self.settle_counts(place);
    }

    /// Updates the counters that include the request at this place.
    fn settle_counts(&mut self, place: usize) {
        let Some(request) = self.requests.get_mut(place) else { return };
        let head = request.head;
        let counted = Counted {
            claimed: head.is_in_flight() && head.claimed,
            initializing: head.is_in_flight() && head.method == Some(KnownMethod::Initialize),
        };
        let before = core::mem::replace(&mut request.counted, counted);
        self.recount(before, counted);
    }

    fn recount(&mut self, before: Counted, now: Counted) {
        let count = |count: &mut usize, before: bool, now: bool| {
            *count = count.saturating_add(now.into()).saturating_sub(before.into());
        };
        count(&mut self.claimed, before.claimed, now.claimed);
        count(&mut self.initializing, before.initializing, now.initializing);
    }

    /// Returns a place for one more request.
    fn make_room(&mut self) -> Option<usize> {
        if self.requests.len() < MOST {
            return Some(self.requests.len());
        }
        self.dequeue(Queued::Answered).or_else(|| self.dequeue(Queued::Idle))
    }
}

/// Returns whether no more ids of one value are distinguished.
const fn are_many(places: &[usize]) -> bool {
    places.len() > MOST_ALIKE
}
