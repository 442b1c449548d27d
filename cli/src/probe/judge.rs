//! The verdict on a case: a pure function of the case and the observation.

use std::collections::HashMap;

use tautline_conformance::{
    Answer, Case, Ending, Outcome, Response as Owed, Survival, Verdict as Worth,
};

use crate::process::Exit;

use super::id::Id;
use super::line::{Body, Broken, Response};
use super::observed::{Answered, Ended, Input, Observed, Survived, listed};

/// The verdict on a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Right,
    /// The outcome is tolerated for this reason.
    Acceptable(String),
    Wrong(Fault, String),
}

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An answer has the wrong content or id, or is not a legal message.
    WrongAnswer,
    /// A required answer does not come.
    Silence,
    /// An answer comes where none is allowed.
    UnowedAnswer,
    /// A request is answered more than once.
    Duplicate,
    /// The process keeps running, but does not answer or does not end.
    Hang,
    /// The process ended.
    Death,
    /// A line is not a message.
    Garbage,
    /// The process did not end as it must.
    Ending,
    /// The outcome is tolerated, but not under `--strict`.
    Tolerated,
    /// The session could not be opened.
    NotOpened,
    /// A response of HTTP has the wrong status or lacks a header.
    #[cfg(feature = "http")]
    Status,
    /// The bytes that came are not HTTP.
    #[cfg(feature = "http")]
    NotHttp,
}

impl Fault {
    /// Returns the name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::WrongAnswer => "wrong answer",
            Self::Silence => "silence",
            Self::UnowedAnswer => "answer where silence is owed",
            Self::Duplicate => "duplicate answer",
            Self::Hang => "hang",
            Self::Death => "death",
            Self::Garbage => "garbage on standard output",
            Self::Ending => "wrong ending",
            Self::Tolerated => "tolerated, but not right",
            Self::NotOpened => "no session",
            #[cfg(feature = "http")]
            Self::Status => "wrong status",
            #[cfg(feature = "http")]
            Self::NotHttp => "not HTTP",
        }
    }

    /// Returns whether the process has ended where it must not.
    pub const fn is_end(self) -> bool {
        matches!(self, Self::Death | Self::Ending | Self::NotOpened)
    }
}

/// Judges the observation of a server.
pub fn judge(case: &Case, observed: &Observed) -> Verdict {
    if let Some(broken) = &observed.broken {
        let fault = match broken {
            Broken::Garbage(_) => Fault::Garbage,
            Broken::Illegal(_) => Fault::WrongAnswer,
        };
        return Verdict::Wrong(fault, broken.reason().to_owned());
    }
    let fitting = |worth| {
        let of_worth = case.outcomes.iter().filter(move |outcome| outcome.verdict == worth);
        of_worth.into_iter().find(|outcome| fits(case, outcome, observed))
    };
    if fitting(Worth::Right).is_some() {
        return Verdict::Right;
    }
    match fitting(Worth::Acceptable) {
        Some(outcome) => Verdict::Acceptable(outcome.note.clone().unwrap_or_default()),
        None => wrong(case, observed),
    }
}

/// Judges how a client ended. No `exit` means that the client had to be stopped.
pub fn judge_client(case: &Case, exit: Option<Exit>) -> Verdict {
    let is_it = |outcome: &Outcome| match (outcome.ending, exit) {
        (Some(Ending::Success), exit) => exit == Some(Exit::Code(0)),
        (Some(Ending::Failure), exit) => matches!(exit, Some(Exit::Code(1..))),
        (_, exit) => matches!(exit, Some(Exit::Code(_))),
    };
    let mut fitting: Vec<&Outcome> =
        case.outcomes.iter().filter(|outcome| is_it(outcome)).collect();
    fitting.sort_by_key(|outcome| outcome.verdict == Worth::Acceptable);
    match (fitting.first(), exit) {
        (Some(Outcome { verdict: Worth::Right, .. }), _) => Verdict::Right,
        (Some(outcome), _) => Verdict::Acceptable(outcome.note.clone().unwrap_or_default()),
        (None, None) => Verdict::Wrong(Fault::Hang, "the client did not end".to_owned()),
        (None, Some(exit @ Exit::Signal(_))) => {
            Verdict::Wrong(Fault::Death, format!("the client {exit}"))
        }
        (None, Some(exit)) => Verdict::Wrong(Fault::Ending, format!("the client {exit}")),
    }
}

/// Returns whether the answers can only belong to this case: the server still works, and each answer has an id that the
/// case has sent. Answers without an id may be late answers to another case.
pub fn is_own(case: &Case, observed: &Observed) -> bool {
    let expected = most_expected(case);
    let nobody = [Id::Absent, Id::expected("null")];
    observed.survival == Survived::Answered
        && observed.end.is_none()
        && observed.broken.is_none()
        && !observed.is_flooded
        && seen_counts(observed).keys().all(|id| expected.contains_key(id) && !nobody.contains(id))
}

/// Returns whether the observation matches this outcome.
fn fits(case: &Case, outcome: &Outcome, observed: &Observed) -> bool {
    let ending = match (outcome.ending, observed.end, case.survival) {
        (Some(Ending::Success), end, _) => end == Some(Ended::Exited(Exit::Code(0))),
        (Some(_), end, _) => matches!(end, Some(Ended::Exited(Exit::Code(_)))),
        (None, end, Survival::None) => !matches!(end, Some(Ended::Exited(Exit::Signal(_)))),
        (None, end, _) => end.is_none() && observed.survival == Survived::Answered,
    };
    ending
        && !observed.is_flooded
        && answers_fit(&outcome.answers, &outcome.also, &observed.answers)
}

/// Returns whether the answers that were received match those of an outcome, in any order: all that are required, and
/// any that are optional.
pub fn answers_fit(answers: &[Answer], also: &[Owed], seen: &[Answered]) -> bool {
    let (mut singles, mut batches) = (Vec::new(), Vec::new());
    for answer in answers {
        match answer {
            Answer::Single(response) => singles.push(response),
            Answer::Batch { batch } => batches.push(batch.iter().collect::<Vec<_>>()),
        }
    }
    let (mut seen_singles, mut seen_batches) = (Vec::new(), Vec::new());
    for answer in seen {
        match answer {
            Answered::Single(response) => seen_singles.push(response),
            Answered::Batch(batch) => seen_batches.push(batch.iter().collect::<Vec<_>>()),
        }
    }
    let batches = batches.iter().map(|batch| {
        let all = seen_batches.iter().enumerate();
        let fitting = all.filter(|(_, seen)| responses_fit(batch, &[], seen));
        fitting.map(|(at, _)| at).collect()
    });
    let batches: Vec<Vec<usize>> = batches.collect();
    batches.len() == seen_batches.len()
        && can_pair(&batches, seen_batches.len())
        && responses_fit(&singles, also, &seen_singles)
}

/// Returns whether each expected response was received, and each other response is one of the optional ones.
fn responses_fit(expected: &[&Owed], also: &[Owed], seen: &[&Response]) -> bool {
    if expected.len() > seen.len() || (also.is_empty() && expected.len() != seen.len()) {
        return false;
    }
    let mut by_id: HashMap<&Id, Vec<usize>> = HashMap::new();
    for (at, response) in seen.iter().enumerate() {
        by_id.entry(&response.id).or_default().push(at);
    }
    let candidates = expected.iter().map(|expected| {
        let with_id = by_id.get(&Id::expected(&expected.id));
        let with_id = with_id.map(Vec::as_slice).unwrap_or_default();
        let is_it = |at: &&usize| seen.get(**at).is_some_and(|seen| body_fits(expected, seen));
        with_id.iter().filter(is_it).copied().collect()
    });
    let candidates: Vec<Vec<usize>> = candidates.collect();
    // Responses that are not optional must be expected ones. If all of these can be matched, and all expected ones can
    // be matched, then both can be matched at once (the Mendelsohn-Dulmage theorem).
    let mut owed: Vec<Vec<usize>> = vec![Vec::new(); seen.len()];
    for (one, candidates) in candidates.iter().enumerate() {
        candidates.iter().for_each(|&at| owed[at].push(one));
    }
    let may_come = |at: usize| {
        let is_it =
            |other: &Owed| seen[at].id == Id::expected(&other.id) && body_fits(other, seen[at]);
        also.iter().any(is_it)
    };
    let owed: Vec<Vec<usize>> =
        owed.into_iter().enumerate().filter(|(at, _)| !may_come(*at)).map(|(_, one)| one).collect();
    can_pair(&candidates, seen.len()) && can_pair(&owed, expected.len())
}

fn body_fits(expected: &Owed, seen: &Response) -> bool {
    let fits = match (seen.body, &expected.error) {
        (Body::Result, _) => expected.result,
        (Body::Error(code), Some(codes)) => codes.is_empty() || codes.contains(&code),
        (Body::Error(_), None) => false,
    };
    fits && expected.has.iter().all(|pointer| seen.has(pointer))
}

/// Returns whether each item can have its own partner among its candidates: a matching in a bipartite graph.
fn can_pair(candidates: &[Vec<usize>], partners: usize) -> bool {
    fn find(
        one: usize,
        candidates: &[Vec<usize>],
        taken: &mut [Option<usize>],
        seen: &mut [bool],
    ) -> bool {
        candidates[one].iter().any(|&partner| {
            if std::mem::replace(&mut seen[partner], true) {
                return false;
            }
            let is_free = match taken[partner] {
                None => true,
                Some(other) => find(other, candidates, taken, seen),
            };
            if is_free {
                taken[partner] = Some(one);
            }
            is_free
        })
    }
    let mut taken = vec![None; partners];
    (0..candidates.len()).all(|one| {
        // A partner that is still free needs no search.
        match candidates[one].iter().find(|&&partner| taken[partner].is_none()) {
            Some(&partner) => {
                taken[partner] = Some(one);
                true
            }
            None => find(one, candidates, &mut taken, &mut vec![false; partners]),
        }
    })
}

/// Returns the verdict on an observation that matches no outcome.
fn wrong(case: &Case, observed: &Observed) -> Verdict {
    let (fault, reason) = fault(case, observed);
    Verdict::Wrong(fault, reason)
}

fn fault(case: &Case, observed: &Observed) -> (Fault, String) {
    if observed.is_flooded {
        return (Fault::WrongAnswer, "more answers than can be counted".to_owned());
    }
    if let Some(failure) = failure(case, observed) {
        return failure;
    }
    let got = match observed.answers.len() {
        0 => "no answer".to_owned(),
        _ => listed(observed.answers.iter()),
    };
    let expects =
        |count: fn(usize) -> bool| case.outcomes.iter().any(|outcome| count(outcome.answers.len()));
    let may_be_answered =
        expects(|count| count > 0) || case.outcomes.iter().any(|outcome| !outcome.also.is_empty());
    if let Some(id) = repeated(case, observed) {
        return (Fault::Duplicate, format!("more than one answer {id}: {got}"));
    }
    if observed.answers.is_empty() && !expects(|count| count == 0) {
        return (Fault::Silence, got);
    }
    // Only the ending differs.
    let fits = |one: &Outcome| answers_fit(&one.answers, &one.also, &observed.answers);
    if case.outcomes.iter().any(fits) {
        return match observed.end {
            Some(end) => (Fault::Ending, end.to_string()),
            None => (Fault::Hang, "the process did not end".to_owned()),
        };
    }
    if !observed.answers.is_empty() && !may_be_answered {
        return (Fault::UnowedAnswer, got);
    }
    match missing(case, observed) {
        Some(id) => (Fault::Silence, format!("no answer {id}, but {got}")),
        None => (Fault::WrongAnswer, got),
    }
}

/// Returns the fault if the server does not survive the case as it must.
fn failure(case: &Case, observed: &Observed) -> Option<(Fault, String)> {
    let may_end = case.outcomes.iter().any(|outcome| outcome.ending.is_some());
    match (observed.end, case.survival) {
        (Some(end @ Ended::Exited(Exit::Signal(_))), _) => {
            return Some((Fault::Death, end.to_string()));
        }
        (Some(end), Survival::Request) if !may_end => return Some((Fault::Death, end.to_string())),
        _ => {}
    }
    match (observed.survival, observed.input) {
        (_, Input::Stuck) => {
            Some((Fault::Hang, "the server stopped reading its standard input".to_owned()))
        }
        (Survived::Unanswered, _) if observed.end.is_none() => {
            Some((Fault::Hang, "the request after the case got no answer".to_owned()))
        }
        (Survived::Wrongly(Some(code)), _) => {
            let reason = format!("the request after the case got error {code}");
            Some((Fault::WrongAnswer, reason))
        }
        (Survived::Wrongly(None), _) => {
            Some((Fault::Duplicate, "the request after the case got two answers".to_owned()))
        }
        _ => None,
    }
}

/// Returns, for each id, the most answers that any outcome has.
fn most_expected(case: &Case) -> HashMap<Id, usize> {
    let mut most = HashMap::new();
    for outcome in &case.outcomes {
        let mut counts: HashMap<Id, usize> = HashMap::new();
        for answer in &outcome.answers {
            match answer {
                Answer::Single(response) => {
                    *counts.entry(Id::expected(&response.id)).or_default() += 1
                }
                Answer::Batch { batch } => {
                    for response in batch {
                        *counts.entry(Id::expected(&response.id)).or_default() += 1;
                    }
                }
            }
        }
        for (id, count) in counts {
            let most = most.entry(id).or_default();
            *most = count.max(*most);
        }
    }
    most
}

fn seen_counts(observed: &Observed) -> HashMap<&Id, usize> {
    let mut counts = HashMap::new();
    for answer in &observed.answers {
        let responses = match answer {
            Answered::Single(response) => std::slice::from_ref(response),
            Answered::Batch(batch) => batch,
        };
        responses.iter().for_each(|response| *counts.entry(&response.id).or_default() += 1);
    }
    counts
}

/// Returns an id that is answered more often than in any outcome. Errors without an id are not counted, because they
/// belong to no particular request.
fn repeated(case: &Case, observed: &Observed) -> Option<Id> {
    let most = most_expected(case);
    let nobody = [Id::Absent, Id::expected("null")];
    let counts = seen_counts(observed);
    let mut ids = counts.into_iter().filter(|(id, count)| {
        *count > 1 && *count > most.get(id).copied().unwrap_or(1) && !nobody.contains(id)
    });
    ids.next().map(|(id, _)| id.clone())
}

/// Returns an id that every outcome has, but no answer has.
fn missing(case: &Case, observed: &Observed) -> Option<Id> {
    let counts = seen_counts(observed);
    let has = |outcome: &Outcome, id: &str| {
        outcome.answers.iter().any(|answer| match answer {
            Answer::Single(response) => response.id == id,
            Answer::Batch { batch } => batch.iter().any(|response| response.id == id),
        })
    };
    let first = case.outcomes.first()?;
    let ids = first.answers.iter().flat_map(|answer| match answer {
        Answer::Single(response) => std::slice::from_ref(response),
        Answer::Batch { batch } => batch,
    });
    let owed =
        ids.filter(|response| case.outcomes.iter().all(|outcome| has(outcome, &response.id)));
    owed.map(|response| Id::expected(&response.id)).find(|id| !counts.contains_key(id))
}

#[cfg(test)]
mod tests;
