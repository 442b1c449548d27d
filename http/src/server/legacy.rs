//! Requests of 2025-03-26 to 2025-11-25: sessions, and handlers that outlive the response to their request.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderName, HeaderValue, StatusCode};
use tautline::{Batch, Id, Message, Notification, owned};
use tautline_mcp::http::Action;
use tautline_mcp::{KnownMethod, ParamsView, Revision};
use tautline_tokio::{Exchange, Inbox, Offered, Raw};
use tokio::sync::TryAcquireError;

use super::body::Source;
use super::endpoint::{Reply, State, empty, json, refusal, too_many, unavailable, within};
use super::event;
use super::held::HttpSession;
use super::modern::is_list_of_tools;
use super::request::HttpRequest;
use super::session::{Session, Visit, call_ids};
use super::stream::{Kind, Opening, Reader, Stream};
use crate::Judged;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// The bounds of the time between two searches for sessions that have expired.
const SWEEPS: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(60));

/// The session of a request has ended.
struct Gone;

impl State {
    pub(super) async fn serve_legacy(self: Arc<Self>, parts: Parts, judged: Judged) -> Reply {
        let Ok(message) = judged.message() else {
            return empty(StatusCode::INTERNAL_SERVER_ERROR);
        };
        if let Message::Request(request) = &message
            && request.method() == KnownMethod::Initialize.name()
        {
            return self.initialize(parts, &judged).await;
        }
        let Ok(session) = self.session(&parts) else { return empty(StatusCode::NOT_FOUND) };
        match (session, judged.action() == Action::Acknowledge) {
            (Some(session), true) => match self.deliver(&session, &judged, &message).await {
                Offered::Full => too_many(None),
                _ if session.has_ended() => empty(StatusCode::NOT_FOUND),
                _ => empty(StatusCode::ACCEPTED),
            },
            (None, true) => {
                let (mut exchange, _) = self.legacy(parts, judged.revision(), 0, None);
                exchange.receive(judged.body().clone(), judged.profile());
                self.acknowledge(exchange)
            }
            (session, false) => self.run(parts, &judged, session, &message).await,
        }
    }

    /// Returns the session that a request names. A session may have ended since its headers were judged.
    fn session(&self, parts: &Parts) -> Result<Option<Visit>, Gone> {
        if !self.options.has_sessions {
            return Ok(None);
        }
        let id = parts.headers.get(SESSION).map_or(&b""[..], HeaderValue::as_bytes);
        match self.sessions.get(id) {
            Some(session) => Ok(Some(session)),
            None => Err(Gone),
        }
    }

    /// Starts an exchange of the legacy era.
    fn legacy(
        &self,
        parts: Parts,
        revision: Revision,
        number: u64,
        session: Option<&Arc<HttpSession>>,
    ) -> (Exchange, Arc<HttpRequest>) {
        // A client finds a stream again by its session and the id of an event, which the first event has since 2025-11-25.
        let is_resumable = session.is_some() && number > 0 && revision >= Revision::V2025_11_25;
        let closing = self.closing.clone();
        let request = HttpRequest::new(parts, closing, session.cloned(), is_resumable);
        let request = Arc::new(request);
        let options = self.options.connection.clone();
        let options =
            options
                .with_call_ids(call_ids(number))
                .with_shared_attachment(Arc::<HttpRequest>::clone(&request));
        (self.exchange(options, revision), request)
    }

    /// Handles a request, or the requests of a batch. Their handlers continue if the client goes away.
    async fn run(
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
        let (mut exchange, request) = self.legacy(parts, revision, number, held);
        exchange.receive(body, judged.profile());
        // Most handlers answer at once.
        let first = poll_fn(|cx| Poll::Ready(exchange.poll_message(cx))).await;
        if let Poll::Ready(Some(message)) = &first
            && let Some(code) = exchange.answer()
            && !exchange.has_message()
        {
            if code.is_none() && is_list_of_tools(judged) {
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

    /// Responds with the events of a reader.
    fn stream(&self, reader: Reader, revision: Revision, session: Option<Visit>) -> Reply {
        let has_priming = session.is_some() && revision >= Revision::V2025_11_25;
        let first = has_priming.then(|| event::priming(reader.position(), self.options.retry));
        self.events(first, Source::Stream { reader, _session: session })
    }

    /// Opens the session of a client.
    async fn initialize(self: Arc<Self>, parts: Parts, judged: &Judged) -> Reply {
        let revision = judged.revision();
        let held = self.options.has_sessions.then(|| Arc::new(HttpSession::new(params_of(judged))));
        let (mut exchange, _) = self.legacy(parts.clone(), revision, 0, held.as_ref());
        exchange.receive(judged.body().clone(), judged.profile());
        let mut before = Vec::new();
        let answer = loop {
            match poll_fn(|cx| exchange.poll_message(cx)).await {
                Some(message) if exchange.answer().is_some() && !exchange.has_message() => {
                    break message;
                }
                Some(message) => before.push(message),
                None => return empty(StatusCode::INTERNAL_SERVER_ERROR),
            }
        };
        let code = exchange.answer().flatten();
        let (Some(agreed), Some(held)) = (agreed(&answer, judged), held) else {
            return json(answer, revision, code);
        };
        let stream = Stream::new(0, Kind::Lossy, self.options.history);
        for message in before {
            stream.push(message, None).await;
        }
        let (mut exchange, _) = self.legacy(parts, agreed, 0, Some(&held));
        let ends = (exchange.inbox(), exchange.peer().clone());
        let target = Arc::clone(&stream);
        // It ends with the session.
        let task = tokio::spawn(async move {
            loop {
                drive_session(&mut exchange, &target).await;
            }
        });
        let task = task.abort_handle();
        let limits = (self.options.history, self.options.max_running);
        let session = Session::new(agreed, held, stream, ends, task, limits);
        let Some(id) = self.sessions.add(session) else { return unavailable() };
        self.sweep();
        let mut reply = json(answer, agreed, code);
        if let Ok(id) = HeaderValue::from_bytes(&id) {
            reply.headers_mut().insert(SESSION, id);
        }
        reply
    }

    /// Passes on what is not answered: a notification, a response, or those of a batch.
    async fn deliver(&self, session: &Session, judged: &Judged, message: &Message<'_>) -> Offered {
        let all = async {
            let Message::Batch(batch) = message else {
                return self.pass(session, judged, message, judged.body().clone()).await;
            };
            for element in batch.iter() {
                let Ok(message @ (Message::Notification(_) | Message::Response(_))) =
                    element.message()
                else {
                    continue;
                };
                // A copy, which does not keep the other elements.
                let text = element.span().of(element.frame()).unwrap_or_default();
                let text = Bytes::copy_from_slice(text);
                if self.pass(session, judged, &message, text).await == Offered::Full {
                    return Offered::Full;
                }
            }
            Offered::Accepted
        };
        // An exchange that is not polled for so long is blocked by a handler.
        within(self.options.keep_alive, all).await.unwrap_or(Offered::Full)
    }

    async fn pass(
        &self,
        session: &Session,
        judged: &Judged,
        message: &Message<'_>,
        text: Bytes,
    ) -> Offered {
        match Destination::of(session, message) {
            Destination::Turn => {
                session.inbox.offer(text, judged.profile(), self.options.limit).await
            }
            // An answer may come after its caller has given up.
            Destination::Direct(None) => Offered::Accepted,
            Destination::Direct(Some(inbox)) => match inbox.send(text, judged.profile()).await {
                true => Offered::Accepted,
                false => Offered::Closed,
            },
        }
    }

    /// Starts the task that ends sessions which have expired, unless it runs.
    fn sweep(self: &Arc<Self>) {
        if !self.sessions.begin_sweep() {
            return;
        }
        let sessions = Arc::downgrade(&self.sessions);
        let (least, most) = SWEEPS;
        let pause = (self.sessions.timeout() / 4).clamp(least, most);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(pause).await;
                match sessions.upgrade() {
                    Some(sessions) => sessions.expire(),
                    None => return,
                }
            }
        });
    }

    /// Responds to a GET request: with the stream of the session, or with what a client has missed.
    pub(super) fn open_stream(&self, parts: &Parts) -> Reply {
        let session = match self.session(parts) {
            Ok(Some(session)) => session,
            Ok(None) => return empty(StatusCode::METHOD_NOT_ALLOWED),
            Err(Gone) => return empty(StatusCode::NOT_FOUND),
        };
        let last = parts.headers.get(LAST_EVENT).map(HeaderValue::as_bytes);
        let reader = match last {
            None => session.stream.reader(None),
            Some(id) => event::position(id)
                .and_then(|(number, position)| session.stream(number)?.reader(Some(position))),
        };
        match reader {
            Some(reader) => self.stream(reader, session.revision, Some(session)),
            None => {
                let text = "The events after Last-Event-ID are not stored";
                refusal(StatusCode::BAD_REQUEST, None, -32600, text)
            }
        }
    }

    /// Responds to a DELETE request.
    pub(super) fn end_session(&self, parts: &Parts) -> Reply {
        let id = parts.headers.get(SESSION).map_or(&b""[..], HeaderValue::as_bytes);
        let is_open = self.sessions.remove(id);
        empty(if is_open { StatusCode::NO_CONTENT } else { StatusCode::NOT_FOUND })
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
        let answer = exchange.answer().filter(|_| !exchange.has_message());
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

/// Moves the next message of the handlers of notifications to the stream of the session.
async fn drive_session(exchange: &mut Exchange, stream: &Stream) {
    let message = poll_fn(|cx| match exchange.poll_message(cx) {
        Poll::Ready(Some(message)) => Poll::Ready(message),
        // More notifications may come.
        Poll::Ready(None) | Poll::Pending => Poll::Pending,
    });
    stream.push(message.await, None).await;
}

/// Returns where a message that is handled as soon as it comes goes: an answer and a report of progress to the caller, and
/// a cancellation to its request. The other notifications wait for their turn in the session.
enum Destination {
    Direct(Option<Inbox>),
    Turn,
}

impl Destination {
    fn of(session: &Session, message: &Message<'_>) -> Self {
        match message {
            Message::Response(response) => {
                Self::Direct(response.id().and_then(|id| session.answered(id)))
            }
            Message::Notification(notification) => match session.reported(notification) {
                Some(caller) => Self::Direct(Some(caller)),
                None if notification.method() == KnownMethod::Cancelled.name() => {
                    Self::Direct(cancelled(notification, session))
                }
                None => Self::Turn,
            },
            // These are answered, and not passed on.
            Message::Request(_) | Message::Batch(_) => Self::Direct(None),
        }
    }
}

/// Returns the request that a notification cancels, if it still runs.
fn cancelled(notification: &Notification<'_>, session: &Session) -> Option<Inbox> {
    let params = notification.params().and_then(ParamsView::of)?;
    session.request(params.request_id()?)
}

/// Returns a batch without its notifications and responses, or `None` if it has none.
fn without_deliverable(batch: &Batch<'_>) -> Option<Bytes> {
    let is_deliverable = |message: Result<Message<'_>, _>| {
        matches!(message, Ok(Message::Notification(_) | Message::Response(_)))
    };
    if !batch.iter().any(|element| is_deliverable(element.message())) {
        return None;
    }
    let rest = batch.iter().filter(|element| !is_deliverable(element.message()));
    let rest = rest.filter_map(|element| element.span().of(element.frame()));
    let rest: Vec<&[u8]> = rest.collect();
    Some([b"[", &*rest.join(&b','), b"]"].concat().into())
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

/// Returns the params of a request.
fn params_of(judged: &Judged) -> Option<Raw> {
    let Ok(Message::Request(request)) = judged.message() else { return None };
    Raw::parse(judged.body().slice_ref(request.params()?.as_bytes())).ok()
}

/// Returns the revision in the result of `initialize`.
fn agreed(answer: &[u8], judged: &Judged) -> Option<Revision> {
    let Ok(Message::Response(response)) = Message::parse(answer, judged.profile()) else {
        return None;
    };
    Revision::named(response.result()?.member("protocolVersion")?.string()?)
}
