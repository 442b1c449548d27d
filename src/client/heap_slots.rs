//! Storage for forwarded requests on the heap, with an index.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::forwarded::{Forwarded, ForwardedSlots, IdText, sealed};
use super::pending::{self, PendingSlot, Slots};
use crate::envelope::Id;

/// Storage for forwarded requests that grows up to a limit, and finds each in logarithmic time.
///
/// ```
/// use tautline::Id;
/// use tautline::client::{BeginError, ForwardedRequests, HeapSlots};
///
/// let mut forwarded = ForwardedRequests::new(HeapSlots::new(2));
/// let id = Id::parse(b"1").unwrap();
/// assert_eq!(forwarded.begin("alice", &id, ()), Ok(1));
/// assert_eq!(forwarded.begin("bob", &id, ()), Ok(2));
/// assert_eq!(forwarded.begin("carol", &id, ()), Err(BeginError::Full));
/// ```
#[derive(Clone, Debug)]
pub struct HeapSlots<C, T> {
    slots: Vec<PendingSlot<Forwarded<C, T>>>,
    /// The gateway's ids of the requests of each client that has any.
    index: BTreeMap<C, BTreeMap<IdText, u64>>,
    limit: usize,
}

impl<C, T> HeapSlots<C, T> {
    /// Creates storage for at most this many requests.
    #[must_use]
    pub const fn new(limit: usize) -> Self {
        Self { slots: Vec::new(), index: BTreeMap::new(), limit }
    }
}

impl<C, T> Slots<Forwarded<C, T>> for HeapSlots<C, T> {}

impl<C, T> pending::sealed::Slots<Forwarded<C, T>> for HeapSlots<C, T> {
    fn slots(&self) -> &[PendingSlot<Forwarded<C, T>>] {
        &self.slots
    }

    fn slots_mut(&mut self) -> &mut [PendingSlot<Forwarded<C, T>>] {
        &mut self.slots
    }

    fn most_in_use(slots: usize) -> usize {
        <Vec<PendingSlot<Forwarded<C, T>>> as pending::sealed::Slots<_>>::most_in_use(slots)
    }

    fn grow(&mut self) -> bool {
        let in_use = <Self as pending::sealed::Slots<_>>::most_in_use(self.slots.len());
        in_use < self.limit && pending::sealed::Slots::grow(&mut self.slots)
    }
}

impl<C: Ord + Clone, T> ForwardedSlots<C, T> for HeapSlots<C, T> {}

impl<C: Ord + Clone, T> sealed::Storage<C, T> for HeapSlots<C, T> {
    type Key = (C, IdText);

    fn key(request: &Forwarded<C, T>) -> (C, IdText) {
        (request.client.clone(), request.id)
    }

    fn note(&mut self, (client, id): (C, IdText), own: u64) {
        self.index.entry(client).or_default().insert(id, own);
    }

    fn forget(&mut self, request: &Forwarded<C, T>) {
        if let Some(ids) = self.index.get_mut(&request.client) {
            ids.remove(&request.id);
            if ids.is_empty() {
                self.index.remove(&request.client);
            }
        }
    }

    fn limit(&self) -> usize {
        self.limit
    }

    fn find(&self, client: &C, id: &IdText) -> Option<u64> {
        self.index.get(client)?.get(id).copied()
    }

    fn has_like(&self, client: &C, id: &Id<'_>) -> bool {
        let ids = self.index.get(client);
        ids.is_some_and(|ids| ids.keys().any(|pending| pending.as_id().is_like(id)))
    }

    fn count(&self, client: &C) -> usize {
        self.index.get(client).map_or(0, BTreeMap::len)
    }

    fn next_of(&self, client: &C, from: usize) -> Option<(u64, usize)> {
        let (_, own) = self.index.get(client)?.first_key_value()?;
        Some((*own, from))
    }
}
