//! The naive twin of the splitter: all of the stream at once, and every line on its own.

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// What the lines of a stream are.
#[derive(Debug, PartialEq, Eq)]
pub struct Split<'stream> {
    /// The lines that are not blank, in their order.
    pub lines: Vec<Line<'stream>>,
    /// How many are blank.
    pub blank: u64,
    /// How many there are in all, those included that are not in `lines`.
    pub count: u64,
}

/// A line that is not blank.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Line<'stream> {
    pub kind: Kind,
    /// Counted from 1.
    pub number: u64,
    /// How many bytes of the stream come before it.
    pub offset: u64,
    /// Its bytes without the line end, also of one over the limit.
    pub bytes: &'stream [u8],
    pub terminated: bool,
}

/// Of a long line, its beginning is enough.
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
            // There is nothing behind the last newline, not even an empty line.
            break;
        }
        split.count += 1;
        // At the end of the stream a CR is taken for half of a line end.
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
