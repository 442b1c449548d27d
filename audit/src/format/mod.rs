//! The formats of a report.

pub mod html;
pub mod jsonl;
pub mod junit;
pub mod sarif;
mod series;

use std::io::{self, Write};

pub use series::Series;

use crate::Document;

/// A format of a whole report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// The document as JSON.
    Json,
    /// SARIF 2.1.0, within the limits of GitHub.
    Sarif,
    /// JUnit's XML.
    Junit,
    /// One HTML file that needs no network.
    Html,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Json, Self::Sarif, Self::Junit, Self::Html];

    /// Returns the name, as on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Sarif => "sarif",
            Self::Junit => "junit",
            Self::Html => "html",
        }
    }

    /// Returns the format of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Writes a document.
    ///
    /// # Errors
    ///
    /// Returns the error of the output.
    pub fn write(self, document: &Document, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Json => {
                serde_json::to_writer_pretty(&mut *out, document)?;
                out.write_all(b"\n")
            }
            Self::Sarif => sarif::write(document, out),
            Self::Junit => junit::write(document, out),
            Self::Html => html::write(document, out),
        }
    }
}
