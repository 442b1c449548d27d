//! The events of a stream, in owned form.

use core::fmt;
use std::boxed::Box;

use bytes::Bytes;

use crate::envelope::{Fault, FaultBuf, FaultLayout, Message, MessageBuf, Profile, Skimmed};
use crate::frame::{Desynchronised, FrameEvent, Oversized, Place, Unfinished};
use crate::rule::Finding;
use crate::stream::Received;

/// An event of a stream, with the bytes of its frame: the owned form of [`Received`].
#[derive(Clone)]
pub struct ReceivedBuf(What);

/// The event in its bytes.
#[derive(Clone)]
enum What {
    Message(MessageBuf<Bytes>),
    Fault(FaultBuf<Bytes>),
    Other(Bytes, Other),
}

/// Any other event, without its bytes.
#[derive(Clone)]
pub(super) enum Other {
    NoMessage(Place),
    /// The bytes are the id followed by the method, if they are known. Boxed, because it is larger than the others.
    Oversized(Box<OversizedFrame>),
    OversizedNoMessage(Oversized),
    Unfinished(Unfinished),
    Desynchronised(Desynchronised),
}

/// An oversized frame without the bytes that represent it.
#[derive(Clone, Copy)]
pub(super) struct OversizedFrame {
    oversized: Oversized,
    fault: FaultLayout,
    /// Stored without the id and the method, which are in the bytes.
    skimmed: Option<Skimmed<'static>>,
    /// The length of the id, in bytes.
    id: usize,
}

impl Other {
    /// Converts an event without its bytes.
    pub(super) const fn of(event: &FrameEvent<'_>) -> Self {
        match *event {
            FrameEvent::Frame(frame) => Self::NoMessage(frame.place()),
            FrameEvent::Oversized(event) => Self::OversizedNoMessage(event),
            FrameEvent::Unfinished(event) => Self::Unfinished(event),
            FrameEvent::Desynchronised(event) => Self::Desynchronised(event),
        }
    }
}

impl ReceivedBuf {
    #[inline]
    pub(super) const fn of_message(message: MessageBuf<Bytes>) -> Self {
        Self(What::Message(message))
    }

    pub(super) const fn of_fault(fault: FaultBuf<Bytes>) -> Self {
        Self(What::Fault(fault))
    }

    pub(super) const fn other(bytes: Bytes, other: Other) -> Self {
        Self(What::Other(bytes, other))
    }

    pub(super) fn oversized(
        oversized: Oversized,
        fault: &Fault<'_>,
        skimmed: Option<Skimmed<'_>>,
    ) -> Self {
        let (id, method) = skimmed.as_ref().map(Skimmed::parts).unwrap_or_default();
        let frame = OversizedFrame {
            oversized,
            fault: fault.layout(),
            skimmed: skimmed.map(|skimmed| skimmed.with_parts(b"", b"")),
            id: id.len(),
        };
        Self::other([id, method].concat().into(), Other::Oversized(Box::new(frame)))
    }

    /// Returns the event as views, for an [endpoint](crate::endpoint::Endpoint::answer) for example.
    /// Nothing is parsed again.
    #[must_use]
    #[inline]
    pub fn received(&self) -> Received<'_> {
        let (bytes, other) = match &self.0 {
            What::Message(buf) => {
                return Received::Message { frame: buf.frame(), message: buf.message() };
            }
            What::Fault(buf) => {
                return Received::Fault { frame: buf.frame(), fault: buf.fault() };
            }
            What::Other(bytes, other) => (&bytes[..], other),
        };
        match other {
            Other::Oversized(frame) => {
                let OversizedFrame { oversized, fault, skimmed, id } = **frame;
                let (id, method) = bytes.split_at_checked(id).unwrap_or_default();
                let skimmed = skimmed.map(|skimmed| skimmed.with_parts(id, method));
                Received::Oversized { oversized, fault: Fault::new(id, fault), skimmed }
            }
            Other::NoMessage(place) => {
                Received::NoMessage(FrameEvent::Frame(place.with_bytes(bytes)))
            }
            &Other::OversizedNoMessage(event) => Received::NoMessage(FrameEvent::Oversized(event)),
            &Other::Unfinished(event) => Received::Unfinished(event),
            &Other::Desynchronised(event) => Received::Desynchronised(event),
        }
    }

    /// Returns the message in the frame. Nothing is parsed again.
    ///
    /// # Errors
    ///
    /// The first fault of an invalid frame, or the fault of an oversized one, with the reply that is owed.
    /// `None` for an event that is not meant to be a message, or is not a frame.
    #[inline]
    pub fn message(&self) -> Result<Message<'_>, Option<Fault<'_>>> {
        match self.received() {
            Received::Message { message, .. } => Ok(message),
            received => Err(received.fault().copied()),
        }
    }

    /// Reports everything that is found in the frame, as [`Received::findings`] does. Pass the profile of the
    /// [codec](super::MessageCodec::profile). An item does not keep its findings: the frame is read once more.
    pub fn findings(&self, profile: &Profile, report: impl FnMut(Finding)) {
        self.received().findings(profile, report);
    }

    /// Returns the bytes of the frame, without its delimiter. For an oversized frame, these are its id, to
    /// which the fault refers, and then its method, if they are known.
    #[must_use]
    #[inline]
    pub const fn bytes(&self) -> &Bytes {
        match &self.0 {
            What::Message(buf) => buf.buffer(),
            What::Fault(buf) => buf.buffer(),
            What::Other(bytes, _) => bytes,
        }
    }

    /// Returns the bytes of the frame, like [`bytes`](Self::bytes).
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        match self.0 {
            What::Message(buf) => buf.into_buffer(),
            What::Fault(buf) => buf.into_buffer(),
            What::Other(bytes, _) => bytes,
        }
    }
}

impl fmt::Debug for ReceivedBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.received(), f)
    }
}

impl AsRef<[u8]> for ReceivedBuf {
    /// Returns the [bytes](ReceivedBuf::bytes) of the frame.
    fn as_ref(&self) -> &[u8] {
        self.bytes()
    }
}

/// Serializes the event like a [`Received`].
impl serde::Serialize for ReceivedBuf {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.received().serialize(serializer)
    }
}

impl PartialEq for ReceivedBuf {
    fn eq(&self, other: &Self) -> bool {
        self.received() == other.received()
    }
}

impl Eq for ReceivedBuf {}
