//! The table of requirements as a page: `docs/requirements.md`.

use std::collections::BTreeMap;
use std::fmt::Write;

use tautline::Severity;
use tautline_mcp::{Revision, rule};

use super::Recordings;
use super::table::{REASONS, Requirement, is_of_audit};

const HEAD: &str = "\
# Requirements

This page is generated from [requirements.toml](requirements.toml), which tells more about each of them. It lists every
MUST and SHOULD of the five revisions of MCP that concerns messages, in our words, with the rules of tautline that report
a breach. The schemas are not repeated here: `missing-member`, `member-type`, `member-value` and `member-range` hold
payloads to them as a whole. Only `tautline audit` holds answers to what their requests have broken.

The last column names recordings that break the requirement. A revision stands for a [dialogue][dialogues] of it,
*answer* for a dialogue among the [answers][refusals] to requests that cannot succeed, and *exchange* for one of
[HTTP exchanges][exchanges]. Its heading has the id. An [audit](../audit/tests/it/breaches.rs) of each recording, in each
revision that has the requirement, reports one of the rules. The verdict on the requirement is then *failed*; if the rule
is only a note, it is *not observed*.

If no rule checks a requirement, the page gives the reason:

";

const LINKS: &str = "
[dialogues]: ../mcp/tests/data/dialogues.txt
[refusals]: ../audit/tests/it/refusals.txt
[exchanges]: ../audit/tests/it/exchanges.txt
";

/// Returns the page.
pub fn write(all: &[Requirement], recordings: &BTreeMap<String, Recordings>) -> String {
    let mut page = HEAD.to_owned();
    for (reason, meaning) in REASONS {
        writeln!(page, "- **{reason}**: {meaning}").unwrap();
    }
    page += "\nIf the wire shows nothing of what a requirement is about, it was not observed, which is not the same as passed.\n";
    page += "\n## How many\n\n| revision | listed | checked |";
    for (reason, _) in REASONS {
        write!(page, " {reason} |").unwrap();
    }
    page += "\n|---|--:|--:|";
    page += &"--:|".repeat(REASONS.len());
    page += "\n";
    for &revision in Revision::ALL {
        let listed: Vec<_> = all.iter().filter(|one| one.holds_in(revision)).collect();
        let checked = listed.iter().filter(|one| !one.rules.is_empty()).count();
        write!(page, "| {} | {} | {checked} |", revision.name(), listed.len()).unwrap();
        for (reason, _) in REASONS {
            let count = listed.iter().filter(|one| one.not.as_deref() == Some(reason)).count();
            write!(page, " {count} |").unwrap();
        }
        page += "\n";
    }
    let place = |one: &Requirement| one.clause.split(", ").next().unwrap().to_owned();
    let mut sections: Vec<String> = Vec::new();
    for one in all {
        if !sections.contains(&place(one)) {
            sections.push(place(one));
        }
    }
    for section in sections {
        write!(
            page,
            "\n## {section}\n\n| id | | revisions | by | requirement | checked by | broken in |\n"
        )
        .unwrap();
        page += "|---|---|---|---|---|---|---|\n";
        for one in all.iter().filter(|one| place(one) == section) {
            let checked = match &one.not {
                Some(reason) => format!("({reason})"),
                None => one.rules.iter().map(|name| rule(one, name)).collect::<Vec<_>>().join(", "),
            };
            let (id, level, revisions) = (&one.id, &one.level, revisions(one));
            writeln!(
                page,
                "| {id} | {level} | {revisions} | {} | {} | {checked} | {} |",
                one.by,
                one.text,
                recordings.get(id).map(broken_in).unwrap_or_default()
            )
            .unwrap();
        }
    }
    page + LINKS
}

/// Returns the names of the recordings that break a requirement.
fn broken_in(recordings: &Recordings) -> String {
    let names = recordings.dialogues.iter().map(|revision| revision.name());
    let names = names.chain(recordings.has_refusal.then_some("*answer*"));
    let names = names.chain(recordings.has_exchange.then_some("*exchange*"));
    names.collect::<Vec<_>>().join(", ")
}

/// Returns the range of revisions as a text.
fn revisions(one: &Requirement) -> String {
    let names = Revision::ALL.iter().filter(|&&revision| one.holds_in(revision));
    let names: Vec<_> = names.map(|revision| revision.name()).collect();
    match (names.as_slice(), names.last()) {
        (all, _) if all.len() == Revision::ALL.len() => "all".to_owned(),
        ([only], _) => (*only).to_owned(),
        ([first, ..], Some(&last)) if last == Revision::LATEST.name() => format!("from {first}"),
        ([first, ..], Some(last)) => format!("{first} to {last}"),
        _ => unreachable!("a requirement holds somewhere"),
    }
}

/// Returns a rule as a text, with its severity if it only warns of a MUST.
fn rule(one: &Requirement, name: &str) -> String {
    let rule = rule::from_name(name).filter(|_| !is_of_audit(name));
    match (one.level.as_str(), rule.map(rule::severity)) {
        ("MUST", Some(Severity::Warning)) => format!("`{name}` (warning)"),
        ("MUST", Some(Severity::Note)) => format!("`{name}` (note)"),
        // The severity of a rule of the audit depends on the requirement.
        _ => format!("`{name}`"),
    }
}
