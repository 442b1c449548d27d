//! The result of each case.

use std::collections::BTreeMap;

use tautline_conformance::{Case, Step};

use super::interrupt::Cut;
use super::judge::{Fault, Verdict};
use super::session::Evidence;

/// The result of a case in a revision.
pub struct Row<'a> {
    pub case: &'a Case,
    pub revision: &'a str,
    pub result: Result,
    pub evidence: Evidence,
    /// A remark for people.
    pub note: Option<String>,
}

impl Row<'_> {
    /// Returns the steps of the case as they were sent.
    pub fn steps(&self) -> &[Step] {
        self.evidence.sent.as_deref().unwrap_or(&self.case.steps)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Result {
    Right,
    /// It is tolerated for this reason.
    Acceptable(String),
    Wrong(Fault, String),
    /// It is wrong in this way, and the baseline accepts that.
    Known(Fault, String),
    /// It was skipped for this reason.
    Skipped(String),
}

impl Result {
    /// The kinds, in the order of reports.
    pub const KINDS: [&'static str; 5] = ["right", "acceptable", "known", "wrong", "skipped"];

    /// Returns the result for a verdict.
    pub fn of(verdict: Verdict, strict: Strict) -> Self {
        match (verdict, strict) {
            (Verdict::Right, _) => Self::Right,
            (Verdict::Acceptable(note), Strict::No) => Self::Acceptable(note),
            (Verdict::Acceptable(note), Strict::Yes) => Self::Wrong(Fault::Tolerated, note),
            (Verdict::Wrong(fault, reason), _) => Self::Wrong(fault, reason),
        }
    }

    /// Returns the name of the kind, which is one of [`KINDS`](Self::KINDS).
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Right => "right",
            Self::Acceptable(_) => "acceptable",
            Self::Known(..) => "known",
            Self::Wrong(..) => "wrong",
            Self::Skipped(_) => "skipped",
        }
    }

    pub const fn is_wrong(&self) -> bool {
        matches!(self, Self::Wrong(..))
    }

    pub const fn is_skipped(&self) -> bool {
        matches!(self, Self::Skipped(_))
    }

    /// Returns the fault, and its reason without an id and a place in a line, which differ from case to case.
    pub fn cause(&self) -> Option<(Fault, &str)> {
        let (Self::Wrong(fault, reason) | Self::Known(fault, reason)) = self else { return None };
        let ends = [" with id ", " at line "].map(|start| reason.find(start));
        let end = ends.into_iter().flatten().min().unwrap_or(reason.len());
        Some((*fault, reason.get(..end).unwrap_or(reason)))
    }
}

/// The rows, and why they are not those of all cases.
#[derive(Default)]
pub struct Rows<'a> {
    pub rows: Vec<Row<'a>>,
    pub cut: Option<Cut>,
}

/// The treatment of outcomes that are merely acceptable: `Yes` counts them as wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strict {
    No,
    Yes,
}

/// Numbers of rows, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([usize; Result::KINDS.len()]);

impl Counts {
    pub fn of<'a>(rows: impl Iterator<Item = &'a Row<'a>>) -> Self {
        let mut counts = Self::default();
        rows.for_each(|row| counts.add(row));
        counts
    }

    fn add(&mut self, row: &Row<'_>) {
        let kinds = Result::KINDS.iter().zip(&mut self.0);
        kinds.filter(|(kind, _)| **kind == row.result.kind()).for_each(|(_, count)| *count += 1);
    }

    /// Returns the number of rows of a kind.
    pub fn kind(&self, kind: &str) -> usize {
        self.named().find(|(name, _)| *name == kind).map_or(0, |(_, count)| count)
    }

    /// Returns the kinds that the table for these counts has: `known` only if there are such rows.
    pub fn shown(&self) -> impl Iterator<Item = &'static str> {
        self.named().filter(|&(kind, count)| kind != "known" || count > 0).map(|(kind, _)| kind)
    }

    /// Returns each kind with its number of rows.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, usize)> {
        Result::KINDS.into_iter().zip(self.0)
    }
}

/// Cases that are wrong in the same way.
pub struct Cause<'r, 'a> {
    pub fault: Fault,
    /// What the peer did, without ids.
    pub reason: &'r str,
    /// The rows, of which there is at least one.
    pub rows: Vec<&'r Row<'a>>,
}

impl Cause<'_, '_> {
    /// Returns the names of the cases, each once.
    pub fn cases(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !names.contains(&row.case.id.as_str()) {
                names.push(&row.case.id);
            }
        }
        names
    }
}

impl std::fmt::Display for Cause<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let reason = tautline_audit::printable(self.reason.as_bytes());
        write!(f, "{}, {reason}", self.fault.name())
    }
}

/// Groups the wrong rows by cause, the cause with most rows first.
pub fn causes<'r, 'a>(rows: &'r [Row<'a>]) -> Vec<Cause<'r, 'a>> {
    let mut causes: Vec<Cause<'r, 'a>> = Vec::new();
    for row in rows.iter().filter(|row| row.result.is_wrong()) {
        let Some((fault, reason)) = row.result.cause() else { continue };
        match causes.iter_mut().find(|cause| (cause.fault, cause.reason) == (fault, reason)) {
            Some(cause) => cause.rows.push(row),
            None => causes.push(Cause { fault, reason, rows: vec![row] }),
        }
    }
    causes.sort_by_key(|cause| std::cmp::Reverse(cause.rows.len()));
    causes
}

/// Counts rows in groups, in the order in which the groups first occur.
pub fn by<'a>(rows: &'a [Row<'a>], key: impl Fn(&Row<'a>) -> &'a str) -> Vec<(&'a str, Counts)> {
    let mut order: Vec<&str> = Vec::new();
    let mut groups: BTreeMap<&str, Counts> = BTreeMap::new();
    for row in rows {
        let name = key(row);
        if !groups.contains_key(name) {
            order.push(name);
        }
        groups.entry(name).or_default().add(row);
    }
    order.into_iter().filter_map(|name| Some((name, *groups.get(name)?))).collect()
}
