//! The incremental line splitter. It stores positions, never the bytes of a line.

use super::framing::sealed::{self, Framing as _};
use super::{Contiguous, Delimiter, Ended, Found, Frame, Framing, Piece, Step};
use crate::bytes::{BYTE_ORDER_MARK as BOM, is_blank};
use crate::cast::u64_from;

/// Splits a byte stream into lines without storing any bytes.
///
/// This is the core step on which the other drivers of this module are built. It takes the next bytes, and reports what
/// it found in them and how many of them it consumed. The caller stores the bytes reported as [`Keep`](Found::Keep) or
/// [`KeepHeld`](Found::KeepHeld), in any storage. A frame that lies entirely in the input need not be kept.
///
/// ```
/// use tautline::frame::{Found, Splitter};
///
/// let mut splitter = Splitter::new(100);
/// let mut input: &[u8] = b"{\"a\":1}\n{\"b\"";
/// let mut kept = Vec::new();
/// loop {
///     let step = splitter.step(input);
///     match step.found {
///         Found::Frame(piece) => assert_eq!(piece.bytes(input), b"{\"a\":1}"),
///         Found::Keep(piece) => kept.extend_from_slice(piece.bytes(input)),
///         Found::NeedMore => break,
///         other => panic!("{other:?}"),
///     }
///     input = &input[step.consumed..];
/// }
/// assert_eq!(kept, b"{\"b\"");
/// ```
#[derive(Clone, Debug)]
pub struct Splitter {
    limit: u32,
    /// The offset of the current line in the stream.
    line_start: u64,
    /// The number of bytes of the current line reported so far, as pieces to keep or to discard.
    length: u64,
    line: u64,
    blank_lines: u64,
    /// The number of consumed bytes that may not belong to the line, depending on what follows: a CR, or
    /// the beginning of a byte order mark.
    held: usize,
    /// True if a byte order mark may still come, because nothing else has come.
    at_start: bool,
    /// True if the current line is oversized.
    discarding: bool,
    /// True if only whitespace was reported of the current line.
    blank: bool,
    /// The offset and the length of the previous line, and whether it was terminated.
    ended_offset: u64,
    ended_length: u64,
    terminated: bool,
}

impl Splitter {
    /// Creates a splitter at the start of a stream, for frames of at most `limit` bytes.
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
            ended_offset: 0,
            ended_length: 0,
            terminated: false,
        }
    }

    /// Returns the maximum length of a frame, in bytes.
    #[must_use]
    pub const fn limit(&self) -> u32 {
        self.limit
    }

    /// Returns the number of bytes of the stream consumed so far.
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.line_start + self.length + u64_from(self.held)
    }

    /// Returns the number of bytes of the stream before the current line.
    #[must_use]
    pub const fn line_start(&self) -> u64 {
        self.line_start
    }

    /// Returns the number of the current line, counted from 1.
    #[must_use]
    pub const fn line(&self) -> u64 {
        self.line
    }

    /// Returns the number of blank lines skipped.
    #[must_use]
    pub const fn blank_lines(&self) -> u64 {
        self.blank_lines
    }

    /// Scans the next bytes, up to the first thing to report.
    ///
    /// Call it until it finds [`NeedMore`](Found::NeedMore), each time with the rest of the input. All of
    /// the input is then consumed.
    #[cfg_attr(feature = "fast", inline)]
    #[cfg_attr(
        all(any(target_os = "none", target_os = "unknown"), not(feature = "fast")),
        inline(never)
    )]
    pub fn step(&mut self, input: &[u8]) -> Step {
        if cfg!(feature = "fast")
            && let Some(step) = self.whole_line(input)
        {
            return step;
        }
        self.any_step(input)
    }

    /// The common case: a line that lies entirely in the input, begins with neither whitespace nor a byte
    /// order mark, and is within the limit.
    #[inline(always)]
    fn whole_line(&mut self, mut input: &[u8]) -> Option<Step> {
        let begins_plainly = matches!(input, [b'!'..=b'~', ..]);
        if !begins_plainly || !self.is_at_line_start() {
            return None;
        }
        let at = find_newline(input)?;
        let frame = self.take_line(&mut input, at)?;
        self.record(frame.ended());
        let tail = Piece { start: 0, end: frame.bytes().len() };
        Some(Step { consumed: at + 1, found: Found::Frame(tail) })
    }

    #[cfg_attr(feature = "fast", inline(never))]
    #[cfg_attr(not(feature = "fast"), inline(always))]
    fn any_step(&mut self, input: &[u8]) -> Step {
        let Some(&first) = input.first() else {
            return Step::NEED_MORE;
        };
        if self.at_start {
            // A byte order mark may be here, the beginning of which may be held.
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
                // It only looked like a byte order mark: it is the beginning of a line.
                return self.held_piece(BOM.get(..self.held).unwrap_or(BOM));
            }
            self.at_start = false;
        } else if self.held > 0 && first != b'\n' {
            // The CR was not part of a line end, so it belongs to the line.
            return self.held_piece(b"\r");
        }
        let end = find_newline(input);
        let rest = end.and_then(|at| input.get(..at)).unwrap_or(input);
        // A CR before the end of the line is not part of it.
        let text = rest.strip_suffix(b"\r").unwrap_or(rest);
        match end {
            // A lone CR, which belongs to the line unless LF follows.
            None if text.is_empty() => {
                self.held = 1;
                Step { consumed: 1, found: Found::NeedMore }
            }
            Some(at) if text.is_empty() || !self.discarding && self.has_room(text) => {
                let consumed = at + 1;
                Step { consumed, found: self.end_line(text, consumed, true) }
            }
            // The line end stays in the input for the next step, which then begins with it.
            _ => self.piece(text, None),
        }
    }

    /// Ends the stream, and reports what becomes of the current line.
    ///
    /// Call it until it finds [`NeedMore`](Found::NeedMore).
    pub fn finish(&mut self) -> Found {
        if self.at_start && self.held > 0 {
            return self.held_piece(BOM.get(..self.held).unwrap_or(BOM)).found;
        }
        if self.length == 0 && self.held == 0 {
            return Found::NeedMore;
        }
        self.end_line(b"", 0, false)
    }

    /// Returns whether the next input begins a new line, none of which was consumed.
    pub(crate) const fn is_at_line_start(&self) -> bool {
        self.length == 0 && self.held == 0 && !self.discarding
    }

    /// Takes the first line of the input, as [`step`](Self::step) would. The line is not blank, has no byte
    /// order mark, and its LF is known to be at this index. Returns `None`, and takes nothing, if the line
    /// is oversized.
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

    /// Returns the part of the current line already reported, as pieces to keep or to discard.
    const fn said(&self) -> Ended {
        Ended { offset: self.line_start, length: self.length, line: self.line, terminated: false }
    }

    /// Returns whether the current line with these bytes is within the limit.
    fn has_room(&self, more: &[u8]) -> bool {
        self.length + u64_from(more.len()) <= u64::from(self.limit)
    }

    /// Reports held bytes that turned out to be part of the current line.
    fn held_piece(&mut self, held: &'static [u8]) -> Step {
        self.piece(held, Some(held))
    }

    /// Reports a piece of the current line: held bytes, or the first bytes of the input.
    fn piece(&mut self, bytes: &[u8], held: Option<&'static [u8]>) -> Step {
        if !self.discarding && !self.has_room(bytes) {
            // Nothing is consumed, so the next step reports this piece again, as discarded.
            self.discarding = true;
            return Step { consumed: 0, found: Found::Overflow };
        }
        (self.held, self.at_start) = (0, false);
        self.length += u64_from(bytes.len());
        self.blank = is_blank(bytes) && self.blank;
        let piece = Piece { start: 0, end: bytes.len() };
        match (held, self.discarding) {
            // Held bytes were consumed before.
            (Some(held), true) => Step { consumed: 0, found: Found::DiscardHeld(held) },
            (Some(held), false) => Step { consumed: 0, found: Found::KeepHeld(held) },
            (None, true) => Step { consumed: bytes.len(), found: Found::Discard(piece) },
            (None, false) => Step { consumed: bytes.len(), found: Found::Keep(piece) },
        }
    }

    /// Ends the current line with its last bytes, and begins the next one. `consumed` counts the bytes of
    /// the input up to and including the line end.
    fn end_line(&mut self, rest: &[u8], consumed: usize, terminated: bool) -> Found {
        let blank = is_blank(rest) && self.blank;
        let discarded = core::mem::replace(&mut self.discarding, false);
        self.ended_offset = self.line_start;
        self.ended_length = self.length + u64_from(rest.len());
        self.terminated = terminated;
        self.line_start = self.position() + u64_from(consumed);
        self.length = 0;
        (self.held, self.at_start) = (0, false);
        self.blank = true;
        self.line += 1;
        if blank && !discarded {
            self.blank_lines += 1;
            return Found::Blank;
        }
        match discarded {
            true => Found::Oversized,
            false => Found::Frame(Piece { start: 0, end: rest.len() }),
        }
    }
}

impl Contiguous for Splitter {}

impl Framing for Splitter {
    #[inline(always)]
    fn step(&mut self, input: &[u8]) -> Step {
        Self::step(self, input)
    }

    #[inline(always)]
    fn finish(&mut self) -> Found {
        Self::finish(self)
    }

    fn limit(&self) -> u32 {
        self.limit
    }

    fn position(&self) -> u64 {
        Self::position(self)
    }

    fn ended(&self) -> Ended {
        Ended {
            offset: self.ended_offset,
            length: self.ended_length,
            line: self.line.saturating_sub(1),
            terminated: self.terminated,
        }
    }
}

impl sealed::Framing for Splitter {
    const CAN_LOSE: bool = false;
    const IS_ALL_MESSAGES: bool = true;
    type Form = ();

    fn form(&self) {}

    #[inline(always)]
    fn delimiter(&self) -> Delimiter {
        Delimiter::Newline
    }

    fn lower_limit(&mut self, limit: u32) {
        self.limit = self.limit.min(limit);
    }

    fn give_up(&mut self) {
        self.discarding = true;
    }

    fn current(&self) -> Ended {
        self.said()
    }

    /// With a limit of 0, only blank lines are within the limit.
    fn keeps_nothing(&self) -> bool {
        self.discarding || self.limit == 0
    }

    fn is_at_line_start(&self) -> bool {
        Self::is_at_line_start(self)
    }

    #[inline(always)]
    fn take_line<'input>(&mut self, input: &mut &'input [u8], at: usize) -> Option<Frame<'input>> {
        Self::take_line(self, input, at)
    }

    fn record(&mut self, ended: Ended) {
        self.ended_offset = ended.offset;
        self.ended_length = ended.length;
        self.terminated = ended.terminated;
    }
}

/// Returns the position of the first LF.
pub(crate) fn find_newline(bytes: &[u8]) -> Option<usize> {
    crate::bytes::find(b'\n', bytes)
}

#[cfg(test)]
mod tests {
    use std::vec;

    /// A straightforward version of [`super::find_newline`], for comparison.
    fn naive(bytes: &[u8]) -> Option<usize> {
        bytes.iter().position(|&byte| byte == b'\n')
    }

    #[test]
    fn agrees_with_its_plain_twin_at_every_alignment() {
        for len in 0..130 {
            for at in 0..=len {
                let mut bytes = vec![b'x'; len];
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = b'\n';
                }
                // A second newline after the first must not be found.
                if let Some(byte) = bytes.last_mut() {
                    *byte = b'\n';
                }
                for start in 0..len {
                    assert_eq!(super::find_newline(&bytes[start..]), naive(&bytes[start..]));
                }
            }
        }
    }
}
