//! The incremental splitter: position and a "discarding" flag, never the bytes.

use super::framing::sealed;
use super::{Delimiter, Ended, Found, Frame, Framing, Oversized, Step, newline};
use crate::bytes::is_blank;
use crate::cast::u64_from;

/// The UTF-8 byte order mark.
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Cuts a stream of bytes into lines, without keeping any of them.
///
/// This is the core step that the other drivers of this module are made of. It is shown the bytes
/// that come next, says what it found in them, and how many it is done with. What it says to keep,
/// the caller keeps, in storage of its own choosing; a frame that lies whole in the input needs no
/// keeping.
///
/// ```
/// use tautline::frame::{Found, Splitter};
///
/// let mut splitter = Splitter::new(100);
/// let mut input: &[u8] = b"{\"a\":1}\n{\"b\"";
/// let mut kept = Vec::new();
/// loop {
///     let step = splitter.step(input);
///     input = &input[step.consumed..];
///     match step.found {
///         Found::Frame(frame) => assert_eq!(frame.bytes(), b"{\"a\":1}"),
///         Found::Keep(piece) => kept.extend_from_slice(piece),
///         Found::NeedMore => break,
///         other => panic!("{other:?}"),
///     }
/// }
/// assert_eq!(kept, b"{\"b\"");
/// ```
#[derive(Clone, Debug)]
pub struct Splitter {
    limit: u32,
    /// Where the line under way begins.
    line_start: u64,
    /// How much of the line under way was said, as pieces to keep or to discard.
    length: u64,
    line: u64,
    blank_lines: u64,
    /// How many bytes were consumed that are part of the line only if what follows does not say otherwise: a
    /// CR, or the beginning of a byte order mark.
    held: usize,
    /// A byte order mark may still come, because nothing else has.
    at_start: bool,
    /// The line under way is over the limit.
    discarding: bool,
    /// What was said of the line under way is nothing but whitespace.
    blank: bool,
}

impl Splitter {
    /// A splitter at the start of a stream, for frames of at most `limit` bytes.
    #[must_use]
    pub const fn new(limit: u32) -> Self {
        Self {
            limit,
            line_start: 0,
            length: 0,
            line: 1,
            blank_lines: 0,
            held: 0,
            at_start: true,
            discarding: false,
            blank: true,
        }
    }

    /// The most bytes a frame may have.
    #[must_use]
    pub const fn limit(&self) -> u32 {
        self.limit
    }

    /// How many bytes of the stream were consumed.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.line_start + self.length + u64_from(self.held)
    }

    /// How many bytes of the stream came before the line under way.
    #[must_use]
    pub const fn line_start(&self) -> u64 {
        self.line_start
    }

    /// The number of the line under way, counted from 1.
    #[must_use]
    pub const fn line(&self) -> u64 {
        self.line
    }

    /// How many blank lines were skipped.
    #[must_use]
    pub const fn blank_lines(&self) -> u64 {
        self.blank_lines
    }

    /// Looks at the bytes that come next, up to the next thing to be said of them.
    ///
    /// To be called until it finds [`NeedMore`](Found::NeedMore), each time with the input that is
    /// left; all of the input is then consumed.
    #[cfg_attr(feature = "fast", inline)]
    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    pub fn step<'input>(&mut self, input: &'input [u8]) -> Step<'input> {
        #[cfg(feature = "fast")]
        if let Some(step) = self.whole_line(input) {
            return step;
        }
        self.any_step(input)
    }

    /// The step that most steps are: over a line that lies there as a whole, begins with neither
    /// whitespace nor a byte order mark, and is within the limit.
    #[cfg(feature = "fast")]
    #[inline(always)]
    fn whole_line<'input>(&mut self, mut input: &'input [u8]) -> Option<Step<'input>> {
        let begins_plainly = matches!(input, [b'!'..=b'~', ..]);
        if !begins_plainly || !self.is_at_line_start() {
            return None;
        }
        let at = newline::find(input)?;
        let frame = self.take_line(&mut input, at)?;
        Some(Step { consumed: at + 1, found: Found::Frame(frame) })
    }

    #[cfg_attr(feature = "fast", inline(never))]
    #[cfg_attr(not(feature = "fast"), inline(always))]
    fn any_step<'input>(&mut self, input: &'input [u8]) -> Step<'input> {
        let Some(&first) = input.first() else {
            return Step { consumed: 0, found: Found::NeedMore };
        };
        if self.at_start {
            // A byte order mark may stand here, of which some may be held.
            let rest = BOM.get(self.held..).unwrap_or(b"");
            let same = rest.iter().zip(input).take_while(|(expected, byte)| expected == byte);
            let more = same.count();
            if more == rest.len() {
                self.at_start = false;
                self.held = 0;
                self.line_start = u64_from(BOM.len());
                return Step { consumed: more, found: Found::ByteOrderMark };
            }
            if more == input.len() {
                self.held += more;
                return Step { consumed: more, found: Found::NeedMore };
            }
            if self.held > 0 {
                // What only began like one is the beginning of a line.
                return self.piece(self.byte_order_mark(), 0);
            }
            self.at_start = false;
        } else if self.held > 0 && first != b'\n' {
            // The CR was not half of a line end: it is part of the line after all.
            return self.piece(b"\r", 0);
        }
        let end = newline::find(input);
        let rest = end.and_then(|at| input.get(..at)).unwrap_or(input);
        // A CR before the end of the line is not part of it.
        let text = rest.strip_suffix(b"\r").unwrap_or(rest);
        match end {
            // Nothing but a CR, which is part of the line unless LF follows.
            None if text.is_empty() => {
                self.held = 1;
                Step { consumed: 1, found: Found::NeedMore }
            }
            Some(at) if text.is_empty() || !self.discarding && self.has_room(text) => {
                let consumed = at + 1;
                Step { consumed, found: self.end_line(text, consumed, true) }
            }
            // What is behind it stays in the input, for the step in which there is nothing before it.
            _ => self.piece(text, text.len()),
        }
    }

    /// Says that the stream has ended, and what that makes of the line under way.
    ///
    /// To be called until it finds [`NeedMore`](Found::NeedMore).
    pub fn finish(&mut self) -> Found<'static> {
        if self.at_start && self.held > 0 {
            return self.piece(self.byte_order_mark(), 0).found;
        }
        if self.length == 0 && self.held == 0 {
            return Found::NeedMore;
        }
        self.end_line(b"", 0, false)
    }

    /// Whether a line begins here of which nothing was seen, so that it is all in what comes.
    pub(crate) const fn is_at_line_start(&self) -> bool {
        self.length == 0 && self.held == 0 && !self.discarding
    }

    /// Takes the line that the input begins with, which is not blank, has no byte order mark, and whose
    /// LF is known to stand at this index: what [`step`](Self::step) would find. `None`, and nothing
    /// taken, if it is over the limit.
    #[inline(always)]
    pub(crate) fn take_line<'input>(
        &mut self,
        input: &mut &'input [u8],
        at: usize,
    ) -> Option<Frame<'input>> {
        let line = input.get(..at)?;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let length = u64_from(line.len());
        if length > u64::from(self.limit) {
            return None;
        }
        let consumed = at + 1;
        *input = input.get(consumed..).unwrap_or(b"");
        let ended = Ended { offset: self.line_start, length, line: self.line, terminated: true };
        self.at_start = false;
        self.line_start += u64_from(consumed);
        self.line += 1;
        Some(Frame::line_of(line, ended))
    }

    /// Whether the line under way is over the limit.
    pub(crate) const fn is_discarding(&self) -> bool {
        self.discarding
    }

    /// Whether no byte consumed so far can be part of a frame that is still to come: the line under way
    /// is over the limit, or every line that is not blank is.
    pub(super) const fn keeps_nothing(&self) -> bool {
        self.discarding || self.limit == 0
    }

    /// Where the part of the line under way is that was said.
    pub(crate) const fn said(&self) -> Ended {
        Ended { offset: self.line_start, length: self.length, line: self.line, terminated: false }
    }

    /// Gives up on the line under way, as if it had passed the limit.
    pub(super) const fn give_up(&mut self) {
        self.discarding = true;
    }

    /// So much of a byte order mark as is held.
    fn byte_order_mark(&self) -> &'static [u8] {
        BOM.get(..self.held).unwrap_or(BOM)
    }

    /// Whether so much more of the line under way is within the limit.
    fn has_room(&self, more: &[u8]) -> bool {
        self.length + u64_from(more.len()) <= u64::from(self.limit)
    }

    /// A piece of the line under way: held bytes, or so many bytes of the input.
    fn piece<'input>(&mut self, piece: &'input [u8], consumed: usize) -> Step<'input> {
        if !self.discarding && !self.has_room(piece) {
            // Nothing is consumed, so that the next step says this piece again, as discarded.
            self.discarding = true;
            return Step { consumed: 0, found: Found::Overflow };
        }
        (self.held, self.at_start) = (0, false);
        self.length += u64_from(piece.len());
        let found = if self.discarding {
            Found::Discard(piece)
        } else {
            self.blank = is_blank(piece) && self.blank;
            Found::Keep(piece)
        };
        Step { consumed, found }
    }

    /// Ends the line under way with its last bytes, of which so many are in the input with what ends the
    /// line, and begins the next.
    fn end_line<'input>(
        &mut self,
        rest: &'input [u8],
        consumed: usize,
        terminated: bool,
    ) -> Found<'input> {
        let blank = is_blank(rest) && self.blank;
        let said = self.said();
        let ended = Ended { length: said.length + u64_from(rest.len()), terminated, ..said };
        let discarded = core::mem::replace(&mut self.discarding, false);
        self.line_start = self.position() + u64_from(consumed);
        self.length = 0;
        (self.held, self.at_start) = (0, false);
        self.blank = true;
        self.line += 1;
        if discarded {
            Found::Oversized(Oversized { ended, limit: self.limit })
        } else if blank {
            self.blank_lines += 1;
            Found::Blank
        } else if said.length > 0 {
            Found::Carried { tail: rest, ended }
        } else {
            Found::Frame(Frame::line_of(rest, ended))
        }
    }
}

impl Framing for Splitter {
    #[inline(always)]
    fn step<'input>(&mut self, input: &'input [u8]) -> Step<'input> {
        Self::step(self, input)
    }

    #[inline(always)]
    fn finish(&mut self) -> Found<'static> {
        Self::finish(self)
    }

    fn limit(&self) -> u32 {
        self.limit
    }

    fn position(&self) -> u64 {
        Self::position(self)
    }
}

impl sealed::Framing for Splitter {
    const CAN_LOSE: bool = false;
    const IS_ALL_MESSAGES: bool = true;
    const DELIMITER: Delimiter = Delimiter::Newline;

    fn lower_limit(&mut self, limit: u32) {
        self.limit = self.limit.min(limit);
    }

    fn give_up(&mut self) {
        self.discarding = true;
    }

    fn is_at_line_start(&self) -> bool {
        Self::is_at_line_start(self)
    }

    #[inline(always)]
    fn take_line<'input>(&mut self, input: &mut &'input [u8], at: usize) -> Option<Frame<'input>> {
        Self::take_line(self, input, at)
    }
}
