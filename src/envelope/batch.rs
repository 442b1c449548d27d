//! Batches (JSON-RPC 2.0, section 6).

use core::fmt;

use super::layout::BatchLayout;
use super::{Envelope, Fault, Message, Rules};
use crate::cast::index;
use crate::frame::Delimiter;

/// Several messages in one frame.
///
/// The frame was validated as a whole. Its elements are parsed one by one, as the iterator comes to
/// them, so the bytes of a batch are visited twice. Each element has a verdict of its own: a faulty
/// one does not touch the others.
///
/// ```
/// use tautline::{Message, Rules};
///
/// let frame = br#"[{"jsonrpc":"2.0","method":"a","id":1}, 2]"#;
/// let Ok(Message::Batch(batch)) = Message::parse(frame, &Rules::JSON_RPC) else { panic!() };
/// let verdicts: Vec<_> = batch.iter().map(|element| element.message()).collect();
/// assert!(matches!(verdicts[0], Ok(Message::Request(_))));
/// assert_eq!(verdicts[1].unwrap_err().rule().name(), "not-an-object");
/// assert_eq!(verdicts[1].unwrap_err().offset(), 40);
/// ```
// The frame is first in messages of each kind, so that it is read without asking for the kind.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Batch<'buf> {
    frame: &'buf [u8],
    layout: BatchLayout,
}

impl<'buf> Batch<'buf> {
    #[inline]
    pub(super) const fn new(frame: &'buf [u8], layout: BatchLayout) -> Self {
        Self { frame, layout }
    }

    #[cfg(any(test, feature = "tokio-util-v0_7"))]
    pub(super) const fn layout(&self) -> BatchLayout {
        self.layout
    }

    /// How many elements it has: at least one.
    #[expect(clippy::len_without_is_empty, reason = "an empty batch is a fault, and not a batch")]
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.layout.elements
    }

    /// The frame that it is.
    pub(crate) const fn frame(&self) -> &'buf [u8] {
        self.frame
    }

    /// The elements, in their order. Offsets in their faults are offsets in the frame.
    #[must_use]
    pub fn iter(&self) -> BatchIter<'buf> {
        let BatchLayout { array, elements, rules } = self.layout;
        let first = index(array.start()).saturating_add(1);
        BatchIter { frame: self.frame, at: first, left: elements, rules }
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

/// Two batches are equal if their text is, byte for byte, and their elements are parsed by the same rules.
impl PartialEq for Batch<'_> {
    fn eq(&self, other: &Self) -> bool {
        let (Self { layout, .. }, Self { layout: other_layout, .. }) = (self, other);
        layout.array.of(self.frame) == other_layout.array.of(other.frame)
            && layout.rules == other_layout.rules
    }
}

impl Eq for Batch<'_> {}

impl fmt::Debug for Batch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch").field("elements", &self.layout.elements).finish_non_exhaustive()
    }
}

/// The elements of a [`Batch`], each to be asked for its message.
#[derive(Clone, Debug)]
pub struct BatchIter<'buf> {
    frame: &'buf [u8],
    /// The next element begins here, behind whitespace.
    at: usize,
    left: u32,
    rules: Rules,
}

impl<'buf> BatchIter<'buf> {
    /// What the next element is, for those who need no more of it.
    pub(crate) fn next_message(&mut self) -> Option<Result<Message<'buf>, Fault>> {
        self.left = self.left.checked_sub(1)?;
        let mut at = self.at;
        let message = Message::read(self.frame, Delimiter::Other, &self.rules, Some(&mut at));
        self.go_on(at);
        Some(message)
    }

    /// Goes on behind an element that ends here.
    fn go_on(&mut self, end: usize) {
        // A comma, or the end of the array, stands behind the element, and maybe whitespace before it.
        let behind = self.frame.get(end..).unwrap_or(b"");
        let comma = behind.iter().position(|&byte| byte == b',');
        self.at = end.saturating_add(comma.unwrap_or(0)).saturating_add(1);
    }
}

impl<'buf> Iterator for BatchIter<'buf> {
    type Item = Envelope<'buf>;

    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let element = Envelope::read_element(self.frame, &self.rules, self.at);
        self.go_on(index(element.span().end()));
        Some(element)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (index(self.left), Some(index(self.left)))
    }
}

impl ExactSizeIterator for BatchIter<'_> {}
impl core::iter::FusedIterator for BatchIter<'_> {}
