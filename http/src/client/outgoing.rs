//! Messages that the client sends.

use bytes::Bytes;
use tautline::envelope::Ids;
use tautline::{Call, Message, Profile};
use tautline_mcp::{Id, KnownMethod, ParamsView};

/// The profile for messages of this side, which are valid. They are nested deeper than their payload, whose depth was checked
/// when it was encoded.
const PROFILE: Profile = Profile::JSON_RPC.with_ids(Ids::Any).with_max_depth(u8::MAX);

/// The notification that follows `initialize`.
pub(super) const INITIALIZED: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// A message to be sent.
#[derive(Clone, Debug)]
pub(super) struct Outgoing {
    pub(super) text: Bytes,
    pub(super) kind: Kind,
}

/// The kind of a message, as far as it decides how the message is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A request with this id.
    Call(u64),
    /// The request `initialize`.
    Initialize(u64),
    /// The notification that ends the handshake.
    Initialized,
    /// The cancellation of a call.
    Cancellation(Option<u64>),
    Notification,
    /// A response to a request of the server.
    Answer,
}

impl Outgoing {
    /// Reads a line of this side.
    ///
    /// # Errors
    ///
    /// Returns the id of a line that is no message, if it has one. The connection never writes such a line.
    pub(super) fn read(text: Bytes) -> Result<Self, Option<u64>> {
        let message = Message::parse(text.as_ref(), &PROFILE);
        let message = message.map_err(|fault| number_of(&fault.id().and_then(Id::of)?));
        let kind = match message? {
            Message::Request(request) => {
                let id = number_of(&request.id()).ok_or(None)?;
                let is_handshake = request.method() == KnownMethod::Initialize.name();
                if is_handshake { Kind::Initialize(id) } else { Kind::Call(id) }
            }
            Message::Notification(notification) => {
                let method = notification.method();
                if method == KnownMethod::Cancelled.name() {
                    let params = notification.params().and_then(ParamsView::of);
                    let id = params.and_then(|params| params.request_id());
                    Kind::Cancellation(id.as_ref().and_then(number_of))
                } else if method == KnownMethod::Initialized.name() {
                    Kind::Initialized
                } else {
                    Kind::Notification
                }
            }
            Message::Response(_) | Message::Batch(_) => Kind::Answer,
        };
        Ok(Self { text, kind })
    }

    /// Returns the notification that ends the handshake.
    pub(super) const fn initialized() -> Self {
        Self { text: Bytes::from_static(INITIALIZED), kind: Kind::Initialized }
    }

    /// Returns the message.
    pub(super) fn message(&self) -> Option<Message<'_>> {
        Message::parse(self.text.as_ref(), &PROFILE).ok()
    }

    /// Returns the method, if it is a request or a notification.
    pub(super) fn method(&self) -> Option<String> {
        let call: Call<'_> = match self.message()? {
            Message::Request(request) => *request.call(),
            Message::Notification(notification) => *notification.call(),
            Message::Response(_) | Message::Batch(_) => return None,
        };
        call.method().decode().ok().map(Into::into)
    }

    /// Returns the id, if it is a request.
    pub(super) const fn id(&self) -> Option<u64> {
        match self.kind {
            Kind::Call(id) | Kind::Initialize(id) => Some(id),
            _ => None,
        }
    }
}

/// Returns the number that an id is or stands for. The ids of this side's calls are integers.
pub(super) fn number_of(id: &Id<'_>) -> Option<u64> {
    match id.like_integer()? {
        (false, id) => Some(id),
        (true, _) => None,
    }
}
