//! Duplicate names in an object, of which parsers keep different values, and other values that parsers refuse or replace.

#[cfg(feature = "simd")]
mod marked;
#[cfg(all(test, feature = "alloc"))]
mod tests;

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

    /// Returns the name in its text. This searches for the end of the name, because a slot has no room for it. Only names
    /// of the same hash are compared, and such names are rare.
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

/// One more than the number of objects inside each other whose names are compared as they come. The names of objects that
/// are nested deeper are sorted. Such objects are rare.
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
        let of_length = |length: usize| {
            (inside.wrapping_add(length).wrapping_add(1), mixed(after_quote(first), length))
        };
        if let Some(length) = skip::plain_before_quote(first) {
            return of_length(index(length));
        }
        if let Some((second, _)) = more.split_first_chunk()
            && !skip::has_backslash(first)
            && let Some(length) = skip::plain_before_quote(u64::from_le_bytes(*second))
        {
            return of_length(index(length).wrapping_add(8));
        }
    }
    let end = skip::string(text, at);
    let name = text.get(inside..end.wrapping_sub(1)).unwrap_or_default();
    (end, hash(name))
}

/// Returns a hash of the decoded name up to U+0000: of its first seven bytes, and of its length. Names of the same hash
/// take several times as long to sort.
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
