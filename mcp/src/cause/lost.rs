//! The messages that are lost with a frame.

use alloc::borrow::{Cow, ToOwned};
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

use tautline::{Envelope, Message, Profile, RawJson};

/// The longest method or id that is kept, in bytes.
const LONGEST_NAME: usize = 100;

/// A message that is lost because its frame is not a message, as far as the frame shows it.
///
/// [`Display`](fmt::Display) names it in words, such as `the request "ping" with the id 7`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostMessage {
    kind: LostKind,
    /// As it was written, and cut after [`LONGEST_NAME`] bytes.
    id: Option<String>,
    has_whole_id: bool,
    /// Without its escapes, and cut as well.
    method: Option<String>,
}

/// The kind of a message that is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LostKind {
    /// A request.
    Request,
    /// A notification.
    Notification,
    /// A response.
    Response,
    /// A batch of this many messages.
    Batch(u32),
    /// The kind is unknown, because the part of the message that shows it is missing.
    Unknown,
}

impl LostMessage {
    /// Describes the message in these bytes. Returns `None` if they are not one message.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let envelope = Envelope::read(bytes, &Profile::JSON_RPC);
        let id = envelope.id();
        let id = id.as_ref().and_then(RawJson::as_str);
        Some(match envelope.message().ok()? {
            Message::Request(request) => {
                Self::new(LostKind::Request, id, Some(&request.method().to_string()))
            }
            Message::Notification(notification) => {
                let method = notification.method().to_string();
                Self::new(LostKind::Notification, None, Some(&method))
            }
            Message::Response(_) => Self::new(LostKind::Response, id, None),
            Message::Batch(batch) => Self::new(LostKind::Batch(batch.len()), None, None),
        })
    }

    pub(super) fn new(kind: LostKind, id: Option<&str>, method: Option<&str>) -> Self {
        Self {
            kind,
            id: id.map(|id| cut(id).to_owned()),
            has_whole_id: id.is_none_or(|id| id.len() <= LONGEST_NAME),
            method: method.map(|method| cut(method).to_owned()),
        }
    }

    /// Returns the kind.
    #[must_use]
    pub const fn kind(&self) -> LostKind {
        self.kind
    }

    /// Returns the id as JSON, if it could be read and has at most 100 bytes.
    #[must_use]
    pub fn id(&self) -> Option<Cow<'_, str>> {
        let id = self.id.as_deref().filter(|_| self.has_whole_id)?;
        // Other languages write a string in other quotes.
        let inner = id.strip_prefix('\'').and_then(|id| id.strip_suffix('\''));
        Some(inner.map_or(Cow::Borrowed(id), |inner| Cow::Owned(format!("\"{inner}\""))))
    }

    /// Returns the method, without escapes and cut after 100 bytes, if there is one and it could be read.
    #[must_use]
    pub fn method(&self) -> Option<&str> {
        self.method.as_deref()
    }
}

impl fmt::Display for LostMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            LostKind::Request => "the request",
            LostKind::Notification => "the notification",
            LostKind::Response => "the response",
            LostKind::Unknown => "the message",
            LostKind::Batch(count) => return write!(f, "a batch of {count} messages"),
        })?;
        if let Some(method) = &self.method {
            write!(f, " \"{}\"", method.escape_debug())?;
        }
        match &self.id {
            Some(id) => write!(f, " with the id {id}"),
            None => Ok(()),
        }
    }
}

/// Returns the words for what has become of these messages, the last of them first. They are empty without a message.
pub(super) fn words(lost: &[LostMessage]) -> String {
    match lost {
        [] => String::new(),
        [only] => format!("; {only} is lost"),
        [first, next] => format!("; {next} is lost, and so is {first}"),
        [first, next, others @ ..] => {
            let (count, messages) =
                (others.len(), if others.len() == 1 { "message" } else { "messages" });
            format!("; {first} is lost, and so are {next} and {count} more {messages}")
        }
    }
}

/// Returns the start of a text, up to [`LONGEST_NAME`] bytes.
fn cut(text: &str) -> &str {
    let end = (0..=LONGEST_NAME.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    end.and_then(|end| text.get(..end)).unwrap_or_default()
}
