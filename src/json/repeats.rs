//! Duplicate names in an object, of which parsers keep different values, and other values that parsers refuse or replace.

#[cfg(feature = "simd")]
mod marked;

use core::cmp::Ordering;
use core::fmt;

use super::{RawJson, RawNumber, RawStr, skip};
use crate::bytes::{find, run_of};
use crate::cast::{index, index_u64, u32_from, u32_within, u64_from};

/// The largest number of containers that a valid text opens inside each other: limits on depth have 8 bits.
const DEEPEST: usize = 256;

/// True on microcontrollers, which have little stack.
const IS_SMALL: bool = cfg!(any(target_os = "none", target_os = "espidf", target_os = "nuttx"));

/// The maximum number of names in the objects that are open at the same time, if names are compared on the stack.
const MOST_NAMES: usize = if IS_SMALL { 256 } else { 8192 };

/// Room for one name, in the scratch space for [`RawJson::repeated_names_in`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NameSlot {
    hash: u32,
    /// The offset of the opening quote.
    at: u32,
}

/// A name that an object repeats.
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
    pub const EMPTY: Self = Self { hash: 0, at: 0 };
}

impl NameSlot {
    /// Returns a bit that its hash chooses.
    #[inline]
    const fn bit(self) -> u64 {
        1_u64.wrapping_shl(self.hash >> 26)
    }

    /// Returns the name in its text.
    fn name(self, text: &[u8]) -> RawStr<'_> {
        let at = index(self.at);
        let inside = at.wrapping_add(1)..skip::string(text, at).wrapping_sub(1);
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
    /// Finds the names that an object repeats, at any depth (RFC 8259, section 4; RFC 7493, section 2.3).
    ///
    /// Names are compared after unescaping. `found` is called at the end of each object, so the names of inner objects
    /// come first. The scratch space holds the names of the objects that are open at the same time. The work is at most
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
    /// Returns [`TooManyNames`] if the scratch space is too small. Objects that did not fit were not compared, so
    /// `found` may have missed names.
    pub fn repeated_names_in(
        &self,
        scratch: &mut [NameSlot],
        found: impl FnMut(RepeatedName),
    ) -> Result<(), TooManyNames> {
        let available = scratch.len();
        let mut lent = Lent::<false> { slots: scratch, needed: 0 };
        compare_names(self.as_bytes(), &mut lent, &mut (), found);
        let needed = lent.needed;
        if needed > available { Err(TooManyNames { needed }) } else { Ok(()) }
    }

    /// Returns the first of each kind of part that peers read differently, at any depth. Names are compared up to U+0000,
    /// where parsers written in C end them.
    pub(crate) fn first_ambiguities(&self) -> Ambiguities {
        // Most payloads have few names.
        let few = self.first_ambiguities_among::<64>();
        if few.repeated.is_ok() { few } else { self.first_ambiguities_among::<MOST_NAMES>() }
    }

    #[inline(never)]
    fn first_ambiguities_among<const MOST: usize>(&self) -> Ambiguities {
        self.first_ambiguities_in(&mut [NameSlot::EMPTY; MOST])
    }

    // Not generic, so that there is one copy of it.
    #[inline(never)]
    fn first_ambiguities_in(&self, slots: &mut [NameSlot]) -> Ambiguities {
        let available = slots.len();
        let mut lent = Lent::<true> { slots, needed: 0 };
        let (mut found, mut first) = (Ambiguities::NONE, None::<u32>);
        compare_names(self.as_bytes(), &mut lent, &mut found, |name| {
            first = Some(first.map_or(name.again, |first| first.min(name.again)));
        });
        let needed = lent.needed;
        found.repeated = if needed > available { Err(TooManyNames { needed }) } else { Ok(first) };
        found
    }

    /// Finds the names that an object repeats, at any depth, in the order of the text. See
    /// [`repeated_names_in`](Self::repeated_names_in).
    ///
    /// It allocates 8 bytes for each name in the objects that are open at the same time.
    #[cfg(feature = "alloc")]
    #[cfg_attr(docsrs, doc(cfg(feature = "alloc")))]
    #[must_use]
    pub fn repeated_names(&self) -> alloc::vec::Vec<RepeatedName> {
        let mut names = alloc::vec::Vec::new();
        let mut open = alloc::vec::Vec::new();
        compare_names(self.as_bytes(), &mut open, &mut (), |name| names.push(name));
        names.sort_unstable();
        names
    }
}

/// The first part of each kind that peers read differently, as offsets in the value, in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Ambiguities {
    /// A name that its object repeats. An error if the objects that are open at the same time have more than
    /// [`MOST_NAMES`] names.
    pub(crate) repeated: Result<Option<u32>, TooManyNames>,
    /// The escape of an unpaired surrogate.
    pub(crate) lone_surrogate: Option<u32>,
    /// A number that a double can't hold.
    pub(crate) out_of_range: Option<u32>,
}

impl Ambiguities {
    pub(crate) const NONE: Self =
        Self { repeated: Ok(None), lone_surrogate: None, out_of_range: None };
}

/// A listener to everything that the comparison of names passes.
trait Listener {
    /// False if it does nothing.
    #[cfg(feature = "simd")]
    const LISTENS: bool;

    /// Receives the offsets of a string's contents.
    fn string(&mut self, text: &[u8], start: usize, end: usize);

    /// Receives the offsets of a part without strings and curly brackets.
    fn between(&mut self, text: &[u8], start: usize, end: usize);
}

impl Listener for () {
    #[cfg(feature = "simd")]
    const LISTENS: bool = false;

    #[inline]
    fn string(&mut self, _: &[u8], _: usize, _: usize) {}

    #[inline]
    fn between(&mut self, _: &[u8], _: usize, _: usize) {}
}

impl Listener for Ambiguities {
    #[cfg(feature = "simd")]
    const LISTENS: bool = true;

    #[inline]
    fn string(&mut self, text: &[u8], start: usize, end: usize) {
        let inside = text.get(start..end).unwrap_or_default();
        if self.lone_surrogate.is_none() && has_surrogate(inside) {
            let lone = RawStr::new(inside).lone_surrogate();
            self.lone_surrogate = lone.map(|lone| u32_from(start.wrapping_add(lone.offset())));
        }
    }

    #[inline]
    fn between(&mut self, text: &[u8], start: usize, end: usize) {
        if end.wrapping_sub(start) >= SHORTEST_BEYOND && self.out_of_range.is_none() {
            let part = text.get(start..end).unwrap_or_default();
            self.out_of_range = beyond_doubles(part).map(|at| u32_from(start.wrapping_add(at)));
        }
    }
}

/// Returns whether the contents of a string have the escape of a surrogate.
fn has_surrogate(inside: &[u8]) -> bool {
    let mut rest = inside;
    while let Some(at) = find(b'\\', rest) {
        rest = rest.get(at.wrapping_add(1)..).unwrap_or_default();
        if let [b'u', b'd' | b'D', ..] = rest {
            return true;
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    false
}

/// The length of the shortest number beyond doubles, such as `1e309`.
const SHORTEST_BEYOND: usize = 5;

/// The number of digits of the smallest integer beyond doubles.
const DIGITS_BEYOND: usize = 309;

/// Returns the offset of the first number beyond doubles in a part without strings.
#[inline(never)]
fn beyond_doubles(part: &[u8]) -> Option<usize> {
    let is_exponent = |byte: &u8| matches!(byte, b'e' | b'E');
    if part.len() < DIGITS_BEYOND && !part.iter().any(is_exponent) {
        return None;
    }
    let mut at = 0;
    loop {
        let is_outside = |byte| !matches!(byte, b'-' | b'0'..=b'9');
        at = run_of(part.get(at..)?, is_outside).wrapping_add(at);
        let rest = part.get(at..).filter(|rest| !rest.is_empty())?;
        let is_inside = |byte| matches!(byte, b'-' | b'+' | b'.' | b'0'..=b'9' | b'e' | b'E');
        let length = run_of(rest, is_inside);
        let number = rest.get(..length).unwrap_or_default();
        let may_be = length >= DIGITS_BEYOND || number.iter().any(is_exponent);
        if may_be && RawNumber::new(number).is_beyond_doubles() {
            return Some(at);
        }
        at = at.wrapping_add(length);
    }
}

/// Room for the names of the open objects, with the names of the innermost object last.
trait OpenNames: Default {
    /// True if names are compared up to U+0000.
    const UP_TO_NUL: bool;

    /// Returns whether it surely holds this many names.
    #[cfg(feature = "simd")]
    fn has_room(&self, names: usize) -> bool;
    /// Puts a name at this index, which is at most one after the last.
    fn put(&mut self, index: usize, slot: NameSlot);
    /// Returns the names at these indexes, if all were kept.
    fn within(&mut self, start: usize, end: usize) -> Option<&mut [NameSlot]>;
}

#[derive(Default)]
struct Lent<'a, const UP_TO_NUL: bool> {
    slots: &'a mut [NameSlot],
    /// The largest number of names so far, if the slots are too few.
    needed: usize,
}

impl<const UP_TO_NUL: bool> OpenNames for Lent<'_, UP_TO_NUL> {
    const UP_TO_NUL: bool = UP_TO_NUL;

    #[cfg(feature = "simd")]
    #[inline]
    fn has_room(&self, names: usize) -> bool {
        self.slots.len() >= names
    }

    #[cfg_attr(not(any(target_os = "none", target_os = "unknown")), inline)]
    fn put(&mut self, index: usize, slot: NameSlot) {
        match self.slots.get_mut(index) {
            Some(place) => *place = slot,
            None => self.needed = self.needed.max(index.wrapping_add(1)),
        }
    }

    #[cfg_attr(not(any(target_os = "none", target_os = "unknown")), inline)]
    fn within(&mut self, start: usize, end: usize) -> Option<&mut [NameSlot]> {
        self.slots.get_mut(start..end)
    }
}

#[cfg(feature = "alloc")]
impl OpenNames for alloc::vec::Vec<NameSlot> {
    const UP_TO_NUL: bool = false;

    #[cfg(feature = "simd")]
    fn has_room(&self, _: usize) -> bool {
        true
    }

    fn put(&mut self, index: usize, slot: NameSlot) {
        match self.get_mut(index) {
            Some(place) => *place = slot,
            None => self.push(slot),
        }
    }

    fn within(&mut self, start: usize, end: usize) -> Option<&mut [NameSlot]> {
        self.get_mut(start..end)
    }
}

/// A name whose bit is set already is compared with at most this many others. Larger objects are sorted.
const FEW: usize = 32;

/// The number of objects inside each other whose names are compared as they come. The names of objects that are nested
/// deeper are sorted. Such objects are rare.
const OUTER: usize = 16;

/// The `seen` of an object in which two names may be the same. Its names are sorted at its end.
const SUSPECT: u64 = u64::MAX;

/// The objects that are open, the outermost first. Before them is a place for what is in no object.
struct Objects {
    /// A bit for each name of the object, chosen by its hash. A name whose bit is not set yet is new.
    seen: [u64; OUTER],
    /// The index of the first name.
    starts: [u32; OUTER],
    /// The same for objects that are nested deeper. Most texts need no space for them.
    deeper: Option<[u32; DEEPEST]>,
}

impl Objects {
    const NONE: Self = Self { seen: [0; OUTER], starts: [0; OUTER], deeper: None };
}

/// A text with fewer bytes has few marks, and searching for each of them is fast.
#[cfg(any(test, feature = "simd"))]
const SHORT: usize = 256;

/// The innermost open object. The state of the objects is in [`Objects`], so that this stays in registers.
struct Innermost {
    depth: usize,
    /// The number of names in all open objects.
    length: usize,
}

impl Innermost {
    const NONE: Self = Self { depth: 0, length: 0 };

    /// Adds a name, and compares its hash with the hashes of the others.
    #[inline]
    fn add(&mut self, slot: NameSlot, objects: &mut Objects, open: &mut impl OpenNames) {
        if let Some(seen) = objects.seen.get_mut(self.depth) {
            let bit = slot.bit();
            if *seen & bit != 0 {
                let start = objects.starts.get(self.depth).copied().unwrap_or_default();
                let others = open.within(index(start), self.length);
                let others = others.filter(|others| others.len() <= FEW);
                let is_same = |other: &NameSlot| other.hash == slot.hash;
                if others.is_none_or(|others| others.iter().any(is_same)) {
                    *seen = SUSPECT;
                }
            }
            *seen |= bit;
        }
        open.put(self.length, slot);
        self.length = self.length.wrapping_add(1);
    }

    /// Enters an object.
    #[inline]
    fn enter(&mut self, objects: &mut Objects) {
        self.depth = self.depth.wrapping_add(1);
        let start = u32_within(self.length);
        match (objects.seen.get_mut(self.depth), objects.starts.get_mut(self.depth)) {
            (Some(seen), Some(place)) => (*seen, *place) = (0, start),
            _ => {
                let deeper = objects.deeper.get_or_insert([0; DEEPEST]);
                if let Some(place) = deeper.get_mut(self.depth) {
                    *place = start;
                }
            }
        }
    }

    /// Leaves the object, and passes on the names that it repeats.
    #[inline]
    fn leave<O: OpenNames>(
        &mut self,
        objects: &Objects,
        text: &[u8],
        open: &mut O,
        found: &mut impl FnMut(RepeatedName),
    ) {
        let (seen, start) = match (objects.seen.get(self.depth), objects.starts.get(self.depth)) {
            (Some(seen), Some(start)) => (*seen, *start),
            _ => {
                let start = objects.deeper.as_ref().and_then(|starts| starts.get(self.depth));
                (SUSPECT, start.copied().unwrap_or_default())
            }
        };
        let start = index(start);
        if seen == SUSPECT
            && let Some(names) = open.within(start, self.length)
        {
            report_repeated(text, names, O::UP_TO_NUL, found);
        }
        self.length = start;
        self.depth = self.depth.wrapping_sub(1);
    }
}

/// Compares the names of each object in a valid text.
///
/// Only quotes and braces matter here: a string is a name if a colon follows, whatever arrays it is in.
fn compare_names<L: Listener>(
    text: &[u8],
    open: &mut impl OpenNames,
    listener: &mut L,
    mut found: impl FnMut(RepeatedName),
) {
    // A listener hears of every string. The hashes of more names than a word has bits are not distinct.
    #[cfg(feature = "simd")]
    if text.len() < SHORT && !L::LISTENS && open.has_room(64) && marked::are_distinct(text) {
        return;
    }
    #[cfg(feature = "simd")]
    if text.len() >= SHORT && marked::compare(text, open, listener, &mut found) {
        return;
    }
    compare_searched(text, open, listener, &mut found);
}

/// Compares names, and searches for each mark.
fn compare_searched(
    text: &[u8],
    open: &mut impl OpenNames,
    listener: &mut impl Listener,
    found: &mut impl FnMut(RepeatedName),
) {
    let (mut innermost, mut objects, mut at) = (Innermost::NONE, Objects::NONE, 0_usize);
    loop {
        let before = at;
        at = skip::to_string_or_brace(text, at);
        listener.between(text, before, at);
        match text.get(at) {
            Some(b'"') => {
                let (end, hash) = string(text, at);
                listener.string(text, at.wrapping_add(1), end.wrapping_sub(1));
                let colon = skip::whitespace(text, end);
                at = if text.get(colon) == Some(&b':') {
                    innermost.add(NameSlot { hash, at: u32_from(at) }, &mut objects, open);
                    let value = skip::whitespace(text, colon.wrapping_add(1));
                    if text.get(value) == Some(&b'"') {
                        let end = skip::string(text, value);
                        listener.string(text, value.wrapping_add(1), end.wrapping_sub(1));
                        end
                    } else {
                        value
                    }
                } else {
                    end
                };
                at = skip::after_separator(text, at);
                continue;
            }
            Some(b'{') => innermost.enter(&mut objects),
            Some(_) => innermost.leave(&objects, text, open, found),
            None => return,
        }
        at = skip::after_separator(text, at.wrapping_add(1));
    }
}

/// Sorts the names of an object, and passes on those that it repeats.
#[inline(never)]
fn report_repeated(
    text: &[u8],
    names: &mut [NameSlot],
    up_to_nul: bool,
    found: &mut impl FnMut(RepeatedName),
) {
    let compare = |a: &NameSlot, b: &NameSlot| -> Ordering {
        a.hash.cmp(&b.hash).then_with(|| a.name(text).compare(b.name(text), up_to_nul))
    };
    sort(names, |a, b| compare(a, b).then(a.at.cmp(&b.at)));
    for pair in names.windows(2) {
        if let [before, again] = pair
            && compare(before, again).is_eq()
        {
            found(RepeatedName { again: again.at, before: before.at });
        }
    }
}

/// Sorts names. The sort of the standard library has a panic for an order that is inconsistent, so a microcontroller does
/// without it.
fn sort(names: &mut [NameSlot], compare: impl Fn(&NameSlot, &NameSlot) -> Ordering) {
    if IS_SMALL {
        heap_sort(names, compare);
    } else {
        names.sort_unstable_by(compare);
    }
}

fn heap_sort(names: &mut [NameSlot], compare: impl Fn(&NameSlot, &NameSlot) -> Ordering) {
    for root in (0..names.len() / 2).rev() {
        sift_down(names, root, &compare);
    }
    for last in (1..names.len()).rev() {
        let Some(heap) = names.get_mut(..=last) else { return };
        if let [first, .., end] = heap {
            core::mem::swap(first, end);
        }
        sift_down(heap.get_mut(..last).unwrap_or_default(), 0, &compare);
    }
}

/// Moves the root of a part of a heap down, until no child is greater.
fn sift_down(
    heap: &mut [NameSlot],
    mut at: usize,
    compare: &impl Fn(&NameSlot, &NameSlot) -> Ordering,
) {
    let Some(moved) = heap.get(at).copied() else { return };
    loop {
        let left = at.wrapping_mul(2).wrapping_add(1);
        let right = left.wrapping_add(1);
        let child = match (heap.get(left), heap.get(right)) {
            (None, _) => break,
            (Some(one), Some(other)) if compare(one, other).is_lt() => (right, *other),
            (Some(one), _) => (left, *one),
        };
        if compare(&moved, &child.1).is_ge() {
            break;
        }
        if let Some(place) = heap.get_mut(at) {
            *place = child.1;
        }
        at = child.0;
    }
    if let Some(place) = heap.get_mut(at) {
        *place = moved;
    }
}

/// Returns the index after the string whose opening quote is at index `at`, and the [hash] of its text.
#[inline]
fn string(text: &[u8], at: usize) -> (usize, u32) {
    let inside = at.wrapping_add(1);
    let rest = text.get(inside..).unwrap_or_default();
    // Most names are shorter than two words.
    if let Some((first, more)) = rest.split_first_chunk() {
        let first = u64::from_le_bytes(*first);
        if let Some(length) = skip::plain_before_quote(first) {
            let length = index(length);
            return (
                inside.wrapping_add(length).wrapping_add(1),
                mixed(after_quote(first), length),
            );
        }
        if let Some((second, _)) = more.split_first_chunk()
            && !skip::has_backslash(first)
            && let Some(length) = skip::plain_before_quote(u64::from_le_bytes(*second))
        {
            let length = index(length).wrapping_add(8);
            return (
                inside.wrapping_add(length).wrapping_add(1),
                mixed(after_quote(first), length),
            );
        }
    }
    let end = skip::string(text, at);
    let name = text.get(inside..end.wrapping_sub(1)).unwrap_or_default();
    (end, hash(name))
}

/// Returns a hash of the decoded name up to U+0000: of its first seven bytes, and of its length. Names of the same hash
/// only take longer to sort.
fn hash(name: &[u8]) -> u32 {
    let (mut word, mut length) = (first_word(name), name.len());
    if RawStr::new(name).has_escapes() {
        let mut characters = RawStr::new(name).chars();
        let mut decoded = [0; 8];
        length = 0;
        while let Some(character) = characters.value().filter(|character| *character != 0) {
            let character = char::from_u32(character).unwrap_or(char::REPLACEMENT_CHARACTER);
            let mut bytes = [0; 4];
            let encoded = character.encode_utf8(&mut bytes).as_bytes();
            for (place, byte) in decoded.iter_mut().skip(length).zip(encoded) {
                *place = *byte;
            }
            length = length.saturating_add(encoded.len());
        }
        word = first_word(decoded.get(..length).unwrap_or(&decoded));
    }
    mixed(after_quote(word), length)
}

/// Returns the first word of a name as it is after its opening quote.
const fn after_quote(word: u64) -> u64 {
    word << 8 | 0x22
}

/// Returns the hash of a name of this length. The word is its opening quote and what follows, be it part of the name or
/// not.
#[inline]
fn mixed(word: u64, length: usize) -> u32 {
    // A branch would often be mispredicted, because names of all lengths are mixed.
    let missing = u32_from(7_usize.saturating_sub(length)).wrapping_mul(8);
    let name = word.wrapping_shl(missing) ^ u64_from(length);
    u32_from(index_u64(name.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32))
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

    use super::{NameSlot, RawJson, RawStr, TooManyNames};

    /// Checks a text alone, and with so much whitespace after it that it is not short.
    #[track_caller]
    fn check(text: &str, expected: &[(u32, u32)]) {
        check_one(text, expected);
        check_one(&format!("[{text}{}]", " ".repeat(super::SHORT)), &moved(expected));
    }

    /// Returns the places in a text that begins one byte later.
    fn moved(places: &[(u32, u32)]) -> Vec<(u32, u32)> {
        places.iter().map(|(before, again)| (before + 1, again + 1)).collect()
    }

    #[track_caller]
    fn check_one(text: &str, expected: &[(u32, u32)]) {
        let value = RawJson::parse(text.as_bytes()).unwrap();
        let names: Vec<_> = value.repeated_names();
        let found: Vec<_> =
            names.iter().map(|name| (name.offset_before(), name.offset())).collect();
        assert_eq!(found, expected, "{text}");
        let mut scratch = [NameSlot::EMPTY; 1100];
        let mut lent = Vec::new();
        value.repeated_names_in(&mut scratch, |name| lent.push(name)).unwrap();
        lent.sort_unstable();
        assert_eq!(lent, names, "{text}");
    }

    #[test]
    fn both_sorts_agree() {
        let mut random = 0x5EED_u64;
        for length in (0..40).chain([255, 256, 1000]) {
            let mut names = Vec::new();
            for at in 0..length {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                names.push(NameSlot { hash: random as u32 % 16, at });
            }
            let mut others = names.clone();
            let compare = |a: &NameSlot, b: &NameSlot| (a.hash, a.at).cmp(&(b.hash, b.at));
            super::heap_sort(&mut names, compare);
            others.sort_unstable_by(compare);
            assert_eq!(names, others, "{length}");
        }
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

    /// Returns all names that repeat another one, by a comparison of each with all others of its object.
    fn repeated_one_by_one(value: RawJson<'_>, start: usize, found: &mut Vec<(u32, u32)>) {
        let place = |part: &[u8]| start + crate::scan::offset_of(part, value.as_bytes()).unwrap();
        let members: Vec<_> = value.members().into_iter().flatten().collect();
        for (index, member) in members.iter().enumerate() {
            let before = members[..index].iter().rfind(|before| before.name == member.name);
            if let Some(before) = before {
                let at = |name: RawStr<'_>| place(name.escaped_bytes()) as u32 - 1;
                found.push((at(before.name), at(member.name)));
            }
        }
        let values = members.iter().map(|member| member.value);
        for inner in values.chain(value.elements().into_iter().flatten()) {
            repeated_one_by_one(inner, place(inner.as_bytes()), found);
        }
    }

    /// Checks a text against the slow search.
    #[track_caller]
    fn check_again(text: &str) {
        let mut expected = Vec::new();
        repeated_one_by_one(RawJson::parse(text.as_bytes()).unwrap(), 0, &mut expected);
        expected.sort_by_key(|&(before, again)| (again, before));
        check(text, &expected);
    }

    /// Returns the first unpaired surrogate and the first number beyond doubles, by a look at each value.
    fn ambiguities_one_by_one(value: RawJson<'_>, start: usize, found: &mut [Vec<u32>; 2]) {
        let place = |part: &[u8]| start + crate::scan::offset_of(part, value.as_bytes()).unwrap();
        let [surrogates, numbers] = found;
        let mut note = |string: RawStr<'_>| {
            let at = place(string.escaped_bytes());
            surrogates.extend(string.lone_surrogate().map(|lone| (at + lone.offset()) as u32));
        };
        let members: Vec<_> = value.members().into_iter().flatten().collect();
        members.iter().for_each(|member| note(member.name));
        value.string().into_iter().for_each(note);
        let number = value.number().and_then(|number| number.as_str());
        let is_infinite = |text: &str| text.parse::<f64>().unwrap().is_infinite();
        numbers.extend(number.filter(|text| is_infinite(text)).map(|_| start as u32));
        let values = members.iter().map(|member| member.value);
        for inner in values.chain(value.elements().into_iter().flatten()) {
            ambiguities_one_by_one(inner, place(inner.as_bytes()), found);
        }
    }

    /// Writes a random value.
    fn write_value(next: &mut impl FnMut(usize) -> usize, depth: usize, text: &mut String) {
        const STRINGS: [&str; 9] = [
            r#""""#,
            r#""a""#,
            r#""\n\"{1e400""#,
            r#""\ud83d\ude00""#,
            r#""\ude00""#,
            r#""a\ud83d\n""#,
            r#""\\ud800""#,
            r#""longer than a word\uD800\ud800\udc00""#,
            r#""\\\udc00""#,
        ];
        const NUMBERS: [&str; 12] = [
            "0",
            "-1",
            "12.5",
            "1e308",
            "1e309",
            "-1E+400",
            "0e400",
            "0.1e309",
            "0.1e310",
            "1e-400",
            "17976931348623157e292",
            "true",
        ];
        match next(if depth == 0 { 3 } else { 5 }) {
            0 => text.push_str(STRINGS[next(STRINGS.len())]),
            1 => {
                let digits = if next(9) == 0 { 290 + next(30) } else { 1 };
                text.extend(core::iter::repeat_n('9', digits));
            }
            2 => text.push_str(NUMBERS[next(NUMBERS.len())]),
            kind => {
                text.push(if kind == 3 { '[' } else { '{' });
                for at in 0..next(6) {
                    text.push_str(if at > 0 { ", " } else { "" });
                    if kind == 4 {
                        text.push_str(STRINGS[next(STRINGS.len())]);
                        text.push_str([":", " : "][next(2)]);
                    }
                    write_value(next, depth - 1, text);
                }
                text.push(if kind == 3 { ']' } else { '}' });
            }
        }
    }

    /// With a vector unit and without one, the walk passes every string and every number.
    #[test]
    fn values_that_parsers_refuse_are_found_wherever_they_are() {
        let mut random = 0x5EED_u64;
        let mut next = |most: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 33) as usize % most
        };
        let mut seen = [0; 2];
        for _ in 0..3000 {
            let mut text = String::new();
            write_value(&mut next, 5, &mut text);
            for text in [text.clone(), format!("[{text}{}]", " ".repeat(super::SHORT))] {
                let value = RawJson::parse(text.as_bytes()).unwrap();
                let mut expected = [Vec::new(), Vec::new()];
                ambiguities_one_by_one(value, 0, &mut expected);
                let first = expected.each_ref().map(|places| places.iter().min().copied());
                seen[0] += usize::from(first[0].is_some());
                seen[1] += usize::from(first[1].is_some());
                let found = value.first_ambiguities();
                assert_eq!([found.lone_surrogate, found.out_of_range], first, "{text}");
            }
        }
        assert!(seen.iter().all(|count| *count > 300), "{seen:?}");
    }

    /// Names end in every place of a word, and escapes are in every place of a name.
    #[test]
    fn a_name_is_the_same_however_it_is_written() {
        const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";
        for length in 0..=LETTERS.len() {
            let (name, _) = LETTERS.split_at(length);
            check(&format!(r#"{{"{name}":1,"{name}":2}}"#), &[(1, length as u32 + 6)]);
            check(&format!(r#"{{"{name}":1,"{name}_":2,"{name}-":"{name}"}}"#), &[]);
            check(&format!(r#"{{"{name}":1, "{name}" : 2}}"#), &[(1, length as u32 + 7)]);
            for place in 0..length {
                let (before, after) = name.split_at(place);
                let (letter, after) = after.split_at(1);
                let code = u32::from(letter.as_bytes()[0]);
                let escaped = format!("{before}\\u{code:04x}{after}");
                let again = length as u32 + 6;
                check(&format!(r#"{{"{name}":1,"{escaped}":2}}"#), &[(1, again)]);
            }
        }
    }

    /// Writes an object with names of any form. Some repeat, and others have the same hash.
    fn write_object(next: &mut impl FnMut(usize) -> usize, depth: usize, text: &mut String) {
        const NAMES: [&str; 18] = [
            "",
            "a",
            "\\u0061",
            "b",
            "aa",
            "a\\u0000b",
            "a\\u0000c",
            "\\u00e4",
            "ä",
            "\\\"",
            "\\\\",
            "{:}",
            "abcdef",
            "abcdefg",
            "abcdefgh",
            "abcdefgi",
            "abcdefg\\u0068",
            "abcdefg and more",
        ];
        text.push('{');
        let count = if next(20) == 0 { next(60) } else { next(5) };
        for at in 0..count {
            text.push_str(if at > 0 { "," } else { "" });
            text.push_str([" ", "", "", "\n  "][next(4)]);
            let name = NAMES[next(NAMES.len())];
            match next(3) {
                0 => text.push_str(&format!("\"{name}{at}\"")),
                1 => text.push_str(&format!("\"{at}{name}\"")),
                _ => text.push_str(&format!("\"{name}\"")),
            }
            text.push_str([":", ":", " : ", "\t\n:"][next(4)]);
            match next(4) {
                0 if depth > 0 => write_object(next, depth - 1, text),
                1 if depth > 0 => {
                    text.push('[');
                    write_object(next, depth - 1, text);
                    text.push(']');
                }
                2 => text.push_str(&format!("\"{name}\"")),
                _ => text.push('1'),
            }
        }
        text.push('}');
    }

    #[test]
    fn random_objects_are_compared_like_one_by_one() {
        let mut random = 0x5EED_u64;
        let mut next = |most: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            (random >> 33) as usize % most
        };
        for round in 0..2000 {
            let mut text = String::new();
            write_object(&mut next, 6, &mut text);
            // The innermost objects are then nested deeper than those whose names are compared as they come.
            let around = [0, 9, 12, 15, 20][round % 5];
            check_again(&format!("{}{text}{}", "{\"a\":".repeat(around), "}".repeat(around)));
        }
    }

    /// Objects are compared at once while they are small, and sorted once they are large.
    #[test]
    fn objects_of_any_size_are_compared() {
        for count in (1..=80).chain([127, 128, 129, 1000]) {
            let names: Vec<String> = (0..count).map(|i| format!("\"k{i}\":{{}}")).collect();
            let names = names.join(",");
            check_again(&format!("{{{names}}}"));
            for again in [0, count / 2, count - 1] {
                check_again(&format!("{{{names},\"k{again}\":0}}"));
                check_again(&format!("{{\"k{again}\":0,{names},\"k{again}\":0}}"));
            }
        }
    }

    /// The same names in different objects, and other names with the same bit, do not count as repeated.
    #[test]
    fn short_texts_with_any_number_of_names_are_compared() {
        for count in 1..40 {
            let names: Vec<String> = (0..count).map(|i| format!("\"{i}\":0")).collect();
            let names = names.join(",");
            check_again(&format!("{{{names}}}"));
            for again in 0..count {
                check_again(&format!("{{{names},\"\\u{:04x}\":0}}", 0x30 + again % 10));
                check_again(&format!("{{{names} ,\"{again}\" :0}}"));
                check_again(&format!("[{{{names}}},{{\"{again}\":0}}]"));
            }
        }
    }

    /// Only the first bytes and the length are hashed.
    #[test]
    fn names_of_the_same_hash_are_told_apart() {
        for count in [2, 3, 30, 40, 100] {
            let names: Vec<String> =
                (0..count).map(|i| format!("\"the same start {i:03}\":[]")).collect();
            let names = names.join(",");
            check_again(&format!("{{{names}}}"));
            check_again(&format!("{{{names},\"the same start 001\":0}}"));
        }
    }

    /// Objects that are nested deep are remembered in another way.
    #[test]
    fn objects_at_any_depth_are_compared() {
        for depth in 1..100 {
            for names in [("a", "a"), ("a", "b"), ("b", "a"), ("the long name", "the long name")] {
                let (open, close) =
                    (format!(r#"{{"{}":"#, names.0), format!(r#","{}":0}}"#, names.1));
                check_again(&format!("{}{{}}{}", open.repeat(depth), close.repeat(depth)));
            }
        }
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

    /// One object with 100,000 names and one more.
    #[test]
    fn many_names_take_no_quadratic_time() {
        let names: Vec<String> = (0..100_000).map(|i| format!("\"k{i}\":{i}")).collect();
        let text = format!("{{{},\"k7\":0}}", names.join(","));
        let found = RawJson::parse(text.as_bytes()).unwrap().repeated_names();
        assert_eq!(found.len(), 1);
    }
}
