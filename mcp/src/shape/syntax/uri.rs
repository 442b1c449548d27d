//! URIs and templates of URIs.

use tautline::RawStr;

/// Returns whether the text is a URI: a scheme, a colon, and characters of URIs (RFC 3986, section 3). Which of them
/// are allowed in which component is not checked.
pub(super) fn is_uri(text: RawStr<'_>) -> bool {
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
pub(super) fn is_uri_template(text: RawStr<'_>) -> bool {
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

/// Returns whether the text begins as the URI of a file (RFC 8089).
pub(super) fn is_file(text: RawStr<'_>) -> bool {
    begins(text, "file://")
}

/// Returns whether the text begins as a URI from which an icon is safe to load.
pub(super) fn is_icon(text: RawStr<'_>) -> bool {
    begins(text, "https:") || begins(text, "http:") || begins(text, "data:")
}

/// Returns whether the text begins as a URL with the scheme `http` whose host is not this machine.
pub(in crate::shape) fn is_insecure(text: RawStr<'_>) -> bool {
    const START: &str = "http://";
    if !begins(text, START) {
        return false;
    }
    let after = text.chars().map(Result::ok).skip(START.len());
    let is_of_authority = |character: &Option<char>| !matches!(character, Some('/' | '?' | '#'));
    // The longest name of this machine, with a user and a port, is shorter than this.
    let mut host = [0; 128];
    let mut length = 0_usize;
    for character in after.take_while(is_of_authority) {
        let byte = character.and_then(|character| u8::try_from(character).ok());
        let (Some(byte), Some(place)) = (byte, host.get_mut(length)) else { return true };
        // The name of a user precedes it.
        if byte == b'@' {
            length = 0;
            continue;
        }
        *place = byte.to_ascii_lowercase();
        length = length.saturating_add(1);
    }
    let host = host.get(..length).unwrap_or_default();
    let without_port = match host.iter().rposition(|byte| *byte == b':') {
        Some(colon) if !host.ends_with(b"]") => host.get(..colon).unwrap_or_default(),
        _ => host,
    };
    !(without_port == b"localhost"
        || without_port.ends_with(b".localhost")
        || without_port.starts_with(b"127.")
        || without_port == b"[::1]")
}

/// Returns whether the text contains the beginning of a URL with the scheme `http` or `https`.
pub(in crate::shape) fn contains_web_address(text: RawStr<'_>) -> bool {
    const LONG: u64 = u64::from_be_bytes(*b"https://");
    const SHORT: u64 = u64::from_be_bytes(*b"\0http://");
    // The last eight characters, in lower case. One beyond ASCII is a zero.
    let mut last = 0_u64;
    text.chars().any(|character| {
        let byte = character.ok().and_then(|character| u8::try_from(character).ok());
        last = last << 8 | u64::from(byte.unwrap_or_default().to_ascii_lowercase());
        last == LONG || last & (u64::MAX >> 8) == SHORT
    })
}

/// Returns whether the text begins with this one, which is in lower case.
fn begins(text: RawStr<'_>, start: &str) -> bool {
    let mut characters = text.chars().map(Result::ok);
    let is_next = |expected: char| {
        let character = characters.next().flatten();
        character.is_some_and(|character| character.eq_ignore_ascii_case(&expected))
    };
    start.chars().all(is_next)
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::check;

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
    fn a_root_is_a_file_and_an_icon_comes_from_the_web_or_is_in_the_uri() {
        check(
            Format::RootUri,
            &[r#""file:///a""#, r#""FILE:///a""#, r#""f\u0069le:///""#],
            &[r#""file:a""#, r#""http://a""#, r#""files:///a""#, r#""file""#, r#""file:///a b""#],
        );
        check(
            Format::IconUri,
            &[r#""https://a/b.png""#, r#""HTTP://a""#, r#""data:image/png;base64,aGk=""#],
            &[
                r#""javascript:alert(1)""#,
                r#""file:///a""#,
                r#""ftp://a""#,
                r#""a.png""#,
                r#""data""#,
            ],
        );
    }

    #[test]
    fn a_page_of_this_machine_needs_no_tls() {
        use super::super::tests::text;
        for (url, expected) in [
            (r#""http://example.com/a""#, true),
            (r#""HTTP:\/\/example.com""#, true),
            (r#""http://localhost.example.com""#, true),
            (r#""http://localhost@example.com""#, true),
            (r#""http://[2001:db8::1]:80/""#, true),
            (r#""https://example.com""#, false),
            (r#""http://localhost:3000/a?b""#, false),
            (r#""http://me@app.LOCALHOST""#, false),
            (r#""http://127.0.0.1:80#c""#, false),
            (r#""http://[::1]:80/""#, false),
            (r#""http://[::1]""#, false),
            (r#""ftp://example.com""#, false),
        ] {
            assert_eq!(super::is_insecure(text(url)), expected, "{url}");
        }
    }

    #[test]
    fn a_web_address_is_found_in_a_text() {
        use super::super::tests::text;
        for (json, expected) in [
            (r#""see https://example.com""#, true),
            (r#""(HTTP:\/\/a)""#, true),
            (r#""http://""#, true),
            (r#""ahttps://""#, true),
            (r#""https:/ /a""#, false),
            (r#""ftp://a, http, ://""#, false),
            (r#""""#, false),
        ] {
            assert_eq!(super::contains_web_address(text(json)), expected, "{json}");
        }
    }
}
