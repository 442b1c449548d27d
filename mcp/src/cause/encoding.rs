//! Bytes that are not the UTF-8 of RFC 8259: byte order marks, UTF-16, legacy code pages, terminal escape sequences.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use super::LostMessage;

pub(super) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The longest text in UTF-16 that is decoded to name its message, in bytes.
const LONGEST_UTF16: usize = 64 * 1024;

/// The number of bytes that are shown in hex.
const SHOWN: usize = 8;

/// Returns the message in a line of UTF-16.
///
/// A line that was cut after the byte 0x0A may begin or end with the NUL of that newline. Both byte orders then give the
/// same pairs.
pub(super) fn message_in_utf16(frame: &[u8]) -> Option<LostMessage> {
    if frame.len() > LONGEST_UTF16 {
        return None;
    }
    let (bytes, is_little) = match frame {
        [0xFF, 0xFE, rest @ ..] => (rest, true),
        [0xFE, 0xFF, rest @ ..] | rest @ [0, ..] => (rest, false),
        rest => (rest, true),
    };
    let units = bytes.chunks_exact(2).filter_map(|pair| {
        let pair = <[u8; 2]>::try_from(pair).ok()?;
        Some(if is_little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) })
    });
    let text: Result<String, _> = char::decode_utf16(units).collect();
    LostMessage::of(text.ok()?.as_bytes())
}

/// Describes the bytes of a legacy code page at this offset. Returns `None` if they are not the text of one: a character
/// that was cut, a surrogate, or binary data.
pub(super) fn legacy(frame: &[u8], at: usize) -> Option<String> {
    let has_controls = frame.iter().any(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31));
    let run = high_run(frame.get(at..)?);
    if has_controls || run.is_empty() || is_cut_or_surrogate(run, at + run.len() == frame.len()) {
        return None;
    }
    // The bytes before may be valid UTF-8 by chance.
    let before = frame.get(..at)?.iter().rev().take_while(|&&byte| byte >= 0x80).count();
    let run = high_run(frame.get(at - before..)?);
    let more = if run.len() > SHOWN { "… " } else { "" };
    let (are, page) = (if run.len() == 1 { "byte" } else { "bytes" }, code_page(run));
    let verb = if run.len() == 1 { "is" } else { "are" };
    Some(format!("the {are} {}{more}{verb} not UTF-8, but may be text in {page}", hex(run)))
}

/// Describes the character of UTF-8 at this offset, if the text was truncated inside it.
///
/// The first byte of a character may also be a letter of a one-byte code page, such as E9 (é) in Windows-1252. Then a
/// second byte, or a whole character elsewhere in the frame, shows that the text is UTF-8. Any other invalid byte shows
/// that it is not.
pub(super) fn cut_character(frame: &[u8], at: usize) -> Option<String> {
    let mut first = None;
    let (mut has_characters, mut has_lone) = (false, false);
    let mut chunks = frame.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        has_characters |= !chunk.valid().is_ascii();
        let cut = chunk.invalid();
        if cut.is_empty() {
            break;
        }
        let next = chunks.peek().map(|chunk| chunk.valid().chars().next());
        // A sign that marks the cut may follow, such as an ellipsis. In a code page of two bytes for a character, letters
        // follow each other.
        let may_follow = match next {
            None => true,
            Some(None) => false,
            Some(Some(next)) => next.is_ascii() || cut.len() > 1 && next.len_utf8() > 2,
        };
        if !may_follow || !matches!(cut.first(), Some(0xC2..=0xF4)) {
            return None;
        }
        has_lone |= cut.len() == 1;
        first = first.or(Some(cut));
    }
    let cut = first.filter(|_| has_characters || !has_lone)?;
    let length = match cut.first()? {
        0xF0.. => 4,
        0xE0.. => 3,
        _ => 2,
    };
    let (are, begin) = if cut.len() == 1 { ("byte", "begins") } else { ("bytes", "begin") };
    let place = if at + cut.len() == frame.len() {
        "the frame ends there"
    } else {
        "the text was truncated at a number of bytes, and not of characters"
    };
    Some(format!(
        "a UTF-8 character is cut short: the {are} {}{begin} a character of {length} bytes, and {place}",
        hex(cut)
    ))
}

/// Returns the first bytes in hex, each with a space after it.
fn hex(bytes: &[u8]) -> String {
    let mut hex = String::new();
    for byte in bytes.iter().take(SHOWN) {
        let _ = write!(hex, "{byte:02X} ");
    }
    hex
}

/// The remedy for NUL bytes beside a message.
pub(super) const NUL_HELP: &str =
    "write the bytes of the message without the NUL that ends it in memory";

/// Returns the number of NUL bytes before a text that has none, except at its end. Text in UTF-16 has more of them.
pub(super) fn leading_nuls(frame: &[u8]) -> usize {
    let count = frame.iter().take_while(|&&byte| byte == 0).count();
    let rest = frame.get(count..).unwrap_or_default();
    let nuls = rest.iter().filter(|&&byte| byte == 0).count();
    let at_end = rest.iter().rev().take_while(|&&byte| byte == 0).count();
    if nuls == at_end { count } else { 0 }
}

/// Returns the bytes at the front that belong to characters beyond ASCII. The second byte of one may be ASCII.
fn high_run(text: &[u8]) -> &[u8] {
    let mut end = 0;
    while let Some(&byte) = text.get(end) {
        if byte < 0x80 {
            break;
        }
        end += 1;
        let (next, after) = (text.get(end).copied(), text.get(end + 1).copied());
        // A letter between two high bytes is the second byte of a pair.
        if let (Some(b'@'..=b'~'), Some(0x80..)) = (next, after) {
            end += 1;
        }
    }
    text.get(..end).unwrap_or(text)
}

/// Returns whether the bytes begin a character of UTF-8 that the end of the frame cuts, or encode a surrogate.
fn is_cut_or_surrogate(run: &[u8], is_at_end: bool) -> bool {
    let is_cut = match core::str::from_utf8(run) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none() && is_at_end,
    };
    is_cut || matches!(run, [0xED, 0xA0..=0xBF, 0x80..=0xBF, ..])
}

/// Returns the name of a code page in which the bytes are text.
fn code_page(run: &[u8]) -> &'static str {
    let pairs: Vec<_> = run.chunks_exact(2).collect();
    let are_pairs = !pairs.is_empty() && run.len().is_multiple_of(2);
    // Japanese text has kana, whose first byte is 0x82 or 0x83.
    let is_kana = |pair: &&[u8]| matches!(pair, [0x82, 0x9F..=0xF1] | [0x83, 0x40..=0x96]);
    let is_gbk = |pair: &&[u8]| matches!(pair, [0x81..=0xFE, 0x40..=0x7E | 0x80..=0xFE]);
    if pairs.iter().any(is_kana) {
        "Shift-JIS"
    } else if are_pairs && pairs.iter().all(is_gbk) {
        "GBK or another code page with two bytes for a character"
    } else {
        "Windows-1252 or another code page with one byte for a character"
    }
}

/// Returns the number of bytes of terminal escape sequences at the front, and of whitespace between and after them.
pub(super) fn escapes_length(text: &[u8]) -> usize {
    let mut at = 0;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let blank = rest.len() - rest.trim_ascii_start().len();
        let length = escape_length(rest.get(blank..).unwrap_or_default());
        if length == 0 {
            return if at == 0 { 0 } else { at + blank };
        }
        at += blank + length;
    }
}

/// Returns the length of the escape sequence at the front (ECMA-48), in bytes, or 0.
fn escape_length(text: &[u8]) -> usize {
    let position = |from: usize, is_end: &dyn Fn(u8) -> bool| {
        let rest = text.get(from..).unwrap_or_default();
        rest.iter().position(|&byte| is_end(byte)).map(|at| from + at + 1)
    };
    match text {
        // CSI ends with a byte from `@` to `~`.
        [0x1B, b'[', ..] => position(2, &|byte| matches!(byte, b'@'..=b'~')).unwrap_or(2),
        // OSC, DCS, SOS, PM and APC end with BEL or ST.
        [0x1B, b']' | b'P' | b'X' | b'^' | b'_', ..] => {
            match position(2, &|byte| matches!(byte, 0x07 | 0x1B)) {
                Some(end) if text.get(end - 1..end + 1) == Some(b"\x1B\\") => end + 1,
                Some(end) if text.get(end - 1) == Some(&0x07) => end,
                Some(end) => end - 1,
                None => text.len(),
            }
        }
        [0x1B, b' '..=b'/', _, ..] => 3,
        [0x1B, 0x30..=0x7E, ..] => 2,
        [0x1B, ..] => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::{code_page, escapes_length, high_run, legacy};

    #[test]
    fn escape_sequences_end_where_terminals_end_them() {
        for (text, expected) in [
            (&b"\x1b[1;32m{}"[..], 7),
            (b"\x1b[?25l \x1b[2 q{}", 12),
            (b"\x1b]0;title\x07{}", 10),
            (b"\x1b]8;;x\x1b\\{}", 8),
            (b"\x1b]0;cut\x1b[0m{}", 11),
            (b"\x1bP1$r\x1b\\{}", 7),
            (b"\x1b(B{}", 3),
            (b"\x1bc\x1b7{}", 4),
            (b"\x1b]0;never", 9),
            (b"\x1b", 1),
            (b"{}", 0),
            (b"  {}", 0),
        ] {
            assert_eq!(escapes_length(text), expected, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn code_pages_are_recognised_by_their_pairs() {
        for (bytes, page) in [
            (&b"\xB2\xE2\xCA\xD4"[..], "GBK"),
            (b"\x93\xFA\x96{\x8C\xEA\x82\xC5\x82\xB7", "Shift-JIS"),
            (b"\x83e\x83X\x83g", "Shift-JIS"),
            (b"\xE9", "Windows-1252"),
            (b"\x93caf\xE9\x94", "Windows-1252"),
        ] {
            assert!(code_page(high_run(bytes)).starts_with(page), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn what_is_no_text_of_a_code_page_is_left_alone() {
        assert!(legacy(b"\"\xE6\xB5", 1).is_none(), "a character that was cut");
        assert!(legacy(b"\"\xED\xA0\xBD\"", 1).is_none(), "a surrogate");
        assert!(legacy(b"\"\xFF\x01\x02\"", 1).is_none(), "binary data");
        let words = legacy(b"\"\xC4\xE3\xBA\xC3\"", 1).unwrap();
        assert!(
            words.starts_with("the bytes C4 E3 BA C3 are not UTF-8, but may be text in GBK"),
            "{words}"
        );
    }
}
