//! Progress (utilities, progress).

use super::call::{self, Call, Params};
use super::{Conversation, Notice};
use crate::envelope::Id;
use crate::mcp::Role;
use crate::rule::Rule;

impl Conversation {
    /// Checks that progress increases. `from` reports it to the side that has sent the token.
    pub(super) fn check_progress(
        &mut self,
        from: Role,
        params: &Params<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        let token = params.progress_token.and_then(|token| Id::of(token.value));
        let (Some(token), Some(progress)) = (token, params.progress) else { return };
        let Some(last) = self.progress.get_mut(&call::key(from.other(), &token)) else { return };
        let number = progress.value.number().and_then(|number| number.as_str()?.parse().ok());
        let Some(number) = number else { return };
        if last.is_some_and(|last| number <= last) {
            notice.at(Rule::ProgressNotIncreasing, progress.at);
        }
        *last = Some(number);
    }

    /// Forgets the token of a request that `from` has answered.
    pub(super) fn forget_progress(&mut self, from: Role, call: &Call) {
        if let Some(token) = &call.token {
            self.progress.remove(&call::key_with(from.other(), token));
        }
    }
}
