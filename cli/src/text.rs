//! Findings for people: the position, an excerpt, the explanation, the reply due, and the fix.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use console::measure_text_width;
use indicatif::HumanCount;
use tautline::frame::FramingKind;
use tautline::{Rule, Severity};
use tautline_audit::frame::{FindingReport, FrameReport, Kind, MaxFindings, MessageReport};
use tautline_audit::{Excerpt, printable};
use tautline_mcp::{Role, rule};

use crate::output::{Style, wrap};

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
    /// A session: the number of the frame, its sender, what it calls or answers, and its line in the file, if it has
    /// one.
    Session { path: &'a str, number: u64, from: Role, call: Option<&'a str>, line: Option<u64> },
}

impl Origin<'_> {
    fn write(
        &self,
        out: &mut impl Write,
        report: &FrameReport<'_>,
        finding: &FindingReport,
    ) -> io::Result<()> {
        match *self {
            Self::Session { path, number, from, call, line } => {
                write!(out, "{path}")?;
                if let Some(line) = line {
                    write!(out, ":{line}")?;
                }
                write!(out, ": frame {number}, from the {}", from.name())?;
                if let Some(call) = call {
                    write!(out, ", {call}")?;
                }
                write!(out, ", byte {}", finding.column)
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

/// What findings have in common that are like each other: severity, rule and words.
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

/// How findings are laid out.
#[derive(Clone, Copy)]
struct Look {
    style: Style,
    width: Option<usize>,
}

/// Returns the text of a finding, without a line break at its end.
fn render(
    look: Look,
    origin: &Origin<'_>,
    shown: Shown<'_>,
    report: &FrameReport<'_>,
    message: &MessageReport<'_>,
    finding: &FindingReport,
) -> io::Result<String> {
    let mut place = Vec::new();
    origin.write(&mut place, report, finding)?;
    let place = String::from_utf8_lossy(&place).into_owned();
    let line = origin.line(report);
    // The column of the words behind the marks of the snippet, such as `   = note: `.
    let digits = line.map_or(0, |line| line.to_string().len());
    let fit = |label: &str, words: &str| {
        let indent = digits + 3 + label.len() + 2;
        wrap(words, look.width.map(|width| width.saturating_sub(indent)), 0).join("\n")
    };
    let note = |words: String| Level::NOTE.message(fit("note", &words));
    let help = |words: &str| Level::HELP.message(fit("help", words));
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
    let words = printable(finding.message.to_string().as_bytes());
    let label = finding.severity.name().len() + rule::name(finding.rule).len() + 4;
    let first = measure_text_width(&place) + 2 + label;
    let room = look.width.map(|width| width.saturating_sub(label));
    let title = wrap(&words, room, first.saturating_sub(label)).join("\n");
    let mut group = Group::with_title(level.primary_title(title).id(rule::name(finding.rule)));
    if let (Some(excerpt), Some(line)) = (excerpt, line) {
        let snippet = Snippet::source(excerpt.text)
            .line_start(usize::try_from(line).unwrap_or(usize::MAX))
            .annotation(AnnotationKind::Primary.span(excerpt.mark));
        group = group.element(snippet);
    }
    if let Some(next) = next {
        group = group.element(note(next));
    }
    let reply = match shown {
        Shown::Behind(_, Some(next)) => format!("the check continues at {next}"),
        Shown::Behind(_, None) => {
            "the rest was not checked, because the start of the next frame is unknown".to_owned()
        }
        _ => owed(message, finding),
    };
    if let (Origin::Log { .. }, Some(method), Some(target)) =
        (origin, &message.method, &message.target)
    {
        let call = printable(format!("{method} {target}").as_bytes());
        group = group.element(note(format!("the message is {call}")));
    }
    if !finding.path.is_empty() {
        group = group.element(note(format!("the place is {}", printable(finding.path.as_bytes()))));
    }
    group = group
        .element(note(format!("the rule is in {}", finding.spec_ref)))
        .element(note(reply))
        .element(help(rule::help(finding.rule)));
    if finding.rule == Rule::CONTENT_LENGTH_HEADER {
        group =
            group.element(help("to check a wire with such headers, use --framing content-length"));
    }
    // The position is in the prefix, because the renderer would count the columns of the excerpt.
    let renderer = match look.style {
        Style::Plain => const { Renderer::plain() },
        Style::Coloured => const { Renderer::styled() },
    };
    let renderer = look.width.map_or(renderer.clone(), |width| renderer.term_width(width));
    Ok(format!("{place}: {}", renderer.render(&[group])))
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

#[cfg(test)]
mod tests {
    use tautline::frame::FramingKind;
    use tautline_audit::frame::{FrameReport, MaxFindings, Piece};
    use tautline_audit::judge::OneSide;
    use tautline_mcp::Revision;

    use super::{Origin, Shown, Text};
    use crate::output::Style;

    /// Returns the report on a frame for a terminal of this width.
    fn at_width(width: Option<usize>) -> String {
        let frame =
            br#"{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"loud"}}"#;
        let revision = Revision::V2025_11_25;
        let mut judge = OneSide::with_payloads(revision.profile(), Some(revision));
        let piece = Piece::whole(frame, 1);
        let report = FrameReport::of_frame(&piece, &mut judge, MaxFindings::All);
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
