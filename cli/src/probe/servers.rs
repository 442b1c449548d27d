//! Runs the cases for servers, one at a time.

use std::time::Instant;

use indicatif::ProgressBar;
use tautline_conformance::{Case, Corpus, Opening, Session as Script};

use super::era::About;
use super::interrupt::{self, Cut};
use super::judge::{Fault, is_own, judge};
use super::observed::Survived;
use super::plan::Plan;
use super::row::{Result as RowResult, Row, Rows, Strict};
use super::session::{Evidence, NotOpened, Session, Setup};

/// The number of consecutive sessions that fail to open after which the rest of a revision is skipped.
const FAILURES: usize = 3;

pub struct Servers<'a> {
    pub setup: Setup<'a>,
    pub corpus: &'a Corpus,
    pub strict: Strict,
    pub bar: ProgressBar,
}

impl<'a> Servers<'a> {
    /// Runs the cases of a plan for the revisions that the server claims, and skips the others.
    pub fn run(&self, plan: &Plan<'a>, about: &About) -> Rows<'a> {
        let mut all = Rows::default();
        each_claimed(
            plan,
            self.corpus,
            &about.claimed,
            &mut all,
            |revision, script, cases, all| {
                let run = Revision { servers: self, revision, script, shared: None, failures: 0 };
                run.cases(cases, all);
            },
        );
        all
    }
}

/// Calls a function with the cases of each revision that a server claims, and skips the others.
pub fn each_claimed<'a>(
    plan: &Plan<'a>,
    corpus: &'a Corpus,
    claimed: &[String],
    all: &mut Rows<'a>,
    mut run: impl FnMut(&'a str, &'a Script, Vec<&'a Case>, &mut Rows<'a>),
) {
    for &revision in &plan.revisions {
        let script = corpus.sessions.get(revision);
        let is_claimed = claimed.iter().any(|claimed| claimed == revision);
        let Some(script) = script.filter(|_| is_claimed) else {
            let why = format!("the server does not claim {revision}");
            all.rows.extend(plan.of(revision).map(|case| skipped(case, revision, &why)));
            continue;
        };
        let mut cases = Vec::new();
        for case in plan.of(revision) {
            match plan.later(case, revision, claimed) {
                Some(later) => all.rows.push(runs_later(case, revision, later)),
                None => cases.push(case),
            }
        }
        run(revision, script, cases, all);
    }
}

/// Runs a case, unless the run is cut or the server no longer opens sessions. Then the case is skipped.
pub fn unless_over<'a>(
    all: &mut Rows<'a>,
    case: &'a Case,
    revision: &'a str,
    deadline: Option<Instant>,
    failures: usize,
    run: impl FnOnce(&Rows<'a>) -> Result<Row<'a>, Cut>,
) -> Row<'a> {
    if let (None, Err(cut)) = (all.cut, interrupt::check(deadline)) {
        all.cut = Some(cut);
    }
    match all.cut {
        Some(cut) => skipped(case, revision, cut.words()),
        None if failures >= FAILURES => {
            skipped(case, revision, "the server no longer opens a session")
        }
        None => run(all).unwrap_or_else(|cut| {
            all.cut = Some(cut);
            skipped(case, revision, cut.words())
        }),
    }
}

/// The cases of one revision.
struct Revision<'run, 'a> {
    servers: &'run Servers<'a>,
    revision: &'a str,
    script: &'a Script,
    /// The session that cases share until one of them ends it.
    shared: Option<Session<'a>>,
    /// The number of consecutive sessions that could not be opened.
    failures: usize,
}

impl<'a> Revision<'_, 'a> {
    fn cases(mut self, cases: Vec<&'a Case>, all: &mut Rows<'a>) {
        // Cases that share a session run first, because only one process runs at a time.
        let mut order: Vec<(usize, &Case)> = cases.into_iter().enumerate().collect();
        order.sort_by_key(|(_, case)| case.opening != Opening::Ready);
        let mut rows: Vec<(usize, Row<'a>)> = Vec::new();
        for (place, case) in order {
            self.servers.bar.set_message(format!("{}, {}", self.revision, case.id));
            let deadline = self.servers.setup.deadline;
            let row = unless_over(all, case, self.revision, deadline, self.failures, |all| {
                self.case(case, all, all.rows.len() + rows.len())
            });
            rows.push((place, row));
            self.servers.bar.inc(1);
        }
        if let Some(session) = self.shared.take() {
            session.end();
        }
        rows.sort_by_key(|(place, _)| *place);
        all.rows.extend(rows.into_iter().map(|(_, row)| row));
    }

    /// Runs a case. If it is wrong, and an earlier case in its session may be the cause, runs it again alone, because
    /// only reproducible results count.
    fn case(&mut self, case: &'a Case, all: &Rows<'a>, number: usize) -> Result<Row<'a>, Cut> {
        let first = self.once(case, number)?;
        let Some(before) = first.suspect else { return Ok(first.row) };
        let RowResult::Wrong(fault, reason) = &first.row.result else { return Ok(first.row) };
        // It was wrong in the same way in another revision, where it ran alone.
        let is_known = all.rows.iter().any(|row| {
            row.case.id == case.id
                && matches!(&row.result, RowResult::Wrong(other, _) if other == fault)
        });
        if is_known {
            return Ok(first.row);
        }
        let mut second = self.once(case, number)?.row;
        if !second.result.is_wrong() {
            second.note = Some(format!(
                "in the session of other cases, after {before}, it was wrong ({}: {reason}); alone it is not",
                fault.name()
            ));
        }
        Ok(second)
    }

    /// Runs a case, in the shared session if there is one.
    fn once(&mut self, case: &'a Case, number: usize) -> Result<Once<'a>, Cut> {
        let shared = self.shared.take();
        let session = match (case.opening, shared) {
            (Opening::Ready, Some(session)) => Ok(session),
            (_, shared) => {
                if let Some(session) = shared {
                    session.end();
                }
                Session::for_case(self.servers.setup, self.script, case)
            }
        };
        let mut session = match session {
            Ok(session) => session,
            Err(error) => {
                let (why, stderr) = match error {
                    NotOpened::Cut(cut) => return Err(cut),
                    NotOpened::Refused(refused) => (refused.why, refused.stderr),
                    NotOpened::NotStarted(error) => (error.to_string(), Vec::new()),
                };
                self.failures += 1;
                let evidence = Evidence { stderr, ..Evidence::default() };
                let row = self.row(case, RowResult::Wrong(Fault::NotOpened, why), evidence);
                return Ok(Once { row, suspect: None });
            }
        };
        self.failures = 0;
        let before = session.cases().last().copied();
        let run = session.run(case, number)?;
        let result = RowResult::of(judge(case, &run.observed), self.servers.strict);
        let is_own = is_own(case, &run.observed);
        let suspect = before.filter(|_| result.is_wrong() && !is_own);
        if session.goes_on(case, &run) && (!result.is_wrong() || is_own) {
            self.shared = Some(session);
        } else if run.observed.survival != Survived::Unanswered {
            session.end();
        }
        Ok(Once { row: self.row(case, result, run.evidence), suspect })
    }

    fn row(&self, case: &'a Case, result: RowResult, evidence: Evidence) -> Row<'a> {
        Row { case, revision: self.revision, result, evidence, note: None }
    }
}

/// The result of running a case once.
struct Once<'a> {
    row: Row<'a>,
    /// If it is wrong, the case before it in its session, which may be the cause.
    suspect: Option<&'a str>,
}

/// Returns the row of a case that runs in a later revision only.
pub fn runs_later<'a>(case: &'a Case, revision: &'a str, later: &str) -> Row<'a> {
    skipped(case, revision, &format!("it runs in {later}; --all-revisions runs it in each"))
}

pub fn skipped<'a>(case: &'a Case, revision: &'a str, why: &str) -> Row<'a> {
    let result = RowResult::Skipped(why.to_owned());
    Row { case, revision, result, evidence: Evidence::default(), note: None }
}
