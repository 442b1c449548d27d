//! Removal of repeated members, since other parsers would prefer a later one to the first.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::RawStr;
use super::skip::Place;

/// Returns a copy of valid text in which each object has only the first member of each name, or `None` if no
/// name repeats.
pub(super) fn without(text: &[u8]) -> Option<Vec<u8>> {
    let mut repeats = Repeats { members: Vec::new(), cuts: Vec::new() };
    let mut open = Vec::new();
    let (mut place, mut comma, mut expects_name) = (Place::before(text, 0), 0, false);
    let mut at = 0_usize;
    while let Some(byte) = place.step() {
        match (byte, open.last()) {
            (b'"', _) if core::mem::take(&mut expects_name) => {
                let (from, to) = (comma, place.at);
                let name = text.get(at.saturating_add(1)..to.saturating_sub(1));
                repeats.members.push(Member { name: decoded(name.unwrap_or_default()), from, to });
            }
            (b'{', _) => {
                open.push(Container::Object { first: repeats.members.len() });
                expects_name = true;
            }
            (b'[', _) => open.push(Container::Array),
            (b',', Some(Container::Object { .. })) => {
                repeats.end_member(at);
                comma = at;
                expects_name = true;
            }
            (b'}' | b']', _) => {
                if let Some(Container::Object { first }) = open.pop() {
                    repeats.end_object(first, at);
                    expects_name = false;
                }
            }
            _ => {}
        }
        at = place.at;
    }
    repeats.cut(text)
}

enum Container {
    Array,
    /// The index of the object's first member.
    Object {
        first: usize,
    },
}

struct Member<'text> {
    name: Cow<'text, [u8]>,
    /// The offset of the comma before the member, or of the member itself if it is the first in its object.
    from: usize,
    to: usize,
}

struct Repeats<'text> {
    /// The members of all open objects.
    members: Vec<Member<'text>>,
    cuts: Vec<(usize, usize)>,
}

impl Repeats<'_> {
    fn end_member(&mut self, at: usize) {
        if let Some(member) = self.members.last_mut() {
            member.to = at;
        }
    }

    fn end_object(&mut self, first: usize, at: usize) {
        if self.members.len() > first {
            self.end_member(at);
        }
        let members = self.members.get_mut(first..).unwrap_or_default();
        // The sort is stable, so the first of several members with one name stays first.
        members.sort_by(|a, b| a.name.cmp(&b.name));
        let pairs = members.iter().zip(members.iter().skip(1));
        let repeated = pairs.filter(|(before, member)| before.name == member.name);
        self.cuts.extend(repeated.map(|(_, member)| (member.from, member.to)));
        self.members.truncate(first);
    }

    fn cut(mut self, text: &[u8]) -> Option<Vec<u8>> {
        if self.cuts.is_empty() {
            return None;
        }
        self.cuts.sort_unstable();
        let (mut copy, mut at) = (Vec::with_capacity(text.len()), 0);
        for (from, to) in self.cuts {
            // A cut may lie within an earlier one. Then `at` is already past its end.
            copy.extend_from_slice(text.get(at..from).unwrap_or_default());
            at = at.max(to);
        }
        copy.extend_from_slice(text.get(at..).unwrap_or_default());
        Some(copy)
    }
}

/// Decodes a name. A name with an unpaired surrogate is kept as written, because no text can hold it.
fn decoded(name: &[u8]) -> Cow<'_, [u8]> {
    if !name.contains(&b'\\') {
        return name.into();
    }
    RawStr::new(name).decode().map_or(name.into(), |text| text.into_owned().into_bytes().into())
}
