//! The table of requirements as a page: `docs/requirements.md`.

use std::fmt::Write;

use tautline::Revision;

use crate::table::{REASONS, Requirement};

const HEAD: &str = "\
# Requirements

This page is generated from [requirements.toml](requirements.toml), which tells more about each of them. It lists every
MUST and SHOULD of the five revisions of MCP that concerns messages, in our words, with the rules of tautline that report
a breach. The schemas are not repeated here: `missing-member`, `member-type`, `member-value` and `member-range` hold
payloads to them as a whole. If no rule checks a requirement, the page gives the reason:

";

/// Returns the page.
pub fn write(all: &[Requirement]) -> String {
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
    let mut section = "";
    for one in all {
        let place = one.clause.split(", ").next().unwrap();
        if place != section {
            section = place;
            write!(page, "\n## {place}\n\n| | revisions | by | requirement | checked by |\n")
                .unwrap();
            page += "|---|---|---|---|---|\n";
        }
        let checked = match &one.not {
            Some(reason) => format!("({reason})"),
            None => one.rules.iter().map(|rule| format!("`{rule}`")).collect::<Vec<_>>().join(", "),
        };
        let revisions = match one.revisions.as_str() {
            "" | "2024-11-05.." => "all",
            revisions => revisions,
        };
        writeln!(page, "| {} | {revisions} | {} | {} | {checked} |", one.level, one.by, one.text)
            .unwrap();
    }
    page
}
