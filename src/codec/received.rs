//! What comes off a stream: a line that owns its bytes.

use core::fmt;
use std::boxed::Box;

use bytes::Bytes;

use crate::envelope::{Fault, Layout, Message, Skimmed};
use crate::frame::{Ended, Frame, Oversized};
use crate::stream::Received;

/// What a line of the stream was, with the bytes that it was in: the owned twin of [`Received`].
#[derive(Clone)]
pub struct ReceivedBuf {
    /// The frame, to the byte; of a line over the limit, the id and then the method, if they are known.
    bytes: Bytes,
    what: What,
}

/// What was found in the bytes, and belongs to no others.
#[derive(Clone)]
enum What {
    Message(Ended, Layout),
    Fault(Ended, Fault),
    /// Rare, and larger than the others.
    Oversized(Box<OversizedLine>),
}

#[derive(Clone, Copy)]
struct OversizedLine {
    oversized: Oversized,
    fault: Fault,
    /// Without the id and the method, which lie in the bytes.
    skimmed: Skimmed<'static>,
    /// How many of the bytes are the id.
    id: usize,
}

impl ReceivedBuf {
    pub(super) const fn of_message(bytes: Bytes, ended: Ended, layout: Layout) -> Self {
        Self { bytes, what: What::Message(ended, layout) }
    }

    pub(super) const fn of_fault(bytes: Bytes, ended: Ended, fault: Fault) -> Self {
        Self { bytes, what: What::Fault(ended, fault) }
    }

    pub(super) fn of_oversized(oversized: Oversized, fault: Fault, skimmed: &Skimmed<'_>) -> Self {
        let (id, method) = skimmed.parts();
        let (bytes, id) = (Bytes::from([id, method].concat()), id.len());
        let skimmed = skimmed.with_parts(b"", b"");
        let line = OversizedLine { oversized, fault, skimmed, id };
        Self { bytes, what: What::Oversized(Box::new(line)) }
    }

    /// The same as views: what an [endpoint](crate::endpoint::Endpoint::receive) takes. Nothing is
    /// parsed again.
    #[must_use]
    pub fn received(&self) -> Received<'_> {
        let frame = |ended| Frame::line_of(&self.bytes, ended);
        match &self.what {
            &What::Message(ended, layout) => Received::Message {
                frame: frame(ended),
                message: Message::new(&self.bytes, layout),
            },
            &What::Fault(ended, fault) => Received::Fault { frame: frame(ended), fault },
            What::Oversized(line) => {
                let OversizedLine { oversized, fault, skimmed, id } = **line;
                let (id, method) = self.bytes.split_at_checked(id).unwrap_or_default();
                let skimmed = Some(skimmed.with_parts(id, method));
                Received::Oversized { oversized, fault, skimmed }
            }
        }
    }

    /// The message that the line is. Nothing is parsed again.
    ///
    /// # Errors
    ///
    /// The first fault of the line, with the reply that is owed, if it is no message; also of one that
    /// was over the limit.
    pub fn message(&self) -> Result<Message<'_>, Fault> {
        match &self.what {
            What::Message(_, layout) => Ok(Message::new(&self.bytes, *layout)),
            What::Fault(_, fault) => Err(*fault),
            What::Oversized(line) => Err(line.fault),
        }
    }

    /// The bytes of the frame, without the end of the line. Of a line over the limit, what stands
    /// for it: its id, where the fault finds it, and then its method, if they are known.
    #[must_use]
    pub const fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The bytes of the frame, without the end of the line. Of a line over the limit, what stands
    /// for it: its id, where the fault finds it, and then its method, if they are known.
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

impl PartialEq for ReceivedBuf {
    fn eq(&self, other: &Self) -> bool {
        self.received() == other.received()
    }
}

impl Eq for ReceivedBuf {}
