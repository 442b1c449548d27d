//! Progress (utilities, progress).

use alloc::string::String;

use super::call::{self, Call, Params};
use super::{Conversation, Notice};
use crate::envelope::Id;
use crate::json::{RawJson, RawNumber};
use crate::mcp::Role;
use crate::rule::Rule;

/// The length of a number that is kept, in bytes.
const LONGEST: usize = 64;

/// The last progress of a token.
#[derive(Debug, Default)]
pub(super) struct Progress(Option<String>);

impl Progress {
    /// Returns whether a number does not exceed the last one. Numbers that floats cannot tell apart are compared by
    /// their text, which tells only whether they are equal.
    fn is_at_least(&self, next: RawNumber<'_>) -> bool {
        let Some(text) = &self.0 else { return false };
        let last = RawJson::parse(text.as_bytes()).ok().and_then(|last| last.number());
        let float = |number: RawNumber<'_>| number.as_str()?.parse::<f64>().ok();
        match (last.and_then(float), float(next)) {
            (Some(before), Some(now)) if before == now => {
                last.is_some_and(|last| last.is_worth(&next))
            }
            (Some(before), Some(now)) => now < before,
            _ => false,
        }
    }
}

impl Conversation {
    /// Checks that progress increases. `from` reports it to the side that has sent the token.
    pub(super) fn check_progress(
        &mut self,
        from: Role,
        params: &Params<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        let token = params.progress_token.and_then(|token| Id::of(token.value));
        let (Some(token), Some(member)) = (token, params.progress) else { return };
        let Some(last) = self.progress.get_mut(&call::key(from.other(), &token)) else { return };
        let Some(number) = member.value.number() else { return };
        if last.is_at_least(number) {
            notice.at(Rule::ProgressNotIncreasing, member.at);
        }
        let text = number.as_str().filter(|text| text.len() <= LONGEST);
        last.0 = text.map(Into::into);
    }

    /// Forgets the token of a request that `from` has answered.
    pub(super) fn forget_progress(&mut self, from: Role, call: &Call) {
        if let Some(token) = &call.token {
            self.progress.remove(&call::key_with(from.other(), token));
        }
    }
}
