//! Content-Length framing: headers with the length of the body, and the body. The base protocol of LSP and
//! BSP.

use super::charset::{Charset, advance};
use super::framing::sealed;
use super::head::Head;
use super::{Contiguous, Ended, Found, Framing, Piece, Step};
use crate::cast::{index_u64, u64_from};
use crate::rule::Rule;

/// The name of the length header, in lower case for comparison.
const NAME: &[u8] = b"content-length";

/// The name of the header that may specify a charset, in lower case for comparison.
const TYPE: &[u8] = b"content-type";

/// Splits a stream into bodies, whose lengths are in their headers.
///
/// ```text
/// Content-Length: 8 CR LF  X: ... CR LF    CR LF  {"id":1}
/// └ any case of letters    └ not looked at └ the end of the headers
/// ```
///
/// Headers consist of visible ASCII, spaces and tabs. Header names are case-insensitive tokens, directly
/// followed by a colon. Whitespace around the value is ignored. Content-Length may be repeated only with
/// the same number. Content-Type may name no charset except UTF-8, as `utf-8` or `utf8`: bodies are UTF-8,
/// and the scanner enforces it. Other headers are accepted and ignored.
///
/// Every line ends with CR LF, as the protocol requires. A lone LF or CR is an error, not a line end. If two peers
/// disagree on where a header ends, they disagree on where the body begins, and one of them may treat the payload of a
/// message as another message. For the same reason, nothing may stand between a body and the next header, not even a
/// newline.
///
/// After an invalid header, the start of the next frame is unknown, so it is reported as
/// [`Desynchronised`](super::FrameEvent::Desynchronised). [Resynchronising](Framing::resync) skips to the
/// next occurrence of `Content-Length:`. An oversized body does not lose synchronisation: it is skipped by
/// its length. An empty body yields an empty frame.
///
/// ```
/// use tautline::frame::{ContentLength, FrameEvent, Frames};
///
/// let wire = b"Content-Length: 2\r\n\r\n{}content-length:4\r\nX: y\r\n\r\nnull";
/// let mut frames = Frames::with_framing(wire, ContentLength::new(1024));
/// let mut bodies = Vec::new();
/// while let Some(FrameEvent::Frame(frame)) = frames.next() {
///     bodies.push((frame.offset(), frame.bytes()));
/// }
/// assert_eq!(bodies, [(21, &b"{}"[..]), (49, b"null")]);
/// ```
#[derive(Clone, Debug)]
pub struct ContentLength {
    limit: u32,
    header_limit: u32,
    /// The number of bytes of the stream consumed so far.
    position: u64,
    /// The offset of the current headers, then the offset of the body; or where resynchronisation began.
    start: u64,
    /// The offset of the current header or, while resynchronising, of the headers that could not be read.
    line_start: u64,
    /// The length in the headers, then the number of bytes of the body still to come.
    content_length: Option<u64>,
    /// The offset of a header with a charset other than UTF-8.
    foreign_charset: Option<u64>,
    /// The number of bytes of the body reported so far, as pieces to keep or to discard.
    length: u64,
    /// The number of the current frame.
    number: u64,
    at: At,
    /// True if the current body is oversized.
    discarding: bool,
    /// The position of the last body, or of the byte where synchronisation was lost.
    ended: Ended,
    /// The number of bytes skipped to resynchronise.
    skipped: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// At the start of a header, or of the empty line after the last one.
    LineStart,
    /// In a header name. The number of bytes that match [`NAME`] and [`TYPE`] so far; `None` if they
    /// differ.
    Name {
        name: Option<u8>,
        kind: Option<u8>,
    },
    /// In the value of an ignored header.
    Value,
    /// In the value of a Content-Type header.
    Type(Charset),
    /// In the length, with the number parsed so far; `is_over` after trailing whitespace.
    Number {
        seen: Option<u64>,
        is_over: bool,
    },
    /// After the CR of a header.
    LineCr,
    /// After the CR of the empty line.
    LastCr,
    Body,
    /// After an oversized body, which is still to be reported.
    Oversized,
    Lost,
    /// Resynchronising, after this many bytes of [`NAME`].
    Resync(u8),
}

impl ContentLength {
    /// The default limit on the headers of one frame, in bytes.
    pub const DEFAULT_HEADER_LIMIT: u32 = 4096;

    /// Creates the framing at the start of a stream, for bodies of at most `limit` bytes.
    #[must_use]
    pub const fn new(limit: u32) -> Self {
        Self {
            limit,
            header_limit: Self::DEFAULT_HEADER_LIMIT,
            position: 0,
            start: 0,
            line_start: 0,
            content_length: None,
            foreign_charset: None,
            length: 0,
            number: 1,
            at: At::LineStart,
            discarding: false,
            ended: Ended::NONE,
            skipped: 0,
        }
    }

    /// Sets the limit on the headers of one frame, in bytes, including all line ends. Headers are not
    /// stored; the limit detects input that is not a header.
    #[must_use]
    pub const fn with_header_limit(self, header_limit: u32) -> Self {
        Self { header_limit, ..self }
    }

    /// Consumes this many bytes.
    fn take(&mut self, rest: &mut &[u8], count: usize) -> usize {
        let (taken, left) = rest.split_at_checked(count).unwrap_or((rest, b""));
        *rest = left;
        self.position += u64_from(taken.len());
        taken.len()
    }

    /// Returns the state after a byte of a header. After the last byte, that is the body.
    fn header(&mut self, byte: u8) -> Result<At, (Rule, u64)> {
        let here = self.position;
        if here.saturating_sub(self.start) >= u64::from(self.header_limit) {
            return Err((Rule::HEADER_TOO_LONG, here));
        }
        Ok(match (self.at, byte) {
            (At::LineCr, b'\n') => At::LineStart,
            (At::LastCr, b'\n') => match (self.content_length, self.foreign_charset) {
                (None, _) => return Err((Rule::CONTENT_LENGTH_MISSING, self.start)),
                (_, Some(header)) => return Err((Rule::CHARSET_UNSUPPORTED, header)),
                _ => At::Body,
            },
            (At::LineCr | At::LastCr, _) => return Err((Rule::HEADER_LINE_END, here)),
            (At::LineStart, b'\r') => At::LastCr,
            (At::LineStart | At::Value | At::Type(_) | At::Number { .. }, b'\n') => {
                return Err((Rule::HEADER_LINE_END, here));
            }
            (At::LineStart, _) if is_of_name(byte) => {
                self.line_start = here;
                At::Name { name: advance(NAME, Some(0), byte), kind: advance(TYPE, Some(0), byte) }
            }
            (At::Name { name: Some(all), .. }, b':') if usize::from(all) == NAME.len() => {
                At::Number { seen: None, is_over: false }
            }
            (At::Name { kind: Some(all), .. }, b':') if usize::from(all) == TYPE.len() => {
                At::Type(Charset::START)
            }
            (At::Name { .. }, b':') => At::Value,
            (At::Name { name, kind }, _) if is_of_name(byte) => {
                At::Name { name: advance(NAME, name, byte), kind: advance(TYPE, kind, byte) }
            }
            (At::Type(charset), b'\r') => {
                if !charset.is_utf_8() {
                    self.foreign_charset.get_or_insert(self.line_start);
                }
                At::LineCr
            }
            (At::Type(charset), b'\t' | b' '..=b'~') => At::Type(charset.next(byte)),
            (At::Value, b'\r') => At::LineCr,
            (At::Value, b'\t' | b' '..=b'~') => At::Value,
            (At::Number { .. }, _) => self.number(byte)?,
            _ => return Err((Rule::HEADER_MALFORMED, here)),
        })
    }

    /// Returns the state after a byte of the length.
    fn number(&mut self, byte: u8) -> Result<At, (Rule, u64)> {
        let invalid = (Rule::CONTENT_LENGTH_INVALID, self.position);
        let At::Number { seen, is_over } = self.at else { return Err(invalid) };
        match (byte, seen) {
            (b' ' | b'\t', _) => Ok(At::Number { seen, is_over: seen.is_some() }),
            (b'0'..=b'9', _) if !is_over => {
                let tens = seen.unwrap_or(0).checked_mul(10).ok_or(invalid)?;
                let seen = tens.checked_add(u64::from(byte - b'0')).ok_or(invalid)?;
                Ok(At::Number { seen: Some(seen), is_over })
            }
            (b'\r', Some(length)) => {
                if *self.content_length.get_or_insert(length) != length {
                    return Err((Rule::CONTENT_LENGTH_CONFLICT, self.line_start));
                }
                Ok(At::LineCr)
            }
            _ => Err(invalid),
        }
    }

    /// Skips to the next Content-Length header.
    fn skip(&mut self, matched: u8, rest: &mut &[u8]) {
        let Some(&byte) = rest.first() else { return };
        let name_length = u64_from(NAME.len());
        match byte {
            b':' if usize::from(matched) == NAME.len() => {
                self.start = self.position.saturating_sub(name_length);
                self.count_skipped(self.start);
                self.line_start = self.start;
                self.content_length = None;
                self.at = At::Number { seen: None, is_over: false };
                self.take(rest, 1);
            }
            _ => match (matched, advance(NAME, Some(matched), byte)) {
                (_, Some(matched)) => {
                    self.at = At::Resync(matched);
                    self.take(rest, 1);
                }
                // Nothing matches here. Skip to the first byte that could.
                (0, None) => {
                    let next = memchr::memchr2(b'c', b'C', rest).unwrap_or(rest.len());
                    self.take(rest, next);
                }
                // The first letter does not recur in the name, so the match cannot be continued.
                (_, None) => self.at = At::Resync(0),
            },
        }
    }

    /// Counts the bytes from the headers in which synchronisation was lost to this offset.
    fn count_skipped(&mut self, end: u64) {
        self.skipped += end.saturating_sub(self.line_start);
    }

    /// Advances to the body, unless there is something else to report.
    fn approach(&mut self, rest: &mut &[u8]) -> Result<(), Found> {
        loop {
            match self.at {
                At::Body => return Ok(()),
                At::Oversized => return Err(self.end_oversized()),
                At::Lost => return Err(Found::NeedMore),
                _ => {}
            }
            let Some(&byte) = rest.first() else { return Err(Found::NeedMore) };
            if let At::Resync(matched) = self.at {
                self.skip(matched, rest);
                continue;
            }
            match self.header(byte) {
                Ok(at) => {
                    self.at = at;
                    self.take(rest, 1);
                    if at == At::Body {
                        self.start = self.position;
                        let length = self.content_length.unwrap_or(0);
                        self.discarding = length > u64::from(self.limit);
                    }
                }
                Err((cause, offset)) => {
                    self.at = At::Lost;
                    self.ended = Ended { offset, line: self.number, ..Ended::NONE };
                    return Err(Found::Desynchronised(cause));
                }
            }
        }
    }

    /// Reports the next piece of the body. `start` is its index in the input.
    fn body(&mut self, start: usize, rest: &mut &[u8]) -> Found {
        let left = self.content_length.unwrap_or(0);
        let is_all = u64_from(rest.len()) >= left;
        if rest.is_empty() && !is_all {
            return Found::NeedMore;
        }
        let taken = self.take(rest, index_u64(left));
        let length = self.length + u64_from(taken);
        let piece = Piece { start, end: start + taken };
        if is_all && !self.discarding {
            self.end(length, true);
            return Found::Frame(piece);
        }
        self.length = length;
        self.content_length = Some(left.saturating_sub(u64_from(taken)));
        if !self.discarding {
            return Found::Keep(piece);
        }
        if is_all {
            self.at = At::Oversized;
        }
        Found::Discard(piece)
    }

    /// Ends the current body, and prepares for the next header.
    fn end(&mut self, length: u64, terminated: bool) {
        self.ended = Ended { offset: self.start, length, line: self.number, terminated };
        self.begin();
        self.number += u64::from(terminated);
    }

    fn end_oversized(&mut self) -> Found {
        self.end(self.length, true);
        Found::Oversized
    }

    /// Prepares for headers.
    fn begin(&mut self) {
        self.at = At::LineStart;
        self.start = self.position;
        self.content_length = None;
        self.foreign_charset = None;
        self.length = 0;
        self.discarding = false;
    }
}

/// Returns whether the byte may be part of a header name: a `tchar` of RFC 9110, section 5.6.2.
const fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.')
        || matches!(byte, b'^'..=b'`' | b'|' | b'~')
}

impl Contiguous for ContentLength {}

impl Framing for ContentLength {
    fn step(&mut self, input: &[u8]) -> Step {
        let mut rest = input;
        let found = match self.approach(&mut rest) {
            Ok(()) => self.body(input.len().saturating_sub(rest.len()), &mut rest),
            Err(found) => found,
        };
        Step { consumed: input.len().saturating_sub(rest.len()), found }
    }

    fn finish(&mut self) -> Found {
        match self.at {
            At::Lost => Found::NeedMore,
            At::Oversized => self.end_oversized(),
            at if at != At::Body && self.position == self.start => Found::NeedMore,
            at => {
                if matches!(at, At::Resync(_)) {
                    self.count_skipped(self.position);
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
            self.line_start = self.start;
            self.begin();
            self.at = At::Resync(0);
        }
    }

    fn skipped(&self) -> u64 {
        self.skipped
    }
}

impl sealed::Framing for ContentLength {
    type Form = ();

    fn form(&self) {}

    #[inline(always)]
    fn writes_lines((): ()) -> bool {
        false
    }

    fn head((): (), length: usize) -> Head {
        let mut head = Head::NONE;
        head.push_front(b"\r\n\r\n");
        head.push_number(length);
        head.push_front(b"Content-Length: ");
        head
    }

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

    /// Headers are not kept.
    fn keeps_nothing(&self) -> bool {
        self.discarding || self.length == 0
    }

    fn is_lost(&self) -> bool {
        self.at == At::Lost
    }
}
