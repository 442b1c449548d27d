//! The pump: each message of the connection becomes a POST, and each message in a response a line for the connection.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::{BufReader, DuplexStream, split};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::answered::{answer, renew};
use super::error::PostError;
use super::exchange::{deliver, end_session};
use super::incident::Incident;
use super::lines::{Lines, write_lines};
use super::outgoing::{Kind, Outgoing};
use super::reading::Events;
use super::shared::{Mode, Shared};
use super::stream::{drain, listen};
use super::tasks::{Role, Tasks};

/// The number of notifications that wait for their turn, and of answers that are being sent, until the pump stops reading.
const MOST_WAITING: usize = 64;

/// The time for messages after an answer, and the number of streams that are read for them.
const DRAIN_TIME: Duration = Duration::from_secs(1);
const MOST_DRAINED: usize = 16;

pub(super) struct Pump {
    shared: Arc<Shared>,
    /// The requests and notifications that wait for their turn.
    queue: VecDeque<Outgoing>,
    tasks: Tasks<Outcome>,
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
enum Outcome {
    Answered(Mode, Result<Option<Events>, PostError>),
    Sent(Outgoing, Mode, Result<(), PostError>),
    Listened(Mode, Option<PostError>),
    Renewed(Result<(), PostError>),
    Drained,
}

impl Pump {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            queue: VecDeque::new(),
            tasks: Tasks::new(),
            session: Session::Open,
            is_closing: false,
        }
    }

    /// Runs until the connection closes its side, and then ends the session.
    pub(super) async fn run(mut self, stream: DuplexStream, incoming: mpsc::Receiver<Vec<u8>>) {
        let (reader, writer) = split(stream);
        let mut writers = JoinSet::new();
        writers.spawn(write_lines(writer, incoming));
        let mut lines = Lines::new(BufReader::new(reader));
        loop {
            self.start_due();
            let can_read = self.can_read();
            tokio::select! {
                line = lines.next(), if can_read => match line {
                    Some(line) => self.accept(line),
                    None => break,
                },
                Some((role, outcome)) = self.tasks.next() => self.finish(role, outcome),
                // If reading has paused, a task is running.
                else => break,
            }
        }
        self.close().await;
    }

    /// Returns whether there is room for more messages. The number of calls is limited by the connection.
    fn can_read(&self) -> bool {
        let waiting = self.queue.iter().filter(|outgoing| outgoing.id().is_none()).count();
        let sending = self.tasks.count(|role| *role == Role::Unordered);
        waiting < MOST_WAITING && sending < MOST_WAITING
    }

    /// Accepts a line of the connection.
    fn accept(&mut self, line: Bytes) {
        let outgoing = match Outgoing::read(line) {
            Ok(outgoing) => outgoing,
            Err(call) => {
                if let Some(id) = call {
                    self.shared.peer.fail_call(id, PostError::NotAMessage);
                }
                return;
            }
        };
        match outgoing.kind {
            Kind::Cancellation(id) => self.cancel(outgoing, id),
            Kind::Answer => self.send_unordered(outgoing),
            _ => self.queue.push_back(outgoing),
        }
    }

    /// Cancels a call. From 2026-07-28, closing its response tells the server.
    fn cancel(&mut self, outgoing: Outgoing, id: Option<u64>) {
        let before = self.queue.len();
        self.queue.retain(|waiting| id.is_none() || waiting.id() != id);
        if self.queue.len() < before {
            return;
        }
        if self.shared.mode().is_modern() {
            self.abort_call(id);
        } else {
            self.send_unordered(outgoing);
        }
    }

    fn abort_call(&self, id: Option<u64>) {
        self.tasks.abort(|role| matches!(role, Role::Call(call) if Some(*call) == id));
    }

    /// Sends an answer, or a cancellation. From 2026-07-28, a client sends neither.
    fn send_unordered(&mut self, outgoing: Outgoing) {
        if !self.shared.mode().is_modern() {
            self.send(Role::Unordered, outgoing);
        }
    }

    /// Starts the exchanges whose turn has come.
    fn start_due(&mut self) {
        while self.tasks.count(|role| matches!(role, Role::Ordered | Role::Renewal(_))) == 0 {
            let session = mem::replace(&mut self.session, Session::Open);
            match (session, self.queue.is_empty()) {
                (Session::Lost(handshake), _) | (Session::Unbegun(handshake), false) => {
                    return self.start_renewal(handshake);
                }
                (unbegun @ Session::Unbegun(_), true) => {
                    self.session = unbegun;
                    return;
                }
                (Session::Open, _) => {}
            }
            let Some(next) = self.take_next() else { return };
            match next.id() {
                Some(id) => self.start_call(next, id),
                None => self.send(Role::Ordered, next),
            }
        }
    }

    /// Takes the next message from the queue. If no more calls may start, this is the first notification: if those waited
    /// for a call too, the pump would stop reading for as long as the call takes.
    fn take_next(&mut self) -> Option<Outgoing> {
        let calls = self.tasks.count(|role| matches!(role, Role::Call(_)));
        let is_full = calls >= self.shared.settings.max_posts;
        let at = self.queue.iter().position(|next| !is_full || next.id().is_none())?;
        self.queue.remove(at)
    }

    fn start_call(&mut self, outgoing: Outgoing, id: u64) {
        let (shared, mode) = (Arc::clone(&self.shared), self.shared.mode());
        self.tasks.spawn(Role::Call(id), async move {
            let answered = answer(&shared, &outgoing, id, &mode).await;
            Outcome::Answered(mode, answered)
        });
    }

    fn send(&mut self, role: Role, outgoing: Outgoing) {
        let (shared, mode) = (Arc::clone(&self.shared), self.shared.mode());
        self.tasks.spawn(role, async move {
            let sent = deliver(&shared, &outgoing, &mode).await;
            Outcome::Sent(outgoing, mode, sent)
        });
    }

    fn start_renewal(&mut self, handshake: Bytes) {
        let shared = Arc::clone(&self.shared);
        self.tasks.spawn(Role::Renewal(handshake.clone()), async move {
            let within = shared.settings.connect_timeout;
            let renewed = timeout(within, renew(&shared, handshake)).await;
            Outcome::Renewed(renewed.unwrap_or(Err(PostError::TimedOut(within))))
        });
    }

    /// Opens the stream for messages of the server.
    fn start_listening(&mut self) {
        let (shared, mode) = (Arc::clone(&self.shared), self.shared.mode());
        if mode.is_modern() || self.is_closing {
            return;
        }
        self.tasks.abort(|role| *role == Role::Listening);
        self.tasks.spawn(Role::Listening, async move {
            let error = listen(&shared, &mode).await;
            Outcome::Listened(mode, error)
        });
    }

    /// Reads what comes after an answer, for a short time. A connection can be used again after the end of a response.
    fn start_draining(&mut self, rest: Events, mode: Mode) {
        if self.is_closing || self.tasks.count(|role| *role == Role::Draining) >= MOST_DRAINED {
            return;
        }
        let shared = Arc::clone(&self.shared);
        self.tasks.spawn(Role::Draining, async move {
            let _ = timeout(DRAIN_TIME, drain(&shared, rest, &mode)).await;
            Outcome::Drained
        });
    }

    /// Handles the end of a task. A task without an outcome was aborted, or has panicked.
    fn finish(&mut self, role: Role, outcome: Option<Outcome>) {
        match (role, outcome) {
            (Role::Call(id), Some(Outcome::Answered(mode, answered))) => {
                self.end_call(id, mode, answered);
            }
            // If it was aborted, the call has ended before.
            (Role::Call(id), _) => {
                self.shared.peer.fail_call(id, PostError::Panicked);
            }
            (Role::Renewal(_), Some(Outcome::Renewed(Ok(())))) => {
                self.shared.observe(&Incident::SessionBegun);
                self.start_listening();
            }
            (Role::Renewal(handshake), Some(Outcome::Renewed(Err(error)))) => {
                self.keep_lost(handshake, &error);
            }
            // The end of the connection aborts it.
            (Role::Renewal(_), None) if self.is_closing => {}
            (Role::Renewal(handshake), _) => self.keep_lost(handshake, &PostError::Panicked),
            (_, Some(Outcome::Sent(outgoing, mode, sent))) => self.end_sent(&outgoing, &mode, sent),
            (_, Some(Outcome::Listened(mode, error))) => self.note_loss(&mode, error.as_ref()),
            _ => {}
        }
    }

    fn end_call(&mut self, id: u64, mode: Mode, answered: Result<Option<Events>, PostError>) {
        match answered {
            Ok(None) => {}
            Ok(Some(rest)) => self.start_draining(rest, mode),
            Err(error) => {
                self.note_loss(&mode, Some(&error));
                self.shared.peer.fail_call(id, error);
            }
        }
    }

    fn end_sent(&mut self, outgoing: &Outgoing, mode: &Mode, sent: Result<(), PostError>) {
        // The response of a cancelled call is of no more use.
        if let Kind::Cancellation(id) = outgoing.kind {
            self.abort_call(id);
        }
        match sent {
            Ok(()) if outgoing.kind == Kind::Initialized => self.start_listening(),
            Ok(()) => {}
            Err(error) => {
                self.report_undelivered(outgoing, &error);
                self.note_loss(mode, Some(&error));
            }
        }
    }

    /// If the server has ended the session, fails the calls in it, and prepares a new one.
    fn note_loss(&mut self, mode: &Mode, error: Option<&PostError>) {
        if self.is_closing || !matches!(error, Some(PostError::SessionEnded)) {
            return;
        }
        let Some(handshake) = self.shared.end_session(mode.generation) else { return };
        self.shared.observe(&Incident::SessionEnded);
        self.tasks.abort(|role| matches!(role, Role::Call(_) | Role::Listening));
        for role in self.tasks.roles() {
            if let Role::Call(id) = role {
                self.shared.peer.fail_call(*id, PostError::SessionEnded);
            }
        }
        self.session = Session::Lost(handshake);
    }

    /// Gives up the messages that wait for a new session. The next message tries again.
    fn keep_lost(&mut self, handshake: Bytes, error: &PostError) {
        self.shared.observe(&Incident::SessionNotBegun(error));
        for waiting in mem::take(&mut self.queue) {
            match waiting.id() {
                Some(id) => {
                    self.shared.peer.fail_call(id, PostError::SessionEnded);
                }
                None => self.report_undelivered(&waiting, error),
            }
        }
        if !self.is_closing {
            self.session = Session::Unbegun(handshake);
        }
    }

    fn report_undelivered(&self, outgoing: &Outgoing, error: &PostError) {
        let method = outgoing.method();
        self.shared.observe(&Incident::Undelivered { method: method.as_deref(), error });
    }

    /// Sends what is left of notifications and answers, and ends the session.
    async fn close(mut self) {
        self.is_closing = true;
        self.session = Session::Open;
        self.queue.retain(|outgoing| outgoing.id().is_none());
        self.tasks.abort(|role| !matches!(role, Role::Ordered | Role::Unordered));
        let within = self.shared.settings.ack_timeout;
        let rest = async {
            loop {
                self.start_due();
                let Some((role, outcome)) = self.tasks.next().await else { return };
                self.finish(role, outcome);
            }
        };
        let _ = timeout(within, rest).await;
        for left in &self.queue {
            self.report_undelivered(left, &PostError::TimedOut(within));
        }
        if let Err(error) = end_session(&self.shared, &self.shared.mode()).await {
            self.shared.observe(&Incident::SessionNotEnded(&error));
        }
    }
}
