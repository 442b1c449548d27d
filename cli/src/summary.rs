//! The totals: frames by kind, findings by rule, bytes and time.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;
use tautline::{Rule, Severity};
use tautline_audit::frame::{FrameReport, Kind};
use tautline_audit::wire::Totals;
use tautline_mcp::rule;

#[derive(Debug, Default)]
pub struct Summary {
    frames: BTreeMap<Kind, u64>,
    findings: BTreeMap<Rule, (Severity, u64)>,
    bytes: u64,
    blank_lines: u64,
    other_events: u64,
    skipped: u64,
    /// The number of findings about the side that is not judged.
    pub other_side: u64,
    errors: bool,
}

/// The totals, in the form of a document.
#[derive(Debug, Serialize)]
pub struct TotalsRow {
    frames: u64,
    bytes: u64,
    /// The bytes that were not judged, because the framing had lost its place.
    skipped: u64,
    /// The frames by kind.
    messages: [BTreeMap<&'static str, u64>; 1],
    errors: u64,
    warnings: u64,
    notes: u64,
    /// The findings about the side that is not judged.
    #[serde(skip_serializing_if = "is_zero")]
    other_side: u64,
    rules: Vec<RuleRow>,
}

#[derive(Debug, Serialize)]
struct RuleRow {
    rule: &'static str,
    severity: &'static str,
    count: u64,
}

impl Summary {
    pub fn count(&mut self, report: &FrameReport<'_>) {
        if report.line.is_some() {
            *self.frames.entry(report.message.kind).or_default() += 1;
        }
        for message in report.messages() {
            let left_out = message.left_out.iter().map(|left_out| (&left_out.last, left_out.count));
            let findings = message.findings.iter().map(|finding| (finding, 1));
            for (finding, count) in findings.chain(left_out) {
                self.errors |= finding.severity == Severity::Error;
                self.findings.entry(finding.rule).or_insert((finding.severity, 0)).1 += count;
            }
        }
    }

    pub fn add(&mut self, totals: Totals) {
        self.bytes += totals.bytes;
        self.blank_lines += totals.blank_lines;
        self.other_events += totals.other_events;
        self.skipped += totals.skipped;
    }

    /// Returns the totals in the form of a document, with the most severe rules first.
    pub fn row(&self) -> TotalsRow {
        let of = |wanted| {
            let counts = self.findings.values().filter(|(severity, _)| *severity == wanted);
            counts.map(|(_, count)| count).sum()
        };
        let mut rules: Vec<_> = self.findings.iter().collect();
        rules.sort_by_key(|(_, (severity, _))| std::cmp::Reverse(*severity));
        let counted = |kind| (Kind::name(kind, 2), self.frames.get(&kind).copied().unwrap_or(0));
        TotalsRow {
            frames: self.frames.values().sum(),
            bytes: self.bytes,
            skipped: self.skipped,
            messages: [Kind::ALL.into_iter().map(counted).collect()],
            errors: of(Severity::Error),
            warnings: of(Severity::Warning),
            notes: of(Severity::Note),
            other_side: self.other_side,
            rules: rules
                .into_iter()
                .map(|(&rule, &(severity, count))| RuleRow {
                    rule: rule::name(rule),
                    severity: severity.name(),
                    count,
                })
                .collect(),
        }
    }

    /// Returns whether any finding has severity error.
    pub fn has_errors(&self) -> bool {
        self.errors
    }

    /// Writes the summary in words, with the elapsed time and the name of the rules.
    pub fn write(&self, f: &mut impl Write, time: Duration, rules: &str) -> io::Result<()> {
        let frames: u64 = self.frames.values().sum();
        write!(f, "{frames} {}", if frames == 1 { "frame" } else { "frames" })?;
        write!(f, " held to the rules of {rules}")?;
        let mut separator = ": ";
        for kind in Kind::ALL {
            if let Some(&count) = self.frames.get(&kind) {
                write!(f, "{separator}{count} {}", kind.name(count))?;
                separator = ", ";
            }
        }
        if self.blank_lines > 0 {
            let lines = if self.blank_lines == 1 { "line" } else { "lines" };
            write!(f, "; {} blank {lines} skipped", self.blank_lines)?;
        }
        if self.other_events > 0 {
            let events = if self.other_events == 1 { "event" } else { "events" };
            write!(f, "; {} {events} without a message skipped", self.other_events)?;
        }
        writeln!(f)?;
        for (rule, (severity, count)) in &self.findings {
            writeln!(f, "{count:>8}  {:<7}  {}", severity.name(), rule::name(*rule))?;
        }
        if self.findings.is_empty() {
            writeln!(f, "nothing found")?;
        }
        match self.other_side {
            0 => {}
            1 => writeln!(f, "1 finding about the other side is not shown")?,
            count => writeln!(f, "{count} findings about the other side are not shown")?,
        }
        if self.skipped > 0 {
            let bytes = if self.skipped == 1 { "byte was" } else { "bytes were" };
            writeln!(f, "{} {bytes} not judged: no frame begins there", self.skipped)?;
        }
        let seconds = time.as_secs_f64();
        writeln!(f, "{} bytes in {seconds:.3} s", self.bytes)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(count: &u64) -> bool {
    *count == 0
}
