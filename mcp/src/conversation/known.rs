//! Maps that cannot grow without bound.

use alloc::borrow::{Cow, ToOwned};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;

use tautline::RawStr;

/// The length up to which a text is kept as it is, in bytes.
const LONGEST: usize = 128;

/// Facts from the messages of a side, by name.
#[derive(Debug)]
pub(super) struct Known<V> {
    entries: BTreeMap<String, V>,
    most: usize,
    /// True if something did not fit. A missing entry then does not prove that the fact was never seen.
    has_lost: bool,
}

impl<V> Known<V> {
    /// Creates a map with room for this many entries.
    pub(super) const fn new(most: usize) -> Self {
        Self { entries: BTreeMap::new(), most, has_lost: false }
    }

    /// Adds an entry, or replaces the one with this key, which is returned.
    pub(super) fn insert(&mut self, key: String, value: V) -> Option<V> {
        if self.entries.len() >= self.most && !self.entries.contains_key(&key) {
            self.has_lost = true;
            return None;
        }
        self.entries.insert(key, value)
    }

    pub(super) fn get(&self, key: &str) -> Option<&V> {
        self.entries.get(key)
    }

    pub(super) fn get_mut(&mut self, key: &str) -> Option<&mut V> {
        self.entries.get_mut(key)
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.values_mut()
    }

    pub(super) fn remove(&mut self, key: &str) -> Option<V> {
        self.entries.remove(key)
    }

    /// Removes the entries for which `is_kept` is false.
    pub(super) fn retain(&mut self, mut is_kept: impl FnMut(&V) -> bool) {
        self.entries.retain(|_, value| is_kept(value));
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
    pub(super) fn surely_lacks(&self, key: &str) -> bool {
        !self.has_lost && !self.entries.contains_key(key)
    }
}

/// Returns a text that stands for a string: the decoded string, or a hash of a long one.
pub(super) fn name_of(text: RawStr<'_>) -> String {
    let text = match text.decode() {
        Ok(text) => text,
        // A string with an unpaired surrogate is the same only in the same spelling.
        Err(_) => Cow::Owned(format!(
            "\\{}",
            core::str::from_utf8(text.escaped_bytes()).unwrap_or_default()
        )),
    };
    shortened(&text)
}

/// Returns the text, or its length and hash if it is long.
pub(super) fn shortened(text: &str) -> String {
    // FNV-1a.
    const START: u128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B;
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let add = |hash: u128, byte: u8| (hash ^ u128::from(byte)).wrapping_mul(PRIME);
    let hash = text.bytes().fold(START, add);
    format!("#{} {hash:x}", text.len())
}

#[cfg(test)]
mod tests {
    use super::{Known, shortened};

    #[test]
    fn long_texts_are_kept_as_hashes() {
        let (long, other) = ("a".repeat(1000), "b".repeat(1000));
        assert_eq!(shortened("short"), "short");
        assert_eq!(shortened(&long), shortened(&long.clone()));
        assert_ne!(shortened(&long), shortened(&other));
        assert!(shortened(&long).len() < 50);
    }

    #[test]
    fn what_does_not_fit_may_be_known() {
        let mut known = Known::new(2);
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
