//! Lines that have one cause together: the first has the finding, and the others refer to it.

use tautline::scan::{self, Syntax};
use tautline::{Fault, Rule};
use tautline_mcp::cause::{Cause, rule};

use super::Piece;

/// The most bytes that are read to find the end of a value.
const AHEAD: usize = 64 * 1024;

/// The most bytes that are kept of a message that another one has interrupted.
const KEPT: usize = 64 * 1024;

/// A run of lines.
#[derive(Debug)]
pub(super) enum Run {
    /// There is none.
    None,
    /// The lines up to this one belong to the value that begins on `line`.
    Value { line: u64, last: u64 },
    /// Lines of a value whose end is unknown.
    Pieces { line: u64 },
    /// Lines of a page, or of the head of an HTTP message.
    Page { line: u64 },
    /// Fields of server-sent events.
    Fields { line: u64 },
    /// A line of UTF-16, whose newline leaves a NUL for the next line.
    Units { line: u64 },
    /// The start of a message that was interrupted on this line.
    Interrupted { line: u64, start: Vec<u8> },
}

impl Run {
    /// Ends the run at a message. A value ends where it ends, and may contain what looks like one.
    pub fn end(&mut self) {
        if !matches!(self, Self::Value { .. }) {
            *self = Self::None;
        }
    }

    /// Returns the first line of the run, if this line belongs to it. Otherwise, the run has ended.
    pub fn takes(
        &mut self,
        piece: &Piece<'_>,
        fault: &Fault<'_>,
        cause: Option<&Cause>,
    ) -> Option<u64> {
        let cause = cause.map(Cause::rule);
        let is_text = matches!(cause, None | Some(Rule::LOG_LINE | Rule::EMBEDDED_NEWLINE));
        let (line, takes) = match self {
            Self::None => return None,
            Self::Value { line, last } => (*line, piece.line() <= *last),
            Self::Pieces { line } => {
                let is_scalar = fault.rule() == Rule::NOT_AN_OBJECT;
                (*line, is_scalar || cause == Some(Rule::EMBEDDED_NEWLINE))
            }
            Self::Page { line } => {
                let is_header = cause == Some(Rule::CONTENT_LENGTH_HEADER);
                (*line, is_text || is_header || cause == Some(rule::HTML_PAGE))
            }
            Self::Fields { line } => {
                let has_data = piece.bytes().trim_ascii_start().starts_with(b"data");
                (*line, cause == Some(rule::SSE_FIELD) && !has_data)
            }
            Self::Units { line } => (*line, piece.bytes() == b"\0"),
            Self::Interrupted { line, start } => {
                let whole = [start.as_slice(), piece.bytes()].concat();
                (*line, scan::validate(&whole, scan::DEFAULT_MAX_DEPTH).is_ok())
            }
        };
        if !takes || matches!(self, Self::Interrupted { .. }) {
            *self = Self::None;
        }
        takes.then_some(line)
    }

    /// Begins a run with this line, if it has one of the causes that span lines. Returns the cause, which may be that.
    pub fn begin(
        &mut self,
        piece: &Piece<'_>,
        fault: &Fault<'_>,
        cause: Option<Cause>,
        behind: &[u8],
    ) -> Option<Cause> {
        let (line, bytes) = (piece.line(), piece.bytes());
        let rule = cause.as_ref().map(Cause::rule);
        let may_span = rule.is_none_or(|rule| rule == Rule::EMBEDDED_NEWLINE);
        if may_span && is_start(bytes, fault) {
            match value_behind(bytes, behind) {
                Ahead::Whole(value) => {
                    let newlines = value.iter().filter(|&&byte| byte == b'\n').count();
                    *self = Self::Value { line, last: line + newlines as u64 };
                    return Some(Cause::of_lines(&value, newlines + 1));
                }
                Ahead::Unknown if is_open(bytes) || !behind.is_empty() => {
                    *self = Self::Pieces { line };
                    return cause.or_else(|| Some(Cause::of_open_value()));
                }
                Ahead::Unknown | Ahead::Nothing => {}
            }
        }
        *self = match rule {
            Some(Rule::EMBEDDED_NEWLINE) => Self::Pieces { line },
            Some(rule::HTML_PAGE | rule::HTTP_HEAD) => Self::Page { line },
            Some(rule::SSE_FIELD) => Self::Fields { line },
            Some(Rule::UTF16) => Self::Units { line },
            Some(rule::INTERLEAVED_MESSAGES | rule::MESSAGE_CUT) => {
                let at = cause.as_ref().map_or(0, |cause| cause.offset() as usize);
                let start = bytes.get(..at.min(KEPT)).unwrap_or_default();
                Self::Interrupted { line, start: start.to_vec() }
            }
            _ => Self::None,
        };
        cause
    }
}

/// Returns whether the line is the start of a value: a valid text could continue it.
fn is_start(line: &[u8], fault: &Fault<'_>) -> bool {
    let is_open = matches!(line.trim_ascii_start().first(), Some(b'{' | b'['));
    let end = line.trim_ascii_end().len();
    is_open && fault.rule() == Rule::NOT_JSON && fault.offset() as usize >= end
}

/// Returns whether the line ends where another one must follow.
fn is_open(line: &[u8]) -> bool {
    matches!(line.trim_ascii_end().last(), Some(b'{' | b'[' | b',' | b':'))
}

/// The value that begins on a line, as far as the bytes that follow show it.
enum Ahead {
    /// They end it. This is the value.
    Whole(Vec<u8>),
    /// They continue it, as far as they are known.
    Unknown,
    /// They do not continue it.
    Nothing,
}

/// Reads on until the value ends, or the text is not JSON. The window grows, so that a line that nothing continues costs
/// little.
fn value_behind(line: &[u8], behind: &[u8]) -> Ahead {
    let mut window = 256;
    loop {
        let known = behind.get(..window).unwrap_or(behind);
        let text = [line, b"\n", known].concat();
        let Err(error) = scan::validate(&text, scan::DEFAULT_MAX_DEPTH) else {
            return Ahead::Whole(text.trim_ascii_end().to_vec());
        };
        let at = error.offset() as usize;
        match error.kind() {
            Syntax::TrailingBytes => {
                let value = text.get(..at).unwrap_or_default();
                return Ahead::Whole(value.trim_ascii_end().to_vec());
            }
            _ if at < text.len() => return Ahead::Nothing,
            _ if known.len() == behind.len() || window >= AHEAD => return Ahead::Unknown,
            _ => window *= 4,
        }
    }
}
