//! Received frames: answers complete their calls, and calls are offered to the task of the connection.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Context;

use bytes::Bytes;
use tautline::codec::ReceivedBuf;
use tautline::stream::Received;
use tautline::{Batch, ErrorCode, Fault, Message, Notification, Profile, Request};

use crate::engine::Engine;
use crate::inbox::Ticket;
use crate::payload::Frame;
use crate::responder::{BatchReply, Reply, Responder};
use crate::shared::Settled;
use crate::tap::see_received;
use crate::work::Work;
use crate::{Closed, Direction, Incident, RpcError, Stray};

impl Engine {
    /// Processes a received frame, which was parsed under this profile. Returns a reason if it ends the connection.
    pub(crate) fn receive(
        &mut self,
        item: ReceivedBuf,
        profile: &Profile,
        cx: &mut Context<'_>,
    ) -> Option<Closed> {
        // Above the limit, reading continues only for the answers to pending calls. A batch may exceed the limit.
        self.is_refusing = self.backlog.len() >= self.limits.backlog;
        let received = item.received();
        if let Some(tap) = &self.shared.settings.tap {
            see_received(tap, &received);
        }
        match &received {
            Received::Message { message: Message::Request(request), .. } => {
                let responder = self.responder(request, Reply::Alone);
                self.offer_request(Frame::Item(item), responder, cx);
            }
            Received::Message { message: Message::Notification(_), .. } => {
                self.offer_notification(Frame::Item(item), None, cx);
            }
            Received::Message { message: Message::Response(_), .. } => {
                self.shared.answer(&received, || Frame::Item(item.clone()));
            }
            Received::Message { message: Message::Batch(batch), .. } => {
                self.receive_batch(item.bytes(), profile, batch, place(&received), cx);
            }
            Received::Fault { fault, .. } | Received::Oversized { fault, .. } => {
                let settled = self.shared.answer(&received, || Frame::Item(item.clone()));
                self.refuse(fault, settled, place(&received), cx);
            }
            Received::Desynchronised(lost) => return Some(Closed::Desynchronised(*lost)),
            // After an unfinished frame, the end follows. Other items are not intended as messages.
            _ => {}
        }
        None
    }

    /// Processes a message that no stream contains. Returns whether it asks for an answer. If that is so and nothing was
    /// asked before, the answer will be the last message.
    pub(crate) fn receive_text(
        &mut self,
        text: &Bytes,
        profile: &Profile,
        is_asked: bool,
        ticket: Option<Ticket>,
        cx: &mut Context<'_>,
    ) -> bool {
        let parsed = Message::parse(text.as_ref(), profile);
        if let Some(tap) = &self.shared.settings.tap {
            tap(Direction::Received, parsed.as_ref());
        }
        let asks = matches!(parsed, Err(_) | Ok(Message::Request(_) | Message::Batch(_)));
        if asks && !is_asked {
            self.shared.outbox.end_with_answer();
        }
        let frame = || Frame::Element(text.clone(), *profile);
        let place = (1, 0, u64::try_from(text.len()).unwrap_or(u64::MAX));
        match &parsed {
            Ok(Message::Request(request)) => {
                let responder = self.responder(request, Reply::Alone);
                self.offer_request(frame(), responder, cx);
            }
            Ok(Message::Notification(_)) => self.offer_notification(frame(), ticket, cx),
            Ok(Message::Response(response)) => self.shared.answer_response(response, frame),
            Ok(Message::Batch(batch)) => self.receive_batch(text, profile, batch, place, cx),
            Err(fault) => {
                let settled = self.shared.answer_fault(fault);
                self.refuse(fault, settled, place, cx);
            }
        }
        asks
    }

    /// Reports a fault in the frame at this place. Sends the reply that it is owed, unless it was an answer, or the reply
    /// would be one.
    fn refuse(
        &mut self,
        fault: &Fault<'_>,
        settled: Settled,
        (line, offset, length): (u64, u64, u64),
        cx: &mut Context<'_>,
    ) {
        self.shared.observe(&Incident::Fault { fault, line, offset, length });
        match settled {
            // A reply with the id of this call would answer a call of the peer with the same id.
            Settled::Yes => return,
            Settled::No => self.shared.stray(Stray::Fault(fault.finding())),
        }
        let line = self.shared.reply_to(fault);
        if !line.is_empty() {
            self.offer(Work::Reply(line), cx);
        }
    }

    /// Processes a batch whose frame has this place.
    fn receive_batch(
        &mut self,
        bytes: &Bytes,
        profile: &Profile,
        batch: &Batch<'_>,
        (line, offset, length): (u64, u64, u64),
        cx: &mut Context<'_>,
    ) {
        let answers = Arc::new(BatchReply::new(Arc::clone(&self.shared)));
        for element in batch {
            let text = element.span().of(element.frame()).unwrap_or_default();
            let frame = || Frame::Element(bytes.slice_ref(text), *profile);
            match element.message() {
                Ok(Message::Request(request)) => {
                    answers.expect_answer();
                    let reply = Reply::Batch(Arc::clone(&answers));
                    let responder = self.responder(&request, reply);
                    self.offer_request(frame(), responder, cx);
                }
                Ok(Message::Notification(_)) => self.offer_notification(frame(), None, cx),
                Ok(Message::Response(response)) => self.shared.answer_response(&response, frame),
                // A batch in a batch is an error, so this can't happen.
                Ok(Message::Batch(_)) => {}
                Err(fault) => {
                    let fault = &fault;
                    self.shared.observe(&Incident::Fault { fault, line, offset, length });
                    match self.shared.answer_fault(fault) {
                        Settled::Yes => continue,
                        Settled::No => self.shared.stray(Stray::Fault(fault.finding())),
                    }
                    let line = self.shared.reply_to(fault);
                    answers.expect_answer();
                    if let Some(line) = answers.finish(&line) {
                        self.offer(Work::Reply(line), cx);
                    }
                }
            }
        }
        if let Some(line) = answers.finish(b"") {
            self.offer(Work::Reply(line), cx);
        }
    }

    fn responder(&self, request: &Request<'_>, reply: Reply) -> Responder {
        Responder::new(Arc::clone(&self.shared), request, reply)
    }

    fn offer_request(&mut self, frame: Frame, responder: Responder, cx: &mut Context<'_>) {
        if self.is_closing {
            return responder.refuse(&frame, &RpcError::closing());
        }
        if self.is_refusing {
            return responder.refuse(&frame, &too_many_requests());
        }
        self.offer(Work::Request(frame, responder), cx);
    }

    fn offer_notification(&mut self, frame: Frame, ticket: Option<Ticket>, cx: &mut Context<'_>) {
        if let Some(Message::Notification(notification)) = frame.message() {
            if self.shared.report(&notification, &frame) {
                return;
            }
            self.cancel(&notification);
        }
        if self.is_closing {
            return;
        }
        self.offer(Work::Notification(frame, ticket), cx);
    }

    /// Drops the handler of a request that this notification cancels.
    fn cancel(&mut self, notification: &Notification<'_>) {
        let Some(cancellation) = &self.shared.settings.cancellation else { return };
        let Some(id) = cancellation.cancels(notification) else { return };
        let is_it = |work: &Work| match work {
            Work::Request(_, responder) => *responder.id() == id && responder.cancelled().is_some(),
            Work::Notification(..) | Work::Reply(_) => false,
        };
        if let Some(at) = self.backlog.iter().position(is_it) {
            if let Some(Work::Request(_, responder)) = self.backlog.remove(at) {
                responder.cancelled().inspect(|flag| flag.store(true, Ordering::Release));
            }
        } else if let Some(request) = self.tasks.values().find_map(|task| task.cancellable(&id)) {
            request.cancel();
        }
    }
}

/// Returns the line or number of a frame, its offset in the stream, and its length.
fn place(received: &Received<'_>) -> (u64, u64, u64) {
    match received {
        Received::Oversized { oversized, .. } => {
            (oversized.line(), oversized.offset(), oversized.length())
        }
        received => received.frame().map_or((0, 0, 0), |frame| {
            let length = u64::try_from(frame.bytes().len()).unwrap_or(u64::MAX);
            (frame.line(), frame.offset(), length)
        }),
    }
}

/// The error for a request above the limits, from the range that JSON-RPC reserves for servers.
fn too_many_requests() -> RpcError {
    RpcError::new(ErrorCode::new(-32000), "Too many requests")
}
