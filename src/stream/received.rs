//! The events of a stream.

use super::Watch;
use super::fast_path::Fallback;
use crate::envelope::{Envelope, Fault, Message, Profile, Skimmed};
use crate::frame::{Desynchronised, Frame, FrameEvent, Framing, Oversized, Unfinished};
use crate::rule::Finding;

/// An event of a stream: a message, or what was found instead of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Received<'buf> {
    /// A message.
    #[non_exhaustive]
    Message {
        /// The frame that contains it.
        frame: Frame<'buf>,
        /// The message.
        message: Message<'buf>,
    },
    /// A frame that is not a valid message.
    #[non_exhaustive]
    Fault {
        /// The frame.
        frame: Frame<'buf>,
        /// Its first fault.
        fault: Fault<'buf>,
    },
    /// An oversized frame, which was discarded.
    #[non_exhaustive]
    Oversized {
        /// Its position and length.
        oversized: Oversized,
        /// Its fault, with the reply that is owed.
        fault: Fault<'buf>,
        /// The findings of the [skimmer](crate::envelope::Skimmer), if it observed the frame.
        skimmed: Option<Skimmed<'buf>>,
    },
    /// A frame that is not meant to be a message: a [server-sent event](crate::frame::ServerSentEvents),
    /// oversized or not, whose data is empty or whose type is not `message`.
    NoMessage(FrameEvent<'buf>),
    /// The stream ended inside a frame. No reply is owed to a partial message.
    Unfinished(Unfinished),
    /// The start of the next frame is unknown. No more input is consumed until a resync. No reply is owed,
    /// since it is not known whether the bytes are a message.
    Desynchronised(Desynchronised),
}

impl<'buf> Received<'buf> {
    /// Applies the profile to an event of a [frame](crate::frame) driver, in any framing.
    ///
    /// ```
    /// use tautline::Profile;
    /// use tautline::frame::{Concatenated, Frames};
    /// use tautline::stream::Received;
    ///
    /// let wire = b"{\n  \"jsonrpc\": \"2.0\",\n  \"method\": \"a\"\n}\n{}";
    /// let frames = Frames::with_framing(wire, Concatenated::new(1024));
    /// let mut messages = frames.map(|event| Received::from_event(event, &Profile::JSON_RPC));
    /// assert!(matches!(messages.next(), Some(Received::Message { .. })));
    /// assert!(matches!(messages.next(), Some(Received::Fault { .. })));
    /// ```
    #[must_use]
    pub fn from_event(event: FrameEvent<'buf>, profile: &Profile) -> Self {
        Self::judged(event, || None, profile, |frame| Message::parse(frame, profile))
    }

    /// Returns the frame of a message, or of what should have been one. `None` if the event is not a whole frame, or
    /// is [not meant to be a message](Self::NoMessage).
    #[must_use]
    pub const fn frame(&self) -> Option<&Frame<'buf>> {
        match self {
            Self::Message { frame, .. } | Self::Fault { frame, .. } => Some(frame),
            Self::Oversized { .. }
            | Self::NoMessage(_)
            | Self::Unfinished(_)
            | Self::Desynchronised(_) => None,
        }
    }

    /// Returns the fault of an invalid or oversized frame.
    /// [`Encoder::fault`](crate::encode::Encoder::fault) answers it.
    #[must_use]
    pub const fn fault(&self) -> Option<&Fault<'buf>> {
        match self {
            Self::Fault { fault, .. } | Self::Oversized { fault, .. } => Some(fault),
            Self::Message { .. }
            | Self::NoMessage(_)
            | Self::Unfinished(_)
            | Self::Desynchronised(_) => None,
        }
    }

    /// Reports everything that is found in the frame, in the order of the table of [rules](crate::Rule): errors,
    /// warnings and notes, with the severities that this profile gives them. Pass the profile by which the frame was
    /// parsed.
    ///
    /// Every entry point yields this type, or lends it, as the codec does. This method reads the frame once more, so a
    /// frame costs nothing extra unless its findings are requested. An oversized frame has one finding. An event
    /// without a message has none. The [elements](crate::Batch::iter) of a batch have findings of their own.
    ///
    /// ```
    /// use tautline::Profile;
    /// use tautline::stream::Messages;
    ///
    /// let wire = b"{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"Id\":1}\n";
    /// let mut found = Vec::new();
    /// for received in Messages::new(wire, 1024, &Profile::JSON_RPC) {
    ///     received.findings(&Profile::JSON_RPC, |finding| found.push(finding.to_string()));
    /// }
    /// assert!(found[0].starts_with("member-lookalike at byte 30: "));
    /// ```
    pub fn findings(&self, profile: &Profile, mut report: impl FnMut(Finding)) {
        match self {
            Self::Message { frame, .. } | Self::Fault { frame, .. } => {
                Envelope::read(frame, profile).findings(report);
            }
            Self::Oversized { fault, .. } => report(fault.finding()),
            Self::NoMessage(_) | Self::Unfinished(_) | Self::Desynchronised(_) => {}
        }
    }

    /// Applies the profile to an event of this framing. The framing of lines never loses synchronisation, so
    /// the code for that case is not compiled for it.
    #[inline(always)]
    pub(crate) fn of<F: Framing>(
        event: FrameEvent<'buf>,
        framing: &F,
        watch: &'buf mut impl Watch,
        profile: &Profile,
        fallback: Fallback,
    ) -> Option<Self> {
        match event {
            FrameEvent::Unfinished(_) | FrameEvent::Desynchronised(_) if !F::CAN_LOSE => None,
            FrameEvent::Frame(_) | FrameEvent::Oversized(_)
                if !F::IS_ALL_MESSAGES && !framing.carries_message(&event) =>
            {
                watch.finish();
                Some(Self::NoMessage(event))
            }
            event => Some(Self::watched(event, watch, profile, fallback)),
        }
    }

    /// Returns the frame that should be a message, or else the event.
    pub(super) fn unless_frame<F: Framing>(
        event: FrameEvent<'buf>,
        framing: &F,
        watch: &'buf mut impl Watch,
        profile: &Profile,
    ) -> Option<Result<Frame<'buf>, Self>> {
        match event {
            FrameEvent::Frame(frame) if F::IS_ALL_MESSAGES || framing.carries_message(&event) => {
                Some(Ok(frame))
            }
            event => Self::of(event, framing, watch, profile, Fallback::default()).map(Err),
        }
    }

    #[inline(always)]
    fn watched(
        event: FrameEvent<'buf>,
        watch: &'buf mut impl Watch,
        profile: &Profile,
        fallback: Fallback,
    ) -> Self {
        Self::judged(event, || watch.finish(), profile, |frame| fallback.parse(frame, profile))
    }

    pub(super) fn judged(
        event: FrameEvent<'buf>,
        skim: impl FnOnce() -> Option<Skimmed<'buf>>,
        profile: &Profile,
        parse: impl FnOnce(&Frame<'buf>) -> Result<Message<'buf>, Fault<'buf>>,
    ) -> Self {
        match event {
            FrameEvent::Frame(frame) => match parse(&frame) {
                Ok(message) => Self::Message { frame, message },
                Err(fault) => Self::Fault { frame, fault },
            },
            FrameEvent::Oversized(oversized) => {
                // A skimmer that missed part of the frame reports nothing.
                let skimmed = skim().filter(|skimmed| skimmed.length() == oversized.length());
                let fault = match &skimmed {
                    Some(skimmed) => Fault::of_skimmed(&oversized, skimmed, profile),
                    None => Fault::of_oversized(&oversized, profile),
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
