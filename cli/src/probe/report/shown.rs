//! Bytes and steps for people: visible, on one line, and truncated.

use tautline_audit::printable;
use tautline_conformance::{Role, Step};

use crate::probe::row::Row;

/// The number of characters that are shown of a stream.
const SHOWN: usize = 600;

/// Returns a description of everything that was sent in a case after the session was opened.
pub fn sent(row: &Row<'_>) -> String {
    let mut words: Vec<String> = row.steps().iter().map(step).collect();
    words.extend(row.evidence.survival.as_ref().map(|text| cut(text.as_bytes(), SHOWN)));
    let mut text = String::new();
    for word in words {
        // Two texts in a row are one stream.
        if !text.is_empty() && (word.starts_with('[') || text.ends_with(']')) {
            text.push(' ');
        }
        text.push_str(&word);
    }
    text
}

fn step(step: &Step) -> String {
    match step {
        Step::PauseMs(ms) => format!("[pause of {ms} ms]"),
        Step::Await(id) => format!("[until {} is answered]", cut(id.as_bytes(), 40)),
        Step::Answer(_) => "[the usual answer]".to_owned(),
        Step::Close(_) => "[end of input]".to_owned(),
        Step::Repeat { text, count } => format!("[{count} times {}]", cut(text.as_bytes(), 80)),
        Step::Numbered { text, count } => {
            format!("[{count} times, numbered, {}]", cut(text.as_bytes(), 120))
        }
        step => step.bytes().map_or_else(String::new, |(bytes, _)| cut(&bytes, SHOWN)),
    }
}

/// Returns the label of the received bytes. A client's messages go to the player, so only its own output is received
/// here.
pub const fn received_label(role: Role) -> &'static str {
    match role {
        Role::Server => "received",
        Role::Client => "its stdout",
    }
}

/// Returns the bytes that were received in a case, as text.
pub fn received(row: &Row<'_>) -> String {
    let (bytes, left_out) = (row.evidence.received.bytes(), row.evidence.received.left_out());
    match (bytes.len() as u64 + left_out, left_out) {
        (0, _) => "nothing".to_owned(),
        (all, 1..) => format!("{} ({all} bytes)", cut(bytes, SHOWN)),
        _ => cut(bytes, SHOWN),
    }
}

/// The number of lines that are shown of the standard error of a process that has ended, which give the reason.
pub const LAST_LINES: usize = 20;

/// Returns the last lines of the standard error of a peer, as many as its result needs.
pub fn stderr(row: &Row<'_>) -> Vec<String> {
    const LINES: usize = 3;
    let is_dead = row.result.cause().is_some_and(|(fault, _)| fault.is_end());
    last_lines(&row.evidence.stderr, if is_dead { LAST_LINES } else { LINES })
}

/// Returns the last lines of a standard error, without blank lines.
pub fn last_lines(stderr: &[u8], most: usize) -> Vec<String> {
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines.len().saturating_sub(most);
    lines[last..].iter().map(|line| cut(line.as_bytes(), 400)).collect()
}

/// Makes bytes visible. In a long text, the middle is left out.
pub fn cut(bytes: &[u8], shown: usize) -> String {
    // The start and the end suffice, so that a large text need not be decoded.
    let far = 4 * shown;
    if bytes.len() <= 2 * far {
        let text = printable(bytes);
        let count = text.chars().count();
        if count <= shown {
            return text;
        }
        let end: String = text.chars().skip(count - shown / 3).collect();
        let start: String = text.chars().take(shown - shown / 3).collect();
        return format!("{start} … {end}");
    }
    let (start, end) = (printable(&bytes[..far]), printable(&bytes[bytes.len() - far..]));
    let start: String = start.chars().take(shown - shown / 3).collect();
    let skipped = end.chars().count().saturating_sub(shown / 3);
    let end: String = end.chars().skip(skipped).collect();
    format!("{start} … {end}")
}

#[cfg(test)]
mod tests {
    use super::{cut, last_lines};

    #[test]
    fn a_long_text_keeps_its_start_and_its_end() {
        assert_eq!(cut(b"a\nb\x1B", 10), "a␊b␛");
        assert_eq!(cut(b"abcdefghijklmnop", 9), "abcdef … nop");
        let long = [&b"start"[..], &[b'x'; 100_000], b"end"].concat();
        assert_eq!(cut(&long, 12), "startxxx … xend");
    }

    #[test]
    fn the_last_lines_tell_why() {
        assert_eq!(last_lines(b"a\n\nb\nc\n\nd", 3), ["b", "c", "d"]);
        assert!(last_lines(b"\n", 3).is_empty());
    }
}
