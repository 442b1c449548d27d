//! The pump: each message of the connection becomes a POST, and each message in a response a line for the connection.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, split};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tokio::time::timeout;

use super::answered::{answer, renew};
use super::error::PostError;
use super::exchange::{deliver, end_session};
use super::incident::Incident;
use super::outgoing::{Kind, Outgoing};
use super::reading::Events;
use super::shared::{Mode, Shared};
use super::stream::{drain, listen};

/// The number of notifications that wait for their turn, and of answers that are being sent, until the pump stops reading.
const MOST_WAITING: usize = 64;

/// The time for messages after an answer, and the number of streams that are read for them.
const DRAIN_TIME: Duration = Duration::from_secs(1);
const MOST_DRAINED: usize = 16;

pub(super) struct Pump {
    shared: Arc<Shared>,
    /// The requests and notifications that wait for their turn.
    queue: VecDeque<Outgoing>,
    tasks: JoinSet<Finished>,
    /// The calls that are in an exchange, by the id of the request.
    calls: HashMap<u64, AbortHandle>,
    /// The calls by the tasks of their exchanges.
    tasks_of_calls: HashMap<Id, u64>,
    /// The task that later messages wait for.
    barrier: Option<Id>,
    /// The number of answers and cancellations that are being sent.
    unordered: usize,
    drained: usize,
    listening: Option<AbortHandle>,
    session: Session,
    is_closing: bool,
}

/// The state of the session.
enum Session {
    /// It is open, or there is none.
    Open,
    /// It was lost. This request begins another one.
    Lost(Bytes),
    /// It was lost, and no other one could be begun. The next message tries again.
    Unbegun(Bytes),
}

/// The outcome of a task.
enum Finished {
    Call(u64, Mode, Result<Option<Events>, PostError>),
    /// A message that later ones wait for.
    Ordered(Outgoing, Mode, Result<(), PostError>),
    /// A message that no other one waits for.
    Unordered(Outgoing, Mode, Result<(), PostError>),
    Listened(Mode, Option<PostError>),
    Renewed(Bytes, Result<(), PostError>),
    Drained,
}

impl Pump {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            queue: VecDeque::new(),
            tasks: JoinSet::new(),
            calls: HashMap::new(),
            tasks_of_calls: HashMap::new(),
            barrier: None,
            unordered: 0,
            drained: 0,
            listening: None,
            session: Session::Open,
            is_closing: false,
        }
    }

    /// Runs until the connection closes its side, and then ends the session.
    pub(super) async fn run(mut self, stream: DuplexStream, incoming: mpsc::Receiver<Vec<u8>>) {
        let (reader, writer) = split(stream);
        let mut writers = JoinSet::new();
        writers.spawn(write_lines(writer, incoming));
        let mut lines = Lines { reader: BufReader::new(reader), line: Vec::new() };
        loop {
            self.start_due();
            let can_read = self.unordered < MOST_WAITING && self.waiting() < MOST_WAITING;
            tokio::select! {
                line = lines.next(), if can_read => match line {
                    Some(line) => self.accept(line),
                    None => break,
                },
                Some(ended) = self.tasks.join_next_with_id() => self.finish(ended),
                // If reading has paused, a task is running.
                else => break,
            }
        }
        self.close().await;
    }

    /// Returns the number of notifications in the queue. The number of calls is limited by the connection.
    fn waiting(&self) -> usize {
        self.queue.iter().filter(|outgoing| outgoing.id().is_none()).count()
    }

    /// Accepts a line of the connection.
    fn accept(&mut self, line: Bytes) {
        let Some(outgoing) = Outgoing::read(line) else { return };
        match outgoing.kind {
            Kind::Cancellation(id) => self.cancel(outgoing, id),
            Kind::Answer => self.send_unordered(outgoing),
            _ => self.queue.push_back(outgoing),
        }
    }

    /// Cancels a call. From 2026-07-28, closing its response says so to the server.
    fn cancel(&mut self, outgoing: Outgoing, id: Option<u64>) {
        let before = self.queue.len();
        self.queue.retain(|waiting| id.is_none() || waiting.id() != id);
        if self.queue.len() < before {
            return;
        }
        if !self.shared.mode().is_modern() {
            self.send_unordered(outgoing);
        } else if let Some(call) = id.and_then(|id| self.calls.remove(&id)) {
            call.abort();
        }
    }

    fn send_unordered(&mut self, outgoing: Outgoing) {
        let (shared, mode) = (Arc::clone(&self.shared), self.shared.mode());
        if mode.is_modern() {
            // "The client MUST NOT send JSON-RPC responses."
            return;
        }
        self.unordered = self.unordered.saturating_add(1);
        self.tasks.spawn(async move {
            let sent = deliver(&shared, &outgoing, &mode).await;
            Finished::Unordered(outgoing, mode, sent)
        });
    }

    /// Starts the exchanges whose turn has come.
    fn start_due(&mut self) {
        while self.barrier.is_none() {
            let session = std::mem::replace(&mut self.session, Session::Open);
            let next = self.queue.front();
            let next = match (session, next) {
                (Session::Lost(handshake), _) | (Session::Unbegun(handshake), Some(_)) => {
                    return self.start_renewal(handshake);
                }
                (unbegun @ Session::Unbegun(_), None) => {
                    self.session = unbegun;
                    return;
                }
                (Session::Open, None) => return,
                (Session::Open, Some(next)) => next,
            };
            if next.id().is_some() && self.calls.len() >= self.shared.settings.max_posts {
                return;
            }
            let Some(next) = self.queue.pop_front() else { return };
            match next.id() {
                Some(id) => self.start_call(next, id),
                None => self.start_ordered(next),
            }
        }
    }

    fn start_call(&mut self, outgoing: Outgoing, id: u64) {
        let (shared, mode) = (Arc::clone(&self.shared), self.shared.mode());
        let task = self.tasks.spawn(async move {
            let answered = answer(&shared, &outgoing, id, &mode).await;
            Finished::Call(id, mode, answered)
        });
        self.tasks_of_calls.insert(task.id(), id);
        self.calls.insert(id, task);
    }

    fn start_ordered(&mut self, outgoing: Outgoing) {
        let (shared, mode) = (Arc::clone(&self.shared), self.shared.mode());
        let task = self.tasks.spawn(async move {
            let sent = deliver(&shared, &outgoing, &mode).await;
            Finished::Ordered(outgoing, mode, sent)
        });
        self.barrier = Some(task.id());
    }

    fn start_renewal(&mut self, handshake: Bytes) {
        let shared = Arc::clone(&self.shared);
        let task = self.tasks.spawn(async move {
            let within = shared.settings.connect_timeout;
            let renewed = timeout(within, renew(&shared, handshake.clone())).await;
            let renewed = renewed.unwrap_or(Err(PostError::TimedOut(within)));
            Finished::Renewed(handshake, renewed)
        });
        self.barrier = Some(task.id());
    }

    /// Opens the stream for messages of the server.
    fn start_listening(&mut self) {
        let (shared, mode) = (Arc::clone(&self.shared), self.shared.mode());
        if mode.is_modern() {
            return;
        }
        let task = self.tasks.spawn(async move {
            let error = listen(&shared, &mode).await;
            Finished::Listened(mode, error)
        });
        if let Some(earlier) = self.listening.replace(task) {
            earlier.abort();
        }
    }

    /// Handles the end of a task.
    fn finish(&mut self, ended: Result<(Id, Finished), JoinError>) {
        let (task, finished) = match ended {
            Ok((task, finished)) => (task, Some(finished)),
            Err(error) => (error.id(), None),
        };
        self.barrier.take_if(|barrier| *barrier == task);
        let call = self.tasks_of_calls.remove(&task);
        match finished {
            Some(Finished::Call(id, mode, answered)) => self.end_call(id, mode, answered),
            Some(Finished::Ordered(outgoing, mode, sent)) => {
                self.end_ordered(&outgoing, mode, sent)
            }
            Some(Finished::Unordered(outgoing, mode, sent)) => {
                self.unordered = self.unordered.saturating_sub(1);
                self.end_unordered(&outgoing, mode, sent);
            }
            Some(Finished::Listened(mode, error)) => {
                self.listening = None;
                self.note_loss(&mode, error.as_ref());
            }
            Some(Finished::Renewed(handshake, renewed)) => self.end_renewal(handshake, renewed),
            Some(Finished::Drained) => self.drained = self.drained.saturating_sub(1),
            // It was aborted, or it has panicked. In the first case the call has ended.
            None => {
                if let Some(id) = call {
                    self.calls.remove(&id);
                    self.shared.peer.fail_call(id, PostError::Panicked);
                }
            }
        }
    }

    fn end_call(&mut self, id: u64, mode: Mode, answered: Result<Option<Events>, PostError>) {
        self.calls.remove(&id);
        match answered {
            Ok(None) => {}
            Ok(Some(rest)) => self.start_draining(rest, mode),
            Err(error) => {
                self.note_loss(&mode, Some(&error));
                self.shared.peer.fail_call(id, error);
            }
        }
    }

    /// Reads what comes after an answer, for a short time. A connection can be used again after the end of a response.
    fn start_draining(&mut self, rest: Events, mode: Mode) {
        if self.drained >= MOST_DRAINED {
            return;
        }
        self.drained = self.drained.saturating_add(1);
        let shared = Arc::clone(&self.shared);
        self.tasks.spawn(async move {
            let _ = timeout(DRAIN_TIME, drain(&shared, rest, &mode)).await;
            Finished::Drained
        });
    }

    fn end_ordered(&mut self, outgoing: &Outgoing, mode: Mode, sent: Result<(), PostError>) {
        match sent {
            Ok(()) if outgoing.kind == Kind::Initialized => self.start_listening(),
            Ok(()) => {}
            Err(error) => self.report_undelivered(outgoing, &mode, &error),
        }
    }

    fn end_unordered(&mut self, outgoing: &Outgoing, mode: Mode, sent: Result<(), PostError>) {
        // Nobody waits for the response of a cancelled call.
        if let Kind::Cancellation(Some(id)) = outgoing.kind
            && let Some(call) = self.calls.remove(&id)
        {
            call.abort();
        }
        if let Err(error) = sent {
            self.report_undelivered(outgoing, &mode, &error);
        }
    }

    fn report_undelivered(&mut self, outgoing: &Outgoing, mode: &Mode, error: &PostError) {
        let method = outgoing.method();
        self.shared.observe(&Incident::Undelivered { method: method.as_deref(), error });
        self.note_loss(mode, Some(error));
    }

    /// If the server has ended the session, fails the calls in it, and prepares a new one.
    fn note_loss(&mut self, mode: &Mode, error: Option<&PostError>) {
        if self.is_closing || !matches!(error, Some(PostError::SessionEnded)) {
            return;
        }
        let Some(handshake) = self.shared.end_session(mode.generation) else { return };
        self.shared.observe(&Incident::SessionEnded);
        for (id, call) in self.calls.drain() {
            call.abort();
            self.shared.peer.fail_call(id, PostError::SessionEnded);
        }
        self.listening.take().inspect(AbortHandle::abort);
        self.session = Session::Lost(handshake);
    }

    fn end_renewal(&mut self, handshake: Bytes, renewed: Result<(), PostError>) {
        match renewed {
            Ok(()) => {
                self.shared.observe(&Incident::SessionBegun);
                self.start_listening();
            }
            Err(error) => {
                self.shared.observe(&Incident::SessionNotBegun(&error));
                // What comes later tries again.
                for waiting in self.queue.drain(..) {
                    if let Some(id) = waiting.id() {
                        self.shared.peer.fail_call(id, PostError::SessionEnded);
                    }
                }
                self.session = Session::Unbegun(handshake);
            }
        }
    }

    /// Sends what is left of notifications and answers, and ends the session.
    async fn close(mut self) {
        self.calls.drain().for_each(|(_, call)| call.abort());
        self.listening.take().inspect(AbortHandle::abort);
        self.queue.retain(|outgoing| outgoing.id().is_none());
        self.session = Session::Open;
        self.is_closing = true;
        let within = self.shared.settings.ack_timeout;
        let rest = async {
            loop {
                self.start_due();
                let Some(ended) = self.tasks.join_next_with_id().await else { return };
                self.finish(ended);
            }
        };
        let _ = timeout(within, rest).await;
        if let Err(error) = end_session(&self.shared, &self.shared.mode()).await {
            self.shared.observe(&Incident::SessionNotEnded(&error));
        }
    }
}

/// The lines that the connection writes.
struct Lines<R> {
    reader: R,
    /// The beginning of the current line.
    line: Vec<u8>,
}

impl<R: AsyncBufRead + Unpin> Lines<R> {
    /// Returns the next line without its LF. If the future is dropped, nothing is lost.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            let read = self.reader.fill_buf().await.ok().filter(|read| !read.is_empty())?;
            let end = read.iter().position(|byte| *byte == b'\n');
            let length = end.unwrap_or(read.len());
            self.line.extend_from_slice(read.get(..length).unwrap_or_default());
            self.reader.consume(length.saturating_add(usize::from(end.is_some())));
            if end.is_some() {
                return Some(std::mem::take(&mut self.line).into());
            }
        }
    }
}

/// Writes lines for the connection.
async fn write_lines(
    mut writer: impl AsyncWriteExt + Unpin,
    mut incoming: mpsc::Receiver<Vec<u8>>,
) {
    while let Some(line) = incoming.recv().await {
        if writer.write_all(&line).await.is_err() {
            return;
        }
    }
}
