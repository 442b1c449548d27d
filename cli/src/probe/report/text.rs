//! The report for people.

use std::fmt::Write as _;
use std::io::{self, Write};

use console::measure_text_width as width_of;
use indicatif::HumanCount;
use tautline_audit::printable;
use tautline_conformance::{Level, Role};

use super::{Detail, Look, Report, by_hand, shown, table};
use crate::output::Style;
use crate::probe::described::describe;
use crate::probe::era::Count;
use crate::probe::interrupt::Cut;
use crate::probe::row::{Cause, Counts, Result as RowResult, Row, by, causes};

const RED: &str = "\x1B[1;31m";
const YELLOW: &str = "\x1B[33m";
const GREEN: &str = "\x1B[32m";
const DIM: &str = "\x1B[2m";
const BOLD: &str = "\x1B[1m";
const RESET: &str = "\x1B[0m";

/// How a line feed is shown.
const LINE_FEED: char = '␊';
/// The number of causes that are listed at the start.
const CAUSES: usize = 5;
/// The width of the labels before the facts about a case.
const LABEL: usize = 12;

pub fn write(report: &Report<'_>, look: Look, out: &mut dyn Write) -> io::Result<()> {
    let mut text = Text { look, out };
    text.about(report)?;
    let causes = causes(&report.rows);
    text.causes(&causes)?;
    text.tables(report)?;
    let hides_cases = match look.detail {
        Detail::All => {
            for rows in groups(report.rows.iter()) {
                text.group(report, &rows)?;
                writeln!(text.out)?;
            }
            false
        }
        Detail::Wrong => {
            causes.iter().try_for_each(|cause| text.cause(report, cause))?;
            causes.iter().any(|cause| cause.cases().len() > 1)
        }
    };
    text.end(report)?;
    if hides_cases {
        writeln!(text.out, "note: --verbose shows each case")?;
    }
    Ok(())
}

/// Groups the rows of the same case that have the same result.
fn groups<'r, 'a>(rows: impl Iterator<Item = &'r Row<'a>>) -> Vec<Vec<&'r Row<'a>>> {
    let mut groups: Vec<Vec<&Row<'_>>> = Vec::new();
    for row in rows {
        let same = |group: &&mut Vec<&Row<'_>>| {
            group.first().is_some_and(|first| {
                first.case.id == row.case.id && is_same(&first.result, &row.result)
            })
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    groups
}

/// Returns whether two results can be shown as one.
fn is_same(one: &RowResult, other: &RowResult) -> bool {
    match (one, other) {
        (RowResult::Wrong(one, _), RowResult::Wrong(other, _))
        | (RowResult::Known(one, _), RowResult::Known(other, _)) => one == other,
        (RowResult::Skipped(_), RowResult::Skipped(_)) => true,
        _ => one == other,
    }
}

struct Text<'out> {
    look: Look,
    out: &'out mut dyn Write,
}

impl Text<'_> {
    fn about(&mut self, report: &Report<'_>) -> io::Result<()> {
        let about = &report.about;
        let who = match report.role {
            Role::Server => "server",
            Role::Client => "client",
        };
        let mut name = about.name.clone().unwrap_or_else(|| report.target_line());
        if let Some(version) = &about.version {
            let _ = write!(name, " {version}");
        }
        self.fact(who, &printable(name.as_bytes()), 0)?;
        let claimed = match about.claimed.as_slice() {
            [] => "none".to_owned(),
            claimed => claimed.join(", "),
        };
        self.fact("speaks", &claimed, 0)?;
        for (revision, why) in &about.unclaimed {
            self.fact("", &format!("not {revision}: {}", printable(why.as_bytes())), 0)?;
        }
        if let Some(fault) = about.no_ping {
            self.fact("ping", &fault.words(), 0)?;
        }
        for (number, remark) in about.remarks.iter().enumerate() {
            self.fact(if number == 0 { "also" } else { "" }, &remark.words(), 0)?;
        }
        if report.role == Role::Server {
            let offers = about.offers.iter().map(|(name, count)| match count {
                Count::Exactly(1) => format!("1 {}", name.trim_end_matches('s')),
                Count::Exactly(count) => format!("{count} {name}"),
                Count::AtLeast(count) => format!("{count} {name} and more"),
            });
            let others = about
                .capabilities
                .iter()
                .filter(|capability| !about.offers.iter().any(|(name, _)| name == capability));
            let others = others.map(|name| printable(name.as_bytes()));
            let all: Vec<String> = offers.chain(others).collect();
            if !all.is_empty() {
                self.fact("offers", &all.join(", "), 0)?;
            }
        }
        Ok(())
    }

    /// Lists what is wrong, before any detail.
    fn causes(&mut self, causes: &[Cause<'_, '_>]) -> io::Result<()> {
        for (number, cause) in causes.iter().take(CAUSES).enumerate() {
            let (label, count) = (if number == 0 { "wrong" } else { "" }, cause.cases().len());
            let cases = if count == 1 { "case" } else { "cases" };
            self.fact(label, &format!("{count} {cases}: {cause}"), 0)?;
        }
        if let Some(more @ 1..) = causes.len().checked_sub(CAUSES) {
            self.fact("", &format!("and {more} more"), 0)?;
        }
        writeln!(self.out)
    }

    fn tables(&mut self, report: &Report<'_>) -> io::Result<()> {
        let total = Counts::of(report.rows.iter());
        let revisions = by(&report.rows, |row| row.revision);
        let categories = by(&report.rows, |row| row.case.category.as_str());
        for (name, groups) in [("revision", revisions), ("category", categories)] {
            for (number, (line, counts)) in table::lines(name, &groups, total).iter().enumerate() {
                let colour = match (number, counts.kind("wrong")) {
                    (0, _) => DIM,
                    (_, 0) => "",
                    _ => RED,
                };
                self.coloured(colour, line)?;
                writeln!(self.out)?;
            }
            writeln!(self.out)?;
        }
        Ok(())
    }

    /// Shows the first of the cases that are wrong in the same way, and the names of the others.
    fn cause(&mut self, report: &Report<'_>, cause: &Cause<'_, '_>) -> io::Result<()> {
        let names = cause.cases();
        if names.len() > 1 {
            let words = format!("{} cases are wrong in one way: {cause}", names.len());
            let lines = match self.look.width {
                Some(width) => wrapped(&words, width),
                None => vec![words],
            };
            for line in lines {
                self.coloured(BOLD, &line)?;
                writeln!(self.out)?;
            }
        }
        if let Some(rows) = groups(cause.rows.iter().copied()).first() {
            self.group(report, rows)?;
        }
        if let [_, others @ ..] = names.as_slice()
            && !others.is_empty()
        {
            self.fact("also", &others.join(", "), 2)?;
        }
        writeln!(self.out)
    }

    /// Shows rows of the same case that have the same result.
    fn group(&mut self, report: &Report<'_>, rows: &[&Row<'_>]) -> io::Result<()> {
        let Some(row) = rows.first() else { return Ok(()) };
        let case = row.case;
        let (colour, more) = match &row.result {
            RowResult::Right => (GREEN, String::new()),
            RowResult::Acceptable(_) => (YELLOW, String::new()),
            RowResult::Wrong(fault, _) => (RED, format!(": {}", fault.name())),
            RowResult::Known(fault, _) => (YELLOW, format!(": {}", fault.name())),
            RowResult::Skipped(_) => (DIM, String::new()),
        };
        self.coloured(colour, row.result.kind())?;
        write!(self.out, "  ")?;
        self.coloured(BOLD, &case.id)?;
        let revisions: Vec<&str> = rows.iter().map(|row| row.revision).collect();
        writeln!(self.out, " ({}){more}", revisions.join(", "))?;
        if matches!(row.result, RowResult::Right | RowResult::Skipped(_)) {
            let RowResult::Skipped(why) = &row.result else { return Ok(()) };
            return self.fact("", why, 2);
        }
        self.fact("tests", &format!("{} ({})", case.summary, level(case.level)), 2)?;
        self.wire("sent", &shown::sent(row))?;
        self.wire(shown::received_label(report.role), &shown::received(row))?;
        match &row.result {
            RowResult::Wrong(_, reason) | RowResult::Known(_, reason) => {
                self.fact("got", &printable(reason.as_bytes()), 2)?;
            }
            RowResult::Acceptable(note) => self.fact("tolerated", note, 2)?,
            _ => {}
        }
        for (number, outcome) in case.outcomes.iter().enumerate() {
            let label = if number == 0 { "expected" } else { "or" };
            let mut words = describe(case, outcome);
            if outcome.verdict == tautline_conformance::Verdict::Acceptable {
                let _ = write!(
                    words,
                    " (tolerated: {})",
                    outcome.note.as_deref().unwrap_or("no reason")
                );
            }
            self.fact(label, &words, 2)?;
        }
        if !case.clause.is_empty() {
            self.fact("clause", &case.clause, 2)?;
        }
        for (number, line) in shown::stderr(row).iter().enumerate() {
            self.fact(if number == 0 { "its stderr" } else { "" }, line, 2)?;
        }
        if let Some(note) = &row.note {
            self.fact("note", note, 2)?;
        }
        match by_hand::line(report, row) {
            // The line is meant to be copied, so it is not wrapped.
            Some(line) => self.label("by hand", 2).and_then(|()| writeln!(self.out, "{line}"))?,
            None => {
                let line = report.alone(row);
                self.label("alone", 2).and_then(|()| writeln!(self.out, "{line}"))?;
            }
        }
        Ok(())
    }

    fn end(&mut self, report: &Report<'_>) -> io::Result<()> {
        let total = Counts::of(report.rows.iter());
        let run = report.rows.len() - total.kind("skipped");
        let cases = if run == 1 { "case" } else { "cases" };
        let seconds = report.took.as_secs_f64();
        write!(self.out, "{} {cases} in {seconds:.1} s", HumanCount(run as u64))?;
        let mut separator = ": ";
        for (kind, count) in total.named().filter(|(_, count)| *count > 0) {
            let colour = match kind {
                "wrong" => RED,
                "acceptable" | "known" => YELLOW,
                "right" => GREEN,
                _ => DIM,
            };
            write!(self.out, "{separator}")?;
            self.coloured(colour, &format!("{} {kind}", HumanCount(count as u64)))?;
            separator = ", ";
        }
        writeln!(self.out)?;
        match report.cut {
            Some(Cut::TimeLimit) => {
                writeln!(
                    self.out,
                    "note: the time limit was reached; --time-limit sets another one"
                )?;
            }
            Some(cut) => writeln!(self.out, "note: {}; the other cases were skipped", cut.words())?,
            None => {}
        }
        match total.kind("known") {
            0 => {}
            1 => writeln!(self.out, "note: 1 wrong case is accepted by the baseline")?,
            known => writeln!(self.out, "note: {known} wrong cases are accepted by the baseline")?,
        }
        for words in report.held_words() {
            writeln!(self.out, "{words}")?;
        }
        Ok(())
    }

    /// Writes a label and some words, wrapped.
    fn fact(&mut self, label: &str, words: &str, indent: usize) -> io::Result<()> {
        self.label(label, indent)?;
        let Some(width) = self.look.width else { return writeln!(self.out, "{words}") };
        let room = width.saturating_sub(indent + LABEL).max(30);
        for (number, line) in wrapped(words, room).iter().enumerate() {
            if number > 0 {
                write!(self.out, "{:1$}", "", indent + LABEL)?;
            }
            writeln!(self.out, "{line}")?;
        }
        Ok(())
    }

    /// Writes a label and the bytes on the wire, with a line for each of the first frames.
    fn wire(&mut self, label: &str, text: &str) -> io::Result<()> {
        const FRAMES: usize = 6;
        let mut frames = text.splitn(FRAMES, LINE_FEED).peekable();
        let mut label = label;
        while let Some(frame) = frames.next() {
            match frames.peek() {
                Some(_) => self.fact(label, &format!("{frame}{LINE_FEED}"), 2)?,
                // The text ends with a line feed.
                None if frame.is_empty() && label.is_empty() => {}
                None => self.fact(label, frame, 2)?,
            }
            label = "";
        }
        Ok(())
    }

    fn label(&mut self, label: &str, indent: usize) -> io::Result<()> {
        write!(self.out, "{:indent$}", "")?;
        self.coloured(DIM, label)?;
        write!(self.out, "{:1$}", "", LABEL.saturating_sub(label.len()))
    }

    fn coloured(&mut self, colour: &str, text: &str) -> io::Result<()> {
        match self.look.style {
            Style::Coloured if !colour.is_empty() && !text.is_empty() => {
                write!(self.out, "{colour}{text}{RESET}")
            }
            _ => write!(self.out, "{text}"),
        }
    }
}

pub const fn level(level: Level) -> &'static str {
    match level {
        Level::Must => "must",
        Level::Should => "should",
        Level::Robustness => "robustness",
        _ => "unknown",
    }
}

/// Breaks a text into lines of this width, between words where that is possible.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_inclusive(' ') {
        let mut word = word;
        while let Some(line) = lines.last_mut() {
            let used = width_of(line);
            if used + width_of(word.trim_end()) <= width {
                line.push_str(word);
                break;
            }
            // A word that is too long for any line starts on the current line.
            if width_of(word.trim_end()) <= width {
                lines.push(word.to_owned());
                break;
            }
            let mut taken = 0;
            let fitting = word.char_indices().find(|(_, c)| {
                taken += width_of(&c.to_string());
                used + taken > width
            });
            let (start, rest) = word.split_at(fitting.map_or(word.len(), |(at, _)| at));
            line.push_str(start);
            lines.push(String::new());
            word = rest;
            if start.is_empty() && used == 0 {
                break;
            }
        }
    }
    lines.iter().map(|line| line.trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn texts_are_wrapped_between_words_if_that_is_possible() {
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("one two three", 7), ["one two", "three"]);
        assert_eq!(wrapped("ab abcdefghij k", 5), ["ab ab", "cdefg", "hij k"]);
        assert_eq!(wrapped("日本語日本語", 5), ["日本", "語日", "本語"]);
        assert_eq!(wrapped("🙂🙂", 1), ["", ""]);
    }
}
