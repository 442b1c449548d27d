//! Skips through text that is known to be valid, where only brackets and strings matter.
//!
//! Text that is not validated yet has its own code. `scan` skips values nested too deep but still validates
//! their strings. Text that arrives in pieces (`scan/resumable.rs`, `frame/concatenated.rs`) can pause at any
//! byte.

use crate::bytes::{FAST, run_of};
use crate::cast::index;
use crate::scan;

/// A position in the text of a value, outside strings.
#[derive(Clone, Debug)]
pub(super) struct Place<'text> {
    text: &'text [u8],
    pub(super) at: usize,
    /// The number of containers open at the position.
    pub(super) depth: usize,
}

impl<'text> Place<'text> {
    /// Creates a position at the start of a value.
    pub(super) const fn before(text: &'text [u8], at: usize) -> Self {
        Self { text, at, depth: 0 }
    }

    /// Skips the string, bracket or other byte at the position, and returns its first byte. Returns `None` at
    /// the end of the text.
    // Not a call for each token of a long text. On a microcontroller, one copy is enough.
    #[cfg_attr(not(any(target_os = "none", target_os = "unknown")), inline(always))]
    pub(super) fn step(&mut self) -> Option<u8> {
        let first = *self.text.get(self.at)?;
        match first {
            b'"' => self.at = string(self.text, self.at),
            b'{' | b'[' => {
                self.depth = self.depth.wrapping_add(1);
                self.at = self.at.wrapping_add(1);
            }
            b'}' | b']' => {
                self.depth = self.depth.wrapping_sub(1);
                self.at = self.at.wrapping_add(1);
            }
            _ if self.depth == 0 => self.at = scalar(self.text, self.at),
            // Skipping a whole number is faster than stepping through it.
            b'0'..=b'9' if FAST => self.at = scalar(self.text, self.at),
            _ => self.at = self.at.wrapping_add(1),
        }
        Some(first)
    }

    /// Returns the index after the container whose opening bracket has just been passed, if a vector unit finds its end
    /// within this many bytes.
    pub(super) fn past_container(&self, open: u8, near: usize) -> Option<usize> {
        let limit = self.at.saturating_add(near).min(self.text.len());
        let after = scan::container(self.text.get(..limit)?, self.at, open, 1)?;
        (after < limit).then_some(after)
    }
}

/// Returns the index after the string whose opening quote is at index `at`.
#[inline]
pub(super) fn string(text: &[u8], at: usize) -> usize {
    if FAST {
        let quote = to_quote(text, at.wrapping_add(1));
        if text.get(quote.wrapping_sub(1)) != Some(&b'\\') {
            return quote.wrapping_add(1).min(text.len());
        }
    }
    escaped_string(text, at)
}

/// Returns the index after the string whose opening quote is at index `at`, and which may have escapes.
fn escaped_string(text: &[u8], at: usize) -> usize {
    let start = at.wrapping_add(1);
    let mut at = start;
    if let Some(quote) = scan::string_end(text, start) {
        return quote.wrapping_add(1).min(text.len());
    }
    while FAST {
        at = past_escaped_quotes(text, at);
        at = to_quote(text, at);
        if at >= text.len() {
            return text.len();
        }
        // The quote is part of an escape after an odd number of backslashes.
        let before = text.get(start..at).unwrap_or_default();
        let backslashes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
        if backslashes % 2 == 0 {
            return at.wrapping_add(1);
        }
        at = at.wrapping_add(1);
    }
    loop {
        match text.get(at) {
            Some(b'\\') => at = at.wrapping_add(2),
            Some(b'"') => return at.wrapping_add(1),
            Some(_) => at = at.wrapping_add(1),
            None => return text.len(),
        }
    }
}

/// Skips blocks of a string that have no quotes, or none but those after a single backslash, which do not end it.
fn past_escaped_quotes(text: &[u8], mut at: usize) -> usize {
    const BLOCK: usize = 32;
    // The two bytes before the block show whether its first quotes are escaped. On a microcontroller, this is no
    // faster than a search for each quote.
    while cfg!(not(any(target_os = "none", target_os = "unknown")))
        && let Some(window) = text.get(at.wrapping_sub(2)..)
        && let Some(window) = window.first_chunk::<{ BLOCK + 2 }>()
    {
        // Nothing ends the loop early, so compilers vectorise it.
        let mut stops = [0_u8; BLOCK];
        let triples = window.iter().zip(window.iter().skip(1)).zip(window.iter().skip(2));
        for (stop, ((&second, &first), &byte)) in stops.iter_mut().zip(triples) {
            let is_escaped = (first == b'\\') & (second != b'\\');
            *stop = u8::from((byte == b'"') & !is_escaped);
        }
        if stops.iter().fold(0, |any, stop| any | stop) != 0 {
            break;
        }
        at = at.wrapping_add(BLOCK);
    }
    at
}

/// A container with this many strings is not treated as a small one.
const FEW: u32 = 6;

/// Nor is any in a text with this many bytes left. Blocks are slow at its end.
const LONG: usize = 512;

/// Returns the index after the container whose opening bracket is at index `at`.
///
/// Brackets of the other kind are balanced, so they can be ignored. So can numbers and literals.
fn container(text: &[u8], at: usize, open: u8, close: u8) -> usize {
    let inside = at.wrapping_add(1);
    if text.get(inside) == Some(&close) {
        return inside.wrapping_add(1);
    }
    // A vector unit counts the brackets of many strings together.
    if text.len().wrapping_sub(at) >= LONG
        && let Some(end) = scan::container(text, inside, open, 1)
    {
        return end;
    }
    let (mut at, mut depth, mut strings) = (inside, 1_usize, 0_u32);
    loop {
        at = to_string_or_bracket(text, at, open, close);
        match text.get(at) {
            Some(b'"') => {
                at = after_separator(text, string(text, at));
                strings = strings.wrapping_add(1);
                // Most containers end soon.
                if strings == FEW
                    && let Some(end) = scan::container(text, at, open, depth)
                {
                    return end;
                }
                continue;
            }
            Some(byte) if *byte == open => depth = depth.wrapping_add(1),
            Some(_) => depth = depth.wrapping_sub(1),
            None => return text.len(),
        }
        at = at.wrapping_add(1);
        if depth == 0 {
            return at;
        }
        at = after_separator(text, at);
    }
}

/// Returns the index after the comma or colon at index `at`, or `at` if there is none. The next string or bracket often
/// follows directly.
#[inline]
pub(super) fn after_separator(text: &[u8], at: usize) -> usize {
    match text.get(at) {
        Some(b',' | b':') => at.wrapping_add(1),
        _ => at,
    }
}

/// Returns the index of the next quote or bracket of this kind, or the length of the text.
#[inline]
fn to_string_or_bracket(text: &[u8], at: usize, open: u8, close: u8) -> usize {
    let ends = [b'"', open, close];
    let mut rest = text.get(at..).unwrap_or_default();
    if rest.first().is_some_and(|first| ends.contains(first)) {
        return at;
    }
    // Most distances are short, and comparing two words is faster than a call.
    for _ in 0..2 {
        let Some((word, after)) = rest.split_first_chunk() else { break };
        let word = u64::from_le_bytes(*word);
        let found = ends.iter().fold(0, |found, &end| found | places_of(end, word));
        if found != 0 {
            let place = index(found.trailing_zeros() >> 3);
            return text.len().wrapping_sub(rest.len()).wrapping_add(place);
        }
        rest = after;
    }
    let place = memchr::memchr3(b'"', open, close, rest).unwrap_or(rest.len());
    text.len().wrapping_sub(rest.len()).wrapping_add(place)
}

/// Returns the index of the next quote, or the length of the text.
#[inline]
fn to_quote(text: &[u8], at: usize) -> usize {
    let mut rest = text.get(at..).unwrap_or_default();
    // Names and many other strings are short, but of any length, so one branch serves all of them.
    if let Some((first, after)) = rest.split_first_chunk()
        && let Some((second, after)) = after.split_first_chunk()
    {
        let [first, second] =
            [first, second].map(|word| places_of(b'"', u64::from_le_bytes(*word)));
        if first | second != 0 {
            let (places, before) = if first == 0 { (second, 8) } else { (first, 0) };
            return at.wrapping_add(before).wrapping_add(index(places.trailing_zeros() >> 3));
        }
        rest = after;
    }
    let place = memchr::memchr(b'"', rest).unwrap_or(rest.len());
    text.len().wrapping_sub(rest.len()).wrapping_add(place)
}

/// Returns the length of the string with contents from index `at`, and its bytes, which zeros follow. Returns `None` if
/// it is longer than 15 bytes, if it may not end at its first quote, or at the end of the text.
#[inline(always)]
pub(super) fn short_string(text: &[u8], at: usize) -> Option<(usize, u128)> {
    const ONES: u128 = u128::from_le_bytes([1; 16]);
    let bytes = text.get(at..)?.first_chunk()?;
    let word = u128::from_le_bytes(*bytes);
    // As in `places_of`.
    let other = word ^ u128::from_le_bytes([b'"'; 16]);
    let quotes = other.wrapping_sub(ONES) & !other & ONES << 7;
    let first = quotes & quotes.wrapping_neg();
    let length = index(quotes.trailing_zeros() >> 3);
    if quotes == 0 || text.get(at.wrapping_add(length).wrapping_sub(1)) == Some(&b'\\') {
        return None;
    }
    Some((length, word & (first >> 7).wrapping_sub(1)))
}

/// Returns the index of the next quote or curly brace. Index `at` must be outside strings.
#[inline]
pub(super) fn to_string_or_brace(text: &[u8], at: usize) -> usize {
    if let Some(b'"' | b'{' | b'}') = text.get(at) {
        return at;
    }
    let mut rest = text.get(at..).unwrap_or_default();
    // Most distances are short, and comparing two words is faster than a call.
    for _ in 0..2 {
        let Some((word, after)) = rest.split_first_chunk() else { break };
        let word = u64::from_le_bytes(*word);
        // Outside strings, only curly braces are 0x78 or above. Marks inside a string come after its quote.
        let found = places_of(b'"', word) | word.wrapping_add(ONES << 3) & ONES << 7;
        if found != 0 {
            let place = index(found.trailing_zeros() >> 3);
            return text.len().wrapping_sub(rest.len()).wrapping_add(place);
        }
        rest = after;
    }
    let place = memchr::memchr3(b'"', b'{', b'}', rest).unwrap_or(rest.len());
    text.len().wrapping_sub(rest.len()).wrapping_add(place)
}

/// Returns the index of the next byte that is not whitespace. Index `at` must be outside strings.
#[inline]
pub(super) fn whitespace(text: &[u8], mut at: usize) -> usize {
    // Outside strings, bytes up to a space are whitespace.
    while let Some(0..=b' ') = text.get(at) {
        at = at.wrapping_add(1);
    }
    at
}

/// Returns the number of bytes before the first quote in a word, unless a backslash comes before it.
#[inline]
pub(super) const fn plain_before_quote(word: u64) -> Option<u32> {
    let quotes = places_of(b'"', word);
    let before = quotes.wrapping_sub(1) & !quotes;
    if quotes == 0 || places_of(b'\\', word) & before != 0 {
        return None;
    }
    Some(quotes.trailing_zeros() >> 3)
}

/// Returns whether a word contains a backslash.
pub(super) const fn has_backslash(word: u64) -> bool {
    places_of(b'\\', word) != 0
}

const ONES: u64 = u64::from_le_bytes([1; 8]);

/// Sets the highest bit of each byte of a word that equals `byte`. Bytes above the lowest such byte may be marked
/// wrongly.
const fn places_of(byte: u8, word: u64) -> u64 {
    // Bytes that equal `byte` are now 0. The subtraction sets a clear highest bit only in a zero byte, or in a byte
    // from which a lower one borrows.
    let word = word ^ u64::from_le_bytes([byte; 8]);
    word.wrapping_sub(ONES) & !word & ONES << 7
}

/// Returns the index after the value that begins at index `at`.
pub(super) fn value(text: &[u8], at: usize) -> usize {
    match text.get(at) {
        Some(b'"') if FAST => return string(text, at),
        Some(b'{') if FAST => return container(text, at, b'{', b'}'),
        Some(b'[') if FAST => return container(text, at, b'[', b']'),
        Some(b't' | b'n') if FAST => return at.wrapping_add(4).min(text.len()),
        Some(b'f') if FAST => return at.wrapping_add(5).min(text.len()),
        Some(_) if FAST => return scalar(text, at),
        // A fast build never reaches the loop, so compilers leave it out.
        None => return text.len(),
        _ => {}
    }
    let mut place = Place::before(text, at);
    while place.step().is_some() {
        if place.depth == 0 {
            return place.at;
        }
    }
    text.len()
}

/// Returns the index after the object that begins at index `at`, which is the value of a member, or after the last of
/// the members that follow it and have objects as their values. Some of them may be left.
pub(super) fn objects(text: &[u8], mut at: usize) -> usize {
    loop {
        let end = value(text, at);
        match object_after(text, end) {
            Some(next) => at = next,
            None => return end,
        }
    }
}

/// Returns the index of the object that is the value of the member right after index `at`. The name must be short, and
/// without spaces around it.
#[inline]
fn object_after(text: &[u8], at: usize) -> Option<usize> {
    let Some([b',', b'"', ..]) = text.get(at..) else { return None };
    let name = at.wrapping_add(2);
    let (length, _) = short_string(text, name)?;
    let after = name.wrapping_add(length);
    let Some([b'"', b':', b'{', ..]) = text.get(after..) else { return None };
    Some(after.wrapping_add(2))
}

/// Returns the index after the number or literal that contains index `at`.
fn scalar(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or(b"");
    // In valid text, bytes up to a space are whitespace.
    let is_inside = |byte| !matches!(byte, 0..=b' ' | b',' | b'}' | b']');
    // Most are short.
    if FAST && let Some(length) = rest.iter().take(8).position(|byte| !is_inside(*byte)) {
        return at.wrapping_add(length);
    }
    let length = run_of(rest, is_inside);
    at.wrapping_add(length)
}

#[cfg(test)]
mod tests {
    use std::format;
    use std::string::String;

    use super::{LONG, objects, string, value};

    /// Quotes and backslashes are in every place of a block, and the end of the string, too.
    #[test]
    fn a_string_ends_at_its_first_quote_without_escape() {
        for piece in ["", "a", r#"\""#, r"\\", r#"\\\""#, r#"a\"bc\\"#] {
            for before in 0..80 {
                for after in [0, 1, 2, 3, 29, 30, 31, 32, 33, 34, 100] {
                    let inside: String =
                        ["x".repeat(before), piece.repeat(3), "y".repeat(after)].concat();
                    for more in ["", "\"", ",\"z\":\"\\\"\"}, and more that is longer than a block"]
                    {
                        let text = format!("\"{inside}\\n{piece}\"{more}");
                        let end = text.len() - more.len();
                        assert_eq!(string(text.as_bytes(), 0), end, "{text}");
                        let text = format!("[{text}");
                        assert_eq!(string(text.as_bytes(), 1), end + 1, "{text}");
                    }
                }
            }
        }
    }

    /// The number of strings in a container, and the length of the text after it, decide how its end is found.
    #[test]
    fn a_container_ends_at_its_bracket_whatever_follows() {
        const PARTS: [&str; 6] =
            ["1", "{}", r#"["]"]"#, r#"{"}":["{"]}"#, r#""\"}]\\""#, r#"[[{"a":[1]}],"]"]"#];
        for part in PARTS {
            for count in 0..12 {
                let members = std::vec![format!("\"k\" : {part}"); count].join(", ");
                let elements = std::vec![part; count].join(",");
                for container in [format!("{{{members}}}"), format!("[{elements}]")] {
                    for after in [0, 1, 63, 64, LONG - 20, LONG - 1, LONG, LONG + 1, 2 * LONG] {
                        let text = format!("{container}{}", "]}\"".repeat(after / 3 + 1));
                        let end = container.len();
                        assert_eq!(value(text.as_bytes(), 0), end, "{text}");
                    }
                }
            }
        }
    }

    /// Members whose values are objects are skipped up to one with another value, and up to the end of the object.
    #[test]
    fn objects_end_where_a_member_has_another_value() {
        let long = format!(r#"{{"d":"{}","e":[{{"f":"}},{{"}}]}}"#, "}".repeat(150));
        let values = ["{}", r#"{"a":{"b":{}}}"#, r#"{"type":"string","c":"}"}"#, &long];
        let others = ["[{}]", "1", "\"{\"", "null"];
        // The last ones are too long or too odd.
        let names = ["", "a", "abcdefg", "abcdefgh", "0123456789abcd", "0123456789abcdef", r#"\""#];
        for (number, name) in names.iter().enumerate() {
            for count in 0..20 {
                let members = (0..count)
                    .map(|at| format!(",\"{name}\":{}", values[at * at / 2 % values.len()]));
                let start = format!("{{\"k\":{}", values[count % values.len()]);
                let run = start.clone() + &members.collect::<String>();
                let other = format!(",\"n\":{},\"m\":{{}}", others[count % others.len()]);
                for after in ["}", &other, " ,\"n\":{}", ",\"n\" :{}", ", \"n\":{}", ",\"n\": {}"] {
                    let text = format!("{run}{after},\"z\":[{}]", "{},".repeat(LONG));
                    let expected = if number < 5 { run.len() } else { start.len() };
                    assert_eq!(objects(text.as_bytes(), 5), expected, "{text}");
                }
            }
        }
    }

    #[test]
    fn a_literal_or_number_ends_before_what_follows() {
        for scalar in ["true", "false", "null", "0", "-1.5e+10", "123456789012345678901234567890"] {
            for after in ["", " ", ",1", "]", "}", "\n"] {
                let text = format!("[{scalar}{after}");
                assert_eq!(value(text.as_bytes(), 1), 1 + scalar.len(), "{text}");
            }
        }
        assert_eq!((value(b"tru", 0), value(b"fals", 0)), (3, 4));
    }

    /// No valid text has such a string, but the walk ends on any text.
    #[test]
    fn a_string_without_its_quote_ends_with_the_text() {
        for length in 0..80 {
            for backslashes in 0..5 {
                let text = format!("\"\\n{}{}", "x".repeat(length), r"\".repeat(backslashes));
                assert_eq!(string(text.as_bytes(), 0), text.len(), "{text}");
            }
        }
    }
}
