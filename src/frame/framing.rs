//! The interface of all framings: they take bytes, and report where frames begin and end.

use super::{Desynchronised, Ended, Frame, FrameEvent, Oversized, Unfinished};
use crate::rule::Rule;

/// A framing: how frames are delimited on the wire. This is the core step shared by the drivers
/// [`Frames`](super::Frames), [`Assembler`](super::Assembler) and [`FrameBuffer`](super::FrameBuffer).
///
/// A framing takes the next bytes, and reports what it found in them and how many of them it consumed. It stores
/// positions, never the bytes of a frame. The caller stores the bytes reported as [`Keep`](Found::Keep) or
/// [`KeepHeld`](Found::KeepHeld).
///
/// The trait is sealed, because the drivers rely on correct implementations.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a framing",
    label = "not a framing",
    note = "use `Splitter` for lines, `ContentLength` for LSP, `ServerSentEvents`, `Concatenated` or `AnyFraming`"
)]
pub trait Framing: sealed::Framing {
    /// Scans the next bytes of the stream, up to the first thing to report.
    ///
    /// Call it until it finds [`NeedMore`](Found::NeedMore), each time with the rest of the input. All of
    /// the input is then consumed, unless the framing is [desynchronised](Found::Desynchronised).
    fn step(&mut self, input: &[u8]) -> Step;

    /// Ends the stream, and reports what becomes of the current frame.
    ///
    /// Call it until it finds [`NeedMore`](Found::NeedMore).
    fn finish(&mut self) -> Found;

    /// Returns the maximum length of a frame, in bytes.
    #[must_use]
    fn limit(&self) -> u32;

    /// Returns the number of bytes of the stream consumed so far.
    #[must_use]
    fn position(&self) -> u64;

    /// Returns the position of the frame last reported as complete, oversized or unfinished. After
    /// [`Desynchronised`](Found::Desynchronised), its offset is the offset of the offending byte.
    #[must_use]
    fn ended(&self) -> Ended;

    /// Resynchronises after [`Desynchronised`](Found::Desynchronised): the next steps skip to where a frame
    /// may begin. It does nothing if the framing is not desynchronised.
    ///
    /// This is a guess. A peer that controls the content of a message can make its payload look like the
    /// beginning of another one, so use it for logs and trusted peers only.
    fn resync(&mut self) {}

    /// Returns the number of bytes that were skipped to [resynchronise](Self::resync): those between two frames, from
    /// the first that belongs to neither, headers included. They count once the next frame or the stream's end is found.
    #[must_use]
    fn skipped(&self) -> u64 {
        0
    }

    /// Returns whether the last frame, complete or oversized, is meant to be a message.
    /// [Server-sent events](super::ServerSentEvents) without data or of other types are not.
    #[must_use]
    fn carries_message(&self, _event: &FrameEvent<'_>) -> bool {
        true
    }
}

/// A framing whose frames are contiguous on the wire.
///
/// [`ServerSentEvents`](super::ServerSentEvents) is not: it joins the lines of an event's data.
#[diagnostic::on_unimplemented(
    message = "the frames of `{Self}` are not contiguous on the wire",
    note = "push the input to an `Assembler`, or read it into a `FrameBuffer`"
)]
pub trait Contiguous: Framing {}

pub(crate) mod sealed {
    use crate::frame::head::Head;
    use crate::frame::{Delimiter, Ended, Frame};

    #[expect(unnameable_types, reason = "that is what seals the trait above")]
    pub trait Framing {
        /// True if a frame may be [`Unfinished`](super::Found::Unfinished), or synchronisation may be lost.
        /// Code for these cases is compiled only where they can occur.
        const CAN_LOSE: bool = true;

        /// True if every frame is meant to be a message, so that callers need not check.
        const IS_ALL_MESSAGES: bool = false;

        /// The part of the framing that a writer needs besides its type.
        type Form: Copy + core::fmt::Debug;

        /// Returns the part that a writer needs.
        fn form(&self) -> Self::Form;

        /// Returns whether an encoded line is already a frame.
        #[inline(always)]
        fn writes_lines(_form: Self::Form) -> bool {
            true
        }

        /// Returns the bytes to write before a message of this length in bytes, unless it
        /// [is a line](Self::writes_lines).
        #[must_use]
        fn head(_form: Self::Form, _length: usize) -> Head {
            Head::NONE
        }

        /// Returns the bytes to write after a message, unless it [is a line](Self::writes_lines).
        #[must_use]
        fn tail(_form: Self::Form) -> &'static [u8] {
            b""
        }

        /// Returns whether frames are contiguous on the wire. If not, the last piece of a frame is empty, unless
        /// it is the only one.
        #[inline(always)]
        fn is_contiguous(&self) -> bool {
            true
        }

        /// Returns the kind of delimiter between its frames.
        #[inline(always)]
        fn delimiter(&self) -> Delimiter {
            Delimiter::Other
        }

        /// Lowers the frame limit to this one, if it is higher.
        fn lower_limit(&mut self, limit: u32);

        /// Gives up on the current frame, as if it had exceeded the limit.
        fn give_up(&mut self);

        /// Returns whether there is something to report without more input.
        fn is_pending(&self) -> bool {
            false
        }

        /// Returns whether synchronisation is lost: no more input is consumed until a resync.
        fn is_lost(&self) -> bool {
            false
        }

        /// Returns the position of the current frame, as far as it was reported.
        fn current(&self) -> Ended;

        /// Returns whether no byte consumed so far can be part of a future frame.
        fn keeps_nothing(&self) -> bool;

        /// Returns whether the next input begins a new line, none of which was consumed.
        fn is_at_line_start(&self) -> bool {
            false
        }

        /// Takes the first line of the input, whose LF is known to be at this index and which is not blank.
        /// Returns `None`, and loses nothing, if the line is oversized. [`ended`](super::Framing::ended)
        /// does not change.
        fn take_line<'input>(
            &mut self,
            _input: &mut &'input [u8],
            _at: usize,
        ) -> Option<Frame<'input>> {
            None
        }

        /// Records a line that was taken as the one that [ended](super::Framing::ended) last.
        fn record(&mut self, _ended: Ended) {}
    }
}

/// The result of a step: what it found, and how much of the input it consumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
#[expect(clippy::exhaustive_structs, reason = "these two are what a step is")]
pub struct Step {
    /// The number of bytes of the input that must not be shown again.
    pub consumed: usize,
    /// The result found in these bytes.
    pub found: Found,
}

impl Step {
    pub(super) const NEED_MORE: Self = Self { consumed: 0, found: Found::NeedMore };
}

/// The result of a step, with positions in the input of that step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Found {
    /// The [end](Framing::ended) of a frame. The frame is the bytes kept so far, followed by this piece,
    /// which may be empty.
    Frame(Piece),
    /// A piece of the current frame, to be appended to the bytes kept so far.
    Keep(Piece),
    /// Bytes of the current frame that are not in the input, to be kept like a [piece](Self::Keep). They
    /// either were consumed before they were known to be part of the frame, or join two lines of data.
    KeepHeld(&'static [u8]),
    /// The end of a blank line. Drop any bytes kept of it.
    Blank,
    /// The current frame has exceeded the limit. Drop the bytes kept of it. The rest follows as
    /// [`Discard`](Self::Discard), and its end as [`Oversized`](Self::Oversized).
    Overflow,
    /// A piece of an oversized frame, which may be inspected but need not be kept.
    Discard(Piece),
    /// Bytes of an oversized frame that are not in the input.
    DiscardHeld(&'static [u8]),
    /// The [end](Framing::ended) of an oversized frame.
    Oversized,
    /// A byte order mark at the start of the stream, which is skipped.
    ByteOrderMark,
    /// The stream [ended](Framing::ended) inside a frame. Drop the bytes kept of it.
    Unfinished,
    /// The start of the next frame is unknown. Nothing more is consumed until a [resync](Framing::resync).
    Desynchronised(Rule),
    /// Nothing: all of the input was consumed.
    NeedMore,
}

impl Found {
    /// Returns the bytes of the piece, given the input of the step that found it; empty if there is none.
    pub(super) fn piece(self, input: &[u8]) -> &[u8] {
        match self {
            Self::Frame(piece) | Self::Keep(piece) | Self::Discard(piece) => piece.bytes(input),
            Self::KeepHeld(held) | Self::DiscardHeld(held) => held,
            _ => b"",
        }
    }

    /// Returns whether this is an event that this framing can yield.
    pub(super) const fn is_event<F: Framing>(self) -> bool {
        match self {
            Self::Frame(_) | Self::Oversized => true,
            Self::Unfinished | Self::Desynchronised(_) => F::CAN_LOSE,
            _ => false,
        }
    }

    /// Converts this into the event that the framing has just found, if it is one. A frame gets these
    /// bytes.
    #[inline(always)]
    pub(crate) fn event<'buf, F: Framing>(
        self,
        framing: &F,
        bytes: &'buf [u8],
    ) -> Option<FrameEvent<'buf>> {
        let ended = framing.ended();
        Some(match self {
            Self::Frame(_) => FrameEvent::Frame(Frame::new(bytes, ended, framing.delimiter())),
            Self::Oversized => FrameEvent::Oversized(Oversized { ended, limit: framing.limit() }),
            Self::Unfinished if F::CAN_LOSE => FrameEvent::Unfinished(Unfinished::new(ended)),
            Self::Desynchronised(cause) if F::CAN_LOSE => {
                FrameEvent::Desynchronised(Desynchronised::new(ended, cause))
            }
            _ => return None,
        })
    }
}

/// A piece of a frame: a range in the input of the step that found it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[expect(clippy::exhaustive_structs, reason = "a range is where it is")]
pub struct Piece {
    /// The index of its first byte.
    pub start: usize,
    /// The index after its last byte.
    pub end: usize,
}

impl Piece {
    /// No bytes.
    pub(super) const NONE: Self = Self { start: 0, end: 0 };

    /// Returns the bytes of the piece, given the input of the step that found it.
    #[must_use]
    pub fn bytes(self, input: &[u8]) -> &[u8] {
        input.get(self.start..self.end).unwrap_or_default()
    }

    /// In bytes.
    pub(crate) const fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }
}
