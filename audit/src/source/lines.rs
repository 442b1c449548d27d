//! The lines of a recording, one at a time.

use std::io::{BufRead, Read};

use super::SourceError;

/// The maximum length of a line, in bytes.
const LONGEST_LINE: u64 = 64 * 1024 * 1024;

/// The lines of a file.
pub(super) struct Lines<'a> {
    reader: &'a mut dyn BufRead,
    line: Vec<u8>,
    number: u64,
    /// The offset of the next line, in bytes.
    offset: u64,
}

/// A line, with its end.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// Its number, from 1.
    pub number: u64,
    /// The offset of its first byte in the file, in bytes.
    pub offset: u64,
    /// Its bytes, including the newline, if there is one.
    pub bytes: &'a [u8],
}

impl<'a> Lines<'a> {
    pub fn new(reader: &'a mut dyn BufRead) -> Self {
        Self { reader, line: Vec::new(), number: 0, offset: 0 }
    }

    /// Returns the next line, or `None` at the end.
    pub fn next(&mut self) -> Result<Option<Line<'_>>, SourceError> {
        self.line.clear();
        // One byte more than the maximum shows that a line is too long.
        let mut limited = Read::take(&mut *self.reader, LONGEST_LINE + 1);
        let read = limited
            .read_until(b'\n', &mut self.line)
            .map_err(|error| SourceError::Read { source: 0, error })?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        let (number, offset) = (self.number, self.offset);
        self.offset += read as u64;
        if self.line.len() as u64 > LONGEST_LINE {
            let why = format!("the line is longer than {} MiB", LONGEST_LINE >> 20);
            return Err(SourceError::Format { line: number, why });
        }
        Ok(Some(Line { number, offset, bytes: &self.line }))
    }
}

impl<'a> Line<'a> {
    /// Returns the line without its end.
    pub fn content(&self) -> &'a [u8] {
        let line = self.bytes.strip_suffix(b"\n").unwrap_or(self.bytes);
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Returns whether the line was cut off by the end of the file.
    pub fn is_cut(&self) -> bool {
        !self.bytes.ends_with(b"\n")
    }
}
