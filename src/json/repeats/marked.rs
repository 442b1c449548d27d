//! The same comparison of names, with a vector unit that finds quotes and brackets.

use super::{Listener, NameSlot, Nesting, OpenNames, RepeatedName, first_word, hash, mixed};
use crate::cast::u32_from;
use crate::json::skip;
use crate::scan::{self, Marks, MarksVisitor};

/// Compares the names of each object in a valid text, and returns true. Returns false without a vector unit.
pub(super) fn compare(
    text: &[u8],
    open: &mut impl OpenNames,
    listener: &mut impl Listener,
    found: &mut impl FnMut(RepeatedName),
) -> bool {
    scan::visit_marks(text, &mut Comparison { text, open, listener, found }, skip::string_end)
}

/// A comparison over the marks of a text.
struct Comparison<'a, O, L, F> {
    text: &'a [u8],
    open: &'a mut O,
    listener: &'a mut L,
    found: &'a mut F,
}

impl<O: OpenNames, L: Listener, F: FnMut(RepeatedName)> MarksVisitor for Comparison<'_, O, L, F> {
    #[inline(always)]
    fn visit(&mut self, mut marks: impl Marks) {
        let Self { text, open, listener, found } = self;
        let (mut nesting, mut before) = (Nesting::NONE, 0);
        while let Some(at) = marks.next() {
            listener.between(text, before, at);
            before = at.wrapping_add(1);
            match text.get(at) {
                Some(b'"') => {
                    let Some(end) = marks.next() else { return };
                    before = end.wrapping_add(1);
                    if marks.may_have_escapes(at) {
                        listener.string(text, at.wrapping_add(1), end);
                    }
                    let colon = skip::whitespace(text, end.wrapping_add(1));
                    if text.get(colon) == Some(&b':') {
                        let hash = if marks.may_have_escapes(at) {
                            hash(text.get(at.wrapping_add(1)..end).unwrap_or_default())
                        } else {
                            plain_hash(text, at.wrapping_add(1), end)
                        };
                        let slot = NameSlot { hash, at: u32_from(at), end: u32_from(end) };
                        nesting.object.add(slot, *open);
                    }
                }
                Some(b'{') => nesting.enter(open.length()),
                _ => nesting.leave(text, *open, *found),
            }
        }
        listener.between(text, before, text.len());
    }
}

/// Returns the hash of the name without escapes between these indexes.
#[inline]
fn plain_hash(text: &[u8], start: usize, end: usize) -> u32 {
    let length = end.wrapping_sub(start);
    match text.get(start..).and_then(|rest| rest.first_chunk()) {
        Some(first) if length < 8 => {
            let bits = u32_from(length).wrapping_mul(8);
            mixed(u64::from_le_bytes(*first) & !u64::MAX.wrapping_shl(bits), length)
        }
        Some(first) => mixed(u64::from_le_bytes(*first), length),
        None => mixed(first_word(text.get(start..end).unwrap_or_default()), length),
    }
}
