//! The ids of tasks that each side has mentioned (2025-11-25, utilities/tasks).

use std::collections::BTreeSet;

use memchr::memmem;
use serde::Deserialize;
use tautline_mcp::Role;

/// The number of ids that are kept.
const MOST: usize = 1 << 14;
/// The length of an id that is kept, in bytes.
const LONGEST: usize = 256;

/// The ids of tasks, each with the side that runs it.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    ids: BTreeSet<(bool, String)>,
    /// True if some id could not be kept.
    has_lost: bool,
}

/// The members of a payload that contain ids of tasks.
#[derive(Deserialize)]
struct Told {
    #[serde(rename = "taskId")]
    id: Option<String>,
    task: Option<Task>,
    tasks: Option<Vec<Task>>,
}

#[derive(Deserialize)]
struct Task {
    #[serde(rename = "taskId")]
    id: String,
}

impl Tasks {
    /// Records the task ids in the params of a notification, or in a result, from this side.
    pub fn observe(&mut self, from: Role, payload: &[u8]) {
        if memmem::find(payload, b"taskId").is_none() {
            return;
        }
        let Ok(told) = serde_json::from_slice::<Told>(payload) else {
            // A member of the same name may be something else. The ids in this payload count as lost.
            self.has_lost = true;
            return;
        };
        let listed = told.tasks.into_iter().flatten().chain(told.task).map(|task| task.id);
        for id in listed.chain(told.id) {
            if id.len() > LONGEST || self.ids.len() >= MOST {
                self.has_lost = true;
            } else {
                self.ids.insert((from == Role::Client, id));
            }
        }
    }

    /// Returns whether a side has never mentioned a task with this id.
    pub fn lacks(&self, side: Role, id: &str) -> bool {
        !self.has_lost && !self.ids.contains(&(side == Role::Client, id.to_owned()))
    }
}
