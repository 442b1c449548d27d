//! Input that a server asks of a client (client/sampling; 2026-07-28, basic/patterns/mrtr).

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use tautline::internal::cast::index;
use tautline::{Id, Request};

use super::call;
use super::declared::{Needed, check_declared};
use super::tool_choice::Choice;
use super::{Answer, Call, Conversation, Notice, Params, same_value, text};
use crate::hash::name_of;
use crate::places::{self, Member};
use crate::shape::{Expected, Missed};
use crate::{Finding, KnownMethod, rule};

/// The maximum number of results that wait for the retry of one request, and of input requests in one result.
const MOST_PENDING: usize = 16;
const MOST_REQUESTS: usize = 64;

/// The last results that require input, of one request that may have been sent several times.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    results: Vec<Pending>,
    /// True if there were more.
    has_lost: bool,
}

/// A result that requires input, and waits for the retry of its request.
#[derive(Debug)]
struct Pending {
    /// The [key](call::key_of) of the id of the request.
    id: String,
    state: Option<String>,
    /// A hash of the params that the retry repeats.
    repeated: u64,
    requests: Vec<InputRequest>,
}

/// A request for input.
#[derive(Debug)]
pub(super) struct InputRequest {
    name: String,
    method: Option<KnownMethod>,
    /// What the client must have declared.
    needed: Option<Needed>,
    /// The use of tools that it requires of the model.
    choice: Option<Choice>,
}

/// Returns a hash of the params that the retry of a request repeats: all of them but the input, the state and the
/// metadata. Requests that are never retried have none.
fn repeated(frame: &[u8], method: Option<KnownMethod>, params: &Params<'_>) -> u64 {
    let may_ask = matches!(
        method,
        Some(KnownMethod::ToolsCall | KnownMethod::PromptsGet | KnownMethod::ResourcesRead)
    );
    let Some(at) = params.object_at().filter(|_| may_ask) else { return 0 };
    same_value::hash_of_members(
        places::members(frame, at),
        &["_meta", "inputResponses", "requestState"],
    )
}

impl Conversation {
    /// Keeps the requests for input that a message about a task has (2026-07-28, extension for tasks). Their names stand
    /// for the same requests until the task ends.
    pub(super) fn keep_task_input(
        &mut self,
        frame: &[u8],
        id: Option<Member<'_>>,
        requests: Option<Member<'_>>,
    ) {
        let (Some(id), Some(requests)) = (text(id), requests.and_then(Member::object)) else {
            return;
        };
        let mut kept = self.task_inputs.remove(&id).unwrap_or_default();
        for request in places::members(frame, requests.at) {
            let name = name_of(request.name);
            if kept.len() < MOST_REQUESTS && !kept.iter().any(|before| before.name == name) {
                kept.push(InputRequest::of(frame, request));
            }
        }
        self.task_inputs.insert(id, kept);
    }

    /// Checks that the input for a task is what its requests ask for.
    pub(super) fn check_task_input(&self, params: &Params<'_>, notice: &mut Notice<'_, '_>) {
        let asked = text(params.task_id).and_then(|id| self.task_inputs.get(&id));
        let responses = params.input_responses.and_then(Member::object);
        let (Some(asked), Some(responses)) = (asked, responses) else { return };
        for response in places::members(notice.frame, responses.at).filter_map(Member::object) {
            let name = name_of(response.name);
            if let Some(request) = asked.iter().find(|request| request.name == name) {
                request.check(response, notice);
            }
        }
    }

    /// Checks a result that may require input, and keeps what the retry has to return.
    pub(super) fn check_input_required(
        &mut self,
        id: &Id<'_>,
        call: &Call,
        answer: &Answer<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        if answer.kind.is_none_or(|kind| kind != *"input_required") {
            return;
        }
        let requests = answer.input_requests.and_then(Member::object);
        let mut kept = Vec::new();
        for request in requests.into_iter().flat_map(|all| places::members(notice.frame, all.at)) {
            if kept.len() < MOST_REQUESTS {
                kept.push(InputRequest::of(notice.frame, request));
            }
            if let Some(request) = request.object() {
                check_declared(call.declared, request, notice);
            }
        }
        let pending = Pending {
            id: call::key_of(id),
            state: text(answer.request_state),
            repeated: call.repeated,
            requests: kept,
        };
        match self.inputs.get_mut(&call.about) {
            Some(waiting) => {
                if waiting.results.len() == MOST_PENDING {
                    waiting.results.remove(0);
                    waiting.has_lost = true;
                }
                waiting.results.push(pending);
            }
            None => {
                let waiting = Waiting { results: alloc::vec![pending], has_lost: false };
                self.inputs.insert(call.about.clone(), waiting);
            }
        }
    }

    /// Checks the retry of a request: that it returns the state and a response to each input request, under a new id.
    /// Keeps what later retries repeat.
    pub(super) fn check_retry(
        &self,
        request: &Request<'_>,
        call: &mut Call,
        params: &Params<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        call.repeated = repeated(notice.frame, call.method, params);
        let Some(place) = params.request_state.or(params.input_responses) else { return };
        let state = text(params.request_state);
        let Some(waiting) = self.inputs.get(&call.about) else {
            // A state may be from an earlier connection, but not from another request of this one.
            let mut given = self.inputs.values().flat_map(|waiting| &waiting.results);
            if self.is_whole && state.is_some() && given.any(|pending| pending.state == state) {
                notice.at(rule::REQUEST_STATE_CHANGED, place.at);
            }
            return;
        };
        let responses = params.input_responses.and_then(Member::object);
        let given = responses.into_iter().flat_map(|all| places::members(notice.frame, all.at));
        let given: BTreeSet<String> = given.map(|response| name_of(response.name)).collect();
        // Several calls may be about the same, so any result with this state may be the one that is answered.
        let mut same = waiting.results.iter().filter(|pending| pending.state == state).peekable();
        if same.peek().is_none() {
            if !waiting.has_lost && self.is_whole {
                notice.at(rule::REQUEST_STATE_CHANGED, place.at);
            }
            return;
        }
        let is_complete = |pending: &&Pending| {
            pending.requests.iter().all(|request| given.contains(&request.name))
        };
        let complete: Vec<&Pending> = same.filter(is_complete).collect();
        let own = complete.iter().find(|pending| pending.repeated == call.repeated);
        let Some(answered) = own.or_else(|| complete.first()) else {
            if !waiting.has_lost {
                let at = responses.map_or(params.at, |responses| responses.at);
                notice.at(rule::INPUT_RESPONSE_MISSING, at);
            }
            return;
        };
        if own.is_none() && !waiting.has_lost && self.is_whole {
            notice.at(rule::RETRY_CHANGED, place.at);
        }
        let responses = responses.into_iter().flat_map(|all| places::members(notice.frame, all.at));
        for response in responses.filter_map(Member::object) {
            let name = name_of(response.name);
            let asked = answered.requests.iter().find(|asked| asked.name == name);
            let Some(asked) = asked else { continue };
            asked.check(response, notice);
            // Each request declares for itself what the client can do.
            let is_undeclared = asked.needed.is_some_and(|needed| !needed.is_in(call.declared));
            if is_undeclared && call.declared_hash != 0 {
                notice.at(rule::UNDECLARED_CAPABILITY, response.name_at);
            }
        }
        if answered.id == call::key_of(&request.id())
            && let Some(id) = request.call().id_span()
        {
            notice.at(rule::ID_REUSED, index(id.start()));
        }
    }
}

/// The results of the requests for input, each with a required member that no other has.
const RESULTS: [(KnownMethod, &str); 3] = [
    (KnownMethod::ElicitationCreate, "action"),
    (KnownMethod::SamplingCreateMessage, "model"),
    (KnownMethod::RootsList, "roots"),
];

impl InputRequest {
    fn of(frame: &[u8], member: Member<'_>) -> Self {
        let request = member.object();
        let [method, params] =
            request.map_or([None; 2], |one| places::pick(frame, one.at, ["method", "params"]));
        let method = method.and_then(Member::string).and_then(KnownMethod::named);
        let needed = request.and_then(|request| Needed::of(frame, request));
        let is_sampling = method == Some(KnownMethod::SamplingCreateMessage);
        let params = params.and_then(Member::object).filter(|_| is_sampling);
        let choice = params.and_then(|params| Choice::of(frame, params.at));
        Self { name: name_of(member.name), method, needed, choice }
    }

    /// Checks that a response, which is an object, is the result of this request and not of another one. Its shape does
    /// not show which request it answers.
    fn check(&self, response: Member<'_>, notice: &mut Notice<'_, '_>) {
        let has = |name| places::member(notice.frame, response.at, name).is_some();
        let own = RESULTS.iter().find(|(method, _)| Some(*method) == self.method);
        if let Some((_, expected)) = own.filter(|(_, name)| !has(name))
            && RESULTS.iter().any(|(_, name)| has(name))
        {
            let expected = Some(Expected(Missed::Member(expected)));
            let at = super::u32_from(response.at);
            (notice.report)(Finding::expecting(rule::MISSING_MEMBER, at, expected));
        } else if let Some(choice) = self.choice {
            choice.check(response.at, notice);
        }
    }
}
