//! The requests of a legacy client: they take a place, run, and are answered at once or on a stream.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::task::Poll;

use bytes::Bytes;
use http::StatusCode;
use http::request::Parts;
use tautline::{Id, Message, owned};
use tautline_mcp::{KnownMethod, Revision};
use tautline_tokio::{Exchange, Offered};
use tokio::sync::TryAcquireError;

use super::deliver::without_deliverable;
use super::endpoint::{Reply, State, empty, json, too_many, unavailable, within};
use super::session::Visit;
use super::stream::{Kind, Opening, Reader, Stream};
use crate::Judged;

impl State {
    /// Handles a request, or the requests of a batch. Their handlers continue if the client goes away.
    pub(super) async fn run(
        &self,
        parts: Parts,
        judged: &Judged,
        session: Option<Visit>,
        message: &Message<'_>,
    ) -> Reply {
        let ids = ids_of(message);
        // A refused request does not begin.
        let places = session.as_ref().map_or(&self.detached, |session| &session.places);
        let count = u32::try_from(ids.len().max(1)).unwrap_or(u32::MAX);
        let place = match Arc::clone(places).try_acquire_many_owned(count) {
            Ok(place) => place,
            Err(TryAcquireError::Closed) => return empty(StatusCode::NOT_FOUND),
            Err(TryAcquireError::NoPermits) => {
                return too_many(ids.first().map(owned::Id::as_borrowed));
            }
        };
        let mut body = judged.body().clone();
        if let (Some(session), Message::Batch(batch)) = (&session, message)
            && let Some(rest) = without_deliverable(batch)
        {
            // The session gets what would come by itself in later revisions.
            if self.deliver(session, judged, message).await == Offered::Full {
                return too_many(ids.first().map(owned::Id::as_borrowed));
            }
            body = rest;
        }
        let revision = judged.revision();
        let number = session.as_ref().map_or(1, |session| session.number());
        let held = session.as_ref().map(|session| &session.held);
        // Without a session, no answer finds its way.
        let calls = session.as_ref().map(|_| number);
        let (mut exchange, request) = self.legacy(parts, revision, calls, held);
        exchange.receive(body, judged.profile());
        // Most handlers answer at once.
        let first = poll_fn(|cx| Poll::Ready(exchange.poll_message(cx))).await;
        if let Poll::Ready(Some(message)) = &first
            && let Some(code) = exchange.taken_answer()
        {
            if code.is_none() && judged.method == Some(KnownMethod::ToolsList) {
                self.tools.learn(message, judged.profile());
            }
            return json(message.clone(), revision, code);
        }
        let first = match first {
            Poll::Ready(first) => first,
            Poll::Pending => None,
        };
        let kind = if session.is_some() { Kind::Stored } else { Kind::Plain };
        let stream = Stream::new(number, kind, self.options.history);
        request.opened(&stream);
        // Before the handler continues. If the client goes away, this is dropped and the stream knows.
        let Some(reader) = stream.reader(None) else {
            return empty(StatusCode::INTERNAL_SERVER_ERROR);
        };
        let inbox = exchange.inbox();
        let owner = session.as_ref().map_or_else(Weak::new, Visit::downgrade);
        let (target, end) = (Arc::clone(&stream), self.end.clone());
        let task = async move {
            if end.run_until_cancelled(drive(exchange, first, &target)).await.is_none() {
                target.abandon();
            }
            if let Some(session) = owner.upgrade() {
                session.finished(target.number());
            }
            drop(place);
        };
        match &session {
            Some(session) => session.start(ids, inbox, &stream, task),
            None => drop(tokio::spawn(task)),
        }
        self.respond(reader, revision, session).await
    }

    /// Responds with what a stream has.
    async fn respond(&self, reader: Reader, revision: Revision, session: Option<Visit>) -> Reply {
        let opening = poll_fn(|cx| reader.poll_opening(cx));
        match within(self.options.keep_alive, opening).await {
            Some(Opening::Single(message, answer)) => {
                if let Some(session) = session {
                    let (number, _) = reader.position();
                    session.forget(number);
                }
                json(message, revision, answer)
            }
            Some(Opening::Gone) if self.end.is_cancelled() => unavailable(),
            Some(Opening::Gone) => empty(StatusCode::NOT_FOUND),
            Some(Opening::Events) | None => self.stream(reader, revision, session),
        }
    }
}

/// Moves the messages of an exchange to a stream, until all is answered or cancelled.
async fn drive(mut exchange: Exchange, first: Option<Bytes>, stream: &Stream) {
    let mut next = first;
    loop {
        let message = match next.take() {
            Some(message) => Some(message),
            None => poll_fn(|cx| exchange.poll_message(cx)).await,
        };
        let Some(message) = message else { break };
        let answer = exchange.taken_answer();
        let mut push = pin!(stream.push(message, answer));
        let is_wanted = poll_fn(|cx| {
            if push.as_mut().poll(cx).is_ready() {
                return Poll::Ready(true);
            }
            // While the stream is full, answers and cancellations still arrive.
            match exchange.poll_received(cx) {
                Poll::Ready(()) if exchange.answer().is_none() => Poll::Ready(false),
                _ => Poll::Pending,
            }
        });
        if !is_wanted.await {
            break;
        }
    }
    stream.finish();
}

/// Returns the ids of the requests in a message.
fn ids_of(message: &Message<'_>) -> Vec<owned::Id> {
    let own = |id: Id<'_>| owned::Id::from(id);
    match message {
        Message::Request(request) => vec![own(request.id())],
        Message::Batch(batch) => {
            let messages = batch.iter().filter_map(|element| element.message().ok());
            let ids = messages.filter_map(|message| match message {
                Message::Request(request) => Some(own(request.id())),
                _ => None,
            });
            ids.collect()
        }
        _ => Vec::new(),
    }
}
