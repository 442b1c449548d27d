//! Reports on several recordings, each of which was audited on its own.

use std::io::{self, Write};

use super::{Format, junit, sarif};
use crate::Document;

/// The report on several recordings: a head, a part for each document with a separator between them, and a tail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Series {
    format: Format,
    /// The text before the first part.
    pub head: &'static str,
    /// The text between two parts.
    pub separator: &'static str,
    /// The text after the last part.
    pub tail: &'static str,
}

impl Format {
    /// Returns how a report on several recordings is written: JSON as one document after the other, SARIF with a run and
    /// JUnit with three suites for each. For a recording that can't be read, JSON has nothing, and JUnit one suite. HTML
    /// has none, because a page shows one recording.
    #[must_use]
    pub const fn series(self) -> Option<Series> {
        let (head, separator, tail) = match self {
            Self::Json => ("", "", ""),
            Self::Sarif => (sarif::HEAD, ",\n", "\n]}\n"),
            Self::Junit => (junit::HEAD, "", "</testsuites>\n"),
            Self::Html => return None,
        };
        Some(Series { format: self, head, separator, tail })
    }
}

impl Series {
    /// Writes the part of a document. The names of its suites begin with `label`, so that each recording needs its own.
    ///
    /// # Errors
    ///
    /// Returns the error of the output.
    pub fn write_part(
        &self,
        document: &Document,
        label: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match self.format {
            Format::Sarif => sarif::write_run(document, out),
            Format::Junit => junit::write_suites(document, label, out),
            format => format.write(document, out),
        }
    }

    /// Writes the part of a recording that could not be read: `source` is its name, and `why` the reason. The name of its
    /// suite begins with `label`.
    ///
    /// # Errors
    ///
    /// Returns the error of the output.
    pub fn write_failure(
        &self,
        (source, label): (&str, &str),
        why: &str,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        match self.format {
            Format::Sarif => sarif::write_failed_run(source, why, out),
            Format::Junit => junit::write_failed_suite(label, why, out),
            Format::Json | Format::Html => Ok(()),
        }
    }
}
