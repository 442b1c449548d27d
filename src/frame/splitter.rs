//! The incremental splitter: position and a "discarding" flag, never the bytes.

use super::framing::sealed;
use super::{Ended, Found, Frame, Framing, Oversized, Step, newline};
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
    /// How many bytes of the stream were consumed.
    position: u64,
    /// Where the line under way begins: `line_start <= position`.
    line_start: u64,
    /// How much of the line under way was said, as pieces to keep or to discard.
    length: u64,
    line: u64,
    blank_lines: u64,
    held: Held,
    /// The line under way is over the limit.
    discarding: bool,
    /// What was said of the line under way is nothing but whitespace.
    blank: bool,
}

/// Bytes that were consumed, and are part of the line only if what follows does not say otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    Nothing,
    /// A CR, which is not part of the line if LF follows.
    Cr,
    /// So many bytes of a byte order mark at the start of the stream.
    Bom(u8),
}

impl Splitter {
    /// A splitter at the start of a stream, for frames of at most `limit` bytes.
    #[must_use]
    pub const fn new(limit: u32) -> Self {
        Self {
            limit,
            position: 0,
            line_start: 0,
            length: 0,
            line: 1,
            blank_lines: 0,
            held: Held::Bom(0),
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
        self.position
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
    #[cfg_attr(all(target_os = "none", not(feature = "fast")), inline(never))]
    pub fn step<'input>(&mut self, input: &'input [u8]) -> Step<'input> {
        let Some(&first) = input.first() else {
            return Step { consumed: 0, found: Found::NeedMore };
        };
        match self.held {
            Held::Bom(seen) => {
                if let Some(step) = self.step_byte_order_mark(seen, input) {
                    return step;
                }
            }
            // The CR was not half of a line end: it is part of the line after all.
            Held::Cr if first != b'\n' => return self.piece(b"\r", 0),
            Held::Cr | Held::Nothing => {}
        }
        match (newline::find(input), input.split_last()) {
            (Some(at), _) => self.step_line_end(input, at),
            (None, Some((b'\r', []))) => {
                self.held = Held::Cr;
                self.position += 1;
                Step { consumed: 1, found: Found::NeedMore }
            }
            // The next step sees the CR alone, and holds it.
            (None, Some((b'\r', before))) => self.piece(before, before.len()),
            (None, _) => self.piece(input, input.len()),
        }
    }

    /// Says that the stream has ended, and what that makes of the line under way.
    ///
    /// To be called until it finds [`NeedMore`](Found::NeedMore).
    pub fn finish(&mut self) -> Found<'static> {
        if let Held::Bom(seen @ 1..) = self.held {
            return self.piece(byte_order_mark(seen), 0).found;
        }
        if self.position == self.line_start {
            return Found::NeedMore;
        }
        self.end_line(b"", false)
    }

    /// Whether a line begins here of which nothing was seen, so that it is all in what comes.
    #[cfg(feature = "fast")]
    pub(super) const fn is_at_line_start(&self) -> bool {
        self.position == self.line_start && matches!(self.held, Held::Nothing | Held::Bom(0))
    }

    /// Takes the line that the input begins with, which is not blank, has no byte order mark, and whose
    /// LF is known to stand at this index: what [`step`](Self::step) would find. `None`, and nothing
    /// taken, if it is over the limit.
    #[cfg(feature = "fast")]
    #[inline(always)]
    pub(super) fn take_line<'input>(
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
        self.held = Held::Nothing;
        self.position += u64_from(consumed);
        self.line_start = self.position;
        self.line += 1;
        Some(Frame::new(line, ended))
    }

    /// Whether the line under way is over the limit.
    pub(crate) const fn is_discarding(&self) -> bool {
        self.discarding
    }

    /// Where the part of the line under way is that was said.
    pub(crate) const fn said(&self) -> Ended {
        Ended { offset: self.line_start, length: self.length, line: self.line, terminated: false }
    }

    /// Gives up on the line under way, as if it had passed the limit.
    pub(super) const fn give_up(&mut self) {
        self.discarding = true;
    }

    /// The start of the stream, where a byte order mark may stand, of which so much was seen.
    ///
    /// What only began like one is the beginning of a line.
    fn step_byte_order_mark(&mut self, seen: u8, input: &[u8]) -> Option<Step<'static>> {
        let rest = BOM.get(usize::from(seen)..).unwrap_or(b"");
        if input.starts_with(rest) {
            self.held = Held::Nothing;
            self.position += u64_from(rest.len());
            self.line_start = self.position;
            return Some(Step { consumed: rest.len(), found: Found::ByteOrderMark });
        }
        if rest.starts_with(input) {
            self.held = Held::Bom(seen.saturating_add(u8::try_from(input.len()).unwrap_or(0)));
            self.position += u64_from(input.len());
            return Some(Step { consumed: input.len(), found: Found::NeedMore });
        }
        if seen > 0 {
            return Some(self.piece(byte_order_mark(seen), 0));
        }
        self.held = Held::Nothing;
        None
    }

    /// A piece of the line under way: held bytes, or so many bytes of the input.
    fn piece<'input>(&mut self, piece: &'input [u8], consumed: usize) -> Step<'input> {
        let length = self.length + u64_from(piece.len());
        if !self.discarding && length > u64::from(self.limit) {
            // Nothing is consumed, so that the next step says this piece again, as discarded.
            self.discarding = true;
            return Step { consumed: 0, found: Found::Overflow };
        }
        self.held = Held::Nothing;
        self.length = length;
        self.position += u64_from(consumed);
        if self.discarding {
            return Step { consumed, found: Found::Discard(piece) };
        }
        self.blank = self.blank && is_blank(piece);
        Step { consumed, found: Found::Keep(piece) }
    }

    /// The rest of the line under way, up to a newline that stands `at` some place in the input.
    fn step_line_end<'input>(&mut self, input: &'input [u8], at: usize) -> Step<'input> {
        let rest = input.get(..at).unwrap_or(input);
        let rest = rest.strip_suffix(b"\r").unwrap_or(rest);
        let length = self.length + u64_from(rest.len());
        if !rest.is_empty() && (self.discarding || length > u64::from(self.limit)) {
            // The line end stays in the input, for the step in which there is no rest.
            return self.piece(rest, rest.len());
        }
        let consumed = at + 1;
        self.position += u64_from(consumed);
        Step { consumed, found: self.end_line(rest, true) }
    }

    /// Ends the line under way, whose last bytes are these, and begins the next.
    fn end_line<'input>(&mut self, rest: &'input [u8], terminated: bool) -> Found<'input> {
        let carried = self.length > 0;
        let said = self.said();
        let ended = Ended { length: said.length + u64_from(rest.len()), terminated, ..said };
        let discarded = core::mem::replace(&mut self.discarding, false);
        let blank = core::mem::replace(&mut self.blank, true) && is_blank(rest);
        self.held = Held::Nothing;
        self.length = 0;
        self.line_start = self.position;
        self.line += 1;
        if discarded {
            Found::Oversized(Oversized { ended, limit: self.limit })
        } else if blank {
            self.blank_lines += 1;
            Found::Blank
        } else if carried {
            Found::Carried { tail: rest, ended }
        } else {
            Found::Frame(Frame::new(rest, ended))
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
        self.position
    }
}

impl sealed::Framing for Splitter {
    const CAN_LOSE: bool = false;
    const IS_ALL_MESSAGES: bool = true;

    fn lower_limit(&mut self, limit: u32) {
        self.limit = self.limit.min(limit);
    }

    fn give_up(&mut self) {
        self.discarding = true;
    }

    #[cfg(feature = "fast")]
    fn is_at_line_start(&self) -> bool {
        Self::is_at_line_start(self)
    }

    #[cfg(feature = "fast")]
    #[inline(always)]
    fn take_line<'input>(&mut self, input: &mut &'input [u8], at: usize) -> Option<Frame<'input>> {
        Self::take_line(self, input, at)
    }
}

/// So many bytes of a byte order mark, which is all that was consumed of the line they begin.
fn byte_order_mark(seen: u8) -> &'static [u8] {
    BOM.get(..usize::from(seen)).unwrap_or(BOM)
}
