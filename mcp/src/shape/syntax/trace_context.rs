//! The values of `traceparent` and `tracestate` (W3C Trace Context, section 3).

use tautline::RawStr;

/// The number of entries that a `tracestate` may have.
const MOST_ENTRIES: u32 = 32;

/// Returns whether the text is a `traceparent`. Versions after 00 may add fields.
pub(in crate::shape) fn is_traceparent(text: RawStr<'_>) -> bool {
    let mut characters = text.chars().map(Result::ok);
    let Some(version) = hex_field(&mut characters, 2) else { return false };
    let mut has_field = |length: u32| {
        if characters.next() != Some(Some('-')) {
            return None;
        }
        hex_field(&mut characters, length)
    };
    let ids = [has_field(32), has_field(16)];
    let has_ids = ids.iter().all(|id| matches!(id, Some(Digits::Mixed | Digits::AllF)));
    if !has_ids || has_field(2).is_none() || version == Digits::AllF {
        return false;
    }
    match characters.next() {
        None => true,
        Some(next) => version != Digits::AllZero && next == Some('-'),
    }
}

/// The digits of a field.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Digits {
    AllZero,
    AllF,
    Mixed,
}

/// Reads a field of this many hexadecimal digits in lower case.
fn hex_field(characters: &mut impl Iterator<Item = Option<char>>, length: u32) -> Option<Digits> {
    let (mut is_zero, mut is_f) = (true, true);
    for _ in 0..length {
        let digit = characters.next().flatten()?;
        if !matches!(digit, '0'..='9' | 'a'..='f') {
            return None;
        }
        is_zero &= digit == '0';
        is_f &= digit == 'f';
    }
    Some(match (is_zero, is_f) {
        (true, _) => Digits::AllZero,
        (_, true) => Digits::AllF,
        _ => Digits::Mixed,
    })
}

/// Returns whether the text is a `tracestate`: entries with commas between them, of which any may be empty.
pub(in crate::shape) fn is_tracestate(text: RawStr<'_>) -> bool {
    let (mut state, mut entries, mut length) = (State::Before, 0_u32, 0_u32);
    for character in text.chars() {
        let Ok(character) = character else { return false };
        let is_blank = matches!(character, ' ' | '\t');
        (state, length) = match (state, character) {
            (State::Before, _) if is_blank => (state, 0),
            (State::Before, ',') => (state, 0),
            (State::Before, 'a'..='z' | '0'..='9') => {
                entries = entries.saturating_add(1);
                (State::Key, 1)
            }
            (State::Key, '=') => (State::Value { is_blank: true }, 0),
            (State::Key, 'a'..='z' | '0'..='9' | '_' | '-' | '*' | '/' | '@') => {
                (state, length.saturating_add(1))
            }
            (State::Value { is_blank: false }, ',') => (State::Before, 0),
            // Blanks at the end are not part of the value.
            (State::Value { .. }, '\t') => (state, length),
            (State::Value { is_blank }, ' ') => (State::Value { is_blank }, length),
            (State::Value { .. }, '!'..='~') if character != '=' && character != ',' => {
                (State::Value { is_blank: false }, length.saturating_add(1))
            }
            _ => return false,
        };
        if length > 256 {
            return false;
        }
    }
    matches!(state, State::Before | State::Value { is_blank: false }) && entries <= MOST_ENTRIES
}

/// The position in a `tracestate`.
#[derive(Clone, Copy)]
enum State {
    /// Before an entry.
    Before,
    /// In the key of an entry.
    Key,
    /// In the value of an entry. So far it may consist of blanks.
    Value { is_blank: bool },
}

#[cfg(test)]
mod tests {
    use std::format;
    use std::string::String;

    use super::super::tests::text;
    use super::{is_traceparent, is_tracestate};

    #[test]
    fn a_traceparent_has_four_fields() {
        let ids = "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7";
        for (value, expected) in [
            (format!("00-{ids}-01"), true),
            (format!("00-{ids}-ff"), true),
            (format!("cc-{ids}-01-what.ever"), true),
            (format!("cc-{ids}-01what"), false),
            (format!("00-{ids}-01-what"), false),
            (format!("ff-{ids}-01"), false),
            (format!("00-{ids}"), false),
            (format!("00-{ids}-1"), false),
            (format!("00-{}-01", ids.to_uppercase()), false),
            (format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32)), false),
            (format!("00-4bf92f3577b34da6a3ce929d0e0e4736-{}-01", "0".repeat(16)), false),
            (format!("00_{ids}-01"), false),
            (String::new(), false),
        ] {
            assert_eq!(is_traceparent(text(&format!("\"{value}\""))), expected, "{value}");
        }
    }

    #[test]
    fn a_tracestate_has_keys_and_values() {
        let many = |count: usize| "a=1,".repeat(count);
        for (value, expected) in [
            ("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE", true),
            ("a=1 , \\tb/c@d=2 x,,", true),
            ("0=!", true),
            ("", true),
            ("a", false),
            ("a=", false),
            ("a=,b=1", false),
            ("A=1", false),
            ("a=b=c", false),
            ("a=1;b=2\\n", false),
            ("_a=1", false),
            ("a=ü", false),
            (&many(32), true),
            (&many(33), false),
            (&format!("a={}", "x".repeat(256)), true),
            (&format!("a={}", "x".repeat(257)), false),
        ] {
            assert_eq!(is_tracestate(text(&format!("\"{value}\""))), expected, "{value}");
        }
    }
}
