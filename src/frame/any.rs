//! A framing that is chosen at run time, and the names of the framings.

use super::framing::sealed;
use super::head::Head;
use super::{
    Concatenated, ContentLength, Delimiter, Ended, Found, Frame, FrameEvent, Framing,
    ServerSentEvents, Splitter, Step,
};
use crate::name::{display_name, named};

/// The kinds of framing, by the names that tools and settings use.
///
/// ```
/// use tautline::frame::FramingKind;
///
/// assert_eq!("content-length".parse(), Ok(FramingKind::ContentLength));
/// assert_eq!(FramingKind::Sse.to_string(), "sse");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum FramingKind {
    /// One message per line: [`Splitter`].
    Ndjson,
    /// A header with the length before each message, as in LSP: [`ContentLength`].
    ContentLength,
    /// Server-sent events: [`ServerSentEvents`].
    Sse,
    /// One JSON value after another: [`Concatenated`].
    Concatenated,
}

impl FramingKind {
    /// All kinds.
    pub const ALL: &[Self] = &[Self::Ndjson, Self::ContentLength, Self::Sse, Self::Concatenated];

    /// Returns the name: `ndjson`, `content-length`, `sse` or `concatenated`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ndjson => "ndjson",
            Self::ContentLength => "content-length",
            Self::Sse => "sse",
            Self::Concatenated => "concatenated",
        }
    }
}

display_name!(FramingKind);
named!(FramingKind, "a framing");

/// A framing that is chosen at run time, for programs whose users choose it.
///
/// It finds the same frames as the framing that it contains, and works with every driver but
/// [`Frames`](super::Frames), which does not support server-sent events. A program that uses it contains the code of
/// all framings, and each value is as large as [`ServerSentEvents`].
///
/// ```
/// use tautline::Profile;
/// use tautline::frame::{AnyFraming, Assembler, FramingKind};
/// use tautline::stream::{MessageStream, Received};
///
/// let kind: FramingKind = "content-length".parse()?;
/// let assembler = Assembler::with_framing([0; 256], AnyFraming::new(kind, 256));
/// let mut stream = MessageStream::with_assembler(assembler, &Profile::LSP);
/// let mut chunk: &[u8] = b"Content-Length: 33\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}";
/// assert!(matches!(stream.next(&mut chunk), Some(Received::Message { .. })));
/// # Ok::<(), tautline::UnknownName>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
#[expect(clippy::large_enum_variant, reason = "without a heap, there is nowhere else to put it")]
pub enum AnyFraming {
    /// One message per line.
    Ndjson(Splitter),
    /// A header with the length before each message, as in LSP.
    ContentLength(ContentLength),
    /// Server-sent events.
    Sse(ServerSentEvents),
    /// One JSON value after another.
    Concatenated(Concatenated),
}

/// Evaluates the expression with the framing that was chosen.
macro_rules! chosen {
    ($any:expr, $framing:ident => $result:expr) => {
        match $any {
            AnyFraming::Ndjson($framing) => $result,
            AnyFraming::ContentLength($framing) => $result,
            AnyFraming::Sse($framing) => $result,
            AnyFraming::Concatenated($framing) => $result,
        }
    };
}

/// Evaluates the expression with the type of the framings of this kind.
macro_rules! of_kind {
    ($kind:expr, $Framing:ident => $result:expr) => {
        match $kind {
            FramingKind::Ndjson => {
                type $Framing = Splitter;
                $result
            }
            FramingKind::ContentLength => {
                type $Framing = ContentLength;
                $result
            }
            FramingKind::Sse => {
                type $Framing = ServerSentEvents;
                $result
            }
            FramingKind::Concatenated => {
                type $Framing = Concatenated;
                $result
            }
        }
    };
}

impl AnyFraming {
    /// Creates a framing of this kind at the start of a stream, for frames of at most `limit` bytes.
    ///
    /// The variants are public, for framings with other settings:
    ///
    /// ```
    /// use tautline::frame::{AnyFraming, ContentLength};
    ///
    /// let framing = AnyFraming::ContentLength(ContentLength::new(1024).with_header_limit(100));
    /// # let _ = framing;
    /// ```
    #[must_use]
    pub const fn new(kind: FramingKind, limit: u32) -> Self {
        match kind {
            FramingKind::Ndjson => Self::Ndjson(Splitter::new(limit)),
            FramingKind::ContentLength => Self::ContentLength(ContentLength::new(limit)),
            FramingKind::Sse => Self::Sse(ServerSentEvents::new(limit)),
            FramingKind::Concatenated => Self::Concatenated(Concatenated::new(limit)),
        }
    }

    /// Returns the kind of the framing that was chosen.
    #[must_use]
    pub const fn kind(&self) -> FramingKind {
        match self {
            Self::Ndjson(_) => FramingKind::Ndjson,
            Self::ContentLength(_) => FramingKind::ContentLength,
            Self::Sse(_) => FramingKind::Sse,
            Self::Concatenated(_) => FramingKind::Concatenated,
        }
    }
}

impl Framing for AnyFraming {
    #[inline]
    fn step(&mut self, input: &[u8]) -> Step {
        chosen!(self, framing => framing.step(input))
    }

    fn finish(&mut self) -> Found {
        chosen!(self, framing => framing.finish())
    }

    fn limit(&self) -> u32 {
        chosen!(self, framing => framing.limit())
    }

    fn position(&self) -> u64 {
        chosen!(self, framing => framing.position())
    }

    fn ended(&self) -> Ended {
        chosen!(self, framing => framing.ended())
    }

    fn resync(&mut self) {
        chosen!(self, framing => framing.resync());
    }

    fn skipped(&self) -> u64 {
        chosen!(self, framing => framing.skipped())
    }

    fn carries_message(&self, event: &FrameEvent<'_>) -> bool {
        chosen!(self, framing => framing.carries_message(event))
    }
}

impl sealed::Framing for AnyFraming {
    type Form = FramingKind;

    fn form(&self) -> FramingKind {
        self.kind()
    }

    fn writes_lines(kind: FramingKind) -> bool {
        of_kind!(kind, Chosen => <Chosen as sealed::Framing>::writes_lines(()))
    }

    fn head(kind: FramingKind, length: usize) -> Head {
        of_kind!(kind, Chosen => <Chosen as sealed::Framing>::head((), length))
    }

    fn tail(kind: FramingKind) -> &'static [u8] {
        of_kind!(kind, Chosen => <Chosen as sealed::Framing>::tail(()))
    }

    fn is_contiguous(&self) -> bool {
        chosen!(self, framing => framing.is_contiguous())
    }

    fn delimiter(&self) -> Delimiter {
        chosen!(self, framing => framing.delimiter())
    }

    fn lower_limit(&mut self, limit: u32) {
        chosen!(self, framing => framing.lower_limit(limit));
    }

    fn give_up(&mut self) {
        chosen!(self, framing => framing.give_up());
    }

    fn is_pending(&self) -> bool {
        chosen!(self, framing => framing.is_pending())
    }

    fn is_lost(&self) -> bool {
        chosen!(self, framing => framing.is_lost())
    }

    fn current(&self) -> Ended {
        chosen!(self, framing => framing.current())
    }

    fn keeps_nothing(&self) -> bool {
        chosen!(self, framing => framing.keeps_nothing())
    }

    #[inline]
    fn is_at_line_start(&self) -> bool {
        matches!(self, Self::Ndjson(splitter) if splitter.is_at_line_start())
    }

    #[inline]
    fn take_line<'input>(&mut self, input: &mut &'input [u8], at: usize) -> Option<Frame<'input>> {
        match self {
            Self::Ndjson(splitter) => splitter.take_line(input, at),
            Self::ContentLength(_) | Self::Sse(_) | Self::Concatenated(_) => None,
        }
    }

    fn record(&mut self, ended: Ended) {
        chosen!(self, framing => framing.record(ended));
    }
}
