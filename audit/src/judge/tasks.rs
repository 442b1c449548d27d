//! The ids of tasks that each side has mentioned (2025-11-25, utilities/tasks).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde::Deserialize;
use tautline::Request;
use tautline_mcp::{Role, rule};

use super::form::offset;
use crate::frame::FindingReport;

/// The requirement on the time between two requests for the status of a task.
pub(super) const POLLING_REQUIREMENT: &str = "tasks-poll-interval";

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
    /// The tasks whose receiver has named an interval, by side and id.
    polls: BTreeMap<(bool, String), Poll>,
}

/// The requests for the status of a task.
#[derive(Debug)]
struct Poll {
    /// The interval that the receiver suggests, in microseconds.
    interval: i64,
    /// The time of the last request, in microseconds.
    last: Option<i64>,
}

/// The members of a payload that contain ids of tasks.
#[derive(Deserialize)]
struct Told {
    #[serde(rename = "taskId")]
    id: Option<String>,
    #[serde(rename = "pollInterval", alias = "pollIntervalMs", default)]
    interval: Option<f64>,
    task: Option<Task>,
    tasks: Option<Vec<Task>>,
}

#[derive(Deserialize)]
struct Task {
    #[serde(rename = "taskId")]
    id: String,
    #[serde(rename = "pollInterval", alias = "pollIntervalMs", default)]
    interval: Option<f64>,
}

/// Finds the name of the member with an id.
static TASK_ID: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("taskId"));

impl Tasks {
    /// Records the task ids in the params of a notification, or in a result, from this side.
    pub fn observe(&mut self, from: Role, payload: &[u8]) {
        if TASK_ID.find(payload).is_none() {
            return;
        }
        let Ok(told) = serde_json::from_slice::<Told>(payload) else {
            // A member of the same name may be something else. The ids in this payload count as lost.
            self.has_lost = true;
            return;
        };
        let listed = told.tasks.into_iter().flatten().chain(told.task);
        let listed = listed.map(|task| (task.id, task.interval));
        let own = told.id.map(|id| (id, told.interval));
        for (id, interval) in listed.chain(own) {
            self.keep_interval(from, &id, interval);
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

    /// Keeps the interval that the receiver of a task suggests, in milliseconds, or forgets the one before.
    fn keep_interval(&mut self, from: Role, id: &str, interval: Option<f64>) {
        #[expect(clippy::as_conversions, clippy::cast_possible_truncation, reason = "it saturates")]
        let interval = interval.map(|interval| (interval * 1000.0) as i64);
        let key = (from == Role::Client, id.to_owned());
        if let Some(poll) = self.polls.get_mut(&key) {
            poll.interval = interval.unwrap_or(0);
        } else if let Some(interval) = interval
            && self.polls.len() < MOST
            && id.len() <= LONGEST
        {
            self.polls.insert(key, Poll { interval, last: None });
        }
    }

    /// Reports a request for the status of a task that comes sooner after the last one than the interval allows. Both
    /// times are in microseconds, where they were recorded, so a tenth of the interval is tolerated. Returns the
    /// requirement if the request keeps to the interval.
    pub fn poll(
        &mut self,
        from: Role,
        request: &Request<'_>,
        time: Option<i64>,
        report: &mut dyn FnMut(FindingReport),
    ) -> Option<&'static str> {
        let (params, span) = request.params().zip(request.call().params_span())?;
        let member = params.member("taskId")?;
        let id = member.string()?.decode().ok()?;
        let poll = self.polls.get_mut(&(from == Role::Server, id.into_owned()))?;
        let last = std::mem::replace(&mut poll.last, time);
        let (now, last) = time.zip(last)?;
        let passed = now.saturating_sub(last);
        let least = poll.interval.saturating_sub(poll.interval / 10);
        if !(0..least).contains(&passed) {
            return Some(POLLING_REQUIREMENT);
        }
        let at = u64::from(span.start()) + offset(params, member);
        let (passed, interval) = (passed / 1000, poll.interval / 1000);
        let words = format!(
            "the status is requested after {passed} ms, and the pollInterval is {interval} ms"
        );
        let finding = FindingReport::new(rule::TASK_POLLED_EARLY, at).with_words(words);
        report(finding.of_requirement(POLLING_REQUIREMENT));
        None
    }
}
