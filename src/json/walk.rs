//! Iterators over the members of an object and the elements of an array.

use super::{Kind, RawJson, RawStr, skip};

/// A member of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "RFC 8259, section 4: a name and a value")]
pub struct Member<'buf> {
    /// The name.
    pub name: RawStr<'buf>,
    /// The value.
    pub value: RawJson<'buf>,
}

/// An iterator over the members of an object in order, duplicates included.
#[derive(Clone, Debug)]
pub struct Members<'buf> {
    walk: Walk<'buf>,
}

/// An iterator over the elements of an array.
#[derive(Clone, Debug)]
pub struct Elements<'buf> {
    walk: Walk<'buf>,
}

impl<'buf> RawJson<'buf> {
    /// Returns the members in order, if the value is an object.
    #[must_use]
    pub fn members(&self) -> Option<Members<'buf>> {
        (self.kind() == Kind::Object).then(|| Members::new(self.as_bytes()))
    }

    /// Returns the elements, if the value is an array.
    #[must_use]
    pub fn elements(&self) -> Option<Elements<'buf>> {
        (self.kind() == Kind::Array).then(|| Elements::new(self.as_bytes()))
    }

    /// Returns the value of the first member with this name, if the value is an object that has one. The
    /// other ways to read an object also keep the first: the envelope's members, `deserialize` and owned
    /// messages.
    ///
    /// Names are compared after unescaping. The members before it are skipped, so the work grows with its
    /// position. To read many members, iterate over [`members`](Self::members) once.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<Self> {
        self.members()?.next_named(name)
    }
}

impl<'buf> Members<'buf> {
    pub(super) const fn new(object: &'buf [u8]) -> Self {
        Self { walk: Walk::within(object, 0) }
    }

    /// Returns the next member, and the offset in the object of the opening quote of its name.
    pub(crate) fn next_at(&mut self) -> Option<(usize, Member<'buf>)> {
        let (at, name) = self.walk.next_value()?;
        let (_, value) = self.walk.next_value()?;
        Some((at, Member { name: name.string()?, value }))
    }

    /// Returns the value of the next member with this name.
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
        Self { walk: Walk::within(array, 0) }
    }

    /// Returns the next element, and its offset in the array.
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

/// A text that contains a container, and a position between two values in that container.
#[derive(Clone, Debug)]
pub(super) struct Walk<'buf> {
    text: &'buf [u8],
    at: usize,
}

impl<'buf> Walk<'buf> {
    /// Creates a walk of the container whose opening bracket is at index `at`.
    pub(super) const fn within(text: &'buf [u8], at: usize) -> Self {
        Self { text, at: at.wrapping_add(1) }
    }

    /// Returns the next value or name, and its index.
    pub(super) fn next_value(&mut self) -> Option<(usize, RawJson<'buf>)> {
        let start = self.next_start()?;
        self.at = skip::value(self.text, start);
        let value = self.text.get(start..self.at)?;
        Some((start, RawJson::new(value)))
    }

    /// Returns the index of the next value or name, after any punctuation. Returns `None` at the closing
    /// bracket.
    pub(super) fn next_start(&mut self) -> Option<usize> {
        // Outside strings, only whitespace is not above a space.
        while let Some(0..=b' ' | b',' | b':') = self.text.get(self.at) {
            self.at = self.at.wrapping_add(1);
        }
        (!matches!(self.text.get(self.at)?, b'}' | b']')).then_some(self.at)
    }

    /// Continues after a value that ends at this index.
    #[cfg(feature = "serde")]
    pub(super) const fn go_on(&mut self, end: usize) {
        self.at = end;
    }

    /// Returns the index after the container, once there is no next value.
    #[cfg(feature = "serde")]
    pub(super) const fn end(&self) -> usize {
        self.at.wrapping_add(1)
    }
}
