//! Tokens of HTTP, which media types and header names consist of.

/// Returns whether the character may be in a token (RFC 9110, section 5.6.2).
pub(crate) const fn is_of_token(character: char) -> bool {
    matches!(
        character,
        'a'..='z' | 'A'..='Z' | '0'..='9'
        | '!' | '#' | '$' | '%' | '&' | '\'' | '*' | '+' | '-' | '.' | '^' | '_' | '`' | '|' | '~'
    )
}
