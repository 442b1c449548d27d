//! The reports of an audit: those written while it runs, and those written at its end.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use tautline_audit::document::Finding;
use tautline_audit::format::{Format, jsonl};
use tautline_audit::frame::MaxFindings;
use tautline_audit::{Audited, Baseline, Document, Options, Sink};

use crate::args::{AuditFormat, OutputFile, ReportArgs};
use crate::audit_text::AuditText;
use crate::baseline;
use crate::config::{Config, distinct};
use crate::exit::{CLEAN, ERRORS, Stopped};
use crate::output::{Audience, Output};
use crate::replacement::Replacement;

/// The number of frames that are kept for a report that shows them.
const FRAMES: usize = 10_000;

/// The reports of an audit.
pub struct Report<'a> {
    args: &'a ReportArgs,
    baseline: Option<Baseline>,
    start: Instant,
    /// The reports that are written while the audit runs.
    pub live: Live,
}

/// Returns the exit code of a document.
pub fn code_of(document: &Document) -> u8 {
    if document.totals.errors > 0 || !document.stale.is_empty() { ERRORS } else { CLEAN }
}

impl<'a> Report<'a> {
    /// Reads the settings, and also returns the options of the audit. Fails early, because the audit may take long, if
    /// a report can't be written, or would overwrite one of these files or another report.
    pub fn prepare(args: &'a ReportArgs, files: &[&Path]) -> Result<(Self, Options), Stopped> {
        let config = Config::read(args.config.as_deref()).map_err(|error| Stopped::said(&error))?;
        let mut policy = config.rules.policy().map_err(Stopped::Said)?;
        // Options take precedence over the file.
        let levels = distinct(args.levels()).map_err(Stopped::Said)?;
        levels.into_iter().for_each(|(rule, level)| policy.set(rule, level));
        let baseline_path = args.baseline.baseline.as_ref().or(config.audit.baseline.as_ref());
        let baseline_path = baseline_path.map(PathBuf::as_path);
        let baseline = baseline_path.map(baseline::read).transpose()?;
        let inputs = files.iter().copied().chain(args.config.as_deref());
        let reports = args.files().map(|output| &*output.file);
        baseline::check_outputs(inputs, reports, baseline_path, args.baseline.write())?;
        let start = Instant::now();
        let audience = if args.format().is_text() { Audience::People } else { Audience::Programs };
        let (out, style) = Output::stdout(audience);
        let text = AuditText::new(out, style);
        let (format, names) = (args.format(), Vec::new());
        let live = Live { format, text, names, is_one_of_many: false };
        let mut options = Options::default();
        options.policy = policy;
        set(&mut options, args, baseline.as_ref());
        Ok((Self { args, baseline, start, live }, options))
    }

    /// Writes the remaining reports, and returns the exit code.
    pub fn finish(&mut self, document: &Document) -> Result<u8, Stopped> {
        let args = self.args;
        self.live.end(document, Some(self.start.elapsed()))?;
        if let AuditFormat::Whole(format) = self.live.format {
            format.write(document, self.live.text.out())?;
        }
        self.live.text.out().flush()?;
        for OutputFile { format, file } in args.files() {
            write_report(*format, document, file)
                .map_err(|error| Stopped::cannot_write(file, &error))?;
        }
        if let Some(path) = args.baseline.write() {
            let new = Baseline::of(document.findings.iter(), self.baseline.as_ref());
            baseline::write(path, &new)?;
            return Ok(CLEAN);
        }
        Ok(code_of(document))
    }

    /// Returns whether a baseline is read or written.
    pub const fn has_baseline(&self) -> bool {
        self.baseline.is_some() || self.args.baseline.write_baseline.is_some()
    }
}

fn set(options: &mut Options, args: &ReportArgs, baseline: Option<&Baseline>) {
    options.selection = args.rules;
    options.max_frame = args.limit.bytes();
    options.side = args.side;
    // The new baseline must also include the findings that the old one accepts.
    options.baseline = baseline.filter(|_| args.baseline.write().is_none()).cloned();
    if args.baseline.write().is_some() || options.baseline.is_some() {
        // A baseline must see every finding.
        options.max_findings = MaxFindings::All;
    }
    if args.baseline.write().is_some() {
        options.findings = usize::MAX;
    }
    if args.shows_frames() {
        options.frames = FRAMES;
    }
}

fn write_report(format: Format, document: &Document, file: &Path) -> io::Result<()> {
    let mut file = Replacement::begin(file)?;
    format.write(document, &mut file)?;
    file.finish()
}

/// The reports that are written while the audit runs.
pub struct Live {
    pub format: AuditFormat,
    pub text: AuditText,
    /// The names of the sources.
    pub names: Vec<String>,
    /// True if other recordings are audited at the same time.
    pub is_one_of_many: bool,
}

impl Live {
    /// Returns the report on one of many recordings, for this output.
    pub fn one_of_many(format: AuditFormat, text: AuditText) -> Self {
        Self { format, text, names: Vec::new(), is_one_of_many: true }
    }

    /// Ends a report that is written while the audit runs.
    pub fn end(&mut self, document: &Document, time: Option<Duration>) -> io::Result<()> {
        let out = &mut self.text;
        match self.format {
            AuditFormat::Text => out.end(document, time),
            AuditFormat::Jsonl => document
                .gaps()
                .try_for_each(|note| jsonl::write(out.out(), &jsonl::NoteLine { note })),
            AuditFormat::Whole(_) => Ok(()),
        }
    }
}

impl Sink for Live {
    fn frame(&mut self, frame: &Audited<'_>) -> io::Result<()> {
        match self.format {
            AuditFormat::Text => {
                let name = self.names.get(frame.place.source).map_or("", String::as_str);
                self.text.frame(name, frame)
            }
            AuditFormat::Jsonl => {
                jsonl::write(self.text.out(), &jsonl::FrameLine::new(frame))?;
                self.text.out().end_report()
            }
            AuditFormat::Whole(_) => Ok(()),
        }
    }

    fn finding(&mut self, finding: &Finding) -> io::Result<()> {
        match self.format {
            AuditFormat::Text => {
                let name = self.names.get(finding.source).map_or("", String::as_str);
                self.text.finding(name, finding)
            }
            AuditFormat::Jsonl => jsonl::write(self.text.out(), &jsonl::FindingLine { finding }),
            AuditFormat::Whole(_) => Ok(()),
        }
    }
}
