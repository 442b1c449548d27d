//! One by one over the members of an object and the elements of an array.

use super::{RawJson, RawStr, skip};

/// A member of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "RFC 8259, section 4: a name and a value")]
pub struct Member<'buf> {
    /// Its name.
    pub name: RawStr<'buf>,
    /// Its value.
    pub value: RawJson<'buf>,
}

/// The members of an object, in the order in which they are written, duplicates and all.
#[derive(Clone, Debug)]
pub struct Members<'buf> {
    walk: Walk<'buf>,
}

/// The elements of an array.
#[derive(Clone, Debug)]
pub struct Elements<'buf> {
    walk: Walk<'buf>,
}

impl<'buf> Members<'buf> {
    pub(super) const fn new(object: &'buf [u8]) -> Self {
        Self { walk: Walk::new(object) }
    }

    /// The next member, and where in the object the opening quote of its name stands.
    pub(crate) fn next_at(&mut self) -> Option<(usize, Member<'buf>)> {
        let (at, name) = self.walk.next_value()?;
        let (_, value) = self.walk.next_value()?;
        Some((at, Member { name: name.string()?, value }))
    }

    /// The value of the next member of this name.
    pub(crate) fn next_named(&mut self, name: &str) -> Option<RawJson<'buf>> {
        self.find(|member| member.name == *name).map(|member| member.value)
    }
}

impl<'buf> Iterator for Members<'buf> {
    type Item = Member<'buf>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_at().map(|(_, member)| member)
    }
}

impl<'buf> Elements<'buf> {
    pub(super) const fn new(array: &'buf [u8]) -> Self {
        Self { walk: Walk::new(array) }
    }

    /// The next element, and where in the array it begins.
    pub(crate) fn next_at(&mut self) -> Option<(usize, RawJson<'buf>)> {
        self.walk.next_value()
    }
}

impl<'buf> Iterator for Elements<'buf> {
    type Item = RawJson<'buf>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_at().map(|(_, value)| value)
    }
}

impl core::iter::FusedIterator for Members<'_> {}
impl core::iter::FusedIterator for Elements<'_> {}

/// A container's text, and a place in it between two values.
#[derive(Clone, Debug)]
struct Walk<'buf> {
    container: &'buf [u8],
    at: usize,
}

impl<'buf> Walk<'buf> {
    const fn new(container: &'buf [u8]) -> Self {
        // Behind the opening bracket.
        Self { container, at: 1 }
    }

    /// The next value or name: what else stands between them is punctuation.
    fn next_value(&mut self) -> Option<(usize, RawJson<'buf>)> {
        // Outside of strings nothing is below a space but other whitespace.
        let mut start = self.at;
        while let Some(0..=b' ' | b',' | b':') = self.container.get(start) {
            start = start.wrapping_add(1);
        }
        if let b'}' | b']' = self.container.get(start)? {
            return None;
        }
        self.at = skip::value(self.container, start);
        let text = self.container.get(start..self.at)?;
        Some((start, RawJson::new(text)))
    }
}
