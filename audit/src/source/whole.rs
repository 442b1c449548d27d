//! Recordings that are one JSON document, which must be in memory as a whole.

use std::io::{BufRead, Read};

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
