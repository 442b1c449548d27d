//! The table of calls, and the stray frames that may have been intended as answers.

use std::cell::Cell;
use std::collections::VecDeque;
use std::error::Error;
use std::sync::Arc;

use tautline::client::{Answer, IdMatching, PendingRequests};
use tautline::stream::Received;
use tautline::{Fault, Finding, Id, Response};
use tokio::sync::{broadcast, oneshot};
use tokio::time::Instant;

use crate::payload::Frame;
use crate::{Closed, Stray};

/// The answer to a call: a frame that contains a response, or the reason why there is none.
pub(crate) type Outcome = Result<Frame, Failure>;

/// The reason why a call has no answer.
pub(crate) enum Failure {
    /// The answer breaks this rule.
    Broken(Finding),
    /// The transport can't bring the answer.
    Transport(Arc<dyn Error + Send + Sync>),
}

pub(crate) struct Calls {
    pending: PendingRequests<Caller>,
    /// The id of the first call.
    first: u64,
    /// The greatest id that a call may have.
    last: u64,
    /// The id of the latest call, or 0.
    latest: u64,
    /// The latest calls that were sent and given up before their answers came. The oldest is first.
    given_up: VecDeque<u64>,
    /// `Some` once no more answers can arrive.
    closed: Option<Closed>,
    /// The number of stray frames received, and the last of them.
    strays: u64,
    last_stray: Option<Stray>,
}

/// The number of calls that are remembered after they were given up.
const MAX_GIVEN_UP: usize = 256;

/// The caller of a pending call.
pub(crate) struct Caller {
    pub(crate) answer: oneshot::Sender<Outcome>,
    /// `Some` if it listens to progress.
    pub(crate) progress: Option<Progress>,
}

/// The sending side of a call's progress.
pub(crate) struct Progress {
    /// The notifications. A caller that is slow loses the oldest ones.
    frames: broadcast::Sender<Frame>,
    /// The time of the last notification.
    latest: Cell<Option<Instant>>,
}

/// The number of progress notifications that wait for the caller.
const MAX_PROGRESS: usize = 16;

impl Progress {
    pub(crate) fn channel() -> (Self, broadcast::Receiver<Frame>) {
        let (frames, receiver) = broadcast::channel(MAX_PROGRESS);
        (Self { frames, latest: Cell::new(None) }, receiver)
    }
}

impl Calls {
    /// Creates a table whose calls have ids from the first one to the last one.
    pub(crate) fn new((first, last): (u64, u64)) -> Self {
        // The ids are integers, so an id with another spelling still identifies one call.
        let pending = PendingRequests::default().with_id_matching(IdMatching::Lenient);
        Self {
            pending: pending.with_first_id(first),
            first,
            last,
            latest: 0,
            given_up: VecDeque::new(),
            closed: None,
            strays: 0,
            last_stray: None,
        }
    }

    /// Begins a call, and returns its id.
    pub(crate) fn begin(&mut self, caller: Caller) -> Result<u64, Closed> {
        if let Some(closed) = &self.closed {
            return Err(closed.clone());
        }
        // The vector of slots grows as needed, so it is full only if memory has run out.
        let id = self.pending.begin(caller).map_err(|_| Closed::Local)?;
        if !(self.first..=self.last).contains(&id) {
            self.pending.cancel(id);
            return Err(Closed::Local);
        }
        self.latest = id;
        Ok(id)
    }

    /// Ends a call without an answer. Returns whether it was pending.
    pub(crate) fn give_up(&mut self, id: u64, sent: Sent) -> bool {
        let was_pending = self.pending.cancel(id).is_some();
        if was_pending && sent == Sent::Yes {
            if self.given_up.len() >= MAX_GIVEN_UP {
                self.given_up.pop_front();
            }
            self.given_up.push_back(id);
        }
        was_pending
    }

    /// Returns the call that a stale response answers, if this side has given it up and no answer to it came before.
    pub(crate) fn late(&mut self, response: &Response<'_>) -> Option<u64> {
        let (_, id) = response.id()?.like_integer()?;
        let at = self.given_up.iter().rposition(|given_up| *given_up == id)?;
        self.given_up.remove(at)
    }

    /// Returns whether there was a call with this id, which has ended.
    pub(crate) fn has_ended(&self, id: u64) -> bool {
        (self.first..=self.latest).contains(&id) && self.pending.get(id).is_none()
    }

    /// Notes that a call has made progress. Returns the place for its reports, if its caller listens.
    pub(crate) fn progress(&self, id: u64) -> Option<broadcast::Sender<Frame>> {
        let progress = self.pending.get(id)?.progress.as_ref()?;
        progress.latest.set(Some(Instant::now()));
        Some(progress.frames.clone())
    }

    /// Returns when the call last made progress.
    pub(crate) fn last_progress(&self, id: u64) -> Option<Instant> {
        self.pending.get(id)?.progress.as_ref()?.latest.get()
    }

    /// Returns the answer that a received frame gives, and ends its call.
    pub(crate) fn receive<'buf>(
        &mut self,
        received: &Received<'buf>,
    ) -> Option<Answer<'buf, Caller>> {
        self.pending.receive(received)
    }

    /// Returns the answer that a response of a batch gives, and ends its call.
    pub(crate) fn response<'buf>(&mut self, response: &Response<'buf>) -> Answer<'buf, Caller> {
        self.pending.response(response)
    }

    /// Ends the call that a broken response of a batch would have answered, and returns its caller.
    pub(crate) fn fault(&mut self, fault: &Fault<'_>) -> Option<Caller> {
        self.pending.fault(fault).map(|(_, caller)| caller)
    }

    /// Ends a call without an answer, and returns its caller.
    pub(crate) fn end(&mut self, id: u64) -> Option<Caller> {
        self.pending.cancel(id)
    }

    /// Records a frame that may have been intended as an answer.
    pub(crate) fn stray(&mut self, stray: Stray) {
        self.strays = self.strays.wrapping_add(1);
        self.last_stray = Some(stray);
    }

    /// Returns the number of stray frames.
    pub(crate) const fn strays(&self) -> u64 {
        self.strays
    }

    /// Returns the last stray frame, if any was received since the count was `before`.
    pub(crate) fn stray_since(&self, before: u64) -> Option<Stray> {
        (self.strays != before).then(|| self.last_stray.clone())?
    }

    /// Returns the number of pending calls.
    pub(crate) const fn len(&self) -> usize {
        self.pending.len()
    }

    /// Fails all calls, pending and future.
    pub(crate) fn fail(&mut self, reason: &Closed) {
        self.closed.get_or_insert_with(|| reason.clone());
        // Dropping a sender wakes its caller.
        self.pending.drain().for_each(drop);
    }

    /// Returns the reason why calls fail, if they do.
    pub(crate) const fn closed(&self) -> Option<&Closed> {
        self.closed.as_ref()
    }
}

/// Returns whether the id of the answer to a call is a plain integer, as all ids of calls are.
pub(crate) fn is_spelled_as_sent(response: &Response<'_>) -> bool {
    matches!(response.id(), Some(Id::Number(id)) if id.is_plain_integer())
}

/// `Yes` if the request of a call has entered the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    Yes,
    No,
}
