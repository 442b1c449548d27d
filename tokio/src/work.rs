//! The work that received frames cause, and the handlers that run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tautline::owned::Id;
use tokio::task::AbortHandle;

use crate::inbox::Ticket;
use crate::payload::Frame;
use crate::responder::Responder;

/// The work that a received frame causes.
pub(crate) enum Work {
    Request(Frame, Responder),
    Notification(Frame, Option<Ticket>),
    /// The reply to an invalid frame.
    Reply(Vec<u8>),
}

/// A running handler that has a task of its own.
pub(crate) struct Task {
    pub(crate) method: Arc<str>,
    /// `Some` if it is the handler of a request that the peer may cancel.
    pub(crate) cancellable: Option<Cancellable>,
}

impl Task {
    /// Returns what cancels it, if it is the handler of the request with this id, and was not cancelled yet. A peer may
    /// reuse the id of a cancelled request.
    pub(crate) fn cancellable(&self, id: &tautline::Id<'_>) -> Option<&Cancellable> {
        let is_it = |request: &&Cancellable| {
            request.id == *id && !request.cancelled.load(Ordering::Acquire)
        };
        self.cancellable.as_ref().filter(is_it)
    }
}

pub(crate) struct Cancellable {
    pub(crate) id: Id,
    pub(crate) cancelled: Arc<AtomicBool>,
    pub(crate) handler: AbortHandle,
}

impl Cancellable {
    /// Drops the handler at its current await point.
    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
        self.handler.abort();
    }
}
