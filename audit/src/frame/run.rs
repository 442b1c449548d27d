//! Lines that have one cause together: the first has the finding, and the others refer to it.

use tautline::scan::{self, Syntax};
use tautline::{Fault, Rule};
use tautline_mcp::cause::{Cause, rule};

use super::Piece;

/// The most bytes that are read to find the end of a value.
const AHEAD: usize = 64 * 1024;

/// The most bytes that are kept of a message that another one has interrupted.
const KEPT: usize = 64 * 1024;

/// A run of lines, and how far the bytes after them were read.
#[derive(Debug)]
pub(super) struct Run {
    lines: Lines,
    /// The offset in the stream up to which the last unended value was read. No value is looked for before it, so that
    /// the work is linear.
    read: u64,
    /// The same for values that are read with raw newlines in their strings.
    read_raw: u64,
}

/// The lines of a run.
#[derive(Debug)]
enum Lines {
    /// There are none.
    None,
    /// The lines up to `last` belong to the value that begins on `line`. It ends before the byte `end` of its last line.
    Value { line: u64, last: u64, end: usize },
    /// Lines of a value whose end is unknown. It continues at least to the offset `known` in the stream.
    Pieces { line: u64, known: u64 },
    /// Lines of log output, such as a stack trace or a value that is printed over several lines.
    Log { line: u64 },
    /// Lines of a page.
    Page { line: u64 },
    /// The head of an HTTP message, whose last known line is `last`.
    Head { line: u64, last: u64 },
    /// Fields of server-sent events.
    Fields { line: u64 },
    /// A line that leaves a NUL for the next one: by its newline in UTF-16, or as the terminator of a C string.
    Nul { line: u64 },
    /// The start of a message that was interrupted on this line.
    Interrupted { line: u64, start: Vec<u8> },
}

/// The part of a line that a run explains.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// Nothing: the run has ended.
    Nothing,
    /// The whole line. The run began on this line.
    Line(u64),
    /// The bytes up to this index. A value ends there, and something follows it.
    UpTo(usize),
}

impl Run {
    /// Creates the state at the start of a stream.
    pub const fn new() -> Self {
        Self { lines: Lines::None, read: 0, read_raw: 0 }
    }

    /// Ends the run at a message. A value ends where it ends, and may contain what looks like one.
    pub fn end(&mut self) {
        if !matches!(self.lines, Lines::Value { .. }) {
            self.lines = Lines::None;
        }
    }

    /// Returns what the run explains of this line, which has a fault.
    pub fn takes(&mut self, piece: &Piece<'_>, fault: &Fault<'_>, cause: Option<&Cause>) -> Taken {
        let cause = cause.map(Cause::rule);
        let bytes = piece.bytes();
        // A run explains what is not JSON. Other frames have faults of their own.
        let is_text = matches!(fault.rule(), Rule::NOT_JSON | Rule::INVALID_UTF8);
        let (line, takes) = match &mut self.lines {
            Lines::None => return Taken::Nothing,
            Lines::Value { line, last, end } => {
                if piece.line() == *last {
                    let rest = bytes.get(*end..).unwrap_or_default();
                    if !rest.trim_ascii().is_empty() {
                        return Taken::UpTo(bytes.len() - rest.trim_ascii_start().len());
                    }
                }
                (*line, piece.line() <= *last)
            }
            Lines::Pieces { line, known } => {
                let is_known = is_text && piece.offset() < *known;
                let is_scalar = fault.rule() == Rule::NOT_AN_OBJECT;
                let is_piece = cause == Some(Rule::EMBEDDED_NEWLINE)
                    || cause.is_none() && is_start(bytes, fault) && is_open(bytes);
                (*line, is_known || is_scalar || is_piece && !is_message_start(bytes))
            }
            Lines::Log { line } => {
                let is_log = matches!(cause, None | Some(Rule::LOG_LINE | Rule::EMBEDDED_NEWLINE));
                let is_line = is_text && is_log && !begins_object(bytes) && !is_start(bytes, fault);
                (*line, is_line)
            }
            Lines::Page { line } => {
                let is_of_page = matches!(
                    cause,
                    None | Some(
                        Rule::LOG_LINE
                            | Rule::EMBEDDED_NEWLINE
                            | Rule::CONTENT_LENGTH_HEADER
                            | rule::HTML_PAGE
                    )
                );
                (*line, is_text && is_of_page && !begins_object(bytes))
            }
            Lines::Head { line, last } => {
                let is_next = piece.line() == *last + 1 && is_header(bytes);
                *last = piece.line();
                (*line, is_text && (is_next || cause == Some(rule::HTML_PAGE)))
            }
            Lines::Fields { line } => {
                // Data with a message has a finding of its own, which names the message.
                let has_data = bytes.trim_ascii_start().starts_with(b"data:");
                let is_other = cause == Some(rule::SSE_FIELD) && !has_data;
                (*line, is_other || has_data && cause == Some(Rule::LOG_LINE))
            }
            Lines::Nul { line } => (*line, bytes == b"\0"),
            Lines::Interrupted { line, start } => {
                let whole = [start.as_slice(), bytes].concat();
                let is_rest = scan::validate(&whole, scan::DEFAULT_MAX_DEPTH).is_ok();
                (*line, is_rest || is_text && is_end(bytes))
            }
        };
        let is_last = match self.lines {
            Lines::Interrupted { .. } => true,
            Lines::Page { .. } => ends_page(bytes),
            _ => false,
        };
        if !takes || is_last {
            self.lines = Lines::None;
        } else if matches!(self.lines, Lines::Head { .. }) && cause == Some(rule::HTML_PAGE) {
            // The page is the body after the head.
            self.lines = if ends_page(bytes) { Lines::None } else { Lines::Page { line } };
        }
        if takes { Taken::Line(line) } else { Taken::Nothing }
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
            match self.look(piece, 0, behind) {
                Ahead::Whole(value) => {
                    let newlines = self.begin_value(line, 0, &value);
                    return Some(Cause::of_lines(&value, newlines + 1));
                }
                Ahead::Unknown { read } if is_open(bytes) || !behind.is_empty() => {
                    let known = piece.offset() + read as u64;
                    self.lines = Lines::Pieces { line, known };
                    return cause.or_else(|| Some(Cause::of_open_value()));
                }
                Ahead::Unknown { .. } | Ahead::Nothing { .. } => {}
            }
            if let Some((value, repaired)) = self.look_raw(piece, behind) {
                self.begin_value(line, 0, &value);
                return Some(Cause::of_raw_newlines(&repaired));
            }
        }
        self.lines = match rule {
            Some(Rule::EMBEDDED_NEWLINE) => Lines::Pieces { line, known: 0 },
            Some(Rule::LOG_LINE) => Lines::Log { line },
            Some(rule::HTML_PAGE) if !ends_page(bytes) => Lines::Page { line },
            Some(rule::HTTP_HEAD) => Lines::Head { line, last: line },
            Some(rule::SSE_FIELD) => Lines::Fields { line },
            Some(Rule::UTF16) => Lines::Nul { line },
            Some(rule::STRAY_TEXT) if bytes.starts_with(b"\0") => Lines::Nul { line },
            Some(rule::INTERLEAVED_MESSAGES | rule::MESSAGE_CUT) => {
                let at = cause.as_ref().map_or(0, |cause| cause.offset() as usize);
                let start = bytes.get(..at.min(KEPT)).unwrap_or_default();
                Lines::Interrupted { line, start: start.to_vec() }
            }
            _ => Lines::None,
        };
        cause
    }

    /// Begins a run with the rest of a line, from the index `at`. Returns the cause of the rest.
    pub fn begin_at(&mut self, piece: &Piece<'_>, at: usize, behind: &[u8]) -> Cause {
        let rest = piece.bytes().get(at..).unwrap_or_default();
        self.lines = Lines::None;
        if rest.starts_with(b"{") || rest.starts_with(b"[") {
            let is_unended = scan::validate(rest, scan::DEFAULT_MAX_DEPTH)
                .is_err_and(|error| error.offset() as usize >= rest.trim_ascii_end().len());
            if is_unended && let Ahead::Whole(value) = self.look(piece, at, behind) {
                self.begin_value(piece.line(), at, &value);
                return Cause::behind_lines(&value, at);
            }
        }
        Cause::behind_lines(rest, at)
    }

    /// Begins a run with a value that begins at the index `at` of this line. Returns the number of newlines in it.
    fn begin_value(&mut self, line: u64, at: usize, value: &[u8]) -> usize {
        let newlines = value.iter().filter(|&&byte| byte == b'\n').count();
        let end = match value.iter().rposition(|&byte| byte == b'\n') {
            Some(newline) => value.len() - newline - 1,
            None => at + value.len(),
        };
        self.lines = Lines::Value { line, last: line + newlines as u64, end };
        newlines
    }

    /// Reads on until the value ends that begins at the index `at` of this line, or the text is not JSON. Reads no
    /// bytes twice for values that do not end.
    fn look(&mut self, piece: &Piece<'_>, at: usize, behind: &[u8]) -> Ahead {
        let start = piece.offset() + at as u64;
        if start < self.read {
            return Ahead::Nothing { read: 0 };
        }
        let ahead = value_behind(piece.bytes().get(at..).unwrap_or_default(), behind, false);
        if let Ahead::Unknown { read } | Ahead::Nothing { read } = ahead {
            self.read = start + read as u64;
        }
        ahead
    }

    /// Reads on until the value ends that begins on this line, with raw newlines in its strings. Returns the value as it
    /// is, and with spaces instead of them. Returns `None` for a message that is only cut: the next message would end its
    /// string, and does not continue the value.
    fn look_raw(&mut self, piece: &Piece<'_>, behind: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
        if piece.offset() < self.read_raw {
            return None;
        }
        match value_behind(piece.bytes(), behind, true) {
            Ahead::Whole(repaired) => {
                let text = [piece.bytes(), b"\n", behind.get(..repaired.len()).unwrap_or(behind)];
                let value = text.concat().get(..repaired.len())?.to_vec();
                Some((value, repaired))
            }
            Ahead::Unknown { read } | Ahead::Nothing { read } => {
                self.read_raw = piece.offset() + read as u64;
                None
            }
        }
    }
}

/// Replaces the newlines in strings by spaces. The text begins outside a string.
fn replace_raw_newlines(text: &mut [u8]) {
    let (mut is_string, mut is_escaped) = (false, false);
    for byte in text {
        match *byte {
            _ if is_escaped => is_escaped = false,
            b'"' => is_string = !is_string,
            b'\\' => is_escaped = is_string,
            b'\r' | b'\n' if is_string => *byte = b' ',
            _ => {}
        }
    }
}

/// Returns whether the line begins an object, perhaps in a batch.
fn begins_object(line: &[u8]) -> bool {
    let text = line.trim_ascii_start();
    text.strip_prefix(b"[").unwrap_or(text).trim_ascii_start().starts_with(b"{")
}

/// Returns whether the line is the end of an object that has begun before it.
fn is_end(line: &[u8]) -> bool {
    let count = |brace: u8| line.iter().filter(|&&byte| byte == brace).count();
    !is_message_start(line) && line.trim_ascii_end().ends_with(b"}") && count(b'}') > count(b'{')
}

/// Returns whether the line begins an object with a member of JSON-RPC 2.0.
fn is_message_start(line: &[u8]) -> bool {
    let text = line.trim_ascii_start().strip_prefix(b"{").unwrap_or_default();
    text.trim_ascii_start().starts_with(b"\"jsonrpc\"")
}

/// Returns whether a page of HTML ends on this line.
fn ends_page(line: &[u8]) -> bool {
    const END: &[u8] = b"</html>";
    line.windows(END.len()).any(|part| part.eq_ignore_ascii_case(END))
}

/// Returns whether the line is a field of an HTTP head: a name, which is a token of RFC 9110, and a colon.
fn is_header(line: &[u8]) -> bool {
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    match line.iter().position(|&byte| byte == b':').and_then(|colon| line.get(..colon)) {
        Some(name) => !name.is_empty() && name.iter().all(is_token),
        None => false,
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
    /// They continue it for this many bytes after its start, as far as they are known or the limit of depth allows.
    Unknown { read: usize },
    /// They do not continue it after this many bytes.
    Nothing { read: usize },
}

/// Reads on until the value ends, or the text is not JSON. The window grows, so that a line that nothing continues costs
/// little. If `allows_raw`, newlines in strings are replaced.
fn value_behind(line: &[u8], behind: &[u8], allows_raw: bool) -> Ahead {
    let mut window = 256;
    loop {
        let known = behind.get(..window).unwrap_or(behind);
        let mut text = [line, b"\n", known].concat();
        if allows_raw {
            replace_raw_newlines(&mut text);
        }
        let Err(error) = scan::validate(&text, scan::DEFAULT_MAX_DEPTH) else {
            return Ahead::Whole(text.trim_ascii_end().to_vec());
        };
        let at = error.offset() as usize;
        match error.kind() {
            Syntax::TrailingBytes => {
                let value = text.get(..at).unwrap_or_default();
                return Ahead::Whole(value.trim_ascii_end().to_vec());
            }
            Syntax::TooDeep => return Ahead::Unknown { read: at },
            _ if at < text.len() => return Ahead::Nothing { read: at },
            _ if known.len() == behind.len() || window >= AHEAD => {
                return Ahead::Unknown { read: text.len() };
            }
            _ => window *= 4,
        }
    }
}

#[cfg(test)]
mod tests {
    use tautline::frame::Frame;

    use super::{Ahead, Piece, Run};

    /// Lines that begin values at every depth, with much between them: each could be read to the limit of depth.
    #[test]
    fn unended_values_are_read_once() {
        let wire = format!("[\n{}", "1,\n".repeat(100)).repeat(1000);
        let (mut run, mut read, mut offset) = (Run::new(), 0, 0);
        for line in wire.split_inclusive('\n') {
            let behind = &wire.as_bytes()[offset + line.len()..];
            let frame = Frame::from_line(line.trim_end().as_bytes());
            let mut piece = Piece::of_frame(&frame);
            piece = piece.at_offset(offset as u64);
            if line == "[\n" {
                let ahead = run.look(&piece, 0, behind);
                if let Ahead::Unknown { read: more } | Ahead::Nothing { read: more } = ahead {
                    read += more;
                }
            }
            offset += line.len();
        }
        assert!((wire.len() / 2..=wire.len()).contains(&read), "{read} of {}", wire.len());
    }
}
