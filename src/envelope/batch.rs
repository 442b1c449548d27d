//! Batches (JSON-RPC 2.0, section 6).

use core::fmt;

use super::layout::BatchLayout;

/// Several messages in one frame.
///
/// The frame was validated as a whole. Its elements are parsed one by one, as the iterator reaches them, so the bytes
/// of a batch are visited twice. Each element has a verdict of its own: a faulty element does not affect the others.
///
/// ```
/// use tautline::{Message, Rules};
///
/// let frame = br#"[{"jsonrpc":"2.0","method":"a","id":1}, 2]"#;
/// let Ok(Message::Batch(batch)) = Message::parse(frame, &Rules::JSON_RPC) else { panic!() };
/// let verdicts: Vec<_> = batch.iter().map(|element| element.message()).collect();
/// assert!(matches!(verdicts[0], Ok(Message::Request(_))));
/// assert_eq!(verdicts[1].unwrap_err().rule(), tautline::Rule::NOT_AN_OBJECT);
/// assert_eq!(verdicts[1].unwrap_err().offset(), 40);
/// ```
// The frame is the first field in messages of each kind, so that it is read without a branch on the kind.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Batch<'buf> {
    pub(super) frame: &'buf [u8],
    pub(super) layout: BatchLayout,
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

    /// Returns the number of elements, which is at least one.
    #[expect(clippy::len_without_is_empty, reason = "an empty batch is a fault, and not a batch")]
    #[must_use]
    pub const fn len(&self) -> u32 {
        self.layout.elements
    }

    /// Returns the whole frame.
    pub(crate) const fn frame(&self) -> &'buf [u8] {
        self.frame
    }
}

/// Two batches are equal if their texts are equal byte for byte, and their elements are parsed by the same rules.
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
