//! Findings for people: where, what it looks like, what it means, what is owed, and the way out.

use std::io::{self, Write};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use tautline::Severity;

use crate::excerpt::Excerpt;
use crate::report::{FindingReport, FrameReport, Kind, MessageReport};

/// Prints the findings of one frame; one without findings is not mentioned.
pub fn print(
    out: &mut impl Write,
    path: &str,
    frame: Option<&[u8]>,
    report: &FrameReport<'_>,
) -> io::Result<()> {
    for message in report.messages() {
        for finding in &message.findings {
            let rendered = render(path, frame, report, message, finding);
            writeln!(out, "{rendered}\n")?;
        }
        if message.unreported > 0 {
            let line = report.line;
            writeln!(out, "{path}:{line}: and {} more findings here\n", message.unreported)?;
        }
    }
    Ok(())
}

fn render(
    path: &str,
    frame: Option<&[u8]>,
    report: &FrameReport<'_>,
    message: &MessageReport<'_>,
    finding: &FindingReport,
) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let line = usize::try_from(report.line).unwrap_or(usize::MAX);
    let column = usize::try_from(finding.column).unwrap_or(usize::MAX);
    let excerpt = match frame {
        Some(frame) => Excerpt::around(frame, column - 1),
        None => {
            let text = format!("({} bytes, discarded)", report.length);
            let mark = 0..text.len();
            Excerpt { text, mark }
        }
    };
    let snippet = Snippet::source(excerpt.text)
        .line_start(line)
        .annotation(AnnotationKind::Primary.span(excerpt.mark));
    let group = Group::with_title(level.primary_title(finding.message).id(finding.rule.name()))
        .element(snippet)
        .element(Level::NOTE.message(format!("the rule is in {}", finding.clause)))
        .element(Level::NOTE.message(owed(message)))
        .element(Level::HELP.message(finding.rule.help()));
    // The place stands in front, because the renderer would count the columns of the excerpt.
    format!("{path}:{line}:{column}: {}", Renderer::styled().render(&[group]))
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
