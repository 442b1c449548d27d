//! Starting handlers: when their turn comes, in the order of their messages.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll};

use tautline::{Message, RawStr};
use tokio::task::AbortHandle;

use crate::engine::Engine;
use crate::handlers::{Handler, Running};
use crate::responder::Responder;
use crate::work::{Cancellable, Task, Work};
use crate::{Incident, RpcError};

impl Engine {
    /// Starts the work, or queues it until its turn comes.
    pub(crate) fn offer(&mut self, work: Work, cx: &mut Context<'_>) {
        if self.backlog.is_empty() && self.can_start(&work) {
            self.start(work, cx);
        } else {
            self.backlog.push_back(work);
        }
    }

    pub(crate) fn can_start(&self, work: &Work) -> bool {
        let is_free = match work {
            Work::Request(..) => self.running.len() < self.limits.requests,
            Work::Notification(..) | Work::Reply(_) => true,
        };
        is_free && self.barrier.is_none() && self.shared.outbox.has_room()
    }

    pub(crate) fn start(&mut self, work: Work, cx: &mut Context<'_>) {
        match work {
            Work::Reply(line) => self.shared.outbox.push_answer(line, None),
            Work::Request(frame, responder) => {
                let owned = frame.clone();
                let Some(Message::Request(request)) = frame.message() else { return };
                let cancellable = responder.cancelled().map(|flag| (responder.id().clone(), flag));
                let method = request.method();
                let handler = self.handlers.request(method, &self.shared, owned, responder);
                let handler = handler.or_else(|responder| self.pong(method, responder));
                match handler {
                    Err(responder) => responder.refuse(&frame, &RpcError::method_not_found()),
                    Ok(handler) => {
                        let Some(Running { method, handler }) = self.poll_once(handler, cx) else {
                            return;
                        };
                        let handler = self.spawn(handler);
                        let id = handler.id();
                        let cancellable = cancellable.map(|(id, cancelled)| Cancellable {
                            id,
                            cancelled,
                            handler,
                        });
                        self.tasks.insert(id, Task { method, cancellable });
                    }
                }
            }
            Work::Notification(frame, ticket) => {
                // It does not wait any more.
                drop(ticket);
                let owned = frame.clone();
                let Some(Message::Notification(notification)) = frame.message() else { return };
                let method = notification.method();
                match self.handlers.notification(method, &self.shared, owned) {
                    None => self.shared.unhandled(&notification),
                    Some(handler) => {
                        let Some(Running { method, handler }) = self.poll_once(handler, cx) else {
                            return;
                        };
                        let id = self.spawn(handler).id();
                        self.tasks.insert(id, Task { method, cancellable: None });
                        self.barrier = Some(id);
                    }
                }
            }
        }
    }

    /// Runs a handler in a task of its own, until it finishes or the handlers are stopped.
    fn spawn(&mut self, handler: Handler) -> AbortHandle {
        match self.shared.stop.clone() {
            None => self.running.spawn(handler),
            Some(stop) => self.running.spawn(async move {
                stop.run_until_cancelled(handler).await;
            }),
        }
    }

    /// Answers a `ping` that has no handler, if the protocol demands it.
    fn pong(&self, method: RawStr<'_>, responder: Responder) -> Result<Running, Responder> {
        let ping = self.shared.agreed().protocol.ping();
        let Some(ping) = ping.filter(|ping| method == **ping) else { return Err(responder) };
        let pong = responder.answer(ping, Ok(serde_json::Map::new()));
        Ok(Running { method: ping.into(), handler: Box::pin(pong) })
    }

    /// Polls a handler once in this task. Most handlers finish at once and need no separate task. This also makes
    /// handlers start in the order of their messages. Returns the handler if it has to wait.
    fn poll_once(&self, running: Running, cx: &mut Context<'_>) -> Option<Running> {
        let Running { method, mut handler } = running;
        // After a panic, the handler is never used again. Its responder answers the request when dropped.
        let polled = catch_unwind(AssertUnwindSafe(move || match handler.as_mut().poll(cx) {
            Poll::Ready(()) => None,
            Poll::Pending => Some(handler),
        }));
        let handler = polled.unwrap_or_else(|_| {
            self.shared.observe(&Incident::Panicked { method: &method });
            None
        })?;
        Some(Running { method, handler })
    }

    /// Refuses the requests whose handlers have not started, because the connection is being closed.
    pub(crate) fn refuse_backlog(&mut self) {
        self.is_closing = true;
        for work in self.backlog.drain(..) {
            match work {
                Work::Request(frame, responder) => responder.refuse(&frame, &RpcError::closing()),
                Work::Reply(line) => self.shared.outbox.push_answer(line, None),
                Work::Notification(..) => {}
            }
        }
    }
}
