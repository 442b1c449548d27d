//! Progress (utilities, progress).

use tautline::Id;

use super::call::Params;
use super::task::Task;
use super::{Conversation, Notice};
use crate::session::Pairing;
use crate::{Era, Role, rule};

impl Conversation {
    /// Checks that progress increases, and ends in time. `from` reports it to the side that sent the token.
    pub(super) fn check_progress(
        &mut self,
        from: Role,
        params: &Params<'_>,
        (era, pairing): (Era, &Pairing),
        notice: &mut Notice<'_, '_>,
    ) {
        let token = params.progress_token.and_then(|token| Id::of(token.value));
        let (Some(token), Some(place)) = (token, params.progress_token) else { return };
        self.check_token_of_task(from, &token, params, notice);
        let answered = self.answered_by(from);
        let is_read = |number: u64| answered > number;
        let (tasks, is_stdio) = (&self.tasks, !self.is_http);
        let Some(call) = pairing.number().and_then(|it| self.calls.get_mut(&it)) else { return };
        let progress = &mut call.progress;
        if era == Era::Modern && is_stdio && progress.cancelled.is_some_and(is_read) {
            notice.at(rule::NOTIFICATION_AFTER_CANCEL, place.at);
        }
        let task = progress.task.as_ref().and_then(|task| tasks.get(task));
        if task.is_some_and(Task::has_ended) {
            notice.at(rule::PROGRESS_AFTER_TASK, place.at);
        }
        let Some(member) = params.progress else { return };
        let Some(number) = member.value.number() else { return };
        if progress.is_at_least(number) {
            notice.at(rule::PROGRESS_NOT_INCREASING, member.at);
        }
        progress.keep(number);
    }
}
