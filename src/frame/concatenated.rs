//! Concatenated JSON: values back to back, with any whitespace between them or none.

use super::framing::sealed;
use super::{
    Delimiter, Desync, Desynchronised, Ended, Found, Frame, Framing, Oversized, Step, Unfinished,
};
use crate::bytes::is_whitespace;
use crate::cast::u64_from;

/// The UTF-8 byte order mark.
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Cuts a stream into whole JSON values, for peers that print them over several lines.
///
/// Where a value ends is found by its strings and by counting its brackets, in constant memory. What
/// is between them is not looked at: whether a frame is JSON, [`Message::parse`](crate::Message::parse)
/// says. Brackets of both kinds are counted together, so `[}` is a frame, and a faulty one. Numbers
/// and literals end before the first byte that is no letter, no digit and none of `+-._`.
///
/// Between values there is nothing but JSON whitespace, and one byte order mark at the start of the
/// stream. Any other byte that begins no value, like a bracket that closes nothing or the text of a
/// log, is [`ValueExpected`](Desync::ValueExpected): within such bytes, nothing says which quotes and
/// brackets are those of a message.
/// To [hunt](Framing::hunt) is to skip to the next line that begins, behind whitespace, with `{` or
/// `[`. The rest of the line is skipped because a line of a log has brackets in it that begin nothing.
///
/// A value over the limit is read to its end like any other, with its bytes discarded, and the next one
/// is found behind it.
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
    /// How many bytes of the stream were consumed.
    position: u64,
    /// Where the value under way begins, or the hunt for the next one.
    start: u64,
    /// How much of the value under way was said, as pieces to keep or to discard.
    length: u64,
    /// The number of the value under way, or of the next one.
    number: u64,
    at: At,
    /// The value under way is over the limit.
    discarding: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// At the start of the stream, behind so many bytes of a byte order mark.
    Bom(u8),
    Between,
    Value(Inside),
    /// Behind a value over the limit, whose end is still to be said.
    Oversized,
    Lost,
    /// Hunting, in a line that is of no use.
    HuntingInLine,
    /// Hunting, with nothing but whitespace before in the line.
    HuntingAtLineStart,
}

/// Where in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Inside {
    /// How many brackets are open.
    depth: u64,
    part: Part,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Outside of strings, of something that ends with a bracket or a quote.
    Structure,
    String,
    /// Behind a backslash.
    Escape,
    /// A number or a literal, with no bracket open.
    Scalar,
}

impl Inside {
    /// At a byte that begins a value; `None` if it does not.
    const fn beginning_with(byte: u8) -> Option<Self> {
        let part = match byte {
            b'{' | b'[' | b'"' => Part::Structure,
            b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => Part::Scalar,
            _ => return None,
        };
        Some(Self { depth: 0, part })
    }

    /// Goes on through these bytes, and says how many there are up to the end of the value, if it is
    /// among them.
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
                    // This byte may be the first that is looked for.
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

/// Whether numbers and literals have this byte in them, or something that wants to be one.
const fn is_of_scalar(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.' | b'_')
}

impl Concatenated {
    /// The start of a stream of values of at most `limit` bytes.
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
        }
    }

    /// Consumes so many bytes.
    fn take<'input>(&mut self, rest: &mut &'input [u8], count: usize) -> &'input [u8] {
        let (taken, left) = rest.split_at_checked(count).unwrap_or((rest, b""));
        *rest = left;
        self.position += u64_from(taken.len());
        taken
    }

    /// Goes on to where a value begins, or has begun; or finds something else to say.
    fn approach(&mut self, rest: &mut &[u8]) -> Result<Inside, Found<'static>> {
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
                // What only began like one begins no value.
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
                At::HuntingInLine => match memchr::memchr(b'\n', rest) {
                    Some(end) => {
                        self.take(rest, end + 1);
                        self.at = At::HuntingAtLineStart;
                    }
                    None => {
                        self.take(rest, rest.len());
                    }
                },
                At::HuntingAtLineStart if is_whitespace(byte) => {
                    self.take(rest, 1);
                }
                At::HuntingAtLineStart if matches!(byte, b'{' | b'[') => self.at = At::Between,
                At::HuntingAtLineStart => self.at = At::HuntingInLine,
                At::Lost | At::Value(_) | At::Oversized => return Err(Found::NeedMore),
            }
        }
    }

    fn lose_place(&mut self, offset: u64) -> Found<'static> {
        self.at = At::Lost;
        Found::Desynchronised(Desynchronised::new(offset, Desync::ValueExpected))
    }

    /// The next piece of the value under way.
    fn piece<'input>(&mut self, mut inside: Inside, rest: &mut &'input [u8]) -> Found<'input> {
        let end = inside.find_end(rest);
        let count = end.unwrap_or(rest.len());
        let length = self.length + u64_from(count);
        if !self.discarding && length > u64::from(self.limit) {
            // Nothing is consumed, so that the next step says this piece again, as discarded.
            self.discarding = true;
            return Found::Overflow;
        }
        let piece = self.take(rest, count);
        self.at = At::Value(inside);
        match end {
            None if self.discarding => {
                self.length = length;
                Found::Discard(piece)
            }
            None => {
                self.length = length;
                Found::Keep(piece)
            }
            Some(0) if self.discarding => self.end_oversized(true),
            Some(_) if self.discarding => {
                self.length = length;
                self.at = At::Oversized;
                Found::Discard(piece)
            }
            Some(_) if self.length == 0 => {
                Found::Frame(Frame::new(piece, self.end(length, true), Delimiter::Other))
            }
            Some(_) => Found::Carried { tail: piece, ended: self.end(length, true) },
        }
    }

    /// Ends the value under way, and makes ready for the next.
    fn end(&mut self, length: u64, terminated: bool) -> Ended {
        let ended = Ended { offset: self.start, length, line: self.number, terminated };
        self.at = At::Between;
        self.start = self.position;
        self.length = 0;
        self.number += 1;
        self.discarding = false;
        ended
    }

    fn end_oversized(&mut self, terminated: bool) -> Found<'static> {
        let ended = self.end(self.length, terminated);
        Found::Oversized(Oversized { ended, limit: self.limit })
    }
}

impl Framing for Concatenated {
    fn step<'input>(&mut self, input: &'input [u8]) -> Step<'input> {
        let mut rest = input;
        let found = match self.approach(&mut rest) {
            Ok(_) if rest.is_empty() => Found::NeedMore,
            Ok(inside) => self.piece(inside, &mut rest),
            Err(found) => found,
        };
        Step { consumed: input.len().saturating_sub(rest.len()), found }
    }

    fn finish(&mut self) -> Found<'static> {
        match self.at {
            At::Bom(0) | At::Between | At::Lost => Found::NeedMore,
            At::Oversized => self.end_oversized(true),
            // It may be whole, and may have been cut: who gets it is told.
            At::Value(Inside { part: Part::Scalar, .. }) => match self.discarding {
                true => self.end_oversized(false),
                false => Found::Carried { tail: b"", ended: self.end(self.length, false) },
            },
            At::Value(_) | At::Bom(_) | At::HuntingInLine | At::HuntingAtLineStart => {
                let unfinished = Unfinished::new(self.start, self.position - self.start);
                self.end(self.length, false);
                Found::Unfinished(unfinished)
            }
        }
    }

    fn limit(&self) -> u32 {
        self.limit
    }

    fn position(&self) -> u64 {
        self.position
    }

    fn hunt(&mut self) {
        if self.at == At::Lost {
            self.start = self.position;
            self.at = At::HuntingInLine;
        }
    }
}

impl sealed::Framing for Concatenated {
    fn lower_limit(&mut self, limit: u32) {
        self.limit = self.limit.min(limit);
    }

    fn give_up(&mut self) {
        self.discarding = true;
    }

    fn is_pending(&self) -> bool {
        self.at == At::Oversized
    }
}
