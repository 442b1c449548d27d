//! A stream of bytes, cut into frames.

use std::io;

use tautline::Profile;
use tautline::frame::{AnyFraming, Assembler, Framing, FramingKind, HeapBuffer};
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

/// A receiver of the events of a stream, and of the known bytes around them.
pub type Handle<'a> = dyn FnMut(Received<'_>, &Around<'_>) -> io::Result<()> + 'a;

/// The most bytes of a header that are kept, which is more than a header may have.
const KEPT: usize = 8 * 1024;

/// A stream of bytes that arrives piece by piece.
///
/// Only a frame that spans two pieces is copied. Memory is bounded by the limit on frames.
#[derive(Debug)]
pub struct Wire {
    stream: MessageStream<HeapBuffer, AnyFraming>,
    other_events: u64,
    is_lost: bool,
    /// The offset at which the last event has ended, and the bytes since then.
    start: u64,
    since: Vec<u8>,
    fields: Fields,
}

impl Wire {
    /// Creates a stream at its start, with the maximum length of a frame in bytes.
    #[must_use]
    pub fn new(framing: FramingKind, limit: u32, profile: &Profile) -> Self {
        let framing = AnyFraming::new(framing, limit);
        let assembler = Assembler::with_framing(HeapBuffer::new(limit), framing);
        let stream = MessageStream::with_assembler(assembler, profile);
        let (since, fields) = (Vec::new(), Fields::default());
        Self { stream, other_events: 0, is_lost: false, start: 0, since, fields }
    }

    /// Passes the frames that these bytes complete to `handle`, except for server-sent events that are not meant to be
    /// messages. Returns false once the framing is desynchronised; no more bytes are read after that.
    ///
    /// # Errors
    ///
    /// Returns the error of `handle`.
    pub fn push(&mut self, bytes: &[u8], handle: &mut Handle<'_>) -> io::Result<bool> {
        let Self { stream, other_events, is_lost, start, since, fields } = self;
        match stream.framing() {
            AnyFraming::Sse(_) => fields.push(bytes),
            // Only lines are never lost.
            AnyFraming::Ndjson(_) => {}
            _ => keep(since, bytes),
        }
        let first = stream.framing().position();
        let mut rest = bytes;
        while let Some(received) = stream.next(&mut rest) {
            let end = first + (bytes.len() - rest.len()) as u64;
            let around = match received {
                Received::NoMessage(_) => {
                    *other_events += 1;
                    continue;
                }
                Received::Desynchronised(_) => {
                    *is_lost = true;
                    let length = usize::try_from(end - *start).unwrap_or(usize::MAX);
                    let since = since.get(..length).unwrap_or(since);
                    Around { start: *start, since, behind: rest, other_fields: &[] }
                }
                _ => Around { start: *start, behind: rest, ..Around::default() },
            };
            handle(received, &around)?;
            *start = end;
            since.clear();
            keep(since, rest);
        }
        Ok(!self.is_lost)
    }

    /// Ends the stream, and passes what is left of it to `handle`.
    ///
    /// # Errors
    ///
    /// Returns the error of `handle`.
    pub fn finish(&mut self, handle: &mut Handle<'_>) -> io::Result<()> {
        let Self { stream, start, fields, .. } = self;
        let other_fields = fields.others();
        let around = Around { start: *start, other_fields, ..Around::default() };
        while let Some(received) = stream.finish() {
            handle(received, &around)?;
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

    /// Returns the totals so far.
    #[must_use]
    pub fn totals(&self) -> Totals {
        let framing = self.stream.framing();
        let blank_lines = match framing {
            AnyFraming::Ndjson(lines) => lines.blank_lines(),
            _ => 0,
        };
        Totals { bytes: framing.position(), blank_lines, other_events: self.other_events }
    }
}

/// Keeps the start of what has arrived since the last event.
fn keep(since: &mut Vec<u8>, bytes: &[u8]) {
    let room = KEPT.saturating_sub(since.len()).min(bytes.len());
    since.extend_from_slice(bytes.get(..room).unwrap_or_default());
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
