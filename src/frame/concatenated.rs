//! Concatenated JSON: consecutive values with optional whitespace between them.

use super::framing::sealed;
use super::splitter::find_newline;
use super::{Contiguous, Ended, Found, Framing, Piece, Step};
use crate::bytes::{BYTE_ORDER_MARK as BOM, is_whitespace};
use crate::cast::u64_from;
use crate::rule::Rule;

/// Splits a stream into complete JSON values, for peers that pretty-print them.
///
/// The end of a value is found by tracking strings and counting brackets, in constant memory. Nothing else
/// is checked: [`Message::parse`](crate::Message::parse) decides whether a frame is JSON. Both kinds of
/// bracket are counted together, so `[}` is a frame, but not valid JSON. A number or literal ends before
/// the first byte that is not a letter, a digit or one of `+-._`.
///
/// Only JSON whitespace may stand between values, and one byte order mark at the start of the stream. Any
/// other byte that cannot begin a value, such as an unmatched closing bracket or the text of a log, is
/// [`VALUE_EXPECTED`](Rule::VALUE_EXPECTED): after such a byte, it is unknown which quotes and brackets
/// belong to a message. [Resynchronising](Framing::resync) skips to the next line that begins, after
/// whitespace, with `{` or `[`. The rest of the current line is skipped, because a log line may contain
/// brackets that do not begin a value.
///
/// An oversized value is scanned to its end and its bytes are discarded. The next value is found after it.
///
/// ```
/// use tautline::frame::{Assembler, Concatenated, FrameEvent};
///
/// let mut assembler = Assembler::with_framing([0; 64], Concatenated::new(64));
/// let mut frames = Vec::new();
/// for mut chunk in [&b"{\n  \"id\": 1\n}\n{\"text\":\"}"[..], b"\"}[]"] {
///     while let Some(event) = assembler.next(&mut chunk) {
///         let FrameEvent::Frame(frame) = event else { panic!() };
///         frames.push(frame.bytes().to_vec());
///     }
/// }
/// assert_eq!(frames, [&b"{\n  \"id\": 1\n}"[..], b"{\"text\":\"}\"}", b"[]"]);
/// ```
#[derive(Clone, Debug)]
pub struct Concatenated {
    limit: u32,
    /// The number of bytes of the stream consumed so far.
    position: u64,
    /// The offset where the current value, or resynchronisation, began.
    start: u64,
    /// The number of bytes of the current value reported so far, as pieces to keep or to discard.
    length: u64,
    /// The number of the current value, or of the next one.
    number: u64,
    at: At,
    /// True if the current value is oversized.
    discarding: bool,
    /// The position of the last value, or of the byte where synchronisation was lost.
    ended: Ended,
    /// The number of bytes skipped to resynchronise.
    skipped: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// At the start of the stream, after this many bytes of a byte order mark.
    Bom(u8),
    Between,
    Value(Inside),
    /// After an oversized value, whose end is still to be reported.
    Oversized,
    Lost,
    /// Resynchronising, in a line to be skipped.
    ResyncInLine,
    /// Resynchronising, in a line that has only had whitespace so far.
    ResyncAtLineStart,
}

/// The position inside a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Inside {
    /// The number of open brackets.
    depth: u64,
    part: Part,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Outside strings, in a value that ends with a bracket or a quote.
    Structure,
    String,
    /// After a backslash.
    Escape,
    /// A number or a literal outside all brackets.
    Scalar,
}

impl Inside {
    /// Starts at a byte that begins a value; `None` if it cannot begin one.
    const fn beginning_with(byte: u8) -> Option<Self> {
        let part = match byte {
            b'{' | b'[' | b'"' => Part::Structure,
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => Part::Scalar,
            _ => return None,
        };
        Some(Self { depth: 0, part })
    }

    /// Scans these bytes, and returns the index after the end of the value, if it is among them.
    fn find_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            at += 1;
            match self.part {
                Part::Structure => match byte {
                    b'"' => self.part = Part::String,
                    b'{' | b'[' => self.depth = self.depth.saturating_add(1),
                    b'}' | b']' => {
                        self.depth = self.depth.saturating_sub(1);
                        if self.depth == 0 {
                            return Some(at);
                        }
                    }
                    _ => {}
                },
                Part::String => {
                    // The current byte may already be the quote or the backslash.
                    let behind = bytes.get(at - 1..).unwrap_or(b"");
                    let mark = memchr::memchr2(b'"', b'\\', behind)?;
                    at += mark;
                    if behind.get(mark) == Some(&b'\\') {
                        self.part = Part::Escape;
                    } else {
                        self.part = Part::Structure;
                        if self.depth == 0 {
                            return Some(at);
                        }
                    }
                }
                Part::Escape => self.part = Part::String,
                Part::Scalar if is_of_scalar(byte) => {}
                Part::Scalar => return Some(at - 1),
            }
        }
        None
    }
}

/// Returns whether this byte can be part of a number or literal, valid or not.
const fn is_of_scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_')
}

impl Concatenated {
    /// Creates the framing at the start of a stream, for values of at most `limit` bytes.
    #[must_use]
    pub const fn new(limit: u32) -> Self {
        Self {
            limit,
            position: 0,
            start: 0,
            length: 0,
            number: 1,
            at: At::Bom(0),
            discarding: false,
            ended: Ended::NONE,
            skipped: 0,
        }
    }

    /// Consumes this many bytes.
    fn take(&mut self, rest: &mut &[u8], count: usize) {
        let (taken, left) = rest.split_at_checked(count).unwrap_or((rest, b""));
        *rest = left;
        self.position += u64_from(taken.len());
    }

    /// Advances to a value, or into one that has begun, unless there is something else to report.
    fn approach(&mut self, rest: &mut &[u8]) -> Result<Inside, Found> {
        loop {
            if let At::Value(inside) = self.at {
                return Ok(inside);
            }
            if self.at == At::Oversized {
                return Err(self.end_oversized(true));
            }
            let Some(&byte) = rest.first() else { return Err(Found::NeedMore) };
            match self.at {
                At::Bom(seen) if BOM.get(usize::from(seen)) == Some(&byte) => {
                    self.take(rest, 1);
                    self.at = At::Bom(seen + 1);
                    if usize::from(seen) + 1 == BOM.len() {
                        self.at = At::Between;
                        return Err(Found::ByteOrderMark);
                    }
                }
                At::Bom(0) => self.at = At::Between,
                // An incomplete byte order mark cannot begin a value.
                At::Bom(_) => return Err(self.lose_place(0)),
                At::Between if is_whitespace(byte) => {
                    self.take(rest, 1);
                }
                At::Between => match Inside::beginning_with(byte) {
                    Some(inside) => {
                        self.start = self.position;
                        self.at = At::Value(inside);
                    }
                    None => return Err(self.lose_place(self.position)),
                },
                At::ResyncInLine => match find_newline(rest) {
                    Some(end) => {
                        self.take(rest, end + 1);
                        self.at = At::ResyncAtLineStart;
                    }
                    None => {
                        self.take(rest, rest.len());
                    }
                },
                At::ResyncAtLineStart if is_whitespace(byte) => {
                    self.take(rest, 1);
                }
                At::ResyncAtLineStart if matches!(byte, b'{' | b'[') => {
                    self.count_skipped();
                    self.at = At::Between;
                }
                At::ResyncAtLineStart => self.at = At::ResyncInLine,
                At::Lost | At::Value(_) | At::Oversized => return Err(Found::NeedMore),
            }
        }
    }

    /// Counts the bytes from where synchronisation was lost to here.
    fn count_skipped(&mut self) {
        self.skipped += self.position.saturating_sub(self.ended.offset);
    }

    fn lose_place(&mut self, offset: u64) -> Found {
        self.at = At::Lost;
        self.ended = Ended { offset, line: self.number, ..Ended::NONE };
        Found::Desynchronised(Rule::VALUE_EXPECTED)
    }

    /// Reports the next piece of the current value. `start` is its index in the input.
    fn piece(&mut self, mut inside: Inside, start: usize, rest: &mut &[u8]) -> Found {
        let end = inside.find_end(rest);
        let count = end.unwrap_or(rest.len());
        let length = self.length + u64_from(count);
        if !self.discarding && length > u64::from(self.limit) {
            // Nothing is consumed, so the next step reports this piece again, as discarded.
            self.discarding = true;
            return Found::Overflow;
        }
        self.take(rest, count);
        self.at = At::Value(inside);
        let piece = Piece { start, end: start + count };
        match end {
            Some(_) if !self.discarding => {
                self.end(length, true);
                return Found::Frame(piece);
            }
            Some(0) => return self.end_oversized(true),
            Some(_) => self.at = At::Oversized,
            None => {}
        }
        self.length = length;
        if self.discarding { Found::Discard(piece) } else { Found::Keep(piece) }
    }

    /// Ends the current value, and prepares for the next one.
    fn end(&mut self, length: u64, terminated: bool) {
        self.ended = Ended { offset: self.start, length, line: self.number, terminated };
        self.at = At::Between;
        self.start = self.position;
        self.length = 0;
        self.number += 1;
        self.discarding = false;
    }

    fn end_oversized(&mut self, terminated: bool) -> Found {
        self.end(self.length, terminated);
        Found::Oversized
    }
}

impl Contiguous for Concatenated {}

impl Framing for Concatenated {
    fn step(&mut self, input: &[u8]) -> Step {
        let mut rest = input;
        let found = match self.approach(&mut rest) {
            Ok(_) if rest.is_empty() => Found::NeedMore,
            Ok(inside) => self.piece(inside, input.len().saturating_sub(rest.len()), &mut rest),
            Err(found) => found,
        };
        Step { consumed: input.len().saturating_sub(rest.len()), found }
    }

    fn finish(&mut self) -> Found {
        match self.at {
            At::Bom(0) | At::Between | At::Lost => Found::NeedMore,
            At::Oversized => self.end_oversized(true),
            // The value may be complete or cut off: the frame is reported as not terminated.
            At::Value(Inside { part: Part::Scalar, .. }) => match self.discarding {
                true => self.end_oversized(false),
                false => {
                    self.end(self.length, false);
                    Found::Frame(Piece::NONE)
                }
            },
            At::Value(_) | At::Bom(_) | At::ResyncInLine | At::ResyncAtLineStart => {
                if matches!(self.at, At::ResyncInLine | At::ResyncAtLineStart) {
                    self.count_skipped();
                }
                self.end(self.position - self.start, false);
                Found::Unfinished
            }
        }
    }

    fn limit(&self) -> u32 {
        self.limit
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn ended(&self) -> Ended {
        self.ended
    }

    fn resync(&mut self) {
        if self.at == At::Lost {
            self.start = self.position;
            self.at = At::ResyncInLine;
        }
    }

    fn skipped(&self) -> u64 {
        self.skipped
    }
}

impl sealed::Framing for Concatenated {
    type Form = ();

    fn form(&self) {}

    fn lower_limit(&mut self, limit: u32) {
        self.limit = self.limit.min(limit);
    }

    fn give_up(&mut self) {
        self.discarding = true;
    }

    fn is_pending(&self) -> bool {
        self.at == At::Oversized
    }

    fn current(&self) -> Ended {
        Ended { offset: self.start, length: self.length, line: self.number, terminated: false }
    }

    fn keeps_nothing(&self) -> bool {
        self.discarding || self.length == 0
    }

    fn is_lost(&self) -> bool {
        self.at == At::Lost
    }
}
