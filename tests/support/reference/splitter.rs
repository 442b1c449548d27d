//! The naive reference for the splitter: the whole stream at once, and every line separately.

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The lines of a stream.
#[derive(Debug, PartialEq, Eq)]
pub struct Split<'stream> {
    /// The lines that are not blank, in order.
    pub lines: Vec<Line<'stream>>,
    /// The number of blank lines.
    pub blank: u64,
    /// The number of all lines, including those not in `lines`.
    pub count: u64,
}

/// A line that is not blank.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Line<'stream> {
    pub kind: Kind,
    /// Counted from 1.
    pub number: u64,
    /// The number of bytes of the stream before it.
    pub offset: u64,
    /// Its bytes without the line end, also if it is oversized.
    pub bytes: &'stream [u8],
    pub terminated: bool,
}

/// Prints only the beginning of a long line.
impl std::fmt::Debug for Line<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { kind, number, offset, bytes, terminated } = self;
        let start = bytes.get(..100).unwrap_or(bytes).escape_ascii();
        write!(f, "{kind:?} {number} at {offset}: {} bytes, {start}", bytes.len())?;
        write!(f, ", {}", if *terminated { "terminated" } else { "unterminated" })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Frame,
    Oversized,
}

pub fn split(stream: &[u8], limit: u32) -> Split<'_> {
    let text = stream.strip_prefix(BYTE_ORDER_MARK).unwrap_or(stream);
    let mut split = Split { lines: Vec::new(), blank: 0, count: 0 };
    let mut offset = stream.len() - text.len();
    let mut pieces = text.split(|&byte| byte == b'\n').peekable();
    while let Some(piece) = pieces.next() {
        let terminated = pieces.peek().is_some();
        if piece.is_empty() && !terminated {
            // Nothing follows the last newline, not even an empty line.
            break;
        }
        split.count += 1;
        // At the end of the stream, a CR counts as half of a line end.
        let bytes = piece.strip_suffix(b"\r").unwrap_or(piece);
        let is_oversized = bytes.len() as u64 > u64::from(limit);
        if !is_oversized && bytes.iter().all(|byte| b" \t\r".contains(byte)) {
            split.blank += 1;
        } else {
            split.lines.push(Line {
                kind: match is_oversized {
                    true => Kind::Oversized,
                    false => Kind::Frame,
                },
                number: split.count,
                offset: offset as u64,
                bytes,
                terminated,
            });
        }
        offset += piece.len() + 1;
    }
    split
}
