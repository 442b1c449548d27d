//! The known faults of a peer: a baseline accepts them, so that only new ones fail.

use std::collections::BTreeSet;

use tautline_audit::document::Accepted;
use tautline_audit::{Accepting, Baseline};
use tautline_conformance::{Corpus, Role};

use super::row::{Result, Row};

/// The entries of a baseline that did not occur.
#[derive(Debug, Default)]
pub struct Held {
    /// The entries that no longer occur, although their cases have run.
    pub stale: Vec<Accepted>,
    /// The entries whose cases have not run.
    pub unchecked: Vec<Accepted>,
}

/// Marks the wrong rows that a baseline accepts.
pub fn accept(baseline: &Baseline, role: Role, corpus: &Corpus, rows: &mut [Row<'_>]) -> Held {
    let mut accepting = Accepting::new(baseline.clone());
    for row in rows.iter_mut() {
        let entry = entry(role, row);
        if let (Some(entry), Result::Wrong(fault, reason)) = (entry, &row.result)
            && accepting.accepts(&entry.fingerprint)
        {
            row.result = Result::Known(*fault, reason.clone());
        }
    }
    let run = rows.iter().filter(|row| !row.result.is_skipped()).map(|row| row.case.id.as_str());
    let run: BTreeSet<&str> = run.collect();
    let cases = corpus.cases.iter().filter(|case| case.role == role);
    let cases: BTreeSet<&str> = cases.map(|case| case.id.as_str()).collect();
    // An entry for a case that does not exist would never be checked, so it is stale.
    let is_waiting = |entry: &&Accepted| {
        cases.contains(entry.rule.as_str()) && !run.contains(entry.rule.as_str())
    };
    let (unchecked, stale) = accepting.stale().partition::<Vec<_>, _>(is_waiting);
    let owned = |entries: Vec<&Accepted>| entries.into_iter().cloned().collect();
    Held { stale: owned(stale), unchecked: owned(unchecked) }
}

/// Returns a baseline that accepts everything that is wrong now, and what the old one accepts in cases that have not
/// run.
pub fn baseline(before: Option<&Baseline>, role: Role, rows: &[Row<'_>], held: &Held) -> Baseline {
    let wrong = rows.iter().filter_map(|row| entry(role, row));
    Baseline::new(wrong.chain(held.unchecked.iter().cloned()), before)
}

/// Returns the entry that accepts a row, if it is wrong. It holds for each revision, and whatever the ids are.
fn entry(role: Role, row: &Row<'_>) -> Option<Accepted> {
    let side = match role {
        Role::Server => tautline_mcp::Role::Server,
        Role::Client => tautline_mcp::Role::Client,
    };
    let (fault, reason) = row.result.cause()?;
    Some(Accepted::of_test(&row.case.id, side, &format!("{}: {reason}", fault.name())))
}
