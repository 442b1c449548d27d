//! The part of a frame that is shown around a finding.

use std::ops::Range;

use crate::visible::printable;

/// The number of characters shown before the finding, and from its start onwards.
const BEFORE: usize = 40;
const BEHIND: usize = 60;

/// The maximum number of characters that are underlined.
const LONGEST_MARK: usize = 40;

/// Printable text, and the range of it, in bytes, that the finding points at.
#[derive(Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The text.
    pub text: String,
    /// The range, in bytes.
    pub mark: Range<usize>,
}

impl Excerpt {
    /// Returns the surroundings of the byte at this offset in the frame, or of the frame's end.
    pub fn around(frame: &[u8], at: usize) -> Self {
        let at = at.min(frame.len());
        let (before, behind) = frame.split_at(at);
        let marked = cut(behind, token_length(behind));

        // A character has at most 4 bytes; bytes further away need not be decoded.
        let near = cut(before, before.len().saturating_sub(4 * BEFORE));
        let mut text = printable(&before[near..]);
        let hidden = text.chars().count().saturating_sub(BEFORE);
        text = text.chars().skip(hidden).collect();
        if hidden > 0 || near > 0 {
            text.insert(0, '…');
        }
        let start = text.len();
        text += &printable(&behind[..marked]);
        let end = text.len();
        let far = cut(behind, behind.len().min(marked + 4 * BEHIND));
        let rest = printable(&behind[marked..far]);
        text.extend(rest.chars().take(BEHIND));
        if rest.chars().count() > BEHIND || behind.len() > marked + 4 * BEHIND {
            text.push('…');
        }
        Self { text, mark: start..end }
    }
}

/// Returns the nearest start of a character at or before this position.
pub(crate) fn cut(bytes: &[u8], at: usize) -> usize {
    let continues = |at: &usize| bytes.get(*at).is_some_and(|byte| byte & 0xC0 == 0x80);
    // No character is longer than 4 bytes. A longer run of continuation bytes is not UTF-8, and can be cut anywhere.
    (at.saturating_sub(3)..=at).rev().find(|at| !continues(at)).unwrap_or(at)
}

/// Returns the length in bytes of the string, number, word or character at the front, up to the longest underline.
pub(crate) fn token_length(text: &[u8]) -> usize {
    let whole = text;
    // Later text is not scanned: a frame may be one long string.
    let text = text.get(..LONGEST_MARK).unwrap_or(text);
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"-+._".contains(byte);
    match text.first() {
        None => 0,
        Some(b'"') => {
            let mut escaped = false;
            let end = text.iter().skip(1).position(|&byte| {
                let ends = byte == b'"' && !escaped;
                escaped = byte == b'\\' && !escaped;
                ends
            });
            match end {
                Some(end) => end + 2,
                None if text.len() < whole.len() => LONGEST_MARK,
                None => 1,
            }
        }
        Some(byte) if is_word(byte) => text.iter().take_while(|byte| is_word(byte)).count(),
        Some(..0x80) => 1,
        // The continuation bytes of a character, complete or not.
        Some(_) => 1 + text.iter().skip(1).take(3).take_while(|&&b| b & 0xC0 == 0x80).count(),
    }
}

#[cfg(test)]
mod tests {
    use super::Excerpt;

    #[test]
    fn short_frames_are_shown_whole() {
        let excerpt = Excerpt::around(br#"{"id":true}"#, 6);
        assert_eq!(excerpt.text, r#"{"id":true}"#);
        assert_eq!(&excerpt.text[excerpt.mark], "true");
    }

    #[test]
    fn long_frames_are_cut_on_both_sides() {
        let frame =
            format!("{{\"a\":\"{}\",\"id\":{{}},\"z\":\"{}\"}}", "é".repeat(500), "日".repeat(500));
        let at = frame.find("{}").unwrap();
        let excerpt = Excerpt::around(frame.as_bytes(), at);
        assert!(excerpt.text.starts_with('…') && excerpt.text.ends_with('…'), "{excerpt:?}");
        assert!(excerpt.text.chars().count() <= 110, "{excerpt:?}");
        assert_eq!(&excerpt.text[excerpt.mark], "{");
    }

    #[test]
    fn characters_are_not_cut_in_two() {
        let frame = format!("{{\"{}\":1,\"{}\":2}}", "é".repeat(90), "日本".repeat(90));
        for at in 0..=frame.len() {
            if frame.is_char_boundary(at) {
                let excerpt = Excerpt::around(frame.as_bytes(), at);
                assert!(!excerpt.text.contains('\u{FFFD}'), "{excerpt:?}");
            }
        }
    }

    #[test]
    fn what_cannot_be_printed_is_made_visible() {
        let excerpt = Excerpt::around(b"{\x1b[31m\xFF\0", 6);
        assert_eq!(excerpt.text, "{\u{241B}[31m\u{FFFD}\u{2400}");
        assert_eq!(&excerpt.text[excerpt.mark], "\u{FFFD}");
    }

    #[test]
    fn the_end_of_a_frame_can_be_pointed_at() {
        let excerpt = Excerpt::around(b"[1", 2);
        assert_eq!((excerpt.text.as_str(), excerpt.mark), ("[1", 2..2));
    }

    #[test]
    fn strings_are_underlined_with_their_escapes() {
        let excerpt = Excerpt::around(br#"{"a\"b":1}"#, 1);
        assert_eq!(&excerpt.text[excerpt.mark], r#""a\"b""#);
    }
}
