//! One JSON object per line, for programs.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CompactFormatter, Formatter};

use crate::Audited;
use crate::document::Finding;
use crate::frame::FrameReport;
use crate::visible::is_invisible;

/// Writes a row. Invisible characters are escaped, because it may be shown on a terminal.
///
/// # Errors
///
/// Returns the error of the output.
pub fn write(out: &mut impl Write, row: &impl Serialize) -> io::Result<()> {
    row.serialize(&mut Serializer::with_formatter(&mut *out, Visible(CompactFormatter)))?;
    out.write_all(b"\n")
}

/// The row of an audit for one frame.
#[derive(Debug, Serialize)]
pub struct FrameLine<'a> {
    frame: u64,
    from: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    us: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_line: Option<u64>,
    #[serde(flatten)]
    report: &'a FrameReport<'a>,
}

impl<'a> FrameLine<'a> {
    /// Creates the row: the report of the frame, its number, its sender, its time in microseconds, and its line in the
    /// source.
    #[must_use]
    pub const fn new(audited: &Audited<'a>) -> Self {
        let Audited { number, from, place, report, .. } = *audited;
        Self { frame: number, from: from.name(), us: place.time, source_line: place.line, report }
    }
}

/// The row before those of a recording, if several are audited.
#[derive(Debug, Serialize)]
#[expect(clippy::exhaustive_structs, reason = "there is nothing more to a name")]
pub struct SourceLine<'a> {
    /// The name of the recording.
    pub source: &'a str,
}

/// The row of an audit for a finding about a session.
#[derive(Debug, Serialize)]
#[expect(clippy::exhaustive_structs, reason = "there is nothing more to a finding")]
pub struct FindingLine<'a> {
    /// The finding.
    pub finding: &'a Finding,
}

/// The row of an audit for a sentence about what was lost, or not judged.
#[derive(Debug, Serialize)]
#[expect(clippy::exhaustive_structs, reason = "there is nothing more to a sentence")]
pub struct NoteLine<'a> {
    /// The sentence.
    pub note: &'a str,
}

/// Escapes invisible characters, because the rows may be shown on a terminal.
struct Visible(CompactFormatter);

impl Formatter for Visible {
    fn write_string_fragment<W: Write + ?Sized>(
        &mut self,
        out: &mut W,
        text: &str,
    ) -> io::Result<()> {
        // The common case.
        if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return self.0.write_string_fragment(out, text);
        }
        let mut rest = text;
        while let Some((before, c)) = rest.find(is_invisible).and_then(|at| {
            let (before, behind) = rest.split_at(at);
            let c = behind.chars().next()?;
            rest = &behind[c.len_utf8()..];
            Some((before, c))
        }) {
            self.0.write_string_fragment(out, before)?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04x}")?;
            }
        }
        self.0.write_string_fragment(out, rest)
    }
}
