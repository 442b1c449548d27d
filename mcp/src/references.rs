//! The members by which messages refer to requests.

use tautline::{Id, Message, RawJson};

use super::view::request_id;
use super::{Era, KnownMethod, Revision, Role, meta};

/// A member by which a message refers to a request that either side sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference<'buf> {
    kind: ReferenceKind,
    /// True if the message that has the member is a request.
    in_request: bool,
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
    const fn new(
        kind: ReferenceKind,
        in_request: bool,
        value: RawJson<'buf>,
        id: Id<'buf>,
    ) -> Self {
        Self { kind, in_request, value, id }
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

    /// Returns the role that sent the request referred to, if `sender` sent the message. A gateway looks the id up among
    /// the requests of that role.
    ///
    /// | the member | of a message of the client | of the server |
    /// |---|---|---|
    /// | `requestId` of `notifications/cancelled`, up to 2025-11-25 | the client's request | the server's request |
    /// | the same, from 2026-07-28 | the client's request | the client's `subscriptions/listen` |
    /// | `progressToken` in the `_meta` of a request | the client's: this request | the server's: this request |
    /// | `progressToken` of `notifications/progress` | the server's request | the client's request |
    /// | `io.modelcontextprotocol/subscriptionId` | the client's request | the client's request |
    ///
    /// The last row is for any sender, although only servers may send the member.
    ///
    /// ```
    /// use tautline_mcp::{Message, Revision, Role, references};
    ///
    /// let (legacy, modern) = (Revision::V2025_11_25, Revision::V2026_07_28);
    /// let frame = br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    /// let message = Message::parse(frame, &legacy.profile()).unwrap();
    /// let reference = references(&message).next().unwrap();
    /// assert_eq!(reference.owner(Role::Server, legacy), Role::Server);
    /// assert_eq!(reference.owner(Role::Server, modern), Role::Client);
    /// ```
    #[must_use]
    pub const fn owner(&self, sender: Role, revision: Revision) -> Role {
        match (self.kind, revision.era()) {
            (ReferenceKind::CancelledRequest, Era::Legacy) => sender,
            (ReferenceKind::ProgressToken, _) if self.in_request => sender,
            (ReferenceKind::ProgressToken, _) => sender.other(),
            // A modern server sends no requests: it ends subscriptions.
            (ReferenceKind::CancelledRequest, Era::Modern) | (ReferenceKind::Subscription, _) => {
                Role::Client
            }
        }
    }
}

/// Returns every reference to a request in the message, whatever the revision. Members that appear twice, or that are
/// neither strings nor integers, are left out. A batch has none: look at its elements.
///
/// [`Reference::owner`] says whose request it is. References outlive the responses to their requests in one case: in
/// 2025-11-25, a request that creates a task may get progress until the task ends (utilities/progress), so a gateway keeps
/// the token with the task. Ids of tasks are no references: the receiver of a request makes them, and a gateway passes
/// them on unchanged. But it has to keep which client a task belongs to, because `notifications/tasks/status`, and
/// `tasks/get` and the others of a client, name nothing else.
///
/// ```
/// use tautline_mcp::encode::{Encoder, Forward, Slice};
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
/// let mut room = [0; 128];
/// let mut encoder = Encoder::new(Slice::new(&mut room));
/// encoder.forward(&forward)?;
/// assert!(encoder.output().written().ends_with(b"\"params\":{\"requestId\":77}}\n"));
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
    let in_request = matches!(message, Message::Request(_));
    let own = own.map(|of| (payload, of));
    let in_meta = in_meta.map(|of| (payload.and_then(|payload| payload.member("_meta")), of));
    own.into_iter().chain(in_meta).filter_map(move |(object, (kind, name))| {
        let value = object?.member(name)?;
        Some(Reference::new(kind, in_request, value, request_id(value)?))
    })
}
