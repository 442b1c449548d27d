//! What comes off a stream.

use super::Watch;
use super::fast_path::Fallback;
use crate::envelope::{Fault, Message, Rules, Skimmed, Skimmer};
use crate::frame::{Desynchronised, Frame, FrameEvent, Oversized, Unfinished};

/// What came next on the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Received<'buf> {
    /// A message.
    Message {
        /// The frame that it is in.
        frame: Frame<'buf>,
        /// The message.
        message: Message<'buf>,
    },
    /// A frame that is no message.
    Fault {
        /// The frame.
        frame: Frame<'buf>,
        /// Its first fault.
        fault: Fault,
    },
    /// A frame over the limit, which was discarded.
    Oversized {
        /// Where it was.
        oversized: Oversized,
        /// Its fault, with the reply that is owed. Its id is found in the
        /// [text](Skimmed::text) of what was skimmed.
        fault: Fault,
        /// What is known of it, if a [skimmer](super::MessageStream::skimming) has seen it.
        skimmed: Option<Skimmed<'buf>>,
    },
    /// What is not meant to be a message: an event of an [`EventStream`](crate::frame::EventStream)
    /// whose data is empty, or whose type is another, be it within the limit or over it.
    NoMessage(FrameEvent<'buf>),
    /// The stream has ended within a frame. No reply is owed to what did not arrive.
    Unfinished(Unfinished),
    /// The framing does not know where the next frame begins, and takes nothing more until it is told
    /// to hunt for it. No reply is owed to what is not known to be a message.
    Desynchronised(Desynchronised),
}

impl<'buf> Received<'buf> {
    /// What the rules say of what a driver of [frames](crate::frame) has found, in any framing.
    ///
    /// ```
    /// use tautline::Rules;
    /// use tautline::frame::{Concatenated, Frames};
    /// use tautline::stream::Received;
    ///
    /// let wire = b"{\n  \"jsonrpc\": \"2.0\",\n  \"method\": \"a\"\n}\n{}";
    /// let frames = Frames::with_framing(wire, Concatenated::new(1024));
    /// let mut messages = frames.map(|event| Received::from_event(event, &Rules::JSON_RPC));
    /// assert!(matches!(messages.next(), Some(Received::Message { .. })));
    /// assert!(matches!(messages.next(), Some(Received::Fault { .. })));
    /// ```
    #[must_use]
    pub fn from_event(event: FrameEvent<'buf>, rules: &Rules) -> Self {
        Self::judged(event, || None, rules, |frame| Message::parse_frame(frame, rules))
    }

    /// What the rules say of what a driver has found, which has shown the frames over the limit to this
    /// skimmer.
    ///
    /// ```
    /// use tautline::Rules;
    /// use tautline::envelope::Skimmer;
    /// use tautline::frame::FrameBuffer;
    /// use tautline::stream::Received;
    ///
    /// let mut buffer = FrameBuffer::with_limit([0; 64], 16);
    /// let wire = b"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"params\":[\"\"],\"id\":7}\n";
    /// buffer.spare()[..wire.len()].copy_from_slice(wire);
    /// buffer.commit(wire.len());
    ///
    /// let mut skimmer = Skimmer::new(&Rules::JSON_RPC);
    /// let event = buffer.next_watched(|piece| skimmer.push(piece)).unwrap();
    /// let received = Received::from_skimmed(event, &mut skimmer, &Rules::JSON_RPC);
    /// let Received::Oversized { skimmed: Some(skimmed), .. } = received else { panic!() };
    /// assert_eq!(skimmed.id().unwrap().as_bytes(), b"7");
    /// ```
    #[must_use]
    pub fn from_skimmed(
        event: FrameEvent<'buf>,
        skimmer: &'buf mut Skimmer,
        rules: &Rules,
    ) -> Self {
        Self::watched(event, skimmer, rules, Fallback::default())
    }

    /// The fault, if this is a frame that is no message or one over the limit, and the text in which its
    /// id stands: what [`Encoder::fault`](crate::encode::Encoder::fault) answers.
    #[must_use]
    pub fn fault(&self) -> Option<(&Fault, &'buf [u8])> {
        match self {
            Self::Fault { frame, fault } => Some((fault, frame.bytes())),
            // What was skimmed stands for the frame, which is gone.
            Self::Oversized { fault, skimmed, .. } => {
                Some((fault, skimmed.as_ref().map_or(b"", Skimmed::text)))
            }
            Self::Message { .. }
            | Self::NoMessage(_)
            | Self::Unfinished(_)
            | Self::Desynchronised(_) => None,
        }
    }

    #[inline(always)]
    pub(crate) fn watched(
        event: FrameEvent<'buf>,
        watch: &'buf mut impl Watch,
        rules: &Rules,
        fallback: Fallback,
    ) -> Self {
        Self::judged(event, || watch.finish(), rules, |frame| fallback.parse(frame, rules))
    }

    pub(super) fn judged(
        event: FrameEvent<'buf>,
        skim: impl FnOnce() -> Option<Skimmed<'buf>>,
        rules: &Rules,
        parse: impl FnOnce(&Frame<'buf>) -> Result<Message<'buf>, Fault>,
    ) -> Self {
        match event {
            FrameEvent::Frame(frame) => match parse(&frame) {
                Ok(message) => Self::Message { frame, message },
                Err(fault) => Self::Fault { frame, fault },
            },
            FrameEvent::Oversized(oversized) => {
                // Whoever has not seen all of it knows nothing of it.
                let skimmed = skim().filter(|skimmed| skimmed.length() == oversized.length());
                let fault = match &skimmed {
                    Some(skimmed) => Fault::of_skimmed(&oversized, skimmed, rules),
                    None => Fault::of_oversized(&oversized, rules),
                };
                Self::Oversized { oversized, fault, skimmed }
            }
            FrameEvent::Unfinished(unfinished) => {
                skim();
                Self::Unfinished(unfinished)
            }
            FrameEvent::Desynchronised(lost) => Self::Desynchronised(lost),
        }
    }
}
