//! The document of `tautline check --format json`, in the style of the document of an audit.

use std::io::{self, Write};

use serde::Serialize;
use tautline_audit::Options;
use tautline_audit::document::{FORMAT, SourceRow};
use tautline_audit::frame::{FindingReport, FrameReport};
use tautline_mcp::rule;

use crate::summary::{Summary, TotalsRow};

/// The findings of a check, within bounds.
#[derive(Debug)]
pub struct CheckDocument {
    sources: Vec<SourceRow>,
    findings: Vec<Row>,
    /// The number of findings that are kept.
    most: usize,
    left_out: u64,
}

/// A finding, and its place.
#[derive(Debug, Serialize)]
struct Row {
    /// The index of the file.
    source: usize,
    /// The line, or the number of the frame in framings without lines, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(flatten)]
    finding: FindingReport,
    /// The remedy.
    help: &'static str,
}

/// The form of the document.
#[derive(Serialize)]
struct Form<'a> {
    tautline: &'static str,
    format: u32,
    sources: &'a [SourceRow],
    rules: &'a str,
    totals: TotalsRow,
    findings: &'a [Row],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    truncated: Vec<String>,
}

/// The number of characters that are kept of a method or an id.
const LONGEST_NAME: usize = 300;

impl CheckDocument {
    pub fn new() -> Self {
        let most = Options::default().findings;
        Self { sources: Vec::new(), findings: Vec::new(), most, left_out: 0 }
    }

    /// Begins a file.
    pub fn begin(&mut self, source: SourceRow) {
        self.sources.push(source);
    }

    /// Adds the findings of a frame.
    pub fn add(&mut self, report: &FrameReport<'_>) {
        for message in report.messages() {
            self.left_out += message.left_out.iter().map(|one| one.count).sum::<u64>();
            for finding in &message.findings {
                if self.findings.len() >= self.most {
                    self.left_out += 1;
                    continue;
                }
                self.findings.push(Row {
                    source: self.sources.len().saturating_sub(1),
                    line: report.line,
                    method: message.method.as_deref().map(short),
                    id: message.id.as_deref().map(short),
                    finding: finding.clone(),
                    help: rule::help(finding.rule),
                });
            }
        }
    }

    /// Writes the document.
    pub fn write(&self, summary: &Summary, rules: &str, out: &mut impl Write) -> io::Result<()> {
        let truncated = (self.left_out > 0).then(|| {
            let (left, kept) = (self.left_out, self.findings.len());
            format!("{left} findings were left out; {kept} are here")
        });
        let form = Form {
            tautline: env!("CARGO_PKG_VERSION"),
            format: FORMAT,
            sources: &self.sources,
            rules,
            totals: summary.row(),
            findings: &self.findings,
            truncated: truncated.into_iter().collect(),
        };
        serde_json::to_writer_pretty(&mut *out, &form)?;
        out.write_all(b"\n")
    }
}

/// Returns a text from the wire, cut after [`LONGEST_NAME`] characters.
fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => text.get(..end).unwrap_or(text).to_owned() + "…",
        None => text.to_owned(),
    }
}
