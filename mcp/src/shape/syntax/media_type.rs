//! Media types.

use tautline::RawStr;

use crate::token::is_of_token;

/// Returns whether the text is a media type: a type, a slash, a subtype, and maybe parameters (RFC 6838, section 4.2;
/// RFC 9110, section 8.3.1). Parameters are only held to the characters of a header's value.
pub(super) fn is_media_type(text: RawStr<'_>) -> bool {
    let mut characters = text.chars().map(Result::ok);
    let (mut has_slash, mut is_empty) = (false, true);
    loop {
        match characters.next() {
            Some(Some(character)) if is_of_token(character) => is_empty = false,
            Some(Some('/')) if !has_slash && !is_empty => (has_slash, is_empty) = (true, true),
            Some(Some(';' | ' ' | '\t')) if has_slash && !is_empty => break,
            None => return has_slash && !is_empty,
            Some(_) => return false,
        }
    }
    characters.all(|character| matches!(character, Some(' '..='~' | '\t')))
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::check;

    #[test]
    fn a_media_type_has_a_type_and_a_subtype() {
        check(
            Format::MediaType,
            &[
                r#""text/plain""#,
                r#""image/svg+xml""#,
                r#""application/vnd.a-b.c""#,
                r#""text/html;profile=mcp-app""#,
                r#""text/plain; charset=\"utf-8\"""#,
                r#""image\/png""#,
                r#""x/*""#,
            ],
            &[
                r#""""#,
                r#""text""#,
                r#""text/""#,
                r#""/plain""#,
                r#""a/b/c""#,
                r#""text /plain""#,
                r#""text;a/b""#,
                r#""tëxt/plain""#,
                r#""text/plain;a=\n""#,
            ],
        );
    }
}
