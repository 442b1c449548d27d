//! The values of headers that mirror the body: as they are, or in Base64 (2026-07-28,
//! basic/transports/streamable-http, value encoding).

use tautline::{RawJson, RawNumber, RawStr, Rule};

use super::field::is_plain;
use crate::rule;

pub(super) const PREFIX: &[u8] = b"=?base64?";
pub(super) const SUFFIX: &[u8] = b"?=";

/// The maximum length of a number that is compared, in bytes.
const LONGEST_NUMBER: usize = 64;

/// A value that may be compared with the body.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'h> {
    Plain(&'h [u8]),
    /// Base64 that is well-formed.
    Encoded(&'h [u8]),
}

impl<'h> Value<'h> {
    /// Reads a value without the whitespace around it. The error is the rule that the value breaks.
    pub(super) fn parse(value: &'h [u8]) -> Result<Self, Rule> {
        if !is_plain(value) {
            return Err(rule::HTTP_HEADER_CHARACTERS);
        }
        if !value.starts_with(PREFIX) || !value.ends_with(SUFFIX) {
            return Ok(Self::Plain(value));
        }
        // The prefix and the suffix of `=?base64?=` overlap.
        let payload = value.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX));
        let payload =
            payload.filter(|payload| is_base64(payload)).ok_or(rule::HTTP_HEADER_ENCODING)?;
        Ok(Self::Encoded(payload))
    }

    /// Returns the decoded bytes.
    fn bytes(self) -> impl Iterator<Item = u8> {
        let (plain, encoded): (&[u8], &[u8]) = match self {
            Self::Plain(plain) => (plain, b""),
            Self::Encoded(encoded) => (b"", encoded),
        };
        plain.iter().copied().chain(encoded.chunks(4).flat_map(decode))
    }

    pub(super) fn is_string(self, text: RawStr<'_>) -> bool {
        if let (Self::Plain(plain), Some(text)) = (self, text.unescaped()) {
            return plain == text.as_bytes();
        }
        let mut bytes = self.bytes();
        for character in text.chars() {
            let Ok(character) = character else { return false };
            let mut room = [0; 4];
            for &byte in character.encode_utf8(&mut room).as_bytes() {
                if bytes.next() != Some(byte) {
                    return false;
                }
            }
        }
        bytes.next().is_none()
    }

    /// Returns whether the value is a number of JSON with the same value, in any notation.
    pub(super) fn is_number(self, number: RawNumber<'_>) -> bool {
        let mut room = [0; LONGEST_NUMBER];
        let mut length = 0_usize;
        for byte in self.bytes() {
            let Some(place) = room.get_mut(length) else { return false };
            *place = byte;
            length = length.wrapping_add(1);
        }
        let text = room.get(..length).unwrap_or_default();
        // No JSON whitespace counts: `parse` would skip it.
        let is_tight = text.first().zip(text.last()).is_some_and(|(first, last)| {
            !first.is_ascii_whitespace() && !last.is_ascii_whitespace()
        });
        let value = RawJson::parse(text).ok().and_then(|value| value.number());
        is_tight && value.is_some_and(|value| value.is_worth(&number))
    }

    pub(super) fn is_text(self, text: &str) -> bool {
        self.bytes().eq(text.bytes())
    }
}

/// Returns whether the bytes are Base64 with the standard alphabet, with its padding, and without stray bits (RFC 4648,
/// sections 3.5 and 4).
fn is_base64(payload: &[u8]) -> bool {
    let (data, padding) = match payload {
        [data @ .., b'=', b'='] => (data, 2),
        [data @ .., b'='] => (data, 1),
        data => (data, 0),
    };
    // The bits of the last digit that no byte uses.
    let stray = match padding {
        2 => 0b1111,
        1 => 0b11,
        _ => 0,
    };
    payload.len().is_multiple_of(4)
        && data.iter().all(|&byte| digit(byte).is_some())
        && data.last().and_then(|&last| digit(last)).is_none_or(|last| last & stray == 0)
}

/// Decodes four digits, of which the last ones may be padding.
fn decode(group: &[u8]) -> impl Iterator<Item = u8> + use<> {
    let digits = group.iter().map_while(|&byte| digit(byte));
    let (bits, count) = digits.fold((0_u32, 0_usize), |(bits, count), digit| {
        (bits << 6 | u32::from(digit), count.wrapping_add(1))
    });
    let missing = 4_usize.saturating_sub(count);
    let bits = (0..missing).fold(bits, |bits, _| bits << 6);
    let [_, bytes @ ..] = bits.to_be_bytes();
    bytes.into_iter().take(count.saturating_sub(1))
}

/// Returns the value of a digit of Base64.
const fn digit(byte: u8) -> Option<u8> {
    Some(match byte {
        b'A'..=b'Z' => byte.wrapping_sub(b'A'),
        b'a'..=b'z' => byte.wrapping_sub(b'a').wrapping_add(26),
        b'0'..=b'9' => byte.wrapping_sub(b'0').wrapping_add(52),
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::format;
    use std::string::String;
    use std::vec::Vec;

    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use tautline::RawJson;

    use super::{Value, is_base64};
    use crate::rule;

    fn is_string(value: &str, json: &str) -> bool {
        let text = RawJson::parse(json.as_bytes()).unwrap().string().unwrap();
        Value::parse(value.as_bytes()).unwrap().is_string(text)
    }

    #[test]
    fn the_examples_of_the_specification() {
        for (json, value) in [
            (r#""us-west1""#, "us-west1"),
            ("\"Hello, 世界\"", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (r#"" padded ""#, "=?base64?IHBhZGRlZCA=?="),
            (r#""line1\nline2""#, "=?base64?bGluZTEKbGluZTI=?="),
            (r#""=?base64?literal?=""#, "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
            (r#""""#, "=?base64??="),
            (r#""\u0061""#, "a"),
            // Not the pattern: the case, the end and the start matter.
            (r#""=?BASE64?YQ==?=""#, "=?BASE64?YQ==?="),
            (r#""=?base64?YQ==""#, "=?base64?YQ=="),
            (r#""YQ==?=""#, "YQ==?="),
        ] {
            assert!(is_string(value, json), "{json}");
        }
        for (json, value) in [
            (r#""us-west1""#, "us-west2"),
            (r#""us-west1""#, "us-west"),
            (r#""us-west""#, "us-west1"),
            (r#""US""#, "us"),
            // The other half of a pair is missing.
            (r#""\ud800""#, "=?base64?7aCA?="),
            (r#""YQ==""#, "=?base64?YQ==?="),
        ] {
            assert!(!is_string(value, json), "{json}");
        }
    }

    #[test]
    fn what_is_malformed_has_its_rule() {
        for (value, rule) in [
            ("caf\u{e9}", rule::HTTP_HEADER_CHARACTERS),
            ("a\u{7f}", rule::HTTP_HEADER_CHARACTERS),
            ("a\u{1}b", rule::HTTP_HEADER_CHARACTERS),
            ("=?base64?SGVsbG8?=", rule::HTTP_HEADER_ENCODING),
            ("=?base64?SGVs!!!bG8=?=", rule::HTTP_HEADER_ENCODING),
            ("=?base64?literal?=", rule::HTTP_HEADER_ENCODING),
            ("=?base64?=", rule::HTTP_HEADER_ENCODING),
            ("=?base64?YR==?=", rule::HTTP_HEADER_ENCODING),
            ("=?base64?-_8=?=", rule::HTTP_HEADER_ENCODING),
        ] {
            assert_eq!(Value::parse(value.as_bytes()).unwrap_err(), rule, "{value}");
        }
    }

    #[test]
    fn numbers_compare_by_value() {
        let is_number = |value: &str, json: &str| {
            let number = RawJson::parse(json.as_bytes()).unwrap().number().unwrap();
            Value::parse(value.as_bytes()).unwrap().is_number(number)
        };
        let long = format!("42.{}", "0".repeat(61));
        for (value, json) in [
            ("42.0", "42"),
            ("42", "42.0"),
            ("4.2e1", "42"),
            ("-0", "0"),
            ("=?base64?NDI=?=", "42"),
            (&long, "42"),
        ] {
            assert!(is_number(value, json), "{value} {json}");
        }
        for (value, json) in [
            ("43", "42"),
            ("042", "42"),
            ("+42", "42"),
            ("0x2a", "42"),
            ("", "0"),
            ("=?base64?IDQy?=", "42"),
            ("-42", "42"),
            // Doubles would not tell them apart.
            ("9007199254740993", "9007199254740992"),
            (&format!("{long}0"), "42"),
        ] {
            assert!(!is_number(value, json), "{value} {json}");
        }
    }

    #[test]
    fn base64_is_that_of_the_crate_base64() {
        let mut texts: Vec<String> = (0..60).map(|n| STANDARD.encode(vec![n; n.into()])).collect();
        for n in 0..=u8::MAX {
            for text in ["", "Y", "YQ", "YQ=", "YQ==", "YWI=", "YWJj", "YWJj="] {
                for at in 0..=text.len() {
                    let mut text: Vec<char> = text.chars().collect();
                    text.insert(at, n.into());
                    texts.push(text.iter().collect());
                    text.truncate(4);
                    texts.push(text.into_iter().collect());
                }
            }
        }
        for text in &texts {
            let decoded = STANDARD.decode(text);
            assert_eq!(is_base64(text.as_bytes()), decoded.is_ok(), "{text}");
            if let Ok(decoded) = decoded {
                let own: Vec<u8> = Value::Encoded(text.as_bytes()).bytes().collect();
                assert_eq!(own, decoded, "{text}");
            }
        }
    }

    use std::vec;
}
