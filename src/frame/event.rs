//! The events of a framing: frames, and what can be found instead of one.

use core::fmt;

use crate::excerpt::Excerpt;
use crate::rule::{Rule, name, summary};

/// The bytes of one message, without its delimiter on the wire.
///
/// ```
/// use tautline::frame::{FrameEvent, Frames};
///
/// let mut frames = Frames::new(b"{\"id\":1}\r\n{\"id\":2}", 1024);
/// let Some(FrameEvent::Frame(frame)) = frames.next() else { panic!() };
/// assert_eq!((frame.bytes(), frame.offset(), frame.line()), (&b"{\"id\":1}"[..], 0, 1));
/// assert!(frame.is_terminated());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Frame<'buf> {
    bytes: &'buf [u8],
    place: Place,
}

/// A frame without its bytes: its place in the stream, and how it was delimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    offset: u64,
    line: u64,
    is_terminated: bool,
    delimiter: Delimiter,
}

/// The kind of delimiter between frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(unnameable_types, reason = "only a sealed trait names it")]
pub enum Delimiter {
    /// A newline, so no byte of the frame may look like one.
    Newline,
    /// A header, the fields of an event, or the JSON grammar. Also used for a body that is not part of a
    /// stream.
    Other,
}

impl<'buf> Frame<'buf> {
    pub(crate) const fn new(bytes: &'buf [u8], ended: Ended, delimiter: Delimiter) -> Self {
        let Ended { offset, line, terminated, .. } = ended;
        Self { bytes, place: Place { offset, line, is_terminated: terminated, delimiter } }
    }

    /// Creates a frame from a line that you assembled yourself, without its newline. The rules for lines apply
    /// to it, and its place is that of a line at the start of a stream.
    #[must_use]
    #[inline]
    pub const fn from_line(bytes: &'buf [u8]) -> Self {
        Self { bytes, place: Place::START }
    }

    /// Creates a line, terminated or not.
    pub(crate) const fn line_of(bytes: &'buf [u8], ended: Ended) -> Self {
        Self::new(bytes, ended, Delimiter::Newline)
    }

    pub(crate) const fn delimiter(&self) -> Delimiter {
        self.place.delimiter
    }

    /// Returns the position of the frame in the stream.
    pub(crate) const fn ended(&self) -> Ended {
        let length = crate::cast::u64_from(self.bytes.len());
        let Place { offset, line, is_terminated: terminated, .. } = self.place;
        Ended { offset, length, line, terminated }
    }

    /// Returns the frame without its bytes, which are stored elsewhere.
    pub(crate) const fn place(&self) -> Place {
        self.place
    }

    /// Returns the bytes of the frame. In newline-delimited JSON there is at least one byte, and none is an
    /// LF.
    ///
    /// A line may contain a raw CR, at which some receivers split it. Such a line is not a message under
    /// a profile that [forbids](crate::envelope::CarriageReturns::Forbidden) a raw CR, as MCP's do. Under other
    /// profiles, forward the message with [`Forward`](crate::encode::Forward), which omits the CR, and not as
    /// these bytes.
    #[must_use]
    pub const fn bytes(&self) -> &'buf [u8] {
        self.bytes
    }

    /// Returns the number of bytes of the stream before the frame. The data of an event begins with its
    /// first line of data.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.place.offset
    }

    /// Returns the number of the frame's line, counted from 1, including blank and oversized lines. For an
    /// event, this is its first line of data. In framings without lines, it is the number of the frame,
    /// counted from 1, including oversized frames.
    #[must_use]
    pub const fn line(&self) -> u64 {
        self.place.line
    }

    /// Returns whether the frame is a line, to which rules of its own apply. It is not if its delimiter is a header, an
    /// empty line after an event, or the end of a JSON value, or if it was not part of a stream.
    #[must_use]
    pub const fn is_line(&self) -> bool {
        matches!(self.place.delimiter, Delimiter::Newline)
    }

    /// Returns whether the frame ended before the stream did: with a newline, after the length in its
    /// header, with the blank line after an event, or at the end of a JSON value.
    ///
    /// A frame that is not terminated is a line without its newline, or a bare scalar that may have been
    /// cut off. In all other cases, an incomplete frame is [`Unfinished`] instead.
    #[must_use]
    pub const fn is_terminated(&self) -> bool {
        self.place.is_terminated
    }
}

impl fmt::Debug for Frame<'_> {
    /// Writes the bytes as text, cut if they are many.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame")
            .field("offset", &self.offset())
            .field("line", &self.line())
            .field("is_terminated", &self.is_terminated())
            .field("bytes", &Excerpt(self.bytes))
            .finish()
    }
}

/// A frame of bytes that are one message by themselves, such as the body of an HTTP request.
impl<'buf> From<&'buf [u8]> for Frame<'buf> {
    #[inline]
    fn from(bytes: &'buf [u8]) -> Self {
        Self { bytes, place: Place { delimiter: Delimiter::Other, ..Place::START } }
    }
}

impl<'buf, const N: usize> From<&'buf [u8; N]> for Frame<'buf> {
    #[inline]
    fn from(bytes: &'buf [u8; N]) -> Self {
        Self::from(bytes.as_slice())
    }
}

impl<'buf> From<&'buf str> for Frame<'buf> {
    #[inline]
    fn from(text: &'buf str) -> Self {
        Self::from(text.as_bytes())
    }
}

#[cfg(feature = "alloc")]
impl<'buf> From<&'buf alloc::string::String> for Frame<'buf> {
    #[inline]
    fn from(text: &'buf alloc::string::String) -> Self {
        Self::from(text.as_bytes())
    }
}

#[cfg(feature = "alloc")]
impl<'buf> From<&'buf alloc::vec::Vec<u8>> for Frame<'buf> {
    #[inline]
    fn from(bytes: &'buf alloc::vec::Vec<u8>) -> Self {
        Self::from(bytes.as_slice())
    }
}

impl<'buf> From<&Self> for Frame<'buf> {
    #[inline]
    fn from(frame: &Self) -> Self {
        *frame
    }
}

impl Place {
    /// The place of a line at the start of a stream.
    const START: Self =
        Self { offset: 0, line: 1, is_terminated: false, delimiter: Delimiter::Newline };

    /// Returns the frame with these bytes.
    pub(crate) const fn with_bytes(self, bytes: &[u8]) -> Frame<'_> {
        Frame { bytes, place: self }
    }
}

/// An oversized frame, or one for which memory ran out. Its bytes were discarded.
///
/// Use [`Fault::of_oversized`](crate::envelope::Fault::of_oversized) to get the reply that it is owed, or
/// [`Fault::of_skimmed`](crate::envelope::Fault::of_skimmed) if a [`Skimmer`](crate::envelope::Skimmer) has
/// observed it.
///
/// ```
/// use tautline::frame::{FrameEvent, Frames};
///
/// let mut frames = Frames::new(b"[1,2,3]\n[4]\n", 4);
/// let Some(FrameEvent::Oversized(oversized)) = frames.next() else { panic!() };
/// assert_eq!(oversized.to_string(), "the frame at byte 0 has 7 bytes, and the limit is 4");
/// let Some(FrameEvent::Frame(frame)) = frames.next() else { panic!() };
/// assert_eq!(frame.bytes(), b"[4]");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Oversized {
    pub(super) ended: Ended,
    pub(super) limit: u32,
}

impl Oversized {
    /// Returns the number of bytes of the stream before the frame.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.ended.offset
    }

    /// Returns its [line or frame number](Frame::line).
    #[must_use]
    pub const fn line(&self) -> u64 {
        self.ended.line
    }

    /// Returns the length in bytes, without the delimiter. If the frame was cut off by the end of the
    /// stream, this is the length of the part received.
    #[must_use]
    pub const fn length(&self) -> u64 {
        self.ended.length
    }

    /// Returns the limit in bytes that it exceeds.
    #[must_use]
    pub const fn limit(&self) -> u32 {
        self.limit
    }

    /// Returns whether the frame [ended](Frame::is_terminated) before the stream did.
    #[must_use]
    pub const fn is_terminated(&self) -> bool {
        self.ended.terminated
    }
}

/// A frame that was incomplete when the stream ended: a frame, the beginning of its header, or bytes
/// skipped while [resynchronising](super::Framing::resync).
///
/// Its bytes are not delivered. A partial message is never yielded, even if it could be parsed as a
/// message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Unfinished {
    offset: u64,
    length: u64,
    line: u64,
}

impl Unfinished {
    pub(super) const fn new(ended: Ended) -> Self {
        let Ended { offset, length, line, .. } = ended;
        Self { offset, length, line }
    }

    /// Returns its [line or frame number](Frame::line).
    #[must_use]
    pub const fn line(&self) -> u64 {
        self.line
    }

    /// Returns the number of bytes of the stream before it. It begins with the body if that has begun,
    /// otherwise with the header; for an event, with its first field.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the number of bytes received of it, from [`offset`](Self::offset) to the end of the stream.
    #[must_use]
    pub const fn length(&self) -> u64 {
        self.length
    }
}

/// The framing has lost synchronisation: the bytes found cannot be the beginning of a frame, so the start
/// of the next one is unknown.
///
/// ```
/// use tautline::Rule;
/// use tautline::frame::{Concatenated, FrameEvent, Frames};
///
/// let mut frames = Frames::with_framing(b"{} listening on 3000\n", Concatenated::new(64));
/// assert!(matches!(frames.next(), Some(FrameEvent::Frame(_))));
/// let Some(FrameEvent::Desynchronised(lost)) = frames.next() else { panic!() };
/// assert_eq!((lost.rule(), lost.offset(), lost.line()), (Rule::VALUE_EXPECTED, 3, 2));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Desynchronised {
    offset: u64,
    line: u64,
    rule: Rule,
}

impl Desynchronised {
    pub(super) const fn new(ended: Ended, rule: Rule) -> Self {
        let Ended { offset, line, .. } = ended;
        Self { offset, line, rule }
    }

    /// Returns the [line or frame number](Frame::line) of the frame that should begin here.
    #[must_use]
    pub const fn line(&self) -> u64 {
        self.line
    }

    /// Returns the number of bytes of the stream before the offending byte.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the rule that the offending byte breaks.
    #[must_use]
    pub const fn rule(&self) -> Rule {
        self.rule
    }
}

/// An event of a framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FrameEvent<'buf> {
    /// A frame.
    Frame(Frame<'buf>),
    /// An oversized frame.
    Oversized(Oversized),
    /// The stream ended inside a frame. This never happens in newline-delimited JSON, where the rest is a
    /// frame that is not [terminated](Frame::is_terminated).
    Unfinished(Unfinished),
    /// The start of the next frame is unknown. No more input is consumed until a resync. This never happens
    /// in newline-delimited JSON and server-sent events.
    Desynchronised(Desynchronised),
}

/// The position in the stream of a frame that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "a frame is where it is")]
pub struct Ended {
    /// The number of bytes of the stream before the frame.
    pub offset: u64,
    /// The length of the frame in bytes, without its delimiter.
    pub length: u64,
    /// The number of the [line or frame](Frame::line), counted from 1.
    pub line: u64,
    /// True if the frame [ended](Frame::is_terminated) before the stream did.
    pub terminated: bool,
}

impl Ended {
    /// The value before any frame has ended.
    pub(super) const NONE: Self = Self { offset: 0, length: 0, line: 0, terminated: false };
}

impl AsRef<[u8]> for Frame<'_> {
    /// Returns the [bytes](Frame::bytes).
    fn as_ref(&self) -> &[u8] {
        self.bytes
    }
}

impl fmt::Display for Oversized {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (length, limit, offset) = (self.length(), self.limit, self.offset());
        write!(f, "the frame at byte {offset} has {length} bytes, and the limit is {limit}")
    }
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { offset, length, .. } = self;
        write!(f, "the stream ended inside a frame, {length} bytes after byte {offset}")
    }
}

impl fmt::Display for Desynchronised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}: {}", name(self.rule), self.offset, summary(self.rule))
    }
}

impl core::error::Error for Oversized {}
impl core::error::Error for Unfinished {}
impl core::error::Error for Desynchronised {}

#[cfg(test)]
mod tests {
    use crate::Profile;
    use crate::frame::{Assembler, Concatenated, ContentLength, Framing, ServerSentEvents};
    use crate::stream::{MessageStream, Received};

    /// Returns the line of what ends the stream.
    fn line_of_last<F: Framing>(mut stream: &[u8], framing: F) -> u64 {
        let assembler = Assembler::with_framing([0; 64], framing);
        let mut messages = MessageStream::without_skimmer(assembler, &Profile::JSON_RPC);
        while let Some(received) = messages.next(&mut stream) {
            if let Received::Desynchronised(lost) = received {
                return lost.line();
            }
        }
        match messages.finish() {
            Some(Received::Unfinished(unfinished)) => unfinished.line(),
            _ => 0,
        }
    }

    #[test]
    fn a_frame_without_an_end_is_counted() {
        let headers = ContentLength::new(64);
        assert_eq!(
            line_of_last(b"Content-Length: 2\r\n\r\n{}Content-Length: 2\r\n\r\n{", headers.clone()),
            2
        );
        assert_eq!(line_of_last(b"Content-Length: 2\r\n\r\n{}Content-Length\r\n\r\n{", headers), 2);
        let values = Concatenated::new(64);
        assert_eq!(line_of_last(b"{}[]{", values.clone()), 3);
        assert_eq!(line_of_last(b"{}[]?", values), 3);
        let events = ServerSentEvents::new(64);
        assert_eq!(line_of_last(b"data: {}\n\n: a\nid: 7\ndata: {}\ndata:\n", events.clone()), 5);
        assert_eq!(line_of_last(b"data: {}\n\nid: 7", events), 3);
    }
}
