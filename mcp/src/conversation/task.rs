//! Tasks (2025-11-25, utilities/tasks).

use alloc::string::String;

use tautline::internal::cast::index;
use tautline::{ErrorCode, Id, Response};

use super::{Answer, Call, Conversation, Notice, Params, call, name, same_value, text};
use crate::places::{self, Member};
use crate::session::Capability;
use crate::{KnownMethod, Role, rule};

/// A task that a message has named.
#[derive(Debug)]
pub(super) struct Task {
    last: Status,
    /// The number of messages up to the one that reported the status, and to the one that reported the end.
    seen: u64,
    ended: u64,
    /// True if the result that creates it was seen.
    is_created: bool,
    /// The method of the request that has created it, and the progress token.
    method: Option<KnownMethod>,
    token: Option<String>,
    /// True if a request has named it.
    is_named: bool,
    /// True if its result was asked for, and true if such a request was cancelled.
    is_fetched: bool,
    is_fetch_cancelled: bool,
    /// A hash of what `tasks/result` has returned.
    outcome: Option<u64>,
    /// The number of requests for its status since it was seen to require input.
    polls: u8,
}

impl Task {
    const fn new(last: Status, seen: u64) -> Self {
        Self {
            last,
            seen,
            ended: if last.is_terminal() { seen } else { 0 },
            is_created: false,
            method: None,
            token: None,
            is_named: false,
            is_fetched: false,
            is_fetch_cancelled: false,
            outcome: None,
            polls: 0,
        }
    }

    pub(super) const fn has_ended(&self) -> bool {
        self.last.is_terminal()
    }

    /// Checks that the outcome with this hash is the one that was returned before, and keeps it.
    fn check_outcome(&mut self, outcome: u64, at: usize, notice: &mut Notice<'_, '_>) {
        let first = *self.outcome.get_or_insert(outcome);
        if first != outcome {
            notice.at(rule::TASK_RESULT_CHANGED, at);
        }
    }
}

/// The status of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Working,
    InputRequired,
    Completed,
    Failed,
    Cancelled,
    /// One of the last three, if it is not known which.
    Ended,
}

impl Status {
    fn of(member: Option<Member<'_>>) -> Option<Self> {
        let name = member?.string()?;
        let known = [
            ("working", Self::Working),
            ("input_required", Self::InputRequired),
            ("completed", Self::Completed),
            ("failed", Self::Failed),
            ("cancelled", Self::Cancelled),
        ];
        known.iter().find(|(known, _)| name == **known).map(|(_, status)| *status)
    }

    const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled | Self::Ended)
    }
}

impl Conversation {
    /// Keeps what a request asks of tasks. Tasks belong to the side that gets the request.
    pub(super) fn begin_task_request(
        &mut self,
        from: Role,
        call: &mut Call,
        params: &Params<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        if is_about_task(call.method) {
            check_not_repeated(params.related_task, notice);
        } else if let Some(id) = related_id(notice.frame, params.related_task) {
            call.related_task = Some(id.clone());
            // The result that creates the task may come later.
            let key = key(from, &id);
            if self.tasks.get(&key).is_none() {
                self.tasks.insert(key.clone(), Task::new(Status::Working, 0));
            }
            if let Some(task) = self.tasks.get_mut(&key) {
                task.is_named = true;
            }
        }
        let task = text(params.task_id).and_then(|id| self.tasks.get_mut(&key(from.other(), &id)));
        let Some(task) = task else { return };
        match call.method {
            Some(KnownMethod::TasksResult) => task.is_fetched = true,
            // The first request may have crossed the status.
            Some(KnownMethod::TasksGet)
                if task.last == Status::InputRequired && !task.is_fetched =>
            {
                task.polls = task.polls.saturating_add(1);
                if let Some(place) = params.task_id.filter(|_| task.polls == 2) {
                    notice.at(rule::TASK_INPUT_NOT_FETCHED, place.at);
                }
            }
            _ => {}
        }
        call.cancels_ended = call.method == Some(KnownMethod::TasksCancel) && task.has_ended();
    }

    /// Checks that a notification does not cancel the request with this number, if that has become a task or will become
    /// one.
    pub(super) fn check_cancelled(
        &mut self,
        from: Role,
        number: u64,
        params: &Params<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        let (Some(member), Some(call)) = (params.request_id, self.calls.get(&number)) else {
            return;
        };
        // A receiver without tasks serves the request as if it asked for none.
        let runs_tasks = || call.method.and_then(|method| self.runs_tasks(from.other(), method));
        if call.is_task || call.takes_task && runs_tasks() == Some(true) {
            notice.at(rule::TASK_CANCELLED_BY_NOTIFICATION, member.at);
        }
        self.note_cancelled_fetch(from, number);
    }

    /// Records that the request with this number was cancelled. A task whose result is no longer awaited may do without the
    /// input that it has required.
    fn note_cancelled_fetch(&mut self, from: Role, cancelled: u64) {
        let Some(call) = self.calls.get(&cancelled) else { return };
        if call.method == Some(KnownMethod::TasksResult)
            && let Some(id) = &call.task_id
            && let Some(task) = self.tasks.get_mut(&key(from.other(), id))
        {
            task.is_fetch_cancelled = true;
        }
    }

    /// Checks a notification that reports a status.
    pub(super) fn check_task_notification(
        &mut self,
        from: Role,
        method: Option<KnownMethod>,
        params: &Params<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        if method == Some(KnownMethod::TasksStatus) {
            check_not_repeated(params.related_task, notice);
            self.observe_status(from, self.messages, (params.task_id, params.status), notice);
        }
    }

    /// Checks a result of side `from`, and returns whether it is a new task.
    pub(super) fn check_task_result(
        &mut self,
        from: Role,
        call: &mut Call,
        answer: &Answer<'_>,
        notice: &mut Notice<'_, '_>,
    ) -> bool {
        let runs_tasks = call.method.and_then(|method| self.runs_tasks(from, method));
        // Results are open, so a member with this name may be something else.
        let is_task = |task: &Member<'_>| {
            let has_id = || places::member(notice.frame, task.at, "taskId").is_some();
            call::takes_task(call.method) && (call.takes_task || has_id())
        };
        if let Some(task) = answer.task.filter(is_task) {
            if !call.takes_task || runs_tasks == Some(false) {
                notice.at(rule::TASK_UNEXPECTED, task.name_at);
            }
            self.begin_task(from, call, task, notice);
            return true;
        }
        if let Some(expected) = &call.related_task
            && call.method != Some(KnownMethod::Ping)
        {
            check_related(expected, answer, notice);
        }
        if call.takes_task && runs_tasks == Some(true) {
            notice.at(rule::TASK_UNEXPECTED, answer.at);
        }
        match call.method {
            Some(KnownMethod::TasksResult) => {
                let Some(id) = &call.task_id else { return false };
                check_related(id, answer, notice);
                // The request that has created the task gets a task, and the task its own result.
                let has_id =
                    |task: &Member<'_>| places::member(notice.frame, task.at, "taskId").is_some();
                if let Some(task) = answer.task.filter(has_id) {
                    notice.at(rule::TASK_UNEXPECTED, task.name_at);
                }
                let messages = self.messages;
                let Some(task) = self.tasks.get_mut(&key(from, id)) else { return false };
                if !task.has_ended() {
                    (task.last, task.seen, task.ended) = (Status::Ended, messages, messages);
                }
                let members = places::members(notice.frame, answer.at);
                let members = members.filter(|_| answer.is_object);
                task.check_outcome(
                    same_value::hash_of_members(members, &["_meta"]),
                    answer.at,
                    notice,
                );
            }
            Some(KnownMethod::TasksList) => {
                check_not_repeated(answer.related_task, notice);
                for at in places::objects(notice.frame, answer.tasks) {
                    let [id, status] = places::pick(notice.frame, at, ["taskId", "status"]);
                    self.observe_status(from, call.number, (id, status), notice);
                }
            }
            Some(KnownMethod::TasksGet | KnownMethod::TasksCancel) => {
                check_not_repeated(answer.related_task, notice);
                if !check_task_id(call, answer, notice) {
                    return false;
                }
                if call.cancels_ended {
                    notice.at(rule::TASK_CANCEL_ENDED, answer.at);
                } else if call.method == Some(KnownMethod::TasksCancel)
                    && let Some(member) = answer.status
                    && Status::of(Some(member)).is_some_and(|status| status != Status::Cancelled)
                {
                    notice.at(rule::TASK_TRANSITION, member.at);
                }
                let told = (answer.task_id, answer.status);
                self.observe_status(from, call.number, told, notice);
                if call.method == Some(KnownMethod::TasksGet) {
                    self.check_listed(from, call, answer, notice);
                }
            }
            _ => {}
        }
        false
    }

    /// Checks that the cancellation of an ended task is refused with the right code, and that a task has one outcome.
    pub(super) fn check_task_error(
        &mut self,
        from: Role,
        call: &Call,
        response: &Response<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        let Some(error) = response.error() else { return };
        let at = index(error.code_span().start());
        let is_invalid = error.code() == Some(ErrorCode::INVALID_PARAMS);
        if call.cancels_ended && !is_invalid {
            notice.at(rule::TASK_CANCEL_ENDED, at);
        }
        let id = call.task_id.as_ref().filter(|_| call.method == Some(KnownMethod::TasksResult));
        let Some(task) = id.and_then(|id| self.tasks.get_mut(&key(from, id))) else { return };
        // A task that has not ended has no outcome yet, and one that has expired is refused.
        if task.has_ended() && !(is_invalid && task.outcome.is_some()) {
            task.check_outcome(same_value::hash_of_error(&error), at, notice);
        }
    }

    /// Checks that progress that names a task has the token of the request that has created it.
    pub(super) fn check_token_of_task(
        &self,
        from: Role,
        token: &Id<'_>,
        params: &Params<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        let Some(id) = related_id(notice.frame, params.related_task) else { return };
        let task = self.tasks.get(&key(from, &id)).filter(|task| task.is_created);
        if let (Some(task), Some(place)) = (task, params.progress_token)
            && task.token != Some(call::key_of(token))
        {
            notice.at(rule::TASK_PROGRESS_TOKEN, place.at);
        }
    }

    /// Returns the method of the request that has created a task of this side.
    pub(super) fn method_of_task(&self, owner: Role, id: &str) -> Option<KnownMethod> {
        self.tasks.get(&key(owner, id))?.method
    }

    /// Returns whether a side runs requests of this method as tasks, if it has declared its capabilities.
    pub(super) fn runs_tasks(&self, side: Role, method: KnownMethod) -> Option<bool> {
        let (runner, capability) = Capability::needed_for_task(method)?;
        let declared = match side {
            Role::Client => self.client_capabilities,
            Role::Server => self.server_capabilities,
        };
        declared.filter(|_| runner == side).map(|declared| declared.has(capability))
    }

    /// Adds a new task of this side.
    fn begin_task(
        &mut self,
        from: Role,
        call: &mut Call,
        task: Member<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        let [id, status] = places::pick(notice.frame, task.at, ["taskId", "status"]);
        let (Some(member), Some(id)) = (id, text(id)) else { return };
        let Some(status_now) = Status::of(status) else { return };
        if let Some(status) = status.filter(|_| status_now != Status::Working) {
            notice.at(rule::TASK_TRANSITION, status.at);
        }
        let key = key(from, &id);
        call.task = Some(key.clone());
        if self.tasks.get(&key).is_some_and(|task| task.is_created) {
            notice.at(rule::TASK_ID_REUSED, member.at);
            self.tasks.remove(&key);
        }
        // A notification or a list may have named the task before.
        let mut created = self.tasks.remove(&key).unwrap_or(Task::new(status_now, self.messages));
        created.is_created = true;
        created.method = call.method;
        created.token.clone_from(&call.token);
        self.tasks.insert(key, created);
    }

    /// Checks and keeps the id and the status of a task of this side. A status is as old as the request for it, which
    /// was the message with number `asked`.
    fn observe_status(
        &mut self,
        from: Role,
        asked: u64,
        (id, status): (Option<Member<'_>>, Option<Member<'_>>),
        notice: &mut Notice<'_, '_>,
    ) {
        let (Some(id), Some(member), Some(now)) = (text(id), status, Status::of(status)) else {
            return;
        };
        let messages = self.messages;
        let Some(task) = self.tasks.get_mut(&key(from, &id)) else {
            self.tasks.insert(key(from, &id), Task::new(now, messages));
            return;
        };
        // The answer to an earlier request may have been written before the last status was reported.
        let is_newer = asked > task.seen;
        if task.last == Status::Ended && now.is_terminal() {
            task.last = now;
        } else if task.last.is_terminal() {
            if task.last != now && asked > task.ended {
                notice.at(rule::TASK_TRANSITION, member.at);
            }
        } else if is_newer || now.is_terminal() {
            let has_input = task.last == Status::InputRequired
                && matches!(now, Status::Working | Status::Completed);
            let may_lack_request = task.is_named || task.is_fetch_cancelled;
            if has_input && is_newer && !may_lack_request && self.is_whole {
                notice.at(rule::TASK_INPUT_UNRELATED, member.at);
            }
            if now != Status::InputRequired {
                task.polls = 0;
            }
            (task.last, task.seen) = (now, messages);
            if now.is_terminal() {
                task.ended = messages;
            }
        }
    }
}

/// Checks that a result about one task has the id that was asked for, whatever the metadata of the request. Returns
/// whether it may be about that task.
pub(super) fn check_task_id(call: &Call, answer: &Answer<'_>, notice: &mut Notice<'_, '_>) -> bool {
    let (Some(asked), Some(member)) = (&call.task_id, answer.task_id) else { return true };
    let is_same = text(Some(member)).is_none_or(|told| told == *asked);
    if !is_same {
        notice.at(rule::TASK_ID_MISMATCH, member.at);
    }
    is_same
}

/// Returns the id in the metadata of a message that belongs to a task.
fn related_id(frame: &[u8], related: Option<Member<'_>>) -> Option<String> {
    text(places::member(frame, related?.object()?.at, "taskId"))
}

/// Checks that a result names this task in its metadata.
fn check_related(expected: &str, answer: &Answer<'_>, notice: &mut Notice<'_, '_>) {
    let Some(related) = answer.related_task else {
        notice.at(rule::TASK_UNRELATED, answer.at);
        return;
    };
    let id = related_id(notice.frame, Some(related));
    if id.is_some_and(|id| id != expected) {
        notice.at(rule::TASK_UNRELATED, related.at);
    }
}

/// Returns whether params or results of the method have the id of a task.
const fn is_about_task(method: Option<KnownMethod>) -> bool {
    matches!(
        method,
        Some(
            KnownMethod::TasksGet
                | KnownMethod::TasksResult
                | KnownMethod::TasksList
                | KnownMethod::TasksCancel
        )
    )
}

/// Checks that a message that has a `taskId` does not repeat it in its metadata.
fn check_not_repeated(related: Option<Member<'_>>, notice: &mut Notice<'_, '_>) {
    if let Some(related) = related {
        notice.at(rule::TASK_RELATED_REPEATED, related.name_at);
    }
}

fn key(owner: Role, id: &str) -> String {
    name(&[owner.name(), id])
}
