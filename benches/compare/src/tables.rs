//! The measurements as Markdown tables.

use std::fmt::Write;

use compare::competitors::{COPY, SLICE};

use crate::report::{Measured, Numbers, Report};

/// Returns the complete report as text, and how tautline did in other runs.
pub fn markdown(report: &Report, others: &[Report]) -> String {
    let mut out = String::new();
    write_all(report, &mut out)
        .and_then(|()| others.iter().try_for_each(|other| write_other(report, other, &mut out)))
        .expect("a String takes everything");
    out
}

/// Writes what differs in the conditions of another run, and the speed of tautline in it.
fn write_other(first: &Report, report: &Report, out: &mut String) -> std::fmt::Result {
    let differs = |fact: &&(String, String)| !first.provenance.contains(fact);
    let facts = report.provenance.iter().filter(differs);
    let facts: Vec<String> = facts.map(|(name, value)| format!("{name}: {value}")).collect();
    writeln!(out, "\nAnother run, with {}:\n", facts.join("; "))?;
    write_table(
        report,
        out,
        |name| name.starts_with("tautline"),
        |numbers| format!("{:.2}", numbers.ratio),
    )
}

fn write_all(report: &Report, out: &mut String) -> std::fmt::Result {
    for (name, value) in &report.provenance {
        writeln!(out, "- {name}: {value}")?;
    }
    let versions: Vec<String> =
        report.versions.iter().map(|(name, version)| format!("{name} {version}")).collect();
    writeln!(out, "- versions: {}", versions.join(", "))?;
    writeln!(out, "- medians of {} rounds, interleaved", report.rounds)?;

    writeln!(
        out,
        "\n| wire | messages | bytes | bytes per message | slowest pass by fastest |\n|---|--:|--:|--:|--:|"
    )?;
    for corpus in &report.corpora {
        let Measured { name, lines, bytes, .. } = corpus;
        let average = *bytes as u64 / (*lines).max(1);
        writeln!(out, "| {name} | {lines} | {bytes} | {average} | {:.2} |", unrest(corpus))?;
    }

    writeln!(out, "\nSpeed relative to the `serde_json` envelope of the same run:\n")?;
    write_table(report, out, |_| true, |numbers| format!("{:.2}", numbers.ratio))?;
    writeln!(out, "\nGB/s:\n")?;
    write_table(report, out, |_| true, |numbers| format!("{:.2}", numbers.gigabytes_per_second))?;
    writeln!(out, "\nNanoseconds per message:\n")?;
    write_table(
        report,
        out,
        |_| true,
        |numbers| format!("{:.0}", numbers.nanoseconds_per_message),
    )?;
    write_reads(report, out)?;
    writeln!(
        out,
        "\n`*`: refused some of the lines, and did not do their work; `limit` rows validate nothing."
    )?;

    writeln!(out, "\nNotes, and the invalid lines that each accepts as messages:\n")?;
    writeln!(out, "| | what to know | lets through |\n|---|---|---|")?;
    for competitor in &report.competitors {
        let accepts = match competitor.accepts.as_slice() {
            [] => "none of those tried".to_owned(),
            accepts => accepts.join("; "),
        };
        writeln!(out, "| {} | {} | {accepts} |", competitor.name, competitor.about)?;
    }
    Ok(())
}

/// Returns how much longer the slowest pass took than the fastest, as the median over all competitors. It shows how
/// quiet the machine was.
fn unrest(corpus: &Measured) -> f64 {
    let ratio = |numbers: &Numbers| numbers.seconds.1 / numbers.seconds.0;
    let mut ratios: Vec<f64> = corpus.results.iter().map(ratio).collect();
    ratios.sort_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Writes a table of what reading in pieces costs, if the run measured both that it is compared with: the whole wire in
/// one slice, and one copy of it.
fn write_reads(report: &Report, out: &mut String) -> std::fmt::Result {
    let index = |name: &str| report.competitors.iter().position(|about| about.name == name);
    let (Some(slice), Some(copy)) = (index(SLICE), index(COPY)) else { return Ok(()) };
    writeln!(
        out,
        "\nTime of reads in pieces, divided by that of the whole slice plus one copy of it, each the shortest:\n"
    )?;
    write_heading(report, out)?;
    for (index, competitor) in report.competitors.iter().enumerate() {
        if !competitor.name.ends_with(" reads") {
            continue;
        }
        write!(out, "| {} |", competitor.name)?;
        for Measured { results, .. } in &report.corpora {
            let time = |index: usize| results[index].seconds.0;
            write!(out, " {:.2} |", time(index) / (time(slice) + time(copy)))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Writes the heading of a table with a column for every input.
fn write_heading(report: &Report, out: &mut String) -> std::fmt::Result {
    write!(out, "| |")?;
    for corpus in &report.corpora {
        write!(out, " {} |", corpus.name)?;
    }
    writeln!(out, "\n|---|{}", "--:|".repeat(report.corpora.len()))
}

/// Writes a table with one number for every wanted competitor and every input.
fn write_table(
    report: &Report,
    out: &mut String,
    wanted: impl Fn(&str) -> bool,
    number: impl Fn(&Numbers) -> String,
) -> std::fmt::Result {
    write_heading(report, out)?;
    for (index, competitor) in report.competitors.iter().enumerate() {
        if !wanted(&competitor.name) {
            continue;
        }
        let limit = if competitor.limit { "limit: " } else { "" };
        write!(out, "| {limit}{} |", competitor.name)?;
        for numbers in report.corpora.iter().filter_map(|corpus| corpus.results.get(index)) {
            let mark = if numbers.refused > 0 && !competitor.limit { "*" } else { "" };
            write!(out, " {}{mark} |", number(numbers))?;
        }
        writeln!(out)?;
    }
    Ok(())
}
