//! Text that tools write although JSON or UTF-8 does not allow it.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use tautline::scan::offset_of;

/// Returns the bytes as text of the same length. A `?` takes the place of each byte that is not UTF-8.
pub(super) fn masked(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    Cow::Owned(text)
}

/// Returns the range of a part in a text. The part must be a slice of the text.
pub(super) fn range(text: &str, part: &str) -> Range<usize> {
    let start = offset_of(part.as_bytes(), text.as_bytes()).unwrap_or_default();
    start..start.saturating_add(part.len())
}

/// Returns whether bytes may be a message of JSON-RPC, well-formed or not.
pub(super) fn mentions_jsonrpc(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, b"\"jsonrpc\"").is_some()
}

/// Deserializes a member so that `null` counts as a value.
pub(super) fn present<'de, D>(from: D) -> Result<Option<&'de RawValue>, D::Error>
where
    D: Deserializer<'de>,
{
    <&RawValue>::deserialize(from).map(Some)
}

/// Returns the text of a JSON string, as bytes. A lone surrogate stands for the byte that Python's `surrogateescape`
/// represents by it, or otherwise for U+FFFD. Returns `None` for a value that is not a string.
pub(super) fn unescaped(raw: &RawValue) -> Option<Vec<u8>> {
    let quoted = raw.get().trim();
    let mut rest = quoted.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = Vec::with_capacity(rest.len());
    while let Some((before, escaped)) = rest.split_once('\\') {
        text.extend_from_slice(before.as_bytes());
        rest = unescape(escaped, &mut text)?;
    }
    text.extend_from_slice(rest.as_bytes());
    Some(text)
}

/// Decodes the escape after a backslash, and returns what comes after it.
fn unescape<'a>(escaped: &'a str, text: &mut Vec<u8>) -> Option<&'a str> {
    let mut chars = escaped.chars();
    let plain = match chars.next()? {
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'u' => {
            let (unit, rest) = unit(chars.as_str())?;
            let pair = rest.strip_prefix("\\u").and_then(self::unit);
            if let (0xD800..=0xDBFF, Some((low @ 0xDC00..=0xDFFF, after))) = (unit, pair) {
                push(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00), text);
                return Some(after);
            }
            push(unit, text);
            return Some(rest);
        }
        c @ ('"' | '\\' | '/') => c,
        _ => return None,
    };
    text.extend_from_slice(plain.encode_utf8(&mut [0; 4]).as_bytes());
    Some(chars.as_str())
}

/// Reads four hexadecimal digits.
fn unit(text: &str) -> Option<(u32, &str)> {
    let (digits, rest) = text.split_at_checked(4)?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| u32::from_str_radix(digits, 16).ok().map(|unit| (unit, rest)))?
}

fn push(code: u32, text: &mut Vec<u8>) {
    if let (0xDC80..=0xDCFF, Ok(byte)) = (code, u8::try_from(code & 0xFF)) {
        return text.push(byte);
    }
    let c = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
    text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

/// A JSON string that may contain lone surrogates.
#[derive(Debug, Default)]
pub(super) struct Lenient(pub String);

impl<'de> Deserialize<'de> for Lenient {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(from)?;
        let text = unescaped(raw).unwrap_or_default();
        Ok(Self(String::from_utf8_lossy(&text).into_owned()))
    }
}

/// Returns the first JSON value of a text, and what comes after it.
pub(super) fn first_value(text: &str) -> Option<(&RawValue, &str)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let value = values.next()?.ok()?;
    Some((value, text.get(values.byte_offset()..)?))
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::{first_value, masked, range, unescaped};

    fn decoded(json: &str) -> Option<Vec<u8>> {
        unescaped(serde_json::from_str::<&RawValue>(json).unwrap())
    }

    #[test]
    fn lone_surrogates_are_bytes_or_replaced() {
        assert_eq!(decoded(r#""a\udcff\udcfeb""#).unwrap(), b"a\xFF\xFEb");
        assert_eq!(decoded(r#""\ud83d\ude00\/""#).unwrap(), "😀/".as_bytes());
        assert_eq!(decoded(r#""\ud83d\ud83d\ude00""#).unwrap(), "\u{FFFD}😀".as_bytes());
        assert_eq!(decoded(r#""\ud83d\n\udc00""#).unwrap(), "\u{FFFD}\n\u{FFFD}".as_bytes());
        assert_eq!(decoded("42"), None);
    }

    #[test]
    fn masked_text_has_the_same_places() {
        let bytes = b"\xFFa\xC3\xA9\xE2\x82 {1}";
        let text = masked(bytes);
        assert_eq!(text, "?aé?? {1}");
        let part = text.get(6..).unwrap();
        assert_eq!(&bytes[range(&text, part)], b" {1}");
    }

    #[test]
    fn the_first_value_ends_before_other_text() {
        let (value, rest) = first_value(r#" {"a":[1,"}"]} { metadata: undefined }"#).unwrap();
        assert_eq!((value.get(), rest), (r#"{"a":[1,"}"]}"#, " { metadata: undefined }"));
        assert!(first_value("{\"a\":").is_none());
    }
}
