//! Content-Length: headers that say how long a body is, and the body. The base protocol of LSP and BSP.

use super::charset::Charset;
use super::framing::sealed;
use super::{
    Delimiter, Desync, Desynchronised, Ended, Found, Frame, Framing, Oversized, Step, Unfinished,
};
use crate::cast::{index, index_u64, u64_from};

/// The header that counts, as it is compared.
const NAME: &[u8] = b"content-length";

/// The header that may name a charset, as it is compared.
const TYPE: &[u8] = b"content-type";

/// Cuts a stream into the bodies that their headers announce.
///
/// ```text
/// Content-Length: 8 CR LF  X: ... CR LF    CR LF  {"id":1}
/// └ any case of letters    └ not looked at └ the end of the headers
/// ```
///
/// Headers are visible ASCII, spaces and tabs. Names are tokens without regard to case, right before
/// their colon; whitespace around the value is not part of it. Content-Length may stand there again with
/// the same number, and not with another. Content-Type may name no charset but UTF-8, as `utf-8` or `utf8`:
/// bodies are UTF-8, and the scanner holds them to it. Any other header is tolerated and not looked at.
///
/// Every line ends with CR and LF, as the protocol has it. A lone LF or CR is a fault and no line end:
/// peers that differ in where a header ends differ in where the body begins, and then one of them takes
/// for a message what is the payload of another. For the same reason nothing may stand between a body
/// and the next header, not even a newline.
///
/// Any fault of a header leaves it unknown where the next frame begins, and is a
/// [`Desynchronised`](super::FrameEvent::Desynchronised). To [hunt](Framing::hunt) is to skip to the
/// next `Content-Length:`, wherever it stands. A body over the limit is no such fault: it is skipped by
/// its length. A body of no bytes is a frame of none.
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
    /// How many bytes of the stream were consumed.
    position: u64,
    /// Where the headers under way begin, then the body; or the hunt for headers.
    start: u64,
    /// Where the header under way begins.
    line_start: u64,
    /// What the headers say, and then how much of the body is still to come.
    content_length: Option<u64>,
    /// Where a header begins that names a charset other than UTF-8.
    foreign_charset: Option<u64>,
    /// How much of the body was said, as pieces to keep or to discard.
    length: u64,
    /// The number of the frame under way.
    number: u64,
    at: At,
    /// The body under way is over the limit.
    discarding: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// A header begins here, or the empty line behind the last.
    LineStart,
    /// In a name, of which so many bytes are those of [`NAME`] or [`TYPE`]; `None` if some are not.
    Name {
        name: Option<u8>,
        kind: Option<u8>,
    },
    /// In the value of a header that is not looked at.
    Value,
    /// In the value of a Content-Type.
    Type(Charset),
    /// In the length, of which this was seen; it is over if there is whitespace behind it.
    Number {
        seen: Option<u64>,
        is_over: bool,
    },
    /// Behind the CR of a header.
    LineCr,
    /// Behind the CR of the empty line.
    LastCr,
    Body,
    /// Behind a body over the limit, which is still to be said.
    Oversized,
    Lost,
    /// Behind so many bytes of [`NAME`].
    Hunting(u8),
}

impl ContentLength {
    /// How many bytes the headers of one frame may have, unless one says otherwise.
    pub const DEFAULT_HEADER_LIMIT: u32 = 4096;

    /// The start of a stream of bodies of at most `limit` bytes.
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
        }
    }

    /// The same with another limit on the headers of one frame, in bytes, with all their line ends.
    /// They are not kept; the limit is there to notice what is no header.
    #[must_use]
    pub const fn with_header_limit(self, header_limit: u32) -> Self {
        Self { header_limit, ..self }
    }

    /// Consumes so many bytes.
    fn take<'input>(&mut self, rest: &mut &'input [u8], count: usize) -> &'input [u8] {
        let (taken, left) = rest.split_at_checked(count).unwrap_or((rest, b""));
        *rest = left;
        self.position += u64_from(taken.len());
        taken
    }

    /// Where a byte of a header leads to. At the last one, that is the body.
    fn header(&mut self, byte: u8) -> Result<At, (Desync, u64)> {
        let here = self.position;
        if here.saturating_sub(self.start) >= u64::from(self.header_limit) {
            return Err((Desync::HeaderTooLong, here));
        }
        Ok(match (self.at, byte) {
            (At::LineCr, b'\n') => At::LineStart,
            (At::LastCr, b'\n') => match (self.content_length, self.foreign_charset) {
                (None, _) => return Err((Desync::ContentLengthMissing, self.start)),
                (_, Some(header)) => return Err((Desync::CharsetUnsupported, header)),
                _ => At::Body,
            },
            (At::LineCr | At::LastCr, _) => return Err((Desync::HeaderLineEnd, here)),
            (At::LineStart, b'\r') => At::LastCr,
            (At::LineStart | At::Value | At::Type(_) | At::Number { .. }, b'\n') => {
                return Err((Desync::HeaderLineEnd, here));
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
            _ => return Err((Desync::HeaderMalformed, here)),
        })
    }

    /// Where a byte of the length leads to.
    fn number(&mut self, byte: u8) -> Result<At, (Desync, u64)> {
        let invalid = (Desync::ContentLengthInvalid, self.position);
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
                    return Err((Desync::ContentLengthConflict, self.line_start));
                }
                Ok(At::LineCr)
            }
            _ => Err(invalid),
        }
    }

    /// Skips to the next header that counts.
    fn skip(&mut self, matched: u8, rest: &mut &[u8]) {
        let Some(&byte) = rest.first() else { return };
        let name_length = u64_from(NAME.len());
        match byte {
            b':' if usize::from(matched) == NAME.len() => {
                self.start = self.position.saturating_sub(name_length);
                self.line_start = self.start;
                self.content_length = None;
                self.at = At::Number { seen: None, is_over: false };
                self.take(rest, 1);
            }
            _ => match (matched, advance(NAME, Some(matched), byte)) {
                (_, Some(matched)) => {
                    self.at = At::Hunting(matched);
                    self.take(rest, 1);
                }
                // Nothing matches here, up to the first byte that could.
                (0, None) => {
                    let next = memchr::memchr2(b'c', b'C', rest).unwrap_or(rest.len());
                    self.take(rest, next);
                }
                // The name's first letter is not in it again, so what has matched is of no use.
                (_, None) => self.at = At::Hunting(0),
            },
        }
    }

    /// Goes on to the body; or finds something else to say.
    fn approach(&mut self, rest: &mut &[u8]) -> Result<(), Found<'static>> {
        loop {
            match self.at {
                At::Body => return Ok(()),
                At::Oversized => return Err(self.end_oversized()),
                At::Lost => return Err(Found::NeedMore),
                _ => {}
            }
            let Some(&byte) = rest.first() else { return Err(Found::NeedMore) };
            if let At::Hunting(matched) = self.at {
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
                    return Err(Found::Desynchronised(Desynchronised::new(offset, cause)));
                }
            }
        }
    }

    /// The next piece of the body.
    fn body<'input>(&mut self, rest: &mut &'input [u8]) -> Found<'input> {
        let left = self.content_length.unwrap_or(0);
        let is_all = u64_from(rest.len()) >= left;
        if rest.is_empty() && !is_all {
            return Found::NeedMore;
        }
        let piece = self.take(rest, index_u64(left));
        let length = self.length + u64_from(piece.len());
        if is_all && !self.discarding {
            let carried = self.length > 0;
            let ended = self.end(length);
            return match carried {
                true => Found::Carried { tail: piece, ended },
                false => Found::Frame(Frame::new(piece, ended, Delimiter::Other)),
            };
        }
        self.length = length;
        self.content_length = Some(left.saturating_sub(u64_from(piece.len())));
        if !self.discarding {
            return Found::Keep(piece);
        }
        if is_all {
            self.at = At::Oversized;
        }
        Found::Discard(piece)
    }

    /// Ends the body under way, and makes ready for the next header.
    fn end(&mut self, length: u64) -> Ended {
        let ended = Ended { offset: self.start, length, line: self.number, terminated: true };
        self.begin();
        self.number += 1;
        ended
    }

    fn end_oversized(&mut self) -> Found<'static> {
        let ended = self.end(self.length);
        Found::Oversized(Oversized { ended, limit: self.limit })
    }

    /// Headers begin here.
    fn begin(&mut self) {
        self.at = At::LineStart;
        self.start = self.position;
        self.content_length = None;
        self.foreign_charset = None;
        self.length = 0;
        self.discarding = false;
    }
}

/// Returns how much of the word has matched after one more byte, if all of them have.
pub(super) fn advance(word: &[u8], matched: Option<u8>, byte: u8) -> Option<u8> {
    let matched = matched?;
    let expected = word.get(index(u32::from(matched)))?;
    byte.eq_ignore_ascii_case(expected).then_some(matched + 1)
}

/// Whether the byte may be part of a header's name: a `tchar` of RFC 9110, section 5.6.2.
const fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'!' | b'#'..=b'\'' | b'*' | b'+' | b'-' | b'.')
        || matches!(byte, b'^'..=b'`' | b'|' | b'~')
}

impl Framing for ContentLength {
    fn step<'input>(&mut self, input: &'input [u8]) -> Step<'input> {
        let mut rest = input;
        let found = match self.approach(&mut rest) {
            Ok(()) => self.body(&mut rest),
            Err(found) => found,
        };
        Step { consumed: input.len().saturating_sub(rest.len()), found }
    }

    fn finish(&mut self) -> Found<'static> {
        match self.at {
            At::Lost => Found::NeedMore,
            At::Oversized => self.end_oversized(),
            At::Body => self.unfinished(),
            _ if self.position == self.start => Found::NeedMore,
            _ => self.unfinished(),
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
            self.begin();
            self.at = At::Hunting(0);
        }
    }
}

impl ContentLength {
    fn unfinished(&mut self) -> Found<'static> {
        let unfinished = Unfinished::new(self.start, self.position - self.start);
        self.begin();
        Found::Unfinished(unfinished)
    }
}

impl sealed::Framing for ContentLength {
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
