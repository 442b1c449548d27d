//! Findings for people: the position, an excerpt, the explanation, the reply due, and the fix.

use std::collections::BTreeMap;
use std::io::{self, Write};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use indicatif::HumanCount;
use tautline::frame::FramingKind;
use tautline::{Rule, Severity};
use tautline_audit::frame::{
    FindingKind, FindingReport, FrameReport, Kind, MaxFindings, MessageReport,
};
use tautline_audit::{Excerpt, printable};
use tautline_mcp::{Role, rule};

use crate::output::Style;

/// The part of a frame that can be shown.
#[derive(Clone, Copy)]
pub enum Shown<'buf> {
    /// Its bytes.
    Frame(&'buf [u8]),
    /// Only its length: the bytes are gone.
    Length,
    /// There is no frame. These bytes follow the position, and the check continues here, if it does.
    Behind(&'buf [u8], Option<&'static str>),
}

/// The origin of a frame, as it is shown to people.
#[derive(Clone, Copy, Debug)]
pub enum Origin<'a> {
    /// A log of one stream.
    Log { path: &'a str, framing: FramingKind },
    /// A session: the number of the frame, its sender, and its line in the file, if it has one.
    Session { path: &'a str, number: u64, from: Role, line: Option<u64> },
}

impl Origin<'_> {
    fn write(
        &self,
        out: &mut impl Write,
        report: &FrameReport<'_>,
        finding: &FindingReport,
    ) -> io::Result<()> {
        match *self {
            Self::Session { path, number, from, line } => {
                write!(out, "{path}")?;
                if let Some(line) = line {
                    write!(out, ":{line}")?;
                }
                let (from, column) = (from.name(), finding.column);
                write!(out, ": frame {number}, from the {from}, byte {column}")
            }
            Self::Log { path, framing } => match (framing, report.line) {
                (FramingKind::Ndjson, Some(line)) => {
                    write!(out, "{path}:{line}:{}", finding.column)
                }
                // A frame is not a line here.
                _ => match finding.offset {
                    Some(offset) => write!(out, "{path}: byte {offset}"),
                    None => {
                        let (event, at) = (report.offset, finding.column - 1);
                        write!(
                            out,
                            "{path}: the event with its data at byte {event}, byte {at} of that"
                        )
                    }
                },
            },
        }
    }

    /// Returns the line number to show with the excerpt of a frame, if there is a frame.
    fn line(&self, report: &FrameReport<'_>) -> Option<u64> {
        match *self {
            Self::Session { line, number, .. } => report.line.map(|_| line.unwrap_or(number)),
            Self::Log { .. } => report.line,
        }
    }

    /// Returns the position of a finding, in the [unit](Self::unit).
    fn position(&self, report: &FrameReport<'_>, finding: &FindingReport) -> u64 {
        match (*self, report.line) {
            (Self::Session { number, .. }, _) => number,
            (Self::Log { framing: FramingKind::Ndjson, .. }, Some(line)) => line,
            _ => finding.offset.unwrap_or(report.offset),
        }
    }

    /// Returns the unit of positions.
    pub const fn unit(&self) -> &'static str {
        match self {
            Self::Session { .. } => "frame",
            Self::Log { framing: FramingKind::Ndjson, .. } => "line",
            Self::Log { .. } => "byte",
        }
    }
}

/// The number of findings of the same kind shown in each file without `--max-findings`.
const FIRST_OF_KIND: usize = 10;
/// The number of findings of the same severity shown in total without `--max-findings`.
const MOST: usize = 1000;

/// Shows findings, and counts repeated findings and findings beyond the limit.
#[derive(Debug)]
pub struct Text {
    style: Style,
    limit: Option<MaxFindings>,
    /// The number of findings shown in all files, by severity.
    shown: BTreeMap<Severity, usize>,
    hidden: u64,
    /// The findings in this file.
    kinds: BTreeMap<FindingKind, Repeats>,
}

/// The findings of one kind in a file.
#[derive(Clone, Copy, Debug, Default)]
struct Repeats {
    shown: usize,
    hidden: u64,
    /// The position of the last finding not shown: a line, or an offset in framings without lines.
    last: u64,
}

impl Text {
    pub fn new(style: Style, limit: Option<MaxFindings>) -> Self {
        Self { style, limit, shown: BTreeMap::new(), hidden: 0, kinds: BTreeMap::new() }
    }

    /// Prints the findings of one frame. A frame without findings is not mentioned.
    pub fn print(
        &mut self,
        out: &mut impl Write,
        origin: &Origin<'_>,
        shown: Shown<'_>,
        report: &FrameReport<'_>,
    ) -> io::Result<()> {
        for message in report.messages() {
            for finding in &message.findings {
                if !self.shows(finding) {
                    self.hide(origin, report, finding, 1);
                    continue;
                }
                origin.write(out, report, finding)?;
                let line = origin.line(report);
                let rendered = render(self.style, shown, line, report, message, finding);
                writeln!(out, ": {rendered}\n")?;
            }
            for left_out in &message.left_out {
                self.hide(origin, report, &left_out.last, left_out.count);
            }
        }
        Ok(())
    }

    /// Decides whether to show a finding, and counts it if so.
    fn shows(&mut self, finding: &FindingReport) -> bool {
        let kind = self.kinds.entry(finding.kind()).or_default();
        // Notes must leave room for later errors.
        let shown = self.shown.entry(finding.severity).or_default();
        let shows = match self.limit {
            None => kind.shown < FIRST_OF_KIND && *shown < MOST,
            Some(limit) => limit.has_room(*shown),
        };
        if shows {
            kind.shown += 1;
            *shown += 1;
        }
        shows
    }

    /// Counts findings of the same kind that are not shown.
    fn hide(
        &mut self,
        origin: &Origin<'_>,
        report: &FrameReport<'_>,
        last: &FindingReport,
        count: u64,
    ) {
        self.hidden += count;
        let kind = self.kinds.entry(last.kind()).or_default();
        kind.hidden += count;
        kind.last = origin.position(report, last);
    }

    /// Ends a file: reports the findings not shown. Their positions are in this unit.
    pub fn end_file(&mut self, out: &mut impl Write, path: &str, unit: &str) -> io::Result<()> {
        let kinds = std::mem::take(&mut self.kinds);
        for ((rule, severity, message), Repeats { hidden, last, .. }) in kinds {
            if hidden > 0 {
                let hidden = HumanCount(hidden);
                let (severity, rule) = (severity.name(), rule::name(rule));
                write!(out, "{path}: … {hidden} more, up to {unit} {last}: ")?;
                writeln!(out, "{severity}[{rule}]: {message}\n")?;
            }
        }
        Ok(())
    }

    /// Ends the report: explains how to see the findings not shown.
    pub fn end(&self, out: &mut impl Write) -> io::Result<()> {
        if self.hidden == 0 {
            return Ok(());
        }
        let shown: usize = self.shown.values().sum();
        let (hidden, all) = (HumanCount(self.hidden), HumanCount(self.hidden + shown as u64));
        writeln!(out, "{hidden} of {all} findings are not shown; --max-findings all shows them")
    }
}

fn render(
    style: Style,
    shown: Shown<'_>,
    line: Option<u64>,
    report: &FrameReport<'_>,
    message: &MessageReport<'_>,
    finding: &FindingReport,
) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let column = usize::try_from(finding.column).unwrap_or(usize::MAX);
    let (excerpt, next) = match shown {
        Shown::Frame(frame) => (Some(Excerpt::around(frame, column - 1)), None),
        Shown::Length if report.line.is_some() => {
            let mut text = format!("({} bytes, discarded", report.length);
            if let Some(method) = &report.message.method {
                text += &format!("; the method is {}", printable(method.as_bytes()));
            }
            if let Some(id) = &report.message.id {
                text += &format!("; the id is {}", printable(id.as_bytes()));
            }
            text.push(')');
            let mark = 0..text.len();
            (Some(Excerpt { text, mark }), None)
        }
        Shown::Length => (None, Some(format!("there are {} bytes of it", report.length))),
        Shown::Behind(bytes, _) => {
            (None, Some(format!("the next bytes are {}", Excerpt::around(bytes, 0).text)))
        }
    };
    let mut group = Group::with_title(
        level.primary_title(finding.message.to_string()).id(rule::name(finding.rule)),
    );
    if let (Some(excerpt), Some(line)) = (excerpt, line) {
        let snippet = Snippet::source(excerpt.text)
            .line_start(usize::try_from(line).unwrap_or(usize::MAX))
            .annotation(AnnotationKind::Primary.span(excerpt.mark));
        group = group.element(snippet);
    }
    if let Some(next) = next {
        group = group.element(Level::NOTE.message(next));
    }
    let reply = match shown {
        Shown::Behind(_, Some(next)) => format!("the check continues at {next}"),
        Shown::Behind(_, None) => {
            "the rest was not checked, because the start of the next frame is unknown".to_owned()
        }
        _ => owed(message, finding),
    };
    if !finding.path.is_empty() {
        group = group.element(
            Level::NOTE.message(format!("the place is {}", printable(finding.path.as_bytes()))),
        );
    }
    group = group
        .element(Level::NOTE.message(format!("the rule is in {}", finding.spec_ref)))
        .element(Level::NOTE.message(reply))
        .element(Level::HELP.message(rule::help(finding.rule)));
    if finding.rule == Rule::CONTENT_LENGTH_HEADER {
        let help = "to check a wire with such headers, use --framing content-length";
        group = group.element(Level::HELP.message(help));
    }
    // The position is in the prefix, because the renderer would count the columns of the excerpt.
    let renderer = match style {
        Style::Plain => const { Renderer::plain() },
        Style::Coloured => const { Renderer::styled() },
    };
    renderer.render(&[group])
}

/// Returns the reply that the receiver owes the sender of the message.
fn owed(message: &MessageReport<'_>, finding: &FindingReport) -> String {
    match (message.kind, &message.reply) {
        (Kind::Invalid, None) => "the receiver owes no reply: it must stay silent".to_owned(),
        (_, Some(reply)) => match &reply.id {
            Some(id) => {
                let id = Excerpt::around(id.as_bytes(), 0).text;
                format!("the receiver owes the error {} with the id {id}", reply.code)
            }
            None => format!("the receiver owes the error {}, without an id", reply.code),
        },
        (_, None) if finding.severity == Severity::Error => {
            "the receiver owes no error: the envelope of the message is legal".to_owned()
        }
        (_, None) => "the receiver owes no error: the message is legal".to_owned(),
    }
}
