//! Tasks (2025-11-25, utilities/tasks).

use alloc::string::String;

use tautline::internal::cast::index;
use tautline::{ErrorCode, Id, Response};

use super::call::{self, Answer, Call, Params};
use super::{Conversation, Notice, name, text};
use crate::places::{self, Member};
use crate::session::Capability;
use crate::{KnownMethod, Role, rule};

/// A task that a message has named.
#[derive(Debug)]
pub(super) struct Task {
    last: Status,
    /// The number of messages up to the one that reported the end.
    ended: u64,
    /// True if the result that creates it was seen.
    is_created: bool,
    /// The method of the request that has created it, and the progress token.
    method: Option<KnownMethod>,
    token: Option<String>,
    /// True if a request has named it.
    is_named: bool,
    /// True if its result was asked for.
    is_fetched: bool,
    /// The number of requests for its status since it was seen to require input.
    polls: u8,
}

impl Task {
    const fn new(last: Status, ended: u64) -> Self {
        Self {
            last,
            ended,
            is_created: false,
            method: None,
            token: None,
            is_named: false,
            is_fetched: false,
            polls: 0,
        }
    }

    pub(super) const fn has_ended(&self) -> bool {
        self.last.is_terminal()
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

    /// Checks that a notification does not cancel the request with this key, if that has become a task or will become
    /// one.
    pub(super) fn check_cancelled(
        &self,
        from: Role,
        key: &str,
        params: &Params<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        let (Some(member), Some(call)) = (params.request_id, self.calls.get(key)) else { return };
        // A receiver without tasks serves the request as if it asked for none.
        let runs_tasks = || call.method.and_then(|method| self.runs_tasks(from.other(), method));
        if call.is_task || call.takes_task && runs_tasks() == Some(true) {
            notice.at(rule::TASK_CANCELLED_BY_NOTIFICATION, member.at);
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
        call: &Call,
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
        if call.takes_task && runs_tasks == Some(true) {
            notice.at(rule::TASK_UNEXPECTED, answer.at);
        }
        match call.method {
            Some(KnownMethod::TasksResult) => {
                check_related(call, answer, notice);
                let id = call.task_id.as_ref();
                if let Some(task) = id.and_then(|id| self.tasks.get_mut(&key(from, id)))
                    && !task.has_ended()
                {
                    (task.last, task.ended) = (Status::Ended, self.messages);
                }
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

    /// Checks that the cancellation of an ended task is refused with the right code.
    pub(super) fn check_task_error(
        call: &Call,
        response: &Response<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        let error = response.error().filter(|_| call.cancels_ended);
        if let Some(error) = error.filter(|error| error.code() != Some(ErrorCode::INVALID_PARAMS)) {
            notice.at(rule::TASK_CANCEL_ENDED, index(error.code_span().start()));
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
        call: &Call,
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
        if let Some(token) = &call.token
            && let Some(progress) = self.progress.get_mut(&call::key_with(from.other(), token))
        {
            progress.task = Some(key.clone());
        }
        if self.tasks.get(&key).is_some_and(|task| task.is_created) {
            notice.at(rule::TASK_ID_REUSED, member.at);
            self.tasks.remove(&key);
        }
        // A notification or a list may have named the task before.
        let mut created = self.tasks.remove(&key).unwrap_or(Task::new(status_now, 0));
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
        let ended = if now.is_terminal() { self.messages } else { 0 };
        match self.tasks.get_mut(&key(from, &id)) {
            Some(task) if task.last == Status::Ended && now.is_terminal() => task.last = now,
            Some(task) if task.last.is_terminal() => {
                if task.last != now && asked > task.ended {
                    notice.at(rule::TASK_TRANSITION, member.at);
                }
            }
            Some(task) => {
                let has_input = task.last == Status::InputRequired
                    && matches!(now, Status::Working | Status::Completed);
                if has_input && !task.is_named && self.is_whole {
                    notice.at(rule::TASK_INPUT_UNRELATED, member.at);
                }
                if now != Status::InputRequired {
                    task.polls = 0;
                }
                (task.last, task.ended) = (now, ended);
            }
            None => {
                self.tasks.insert(key(from, &id), Task::new(now, ended));
            }
        }
    }
}

/// Returns the id in the metadata of a message that belongs to a task.
fn related_id(frame: &[u8], related: Option<Member<'_>>) -> Option<String> {
    text(places::member(frame, related?.object()?.at, "taskId"))
}

/// Checks that the result of a task names the task that was asked for.
fn check_related(call: &Call, answer: &Answer<'_>, notice: &mut Notice<'_, '_>) {
    let Some(related) = answer.related_task else {
        notice.at(rule::TASK_UNRELATED, answer.at);
        return;
    };
    let id = related_id(notice.frame, Some(related));
    if id.is_some() && call.task_id.is_some() && id != call.task_id {
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

pub(super) fn key(owner: Role, id: &str) -> String {
    name(&[owner.name(), id])
}
