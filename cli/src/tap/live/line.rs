//! The lines of the display: one for each frame, and lines for its findings.

use std::fmt::Write;

use console::{Term, measure_text_width, truncate_str};
use indicatif::HumanCount;
use tautline::Severity;
use tautline_audit::document::{Finding, Totals};
use tautline_audit::frame::Kind;
use tautline_audit::{Audited, printable};
use tautline_mcp::Role;

use crate::output::{Style, wrap};
use crate::process::Exit;

/// The number of bytes that are written at once.
pub const ENOUGH: usize = 16 * 1024;

/// The number of findings that are shown for each frame.
const FINDINGS: usize = 5;
/// The number of bytes shown of a frame that is not a message.
const EXCERPT: usize = 200;

/// The widths of these columns on a narrow and on a wide screen. All other columns have fixed widths.
const METHOD: (usize, usize) = (25, 64);
const ID: (usize, usize) = (8, 24);
/// The width of everything except these two columns.
const OTHERS: usize = 9 + 3 + 13 + 2 + 11 + 9;
/// The column in which findings begin.
const INDENT: usize = 12;

/// Colours, as numbers of the escape codes.
const DIM: u8 = 2;
const RED: u8 = 31;
const GREEN: u8 = 32;
const YELLOW: u8 = 33;
const BLUE: u8 = 34;
const CYAN: u8 = 36;

/// Lines that were not written yet.
pub struct Page {
    style: Style,
    /// The width of the terminal, or `None` without a terminal, where lines may have any length.
    width: Option<usize>,
    text: String,
}

impl Page {
    pub fn new(style: Style) -> Self {
        Self { style, width: None, text: String::new() }
    }

    pub fn style(&self) -> Style {
        self.style
    }

    /// Reads the width of the terminal again, because it may have changed.
    pub fn measure(&mut self) {
        self.width = Term::stderr().size_checked().map(|(_, columns)| usize::from(columns));
    }

    /// Removes and returns the lines, if they are more than this many bytes.
    pub fn take(&mut self, enough: usize) -> String {
        if self.text.len() > enough { std::mem::take(&mut self.text) } else { String::new() }
    }

    /// Adds a frame, and what was found in it.
    pub fn frame(&mut self, us: i64, frame: &Audited<'_>) {
        let message = &frame.report.message;
        let about = match (message.kind, &message.method) {
            (_, Some(method)) => call(method, frame.target),
            (Kind::Batch, None) => {
                let count = frame.report.batch.as_ref().map_or(0, Vec::len);
                format!("{count} {}", if count == 1 { "message" } else { "messages" })
            }
            (Kind::Invalid, None) => {
                let bytes = frame.bytes.unwrap_or_default();
                printable(bytes.get(..EXCERPT).unwrap_or(bytes))
            }
            (_, None) => {
                let method = frame.answered.map(|answered| answered.method.as_str());
                call(method.unwrap_or_default(), frame.target)
            }
        };
        let id = message.id.as_deref().map(|id| format!("id {}", printable(id.as_bytes())));
        let latency = frame.answered.and_then(|answered| answered.latency);
        let latency = latency.map(|latency| duration(latency.milliseconds()));
        let kind = message.kind.as_str();
        let kind = match message.kind {
            Kind::Error | Kind::Invalid => self.paint(RED, &format!("{kind:<12}")),
            _ => format!("{kind:<12}"),
        };
        let (method, id_width) = self.widths();
        let line = format!(
            "{} {kind}  {} {} {:>10} {:>8}",
            self.start(us, frame.from),
            fit(&about, method),
            fit(&id.unwrap_or_default(), id_width),
            size(frame.report.length),
            latency.unwrap_or_default(),
        );
        self.push(&line);
        let findings = frame.findings.iter().take(FINDINGS);
        findings.for_each(|finding| self.finding(finding));
        let left_out: u64 = frame
            .report
            .messages()
            .flat_map(|message| &message.left_out)
            .map(|one| one.count)
            .sum();
        let more = frame.findings.len().saturating_sub(FINDINGS) as u64 + left_out;
        if more > 0 {
            self.push(&format!("{:INDENT$}… {} more", "", HumanCount(more)));
        }
    }

    /// Adds a finding.
    pub fn finding(&mut self, finding: &Finding) {
        let colour = match finding.severity {
            Severity::Error => RED,
            Severity::Warning => YELLOW,
            Severity::Note => BLUE,
        };
        let label = format!("{}[{}]:", finding.severity.name(), finding.rule);
        let mut words = finding.message.clone();
        if !finding.path.is_empty() {
            let _ = write!(words, " ({})", finding.path);
        }
        let words = printable(words.as_bytes());
        let room = self.width.map(|width| width.saturating_sub(INDENT).max(20));
        let lines = wrap(&format!("{label} {words}"), room, 0);
        for (index, line) in lines.iter().enumerate() {
            let line = match line.strip_prefix(&label) {
                Some(rest) if index == 0 => format!("{}{rest}", self.paint(colour, &label)),
                _ => line.clone(),
            };
            self.push(&format!("{:INDENT$}{line}", ""));
        }
    }

    /// Adds a line about a side that will send no more.
    pub fn closed(&mut self, us: i64, from: Role) {
        let start = self.start(us, from);
        self.push(&format!("{start} the {} has closed its side", from.name()));
    }

    /// Adds a line about a part that was not examined.
    pub fn skipped(&mut self, us: i64, from: Role, count: u64) {
        let start = self.start(us, from);
        let words = format!(
            "… {} bytes of the {} were not shown: the display cannot keep up",
            HumanCount(count),
            from.name()
        );
        let words = self.paint(YELLOW, &words);
        self.push(&format!("{start} {words}"));
    }

    /// Adds a line about a stream whose rest can't be examined.
    pub fn lost(&mut self, us: i64, from: Role) {
        let start = self.start(us, from);
        let words = format!(
            "… what the {} sends from here on is not shown: the display cannot keep up",
            from.name()
        );
        let words = self.paint(YELLOW, &words);
        self.push(&format!("{start} {words}"));
    }

    /// Adds the end of the session.
    pub fn end(&mut self, us: i64, exit: Exit, totals: &Totals) {
        let Totals { frames, errors, warnings, .. } = *totals;
        self.totals(us, &format!("the server has {}", exit.how()), [frames, errors, warnings]);
    }

    /// Adds how the session has ended, with the numbers of frames, errors and warnings.
    pub fn totals(&mut self, us: i64, how: &str, [frames, errors, warnings]: [u64; 3]) {
        let count = |count: u64, one: &str| {
            format!("{} {one}{}", HumanCount(count), if count == 1 { "" } else { "s" })
        };
        let time = self.time(us);
        self.push(&format!(
            "{time}   {how}; {}, {}, {}",
            count(frames, "frame"),
            count(errors, "error"),
            count(warnings, "warning"),
        ));
    }

    /// Adds a line about what one side has done apart from messages.
    #[cfg(feature = "http")]
    pub fn remark(&mut self, us: i64, from: Role, words: &str) {
        let start = self.start(us, from);
        self.push(&format!("{start} {}", printable(words.as_bytes())));
    }

    fn push(&mut self, line: &str) {
        let line = match self.width {
            Some(width) => truncate_str(line, width, "…"),
            None => line.into(),
        };
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    /// Returns the time, and the direction of a frame.
    fn start(&self, us: i64, from: Role) -> String {
        let (colour, arrow) = match from {
            Role::Client => (CYAN, "→"),
            Role::Server => (GREEN, "←"),
        };
        format!("{} {}", self.time(us), self.paint(colour, arrow))
    }

    fn time(&self, us: i64) -> String {
        let (seconds, milliseconds) = (us / 1_000_000, us / 1000 % 1000);
        self.paint(DIM, &format!("{seconds:>5}.{milliseconds:03}"))
    }

    fn paint(&self, colour: u8, text: &str) -> String {
        match self.style {
            Style::Plain => text.to_owned(),
            Style::Coloured => format!("\x1b[{colour}m{text}\x1b[0m"),
        }
    }

    /// Returns the widths of the columns of methods and of ids.
    fn widths(&self) -> (usize, usize) {
        let Some(width) = self.width else { return (METHOD.0, ID.0) };
        let id = if width < 120 { ID.0 } else { ID.1 };
        let method = width.saturating_sub(OTHERS + id).clamp(METHOD.0, METHOD.1);
        (method, id)
    }
}

/// Returns a method, and the tool, prompt or resource that is called.
fn call(method: &str, target: Option<&str>) -> String {
    let target = target.map(|target| format!(" {target}")).unwrap_or_default();
    printable(format!("{method}{target}").as_bytes())
}

/// Pads a text to this width, or truncates it.
fn fit(text: &str, width: usize) -> String {
    let text = truncate_str(text, width, "…");
    let room = width.saturating_sub(measure_text_width(&text));
    format!("{text}{:room$}", "")
}

fn size(bytes: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "one digit after the point is shown")]
    let length = bytes as f64;
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..0x10_0000 => format!("{:.1} KiB", length / 1024.0),
        _ => format!("{:.1} MiB", length / 1024.0 / 1024.0),
    }
}

fn duration(milliseconds: f64) -> String {
    match milliseconds {
        0.0..10.0 => format!("{milliseconds:.1} ms"),
        10.0..10_000.0 => format!("{milliseconds:.0} ms"),
        _ => format!("{:.1} s", milliseconds / 1000.0),
    }
}

#[cfg(test)]
mod tests {
    use super::{duration, fit, size};

    #[test]
    fn columns_have_their_width() {
        assert_eq!(
            (fit("tools/call", 12), fit("tools/call", 8)),
            ("tools/call  ".into(), "tools/c…".into())
        );
        // Wide characters take two columns.
        assert_eq!((fit("日本", 5), fit("日本語", 5)), ("日本 ".into(), "日本…".into()));
    }

    #[test]
    fn numbers_are_short() {
        let sizes = [0, 1023, 1024, 1_048_575, 1 << 20, 64 << 20].map(size);
        assert_eq!(sizes, ["0 B", "1023 B", "1.0 KiB", "1024.0 KiB", "1.0 MiB", "64.0 MiB"]);
        let durations = [0.04, 9.94, 12.3, 9999.0, 12_345.0].map(duration);
        assert_eq!(durations, ["0.0 ms", "9.9 ms", "12 ms", "9999 ms", "12.3 s"]);
    }
}
