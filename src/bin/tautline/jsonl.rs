//! One JSON object a frame, for programs.

use std::io::{self, Write};

use crate::report::FrameReport;

pub fn print(out: &mut impl Write, report: &FrameReport<'_>) -> io::Result<()> {
    serde_json::to_writer(&mut *out, report)?;
    out.write_all(b"\n")
}
