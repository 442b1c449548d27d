//! One HTML file that needs no network and no script.

use std::io::{self, Write};

use tautline_audit::format::html::escape;
use tautline_conformance::Verdict;

use super::text::level;
use super::{Report, by_hand, shown};
use crate::probe::described::describe;
use crate::probe::era::Count;
use crate::probe::row::{Cause, Counts, Result as RowResult, Row, by, causes};

const STYLE: &str = include_str!("style.css");

pub fn write(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let who = match (&report.about.name, &report.about.version) {
        (Some(name), Some(version)) => format!("{name} {version}"),
        (Some(name), None) => name.clone(),
        _ => report.target_line(),
    };
    let who = escape(&who);
    write!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>tautline probe: {who}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>tautline probe: {who}</h1>\n"
    )?;
    about(report, out)?;
    let total = Counts::of(report.rows.iter());
    writeln!(out, "<div class=\"tables\">")?;
    table("Revision", &by(&report.rows, |row| row.revision), total, out)?;
    table("Category", &by(&report.rows, |row| row.case.category.as_str()), total, out)?;
    writeln!(out, "</div>")?;
    causes_table(&causes(&report.rows), out)?;
    for kind in ["wrong", "known", "acceptable", "right", "skipped"] {
        let count = total.kind(kind);
        if count == 0 {
            continue;
        }
        let open = if kind == "wrong" { " open" } else { "" };
        writeln!(
            out,
            "<details class=\"section\"{open}><summary><h2>{count} {kind}</h2></summary>"
        )?;
        let rows = report.rows.iter().filter(|row| row.result.kind() == kind);
        rows.into_iter().try_for_each(|row| case(report, row, out))?;
        writeln!(out, "</details>")?;
    }
    writeln!(out, "</body>\n</html>")
}

fn about(report: &Report<'_>, out: &mut dyn Write) -> io::Result<()> {
    let about = &report.about;
    writeln!(out, "<dl class=\"about\">")?;
    fact(report.target.name(), &report.target_line(), "code", out)?;
    fact("speaks", &about.claimed.join(", "), "", out)?;
    for (revision, why) in &about.unclaimed {
        fact("does not speak", &format!("{revision}: {why}"), "", out)?;
    }
    for (name, count) in &about.offers {
        let count = match count {
            Count::Exactly(count) => count.to_string(),
            Count::AtLeast(count) => format!("{count} and more"),
        };
        fact(name, &count, "", out)?;
    }
    fact("time", &format!("{:.1} s", report.took.as_secs_f64()), "", out)?;
    if let Some(fault) = about.no_ping {
        fact("ping", &fault.words(), "wrong", out)?;
    }
    for remark in &about.remarks {
        fact("also", &remark.words(), "", out)?;
    }
    if let Some(cut) = report.cut {
        fact("note", &format!("{}, and some cases were skipped", cut.words()), "", out)?;
    }
    for words in report.held_words() {
        fact("baseline", &words, "", out)?;
    }
    writeln!(out, "</dl>")
}

fn table(
    name: &str,
    groups: &[(&str, Counts)],
    total: Counts,
    out: &mut dyn Write,
) -> io::Result<()> {
    write!(out, "<table><thead><tr><th>{name}</th>")?;
    total.shown().try_for_each(|kind| write!(out, "<th>{kind}</th>"))?;
    writeln!(out, "</tr></thead><tbody>")?;
    for (name, counts) in groups.iter().chain(&[("total", total)]) {
        write!(out, "<tr><th>{}</th>", escape(name))?;
        for kind in total.shown() {
            let count = counts.kind(kind);
            let class = if count == 0 { "none" } else { kind };
            write!(out, "<td class=\"{class}\">{count}</td>")?;
        }
        writeln!(out, "</tr>")?;
    }
    writeln!(out, "</tbody></table>")
}

fn causes_table(causes: &[Cause<'_, '_>], out: &mut dyn Write) -> io::Result<()> {
    if causes.is_empty() {
        return Ok(());
    }
    writeln!(out, "<table><thead><tr><th>Cause</th><th>wrong</th></tr></thead><tbody>")?;
    for cause in causes {
        let (name, reason) = (escape(cause.fault.name()), escape(cause.reason));
        let count = cause.rows.len();
        writeln!(out, "<tr><th>{name}: {reason}</th><td class=\"wrong\">{count}</td></tr>")?;
    }
    writeln!(out, "</tbody></table>")
}

fn case(report: &Report<'_>, row: &Row<'_>, out: &mut dyn Write) -> io::Result<()> {
    let case = row.case;
    let kind = row.result.kind();
    let (fault, reason) = match &row.result {
        RowResult::Wrong(fault, reason) | RowResult::Known(fault, reason) => {
            (fault.name(), reason.as_str())
        }
        RowResult::Acceptable(reason) | RowResult::Skipped(reason) => ("", reason.as_str()),
        RowResult::Right => ("", ""),
    };
    let id = escape(&case.id);
    if let RowResult::Skipped(why) = &row.result {
        return writeln!(
            out,
            "<p><code>{id}</code> <span class=\"dim\">{}: {}</span></p>",
            escape(row.revision),
            escape(why)
        );
    }
    writeln!(
        out,
        "<details class=\"case\"><summary><span class=\"{kind}\">{kind}</span> <code>{id}</code> \
         <span class=\"dim\">{} · {}</span> {}</summary><dl>",
        escape(row.revision),
        level(case.level),
        escape(fault)
    )?;
    fact("tests", &case.summary, "", out)?;
    fact("sent", &shown::sent(row), "code", out)?;
    fact(shown::received_label(report.role), &shown::received(row), "code", out)?;
    let label = if kind == "acceptable" { "tolerated" } else { "got" };
    if !reason.is_empty() {
        fact(label, reason, "", out)?;
    }
    for outcome in &case.outcomes {
        let words = describe(case, outcome);
        let words = match (outcome.verdict, &outcome.note) {
            (Verdict::Acceptable, Some(note)) => format!("{words} (tolerated: {note})"),
            _ => words,
        };
        fact("expected", &words, "", out)?;
    }
    fact("clause", &case.clause, "", out)?;
    for line in shown::stderr(row) {
        fact("its stderr", &line, "code", out)?;
    }
    if let Some(note) = &row.note {
        fact("note", note, "", out)?;
    }
    match by_hand::line(report, row) {
        Some(line) => fact("by hand", &line, "code", out)?,
        None => fact("alone", &report.alone(row), "code", out)?,
    }
    writeln!(out, "</dl></details>")
}

/// Writes a term and its description, as text or as code.
fn fact(label: &str, words: &str, class: &str, out: &mut dyn Write) -> io::Result<()> {
    let (label, words) = (escape(label), escape(words));
    writeln!(out, "<dt>{label}</dt><dd class=\"{class}\">{words}</dd>")
}
