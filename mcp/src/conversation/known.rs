//! Maps that cannot grow without bound.

use alloc::collections::BTreeMap;
use alloc::string::String;
use core::borrow::Borrow;

/// Facts from the messages of a side, by name or by the number of a request.
#[derive(Debug)]
pub(super) struct Known<V, K = String> {
    entries: BTreeMap<K, V>,
    most: usize,
    /// True if something did not fit. A missing entry then does not prove that the fact was never seen.
    has_lost: bool,
}

impl<V, K: Ord> Known<V, K> {
    /// Creates a map with room for this many entries.
    pub(super) const fn new(most: usize) -> Self {
        Self { entries: BTreeMap::new(), most, has_lost: false }
    }

    /// Adds an entry, or replaces the one with this key, which is returned.
    pub(super) fn insert(&mut self, key: K, value: V) -> Option<V> {
        if self.entries.len() >= self.most && !self.entries.contains_key(&key) {
            self.has_lost = true;
            return None;
        }
        self.entries.insert(key, value)
    }

    pub(super) fn get<Q>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.entries.get(key)
    }

    pub(super) fn get_mut<Q>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.entries.get_mut(key)
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.values_mut()
    }

    pub(super) fn remove<Q>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.entries.remove(key)
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there is no room for another entry.
    pub(super) fn is_full(&self) -> bool {
        self.entries.len() >= self.most
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &V> {
        self.entries.values()
    }

    /// Returns whether something did not fit.
    pub(super) const fn has_lost(&self) -> bool {
        self.has_lost
    }

    /// Returns whether it is certain that no fact with this key was seen.
    pub(super) fn surely_lacks<Q>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        !self.has_lost && !self.entries.contains_key(key)
    }
}

#[cfg(test)]
mod tests {
    use super::Known;

    #[test]
    fn what_does_not_fit_may_be_known() {
        let mut known: Known<u32> = Known::new(2);
        assert!(known.surely_lacks("a"));
        assert_eq!(known.insert("a".into(), 1), None);
        assert_eq!(known.insert("b".into(), 2), None);
        assert!(known.surely_lacks("c"));
        assert_eq!(known.insert("a".into(), 3), Some(1));
        assert_eq!(known.insert("c".into(), 4), None);
        assert_eq!(known.get("c"), None);
        assert!(!known.surely_lacks("d"));
        assert_eq!(known.remove("a"), Some(3));
    }
}
