//! The extension for tasks, which both sides declare before they use it (2026-07-28, basic/versioning, extension
//! negotiation).

use tautline::Call as CallOf;

use super::{Answer, Call, Conversation, Notice, Params, method_at};
use crate::{KnownMethod, Revision, Role, rule};

/// Returns whether the revision has the method only with the extension.
fn is_of_extension(method: Option<KnownMethod>) -> bool {
    let method_use = method.and_then(|method| method.use_in(Revision::V2026_07_28));
    method_use.is_some_and(|method| method.is_extension())
}

impl Conversation {
    /// Checks that a request of the extension is made only if both sides have declared it. If neither has, the revision
    /// does not have its methods.
    pub(super) fn check_extension_request(
        &self,
        from: Role,
        method: Option<KnownMethod>,
        call: &CallOf<'_>,
        params: &Params<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        if from != Role::Client || !is_of_extension(method) {
            return;
        }
        if method == Some(KnownMethod::TasksUpdate) {
            self.check_task_input(params, notice);
        }
        let rule = match (params.declared.tasks(), self.server_has_tasks) {
            (true, None | Some(true)) => return,
            (false, Some(false)) => rule::METHOD_NOT_IN_REVISION,
            _ => rule::UNDECLARED_CAPABILITY,
        };
        notice.at(rule, method_at(call));
    }

    /// Checks that a notification of the extension comes from a server that has declared it.
    pub(super) fn check_extension_notification(
        &mut self,
        method: Option<KnownMethod>,
        call: &CallOf<'_>,
        params: &Params<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        if method != Some(KnownMethod::Tasks) {
            return;
        }
        if self.server_has_tasks == Some(false) {
            notice.at(rule::UNDECLARED_CAPABILITY, method_at(call));
        }
        let requests = params.member(notice.frame, "inputRequests");
        self.keep_task_input(notice.frame, params.task_id, requests);
    }

    /// Checks that a task is created only by a server that has declared the extension, and that a result about a task
    /// is about the one that was asked for. A session checks that the client has declared it.
    pub(super) fn check_extension_result(
        &mut self,
        call: &Call,
        answer: &Answer<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        let kind = answer.member(notice.frame, "resultType");
        if let Some(kind) = kind.filter(|kind| kind.string().is_some_and(|kind| kind == *"task"))
            && call.declared.tasks()
            && self.server_has_tasks == Some(false)
        {
            notice.at(rule::UNDECLARED_CAPABILITY, kind.at);
        }
        if matches!(call.method, Some(KnownMethod::TasksGet | KnownMethod::TasksCancel)) {
            super::task::check_task_id(call, answer, notice);
            self.keep_task_input(notice.frame, answer.task_id, answer.input_requests);
        }
    }
}
