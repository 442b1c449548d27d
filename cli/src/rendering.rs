//! One finding for people: its place, an excerpt, the explanation, the reply due, and the fix.

use std::io::{self, Write};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use console::measure_text_width;
use tautline::Severity;
use tautline::frame::FramingKind;
use tautline_audit::frame::{FindingReport, FrameReport, Kind, MessageReport};
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
    /// Nothing: it is about the stream.
    Stream,
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
    pub fn position(&self, report: &FrameReport<'_>, finding: &FindingReport) -> u64 {
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

/// How a finding is laid out.
#[derive(Clone, Copy)]
pub struct Look {
    pub style: Style,
    /// The width of the terminal, or `None` without a terminal, where lines may have any length.
    pub width: Option<usize>,
}

/// Returns the text of a finding, without a line break at its end.
pub fn render(
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
    // Words begin after a mark, such as `   = note: `.
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
        Shown::Length if report.length == 0 => (None, None),
        Shown::Length => (None, Some(format!("there are {} bytes of it", report.length))),
        Shown::Stream => (None, None),
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
    group = group.element(note(format!("the rule is in {}", finding.spec_ref)));
    if !matches!(shown, Shown::Stream) {
        group = group.element(note(reply));
    }
    group = group.element(help(finding.help));
    if let Some(framing) = finding.framing {
        group = group.element(help(&format!("to read such a stream, use --framing {framing}")));
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
