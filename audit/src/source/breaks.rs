//! The lines of a recording that can't be read.

use super::SourceError;
use super::lines::Line;

/// The lines that can't be read. Reading continues after them, and ends with an error that describes the first one.
#[derive(Debug, Default)]
pub(super) struct Breaks {
    /// The number of the first, and what is wrong with it.
    first: Option<(u64, String)>,
    others: u64,
}

impl Breaks {
    /// Adds a line.
    pub fn add(&mut self, line: &Line<'_>, why: &str) {
        match self.first {
            Some(_) => self.others += 1,
            None => {
                self.first =
                    Some((line.number, format!("{why} (byte {} of the file)", line.offset)));
            }
        }
    }

    /// Returns the error, if there was such a line.
    pub fn finish(self) -> Result<(), SourceError> {
        let Some((line, mut why)) = self.first else { return Ok(()) };
        match self.others {
            0 => {}
            1 => why += ", and 1 more line can't be read",
            others => why += &format!(", and {others} more lines can't be read"),
        }
        Err(SourceError::Format { line, why })
    }
}

/// Describes a last line that the end of the file has cut.
pub(super) fn cut(line: &Line<'_>) -> String {
    let Line { number, offset, .. } = line;
    format!("the file ends within line {number} (byte {offset} of the file), which was not read")
}
