//! Runs the cases about HTTP against a server, one at a time.

use indicatif::ProgressBar;
use tautline_conformance::{Case, Corpus, Feature, Opening, Session as Script};

use super::exchange::Reach;
use super::findings::Found;
use super::session::{NotOpened, Run, Session};
use crate::probe::era::About;
use crate::probe::interrupt::Cut;
use crate::probe::judge::Fault;
use crate::probe::plan::Plan;
use crate::probe::row::{Result as RowResult, Row, Rows, Strict};
use crate::probe::servers::{each_claimed, skipped, unless_over};
use crate::probe::session::Evidence;

pub struct Servers<'a> {
    pub reach: Reach<'a>,
    pub corpus: &'a Corpus,
    pub strict: Strict,
    pub bar: ProgressBar,
}

impl<'a> Servers<'a> {
    /// Runs the cases of a plan for the revisions that the server claims, and skips the others. Adds what was found in
    /// responses to the introduction of the server.
    pub fn run(&self, plan: &Plan<'a>, about: &mut About) -> Rows<'a> {
        let mut all = Rows::default();
        let claimed = about.claimed.clone();
        each_claimed(plan, self.corpus, &claimed, &mut all, |revision, script, cases, all| {
            let mut run =
                Revision { servers: self, revision, script, shared: None, failures: 0, about };
            for case in cases {
                run.case(case, all);
                self.bar.inc(1);
            }
            if let Some(session) = run.shared.take() {
                session.end();
            }
        });
        all
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
    about: &'run mut About,
}

impl<'a> Revision<'_, 'a> {
    fn case(&mut self, case: &'a Case, all: &mut Rows<'a>) {
        self.servers.bar.set_message(format!("{}, {}", self.revision, case.id));
        let deadline = self.servers.reach.deadline;
        let row = unless_over(all, case, self.revision, deadline, self.failures, |all| {
            self.run(case, all.rows.len())
        });
        all.rows.push(row);
    }

    /// Runs a case. If it is wrong, and an earlier case in its session may be the cause, runs it again in another
    /// session.
    fn run(&mut self, case: &'a Case, number: usize) -> Result<Row<'a>, Cut> {
        let (first, before) = self.once(case, number)?;
        let (RowResult::Wrong(fault, reason), Some(before)) = (&first.result, before) else {
            return Ok(first);
        };
        let (mut second, _) = self.once(case, number)?;
        if !second.result.is_wrong() {
            let name = fault.name();
            second.note = Some(format!(
                "in the session of other cases, after {before}, it was wrong ({name}: {reason}); alone it is not"
            ));
        }
        Ok(second)
    }

    /// Runs a case once. Returns the case before it in its session as well.
    fn once(&mut self, case: &'a Case, number: usize) -> Result<(Row<'a>, Option<&'a str>), Cut> {
        let mut session = match self.session(case) {
            Ok(session) => session,
            Err(NotOpened::Cut(cut)) => return Err(cut),
            Err(NotOpened::Refused(why)) => {
                self.failures += 1;
                let result = RowResult::Wrong(Fault::NotOpened, why);
                return Ok((self.row(case, result, Evidence::default()), None));
            }
        };
        self.failures = 0;
        if case.needs == Some(Feature::SessionId) && !self.gives_ids(&session, case)? {
            if case.opening == Opening::Ready {
                self.shared = Some(session);
            }
            return Ok((skipped(case, self.revision, "the server gives no session id"), None));
        }
        let before = session.cases().last().copied().filter(|_| session.has_id());
        let Run { verdict, evidence, found, goes_on } = session.run(case, number)?;
        found.iter().for_each(|found| self.note(found, &case.id));
        let result = RowResult::of(verdict, self.servers.strict);
        if goes_on && !(result.is_wrong() && before.is_some()) {
            self.shared = Some(session);
        } else {
            session.end();
        }
        Ok((self.row(case, result, evidence), before))
    }

    /// Returns the session that a case needs.
    fn session(&mut self, case: &Case) -> Result<Session<'a>, NotOpened> {
        let reach = self.servers.reach;
        match (case.opening, self.shared.take()) {
            (Opening::Ready, Some(session)) => Ok(session),
            (opening, shared) => {
                // The shared session waits for the next case.
                self.shared = shared;
                match opening {
                    Opening::Fresh => Ok(Session::none(reach, self.script, self.revision)),
                    _ => {
                        Session::open(reach, self.script, self.revision).map(|(session, _)| session)
                    }
                }
            }
        }
    }

    /// Returns whether the server gives session ids.
    fn gives_ids(&self, session: &Session<'_>, case: &Case) -> Result<bool, Cut> {
        if case.opening != Opening::Fresh {
            return Ok(session.has_id());
        }
        match Session::open(self.servers.reach, self.script, self.revision) {
            Ok((session, _)) => {
                let has_id = session.has_id();
                session.end();
                Ok(has_id)
            }
            Err(NotOpened::Cut(cut)) => Err(cut),
            Err(NotOpened::Refused(_)) => Ok(false),
        }
    }

    fn note(&mut self, found: &Found, case: &str) {
        self.about.note(found.rule, found.message, case);
    }

    fn row(&self, case: &'a Case, result: RowResult, evidence: Evidence) -> Row<'a> {
        Row { case, revision: self.revision, result, evidence, note: None }
    }
}
