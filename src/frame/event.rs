//! What comes out of framing: frames, and what is there instead of one.

use super::{Desync, Ended};

/// The bytes of one message, without what marks its end on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'buf> {
    bytes: &'buf [u8],
    offset: u64,
    line: u64,
    is_terminated: bool,
    delimiter: Delimiter,
}

/// What separates a frame from the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(unnameable_types, reason = "a sealed trait names it, and nobody else has to")]
pub enum Delimiter {
    /// A newline, so that nothing in the frame may look like one.
    Newline,
    /// A header, an event's fields or the grammar of JSON. A body that belongs to no stream counts as such.
    Other,
}

impl<'buf> Frame<'buf> {
    pub(crate) const fn new(bytes: &'buf [u8], ended: Ended, delimiter: Delimiter) -> Self {
        let Ended { offset, line, terminated, .. } = ended;
        Self { bytes, offset, line, is_terminated: terminated, delimiter }
    }

    /// A line, or what the stream ends with instead of one.
    pub(crate) const fn line_of(bytes: &'buf [u8], ended: Ended) -> Self {
        Self::new(bytes, ended, Delimiter::Newline)
    }

    pub(crate) const fn delimiter(&self) -> Delimiter {
        self.delimiter
    }

    /// Where it is in the stream.
    pub(crate) const fn ended(&self) -> Ended {
        let length = crate::cast::u64_from(self.bytes.len());
        Ended { offset: self.offset, length, line: self.line, terminated: self.is_terminated }
    }

    /// The bytes of the frame. In newline-delimited JSON there is at least one, and no LF among them.
    ///
    /// A line may contain a raw CR, at which some receivers split it. Rules that
    /// [forbid](crate::envelope::CarriageReturns::Forbidden) it, as those of MCP do, make no message of such
    /// a line. Under other rules, pass a message on with [`Forward`](crate::encode::Forward), which leaves
    /// the CR out, and not as these bytes.
    #[must_use]
    pub const fn bytes(&self) -> &'buf [u8] {
        self.bytes
    }

    /// How many bytes of the stream came before the first byte of the frame; of an event, before that
    /// of its first line of data.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The number of the frame's line, counted from 1, blank and oversized lines included; of an
    /// event, that of its first line of data. Other framings are not made of lines: there it is the
    /// number of the frame, counted from 1, oversized ones included.
    #[must_use]
    pub const fn line(&self) -> u64 {
        self.line
    }

    /// Whether the frame ended before the stream did: with a newline, the length that its header
    /// promised, the blank line behind an event, or the end of a JSON value.
    ///
    /// If not, it is a line without its newline, or a bare scalar that may have been cut. In the other
    /// framings a frame that is not all there is [`Unfinished`], and no frame.
    #[must_use]
    pub const fn is_terminated(&self) -> bool {
        self.is_terminated
    }
}

/// A frame over the limit, or longer than there was memory for, whose bytes were discarded.
///
/// [`Fault::of_oversized`](crate::envelope::Fault::of_oversized) says which reply it is owed, and
/// [`Fault::of_skimmed`](crate::envelope::Fault::of_skimmed) if it was watched by a
/// [`Skimmer`](crate::envelope::Skimmer).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Oversized {
    pub(super) ended: Ended,
    pub(super) limit: u32,
}

impl Oversized {
    /// How many bytes of the stream came before its first byte.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.ended.offset
    }

    /// Its number, as of a [frame](Frame::line).
    #[must_use]
    pub const fn line(&self) -> u64 {
        self.ended.line
    }

    /// The length in bytes, without what ends it; of one that the stream's end has cut, as much as was
    /// there.
    #[must_use]
    pub const fn length(&self) -> u64 {
        self.ended.length
    }

    /// The limit in bytes that it is longer than.
    #[must_use]
    pub const fn limit(&self) -> u32 {
        self.limit
    }

    /// Whether it [ended](Frame::is_terminated) before the stream did.
    #[must_use]
    pub const fn is_terminated(&self) -> bool {
        self.ended.terminated
    }
}

/// A frame that was not all there when the stream ended, the beginning of its header, or what a
/// [hunt](super::Framing::hunt) has gone over in vain.
///
/// Its bytes are not delivered: a part of a message is none, even where it could be read as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfinished {
    offset: u64,
    length: u64,
}

impl Unfinished {
    pub(super) const fn new(offset: u64, length: u64) -> Self {
        Self { offset, length }
    }

    /// How many bytes of the stream came before it: before the body if that has begun, else before
    /// its header; of an event, before its first field.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// How many bytes of the stream there were of it, from [`offset`](Self::offset) to the end.
    #[must_use]
    pub const fn length(&self) -> u64 {
        self.length
    }
}

/// It is not known where the next frame begins, because what stands there can't be the beginning of
/// one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Desynchronised {
    offset: u64,
    cause: Desync,
}

impl Desynchronised {
    pub(super) const fn new(offset: u64, cause: Desync) -> Self {
        Self { offset, cause }
    }

    /// How many bytes of the stream came before the byte that is at fault.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// What is wrong there.
    #[must_use]
    pub const fn cause(&self) -> Desync {
        self.cause
    }
}

/// What was found on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameEvent<'buf> {
    /// A frame.
    Frame(Frame<'buf>),
    /// A frame over the limit.
    Oversized(Oversized),
    /// The stream ended within a frame. Newline-delimited JSON has no such thing: there the rest is a
    /// frame that is not [terminated](Frame::is_terminated).
    Unfinished(Unfinished),
    /// The framing does not know where the next frame begins, and takes nothing more of the input
    /// until it is told to hunt for it. Newline-delimited JSON and event streams always know.
    Desynchronised(Desynchronised),
}

/// A frame that is ready, before it is known where its bytes are kept.
///
/// The drivers find one of these first and lend the bytes second: a loop that may go on after it has
/// lent something out does not pass the borrow checker.
pub(super) enum Ready<'input> {
    /// It lies whole in the input, or is no frame.
    Here(FrameEvent<'input>),
    /// The frame's bytes are where the driver has kept them.
    Kept(Ended),
}
