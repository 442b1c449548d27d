//! Recordings that are one JSON document, which must be in memory as a whole.

use std::io::{BufRead, Read};

use serde::Deserialize;

use super::SourceError;

/// The longest document that is read, in bytes.
const LONGEST: u64 = 512 * 1024 * 1024;

/// Reads a document.
pub(super) fn read(reader: &mut dyn BufRead) -> Result<Vec<u8>, SourceError> {
    let mut bytes = Vec::new();
    Read::take(reader, LONGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| SourceError::Read { source: 0, error })?;
    if bytes.len() as u64 > LONGEST {
        let why = format!(
            "the document is longer than {} MiB, and must be in memory as a whole: record less at once",
            LONGEST >> 20
        );
        return Err(SourceError::Format { line: 1, why });
    }
    Ok(bytes)
}

/// Parses a document, and returns it with its text. If it is broken, the readable part of it is put into `part` and
/// parsed, and the error is returned, too, with the place of the break.
///
/// # Errors
///
/// Returns the error if no part is readable. It begins with what the document is not.
pub(super) fn parse<'a, T: Deserialize<'a>>(
    text: &'a str,
    part: &'a mut String,
    what: &str,
) -> Result<(T, &'a str, Option<SourceError>), SourceError> {
    let error = match serde_json::from_str(text) {
        Ok(document) => return Ok((document, text, None)),
        Err(error) => error,
    };
    let end = offset_of(text, &error);
    let line = error.line().max(1) as u64;
    let why = format!("{what}: {error} (byte {end} of the file)");
    let error = SourceError::Format { line, why };
    match readable(text, end) {
        Some(readable) => *part = readable,
        None => return Err(error),
    }
    let part: &'a str = part;
    match serde_json::from_str(part) {
        Ok(document) => Ok((document, part, Some(error))),
        Err(_) => Err(error),
    }
}

/// Returns the offset of an error in its text, in bytes.
fn offset_of(text: &str, error: &serde_json::Error) -> usize {
    let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
    let start: usize = lines.map(str::len).sum();
    (start + error.column()).min(text.len())
}

/// The most brackets around the elements of a document that are kept.
const DEEPEST: usize = 16;

/// Returns the readable part of a document that is broken at this offset, as a document: up to the last whole element
/// of an array that is in no other array, with the brackets that are then missing. Places in it are those in the text.
fn readable(text: &str, end: usize) -> Option<String> {
    let mut open: Vec<u8> = Vec::new();
    let mut arrays = 0_u64;
    // The end of the last whole element, and the brackets around it.
    let mut whole: Option<(usize, Vec<u8>)> = None;
    let (mut in_string, mut is_escaped) = (false, false);
    for (at, &byte) in text.as_bytes().iter().enumerate().take(end) {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' | b'[' => {
                open.push(byte);
                arrays += u64::from(byte == b'[');
            }
            b'}' | b']' => {
                arrays -= u64::from(open.pop() == Some(b'['));
                if arrays == 1 && open.last() == Some(&b'[') && open.len() <= DEEPEST {
                    whole = Some((at + 1, open.clone()));
                }
            }
            _ => {}
        }
    }
    let (end, open) = whole?;
    let mut part = text.get(..end)?.to_owned();
    part.extend(open.iter().rev().map(|&one| if one == b'{' { '}' } else { ']' }));
    Some(part)
}

/// Computes the line numbers of places in a text that are visited in order.
pub(super) struct LineNumbers<'a> {
    text: &'a str,
    at: usize,
    line: u64,
}

impl<'a> LineNumbers<'a> {
    pub const fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1 }
    }

    /// Returns the number of the line in which a part of the text begins, from 1.
    pub fn line_of(&mut self, part: &str) -> u64 {
        let start = super::text::range(self.text, part).start;
        if let Some(between) = self.text.as_bytes().get(self.at..start) {
            self.line += between.iter().filter(|&&byte| byte == b'\n').count() as u64;
            self.at = start;
        }
        self.line
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::{parse, readable};

    #[test]
    fn the_whole_elements_before_a_break_are_readable() {
        for (text, expected) in [
            (r#"[{"a":1},{"b":[1,{}]},{"c":"#, Some(r#"[{"a":1},{"b":[1,{}]}]"#)),
            (
                r#"{"log":{"n":1,"entries":[{"a":"]}"},{"b":"#,
                Some(r#"{"log":{"n":1,"entries":[{"a":"]}"}]}}"#),
            ),
            // The break is after the array.
            (
                r#"{"log":{"pages":[{}],"entries":[{"a":1}],"x":"#,
                Some(r#"{"log":{"pages":[{}],"entries":[{"a":1}]}}"#),
            ),
            (r#"{"log":{"entries":[{"a":1"#, None),
            ("]]]{", None),
        ] {
            assert_eq!(readable(text, text.len()).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn the_error_has_the_place_of_the_break() {
        let text = "[{\"a\":1},\n{\"b\":nan}]";
        let mut part = String::new();
        let (elements, _, error): (Vec<&RawValue>, _, _) =
            parse(text, &mut part, "no list").unwrap();
        assert_eq!(elements.len(), 1);
        let error = error.unwrap().to_string();
        assert!(error.starts_with("line 2: no list: "), "{error}");
        assert!(error.ends_with("(byte 17 of the file)"), "{error}");
    }
}
