//! The events of a stream, in owned form.

use core::fmt;
use std::boxed::Box;

use bytes::Bytes;

use crate::envelope::{Fault, FaultLayout, Layout, Message, Profile, Skimmed};
use crate::frame::{Desynchronised, FrameEvent, Oversized, Place, Unfinished};
use crate::rule::Finding;
use crate::stream::Received;

/// An event of a stream, with the bytes of its frame: the owned form of [`Received`].
#[derive(Clone)]
pub struct ReceivedBuf {
    /// The bytes of the frame. For an oversized frame, its id followed by its method, if they are known.
    bytes: Bytes,
    what: What,
}

/// The event in the bytes.
#[derive(Clone)]
pub(super) enum What {
    Message(Place, Layout),
    Fault(Place, FaultLayout),
    NoMessage(Place),
    /// Boxed, because it is rare and larger than the others.
    Oversized(Box<OversizedFrame>),
    OversizedNoMessage(Oversized),
    Unfinished(Unfinished),
    Desynchronised(Desynchronised),
}

#[derive(Clone, Copy)]
pub(super) struct OversizedFrame {
    oversized: Oversized,
    fault: FaultLayout,
    /// Stored without the id and the method, which are in the bytes.
    skimmed: Option<Skimmed<'static>>,
    /// The length of the id, in bytes.
    id: usize,
}

impl What {
    /// Converts an event. For an oversized frame, it also returns the bytes that represent it.
    #[inline]
    pub(super) fn of(received: &Received<'_>) -> (Self, Option<Bytes>) {
        let what = match *received {
            Received::Message { frame, message } => Self::Message(frame.place(), message.layout()),
            Received::Fault { frame, fault } => Self::Fault(frame.place(), fault.layout()),
            Received::Oversized { oversized, fault, skimmed } => {
                let (id, method) = skimmed.as_ref().map(Skimmed::parts).unwrap_or_default();
                let what = Self::Oversized(Box::new(OversizedFrame {
                    oversized,
                    fault: fault.layout(),
                    skimmed: skimmed.map(|skimmed| skimmed.with_parts(b"", b"")),
                    id: id.len(),
                }));
                return (what, Some([id, method].concat().into()));
            }
            Received::NoMessage(FrameEvent::Frame(frame)) => Self::NoMessage(frame.place()),
            Received::NoMessage(FrameEvent::Oversized(event)) => Self::OversizedNoMessage(event),
            Received::NoMessage(FrameEvent::Unfinished(event)) | Received::Unfinished(event) => {
                Self::Unfinished(event)
            }
            Received::NoMessage(FrameEvent::Desynchronised(event))
            | Received::Desynchronised(event) => Self::Desynchronised(event),
        };
        (what, None)
    }
}

impl ReceivedBuf {
    pub(super) const fn new(bytes: Bytes, what: What) -> Self {
        Self { bytes, what }
    }

    /// Returns the event as views, for an [endpoint](crate::endpoint::Endpoint::answer) for example.
    /// Nothing is parsed again.
    #[must_use]
    pub fn received(&self) -> Received<'_> {
        let bytes = &self.bytes[..];
        match &self.what {
            &What::Message(place, layout) => Received::Message {
                frame: place.with_bytes(bytes),
                message: Message::new(bytes, layout),
            },
            &What::Fault(place, fault) => {
                Received::Fault { frame: place.with_bytes(bytes), fault: Fault::new(bytes, fault) }
            }
            What::Oversized(frame) => {
                let OversizedFrame { oversized, fault, skimmed, id } = **frame;
                let (id, method) = bytes.split_at_checked(id).unwrap_or_default();
                let skimmed = skimmed.map(|skimmed| skimmed.with_parts(id, method));
                Received::Oversized { oversized, fault: Fault::new(id, fault), skimmed }
            }
            &What::NoMessage(place) => {
                Received::NoMessage(FrameEvent::Frame(place.with_bytes(bytes)))
            }
            &What::OversizedNoMessage(event) => Received::NoMessage(FrameEvent::Oversized(event)),
            &What::Unfinished(event) => Received::Unfinished(event),
            &What::Desynchronised(event) => Received::Desynchronised(event),
        }
    }

    /// Returns the message in the frame. Nothing is parsed again.
    ///
    /// # Errors
    ///
    /// The first fault of an invalid frame, or the fault of an oversized one, with the reply that is owed.
    /// `None` for an event that is not meant to be a message, or is not a frame.
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
    pub const fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Returns the bytes of the frame, like [`bytes`](Self::bytes).
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        self.bytes
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
        &self.bytes
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
