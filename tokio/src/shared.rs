//! The state that the handles of a connection share with its task.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tautline::client::{Answer, IdMatching, PendingRequests};
use tautline::encode::{EncodeError, Encoder};
use tautline::envelope::Ids;
use tautline::owned::ErrorObject;
use tautline::stream::Received;
use tautline::{Fault, Finding, Id, Notification, Profile, Response};
use tokio::sync::{Semaphore, broadcast, oneshot, watch};
use tokio::time::Instant;

use crate::outbox::Outbox;
use crate::payload::Frame;
use crate::protocol::{Member, Protocol};
use crate::{Cancellation, Closed, Incident, RpcError, Stray, Unanswered};

pub(crate) type Observer = Arc<dyn Fn(&Incident<'_>) + Send + Sync>;

/// The answer to a call: a frame that contains a response, or the rule that the answer breaks.
pub(crate) type Outcome = Result<Frame, Finding>;

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
}

pub(crate) struct Shared {
    agreed: Mutex<Agreed>,
    /// True if the profile has changed since the task of the connection last looked.
    has_new_profile: AtomicBool,
    pub(crate) timeout: Option<Duration>,
    pub(crate) outbox: Outbox,
    /// One permit for each call that may be in flight.
    pub(crate) slots: Arc<Semaphore>,
    pub(crate) meta: Vec<Member>,
    pub(crate) cancellation: Option<Arc<dyn Cancellation>>,
    pub(crate) observer: Option<Observer>,
    calls: Mutex<Calls>,
    close_requested: AtomicBool,
    /// True if this side has made a call.
    has_called: AtomicBool,
    /// True while the connection does not read, because too many calls wait to be handled.
    reading_paused: AtomicBool,
    /// `Some` once the task of the connection has ended.
    ended: watch::Sender<Option<Closed>>,
}

/// The settings that a handshake can change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Agreed {
    pub(crate) profile: Profile,
    pub(crate) protocol: Protocol,
}

struct Calls {
    pending: PendingRequests<Caller>,
    /// `Some` once no more answers can arrive.
    closed: Option<Closed>,
    /// The number of stray frames received, and the last of them.
    strays: u64,
    last_stray: Option<Stray>,
}

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

impl Shared {
    pub(crate) fn new(settings: Settings, outbox: Outbox) -> Self {
        let Settings {
            profile, protocol, timeout, max_calls, meta, cancellation, observer, ..
        } = settings;
        Self {
            agreed: Mutex::new(Agreed { profile, protocol }),
            has_new_profile: AtomicBool::new(false),
            timeout,
            outbox,
            slots: Arc::new(Semaphore::new(max_calls.min(Semaphore::MAX_PERMITS))),
            meta,
            cancellation,
            observer,
            calls: Mutex::new(Calls {
                // The ids are integers, so an id with another spelling still identifies one call.
                pending: PendingRequests::default().with_id_matching(IdMatching::Lenient),
                closed: None,
                strays: 0,
                last_stray: None,
            }),
            close_requested: AtomicBool::new(false),
            has_called: AtomicBool::new(false),
            reading_paused: AtomicBool::new(false),
            ended: watch::Sender::new(None),
        }
    }

    pub(crate) fn agreed(&self) -> Agreed {
        *self.agreed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the profile for answers. An answer repeats the id of its request, whatever profile that was parsed with.
    pub(crate) fn profile_for_answers(&self) -> Profile {
        self.agreed().profile.with_ids(Ids::Any)
    }

    /// Sets the profile, and the protocol if there is a new one.
    pub(crate) fn agree(&self, profile: &Profile, protocol: Option<Protocol>) {
        {
            let mut agreed = self.agreed.lock().unwrap_or_else(PoisonError::into_inner);
            let protocol = protocol.unwrap_or(agreed.protocol);
            *agreed = Agreed { profile: *profile, protocol };
        }
        self.has_new_profile.store(true, Ordering::Release);
    }

    /// Returns the profile if it has changed since the last call.
    pub(crate) fn new_profile(&self) -> Option<Profile> {
        self.has_new_profile.swap(false, Ordering::Acquire).then(|| self.agreed().profile)
    }

    /// Begins a call, and returns its id.
    pub(crate) fn begin(&self, caller: Caller) -> Result<u64, Closed> {
        let id = {
            let mut calls = self.calls();
            match &calls.closed {
                Some(closed) => return Err(closed.clone()),
                // The vector of slots grows as needed, so it is full only if memory has run out.
                None => calls.pending.begin(caller).map_err(|_| Closed::Local)?,
            }
        };
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
        let was_pending = self.calls().pending.cancel(call.id).is_some();
        if let (true, Sent::Yes, Some(cancellation)) = (was_pending, sent, &self.cancellation)
            && let Some(notification) = cancellation.notification(call)
            && let Ok(line) = self.encode(|encoder| notification.encode(encoder))
        {
            self.outbox.push(&line);
        }
        was_pending
    }

    /// Hands a notification to the call whose progress it reports. Returns whether a call listens to it.
    pub(crate) fn report(&self, notification: &Notification<'_>, frame: &Frame) -> bool {
        let Some(id) = self.agreed().protocol.call_of(notification) else { return false };
        let frames = {
            let calls = self.calls();
            let caller = calls.pending.get(id);
            let Some(progress) = caller.and_then(|caller| caller.progress.as_ref()) else {
                return false;
            };
            progress.latest.set(Some(Instant::now()));
            progress.frames.clone()
        };
        // This never waits. If the caller has given up in the meantime, it fails.
        let _ = frames.send(frame.clone());
        true
    }

    /// Returns when the call last made progress.
    pub(crate) fn last_progress(&self, id: u64) -> Option<Instant> {
        self.calls().pending.get(id)?.progress.as_ref()?.latest.get()
    }

    /// Hands a received answer to its call.
    pub(crate) fn answer(&self, received: &Received<'_>, frame: impl FnOnce() -> Frame) -> Settled {
        let answer = self.calls().pending.receive(received);
        match answer {
            None => Settled::No,
            Some(answer) => self.settle(answer, frame),
        }
    }

    /// Hands a response of a batch to its call.
    pub(crate) fn answer_response(&self, response: &Response<'_>, frame: impl FnOnce() -> Frame) {
        let answer = self.calls().pending.response(response);
        self.settle(answer, frame);
    }

    /// Hands a broken response of a batch to its call.
    pub(crate) fn answer_fault(&self, fault: &Fault<'_>) -> Settled {
        let ended = self.calls().pending.fault(fault);
        match ended {
            None => Settled::No,
            Some((_, call)) => {
                let _ = call.answer.send(Err(fault.finding()));
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
                drop(request.answer.send(Err(fault.finding())))
            }
            Answer::Unknown(response) => {
                self.observe(&Incident::Unexpected(&response));
                let error = response.error().filter(|_| is_uncorrelated(&response));
                let error = error.and_then(|error| ErrorObject::try_from(error).ok());
                self.stray(
                    error.map_or(Stray::UnknownId, |error| Stray::Error(RpcError::from(error))),
                );
            }
            Answer::Stale(response) => self.observe(&Incident::Unexpected(&response)),
            _ => {}
        }
        Settled::Yes
    }

    /// Records a frame that may have been intended as an answer.
    pub(crate) fn stray(&self, stray: Stray) {
        let mut calls = self.calls();
        calls.strays = calls.strays.wrapping_add(1);
        calls.last_stray = Some(stray);
    }

    /// Returns the number of stray frames.
    pub(crate) fn strays(&self) -> u64 {
        self.calls().strays
    }

    /// Returns the last stray frame, if any was received since the count was `before`.
    pub(crate) fn stray_since(&self, before: u64) -> Option<Stray> {
        let calls = self.calls();
        (calls.strays != before).then(|| calls.last_stray.clone())?
    }

    pub(crate) fn pending_calls(&self) -> usize {
        self.calls().pending.len()
    }

    /// Fails all calls, pending and future.
    pub(crate) fn fail_calls(&self, reason: &Closed) {
        let mut calls = self.calls();
        calls.closed.get_or_insert_with(|| reason.clone());
        // Dropping a sender wakes its caller.
        calls.pending.drain().for_each(drop);
        drop(calls);
        self.slots.close();
    }

    /// Returns the reason why calls fail.
    pub(crate) fn closed(&self) -> Closed {
        self.calls().closed.clone().unwrap_or(Closed::Local)
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
        self.ended.send_if_modified(|ended| {
            let is_first = ended.is_none();
            ended.get_or_insert_with(|| reason.clone());
            is_first
        });
    }

    pub(crate) async fn ended(&self) -> Closed {
        let mut ended = self.ended.subscribe();
        match ended.wait_for(Option::is_some).await {
            Ok(reason) => reason.clone().unwrap_or(Closed::Local),
            Err(_) => Closed::Local,
        }
    }

    pub(crate) fn observe(&self, incident: &Incident<'_>) {
        if let Some(observer) = &self.observer {
            observer(incident);
        }
    }

    /// Encodes an answer, or the reply to a fault, as a line.
    pub(crate) fn encode(
        &self,
        encode: impl FnOnce(&mut Encoder<Vec<u8>>) -> Result<usize, EncodeError>,
    ) -> Result<Vec<u8>, EncodeError> {
        let mut encoder = Encoder::with_profile(Vec::new(), &self.profile_for_answers());
        encode(&mut encoder)?;
        Ok(encoder.into_output())
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether the id of the answer to a call is a plain integer, as all ids of calls are.
fn is_spelled_as_sent(response: &Response<'_>) -> bool {
    matches!(response.id(), Some(Id::Number(id)) if id.is_plain_integer())
}

/// Returns whether an error identifies no request, because the peer could not read its id.
fn is_uncorrelated(response: &Response<'_>) -> bool {
    matches!(response.id(), None | Some(Id::Null))
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

/// `Yes` if the request of a call has entered the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
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
