//! Ids of responses, as peers write them and as the corpus expects them.

use std::fmt;

use tautline_audit::printable;

/// The id of a response.
///
/// Strings are equal if their characters are equal, however they are escaped. Numbers are equal if their texts are
/// equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Id {
    /// The member is absent.
    Absent,
    /// A string, in UTF-16, because it may contain unpaired surrogate escapes.
    String(Vec<u16>),
    /// The text of a number, or `null`.
    Text(String),
}

impl Id {
    /// Reads an id in the form of the corpus: a JSON text, or `none`.
    pub fn expected(text: &str) -> Self {
        if text == "none" { Self::Absent } else { Self::of_json(text) }
    }

    /// Reads an id that is valid JSON.
    pub fn of_json(text: &str) -> Self {
        let text = text.trim_matches([' ', '\t', '\r', '\n']);
        match text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(content) => Self::String(decode(content)),
            None => Self::Text(text.to_owned()),
        }
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => write!(f, "without id"),
            Self::Text(text) => write!(f, "with id {}", cut(text)),
            Self::String(units) => {
                write!(f, "with id \"{}\"", cut(&String::from_utf16_lossy(units)))
            }
        }
    }
}

/// Returns the start of a text, for people.
fn cut(text: &str) -> String {
    const SHOWN: usize = 40;
    let mut shown = printable(text.as_bytes());
    if let Some((at, _)) = shown.char_indices().nth(SHOWN) {
        shown.truncate(at);
        shown.push('…');
    }
    shown
}

/// Decodes the content of a JSON string. It ends before an invalid escape.
fn decode(content: &str) -> Vec<u16> {
    let mut units = Vec::with_capacity(content.len());
    let mut rest = content.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            units.extend_from_slice(c.encode_utf16(&mut [0; 2]));
            continue;
        }
        let simple = match rest.next() {
            Some('b') => '\u{8}',
            Some('f') => '\u{C}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => {
                let Some((digits, after)) = rest.as_str().split_at_checked(4) else { break };
                let Ok(unit) = u16::from_str_radix(digits, 16) else { break };
                units.push(unit);
                rest = after.chars();
                continue;
            }
            Some(other) => other,
            None => break,
        };
        units.extend_from_slice(simple.encode_utf16(&mut [0; 2]));
    }
    units
}

#[cfg(test)]
mod tests {
    use super::Id;

    #[test]
    fn ids_are_compared_by_what_they_mean() {
        let same = |a, b| Id::of_json(a) == Id::of_json(b);
        assert!(same(r#""a/\u00e9""#, r#""\u0061\/é""#));
        assert!(same(r#""\ud83d\ude42""#, "\"🙂\""));
        assert!(same(r#""\ud83d""#, r#""\uD83D""#));
        assert!(!same(r#""\ud83d""#, "\"\u{FFFD}\""));
        assert!(same(" 7\t", "7"));
        assert!(!same("7", "7.0"));
        assert!(!same("7", "\"7\""));
        assert!(!same("\"null\"", "null"));
    }

    #[test]
    fn the_corpus_has_a_word_for_no_id() {
        assert_eq!(Id::expected("none"), Id::Absent);
        assert_ne!(Id::expected("null"), Id::Absent);
        assert_ne!(Id::expected("\"none\""), Id::Absent);
    }

    #[test]
    fn ids_are_shown_so_that_they_can_be_read() {
        assert_eq!(Id::of_json("\"a\\u001b\"").to_string(), "with id \"a␛\"");
        assert_eq!(
            Id::of_json(&"9".repeat(50)).to_string(),
            format!("with id {}…", "9".repeat(40))
        );
    }
}
