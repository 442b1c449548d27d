//! Lists of tasks, and the tasks that are found by their id (2025-11-25, utilities/tasks, task listing).

use super::call::{Answer, Call};
use super::lists::Listing;
use super::task::key;
use super::{Conversation, Notice, text};
use crate::{KnownMethod, Role, hash, rule};

/// A task that `tasks/get` has found.
#[derive(Debug)]
pub(super) struct Found {
    owner: Role,
    /// A hash of its id.
    name: u64,
    /// The number of messages up to the result.
    seen: u64,
    /// The number of messages up to the last complete list, if the task is not in it.
    unlisted: Option<u64>,
}

impl Conversation {
    /// Records the tasks that a complete list of this side has or lacks.
    pub(super) fn note_listed_tasks(&mut self, from: Role, call: &Call, listing: &Listing) {
        if call.method != Some(KnownMethod::TasksList) || listing.is_partial() {
            return;
        }
        for found in self.found_tasks.values_mut().filter(|found| found.owner == from) {
            if found.seen < listing.begun {
                let is_there = listing.seen.contains(&found.name);
                found.unlisted = (!is_there).then_some(self.messages);
            }
        }
    }

    /// Checks that a task that is found was in the list, if it had already been found before the list was requested.
    pub(super) fn check_listed(
        &mut self,
        from: Role,
        call: &Call,
        answer: &Answer<'_>,
        notice: &mut Notice<'_, '_>,
    ) {
        let Some(member) = answer.task_id else { return };
        let (Some(id), Some(name)) = (text(Some(member)), member.string()) else { return };
        let key = key(from, &id);
        if let Some(found) = self.found_tasks.get_mut(&key) {
            if found.unlisted.take().is_some_and(|listed| call.number > listed) {
                notice.at(rule::TASK_UNLISTED, member.at);
            }
            return;
        }
        let name = hash::of_text(name);
        let found = Found { owner: from, name, seen: self.messages, unlisted: None };
        self.found_tasks.insert(key, found);
    }
}
