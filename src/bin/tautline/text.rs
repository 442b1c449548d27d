//! Findings for people: where, what it looks like, what it means, what is owed, and the way out.

use std::io::{self, Write};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use tautline::{Rule, Severity};

use crate::args::Framing;
use crate::excerpt::{Excerpt, printable};
use crate::finding::{FindingReport, Named};
use crate::report::{FrameReport, Kind, MessageReport};

/// What there is to be shown of a frame.
#[derive(Clone, Copy)]
pub enum Shown<'buf> {
    /// Its bytes.
    Frame(&'buf [u8]),
    /// Nothing but its length: the bytes are gone.
    Length,
    /// There is no frame, and these bytes come next.
    Behind(&'buf [u8]),
}

/// Prints the findings of one frame; one without findings is not mentioned.
pub fn print(
    out: &mut impl Write,
    path: &str,
    framing: Framing,
    shown: Shown<'_>,
    report: &FrameReport<'_>,
) -> io::Result<()> {
    for message in report.messages() {
        for finding in &message.findings {
            let place = match (framing, report.line) {
                (Framing::Ndjson, Some(line)) => format!("{path}:{line}:{}", finding.column),
                // A line of the wire is not what a frame is.
                _ => match finding.offset {
                    Some(offset) => format!("{path}: byte {offset}"),
                    None => {
                        let (event, at) = (report.offset, finding.column - 1);
                        format!(
                            "{path}: the event with its data at byte {event}, byte {at} of that"
                        )
                    }
                },
            };
            let rendered = render(shown, report, message, finding);
            writeln!(out, "{place}: {rendered}\n")?;
        }
        if message.unreported > 0 {
            let place = match (framing, report.line) {
                (Framing::Ndjson, Some(line)) => format!("{path}:{line}"),
                _ => format!("{path}: byte {}", report.offset),
            };
            writeln!(out, "{place}: and {} more findings here\n", message.unreported)?;
        }
    }
    Ok(())
}

fn render(
    shown: Shown<'_>,
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
            if let Some(id) = report.message.id {
                text += &format!("; the id is {}", printable(id.as_bytes()));
            }
            text.push(')');
            let mark = 0..text.len();
            (Some(Excerpt { text, mark }), None)
        }
        Shown::Length => (None, Some(format!("there are {} bytes of it", report.length))),
        Shown::Behind(bytes) => {
            (None, Some(format!("the next bytes are {}", Excerpt::around(bytes, 0).text)))
        }
    };
    let mut group = Group::with_title(level.primary_title(finding.message).id(finding.rule.name()));
    if let (Some(excerpt), Some(line)) = (excerpt, report.line) {
        let snippet = Snippet::source(excerpt.text)
            .line_start(usize::try_from(line).unwrap_or(usize::MAX))
            .annotation(AnnotationKind::Primary.span(excerpt.mark));
        group = group.element(snippet);
    }
    if let Some(next) = next {
        group = group.element(Level::NOTE.message(next));
    }
    let reply = match finding.rule {
        Named::Desync(_) => {
            "where the next frame begins is not known: the rest was not checked".into()
        }
        _ => owed(message),
    };
    group = group
        .element(Level::NOTE.message(format!("the rule is in {}", finding.clause)))
        .element(Level::NOTE.message(reply))
        .element(Level::HELP.message(finding.rule.help()));
    if finding.rule == Named::Rule(Rule::ContentLengthHeader) {
        let help = "to check a wire with such headers, use --framing content-length";
        group = group.element(Level::HELP.message(help));
    }
    // The place stands in front, because the renderer would count the columns of the excerpt.
    Renderer::styled().render(&[group])
}

/// What the receiver owes the sender of the message.
fn owed(message: &MessageReport<'_>) -> String {
    match (message.kind, message.reply) {
        (Kind::Invalid, None) => "the receiver owes no reply: it must stay silent".to_owned(),
        (_, Some(reply)) => match reply.id {
            Some(id) => {
                let id = Excerpt::around(id.as_bytes(), 0).text;
                format!("the receiver owes the error {} with the id {id}", reply.code)
            }
            None => format!("the receiver owes the error {}, without an id", reply.code),
        },
        (_, None) => "the receiver owes no error: the message is legal".to_owned(),
    }
}
