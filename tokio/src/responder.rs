//! The answer to a received request. It is sent whatever happens to its handler.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tautline::encode::{EncodeError, Json, NewError};
use tautline::owned::Id;
use tautline::{Message, Request};

use crate::outbox::Answer;
use crate::payload::{Frame, Head, ToPayload};
use crate::shared::Shared;
use crate::{Incident, RpcError};

/// The destination of an answer.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// The answer is a separate frame.
    Alone,
    /// The answer is a part of the answer to a batch.
    Batch(Arc<BatchReply>),
}

/// The answer to a batch: one frame with the answers to its requests (JSON-RPC 2.0, section 6).
///
/// All requests of the batch are in flight until it is dropped, because their answers come together.
#[derive(Debug)]
pub(crate) struct BatchReply {
    shared: Arc<Shared>,
    state: Mutex<BatchState>,
}

#[derive(Debug)]
struct BatchState {
    /// The answers so far, separated by commas.
    answers: Vec<u8>,
    /// The number of outstanding answers, plus one while the batch is being read.
    missing: usize,
    /// The ids of the requests.
    ids: Vec<Id>,
}

impl BatchReply {
    /// Creates the answer to a batch that is being read. [`finish`](Self::finish) ends the reading.
    pub(crate) const fn new(shared: Arc<Shared>) -> Self {
        let state = BatchState { answers: Vec::new(), missing: 1, ids: Vec::new() };
        Self { shared, state: Mutex::new(state) }
    }

    /// Announces an answer.
    pub(crate) fn expect_answer(&self) {
        self.lock().missing += 1;
    }

    /// Adds an announced answer. An empty line adds nothing, but counts as the answer. Returns the line to send if this
    /// was the last answer.
    pub(crate) fn finish(&self, line: &[u8]) -> Option<Vec<u8>> {
        let mut state = self.lock();
        let answer = line.strip_suffix(b"\n").unwrap_or(line);
        if !answer.is_empty() {
            let separator = if state.answers.is_empty() { b'[' } else { b',' };
            state.answers.push(separator);
            state.answers.extend_from_slice(answer);
        }
        state.missing = state.missing.saturating_sub(1);
        if state.missing > 0 || state.answers.is_empty() {
            return None;
        }
        state.answers.extend_from_slice(b"]\n");
        Some(mem::take(&mut state.answers))
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for BatchReply {
    fn drop(&mut self) {
        for id in &self.lock().ids {
            self.shared.in_flight.end(id);
        }
    }
}

/// The duty to answer a request, which is in flight until then. If it is dropped, the request is answered with -32603, or as
/// cancelled.
#[derive(Debug)]
pub(crate) struct Responder {
    shared: Arc<Shared>,
    id: Id,
    reply: Reply,
    cancelled: Option<Arc<AtomicBool>>,
    is_answered: bool,
}

impl Responder {
    pub(crate) fn new(shared: Arc<Shared>, request: &Request<'_>, reply: Reply) -> Self {
        let id = Id::from(request.id());
        let may_cancel = shared.settings.cancellation.as_ref().is_some_and(|cancellation| {
            request.method().decode().is_ok_and(|method| cancellation.may_cancel(&method))
        });
        let cancelled = may_cancel.then(|| Arc::new(AtomicBool::new(false)));
        shared.in_flight.begin(&id);
        if let Reply::Batch(batch) = &reply {
            batch.lock().ids.push(id.clone());
        }
        Self { shared, id, reply, cancelled, is_answered: false }
    }

    pub(crate) const fn id(&self) -> &Id {
        &self.id
    }

    /// Returns the flag that is set when the peer cancels the request, if the protocol has a cancellation.
    pub(crate) fn cancelled(&self) -> Option<Arc<AtomicBool>> {
        self.cancelled.clone()
    }

    /// Sends the answer when there is room.
    pub(crate) async fn answer(mut self, method: &str, outcome: Result<impl ToPayload, RpcError>) {
        let (line, answer) = self.encode(method, outcome);
        // If this future is dropped from here on, the line is still sent, and no error.
        self.is_answered = true;
        let line = match &self.reply {
            Reply::Alone => Some(line),
            Reply::Batch(batch) => batch.finish(&line),
        };
        if let Some(line) = line {
            let answer = self.kind(answer);
            let mut unsent = Unsent { shared: &self.shared, line, answer };
            self.shared.outbox.send_answer(&mut unsent.line, answer).await;
            // If the connection has ended, the line is still there.
            unsent.line.clear();
        }
    }

    /// Refuses the request in this frame, and reports that. Sends an error at once, unless the error would answer another
    /// request with the same id.
    pub(crate) fn refuse(mut self, frame: &Frame, error: &RpcError) {
        if let Some(Message::Request(request)) = frame.message() {
            self.shared.observe(&Incident::Refused { request: &request, error });
        }
        if self.shared.in_flight.count(&self.id) > 1 {
            self.is_answered = true;
            self.push(Vec::new(), None);
        } else {
            self.push_error(error);
        }
    }

    fn push_error(&mut self, error: &RpcError) {
        self.is_answered = true;
        let line = self.encode_error(error).unwrap_or_default();
        self.push(line, Some(error.code()));
    }

    /// Sends a line at once, or nothing if it is empty.
    fn push(&self, line: Vec<u8>, answer: Answer) {
        match &self.reply {
            Reply::Alone if line.is_empty() => {}
            Reply::Alone => self.shared.outbox.push_answer(line, answer),
            Reply::Batch(batch) => {
                if let Some(line) = batch.finish(&line) {
                    self.shared.outbox.push_answer(line, None);
                }
            }
        }
    }

    /// Returns the kind of the whole answer, whose part for this request is of that kind.
    const fn kind(&self, part: Answer) -> Answer {
        match self.reply {
            Reply::Alone => part,
            Reply::Batch(_) => None,
        }
    }

    fn encode(&self, method: &str, outcome: Result<impl ToPayload, RpcError>) -> (Vec<u8>, Answer) {
        let (line, answer) = match outcome {
            Ok(result) => (self.encode_result(&result), None),
            Err(error) => (self.encode_error(&error), Some(error.code())),
        };
        match line {
            Ok(line) => (line, answer),
            Err(error) => {
                self.shared.observe(&Incident::AnswerNotEncoded { id: &self.id, method, error });
                let error = RpcError::internal("Internal error");
                (self.encode_error(&error).unwrap_or_default(), Some(error.code()))
            }
        }
    }

    fn encode_result(&self, result: &impl ToPayload) -> Result<Vec<u8>, EncodeError> {
        let agreed = self.shared.agreed();
        let line = result.line(Head::Result((&self.id).into()), &agreed.profile_for_answers())?;
        Ok(agreed.protocol.complete_result(line))
    }

    fn encode_error(&self, error: &RpcError) -> Result<Vec<u8>, EncodeError> {
        self.shared.encode(|encoder| {
            let new_error = NewError::new(error.code(), error.message());
            match error.data() {
                None => encoder.error(&self.id, new_error),
                Some(data) => encoder.error(&self.id, new_error.with_data(Json(data))),
            }
        })
    }
}

impl Responder {
    /// Sends what the request gets without an answer of its handler.
    fn give_up(&mut self) {
        let is_cancelled = |flag: &Arc<AtomicBool>| flag.load(Ordering::Acquire);
        if self.cancelled.as_ref().is_some_and(is_cancelled) {
            let cancellation = self.shared.settings.cancellation.clone();
            match cancellation.and_then(|cancellation| cancellation.answer()) {
                Some(error) => self.push_error(&error),
                None => self.push(Vec::new(), None),
            }
        } else {
            self.push_error(&RpcError::internal("Internal error"));
        }
    }
}

impl Drop for Responder {
    fn drop(&mut self) {
        if !self.is_answered {
            self.give_up();
        }
        if let Reply::Alone = self.reply {
            self.shared.in_flight.end(&self.id);
        }
    }
}

/// An encoded answer that is sent even if its future is dropped while it waits for room.
struct Unsent<'a> {
    shared: &'a Shared,
    /// Empty once it was sent.
    line: Vec<u8>,
    answer: Answer,
}

impl Drop for Unsent<'_> {
    fn drop(&mut self) {
        if !self.line.is_empty() {
            self.shared.outbox.push_answer(mem::take(&mut self.line), self.answer);
        }
    }
}
