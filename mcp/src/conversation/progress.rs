//! Progress (utilities, progress).

use alloc::string::String;

use tautline::{Id, RawJson, RawNumber};

use super::task::Task;
use super::{Conversation, Notice, Params};
use crate::session::Pairing;
use crate::{Era, Role, rule};

/// The length of the number of a progress that is kept, in bytes.
const LONGEST: usize = 64;

/// Returns whether a number does not exceed the last one. Numbers that floats cannot tell apart are compared by their
/// text, which shows only whether they are equal.
fn is_at_least(last: Option<&String>, next: RawNumber<'_>) -> bool {
    let Some(text) = last else { return false };
    let last = RawJson::parse(text.as_bytes()).ok().and_then(|last| last.number());
    let float = |number: RawNumber<'_>| number.as_str()?.parse::<f64>().ok();
    match (last.and_then(float), float(next)) {
        (Some(before), Some(now)) if before == now => last.is_some_and(|last| last.is_worth(&next)),
        (Some(before), Some(now)) => now < before,
        _ => false,
    }
}

/// Returns the text of a number to keep, unless it is long.
fn text_of(number: RawNumber<'_>) -> Option<String> {
    number.as_str().filter(|text| text.len() <= LONGEST).map(Into::into)
}

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
        if era == Era::Modern && is_stdio && call.cancelled.is_some_and(is_read) {
            notice.at(rule::NOTIFICATION_AFTER_CANCEL, place.at);
        }
        let task = call.task.as_ref().and_then(|task| tasks.get(task));
        if task.is_some_and(Task::has_ended) {
            notice.at(rule::PROGRESS_AFTER_TASK, place.at);
        }
        let Some(member) = params.progress else { return };
        let Some(number) = member.value.number() else { return };
        if is_at_least(call.progress.as_ref(), number) {
            notice.at(rule::PROGRESS_NOT_INCREASING, member.at);
        }
        call.progress = text_of(number);
    }
}
