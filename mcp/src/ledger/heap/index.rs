//! The places of requests by the keys of their ids, in a hash table.
//!
//! A bucket is as large as a cache line. Keys are chosen by peers, who may make them meet in one bucket, so what does not
//! fit there is in a sorted map. A search thus takes the same time, whatever the keys are.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use tautline::internal::cast::{index, u32_from};

use super::{Kept, Key};

/// The number of places in a bucket.
const WIDTH: usize = 7;

/// The average number of places in a bucket, above which the table grows.
const CROWDED: usize = 4;

/// The places of requests by their keys. Each request is in it, at its place and with its key.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// As many as a power of two, or none.
    buckets: Vec<Bucket>,
    /// The places that found their bucket full.
    spilled: BTreeMap<Key<'static>, Vec<usize>>,
    /// The number of places.
    length: usize,
}

#[derive(Clone, Copy, Debug)]
struct Bucket {
    /// In the order in which they were added, the free ones last.
    entries: [Entry; WIDTH],
    /// The number of places that found it full, or others that had.
    spilled: u32,
}

/// A place, and the upper half of its key's hash, so that few other requests are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    tag: u32,
    place: u32,
}

impl Entry {
    const FREE: Self = Self { tag: 0, place: u32::MAX };

    fn new(key: &Key<'_>, place: usize) -> Self {
        Self { tag: tag(key), place: u32_from(place) }
    }
}

impl Bucket {
    const EMPTY: Self = Self { entries: [Entry::FREE; WIDTH], spilled: 0 };
}

impl Index {
    pub(super) const NONE: Self = Self { buckets: Vec::new(), spilled: BTreeMap::new(), length: 0 };

    /// Returns the places of the requests with this key, in the order in which they were added.
    pub(super) fn places<'a>(
        &'a self,
        key: &'a Key<'_>,
        requests: &'a [Kept],
    ) -> impl Iterator<Item = usize> {
        let has_key = |place: &usize| requests.get(*place).is_some_and(|one| one.key == *key);
        let bucket = self.buckets.get(self.bucket_of(key));
        let entries = bucket.into_iter().flat_map(|bucket| &bucket.entries);
        let tag = tag(key);
        let places = entries.filter(move |entry| entry.tag == tag).map(|entry| index(entry.place));
        let spilled =
            bucket.filter(|bucket| bucket.spilled > 0).and_then(|_| self.spilled.get(key));
        places.filter(has_key).chain(spilled.into_iter().flatten().copied())
    }

    /// Adds the place of a request.
    pub(super) fn insert(&mut self, place: usize, requests: &[Kept]) {
        self.length = self.length.saturating_add(1);
        if self.length <= self.buckets.len().saturating_mul(CROWDED) {
            self.put(place, requests);
            return;
        }
        self.buckets = alloc::vec![Bucket::EMPTY; self.buckets.len().saturating_mul(2).max(1)];
        self.spilled.clear();
        self.length = requests.len();
        let mut places: Vec<usize> = (0..requests.len()).collect();
        places.sort_unstable_by_key(|place| requests.get(*place).map(|request| request.number));
        places.into_iter().for_each(|place| self.put(place, requests));
    }

    /// Removes the place of a request.
    pub(super) fn remove(&mut self, place: usize, requests: &[Kept]) {
        let Some(Kept { key, .. }) = requests.get(place) else { return };
        let at = self.bucket_of(key);
        let Some(bucket) = self.buckets.get_mut(at) else { return };
        self.length = self.length.saturating_sub(1);
        let entry = Entry::new(key, place);
        if let Some(own) = bucket.entries.iter().position(|own| *own == entry) {
            bucket.entries.get_mut(own..).unwrap_or_default().rotate_left(1);
            if let Some(last) = bucket.entries.last_mut() {
                *last = Entry::FREE;
            }
            return;
        }
        bucket.spilled = bucket.spilled.saturating_sub(1);
        if let Some(places) = self.spilled.get_mut(key) {
            places.retain(|other| *other != place);
            if places.is_empty() {
                self.spilled.remove(key);
            }
        }
    }

    fn put(&mut self, place: usize, requests: &[Kept]) {
        let Some(Kept { key, .. }) = requests.get(place) else { return };
        let at = self.bucket_of(key);
        let Some(bucket) = self.buckets.get_mut(at) else { return };
        let free = bucket.entries.iter_mut().find(|own| **own == Entry::FREE);
        match free.filter(|_| bucket.spilled == 0) {
            Some(free) => *free = Entry::new(key, place),
            None => {
                bucket.spilled = bucket.spilled.saturating_add(1);
                self.spilled.entry(key.clone()).or_default().push(place);
            }
        }
    }

    fn bucket_of(&self, key: &Key<'_>) -> usize {
        let last = self.buckets.len().saturating_sub(1);
        last & usize::try_from(key.hash & u64::from(u32::MAX)).unwrap_or(0)
    }
}

/// Returns the upper half of a key's hash.
fn tag(key: &Key<'_>) -> u32 {
    u32::try_from(key.hash >> 32).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::vec::Vec;

    use tautline::Id;

    use super::super::{Kept, Key, Value};
    use super::Index;
    use crate::Role;
    use crate::ledger::Incoming;

    /// Returns a key that may have the same hash as others.
    fn key(number: u64, hash: u64) -> Key<'static> {
        Key { hash, is_client: true, value: Value::Integer(false, number) }
    }

    fn request(key: Key<'static>, number: u64) -> Kept {
        let (from, id) = (Role::Client, &Id::Null);
        let incoming = Incoming { from, method: None, id, token: None, is_message: true };
        Kept::new(&incoming, key, number, None)
    }

    /// Returns the places with a key, one by one, the oldest first.
    fn searched(key: &Key<'_>, requests: &[Kept]) -> Vec<usize> {
        let places = (0..requests.len()).filter(|place| requests[*place].key == *key);
        let mut places: Vec<usize> = places.collect();
        places.sort_by_key(|place| requests[*place].number);
        places
    }

    fn check(numbers: u64, hash_of: impl Fn(u64) -> u64) {
        let (mut index, mut requests, mut random) = (Index::NONE, Vec::new(), 0x5EED_u64);
        let mut most_spilled = 0;
        for round in 0..3000 {
            random = crate::hash::mix(random.wrapping_add(round));
            let number = random % numbers;
            let key = key(number, hash_of(number));
            let place = (random >> 32) as usize % 300;
            if place < requests.len() {
                index.remove(place, &requests);
                requests[place] = request(key.clone(), round);
                index.insert(place, &requests);
            } else {
                requests.push(request(key.clone(), round));
                index.insert(requests.len() - 1, &requests);
            }
            let found: Vec<usize> = index.places(&key, &requests).collect();
            assert_eq!(found, searched(&key, &requests), "{round}");
            most_spilled = most_spilled.max(index.spilled.len());
        }
        for number in 0..numbers {
            let key = key(number, hash_of(number));
            let found: Vec<usize> = index.places(&key, &requests).collect();
            assert_eq!(found, searched(&key, &requests), "{number}");
        }
        assert!(most_spilled > 0, "no bucket was full");
    }

    #[test]
    fn places_are_those_with_the_key() {
        check(10, crate::hash::mix);
        check(200, crate::hash::mix);
        check(200, |_| 7);
        check(200, |number| number << 60);
        check(2000, |number| number % 4);
    }

    /// This would take minutes if all that have the hash were searched.
    #[test]
    fn keys_of_one_hash_take_no_quadratic_time() {
        let (mut index, mut requests) = (Index::NONE, Vec::new());
        for number in 0..1 << 14 {
            requests.push(request(key(number, 7), number));
            index.insert(requests.len() - 1, &requests);
        }
        for place in 0..requests.len() {
            let places: Vec<usize> = index.places(&requests[place].key, &requests).collect();
            assert_eq!(places, [place]);
        }
    }
}
