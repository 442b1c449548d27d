//! Messages: frames that break no rule.

use super::layout::Layout;
use super::{Batch, Call, Notification, Request, Response};
use crate::cast::u32_from;
use crate::scan::Span;

/// A message of JSON-RPC 2.0, valid under the rules that it was parsed with.
///
/// It borrows the frame and knows where the members are. Accessors make views of them on demand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "JSON-RPC 2.0, sections 4 to 6, has these and no more")]
pub enum Message<'buf> {
    /// A call that expects an answer.
    Request(Request<'buf>),
    /// A call that expects no answer.
    Notification(Notification<'buf>),
    /// An answer.
    Response(Response<'buf>),
    /// Several messages in one frame, each with a verdict of its own.
    Batch(Batch<'buf>),
}

impl<'buf> Message<'buf> {
    /// Creates the message with this layout, in the frame that the layout was made from.
    #[inline]
    pub(crate) const fn new(frame: &'buf [u8], layout: Layout) -> Self {
        match layout {
            Layout::Request(call) => Self::Request(Request::new(Call::new(frame, call))),
            Layout::Notification(call) => {
                Self::Notification(Notification::new(Call::new(frame, call)))
            }
            Layout::Response(response) => Self::Response(Response::new(frame, response)),
            Layout::Batch(batch) => Self::Batch(Batch::new(frame, batch)),
        }
    }

    /// Returns the part that outlives the borrow of the frame.
    #[cfg(any(test, feature = "tokio-util-v0_7"))]
    pub(crate) const fn layout(&self) -> Layout {
        match self {
            Self::Request(request) => Layout::Request(request.call().layout()),
            Self::Notification(notification) => Layout::Notification(notification.call().layout()),
            Self::Response(response) => Layout::Response(response.layout()),
            Self::Batch(batch) => Layout::Batch(batch.layout()),
        }
    }

    /// Returns the span of the id in the frame, if the message has one.
    pub(crate) const fn id_span(&self) -> Option<Span> {
        match self {
            Self::Request(request) => request.call().id_span(),
            Self::Response(response) => response.id_span(),
            Self::Notification(_) | Self::Batch(_) => None,
        }
    }

    /// Returns the offset in the [frame](Self::frame) of a part of it, such as the bytes of a view. The bytes of a
    /// string begin after its opening quote. Returns `None` for any other slice.
    #[must_use]
    pub fn offset_of(&self, part: &[u8]) -> Option<u32> {
        // It follows from the addresses, here and nowhere else: a view that carries its offset would take three
        // registers instead of two.
        let frame = self.frame();
        let before = part.as_ptr().addr().checked_sub(frame.as_ptr().addr())?;
        (part.len() <= frame.len().checked_sub(before)?).then(|| u32_from(before))
    }

    /// Returns the whole frame that it was parsed from. For an element of a batch, this is the frame of the batch.
    #[must_use]
    pub const fn frame(&self) -> &'buf [u8] {
        match self {
            Self::Request(request) => request.call().frame(),
            Self::Notification(notification) => notification.call().frame(),
            Self::Response(response) => response.frame(),
            Self::Batch(batch) => batch.frame(),
        }
    }
}
