//! The table of pending requests in lent slots, and the answers to them.

use core::fmt;

use crate::cast::u64_from;
use crate::envelope::{Fault, Id, Message, Response};
use crate::stream::Received;

/// Requests that were sent and are waiting for their answers.
///
/// `T` is a value that the caller needs when the answer arrives: a method, a waker, a channel. See the
/// [module](super) for an example.
///
/// The slot of an id is the id modulo the number of slots, so no search is needed to find a request. Ids
/// whose slot is in use are skipped. With few free slots, [`begin`](Self::begin) may skip many.
///
/// The slots are an array or a slice that is lent, or with feature `alloc` a `Vec`, which grows and is the default.
#[derive(Clone, Debug)]
pub struct PendingRequests<
    T,
    #[cfg(feature = "alloc")] S = alloc::vec::Vec<PendingSlot<T>>,
    #[cfg(not(feature = "alloc"))] S,
> {
    slots: S,
    /// The next candidate for an id.
    next_id: u64,
    /// The lowest id.
    first_id: u64,
    /// The number of slots in use.
    len: usize,
    matching: IdMatching,
    request: core::marker::PhantomData<T>,
}

/// The error when all slots are in use. The request has not begun, and is returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "there is nothing more to know")]
pub struct Full<T>(pub T);

impl<T> fmt::Display for Full<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("too many requests wait for their answers")
    }
}

impl<T: fmt::Debug> core::error::Error for Full<T> {}

impl<T, S: Slots<T>> PendingRequests<T, S> {
    /// Creates a table, whose ids begin with 1. The slots are emptied, so slots of an earlier table can be lent again.
    #[must_use]
    pub fn new(mut slots: S) -> Self {
        for slot in slots.slots_mut() {
            slot.0 = None;
        }
        Self {
            slots,
            next_id: 1,
            first_id: 1,
            len: 0,
            matching: IdMatching::Exact,
            request: core::marker::PhantomData,
        }
    }

    /// Sets how ids are compared (default: [`IdMatching::Exact`]).
    #[must_use]
    pub fn with_id_matching(self, matching: IdMatching) -> Self {
        Self { matching, ..self }
    }

    /// Sets the first id (default: 1; 0 counts as 1). Call it before any request begins. After the last number, ids
    /// continue with 1. Choose an id far below 2^53: other peers round larger ones.
    ///
    /// If both sides of a connection send requests, both usually begin with 1. Then a broken frame can be meant as an
    /// answer or as a request, and both have the same id. With a first id like 1,000,000,000, an id shows which side gave
    /// it out.
    #[must_use]
    pub fn with_first_id(self, id: u64) -> Self {
        let first_id = id.max(1);
        Self { next_id: first_id, first_id, ..self }
    }

    /// Begins a request, and returns the id to send it with.
    ///
    /// # Errors
    ///
    /// Returns [`Full`] if all slots are in use and the storage cannot grow.
    pub fn begin(&mut self, request: T) -> Result<u64, Full<T>> {
        let slots = self.slots.slots().len();
        // If memory has run out, use the last free slots too.
        if self.len >= S::most_in_use(slots) && !self.grow() && self.len >= slots {
            return Err(Full(request));
        }
        // One of the next ids has a free slot.
        loop {
            let id = self.next_id;
            self.next_id = id.wrapping_add(1).max(1);
            if let Some(slot) = self.slot_mut(id)
                && slot.0.is_none()
            {
                slot.0 = Some(Waiting { id, request });
                self.len = self.len.saturating_add(1);
                return Ok(id);
            }
        }
    }

    /// Returns the value of a pending request, or `None` if the request is not pending.
    #[must_use]
    pub fn get(&self, id: u64) -> Option<&T> {
        let waiting = self.slots.slots().get(self.index_of(id)?)?.0.as_ref()?;
        (waiting.id == id).then_some(&waiting.request)
    }

    /// Ends a request without an answer, and returns the value passed to [`begin`](Self::begin). Returns
    /// `None` if the request is not pending.
    ///
    /// A later answer is [stale](Answer::Stale). Telling the peer is up to the caller: MCP has
    /// `notifications/cancelled`.
    pub fn cancel(&mut self, id: u64) -> Option<T> {
        let slot = self.slot_mut(id)?;
        let waiting = slot.0.take_if(|waiting| waiting.id == id)?;
        self.len = self.len.saturating_sub(1);
        Some(waiting.request)
    }

    /// Returns the answer that the received frame gives, and ends the answered request. `None` means that the
    /// frame is not an answer: a request, a notification, a batch, or a fault that ends no request.
    ///
    /// Pass the elements of a batch one by one to [`response`](Self::response) and [`fault`](Self::fault).
    pub fn receive<'buf>(&mut self, received: &Received<'buf>) -> Option<Answer<'buf, T>> {
        match received {
            Received::Message { message: Message::Response(response), .. } => {
                Some(self.response(response))
            }
            received => {
                let fault = *received.fault()?;
                let (id, request) = self.fault(&fault)?;
                Some(Answer::Broken { id, request, fault })
            }
        }
    }

    /// Returns the answer that the response gives, and ends the answered request.
    pub fn response<'buf>(&mut self, response: &Response<'buf>) -> Answer<'buf, T> {
        let response = *response;
        let Some(id) = response.id().and_then(|id| self.matching.issued(&id)) else {
            return Answer::Unknown(response);
        };
        match self.cancel(id) {
            Some(request) => Answer::Response { id, request, response },
            None if (self.first_id..self.next_id).contains(&id) => Answer::Stale(response),
            None => Answer::Unknown(response),
        }
    }

    /// Returns the request that a broken response would have answered, and ends it.
    ///
    /// A frame counts as a response if it has a `result` or an `error`. It also counts if it has the id of a
    /// pending request, and none of `result`, `error`, `method` and `params`: a sender that drops undefined values leaves
    /// that of a response. `Method`, `metod` and `Params` count as misspelled members of a request, but not in an oversized
    /// frame, whose names are no longer known.
    pub fn fault(&mut self, fault: &Fault<'_>) -> Option<(u64, T)> {
        let id = self.issued_in(fault)?;
        // Looked up first: to tell that a frame has no method, all of it is read again.
        self.slot_mut(id)?.0.as_ref().filter(|waiting| waiting.id == id)?;
        let is_answer = fault.may_be_response() || fault.is_no_call();
        Some((id, is_answer.then(|| self.cancel(id))??))
    }

    /// Returns whether a frame with this id may answer a pending request, for peers that are careless about ids: the
    /// id is [like](Id::is_like) the id of one, as `1.0` and `"1"` are like 1.
    #[must_use]
    pub fn may_answer(&self, id: &Id<'_>) -> bool {
        IdMatching::Lenient.issued(id).is_some_and(|id| self.get(id).is_some())
    }

    /// Returns the number that an id of the peer stands for, if it can stand for one that was given out.
    pub(super) fn issued(&self, id: &Id<'_>) -> Option<u64> {
        self.matching.issued(id)
    }

    pub(super) const fn storage(&self) -> &S {
        &self.slots
    }

    pub(super) const fn storage_mut(&mut self) -> &mut S {
        &mut self.slots
    }

    /// Returns the id of the faulty frame, if it can stand for one that was given out.
    fn issued_in(&self, fault: &Fault<'_>) -> Option<u64> {
        self.matching.issued(&Id::of(fault.id()?)?)
    }

    /// Ends all requests, for example when the connection is lost, and returns them with their ids, in no
    /// particular order. Requests that the iterator has not reached when it is dropped stay pending.
    pub fn drain(&mut self) -> impl Iterator<Item = (u64, T)> {
        let Self { slots, len, .. } = self;
        slots.slots_mut().iter_mut().filter_map(|slot| {
            let waiting = slot.0.take()?;
            *len = len.saturating_sub(1);
            Some((waiting.id, waiting.request))
        })
    }

    /// Returns the pending requests with their ids, in no particular order.
    pub fn iter<'a>(&'a self) -> impl Iterator<Item = (u64, &'a T)>
    where
        T: 'a,
    {
        let slots = self.slots.slots().iter();
        slots.filter_map(|slot| slot.0.as_ref().map(|waiting| (waiting.id, &waiting.request)))
    }

    /// Returns the number of pending requests.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns whether no request is pending.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the index of an id's slot, or `None` if there are no slots.
    fn index_of(&self, id: u64) -> Option<usize> {
        let index = id.checked_rem(u64_from(self.slots.slots().len()))?;
        usize::try_from(index).ok()
    }

    fn slot_mut(&mut self, id: u64) -> Option<&mut PendingSlot<T>> {
        let index = self.index_of(id)?;
        self.slots.slots_mut().get_mut(index)
    }

    /// Adds slots if the storage can grow, and returns whether it could.
    fn grow(&mut self) -> bool {
        let before = self.slots.slots().len();
        if !self.slots.grow() {
            return false;
        }
        // The number of slots has doubled. So each request either stays in its slot or moves to the new slot
        // `before` places further.
        for index in 0..before {
            let moved = self.slots.slots_mut().get_mut(index).and_then(|slot| slot.0.take());
            if let Some(waiting) = moved
                && let Some(slot) = self.slot_mut(waiting.id)
            {
                slot.0 = Some(waiting);
            }
        }
        true
    }
}

/// The way to compare the id of a response with the ids of pending requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[expect(clippy::exhaustive_enums, reason = "an id is compared exactly or it is not")]
pub enum IdMatching {
    /// Accept only the id as it was sent (JSON-RPC 2.0, section 5).
    Exact,
    /// Also accept a string with the same digits or a number of the same value: `"3"` or `3.0` for `3`. This
    /// is for peers that rewrite ids. All ids given out are integers, so this is never ambiguous.
    Lenient,
}

impl IdMatching {
    /// Returns the id that was given out, if `id` can stand for one.
    fn issued(self, id: &Id<'_>) -> Option<u64> {
        let (is_negative, value) = match self {
            Self::Exact => match id {
                Id::Number(number) if number.is_plain_integer() => number.integer()?,
                _ => return None,
            },
            Self::Lenient => id.like_integer()?,
        };
        (!is_negative).then_some(value)
    }
}

/// A response, well-formed or broken, with the request that it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answer<'buf, T> {
    /// A response to a pending request.
    #[non_exhaustive]
    Response {
        /// The id of the request.
        id: u64,
        /// The value passed to [`begin`](super::PendingRequests::begin).
        request: T,
        /// The response.
        response: Response<'buf>,
    },
    /// A frame that is not a legal response, but would have answered this request. The request has ended, and
    /// no other answer will follow.
    #[non_exhaustive]
    Broken {
        /// The id of the request.
        id: u64,
        /// The value passed to [`begin`](super::PendingRequests::begin).
        request: T,
        /// The fault of the frame.
        fault: Fault<'buf>,
    },
    /// A response to a request that is no longer pending: it was cancelled or already answered. Ids that were
    /// left out, because their slot was in use, count as well.
    Stale(Response<'buf>),
    /// A response with an id that is not among those given out so far, or an error without an id because the peer could
    /// not read the id of a request.
    Unknown(Response<'buf>),
}

#[cfg(feature = "alloc")]
impl<T> Default for PendingRequests<T> {
    /// Creates a table that grows, whose ids begin with 1.
    fn default() -> Self {
        Self::new(alloc::vec::Vec::new())
    }
}

/// Storage for one pending request.
#[derive(Clone, Debug)]
pub struct PendingSlot<T>(pub(super) Option<Waiting<T>>);

/// A pending request.
#[derive(Clone, Debug)]
pub(super) struct Waiting<T> {
    pub(super) id: u64,
    pub(super) request: T,
}

impl<T> Default for PendingSlot<T> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<T> PendingSlot<T> {
    /// An empty slot.
    pub const EMPTY: Self = Self(None);
}

/// Storage for slots: an array, a `&mut` slice, or with `alloc` a `Vec`, which grows.
///
/// The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't store pending requests",
    label = "not a storage for slots",
    note = "use an array `[const {{ PendingSlot::EMPTY }}; N]`, a `&mut [PendingSlot<T>]` or a `Vec<PendingSlot<T>>` (feature `alloc`)"
)]
pub trait Slots<T>: sealed::Slots<T> {}

pub(super) mod sealed {
    use super::PendingSlot;

    #[expect(unnameable_types, reason = "that is what seals the trait above")]
    pub trait Slots<T> {
        fn slots(&self) -> &[PendingSlot<T>];

        fn slots_mut(&mut self) -> &mut [PendingSlot<T>];

        /// Returns the number of slots that may be in use before the storage grows.
        fn most_in_use(slots: usize) -> usize {
            slots
        }

        /// Doubles the number of slots, or creates the first ones, and returns whether it could. The new
        /// slots are empty and come last.
        fn grow(&mut self) -> bool {
            false
        }
    }
}

impl<T, const N: usize> Slots<T> for [PendingSlot<T>; N] {}

impl<T, const N: usize> sealed::Slots<T> for [PendingSlot<T>; N] {
    fn slots(&self) -> &[PendingSlot<T>] {
        self
    }

    fn slots_mut(&mut self) -> &mut [PendingSlot<T>] {
        self
    }
}

impl<T> Slots<T> for &mut [PendingSlot<T>] {}

impl<T> sealed::Slots<T> for &mut [PendingSlot<T>] {
    fn slots(&self) -> &[PendingSlot<T>] {
        self
    }

    fn slots_mut(&mut self) -> &mut [PendingSlot<T>] {
        self
    }
}

#[cfg(feature = "alloc")]
impl<T> Slots<T> for alloc::vec::Vec<PendingSlot<T>> {}

#[cfg(feature = "alloc")]
impl<T> sealed::Slots<T> for alloc::vec::Vec<PendingSlot<T>> {
    fn slots(&self) -> &[PendingSlot<T>] {
        self
    }

    fn slots_mut(&mut self) -> &mut [PendingSlot<T>] {
        self
    }

    /// A quarter of the slots stays free, so that a free one is always near.
    fn most_in_use(slots: usize) -> usize {
        slots.saturating_sub(slots / 4)
    }

    fn grow(&mut self) -> bool {
        let more = if self.is_empty() { FIRST_SLOTS } else { self.len() };
        if self.try_reserve(more).is_err() {
            return false;
        }
        self.extend(core::iter::repeat_with(|| PendingSlot::EMPTY).take(more));
        true
    }
}

/// The number of slots that an empty vector grows to.
#[cfg(feature = "alloc")]
const FIRST_SLOTS: usize = 8;

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use crate::client::{Answer, IdMatching, PendingRequests, PendingSlot};
    use crate::{Message, Profile};

    /// This happens in programs that run for ever, and in programs that continue an earlier count. The number of slots
    /// is not a power of two, so the slots of the ids on both sides of the end are not neighbours.
    #[test]
    fn ids_go_on_at_one_after_the_last() {
        for matching in [IdMatching::Exact, IdMatching::Lenient] {
            let mut pending =
                PendingRequests::new([const { PendingSlot::EMPTY }; 5]).with_id_matching(matching);
            pending.next_id = u64::MAX - 2;
            let ids: Vec<_> = (0..5).map(|number| pending.begin(number).unwrap()).collect();
            assert!(pending.begin(5).is_err());
            assert_eq!(ids[..3], [u64::MAX - 2, u64::MAX - 1, u64::MAX]);
            assert!(ids[3..].is_sorted() && ids[3] >= 1 && ids[4] < 10);
            for (number, id) in (0..5).zip(ids) {
                let text = std::format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
                let message = Message::parse(text.as_bytes(), &Profile::JSON_RPC);
                let Ok(Message::Response(response)) = message else { panic!("{text}") };
                let answer = pending.response(&response);
                assert!(
                    matches!(answer, Answer::Response { id: answered, request, .. }
                        if answered == id && request == number),
                    "{answer:?}"
                );
            }
            assert!(pending.is_empty());
            let beyond = br#"{"jsonrpc":"2.0","id":18446744073709551616,"result":{}}"#;
            let Ok(Message::Response(beyond)) = Message::parse(beyond, &Profile::JSON_RPC) else {
                panic!()
            };
            assert!(matches!(pending.response(&beyond), Answer::Unknown(_)));
        }
    }
}
