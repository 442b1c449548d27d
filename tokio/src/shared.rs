//! The state that the handles of a connection share with its task.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tautline::client::Answer;
use tautline::encode::{EncodeError, Encoder};
use tautline::owned::Id;
use tautline::stream::Received;
use tautline::{Fault, Message, Notification, Profile, Response};
#[cfg(feature = "mcp")]
use tautline_mcp::Revision;
use tokio::sync::{Notify, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::agreed::{Agreed, Agreement};
use crate::calls::{Caller, Calls, Failure, Sent, is_spelled_as_sent};
use crate::in_flight::InFlight;
use crate::outbox::Outbox;
use crate::payload::Frame;
use crate::protocol::{Member, Protocol};
use crate::tap::Tap;
use crate::{Cancellation, Closed, Incident, Stray, Unanswered};

pub(crate) type Observer = Arc<dyn Fn(&Incident<'_>) + Send + Sync>;

/// The options that do not depend on the framing.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) profile: Profile,
    pub(crate) protocol: Protocol,
    pub(crate) timeout: Option<Duration>,
    pub(crate) max_calls: usize,
    pub(crate) max_unsent: usize,
    /// The default members of `_meta`, with different names.
    pub(crate) meta: Vec<Member>,
    pub(crate) cancellation: Option<Arc<dyn Cancellation>>,
    pub(crate) observer: Option<Observer>,
    pub(crate) tap: Option<Tap>,
    /// Cancelled when the handlers shall stop.
    pub(crate) stop: Option<Arc<CancellationToken>>,
    /// The revisions that the transport serves, if it does not serve all.
    #[cfg(feature = "mcp")]
    pub(crate) served: Option<&'static [Revision]>,
}

/// The settings that differ between connections with the same options.
#[derive(Clone)]
pub(crate) struct Own {
    pub(crate) call_ids: (u64, u64),
    pub(crate) attachment: Option<Attachment>,
    /// False if the transport can't bring calls to the peer.
    pub(crate) has_calls: bool,
}

/// A value of the transport, for handlers.
pub(crate) type Attachment = Arc<dyn Any + Send + Sync>;

pub(crate) struct Shared {
    pub(crate) agreement: Arc<Agreement>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) outbox: Outbox,
    /// One permit for each call that may be in flight.
    pub(crate) slots: Arc<Semaphore>,
    pub(crate) attachment: Option<Attachment>,
    pub(crate) has_calls: bool,
    /// The requests of the peer that are in flight.
    pub(crate) in_flight: InFlight,
    calls: Mutex<Calls>,
    close_requested: AtomicBool,
    /// True if this side has made a call.
    has_called: AtomicBool,
    /// True while the connection does not read, because too many calls wait to be handled.
    reading_paused: AtomicBool,
    /// Set once the connection has ended.
    ended: OnceLock<Closed>,
    /// Notifies those that wait for the end.
    end: Notify,
}

impl Shared {
    pub(crate) fn new(
        settings: Arc<Settings>,
        own: Own,
        agreement: Arc<Agreement>,
        outbox: Outbox,
    ) -> Self {
        let Own { call_ids, attachment, has_calls } = own;
        let slots = Semaphore::new(settings.max_calls.min(Semaphore::MAX_PERMITS));
        Self {
            agreement,
            settings,
            outbox,
            slots: Arc::new(slots),
            attachment,
            has_calls,
            in_flight: InFlight::default(),
            calls: Mutex::new(Calls::new(call_ids)),
            close_requested: AtomicBool::new(false),
            has_called: AtomicBool::new(false),
            reading_paused: AtomicBool::new(false),
            ended: OnceLock::new(),
            end: Notify::new(),
        }
    }

    pub(crate) fn agreed(&self) -> Agreed {
        self.agreement.current()
    }

    /// Begins a call, and returns its id.
    pub(crate) fn begin(&self, caller: Caller) -> Result<u64, Closed> {
        let id = self.calls().begin(caller)?;
        self.has_called.store(true, Ordering::Release);
        // The answer may come after calls that were not read yet.
        if self.reading_paused.load(Ordering::Acquire) {
            self.outbox.driver.wake();
        }
        Ok(id)
    }

    /// Returns whether reading can pause, because no call is pending. In that case, the next call wakes the connection.
    pub(crate) fn pause_reading(&self) -> Paused {
        self.reading_paused.store(true, Ordering::Release);
        if self.pending_calls() == 0 { Paused::Yes } else { Paused::No }
    }

    /// Returns whether this side has ever made a call.
    pub(crate) fn has_called(&self) -> bool {
        self.has_called.load(Ordering::Acquire)
    }

    pub(crate) fn resume_reading(&self) {
        self.reading_paused.store(false, Ordering::Release);
    }

    /// Gives up a call, if it is still pending, and notifies the peer if the protocol has a cancellation. Returns
    /// whether it was pending.
    pub(crate) fn give_up(&self, call: &Unanswered<'_>, sent: Sent) -> bool {
        let was_pending = self.calls().give_up(call.id, sent);
        if let (true, Sent::Yes, Some(cancellation)) =
            (was_pending, sent, &self.settings.cancellation)
            && let Some(notification) = cancellation.notification(call)
            && let Ok(line) = self.encode(|encoder| notification.encode(encoder))
        {
            self.outbox.push(line);
        }
        was_pending
    }

    /// Hands a notification to the call whose progress it reports. Returns whether a call listens to it.
    pub(crate) fn report(&self, notification: &Notification<'_>, frame: &Frame) -> bool {
        let Some(id) = self.agreed().protocol.call_of(notification) else { return false };
        let Some(frames) = self.calls().progress(id) else { return false };
        // This never waits. If the caller has given up in the meantime, it fails.
        let _ = frames.send(frame.clone());
        true
    }

    /// Reports a notification that has no handler.
    pub(crate) fn unhandled(&self, notification: &Notification<'_>) {
        let call = self.agreed().protocol.call_of(notification);
        match call.filter(|call| self.calls().has_ended(*call)) {
            Some(call) => {
                let message = &Message::Notification(*notification);
                self.observe(&Incident::Late { call, message });
            }
            None => self.observe(&Incident::Unhandled(notification)),
        }
    }

    /// Returns when the call last made progress.
    pub(crate) fn last_progress(&self, id: u64) -> Option<Instant> {
        self.calls().last_progress(id)
    }

    /// Hands a received answer to its call.
    pub(crate) fn answer(&self, received: &Received<'_>, frame: impl FnOnce() -> Frame) -> Settled {
        let answer = self.calls().receive(received);
        match answer {
            None => Settled::No,
            Some(answer) => self.settle(answer, frame),
        }
    }

    /// Hands a response of a batch to its call.
    pub(crate) fn answer_response(&self, response: &Response<'_>, frame: impl FnOnce() -> Frame) {
        let answer = self.calls().response(response);
        self.settle(answer, frame);
    }

    /// Hands a broken response of a batch to its call.
    pub(crate) fn answer_fault(&self, fault: &Fault<'_>) -> Settled {
        let ended = self.calls().fault(fault);
        match ended {
            None => Settled::No,
            Some(call) => {
                let _ = call.answer.send(Err(Failure::Broken(fault.finding())));
                Settled::Yes
            }
        }
    }

    fn settle(&self, answer: Answer<'_, Caller>, frame: impl FnOnce() -> Frame) -> Settled {
        // If the caller was dropped in the meantime, sending fails and the answer is dropped.
        match answer {
            Answer::Response { id: call, request, response, .. } => {
                if !is_spelled_as_sent(&response) {
                    self.observe(&Incident::RewrittenId { call, response: &response });
                }
                drop(request.answer.send(Ok(frame())));
            }
            Answer::Broken { request, fault, .. } => {
                drop(request.answer.send(Err(Failure::Broken(fault.finding()))))
            }
            Answer::Unknown(response) => {
                self.observe(&Incident::Unexpected(&response));
                self.stray(Stray::of(&response));
            }
            Answer::Stale(response) => {
                let late = self.calls().late(&response);
                match late {
                    None => self.observe(&Incident::Unexpected(&response)),
                    Some(call) => {
                        let message = &Message::Response(response);
                        self.observe(&Incident::Late { call, message });
                    }
                }
            }
            _ => {}
        }
        Settled::Yes
    }

    /// Records a frame that may have been intended as an answer.
    pub(crate) fn stray(&self, stray: Stray) {
        self.calls().stray(stray);
    }

    /// Returns the number of stray frames.
    pub(crate) fn strays(&self) -> u64 {
        self.calls().strays()
    }

    /// Returns the last stray frame, if any was received since the count was `before`.
    pub(crate) fn stray_since(&self, before: u64) -> Option<Stray> {
        self.calls().stray_since(before)
    }

    pub(crate) fn pending_calls(&self) -> usize {
        self.calls().len()
    }

    /// Fails a call whose answer the transport can't bring. Returns whether it was pending.
    pub(crate) fn fail_call(&self, id: u64, error: Arc<dyn Error + Send + Sync>) -> bool {
        let ended = self.calls().end(id);
        let was_pending = ended.is_some();
        if let Some(call) = ended {
            let _ = call.answer.send(Err(Failure::Transport(error)));
        }
        was_pending
    }

    /// Fails all calls, pending and future.
    pub(crate) fn fail_calls(&self, reason: &Closed) {
        self.calls().fail(reason);
        self.slots.close();
    }

    /// Returns the reason why calls fail.
    pub(crate) fn closed(&self) -> Closed {
        self.calls().closed().cloned().unwrap_or(Closed::Local)
    }

    pub(crate) fn request_close(&self) {
        self.close_requested.store(true, Ordering::Release);
        self.outbox.driver.wake();
    }

    pub(crate) fn is_close_requested(&self) -> bool {
        self.close_requested.load(Ordering::Acquire)
    }

    /// Fails all calls, closes the queue, and ends the connection.
    pub(crate) fn end(&self, reason: &Closed) {
        self.fail_calls(reason);
        self.outbox.close();
        if self.ended.set(reason.clone()).is_ok() {
            self.end.notify_waiters();
        }
    }

    pub(crate) async fn ended(&self) -> Closed {
        let mut end = pin!(self.end.notified());
        // From here on, the end is noticed.
        end.as_mut().enable();
        if self.ended.get().is_none() {
            end.await;
        }
        self.ended.get().cloned().unwrap_or(Closed::Local)
    }

    pub(crate) fn observe(&self, incident: &Incident<'_>) {
        if let Some(observer) = &self.settings.observer {
            observer(incident);
        }
    }

    /// Returns the reply to a fault as a line, which is empty if none is sent: an error with the id of a request in flight
    /// would answer that request.
    pub(crate) fn reply_to(&self, fault: &Fault<'_>) -> Vec<u8> {
        let answers_another =
            fault.echoed_id().is_some_and(|id| self.in_flight.count(&Id::from(id)) > 0);
        if answers_another {
            return Vec::new();
        }
        self.encode(|encoder| encoder.fault(fault)).unwrap_or_default()
    }

    /// Encodes an answer, or the reply to a fault, as a line.
    pub(crate) fn encode(
        &self,
        encode: impl FnOnce(&mut Encoder<Vec<u8>>) -> Result<usize, EncodeError>,
    ) -> Result<Vec<u8>, EncodeError> {
        let mut encoder = Encoder::with_profile(Vec::new(), &self.agreed().profile_for_answers());
        encode(&mut encoder)?;
        Ok(encoder.into_output())
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `Yes` if a frame was a response: one that completed a call, or one that no call expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    Yes,
    No,
}

/// `Yes` if reading can pause, because no call waits for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paused {
    Yes,
    No,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared")
            .field("outbox", &self.outbox)
            .field("pending_calls", &self.pending_calls())
            .finish_non_exhaustive()
    }
}
