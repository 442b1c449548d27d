//! What every framing has in common: it is shown bytes, and says what they are.

use super::{
    Concatenated, ContentLength, Desynchronised, Frame, FrameEvent, Oversized, Splitter, Unfinished,
};

/// A way to tell where on the wire a frame begins and ends: the core step that the drivers
/// [`Assembler`](super::Assembler) and [`Frames`](super::Frames) are made of.
///
/// A framing is shown the bytes that come next, says what it found in them, and how many it is done
/// with. It keeps positions, and never the bytes of a frame: what it says to keep, the caller keeps.
///
/// The trait is sealed: the drivers rely on framings that behave.
pub trait Framing: sealed::Framing {
    /// Looks at the bytes that come next, up to the next thing to be said of them.
    ///
    /// To be called until it finds [`NeedMore`](Found::NeedMore), each time with the input that is
    /// left; all of the input is then consumed, unless the framing is
    /// [desynchronised](Found::Desynchronised).
    fn step<'input>(&mut self, input: &'input [u8]) -> Step<'input>;

    /// Says that the stream has ended, and what that makes of the frame under way.
    ///
    /// To be called until it finds [`NeedMore`](Found::NeedMore).
    fn finish(&mut self) -> Found<'static>;

    /// The most bytes a frame may have.
    #[must_use]
    fn limit(&self) -> u32;

    /// How many bytes of the stream were consumed.
    #[must_use]
    fn position(&self) -> u64;

    /// Goes on after [`Desynchronised`](Found::Desynchronised), and looks for where the next frame
    /// may begin. It makes no difference where the framing is not desynchronised.
    ///
    /// This is a guess. Whoever controls what is in a message may make its payload look like the
    /// beginning of another one, so it is for logs and for peers that are trusted.
    fn hunt(&mut self) {}

    /// Whether what was given last, a frame or one over the limit, is meant to be a message. Of an
    /// [`EventStream`](super::EventStream), events without data and those of other types are not.
    #[must_use]
    fn carries_message(&self, _event: &FrameEvent<'_>) -> bool {
        true
    }
}

/// A framing whose frames lie on the wire as they are, in one stretch.
///
/// Those of an [`EventStream`](super::EventStream) do not: the lines of its data are joined.
pub trait Contiguous: Framing {}

impl Contiguous for Splitter {}
impl Contiguous for ContentLength {}
impl Contiguous for Concatenated {}

pub(super) mod sealed {
    use crate::frame::Delimiter;
    use crate::frame::Frame;

    #[expect(unnameable_types, reason = "that is what seals the trait above")]
    pub trait Framing {
        /// Whether a frame may be [`Unfinished`](super::Found::Unfinished), or the place be lost. Where
        /// it can't, what would be done then is not compiled.
        const CAN_LOSE: bool = true;

        /// Whether every frame is meant to be a message, and nobody need ask.
        const IS_ALL_MESSAGES: bool = false;

        /// What separates its frames.
        const DELIMITER: Delimiter = Delimiter::Other;

        /// Lowers the limit on frames to this one, if it is above it.
        fn lower_limit(&mut self, limit: u32);

        /// Gives up on the frame under way, as if it had passed the limit.
        fn give_up(&mut self);

        /// Whether there is something to be said that needs no more input.
        fn is_pending(&self) -> bool {
            false
        }

        /// Whether a line begins here of which nothing was seen, so that it is all in what comes.
        fn is_at_line_start(&self) -> bool {
            false
        }

        /// Takes the line that the input begins with, is not blank, and whose LF is known to stand at
        /// this index; `None`, with nothing lost, if it is over the limit.
        fn take_line<'input>(
            &mut self,
            _input: &mut &'input [u8],
            _at: usize,
        ) -> Option<Frame<'input>> {
            None
        }
    }
}

/// What a step found, and how much of the input it is done with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[must_use]
#[expect(clippy::exhaustive_structs, reason = "these two are what a step is")]
pub struct Step<'input> {
    /// How many bytes of the input are not to be shown again.
    pub consumed: usize,
    /// What was found in them.
    pub found: Found<'input>,
}

/// What a step found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Found<'input> {
    /// A frame that lies whole in the input.
    Frame(Frame<'input>),
    /// A piece of a frame that is still under way: to be kept, behind what was kept of it before.
    Keep(&'input [u8]),
    /// The end of a frame: what was kept of it, and then this `tail`, are its bytes.
    Carried {
        /// The last bytes of the frame; may be empty.
        tail: &'input [u8],
        /// Where the frame is in the stream.
        ended: Ended,
    },
    /// The end of a blank line: what was kept of it, if anything, is to be dropped.
    Blank,
    /// The frame under way has passed the limit: what was kept of it is to be dropped. The rest of it
    /// comes as [`Discard`](Self::Discard), its end as [`Oversized`](Self::Oversized).
    Overflow,
    /// A piece of a frame over the limit, to be looked at or not, and not to be kept.
    Discard(&'input [u8]),
    /// The end of a frame over the limit.
    Oversized(Oversized),
    /// A byte order mark at the start of the stream, which is skipped.
    ByteOrderMark,
    /// The stream ended in a frame, of which what was kept is to be dropped.
    Unfinished(Unfinished),
    /// It is not known where the next frame begins. Nothing more is consumed, until the framing is
    /// told to [hunt](Framing::hunt) for it.
    Desynchronised(Desynchronised),
    /// Nothing: the input is used up.
    NeedMore,
}

/// Where a frame that has ended is in the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a frame is where it is")]
pub struct Ended {
    /// How many bytes of the stream came before the first byte of the frame.
    pub offset: u64,
    /// The length of the frame in bytes, without what ends it.
    pub length: u64,
    /// The number of the [line or frame](Frame::line), counted from 1.
    pub line: u64,
    /// Whether it [ended](Frame::is_terminated) before the stream did.
    pub terminated: bool,
}
