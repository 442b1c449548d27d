//! Requests on the heap, for programs that have an allocator: every search takes the same time, however many requests
//! are remembered.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tautline::Id;

use super::request::{Head, InFlight, Part, Remembered, Same, State};
use super::slot::hash_of;
use super::{Incoming, Sides, Store};
use crate::{CallView, KnownMethod, Role};

/// The number of requests that are remembered, answered or not.
const MOST: usize = 1 << 15;
/// The number of ids of one value that are distinguished by their spelling, and of the requests with one progress token
/// that are searched.
const MOST_ALIKE: usize = 8;
/// The number of ids that are remembered as issued.
const MOST_ISSUED: usize = 1 << 16;
/// The length of an id whose text is kept, in bytes.
const LONGEST: usize = 256;

/// The requests in flight of a [`Session`](crate::session::Session), on the heap.
///
/// It remembers up to 32,768 requests, answered or not, and up to 65,536 ids. If more are in flight, the session reports
/// them as [untracked](crate::rule::UNTRACKED_REQUEST). Requests with one id that wait at the same time share their
/// place. An id of more than 256 bytes is kept as a hash.
#[derive(Debug, Default)]
pub struct Heap {
    requests: Vec<Kept>,
    /// The places of the requests of a side, by what their ids are like.
    ids: BTreeMap<Key, Places>,
    /// The requests that use a progress token: their places, by their numbers.
    tokens: BTreeMap<Key, BTreeMap<u64, usize>>,
    /// The places and numbers of the requests that were answered, the oldest first.
    answered: VecDeque<(usize, u64)>,
    /// The same for those that were cancelled or made a task.
    idle: VecDeque<(usize, u64)>,
    /// The number of requests so far.
    count: u64,
    /// The number of requests in flight that have named their version, and of those that are `initialize`.
    claimed: usize,
    initializing: usize,
    issued: Issued,
    pairing: Pairing,
    /// The place of the request that the message is about.
    paired: Option<usize>,
}

/// The request that a message is, answers, cancels, or reports on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pairing {
    number: Option<u64>,
    method: Option<KnownMethod>,
    is_shared: bool,
    is_last: bool,
    /// True if the notification names an id that no request of the side has had.
    never_issued: Sides<bool>,
}

impl Pairing {
    /// Returns the number of the request, by which facts about it can be kept: the first request of a session has the
    /// number 1. Requests with one id that wait at the same time have one number. It is `None` if the message
    /// concerns no remembered request.
    #[must_use]
    pub const fn number(&self) -> Option<u64> {
        self.number
    }

    /// Returns the method of the request, if MCP defines it. Requests with one id and
    /// different methods have none.
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

    /// Returns whether the notification names a request of this side, and the side has surely never sent one with the id.
    pub(crate) const fn is_never_issued(&self, side: Role) -> bool {
        *self.never_issued.of(side)
    }
}

/// A remembered request.
#[derive(Debug)]
pub struct Kept {
    head: Head,
    key: Key,
    /// The id as JSON text or, if it is long, a text that stands for it.
    id: Text,
    /// Few requests have one.
    token: Option<Box<(Key, Text)>>,
    number: u64,
    /// The number of other requests with its id that wait, if there has been one.
    others: Option<u32>,
    /// True if their methods differ.
    is_mixed: bool,
    /// True if an answered request with this id, which it replaces, has opened a subscription.
    has_subscribed: bool,
    /// True if one of them did not name its version.
    was_unclaimed: bool,
    /// True if it need not be answered.
    is_excused: bool,
    counted: Counted,
}

/// The counters of the heap in which a request is included.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    claimed: bool,
    initializing: bool,
}

/// A side, and what ids have in common that are [like](Id::is_like) each other, or tokens that are the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key(bool, Value);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    Integer(bool, u64),
    Text(String),
}

/// The text of an id.
#[derive(Debug)]
enum Text {
    /// As JSON.
    Json(Box<[u8]>),
    /// A text that stands for a long id.
    Long(String),
}

/// The places of requests whose ids are like each other.
#[derive(Debug)]
struct Places {
    first: usize,
    others: Vec<usize>,
}

/// Hashes of the ids of all requests, answered or not.
#[derive(Debug, Default)]
struct Issued {
    hashes: BTreeSet<(bool, u64)>,
    /// True if an id could not be kept, so that a missing one proves nothing.
    has_lost: bool,
}

impl Key {
    fn of(from: Role, id: &Id<'_>) -> Self {
        let value = match (id.like_integer(), id) {
            (Some((is_negative, magnitude)), _) => Value::Integer(is_negative, magnitude),
            (None, _) => Value::Text(Text::shortened(id)),
        };
        Self(from == Role::Client, value)
    }

    /// Returns a key that is equal for tokens that are the [same](Same::Worth).
    fn of_token(from: Role, token: &Id<'_>) -> Self {
        let value = match token.integer() {
            Some((is_negative, magnitude)) => Value::Integer(is_negative, magnitude),
            None => Value::Text(Text::long(token)),
        };
        Self(from == Role::Client, value)
    }
}

impl Text {
    fn of(id: &Id<'_>) -> Self {
        let (quote, text) = match id {
            Id::String(text) => (&b"\""[..], text.escaped_bytes()),
            Id::Number(number) => (&b""[..], number.as_bytes()),
            Id::Null => (&b""[..], &b"null"[..]),
        };
        if text.len() > LONGEST {
            return Self::Long(Self::long(id));
        }
        Self::Json([quote, text, quote].concat().into())
    }

    /// Returns a text that stands for a long id: ids that are equal have the same.
    fn long(id: &Id<'_>) -> String {
        let kind = if matches!(id, Id::String(_)) { '"' } else { ' ' };
        format!("{kind}{}", Self::shortened(id))
    }

    /// Returns the decoded text of an id or, if it is long, a hash of it.
    fn shortened(id: &Id<'_>) -> String {
        match id {
            Id::String(text) => crate::hash::name_of(*text),
            Id::Number(number) => crate::hash::shortened(number.as_str().unwrap_or_default()),
            Id::Null => "null".to_owned(),
        }
    }

    fn id(&self) -> Option<Id<'_>> {
        match self {
            Self::Json(text) => Id::parse(text),
            Self::Long(_) => None,
        }
    }

    fn is(&self, id: &Id<'_>, same: Same) -> bool {
        match (self, self.id()) {
            (_, Some(own)) if same == Same::Worth => own.is_worth(id),
            (_, Some(own)) => own == *id,
            (Self::Long(own), None) => *own == Self::long(id),
            (Self::Json(_), None) => false,
        }
    }
}

impl Places {
    fn iter(&self) -> impl Iterator<Item = usize> {
        core::iter::once(self.first).chain(self.others.iter().copied())
    }
}

impl Issued {
    fn insert(&mut self, from: Role, id: &Id<'_>) {
        if self.hashes.len() < MOST_ISSUED {
            self.hashes.insert(Self::key(from, id));
        } else {
            self.has_lost = true;
        }
    }

    fn surely_lacks(&self, from: Role, id: &Id<'_>) -> bool {
        !self.has_lost && !self.hashes.contains(&Self::key(from, id))
    }

    fn key(from: Role, id: &Id<'_>) -> (bool, u64) {
        let hash = match (id.integer(), id) {
            (Some((is_negative, magnitude)), _) => {
                crate::hash::mix(magnitude ^ u64::from(is_negative) << 63)
            }
            (None, Id::String(text)) => !crate::hash::of_text(*text),
            (None, Id::Number(number)) => crate::hash::of_bytes(number.as_bytes()),
            (None, Id::Null) => 0,
        };
        (from == Role::Client, hash)
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
        match part {
            Part::Id => self.id.is(id, same) || self.is_shared() && self.id.is(id, Same::Worth),
            Part::Token => self.token.as_ref().is_some_and(|token| token.1.is(id, same)),
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

impl Heap {
    /// Creates a store that has no requests.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            requests: Vec::new(),
            ids: BTreeMap::new(),
            tokens: BTreeMap::new(),
            answered: VecDeque::new(),
            idle: VecDeque::new(),
            count: 0,
            claimed: 0,
            initializing: 0,
            issued: Issued { hashes: BTreeSet::new(), has_lost: false },
            paired: None,
            pairing: Pairing {
                number: None,
                method: None,
                is_shared: false,
                is_last: true,
                never_issued: Sides { client: false, server: false },
            },
        }
    }

    pub(crate) const fn pairing(&self) -> Pairing {
        self.pairing
    }

    /// Returns the progress token of the request that the message is about, unless it is long.
    pub(crate) fn progress_token(&self) -> Option<Id<'_>> {
        let request = self.requests.get(self.paired?)?;
        request.token.as_ref().and_then(|token| token.1.id())
    }

    /// Records that a side has issued an id, or one that could not be read.
    pub(crate) fn note_issued(&mut self, from: Role, id: Option<&Id<'_>>) {
        match id {
            Some(id) => self.issued.insert(from, id),
            None => self.issued.has_lost = true,
        }
    }

    /// Records that the requests of a side in flight whose ids are like this one need not be answered.
    pub(crate) fn excuse_alike(&mut self, from: Role, id: &Id<'_>, mut note: impl FnMut(u64)) {
        let Some(places) = self.ids.get(&Key::of(from, id)) else { return };
        for place in places.iter() {
            if let Some(request) = self.requests.get_mut(place)
                && request.head.is_in_flight()
            {
                request.is_excused = true;
                note(request.number);
            }
        }
    }

    /// Records that a request need not be answered.
    pub(crate) fn excuse(&mut self, place: usize) {
        if let Some(request) = self.requests.get_mut(place) {
            request.is_excused = true;
        }
    }

    /// Returns the requests whose answers are owed, with their numbers.
    pub(crate) fn owed(&self) -> impl Iterator<Item = (u64, InFlight<'_>)> {
        let owed = self.requests.iter().filter(|request| !request.is_excused);
        let owed = owed.filter_map(|request| Some((request.number, InFlight::of(request)?)));
        owed.filter(|(_, request)| request.waits())
    }

    /// Returns whether the answer to the request at this place is owed.
    pub(crate) fn is_owed(&self, place: usize) -> bool {
        let request = self.requests.get(place);
        request.is_some_and(|one| one.head.state == State::InFlight && !one.is_excused)
    }

    /// Returns the last place in a queue that still is what it was when it was added, and removes it.
    fn take_from(
        queue: &mut VecDeque<(usize, u64)>,
        requests: &[Kept],
        is_free: impl Fn(&Kept) -> bool,
    ) -> Option<usize> {
        while let Some((place, number)) = queue.pop_front() {
            let request = requests.get(place).filter(|request| request.number == number);
            if request.is_some_and(&is_free) {
                return Some(place);
            }
        }
        None
    }

    /// Adds a place to a queue. Places that are no longer what they were are removed now and then, so that the queue
    /// stays short.
    fn add_to(
        queue: &mut VecDeque<(usize, u64)>,
        requests: &[Kept],
        place: usize,
        is_free: impl Fn(&Kept) -> bool,
    ) {
        if queue.len() >= 2 * MOST {
            queue.retain(|&(place, number)| {
                requests.get(place).is_some_and(|one| one.number == number && is_free(one))
            });
        }
        if let Some(request) = requests.get(place) {
            queue.push_back((place, request.number));
        }
    }

    /// Removes a request from the index of ids.
    fn forget(&mut self, place: usize) {
        let Some(key) = self.requests.get(place).map(|request| &request.key) else { return };
        if let Some(places) = self.ids.get_mut(key) {
            places.others.retain(|other| *other != place);
            if places.first == place {
                match places.others.pop() {
                    Some(other) => places.first = other,
                    None => drop(self.ids.remove(key)),
                }
            }
        }
        self.release_token(place);
    }

    /// Records that a request no longer uses its token.
    fn release_token(&mut self, place: usize) {
        let Some(request) = self.requests.get_mut(place) else { return };
        if let Some(token) = request.token.take()
            && let Some(users) = self.tokens.get_mut(&token.0)
        {
            users.remove(&request.number);
            if users.is_empty() {
                self.tokens.remove(&token.0);
            }
        }
    }

    fn use_token(&mut self, from: Role, token: &Id<'_>, place: usize) {
        if let Some(request) = self.requests.get_mut(place) {
            let key = Key::of_token(from, token);
            self.tokens.entry(key.clone()).or_default().insert(request.number, place);
            request.token = Some(Box::new((key, Text::of(token))));
        }
    }

    /// Returns the place that a request with this id takes over: that of a request in flight whose id is worth this one,
    /// or else that of another one with the same id. If there are many like it, that is any that is not in flight.
    fn replaced(&self, key: &Key, id: &Id<'_>) -> Option<usize> {
        let places = self.ids.get(key)?;
        let find = |is_it: &dyn Fn(&Kept) -> bool| {
            places.iter().find(|place| self.requests.get(*place).is_some_and(is_it))
        };
        find(&|one| one.head.is_in_flight() && one.id.is(id, Same::Worth))
            .or_else(|| find(&|one| one.id.is(id, Same::Equal)))
            .or_else(|| {
                let is_full = places.others.len() >= MOST_ALIKE;
                find(&|one| one.head.state == State::Answered).filter(|_| is_full)
            })
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
        let count = |count: &mut usize, before: bool, now: bool| {
            *count = count.saturating_add(now.into()).saturating_sub(before.into());
        };
        count(&mut self.claimed, before.claimed, counted.claimed);
        count(&mut self.initializing, before.initializing, counted.initializing);
    }

    /// Returns a place for one more request.
    fn make_room(&mut self, forgot_task: &mut Sides<bool>) -> Option<usize> {
        let (requests, is_answered) =
            (&self.requests, |one: &Kept| one.head.state == State::Answered);
        let place = Self::take_from(&mut self.answered, requests, is_answered).or_else(|| {
            let is_idle = |one: &Kept| matches!(one.head.state, State::Cancelled | State::Task);
            Self::take_from(&mut self.idle, requests, is_idle)
        })?;
        if let Some(head) = self.requests.get(place).map(|request| request.head) {
            *forgot_task.of_mut(head.from) |= head.state == State::Task;
        }
        self.forget(place);
        Some(place)
    }
}

impl Store for Heap {
    type Request = Kept;

    fn insert(
        &mut self,
        incoming: &Incoming<'_, '_>,
        _answers: u32,
        forgot_task: &mut Sides<bool>,
    ) -> Option<usize> {
        let &Incoming { from, method, id, token } = incoming;
        self.issued.insert(from, id);
        let key = Key::of(from, id);
        let same = self.replaced(&key, id);
        if let Some(place) = same
            && let Some(request) = self.requests.get_mut(place)
            && request.head.is_in_flight()
        {
            request.others = Some(request.others.map_or(1, |others| others.saturating_add(1)));
            request.is_mixed |= request.head.method != method;
            // The answer to a request that was cancelled may still come.
            if request.head.state == State::Cancelled {
                request.head.take(incoming);
                self.settle_counts(place);
            }
            // The token of one of them is remembered.
            *forgot_task.of_mut(from) |= token.is_some();
            return Some(place);
        }
        // An unanswered request that is replaced keeps its number, by which facts about it are replaced as well.
        let before = same.and_then(|place| self.requests.get(place));
        let equal = before.filter(|before| before.id.is(id, Same::Equal));
        let has_subscribed = equal.is_some_and(Remembered::subscribes);
        let was_unclaimed = equal.is_some_and(Remembered::is_unclaimed);
        let number = match before {
            Some(before) if before.head.state != State::Answered => before.number,
            _ => {
                self.count = self.count.saturating_add(1);
                self.count
            }
        };
        let mut head = Head::FREE;
        head.take(incoming);
        let request = Kept {
            head,
            key: key.clone(),
            id: Text::of(id),
            token: None,
            number,
            others: None,
            is_mixed: false,
            has_subscribed,
            was_unclaimed,
            is_excused: false,
            counted: Counted::default(),
        };
        let place = match same {
            Some(place) => {
                self.forget(place);
                place
            }
            None if self.ids.get(&key).is_some_and(|all| all.others.len() >= MOST_ALIKE) => {
                return None;
            }
            None if self.requests.len() < MOST => self.requests.len(),
            None => self.make_room(forgot_task)?,
        };
        match self.requests.get_mut(place) {
            Some(old) => {
                let counted = old.counted;
                *old = request;
                self.claimed = self.claimed.saturating_sub(counted.claimed.into());
                self.initializing = self.initializing.saturating_sub(counted.initializing.into());
            }
            None => self.requests.push(request),
        }
        match self.ids.get_mut(&key) {
            Some(places) => places.others.push(place),
            None => drop(self.ids.insert(key, Places { first: place, others: Vec::new() })),
        }
        if let Some(token) = token {
            self.use_token(from, token, place);
        }
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
        match part {
            Part::Id => {
                let places = self.ids.get(&Key::of(from, id)).into_iter().flat_map(Places::iter);
                for place in places {
                    if let Some(request) = self.requests.get(place) {
                        visit(place, request);
                    }
                }
            }
            Part::Token => {
                let users = self.tokens.get(&Key::of_token(from, id));
                let newest = users.into_iter().flat_map(BTreeMap::values).rev();
                for place in newest.take(MOST_ALIKE).copied() {
                    if let Some(request) = self.requests.get(place) {
                        visit(place, request);
                    }
                }
            }
        }
    }

    fn alike(&self, from: Role, id: &Id<'_>) -> Option<usize> {
        let places = self.ids.get(&Key::of(from, id))?.iter();
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
        users.is_some_and(|users| users.len() > MOST_ALIKE)
    }

    fn settle(&mut self, place: usize) {
        let Some(request) = self.requests.get_mut(place) else { return };
        let others = request.others.and_then(|others| others.checked_sub(1));
        match (request.head.state, others) {
            (State::Answered, Some(others)) => {
                // Another request with the id still waits.
                request.others = Some(others);
                request.head.state = State::InFlight;
            }
            (State::Cancelled, Some(_)) => {
                // Each of them may still be answered.
                request.is_excused = true;
                request.head.state = State::InFlight;
            }
            _ => {}
        }
        let state = request.head.state;
        self.settle_counts(place);
        match state {
            State::Answered => {
                self.release_token(place);
                let is_answered = |one: &Kept| one.head.state == State::Answered;
                Self::add_to(&mut self.answered, &self.requests, place, is_answered);
            }
            State::Cancelled | State::Task => {
                let is_idle = |one: &Kept| matches!(one.head.state, State::Cancelled | State::Task);
                Self::add_to(&mut self.idle, &self.requests, place, is_idle);
            }
            State::Free | State::InFlight => {}
        }
    }

    fn pair(&mut self, place: Option<usize>) {
        self.paired = place;
        let request = place.and_then(|place| self.requests.get(place));
        self.pairing = Pairing {
            number: request.map(|request| request.number),
            method: request.filter(|request| !request.is_mixed).and_then(|one| one.head.method),
            is_shared: request.is_some_and(|request| request.others.is_some()),
            is_last: request.is_none_or(|request| !request.is_shared()),
            ..Pairing::default()
        };
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
