//! The members by which messages refer to requests.

use tautline::{Id, Message, RawJson};

use super::view::request_id;
use super::{KnownMethod, meta};

/// A member by which a message refers to a request that either side sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference<'buf> {
    kind: ReferenceKind,
    value: RawJson<'buf>,
    id: Id<'buf>,
}

/// The subject of a [`Reference`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ReferenceKind {
    /// `requestId` of `notifications/cancelled`: the id of the request to cancel.
    CancelledRequest,
    /// `progressToken`, in the `_meta` of a request and in `notifications/progress`: the token of a request. A client
    /// may use the same text for the id and the token of a request, or two that have nothing to do with each other.
    ProgressToken,
    /// `io.modelcontextprotocol/subscriptionId` in `_meta`: the id of the request `subscriptions/listen` (2026-07-28).
    Subscription,
}

impl<'buf> Reference<'buf> {
    const fn new(kind: ReferenceKind, value: RawJson<'buf>, id: Id<'buf>) -> Self {
        Self { kind, value, id }
    }

    /// Returns its subject.
    #[must_use]
    pub const fn kind(&self) -> ReferenceKind {
        self.kind
    }

    /// Returns the id or the token.
    #[must_use]
    pub const fn id(&self) -> Id<'buf> {
        self.id
    }

    /// Returns the value of the member.
    #[must_use]
    pub const fn value(&self) -> RawJson<'buf> {
        self.value
    }
}

/// Returns every reference to a request in the message, whatever the revision. Members that appear twice, or that are
/// neither strings nor integers, are left out. A batch has none: look at its elements.
///
/// ```
/// use tautline_mcp::encode::{Encoder, Forward};
/// use tautline_mcp::{Message, Revision, references};
///
/// let frame = br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a-1"}}"#;
/// let message = Message::parse(frame, &Revision::LATEST.profile()).unwrap();
/// let mut forward = Forward::new(&message).unwrap();
/// for reference in references(&message) {
///     // A gateway looks up the id under which it forwarded this request.
///     assert_eq!(reference.id().to_string(), r#""a-1""#);
///     forward = forward.with_reference(reference.value(), 77).unwrap();
/// }
/// let mut line = Vec::new();
/// Encoder::new(&mut line).forward(&forward)?;
/// assert!(line.ends_with(b"\"params\":{\"requestId\":77}}\n"));
/// # Ok::<(), tautline_mcp::encode::EncodeError>(())
/// ```
pub fn references<'buf>(
    message: &Message<'buf>,
) -> impl Iterator<Item = Reference<'buf>> + use<'buf> {
    use ReferenceKind::{CancelledRequest, ProgressToken, Subscription};
    let (payload, own, in_meta) = match message {
        Message::Request(request) => {
            (request.params(), None, Some((ProgressToken, meta::PROGRESS_TOKEN)))
        }
        Message::Notification(note) => {
            let own = match KnownMethod::named(note.method()) {
                Some(KnownMethod::Cancelled) => Some((CancelledRequest, "requestId")),
                Some(KnownMethod::Progress) => Some((ProgressToken, "progressToken")),
                _ => None,
            };
            (note.params(), own, Some((Subscription, meta::SUBSCRIPTION_ID)))
        }
        Message::Response(response) => {
            (response.result(), None, Some((Subscription, meta::SUBSCRIPTION_ID)))
        }
        Message::Batch(_) => (None, None, None),
    };
    let own = own.map(|of| (payload, of));
    let in_meta = in_meta.map(|of| (payload.and_then(|payload| payload.member("_meta")), of));
    own.into_iter().chain(in_meta).filter_map(|(object, (kind, name))| {
        let value = object?.member(name)?;
        Some(Reference::new(kind, value, request_id(value)?))
    })
}
