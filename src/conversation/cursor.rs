//! Cursors (server/utilities/pagination).

use alloc::string::String;

use super::call::{Answer, Params};
use super::{Conversation, Notice, name, text};
use crate::mcp::{KnownMethod, Role};
use crate::rule::Rule;

impl Conversation {
    /// Keeps the cursor in a result that side `to` gets.
    pub(super) fn keep_cursor(
        &mut self,
        to: Role,
        method: Option<KnownMethod>,
        answer: &Answer<'_>,
    ) {
        if let (Some(method), Some(cursor)) = (method, text(answer.next_cursor)) {
            self.cursors.insert(key(to, method, &cursor), ());
        }
    }

    /// Checks that a cursor is one that was given. Since 2026-07-28, it may come from an earlier session.
    pub(super) fn check_cursor(
        &self,
        from: Role,
        method: Option<KnownMethod>,
        params: &Params<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        let (Some(method), Some(member)) = (method, params.cursor) else { return };
        let Some(cursor) = text(Some(member)).filter(|_| self.is_whole) else { return };
        if self.cursors.surely_lacks(&key(from, method, &cursor)) {
            notice.at(Rule::CursorUnknown, member.at);
        }
    }
}

fn key(side: Role, method: KnownMethod, cursor: &str) -> String {
    name(&[side.name(), method.name(), cursor])
}
