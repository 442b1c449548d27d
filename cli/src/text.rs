//! Findings for people: in which order they are shown, and which of them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use indicatif::HumanCount;
use tautline::{Rule, Severity};
use tautline_audit::frame::{FindingReport, FrameReport, MaxFindings};
use tautline_audit::printable;
use tautline_mcp::rule;

use crate::output::Style;
use crate::rendering::{Look, Origin, Shown, render};

/// The number of findings of the same severity shown in total without `--max-findings`.
const MOST: usize = 1000;
/// The number of bytes of text that are held until the end of a file.
const MOST_HELD: usize = 16 * 1024 * 1024;

/// The order in which the findings of a file are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// As they are found, because the input may stay open.
    AsFound,
    /// At the end of the file, errors first.
    ErrorsFirst,
}

impl Flow {
    /// Returns how many findings are shown that are like each other. While an input is open, a reader wants to see that
    /// a finding occurs again.
    const fn first(self) -> usize {
        match self {
            Self::AsFound => 10,
            Self::ErrorsFirst => 1,
        }
    }
}

/// Shows findings, and counts repeated findings and findings beyond the limit.
#[derive(Debug)]
pub struct Text {
    style: Style,
    /// The width of the terminal, or `None` without a terminal, where lines may have any length.
    width: Option<usize>,
    limit: Option<MaxFindings>,
    flow: Flow,
    /// The number of findings shown in all files, by severity.
    shown: BTreeMap<Severity, usize>,
    hidden: u64,
    /// The findings in this file, the most severe first.
    kinds: BTreeMap<Like, Repeats>,
    /// The findings to show at the end of this file.
    held: Vec<(Like, String)>,
    held_bytes: usize,
}

/// The key of findings that are like each other: severity, rule and words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Like(Reverse<Severity>, Rule, String);

/// The findings in a file that are like each other.
#[derive(Clone, Copy, Debug, Default)]
struct Repeats {
    shown: usize,
    hidden: u64,
    /// The position of the last finding not shown: a line, or an offset in framings without lines.
    last: u64,
}

impl Text {
    pub fn new(style: Style, width: Option<usize>, limit: Option<MaxFindings>) -> Self {
        Self {
            style,
            width,
            limit,
            flow: Flow::AsFound,
            shown: BTreeMap::new(),
            hidden: 0,
            kinds: BTreeMap::new(),
            held: Vec::new(),
            held_bytes: 0,
        }
    }

    /// Begins a file. With a limit of the user's, findings are shown as they are found.
    pub fn begin_file(&mut self, flow: Flow) {
        self.flow = if self.limit.is_some() { Flow::AsFound } else { flow };
    }

    /// Prints the findings of one frame, errors first. A frame without findings is not mentioned.
    pub fn print(
        &mut self,
        out: &mut impl Write,
        origin: &Origin<'_>,
        shown: Shown<'_>,
        report: &FrameReport<'_>,
    ) -> io::Result<()> {
        let mut findings: Vec<_> = report
            .messages()
            .flat_map(|message| message.findings.iter().map(move |finding| (message, finding)))
            .collect();
        findings.sort_by_key(|(_, finding)| Reverse(finding.severity));
        for (message, finding) in findings {
            let like = Like::of(finding);
            if !self.shows(&like) {
                self.hide(origin, report, finding, 1);
                continue;
            }
            let look = Look { style: self.style, width: self.width };
            let text = render(look, origin, shown, report, message, finding)?;
            self.show(out, like, text)?;
        }
        for left_out in report.messages().flat_map(|message| &message.left_out) {
            self.hide(origin, report, &left_out.last, left_out.count);
        }
        Ok(())
    }

    /// Prints a finding about a whole session, which was rendered elsewhere.
    pub fn print_rendered(
        &mut self,
        out: &mut impl Write,
        (severity, rule, words): (Severity, Rule, &str),
        position: u64,
        text: impl FnOnce(Option<usize>) -> String,
    ) -> io::Result<()> {
        let like = Like(Reverse(severity), rule, words.to_owned());
        if self.shows(&like) {
            let text = text(self.width);
            return self.show(out, like, text);
        }
        self.count_hidden(like, position, 1);
        Ok(())
    }

    /// Shows a finding, now or at the end of the file.
    fn show(&mut self, out: &mut impl Write, like: Like, text: String) -> io::Result<()> {
        match self.flow {
            Flow::AsFound => writeln!(out, "{text}\n"),
            Flow::ErrorsFirst => {
                self.held_bytes += text.len();
                self.held.push((like, text));
                Ok(())
            }
        }
    }

    /// Decides whether to show a finding, and counts it if so.
    fn shows(&mut self, like: &Like) -> bool {
        let shown = self.shown.entry(like.0.0).or_default();
        let shows = match self.limit {
            // Notes must leave room for later errors.
            None => {
                let before = self.kinds.get(like).map_or(0, |repeats| repeats.shown);
                before < self.flow.first() && *shown < MOST && self.held_bytes < MOST_HELD
            }
            Some(limit) => limit.has_room(*shown),
        };
        if shows {
            *shown += 1;
            if self.limit.is_none() {
                self.kinds.entry(like.clone()).or_default().shown += 1;
            }
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
        let like = Like::of(last);
        let like = match self.kinds.contains_key(&like) {
            true => like,
            // There may be any number of different words.
            false => Like::of_kind(last),
        };
        self.count_hidden(like, origin.position(report, last), count);
    }

    fn count_hidden(&mut self, like: Like, position: u64, count: u64) {
        self.hidden += count;
        let repeats = self.kinds.entry(like).or_default();
        repeats.hidden += count;
        repeats.last = position;
    }

    /// Ends a file: shows what was held, and reports the findings not shown. Their positions are in this unit.
    pub fn end_file(&mut self, out: &mut impl Write, path: &str, unit: &str) -> io::Result<()> {
        let mut kinds = std::mem::take(&mut self.kinds);
        let mut held = std::mem::take(&mut self.held);
        self.held_bytes = 0;
        held.sort_by_key(|(like, _)| like.0);
        for (like, text) in held {
            writeln!(out, "{text}")?;
            if let Some(Repeats { hidden: hidden @ 1.., last, .. }) = kinds.remove(&like) {
                writeln!(out, "… and {} more like it, up to {unit} {last}", HumanCount(hidden))?;
            }
            writeln!(out)?;
        }
        for (Like(Reverse(severity), rule, words), Repeats { shown, hidden, last }) in kinds {
            if hidden > 0 {
                let (hidden, severity, rule) =
                    (HumanCount(hidden), severity.name(), rule::name(rule));
                let more = match shown {
                    0 => format!("{hidden} more"),
                    _ => format!("and {hidden} more like it"),
                };
                writeln!(
                    out,
                    "{path}: … {more}, up to {unit} {last}: {severity}[{rule}]: {words}\n"
                )?;
            }
        }
        Ok(())
    }

    pub const fn style(&self) -> Style {
        self.style
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

impl Like {
    fn of(finding: &FindingReport) -> Self {
        let words = printable(finding.message.to_string().as_bytes());
        Self(Reverse(finding.severity), finding.rule, words)
    }

    /// Returns the same without the words for the place.
    fn of_kind(finding: &FindingReport) -> Self {
        let (rule, severity, words) = finding.kind();
        Self(Reverse(severity), rule, words.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use tautline::frame::FramingKind;
    use tautline_audit::frame::{MaxFindings, Piece, Reporter};
    use tautline_audit::judge::OneSide;
    use tautline_mcp::Revision;

    use super::Text;
    use crate::output::Style;
    use crate::rendering::{Origin, Shown};

    /// Returns the report on a frame for a terminal of this width.
    fn at_width(width: Option<usize>) -> String {
        let frame =
            br#"{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}}"#;
        let revision = Revision::V2025_11_25;
        let mut judge = OneSide::with_payloads(revision.profile(), Some(revision));
        let piece = Piece::whole(frame, 1);
        let mut reporter = Reporter::new(FramingKind::Ndjson, MaxFindings::All);
        let report = reporter.frame(&piece, &mut judge, b"");
        let origin = Origin::Log { path: "a/log.ndjson", framing: FramingKind::Ndjson };
        let mut out = Vec::new();
        let mut text = Text::new(Style::Plain, width, None);
        text.print(&mut out, &origin, Shown::Frame(frame), &report).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn text_is_wrapped_at_the_width_of_the_terminal() {
        let wide = at_width(None);
        assert!(wide.lines().any(|line| line.chars().count() > 100), "{wide}");
        for width in [60, 80, 100] {
            let narrow = at_width(Some(width));
            let longest = narrow.lines().map(|line| line.chars().count()).max().unwrap();
            assert!(longest <= width, "{longest} for {width}:\n{narrow}");
            let words = |text: &str| {
                let lines = text.lines().filter(|line| !line.contains('|'));
                lines.flat_map(str::split_whitespace).map(str::to_owned).collect::<Vec<_>>()
            };
            assert_eq!(words(&narrow), words(&wide), "no word is lost");
        }
    }
}
