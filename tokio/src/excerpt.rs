//! Excerpts of frames, for people.

use std::fmt;

use tautline::RawStr;
use tautline::owned::Id;

/// The number of bytes that are shown before and after a place, and at the beginning of a text.
const BEFORE: usize = 40;
const AFTER: usize = 60;
const BEGINNING: usize = 256;

/// A part of a text. `Display` writes it on one line, with escapes for control characters and invalid UTF-8.
#[derive(Clone, Copy)]
pub(crate) struct Excerpt<'a> {
    before: &'a [u8],
    after: &'a [u8],
    /// True if the place between the parts is marked.
    is_marked: bool,
    /// True if the text begins before or ends after the excerpt.
    is_cut: (bool, bool),
}

impl<'a> Excerpt<'a> {
    /// Returns the text around a place, which is marked.
    pub(crate) fn around(text: &'a [u8], offset: u32) -> Self {
        let (before, after) = text
            .split_at_checked(usize::try_from(offset).unwrap_or(usize::MAX))
            .unwrap_or((text, b""));
        let start = boundary(before, before.len().saturating_sub(BEFORE));
        let (shown, is_cut) = beginning(after, AFTER);
        let before = before.get(start..).unwrap_or_default();
        Self { before, after: shown, is_marked: true, is_cut: (start > 0, is_cut) }
    }

    /// Returns an id as it was written. A long one is cut.
    pub(crate) fn id(id: &'a Id) -> Self {
        Self::beginning(id.as_json().as_bytes())
    }

    /// Returns a method as it was written, without the quotes. A long one is cut.
    pub(crate) fn method(method: RawStr<'a>) -> Self {
        Self::beginning(method.escaped_bytes())
    }

    /// Returns the beginning of a text.
    pub(crate) fn beginning(text: &'a [u8]) -> Self {
        let (shown, is_cut) = beginning(text, BEGINNING);
        Self { before: b"", after: shown, is_marked: false, is_cut: (false, is_cut) }
    }
}

/// Returns at most this many bytes of a text, and whether there are more.
fn beginning(text: &[u8], most: usize) -> (&[u8], bool) {
    if text.len() <= most {
        return (text, false);
    }
    (text.get(..boundary(text, most)).unwrap_or_default(), true)
}

/// Returns the first place from here on where a character may begin. A character has at most three bytes after its
/// first one, so text that is not UTF-8 is cut anywhere.
fn boundary(text: &[u8], from: usize) -> usize {
    let is_boundary = |at: &usize| text.get(*at).is_none_or(|byte| byte & 0xC0 != 0x80);
    (from..from.saturating_add(4)).find(is_boundary).unwrap_or(from)
}

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (starts_later, ends_earlier) = self.is_cut;
        f.write_str(if starts_later { "…" } else { "" })?;
        write_text(self.before, f)?;
        f.write_str(if self.is_marked { "[here]" } else { "" })?;
        write_text(self.after, f)?;
        f.write_str(if ends_earlier { "…" } else { "" })
    }
}

fn write_text(text: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '"' | '\\' | '\'' => fmt::Write::write_char(f, character)?,
                _ => fmt::Display::fmt(&character.escape_debug(), f)?,
            }
        }
        fmt::Display::fmt(&chunk.invalid().escape_ascii(), f)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Excerpt;

    #[test]
    fn a_long_text_is_cut_between_two_characters_on_both_sides() {
        let text = format!("{}x{}", "é".repeat(50), "ü".repeat(50));
        for (offset, expected) in [
            (100, format!("…{}[here]x{}…", "é".repeat(20), "ü".repeat(30))),
            (101, format!("…{}x[here]{}…", "é".repeat(19), "ü".repeat(30))),
            (201, format!("…{}[here]", "ü".repeat(20))),
            (u32::MAX, format!("…{}[here]", "ü".repeat(20))),
        ] {
            assert_eq!(Excerpt::around(text.as_bytes(), offset).to_string(), expected);
        }
        // A place inside a character, and bytes that are no text.
        assert_eq!(Excerpt::around("é".as_bytes(), 1).to_string(), r"\xc3[here]\xa9");
        let excerpt = Excerpt::around(&[0x80; 200], 100).to_string();
        assert_eq!(excerpt, format!("…{}[here]{}…", r"\x80".repeat(40), r"\x80".repeat(60)));
        assert_eq!(Excerpt::around(b"", 0).to_string(), "[here]");
    }
}
