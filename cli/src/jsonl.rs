//! One JSON object per frame, for programs.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CompactFormatter, Formatter};

use crate::report::FrameReport;
use crate::visible::is_invisible;

pub fn print(out: &mut impl Write, report: &FrameReport<'_>) -> io::Result<()> {
    report.serialize(&mut Serializer::with_formatter(&mut *out, Visible(CompactFormatter)))?;
    out.write_all(b"\n")
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
