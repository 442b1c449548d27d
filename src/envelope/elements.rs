//! The elements of a batch, parsed one by one.

use super::{Batch, BatchLayout, Envelope, Fault, Message, Profile};
use crate::cast::{index, u32_from};
use crate::excerpt::Excerpt;
use crate::frame::Delimiter;

impl<'buf> Batch<'buf> {
    /// Returns the elements, in their order. Offsets in their faults are offsets in the frame.
    #[must_use]
    pub fn iter(&self) -> BatchIter<'buf> {
        let BatchLayout { array, elements, profile } = self.layout();
        let first = index(array.start()).saturating_add(1);
        BatchIter { frame: self.frame(), at: first, left: elements, profile }
    }
}

impl<'buf> IntoIterator for Batch<'buf> {
    type Item = Envelope<'buf>;
    type IntoIter = BatchIter<'buf>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'buf> IntoIterator for &Batch<'buf> {
    type Item = Envelope<'buf>;
    type IntoIter = BatchIter<'buf>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// An iterator over the elements of a [`Batch`], each as an [`Envelope`].
#[derive(Clone)]
pub struct BatchIter<'buf> {
    frame: &'buf [u8],
    /// The index where the next element begins, after optional whitespace.
    at: usize,
    left: u32,
    profile: Profile,
}

impl<'buf> BatchIter<'buf> {
    /// Returns an offset in the frame that is before the next element, and after the previous one.
    pub(crate) fn offset(&self) -> u32 {
        u32_from(self.at)
    }

    /// Returns the next element as a message, for callers that do not need its envelope.
    pub(crate) fn next_message(&mut self) -> Option<Result<Message<'buf>, Fault<'buf>>> {
        self.left = self.left.checked_sub(1)?;
        let mut at = self.at;
        let message = Message::read(self.frame, Delimiter::Other, &self.profile, Some(&mut at));
        self.go_on(at);
        Some(message)
    }

    /// Continues after an element that ends at this index.
    fn go_on(&mut self, end: usize) {
        // A comma or the end of the array follows the element, possibly after whitespace.
        let behind = self.frame.get(end..).unwrap_or(b"");
        let comma = behind.iter().position(|&byte| byte == b',');
        self.at = end.saturating_add(comma.unwrap_or(0)).saturating_add(1);
    }
}

impl<'buf> Iterator for BatchIter<'buf> {
    type Item = Envelope<'buf>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let element = Envelope::read_element(self.frame, &self.profile, self.at);
        self.go_on(index(element.span().end()));
        Some(element)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (index(self.left), Some(index(self.left)))
    }
}

impl ExactSizeIterator for BatchIter<'_> {}
impl core::iter::FusedIterator for BatchIter<'_> {}

impl core::fmt::Debug for BatchIter<'_> {
    /// Writes the text that is left.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("BatchIter")
            .field("left", &self.left)
            .field("rest", &Excerpt(self.frame.get(self.at..).unwrap_or_default()))
            .finish_non_exhaustive()
    }
}
