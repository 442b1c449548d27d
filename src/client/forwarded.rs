//! Forwarded requests with their original ids, and the storage for them.

use core::cmp::Ordering;
use core::fmt;

use super::pending::{PendingSlot, Slots};
use crate::bytes::copy;
use crate::envelope::{Id, Skimmer};
use crate::json::RawJson;
use crate::scan::Span;

/// A request that was forwarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forwarded<C, T> {
    /// The client that sent it.
    pub client: C,
    /// The value that was passed to [`begin`](super::ForwardedRequests::begin).
    pub value: T,
    pub(super) id: IdText,
}

impl<C, T> Forwarded<C, T> {
    /// Returns the id that the client gave it, byte for byte.
    #[must_use]
    pub fn id(&self) -> Id<'_> {
        self.id.as_id()
    }
}

/// The JSON text of an id, without a heap.
#[derive(Clone, Copy)]
#[expect(unnameable_types, reason = "only a sealed trait names it")]
pub struct IdText {
    text: [u8; Skimmer::LONGEST_ID],
    length: usize,
}

impl IdText {
    pub(super) fn new(id: &Id<'_>) -> Option<Self> {
        let (quote, inside): (&[u8], _) = match id {
            Id::String(text) => (b"\"", text.escaped_bytes()),
            Id::Number(number) => (b"", number.as_bytes()),
            Id::Null => (b"", &b"null"[..]),
        };
        let mut kept = Self { text: [0; Skimmer::LONGEST_ID], length: 0 };
        for part in [quote, inside, quote] {
            let end = kept.length.checked_add(part.len())?;
            copy(part, kept.text.get_mut(kept.length..end)?);
            kept.length = end;
        }
        Some(kept)
    }

    pub(super) fn as_id(&self) -> Id<'_> {
        Id::of(RawJson::at(&self.text, Span::new(0, self.length))).unwrap_or(Id::Null)
    }
}

impl PartialEq for IdText {
    fn eq(&self, other: &Self) -> bool {
        self.as_id() == other.as_id()
    }
}

impl Eq for IdText {}

impl PartialOrd for IdText {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for IdText {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_id().cmp(&other.as_id())
    }
}

impl fmt::Debug for IdText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.as_id(), f)
    }
}

/// Storage for forwarded requests: an array, a `&mut` slice, or with `alloc` a `HeapSlots`.
///
/// The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't store forwarded requests",
    label = "not a storage for forwarded requests",
    note = "use an array `[const {{ PendingSlot::EMPTY }}; N]`, a `&mut [PendingSlot<_>]` or a `HeapSlots` (feature `alloc`)"
)]
pub trait ForwardedSlots<C: PartialEq, T>: sealed::Storage<C, T> {}

pub(super) mod sealed {
    use super::{Forwarded, Id, IdText, Slots};

    /// The ways to find requests. These look at each slot.
    #[expect(unnameable_types, reason = "that is what seals the trait above")]
    pub trait Storage<C: PartialEq, T>: Slots<Forwarded<C, T>> {
        /// The part of a request that an index keeps.
        type Key;

        fn key(request: &Forwarded<C, T>) -> Self::Key;

        /// Adds a request that has begun to the index.
        fn note(&mut self, _: Self::Key, _own: u64) {}

        /// Removes a request that has ended from the index.
        fn forget(&mut self, _: &Forwarded<C, T>) {}

        /// Returns the number of requests that may be pending.
        fn limit(&self) -> usize {
            self.slots().len()
        }

        /// Returns the gateway's id of this request.
        fn find(&self, client: &C, id: &IdText) -> Option<u64> {
            let is_it = |request: &Forwarded<C, T>| request.client == *client && request.id == *id;
            self.next_where(0, is_it).map(|(own, _)| own)
        }

        /// Returns whether this client has a request with this id, or with one that is like it.
        fn has_like(&self, client: &C, id: &Id<'_>) -> bool {
            let is_like =
                |request: &Forwarded<C, T>| request.client == *client && request.id().is_like(id);
            self.next_where(0, is_like).is_some()
        }

        /// Returns the number of requests of this client.
        fn count(&self, client: &C) -> usize {
            let requests = self.slots().iter().filter_map(|slot| slot.0.as_ref());
            requests.filter(|waiting| waiting.request.client == *client).count()
        }

        /// Returns the gateway's id of a request of this client in a slot from this index, and the index after it.
        fn next_of(&self, client: &C, from: usize) -> Option<(u64, usize)> {
            self.next_where(from, |request| request.client == *client)
        }

        /// Returns the gateway's id of the first request from this index that is such, and the index after it.
        fn next_where(
            &self,
            from: usize,
            is_such: impl Fn(&Forwarded<C, T>) -> bool,
        ) -> Option<(u64, usize)> {
            self.slots().iter().enumerate().skip(from).find_map(|(at, slot)| {
                let waiting = slot.0.as_ref().filter(|waiting| is_such(&waiting.request))?;
                Some((waiting.id, at.saturating_add(1)))
            })
        }
    }
}

impl<C: PartialEq, T, const N: usize> ForwardedSlots<C, T> for [PendingSlot<Forwarded<C, T>>; N] {}

impl<C: PartialEq, T, const N: usize> sealed::Storage<C, T> for [PendingSlot<Forwarded<C, T>>; N] {
    type Key = ();

    fn key(_: &Forwarded<C, T>) {}
}

impl<C: PartialEq, T> ForwardedSlots<C, T> for &mut [PendingSlot<Forwarded<C, T>>] {}

impl<C: PartialEq, T> sealed::Storage<C, T> for &mut [PendingSlot<Forwarded<C, T>>] {
    type Key = ();

    fn key(_: &Forwarded<C, T>) {}
}
