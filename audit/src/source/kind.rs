//! The formats of recordings, and how to tell them apart.

use std::io::BufRead;

use super::{Receive, SourceError, recording};

/// The format of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SourceKind {
    /// tautline's own.
    Recording,
}

impl SourceKind {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::Recording];

    /// Returns the name, as on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Recording => "recording",
        }
    }

    /// Returns the format of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.name() == name)
    }

    /// Returns the format that a file begins in. Nothing is consumed.
    ///
    /// # Errors
    ///
    /// Returns what the file resembles instead, in words.
    pub fn detect(reader: &mut dyn BufRead) -> Result<Self, String> {
        let start = reader.fill_buf().map_err(|error| error.to_string())?;
        if recording::is_recording(start) {
            return Ok(Self::Recording);
        }
        Err(resemblance(start))
    }

    /// Reads a recording to its end. Its longest frame has `limit` bytes.
    ///
    /// # Errors
    ///
    /// Returns an error if the file can't be read or is not in this format, and that of `receive`.
    pub fn read(
        self,
        reader: &mut dyn BufRead,
        _limit: u32,
        receive: &mut Receive<'_>,
    ) -> Result<(), SourceError> {
        match self {
            Self::Recording => recording::read_recording(reader, receive),
        }
    }
}

/// Describes a file that is in none of the formats.
fn resemblance(start: &[u8]) -> String {
    let trimmed = start.trim_ascii_start();
    if trimmed.is_empty() {
        return "the file is empty".to_owned();
    }
    let head = trimmed.get(..64).unwrap_or(trimmed);
    let is_message =
        trimmed.starts_with(b"{\"jsonrpc\"") || head.windows(9).any(|at| at == b"\"jsonrpc\"");
    if is_message {
        return "this is a log of messages without directions: use `tautline check`, or --client and \
                --server with one file for each side"
            .to_owned();
    }
    if trimmed.starts_with(b"Content-Length:") {
        return "this is one side of a wire with headers: use --client and --server with one file for \
                each side, and --framing content-length"
            .to_owned();
    }
    "this is in no known format; --source names one".to_owned()
}
