//! A stream of bytes, cut into frames.

use std::io;

use tautline::Profile;
use tautline::frame::{AnyFraming, Assembler, Frame, Framing, FramingKind, HeapBuffer};
use tautline::stream::{MessageStream, Received};

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
    /// The number of bytes that were not judged, because the framing had lost its place.
    pub skipped: u64,
}

/// Bytes that were not judged, because the framing had lost its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a place and a length")]
pub struct Skipped {
    /// The offset of the first of them in the stream, in bytes.
    pub offset: u64,
    /// Their number.
    pub length: u64,
}

/// The known bytes around an event of a stream.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Around<'a> {
    /// The offset in the stream at which the event before it has ended, in bytes.
    pub start: u64,
    /// The bytes from there to the event's own end, if it is [`Received::Desynchronised`] and as far as they were kept.
    pub since: &'a [u8],
    /// The bytes that follow it.
    pub behind: &'a [u8],
    /// The [names of other fields](Wire::other_fields), at the end of the stream.
    pub other_fields: &'a [String],
}

/// An event of a stream.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::exhaustive_enums, reason = "a frame, or anything else")]
pub enum WireEvent<'buf> {
    /// A frame that should be a message. It is not parsed yet.
    Frame(Frame<'buf>),
    /// An event that is not a frame.
    Other(Received<'buf>),
}

impl<'buf> WireEvent<'buf> {
    /// Returns the frame, if the event is one.
    #[must_use]
    pub const fn frame(&self) -> Option<&Frame<'buf>> {
        match self {
            Self::Frame(frame) => Some(frame),
            Self::Other(_) => None,
        }
    }
}

impl<'buf> From<Result<Frame<'buf>, Received<'buf>>> for WireEvent<'buf> {
    fn from(event: Result<Frame<'buf>, Received<'buf>>) -> Self {
        event.map_or_else(Self::Other, Self::Frame)
    }
}

/// A receiver of the events of a stream, and of the known bytes around them.
pub type Handle<'a> = dyn FnMut(WireEvent<'_>, &Around<'_>) -> io::Result<()> + 'a;

/// The most bytes of a header that are kept, which is more than a header may have.
const KEPT: usize = 8 * 1024;

/// A stream of bytes that arrives piece by piece.
///
/// Only a frame that spans two pieces is copied. Memory is bounded by the limit on frames.
#[derive(Debug)]
pub struct Wire {
    stream: MessageStream<HeapBuffer, AnyFraming>,
    other_events: u64,
    /// The offset at which the last event has ended, and the bytes since then.
    start: u64,
    since: Vec<u8>,
    fields: Fields,
    on_loss: OnLoss,
    /// The offset of the first byte that is skipped, until it is known how many are.
    lost: Option<u64>,
    /// The offset of the end of the last frame, or of the end of the bytes that were skipped after it.
    end: u64,
    /// The number of bytes after that place that were passed and not read.
    unread: u64,
    /// The number of bytes in all of `skips`, and in those that were taken.
    skipped: u64,
    skips: Vec<Skipped>,
}

/// The reaction of a stream to a desynchronised framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OnLoss {
    Stop,
    Resync,
}

impl Wire {
    /// Creates a stream at its start, with the maximum length of a frame in bytes.
    #[must_use]
    pub fn new(framing: FramingKind, limit: u32, profile: &Profile) -> Self {
        let framing = AnyFraming::new(framing, limit);
        let assembler = Assembler::with_framing(HeapBuffer::new(limit), framing);
        let stream = MessageStream::with_assembler(assembler, profile);
        Self {
            stream,
            other_events: 0,
            start: 0,
            since: Vec::new(),
            fields: Fields::default(),
            on_loss: OnLoss::Stop,
            lost: None,
            end: 0,
            unread: 0,
            skipped: 0,
            skips: Vec::new(),
        }
    }

    /// Continues where the framing finds the beginning of a frame, instead of stopping, when the framing is
    /// desynchronised. This is a guess, as [`Framing::resync`] explains.
    #[must_use]
    pub fn resyncing(self) -> Self {
        Self { on_loss: OnLoss::Resync, ..self }
    }

    /// Passes the frames that these bytes complete to `handle`, except for server-sent events that are not meant to be
    /// messages. Returns false once the framing is desynchronised: more bytes are only counted, unless the stream is
    /// [resyncing](Self::resyncing).
    ///
    /// # Errors
    ///
    /// Returns the error of `handle`.
    pub fn push(&mut self, bytes: &[u8], handle: &mut Handle<'_>) -> io::Result<bool> {
        if let AnyFraming::Sse(_) = self.stream.framing() {
            self.fields.push(bytes);
        }
        let first = self.stream.framing().position();
        let mut rest = bytes;
        while let Some(event) = self.stream.next_frame(&mut rest).map(WireEvent::from) {
            let place = first + (bytes.len() - rest.len()) as u64;
            let (mut lost, mut since) = (None, &[][..]);
            match event {
                WireEvent::Other(Received::NoMessage(_)) => {
                    self.other_events += 1;
                    continue;
                }
                WireEvent::Other(Received::Desynchronised(loss)) => {
                    lost = Some(loss.offset());
                    keep_since(&mut self.since, self.start, first, bytes);
                    let length = usize::try_from(place - self.start).unwrap_or(usize::MAX);
                    since = self.since.get(..length).unwrap_or(&self.since);
                }
                WireEvent::Other(Received::Oversized { ref oversized, .. }) => {
                    self.end = oversized.offset() + oversized.length();
                }
                WireEvent::Other(_) => {}
                WireEvent::Frame(frame) => {
                    self.end = frame.offset() + frame.bytes().len() as u64;
                }
            }
            let start = self.start;
            handle(event, &Around { start, since, behind: rest, other_fields: &[] })?;
            self.start = place;
            self.note_skipped();
            if lost.is_some() {
                // Headers belong to the frame that they can't begin.
                let has_headers = matches!(self.stream.framing(), AnyFraming::ContentLength(_));
                self.lost = if has_headers { Some(self.end) } else { lost };
                if self.on_loss == OnLoss::Resync {
                    self.stream.resync();
                }
            }
        }
        // Lines and server-sent events are never lost.
        if !matches!(self.framing(), FramingKind::Ndjson | FramingKind::Sse) {
            keep_since(&mut self.since, self.start, first, bytes);
        }
        self.note_skipped();
        self.unread += rest.len() as u64;
        Ok(self.on_loss == OnLoss::Resync || self.lost.is_none())
    }

    /// Ends the stream, and passes what is left of it to `handle`.
    ///
    /// # Errors
    ///
    /// Returns the error of `handle`.
    pub fn finish(&mut self, handle: &mut Handle<'_>) -> io::Result<()> {
        let is_lost = self.lost.is_some();
        let Self { stream, start, fields, .. } = self;
        let other_fields = fields.others();
        let around = Around { start: *start, other_fields, ..Around::default() };
        while let Some(event) = stream.finish_frame() {
            // Skipped bytes are not a frame that was cut off.
            if !is_lost {
                handle(event.into(), &around)?;
            }
        }
        self.note_skipped();
        if let Some(offset) = self.lost.take() {
            let length = self.totals().bytes.saturating_sub(offset);
            self.skip(Skipped { offset, length });
        }
        Ok(())
    }

    /// Returns the framing.
    #[must_use]
    pub const fn framing(&self) -> FramingKind {
        self.stream.framing().kind()
    }

    /// Returns the names of fields that server-sent events do not have, if no event had data.
    #[must_use]
    pub fn other_fields(&self) -> &[String] {
        self.fields.others()
    }

    /// Returns what was skipped since the last call. The end is known when a frame begins, or the stream ends.
    pub fn take_skipped(&mut self) -> Vec<Skipped> {
        std::mem::take(&mut self.skips)
    }

    fn note_skipped(&mut self) {
        let length = self.stream.framing().skipped().saturating_sub(self.skipped);
        if let Some(offset) = self.lost.take_if(|_| length > 0) {
            self.skip(Skipped { offset, length });
        }
    }

    fn skip(&mut self, skipped: Skipped) {
        self.skipped += skipped.length;
        self.end = self.end.max(skipped.offset + skipped.length);
        self.skips.push(skipped);
    }

    /// Returns the totals so far.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let framing = self.stream.framing();
        let blank_lines = match framing {
            AnyFraming::Ndjson(lines) => lines.blank_lines(),
            _ => 0,
        };
        let Self { other_events, skipped, .. } = *self;
        Totals { bytes: framing.position() + self.unread, blank_lines, other_events, skipped }
    }
}

/// Keeps the start of what has arrived since the last event, which has ended at offset `start` of the stream. The new
/// bytes begin at offset `first`. If the event is among them, the bytes kept before it are dropped.
fn keep_since(since: &mut Vec<u8>, start: u64, first: u64, bytes: &[u8]) {
    let mut new = bytes;
    if let Some(before) = start.checked_sub(first) {
        since.clear();
        new = usize::try_from(before).ok().and_then(|before| bytes.get(before..)).unwrap_or(b"");
    }
    let room = KEPT.saturating_sub(since.len()).min(new.len());
    since.extend_from_slice(new.get(..room).unwrap_or_default());
}

/// The most unknown fields that are named, and the longest name, in bytes.
const FIELDS: usize = 4;
const LONGEST_FIELD: usize = 32;

/// The names of the fields of server-sent events.
#[derive(Debug, Default)]
struct Fields {
    /// The name on the current line, or `None` after it.
    name: Option<Vec<u8>>,
    is_in_line: bool,
    has_data: bool,
    others: Vec<String>,
}

impl Fields {
    fn push(&mut self, bytes: &[u8]) {
        if self.has_data {
            return;
        }
        for &byte in bytes {
            match (byte, &mut self.name) {
                (b'\n' | b'\r', _) => {
                    self.end_name();
                    self.is_in_line = false;
                }
                (b':', _) => self.end_name(),
                (_, Some(name)) if name.len() < LONGEST_FIELD => name.push(byte),
                (_, Some(_)) => {}
                (_, None) if !self.is_in_line => {
                    self.name = Some(vec![byte]);
                    self.is_in_line = true;
                }
                (_, None) => {}
            }
        }
    }

    /// Ends the name on the current line. A line that begins with a colon is a comment.
    fn end_name(&mut self) {
        self.is_in_line = true;
        let Some(name) = self.name.take() else { return };
        match name.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&name) {
            b"data" => self.has_data = true,
            b"event" | b"id" | b"retry" => {}
            name => {
                let name = crate::visible::printable(name);
                if self.others.len() < FIELDS && !self.others.contains(&name) {
                    self.others.push(name);
                }
            }
        }
    }

    fn others(&self) -> &[String] {
        if self.has_data { &[] } else { &self.others }
    }
}

#[cfg(test)]
mod tests {
    use tautline::Profile;
    use tautline::frame::FramingKind;

    use super::{Around, Skipped, Wire, WireEvent};

    const WIRE: &[u8] = b"Content-Length: 2\r\n\r\n{}oops Content-Length: 2\r\n\r\n[]\n?Content-Length: 1\r\n\r\n1? ?";

    /// Returns what is skipped, the number of frames, and the number of losses.
    fn read(wire: Wire, length: usize) -> (Vec<Skipped>, usize, usize) {
        let (mut wire, mut skipped) = (wire, Vec::new());
        let (mut frames, mut losses) = (0, 0);
        let mut handle = |event: WireEvent<'_>, _: &Around<'_>| {
            match event.frame() {
                Some(_) => frames += 1,
                None => losses += 1,
            }
            Ok(())
        };
        for bytes in WIRE.chunks(length) {
            wire.push(bytes, &mut handle).unwrap();
            skipped.extend(wire.take_skipped());
        }
        wire.finish(&mut handle).unwrap();
        skipped.extend(wire.take_skipped());
        let totals = wire.totals();
        assert_eq!(totals.bytes, WIRE.len() as u64);
        assert_eq!(totals.skipped, skipped.iter().map(|one| one.length).sum::<u64>());
        (skipped, frames, losses)
    }

    fn wire() -> Wire {
        Wire::new(FramingKind::ContentLength, 100, &Profile::LSP)
    }

    #[test]
    fn bytes_that_are_not_judged_are_counted() {
        let skip = |offset, length| Skipped { offset, length };
        for length in [1, 5, WIRE.len()] {
            let rest = WIRE.len() as u64 - 23;
            assert_eq!(read(wire(), length), (vec![skip(23, rest)], 1, 1), "{length}");
            let skipped = vec![skip(23, 5), skip(51, 2), skip(75, 3)];
            assert_eq!(read(wire().resyncing(), length), (skipped, 3, 3), "{length}");
        }
    }
}
