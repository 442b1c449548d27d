//! The same comparison of names, with a vector unit that finds colons and brackets, and quotes for listeners.

use super::{
    Innermost, Listener, NameSlot, Objects, OpenNames, RepeatedName, after_quote, first_word, hash,
    mixed,
};
use crate::cast::{index, u32_from};
use crate::scan::{self, Marks, MarksVisitor};

/// Compares the names of each object in a valid text, and returns true. Returns false without a vector unit.
pub(super) fn compare(
    text: &[u8],
    open: &mut impl OpenNames,
    listener: &mut impl Listener,
    found: &mut impl FnMut(RepeatedName),
) -> bool {
    scan::visit_marks(text, &mut Comparison { text, open, listener, found })
}

/// Returns true if it is certain that no object repeats a name, because no two of the text have the same hash. Most short
/// texts have few names. Returns false without a vector unit.
pub(super) fn are_distinct(text: &[u8]) -> bool {
    let mut hashes = Hashes { text, seen: 0, are_distinct: true };
    scan::visit_marks(text, &mut hashes) && hashes.are_distinct
}

/// The hashes of all names of a text.
struct Hashes<'a> {
    text: &'a [u8],
    /// A bit for each name, chosen by its hash.
    seen: u64,
    are_distinct: bool,
}

impl MarksVisitor for Hashes<'_> {
    const WITH_QUOTES: bool = false;

    #[inline(always)]
    fn visit(&mut self, mut marks: impl Marks) {
        while let Some(mark) = marks.next() {
            if self.text.get(index(mark)) == Some(&b':') {
                let bit = name(self.text, &marks, mark).bit();
                self.are_distinct = self.seen & bit == 0;
                if !self.are_distinct {
                    return;
                }
                self.seen |= bit;
            }
        }
    }
}

/// A comparison over the marks of a text.
struct Comparison<'a, O, L, F> {
    text: &'a [u8],
    open: &'a mut O,
    listener: &'a mut L,
    found: &'a mut F,
}

impl<O: OpenNames, L: Listener, F: FnMut(RepeatedName)> MarksVisitor for Comparison<'_, O, L, F> {
    const WITH_QUOTES: bool = L::LISTENS;

    #[inline(always)]
    fn visit(&mut self, mut marks: impl Marks) {
        let Self { text, open, listener, found } = self;
        let text = *text;
        // As a local variable, it is not loaded again for each name.
        let mut names = core::mem::take(*open);
        let (mut innermost, mut objects, mut before) = (Innermost::NONE, Objects::NONE, 0);
        while let Some(mark) = marks.next() {
            let at = index(mark);
            listener.between(text, before, at);
            before = at.wrapping_add(1);
            match text.get(at) {
                Some(b':') => {
                    let name = name(text, &marks, mark);
                    innermost.add(name, &mut objects, &mut names);
                }
                Some(b'{') => innermost.enter(&mut objects),
                Some(b'}') => innermost.leave(&objects, text, &mut names, *found),
                _ if L::LISTENS => {
                    let Some(end) = marks.next() else { break };
                    before = index(end).wrapping_add(1);
                    if marks.may_have_escapes(mark) {
                        listener.string(text, at.wrapping_add(1), index(end));
                    }
                }
                _ => {}
            }
        }
        listener.between(text, before, text.len());
        **open = names;
    }
}

/// Returns the name before a colon: it is the last string.
#[inline(always)]
fn name(text: &[u8], marks: &impl Marks, colon: u32) -> NameSlot {
    let at = marks.string_before(colon);
    let end = match text.get(..index(colon)) {
        Some([.., b'"']) => colon.wrapping_sub(1),
        _ => end_before(text, colon),
    };
    let hash = if marks.may_have_escapes(at) {
        hash(text.get(index(at).wrapping_add(1)..index(end)).unwrap_or_default())
    } else {
        plain_hash(text, at, end)
    };
    NameSlot { hash, at }
}

/// Returns the index of the quote before this index, after which there is only whitespace.
#[cold]
#[inline(never)]
fn end_before(text: &[u8], at: u32) -> u32 {
    let before = text.get(..index(at)).unwrap_or_default();
    u32_from(before.iter().rposition(|byte| *byte == b'"').unwrap_or_default())
}

/// Returns the hash of the name without escapes between these quotes.
#[inline(always)]
fn plain_hash(text: &[u8], at: u32, end: u32) -> u32 {
    let (start, end) = (index(at), index(end));
    let length = end.wrapping_sub(start).wrapping_sub(1);
    let word = match text.get(start..start.wrapping_add(8)).and_then(|text| text.first_chunk()) {
        Some(word) => u64::from_le_bytes(*word),
        None => after_quote(first_word(text.get(start.wrapping_add(1)..end).unwrap_or_default())),
    };
    mixed(word, length)
}
