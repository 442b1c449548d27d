//! The syntax of strings.

use super::table::Format;
use crate::bytes::run_of;
use crate::json::RawStr;
use crate::rule::Rule;

impl Format {
    /// Returns the rule for strings of this syntax.
    pub(super) const fn rule(self) -> Rule {
        match self {
            Self::Uri => Rule::UriSyntax,
            Self::UriTemplate => Rule::UriTemplateSyntax,
            Self::Base64 => Rule::Base64Syntax,
        }
    }

    /// Returns whether the string has this syntax.
    pub(super) fn admits(self, text: RawStr<'_>) -> bool {
        match self {
            Self::Uri => is_uri(text),
            Self::UriTemplate => is_uri_template(text),
            Self::Base64 => is_base64(text),
        }
    }
}

/// Returns whether the text is a URI: a scheme, a colon, and characters of URIs (RFC 3986, section 3). Which of them
/// are allowed in which component is not checked.
fn is_uri(text: RawStr<'_>) -> bool {
    let mut characters = text.chars().map(Result::ok);
    let mut is_first = true;
    loop {
        match characters.next().flatten() {
            Some('a'..='z' | 'A'..='Z') => {}
            Some('0'..='9' | '+' | '-' | '.') if !is_first => {}
            Some(':') if !is_first => break,
            _ => return false,
        }
        is_first = false;
    }
    while let Some(character) = characters.next() {
        match character {
            Some('%') if !is_escape(&mut characters) => return false,
            Some('%') => {}
            Some(character) if is_of_uri(character) => {}
            _ => return false,
        }
    }
    true
}

/// Reads what follows a percent sign, and returns whether it is two hexadecimal digits.
fn is_escape(characters: &mut impl Iterator<Item = Option<char>>) -> bool {
    let mut is_digit =
        || characters.next().flatten().is_some_and(|digit| digit.is_ascii_hexdigit());
    is_digit() && is_digit()
}

/// Returns whether the character is unreserved or reserved (RFC 3986, sections 2.2 and 2.3).
const fn is_of_uri(character: char) -> bool {
    matches!(
        character,
        'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '.' | '_' | '~'
        | ':' | '/' | '?' | '#' | '[' | ']' | '@'
        | '!' | '$' | '&' | '\'' | '(' | ')' | '*' | '+' | ',' | ';' | '='
    )
}

/// Returns whether the text is a template of URIs: literals, and expressions in braces (RFC 6570, section 2).
fn is_uri_template(text: RawStr<'_>) -> bool {
    let mut characters = text.chars().map(Result::ok);
    while let Some(character) = characters.next() {
        let Some(character) = character else { return false };
        match character {
            '{' if !is_expression(&mut characters) => return false,
            '{' => {}
            '%' if !is_escape(&mut characters) => return false,
            '%' => {}
            // RFC 6570, section 2.1. Erratum 6937 admits the apostrophe.
            '\0'..=' ' | '"' | '<' | '>' | '\\' | '^' | '`' | '|' | '}' | '\u{7F}'..='\u{9F}' => {
                return false;
            }
            _ => {}
        }
    }
    true
}

/// Reads an expression to its closing brace, and returns whether it is one: an operator, and names with modifiers.
fn is_expression(characters: &mut impl Iterator<Item = Option<char>>) -> bool {
    let mut is_first = true;
    // True if a name, or the next one, has begun.
    let mut has_name = false;
    loop {
        match characters.next().flatten() {
            Some('+' | '#' | '.' | '/' | ';' | '?' | '&' | '=' | ',' | '!' | '@' | '|')
                if is_first => {}
            Some('a'..='z' | 'A'..='Z' | '0'..='9' | '_') => has_name = true,
            Some('%') if is_escape(characters) => has_name = true,
            Some('.' | ':' | '*') if has_name => {}
            Some(',') if has_name => has_name = false,
            Some('}') => return has_name,
            _ => return false,
        }
        is_first = false;
    }
}

/// Returns whether the text is Base64 with its padding (RFC 4648, section 4).
fn is_base64(text: RawStr<'_>) -> bool {
    if text.has_escapes() {
        return is_escaped_base64(text);
    }
    let bytes = text.as_bytes();
    let data = run_of(bytes, is_digit);
    let padding = bytes.get(data..).unwrap_or_default();
    bytes.len().is_multiple_of(4) && matches!(padding, b"" | b"=" | b"==")
}

/// The same, for a text with escapes: some encoders escape each slash.
fn is_escaped_base64(text: RawStr<'_>) -> bool {
    let (mut length, mut padding) = (0_usize, 0_usize);
    for character in text.chars() {
        length = length.wrapping_add(1);
        match character.ok().and_then(|character| u8::try_from(character).ok()) {
            Some(b'=') => padding = padding.wrapping_add(1),
            Some(byte) if padding == 0 && is_digit(byte) => {}
            _ => return false,
        }
    }
    length.is_multiple_of(4) && padding <= 2
}

/// Returns whether the byte is of the alphabet. It has no early exit, so that a run of them is vectorised.
const fn is_digit(byte: u8) -> bool {
    let letter = byte | 0x20;
    (letter >= b'a') & (letter <= b'z')
        | (byte >= b'0') & (byte <= b'9')
        | (byte == b'+')
        | (byte == b'/')
}

#[cfg(test)]
mod tests {
    use std::format;

    use super::{Format, RawStr};
    use crate::json::RawJson;

    fn text(json: &str) -> RawStr<'_> {
        RawJson::parse(json.as_bytes()).unwrap().string().unwrap()
    }

    #[track_caller]
    fn check(format: Format, legal: &[&str], illegal: &[&str]) {
        for (texts, expected) in [(legal, true), (illegal, false)] {
            for json in texts {
                assert_eq!(format.admits(text(json)), expected, "{json}");
            }
        }
    }

    #[test]
    fn a_uri_has_a_scheme_and_characters_of_uris() {
        check(
            Format::Uri,
            &[
                r#""file:///a/b.rs""#,
                r#""a:""#,
                r#""urn:isbn:0""#,
                r#""h2+x-y.z://[::1]:8/?q=%C3%BC#f""#,
                r#""ht\u0074ps:\/\/a""#,
                r#""data:,!$&'()*+,;=~_""#,
            ],
            &[
                r#""""#,
                r#"":""#,
                r#""/a/b""#,
                r#""1a:b""#,
                r#""a b:c""#,
                r#""file:///a b""#,
                r#""file:///a%2""#,
                r#""file:///a%zz""#,
                r#""file:///\u00fc""#,
                r#""file:///ü""#,
                r#""C:\\a""#,
                r#""a:\ud800""#,
                r#""a:<b>""#,
            ],
        );
    }

    #[test]
    fn a_template_has_literals_and_expressions() {
        check(
            Format::UriTemplate,
            &[
                r#""file:///{path}""#,
                r#""a:{+path}{?q,r:3,s*}{&t}{#u}{.v.w}""#,
                r#""""#,
                r#""x/{a%20b}/ü""#,
                r#""file:///{p\u0061th}""#,
            ],
            &[
                r#""a:{""#,
                r#""a:{}""#,
                r#""a:}""#,
                r#""a:{b""#,
                r#""a:{b,}""#,
                r#""a:{,}""#,
                r#""a:{b c}""#,
                r#""a:{b{c}}""#,
                r#""a b""#,
                r#""a%2""#,
            ],
        );
    }

    #[test]
    fn base64_has_its_alphabet_and_its_padding() {
        let long = format!("\"{}\"", "aZ+/".repeat(100));
        let broken = format!("\"{}aZ-/\"", "aZ+/".repeat(100));
        check(
            Format::Base64,
            &[
                r#""""#,
                r#""aGk=""#,
                r#""aA==""#,
                r#""aGkh""#,
                r#""\/\u002baa""#,
                r#""\/\/\/=""#,
                &long,
            ],
            &[
                r#""a""#,
                r#""aGk""#,
                r#""aGk=aGk=""#,
                r#""a===""#,
                r#""====""#,
                r#""aG k""#,
                r#""aG-_""#,
                r#""aG\nk""#,
                r#""\/\/\/""#,
                r#""\/===""#,
                r#""\/=a=""#,
                &broken,
            ],
        );
    }
}
