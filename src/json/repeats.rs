//! Names that an object has twice, of which other parsers would keep another one or none.

use core::cmp::Ordering;
use core::fmt;

use super::{RawJson, RawStr, skip};
use crate::cast::{index, index_u64, u32_from, u64_from};

/// The largest number of containers that a valid text opens inside each other: limits on depth have 8 bits.
const DEEPEST: usize = 256;

/// Room for one name, in the scratch space for [`RawJson::repeated_names_in`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NameSlot {
    hash: u32,
    /// The offsets of the quotes.
    at: u32,
    end: u32,
}

/// A name that an object has again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepeatedName {
    again: u32,
    before: u32,
}

/// The error for scratch space with too few slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct TooManyNames {
    /// The number of slots that suffice.
    pub needed: usize,
}

impl NameSlot {
    /// A slot without a name.
    pub const EMPTY: Self = Self { hash: 0, at: 0, end: 0 };
}

impl NameSlot {
    /// Returns the name in its text.
    fn name(self, text: &[u8]) -> RawStr<'_> {
        let inside = index(self.at).wrapping_add(1)..index(self.end);
        RawStr::new(text.get(inside).unwrap_or_default())
    }
}

impl RepeatedName {
    /// Returns the offset in the value of the name's opening quote, in bytes.
    #[must_use]
    pub const fn offset(&self) -> u32 {
        self.again
    }

    /// Returns the offset in the value of the same name in the same object, before this one, in bytes.
    #[must_use]
    pub const fn offset_before(&self) -> u32 {
        self.before
    }
}

impl fmt::Display for TooManyNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the names need {} slots", self.needed)
    }
}

impl core::error::Error for TooManyNames {}

impl RawJson<'_> {
    /// Finds the names that an object has twice, at any depth (RFC 8259, section 4; RFC 7493, section 2.3).
    ///
    /// Names are compared after unescaping. `found` is called at the end of each object, so those of inner objects come
    /// first. The scratch space holds the names of the objects that are open at the same time. The work is at most
    /// proportional to n log n.
    ///
    /// ```
    /// use tautline::RawJson;
    /// use tautline::json::NameSlot;
    ///
    /// let value = RawJson::parse(br#"{"a":[{"b":1,"\u0062":2}],"b":3}"#).unwrap();
    /// let mut scratch = [NameSlot::EMPTY; 8];
    /// let mut offsets = None;
    /// value.repeated_names_in(&mut scratch, |name| offsets = Some((name.offset_before(), name.offset())))?;
    /// assert_eq!(offsets, Some((7, 13)));
    /// # Ok::<(), tautline::json::TooManyNames>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`TooManyNames`] if the scratch space is too small. Then objects that did not fit were not compared, so
    /// `found` may have missed names.
    pub fn repeated_names_in(
        &self,
        scratch: &mut [NameSlot],
        found: impl FnMut(RepeatedName),
    ) -> Result<(), TooManyNames> {
        let available = scratch.len();
        let mut lent = Lent { slots: scratch, length: 0, needed: 0 };
        compare_names(self.as_bytes(), &mut lent, found);
        let needed = lent.needed;
        if needed > available { Err(TooManyNames { needed }) } else { Ok(()) }
    }

    /// Finds the names that an object has twice, at any depth, in the order of the text. See
    /// [`repeated_names_in`](Self::repeated_names_in).
    ///
    /// It allocates 12 bytes for each name in the objects that are open at the same time.
    #[cfg(feature = "alloc")]
    #[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
    #[must_use]
    pub fn repeated_names(&self) -> alloc::vec::Vec<RepeatedName> {
        let mut names = alloc::vec::Vec::new();
        compare_names(self.as_bytes(), &mut alloc::vec::Vec::new(), |name| names.push(name));
        names.sort_unstable();
        names
    }
}

/// The names of the open objects, those of the innermost last.
trait OpenNames {
    fn length(&self) -> usize;
    fn push(&mut self, slot: NameSlot);
    /// Removes the names from index `start` on. `compare` is called with them, if all were kept.
    fn close(&mut self, start: usize, compare: impl FnMut(&mut [NameSlot]));
}

struct Lent<'a> {
    slots: &'a mut [NameSlot],
    length: usize,
    /// The largest length so far.
    needed: usize,
}

impl OpenNames for Lent<'_> {
    fn length(&self) -> usize {
        self.length
    }

    fn push(&mut self, slot: NameSlot) {
        if let Some(place) = self.slots.get_mut(self.length) {
            *place = slot;
        }
        self.length = self.length.saturating_add(1);
        self.needed = self.needed.max(self.length);
    }

    fn close(&mut self, start: usize, mut compare: impl FnMut(&mut [NameSlot])) {
        if let Some(names) = self.slots.get_mut(start..self.length) {
            compare(names);
        }
        self.length = start;
    }
}

#[cfg(feature = "alloc")]
impl OpenNames for alloc::vec::Vec<NameSlot> {
    fn length(&self) -> usize {
        self.len()
    }

    fn push(&mut self, slot: NameSlot) {
        Self::push(self, slot);
    }

    fn close(&mut self, start: usize, mut compare: impl FnMut(&mut [NameSlot])) {
        if let Some(names) = self.get_mut(start..) {
            compare(names);
        }
        self.truncate(start);
    }
}

/// Compares the names of each object in a valid text.
///
/// Only quotes and braces matter here: a string is a name if a colon follows, whatever arrays it is in.
fn compare_names(text: &[u8], open: &mut impl OpenNames, mut found: impl FnMut(RepeatedName)) {
    // For each open object the index of its first name.
    let mut starts = [0_u32; DEEPEST];
    let (mut depth, mut at) = (0_usize, 0_usize);
    loop {
        let find = |rest: &[u8]| memchr::memchr3(b'"', b'{', b'}', rest);
        at = skip::next(text, at, [b'"', b'{', b'}'], find);
        match text.get(at) {
            Some(b'"') => {
                let end = skip::string(text, at);
                let rest = text.get(end..).unwrap_or_default().trim_ascii_start();
                at = match rest.strip_prefix(b":") {
                    Some(value) => {
                        let end = u32_from(end.wrapping_sub(1));
                        let mut slot = NameSlot { hash: 0, at: u32_from(at), end };
                        slot.hash = hash(slot.name(text).as_bytes());
                        open.push(slot);
                        let value = value.trim_ascii_start();
                        let start = text.len().wrapping_sub(value.len());
                        let is_string = value.first() == Some(&b'"');
                        let end = if is_string { skip::string(text, start) } else { start };
                        skip::after_separator(text, end)
                    }
                    None => skip::after_separator(text, end),
                };
                continue;
            }
            Some(b'{') => {
                if let Some(start) = starts.get_mut(depth) {
                    *start = u32_from(open.length());
                }
                depth = depth.saturating_add(1);
            }
            Some(_) => {
                depth = depth.saturating_sub(1);
                let start = starts.get(depth).copied().unwrap_or(0);
                open.close(index(start), |names| report_repeated(text, names, &mut found));
            }
            None => return,
        }
        at = skip::after_separator(text, at.wrapping_add(1));
    }
}

/// Sorts the names of an object, and passes on those that it has again.
fn report_repeated(text: &[u8], names: &mut [NameSlot], mut found: impl FnMut(RepeatedName)) {
    let compare = |a: &NameSlot, b: &NameSlot| -> Ordering {
        let by_hash = a.hash.cmp(&b.hash);
        by_hash.then_with(|| a.name(text).cmp(&b.name(text)))
    };
    names.sort_unstable_by(|a, b| compare(a, b).then(a.at.cmp(&b.at)));
    for pair in names.windows(2) {
        if let [before, again] = pair
            && compare(before, again).is_eq()
        {
            found(RepeatedName { again: again.at, before: before.at });
        }
    }
}

/// Returns a hash of the decoded name: of its first eight bytes, and of its length. Names of the same hash only take
/// longer to sort.
fn hash(name: &[u8]) -> u32 {
    let (mut word, mut length) = (first_word(name), name.len());
    if name.contains(&b'\\') {
        let mut characters = RawStr::new(name).chars();
        let mut decoded = [0; 12];
        length = 0;
        while let Some(character) = characters.value() {
            let character = char::from_u32(character).unwrap_or(char::REPLACEMENT_CHARACTER);
            if let Some(room) = decoded.get_mut(length..).filter(|room| room.len() >= 4) {
                character.encode_utf8(room);
            }
            length = length.saturating_add(character.len_utf8());
        }
        word = first_word(decoded.get(..length).unwrap_or(&decoded));
    }
    let mixed = (word ^ u64_from(length)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    u32_from(index_u64(mixed >> 32))
}

/// Returns the first eight bytes of a text as a word, filled up with zeros.
fn first_word(text: &[u8]) -> u64 {
    match text.first_chunk() {
        Some(first) => u64::from_le_bytes(*first),
        None => text.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use alloc::vec::Vec;
    use std::format;
    use std::string::String;

    use super::{NameSlot, RawJson, TooManyNames};

    #[track_caller]
    fn check(text: &str, expected: &[(u32, u32)]) {
        let value = RawJson::parse(text.as_bytes()).unwrap();
        let names: Vec<_> = value.repeated_names();
        let found: Vec<_> =
            names.iter().map(|name| (name.offset_before(), name.offset())).collect();
        assert_eq!(found, expected, "{text}");
        let mut scratch = [NameSlot::EMPTY; 64];
        let mut lent = Vec::new();
        value.repeated_names_in(&mut scratch, |name| lent.push(name)).unwrap();
        lent.sort_unstable();
        assert_eq!(lent, names, "{text}");
    }

    #[test]
    fn names_are_compared_within_their_object() {
        check(r#"{}"#, &[]);
        check(r#"[{"a":1},{"a":1}]"#, &[]);
        check(r#"{"a":{"a":{"a":[]}}}"#, &[]);
        check(r#"{"a":1,"a":2}"#, &[(1, 7)]);
        check(r#"{"a":1,"a":2,"a":3}"#, &[(1, 7), (7, 13)]);
        check(r#"{"a":{"b":1},"c":"a","a":[{"x":0,"x":1}]}"#, &[(1, 21), (27, 33)]);
        check(r#"{"a":["b","b",{"c":"c","d":"c"}],"e":"a"}"#, &[]);
        check(r#"{"a":1,"\u0061":2,"\u00e4":3,"ä":4}"#, &[(1, 7), (18, 29)]);
        check(r#"{"\ud800":1,"\uD800":2,"\ud801":3,"":4,"":5}"#, &[(1, 12), (34, 39)]);
        check(r#"7"#, &[]);
        check(r#""a""#, &[]);
    }

    #[test]
    fn too_little_scratch_is_an_error_with_the_number() {
        let value = RawJson::parse(br#"{"a":{"b":1,"c":2},"d":{"e":3,"e":4}}"#).unwrap();
        let mut found = 0;
        let error = value.repeated_names_in(&mut [NameSlot::EMPTY; 2], |_| found += 1);
        assert_eq!((error, found), (Err(TooManyNames { needed: 4 }), 0));
        assert_eq!(value.repeated_names_in(&mut [NameSlot::EMPTY; 4], |_| found += 1), Ok(()));
        assert_eq!(found, 1);
        assert_eq!(RawJson::parse(b"[]").unwrap().repeated_names_in(&mut [], |_| ()), Ok(()));
    }

    #[test]
    fn the_space_is_for_objects_open_at_the_same_time() {
        let value = RawJson::parse(br#"[{"a":{"b":1}},{"c":{"d":3}},{"e":1,"e":2}]"#).unwrap();
        let mut names = Vec::new();
        let done = value.repeated_names_in(&mut [NameSlot::EMPTY; 2], |name| names.push(name));
        assert_eq!((done, names.len()), (Ok(()), 1));
    }

    /// One name more than 100,000 others, all in one object.
    #[test]
    fn many_names_take_no_quadratic_time() {
        let names: Vec<String> = (0..100_000).map(|i| format!("\"k{i}\":{i}")).collect();
        let text = format!("{{{},\"k7\":0}}", names.join(","));
        let found = RawJson::parse(text.as_bytes()).unwrap().repeated_names();
        assert_eq!(found.len(), 1);
    }
}
