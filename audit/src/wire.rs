//! A stream of bytes, cut into frames.

use std::io;

use tautline::Profile;
use tautline::envelope::Skimmer;
use tautline::frame::{
    Assembler, Concatenated, ContentLength, FrameEvent, HeapBuffer, ServerSentEvents, Splitter,
};

/// How messages are delimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "callers choose one of them")]
pub enum Framing {
    /// One message per line.
    Ndjson,
    /// A header with the length before each message, as in LSP.
    ContentLength,
    /// Server-sent events.
    Sse,
    /// One JSON value after another.
    Concatenated,
}

impl Framing {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Ndjson, Self::ContentLength, Self::Sse, Self::Concatenated];

    /// Returns the name, as on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ndjson => "ndjson",
            Self::ContentLength => "content-length",
            Self::Sse => "sse",
            Self::Concatenated => "concatenated",
        }
    }

    /// Returns the framing of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|framing| framing.name() == name)
    }
}

/// Totals over a stream.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Totals {
    /// The number of bytes.
    pub bytes: u64,
    /// The number of lines without a message.
    pub blank_lines: u64,
    /// The number of server-sent events that are not meant to be messages.
    pub other_events: u64,
}

/// A receiver of the events of a stream. Each event comes with the skimmer, which has observed an oversized frame, and
/// with the bytes known to follow the event.
pub type Handle<'a> = dyn FnMut(FrameEvent<'_>, &mut Skimmer, &[u8]) -> io::Result<()> + 'a;

/// A stream of bytes that arrives piece by piece.
///
/// Only a frame that spans two pieces is copied. Memory is bounded by the limit on frames.
pub struct Wire {
    cutter: Box<dyn Cut>,
    skimmer: Skimmer,
}

impl std::fmt::Debug for Wire {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wire").finish_non_exhaustive()
    }
}

impl Wire {
    /// Creates a stream at its start, with the maximum length of a frame in bytes. `profile` are used to read the ids of
    /// oversized frames.
    #[must_use]
    pub fn new(framing: Framing, limit: u32, profile: &Profile) -> Self {
        let storage = HeapBuffer::new(limit);
        let cutter: Box<dyn Cut> = match framing {
            Framing::Ndjson => Box::new(Cutter::new(storage, Splitter::new(limit))),
            Framing::ContentLength => Box::new(Cutter::new(storage, ContentLength::new(limit))),
            Framing::Sse => Box::new(Cutter::new(storage, ServerSentEvents::new(limit))),
            Framing::Concatenated => Box::new(Cutter::new(storage, Concatenated::new(limit))),
        };
        Self { cutter, skimmer: Skimmer::new(profile) }
    }

    /// Passes the frames that these bytes complete to `handle`. Returns false once the framing is desynchronised; no
    /// more bytes are read after that.
    ///
    /// # Errors
    ///
    /// Returns the error of `handle`.
    pub fn push(&mut self, bytes: &[u8], handle: &mut Handle<'_>) -> io::Result<bool> {
        self.cutter.push(bytes, &mut self.skimmer, handle)
    }

    /// Ends the stream, and passes what is left of it to `handle`.
    ///
    /// # Errors
    ///
    /// Returns the error of `handle`.
    pub fn finish(&mut self, handle: &mut Handle<'_>) -> io::Result<()> {
        self.cutter.finish(&mut self.skimmer, handle)
    }

    /// Returns the totals so far.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.cutter.totals()
    }
}

/// An assembler of any framing.
trait Cut: Send {
    fn push(
        &mut self,
        bytes: &[u8],
        skimmer: &mut Skimmer,
        handle: &mut Handle<'_>,
    ) -> io::Result<bool>;
    fn finish(&mut self, skimmer: &mut Skimmer, handle: &mut Handle<'_>) -> io::Result<()>;
    fn totals(&self) -> Totals;
}

struct Cutter<F> {
    assembler: Assembler<HeapBuffer, F>,
    other_events: u64,
    is_lost: bool,
}

impl<F: CountsLines> Cutter<F> {
    fn new(storage: HeapBuffer, framing: F) -> Self {
        let assembler = Assembler::with_framing(storage, framing);
        Self { assembler, other_events: 0, is_lost: false }
    }
}

impl<F: CountsLines + Send> Cut for Cutter<F> {
    fn push(
        &mut self,
        bytes: &[u8],
        skimmer: &mut Skimmer,
        handle: &mut Handle<'_>,
    ) -> io::Result<bool> {
        let mut rest = if self.is_lost { &[] } else { bytes };
        while let Some((event, framing)) =
            self.assembler.next_watched(&mut rest, |piece| skimmer.push(piece))
        {
            if !framing.carries_message(&event) {
                skimmer.finish();
                self.other_events += 1;
                continue;
            }
            self.is_lost = matches!(event, FrameEvent::Desynchronised(_));
            handle(event, skimmer, rest)?;
        }
        Ok(!self.is_lost)
    }

    fn finish(&mut self, skimmer: &mut Skimmer, handle: &mut Handle<'_>) -> io::Result<()> {
        while let Some((event, _)) = self.assembler.finish_watched(|piece| skimmer.push(piece)) {
            handle(event, skimmer, b"")?;
        }
        Ok(())
    }

    fn totals(&self) -> Totals {
        let framing = self.assembler.framing();
        Totals {
            bytes: framing.position(),
            blank_lines: framing.blank_lines(),
            other_events: self.other_events,
        }
    }
}

/// A framing, and the number of its lines without a message.
trait CountsLines: tautline::frame::Framing {
    fn blank_lines(&self) -> u64 {
        0
    }
}

impl CountsLines for Splitter {
    fn blank_lines(&self) -> u64 {
        Self::blank_lines(self)
    }
}

impl CountsLines for ContentLength {}
impl CountsLines for ServerSentEvents {}
impl CountsLines for Concatenated {}
