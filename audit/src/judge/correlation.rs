//! Requests and their answers: where each request is, how long its answer took, and whether an error fits the failure.
//! The session says which request a response answers.

use std::collections::HashMap;
use std::sync::Arc;

use tautline::{ErrorCode, ErrorObject, Id, Response, Rule};
use tautline_mcp::session::{InFlight, Pairing};
use tautline_mcp::{Role, rule};

use super::asked::At;
use super::claim::{self, Claim};
use super::form::Form;
use super::listing::Kind;
use super::refusal::{Failure, Served};
use super::schema::OutputSchema;
use crate::frame::FindingReport;
use crate::ids;

/// The number of unanswered requests that are remembered: as many as a session remembers.
const MOST: usize = 1 << 14;
/// The length of a method that is remembered, in bytes.
const LONGEST_METHOD: usize = 128;

/// The request that a response answers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answered {
    /// The number of the request's frame, from 1.
    pub frame: u64,
    /// Its method, cut after 128 bytes.
    pub method: String,
    /// The time from the request to the response, if both are known.
    pub latency: Option<Latency>,
    /// The requirement on its answer that the response meets.
    pub(crate) met: Option<&'static str>,
}

/// A duration, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::exhaustive_structs, reason = "a number with a unit")]
pub struct Latency(pub u64);

impl Latency {
    /// Returns the duration in milliseconds.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "2^53 microseconds are 285 years")]
    pub fn milliseconds(self) -> f64 {
        self.0 as f64 / 1000.0
    }
}

/// A request without an answer.
#[derive(Clone, Debug)]
pub(crate) struct Unanswered {
    /// True if its receiver has answered a later request, so it was not just busy.
    pub is_passed_over: bool,
    pub from: Role,
    pub at: At,
    pub method: String,
    pub id: String,
}

/// The expectations of a request for its answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Expected {
    /// Why it cannot succeed.
    pub failure: Option<Failure>,
    /// The row by which the receiver has to serve the method.
    pub serving: Option<&'static Served>,
    /// The claims of the request, which an error may contradict.
    pub claim: Option<Claim>,
    /// The form that a result answers.
    pub form: Option<Form>,
    /// The schema of the structured content of a result.
    pub output: Option<Arc<OutputSchema>>,
}

#[derive(Debug)]
struct Request {
    at: At,
    method: String,
    expected: Expected,
    /// The states of the lists when it was sent.
    lists: Lists,
}

/// For each kind of list, the number of times that it may have changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Lists {
    tools: u64,
    prompts: u64,
}

/// The unanswered requests of both sides.
#[derive(Debug, Default)]
pub(super) struct Correlation {
    /// By their [number](Pairing::number).
    requests: HashMap<u64, Request>,
    lists: Lists,
    /// For each side, the number of the frame of its last request that was answered.
    last_answered: [u64; 2],
    /// For each side, the frames that may still be answered with an error without an id.
    blamed: [Blamed; 2],
    /// True if a request could not be remembered.
    has_lost: bool,
}

/// Frames that may be answered with an error without an id, by the code that fits.
#[derive(Clone, Copy, Debug, Default)]
struct Blamed {
    /// Those that are not JSON.
    unparsed: u64,
    /// Those that are not messages.
    invalid: u64,
    /// Those whose fault the receiver may see differently.
    other: u64,
}

impl Blamed {
    /// Takes the frame that an error with this code answers. Returns the rule that the code breaks, or `None` if there
    /// is no such frame.
    fn take(&mut self, code: Option<ErrorCode>) -> Option<Option<Rule>> {
        let (count, rule) = match code {
            Some(ErrorCode::PARSE_ERROR) if self.unparsed > 0 => (&mut self.unparsed, None),
            Some(ErrorCode::INVALID_REQUEST) if self.invalid > 0 => (&mut self.invalid, None),
            _ if self.other > 0 => (&mut self.other, None),
            _ if self.unparsed > 0 => (&mut self.unparsed, Some(rule::PARSE_ERROR_CODE)),
            _ if self.invalid > 0 => (&mut self.invalid, Some(rule::INVALID_REQUEST_CODE)),
            _ => return None,
        };
        *count -= 1;
        Some(rule)
    }
}

/// The reason why a frame may be answered with an error without an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Blame {
    /// It is not JSON.
    Unparsed,
    /// It is not a message.
    Invalid,
    /// It could not be read, or was not.
    Other,
}

impl Correlation {
    /// Remembers a request.
    pub fn request(&mut self, pairing: &Pairing, method: &str, at: At, expected: Expected) {
        if let Some(forgotten) = pairing.forgotten() {
            self.requests.remove(&forgotten);
        }
        let has_room =
            |number: &u64| self.requests.len() < MOST || self.requests.contains_key(number);
        let Some(number) = pairing.number().filter(has_room) else {
            self.has_lost = true;
            return;
        };
        let mut end = method.len().min(LONGEST_METHOD);
        while !method.is_char_boundary(end) {
            end -= 1;
        }
        let method = method.get(..end).unwrap_or_default().to_owned();
        self.requests.insert(number, Request { at, method, expected, lists: self.lists });
    }

    /// Returns whether a frame of this side may be answered with an error that has no id.
    pub fn is_blamed(&self, from: Role) -> bool {
        let blamed = self.blamed.get(usize::from(from == Role::Client));
        blamed.is_some_and(|blamed| blamed.unparsed + blamed.invalid + blamed.other > 0)
    }

    /// Notes that a list may have changed, so that the expectations of requests before do not depend on it any more.
    pub const fn forget_list(&mut self, kind: Kind) {
        let count = match kind {
            Kind::Tools => &mut self.lists.tools,
            Kind::Prompts => &mut self.lists.prompts,
        };
        *count = count.wrapping_add(1);
    }

    /// Notes that a frame of this side may be answered with an error that has no id.
    pub fn blame(&mut self, from: Role, blame: Blame) {
        let Some(blamed) = self.blamed.get_mut(usize::from(from == Role::Client)) else { return };
        match blame {
            Blame::Unparsed => blamed.unparsed += 1,
            Blame::Invalid => blamed.invalid += 1,
            Blame::Other => blamed.other += 1,
        }
    }

    /// Judges a response by its request, and reports the findings.
    pub fn response(
        &mut self,
        from: Role,
        response: &Response<'_>,
        (at, pairing): (At, &Pairing),
        report: &mut dyn FnMut(FindingReport),
    ) -> Option<Answered> {
        let error = response.error();
        if response.id().is_none_or(|id| id == Id::Null) {
            let error = error?;
            let blamed = self.blamed.get_mut(usize::from(from == Role::Server))?;
            match blamed.take(error.code()) {
                Some(Some(rule)) => {
                    let at = u64::from(error.code_span().start());
                    report(FindingReport::new(rule, at));
                }
                None if !self.has_lost => {
                    report(FindingReport::new(rule::ERROR_WITHOUT_CAUSE, 0));
                }
                _ => {}
            }
            return None;
        }
        let request = self.requests.remove(&pairing.number()?)?;
        // It may answer any of the requests with this id, so it is judged by none of them.
        if pairing.is_shared() {
            if !pairing.is_last() {
                self.requests.insert(pairing.number()?, request);
            }
            return None;
        }
        let mut expected = request.expected;
        expected.forget_changed(request.lists, self.lists);
        let result = response.result().filter(|_| expected.failure.is_none());
        let start = response.result_span().map_or(0, |span| u64::from(span.start()));
        let met = match (&expected, result) {
            (Expected { form: Some(form), .. }, Some(result)) => {
                form.judge(result.as_bytes()).report(result, start, report)
            }
            (Expected { output: Some(output), .. }, Some(result)) => {
                output.judge(result, start, report)
            }
            _ => expected.judge(error.as_ref(), report),
        };
        if let Some(last) = self.last_answered.get_mut(usize::from(from == Role::Server)) {
            *last = request.at.number.max(*last);
        }
        let latency = request.at.place.time.zip(at.place.time).and_then(|(asked, answered)| {
            u64::try_from(answered.checked_sub(asked)?).ok().map(Latency)
        });
        Some(Answered { frame: request.at.number, method: request.method, latency, met })
    }

    /// Returns the requests whose answers are owed, in the order of their frames, and forgets all requests.
    pub fn end<'a>(&mut self, owed: impl Iterator<Item = (u64, InFlight<'a>)>) -> Vec<Unanswered> {
        self.blamed = [Blamed::default(); 2];
        let last_answered = std::mem::take(&mut self.last_answered);
        let mut requests = std::mem::take(&mut self.requests);
        let mut waiting: Vec<_> = owed
            .filter_map(|(number, owed)| {
                let Request { at, method, .. } = requests.remove(&number)?;
                let from = owed.from();
                let last = last_answered.get(usize::from(from == Role::Client));
                let is_passed_over = last.is_some_and(|&last| at.number < last);
                let id = ids::shown(&ids::key_of(&owed.id())?);
                Some(Unanswered { is_passed_over, from, at, method, id })
            })
            .collect();
        // Those of a batch are in one frame.
        waiting.sort_by(|one, other| {
            let key = |request: &Unanswered| (request.at.number, request.id.len());
            key(one).cmp(&key(other)).then_with(|| one.id.cmp(&other.id))
        });
        waiting
    }

    /// Notes that requests of an earlier session were lost.
    pub const fn lose(&mut self) {
        self.has_lost = true;
    }

    /// Returns whether every request could be remembered.
    pub const fn has_kept_all(&self) -> bool {
        !self.has_lost
    }
}

impl Expected {
    /// Drops what depends on a list that may have changed since the request.
    fn forget_changed(&mut self, then: Lists, now: Lists) {
        let kinds =
            [(Kind::Tools, then.tools != now.tools), (Kind::Prompts, then.prompts != now.prompts)];
        for (kind, _) in kinds.into_iter().filter(|(_, has_changed)| *has_changed) {
            self.failure.take_if(|failure| !failure.forget_list(kind));
            self.output.take_if(|_| kind == Kind::Tools);
        }
    }

    /// Reports what is wrong with the answer, or returns the requirement that it meets.
    fn judge(
        &self,
        error: Option<&ErrorObject<'_>>,
        report: &mut dyn FnMut(FindingReport),
    ) -> Option<&'static str> {
        let at = error.map_or(0, |error| u64::from(error.code_span().start()));
        let claimed = self.claim.as_ref().zip(error).and_then(|(claim, error)| claim.judge(error));
        if let Some(Err(words)) = claimed {
            let finding = FindingReport::new(rule::ERROR_CODE_MISUSED, at).with_words(words);
            report(finding.of_requirement(claim::REQUIREMENT));
            return None;
        }
        let code = error.map(ErrorObject::code);
        if self.failure.is_none() && code == Some(Some(ErrorCode::PARSE_ERROR)) {
            let words = "the request is JSON, and the error says that it is not".to_owned();
            report(FindingReport::new(rule::ERROR_CODE_MISUSED, at).with_words(words));
            return None;
        }
        let met = match &self.failure {
            Some(failure) => failure.judge(code, at, report),
            None => self.serving.and_then(|served| served.judge(code, at, report)),
        };
        met.or_else(|| claimed.map(|_| claim::REQUIREMENT))
    }
}
