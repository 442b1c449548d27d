//! The value of `baggage` (W3C Baggage, section 3).

use tautline::RawStr;

use crate::token::is_of_token;

/// The position in a list of entries, each with properties.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before a key.
    Before(Part),
    /// In a key.
    Key(Part),
    /// In blanks after a key.
    AfterKey(Part),
    /// Before a value, or in an empty one.
    BeforeValue,
    /// In a value.
    Value,
    /// In blanks after a value.
    AfterValue,
}

/// A part of an entry. A property may go without a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Entry,
    Property,
}

/// Returns whether the text is a list of entries, `key=value;property`, with commas between them.
pub(in crate::shape) fn is_baggage(text: RawStr<'_>) -> bool {
    let mut state = State::Before(Part::Entry);
    for character in text.chars() {
        let Ok(character) = character else { return false };
        let is_blank = matches!(character, ' ' | '\t');
        state = match state {
            State::Before(_) | State::AfterKey(_) | State::BeforeValue | State::AfterValue
                if is_blank =>
            {
                state
            }
            State::Before(part) | State::Key(part) if is_of_token(character) => State::Key(part),
            State::Key(part) if is_blank => State::AfterKey(part),
            State::Key(_) | State::AfterKey(_) if character == '=' => State::BeforeValue,
            State::Value if is_blank => State::AfterValue,
            State::BeforeValue | State::Value if is_of_value(character) => State::Value,
            _ if may_end(state) && character == ',' => State::Before(Part::Entry),
            _ if may_end(state) && character == ';' => State::Before(Part::Property),
            _ => return false,
        };
    }
    may_end(state)
}

/// Returns whether an entry may end here.
const fn may_end(state: State) -> bool {
    matches!(
        state,
        State::Key(Part::Property)
            | State::AfterKey(Part::Property)
            | State::BeforeValue
            | State::Value
            | State::AfterValue
    )
}

/// Returns whether the character may be in a value: a visible one of ASCII, except the quotation mark, the comma, the
/// semicolon and the backslash.
const fn is_of_value(character: char) -> bool {
    matches!(character, '!' | '#'..='+' | '-'..=':' | '<'..='[' | ']'..='~')
}

#[cfg(test)]
mod tests {
    use std::format;

    use super::super::tests::text;
    use super::is_baggage;

    #[test]
    fn baggage_has_keys_values_and_properties() {
        for (value, expected) in [
            ("userId=alice,serverNode=DF%2028,isProduction=false", true),
            ("key1=value1;property1;property2, key2 = value2, key3=value3; propertyKey = v", true),
            ("a=", true),
            ("a=b=c", true),
            ("a=1;p;q=2", true),
            ("", false),
            ("a", false),
            ("a=1,", false),
            ("a=1;", false),
            ("a=1,,b=2", false),
            ("a b=1", false),
            ("a=x y", false),
            ("a=\\\"x\\\"", false),
            ("a=ü", false),
            ("=1", false),
        ] {
            assert_eq!(is_baggage(text(&format!("\"{value}\""))), expected, "{value}");
        }
    }
}
