//! Members that repeat a name, which other parsers would prefer to the first.

use std::borrow::Cow;
use std::vec::Vec;

use super::{RawStr, skip};

/// A copy of valid text in which each object has only the first member of each name; `None` if no name repeats.
pub(super) fn without(text: &[u8]) -> Option<Vec<u8>> {
    let mut repeats = Repeats { members: Vec::new(), cuts: Vec::new() };
    let mut open = Vec::new();
    let (mut at, mut comma, mut expects_name) = (0, 0, false);
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => {
                let end = skip::string(text, at);
                if core::mem::take(&mut expects_name) {
                    let name = text.get(at.saturating_add(1)..end.saturating_sub(1));
                    let name = decoded(name.unwrap_or_default());
                    repeats.members.push(Member { name, from: comma, to: end });
                }
                at = end;
                continue;
            }
            b'{' => {
                open.push(Container::Object { first: repeats.members.len() });
                expects_name = true;
            }
            b'[' => open.push(Container::Array),
            b',' => {
                if let Some(Container::Object { .. }) = open.last() {
                    repeats.end_member(at);
                    comma = at;
                    expects_name = true;
                }
            }
            b'}' => {
                if let Some(Container::Object { first }) = open.pop() {
                    repeats.end_object(first, at);
                    expects_name = false;
                }
            }
            b']' => drop(open.pop()),
            _ => {}
        }
        at = at.saturating_add(1);
    }
    repeats.cut(text)
}

enum Container {
    Array,
    /// The members from this index on are its own.
    Object {
        first: usize,
    },
}

struct Member<'text> {
    name: Cow<'text, [u8]>,
    /// The comma before it, unless it is the first of its object.
    from: usize,
    to: usize,
}

struct Repeats<'text> {
    /// Of all objects that are open.
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
        // The sort is stable: of those with one name the first stays in front.
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
            // A cut may lie within another, whose end has been passed then.
            copy.extend_from_slice(text.get(at..from).unwrap_or_default());
            at = at.max(to);
        }
        copy.extend_from_slice(text.get(at..).unwrap_or_default());
        Some(copy)
    }
}

/// A name without its escapes. One that no text can hold, because it has half a character in it, stays as it is.
fn decoded(name: &[u8]) -> Cow<'_, [u8]> {
    if !name.contains(&b'\\') {
        return name.into();
    }
    RawStr::new(name).decode().map_or(name.into(), |text| text.into_owned().into_bytes().into())
}
