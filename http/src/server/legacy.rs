//! Requests of 2025-03-26 to 2025-11-25: sessions, and handlers that outlive the response to their request.

use std::future::poll_fn;
use std::sync::{Arc, Weak};
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderName, HeaderValue, StatusCode};
use tautline::{Id, Message, owned};
use tautline_mcp::http::Action;
use tautline_mcp::{KnownMethod, ParamsView, Revision};
use tautline_tokio::{Exchange, Inbox, Raw};

use super::body::Source;
use super::endpoint::{Reply, State, empty, json, refusal, unavailable, within};
use super::event;
use super::held::HttpSession;
use super::kept;
use super::request::HttpRequest;
use super::session::{Session, first_call_id};
use super::sessions::new_id;
use super::stream::{Kind, Opening, Reader, Stream};
use crate::Judged;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// The bounds of the time between two searches for sessions that have expired.
const SWEEPS: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(60));

/// The number of bytes of the params of `initialize` that a session keeps.
const MOST_PARAMS: usize = 64 << 10;

/// The session of a request has ended.
struct Gone;

impl State {
    pub(super) async fn serve_legacy(self: Arc<Self>, parts: Parts, judged: Judged) -> Reply {
        let Ok(message) = judged.message() else {
            return empty(StatusCode::INTERNAL_SERVER_ERROR);
        };
        if judged.method == Some(KnownMethod::Initialize) {
            return self.initialize(parts, &judged).await;
        }
        let Ok(session) = self.session(&parts) else { return empty(StatusCode::NOT_FOUND) };
        let ids = ids_of(&message);
        match (session, judged.action() == Action::Acknowledge) {
            (Some(session), true) => {
                deliver(&session, &judged, &message).await;
                empty(StatusCode::ACCEPTED)
            }
            (None, true) => {
                let (mut exchange, _) = self.legacy(parts, judged.revision(), None, None);
                exchange.receive(judged.body().clone(), judged.profile());
                self.acknowledge(exchange)
            }
            (session, false) => self.run(parts, &judged, session.as_ref(), ids).await,
        }
    }

    /// Returns the session that a request names. A session may have ended since its headers were judged.
    fn session(&self, parts: &Parts) -> Result<Option<Arc<Session>>, Gone> {
        if !self.options.has_sessions {
            return Ok(None);
        }
        let id = parts.headers.get(SESSION).map_or(&b""[..], HeaderValue::as_bytes);
        match self.sessions.get(id) {
            Some(session) if session.held.owner() == self.owner(parts).as_deref() => {
                Ok(Some(session))
            }
            // To a stranger, the session is unknown.
            _ => Err(Gone),
        }
    }

    /// Returns the user that a request comes from.
    fn owner(&self, parts: &Parts) -> Option<String> {
        self.options.owner.as_ref().and_then(|owner| owner(parts))
    }

    /// Starts an exchange of the legacy era. Its handlers can call the client if the request has a number, by which the
    /// answers are found.
    fn legacy(
        &self,
        parts: Parts,
        revision: Revision,
        number: Option<u64>,
        session: Option<&Arc<HttpSession>>,
    ) -> (Exchange, Arc<HttpRequest>) {
        let request = HttpRequest::new(parts, self.closing.clone(), session.cloned());
        let request = Arc::new(request);
        let options = self.options.connection.clone();
        let options = match number {
            Some(number) => options.with_first_call_id(first_call_id(number)),
            None => options.without_calls(),
        };
        let options = options.with_shared_attachment(Arc::<HttpRequest>::clone(&request));
        (self.exchange(options, revision), request)
    }

    /// Handles a request. Its handler continues if the client goes away.
    async fn run(
        &self,
        parts: Parts,
        judged: &Judged,
        session: Option<&Arc<Session>>,
        ids: Vec<owned::Id>,
    ) -> Reply {
        let revision = judged.revision();
        let number = session.map_or(1, |session| session.number());
        let held = session.map(|session| &session.held);
        let (mut exchange, request) = self.legacy(parts, revision, session.map(|_| number), held);
        exchange.receive(judged.body().clone(), judged.profile());
        // Most handlers answer at once.
        let first = poll_fn(|cx| Poll::Ready(exchange.poll_message(cx))).await;
        if let Poll::Ready(Some(message)) = &first
            && let Some(code) = exchange.answer()
            && !exchange.has_message()
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
        let stream = match session {
            Some(session) => session.open(number, self.options.max_running),
            None => Some(Stream::new(number, Kind::Plain, self.options.history)),
        };
        let permit = match session {
            Some(_) => None,
            None => Arc::clone(&self.detached).try_acquire_owned().ok(),
        };
        let (Some(stream), true) = (stream, session.is_some() || permit.is_some()) else {
            let id = ids.first().map(owned::Id::as_borrowed);
            return refusal(StatusCode::TOO_MANY_REQUESTS, id, -32000, "Too many requests");
        };
        request.opened(&stream);
        let inbox = exchange.inbox();
        let owner = session.map_or_else(Weak::new, Arc::downgrade);
        let target = Arc::clone(&stream);
        let task = async move {
            drive(exchange, first, &target).await;
            if let Some(session) = owner.upgrade() {
                session.finished(target.number());
            }
            drop(permit);
        };
        match session {
            Some(session) => session.start(number, ids, inbox, task),
            None => drop(tokio::spawn(task)),
        }
        self.respond(&stream, revision, session).await
    }

    /// Responds with what a stream has.
    async fn respond(
        &self,
        stream: &Arc<Stream>,
        revision: Revision,
        session: Option<&Arc<Session>>,
    ) -> Reply {
        let opening = poll_fn(|cx| stream.poll_opening(cx));
        let opening = within(self.options.keep_alive, opening).await;
        if let Some(Opening::Single(message)) = opening {
            if let Some(session) = session {
                session.forget(stream.number());
            }
            return json(message, revision, None);
        }
        match stream.reader(None) {
            Some(reader) => self.stream(reader, revision, session.is_some()),
            None => empty(StatusCode::INTERNAL_SERVER_ERROR),
        }
    }

    /// Responds with the events of a reader.
    fn stream(&self, reader: Reader, revision: Revision, is_resumable: bool) -> Reply {
        let has_priming = is_resumable && revision >= Revision::V2025_11_25;
        let first = has_priming.then(|| event::priming(reader.position(), self.options.retry));
        self.events(first, Source::Stream(reader))
    }

    /// Opens the session of a client.
    async fn initialize(self: Arc<Self>, parts: Parts, judged: &Judged) -> Reply {
        let revision = judged.revision();
        let held = if self.options.has_sessions {
            let Some(id) = new_id() else { return unavailable() };
            Some(Arc::new(HttpSession::new(id, self.owner(&parts), params_of(judged))))
        } else {
            None
        };
        let kept = kept::copy(&parts);
        let (mut exchange, _) = self.legacy(parts, revision, None, held.as_ref());
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
            stream.push(message, false).await;
        }
        let (mut exchange, _) = self.legacy(kept, agreed, Some(0), Some(&held));
        held.opened(exchange.peer().clone());
        let id = HeaderValue::from_str(held.id());
        let inbox = exchange.inbox();
        let target = Arc::clone(&stream);
        // It ends with the session.
        let task = tokio::spawn(async move {
            loop {
                drive_session(&mut exchange, &target).await;
            }
        });
        let task = task.abort_handle();
        let session = Session::new(agreed, held, stream, inbox, task, self.options.history);
        if !self.sessions.add(session) {
            return unavailable();
        }
        self.sweep();
        let mut reply = json(answer, agreed, code);
        if let Ok(id) = id {
            reply.headers_mut().insert(SESSION, id);
        }
        reply
    }

    /// Starts the task that ends sessions which have expired, unless it runs.
    fn sweep(self: &Arc<Self>) {
        if !self.sessions.begin_sweep() {
            return;
        }
        let sessions = Arc::downgrade(&self.sessions);
        let (least, most) = SWEEPS;
        let pause = (self.sessions.shortest_timeout() / 4).clamp(least, most);
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
            Some(reader) => self.stream(reader, session.revision, true),
            None => {
                let text = "The events after Last-Event-ID are not stored";
                refusal(StatusCode::BAD_REQUEST, None, -32600, text)
            }
        }
    }

    /// Responds to a DELETE request.
    pub(super) fn end_session(&self, parts: &Parts) -> Reply {
        let session = self.session(parts).ok().flatten();
        let is_open =
            session.is_some_and(|session| self.sessions.remove(session.held.id().as_bytes()));
        empty(if is_open { StatusCode::NO_CONTENT } else { StatusCode::NOT_FOUND })
    }
}

/// Moves the messages of an exchange to a stream, until all is answered.
async fn drive(mut exchange: Exchange, first: Option<Bytes>, stream: &Stream) {
    let mut next = first;
    loop {
        let message = match next.take() {
            Some(message) => Some(message),
            None => poll_fn(|cx| exchange.poll_message(cx)).await,
        };
        let Some(message) = message else { break };
        let is_last = exchange.answer().is_some() && !exchange.has_message();
        stream.push(message, is_last).await;
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
    stream.push(message.await, false).await;
}

/// Passes on a message that is not answered: a notification, a response, or a batch of them.
async fn deliver(session: &Session, judged: &Judged, message: &Message<'_>) {
    let Message::Batch(batch) = message else {
        let inbox = destination(session, message);
        return pass(inbox, judged, judged.body().clone()).await;
    };
    for element in batch.iter() {
        let Ok(message) = element.message() else { continue };
        let text = element.span().of(element.frame()).unwrap_or_default();
        let inbox = destination(session, &message);
        pass(inbox, judged, judged.body().slice_ref(text)).await;
    }
}

async fn pass(inbox: Option<Inbox>, judged: &Judged, text: Bytes) {
    // An answer may come after its caller has given up.
    if let Some(inbox) = inbox {
        inbox.send(text, judged.profile()).await;
    }
}

/// Returns where a message goes: an answer to its caller, a cancellation to its request, and the rest to the session.
fn destination(session: &Session, message: &Message<'_>) -> Option<Inbox> {
    match message {
        Message::Response(response) => session.caller(response.id()?),
        Message::Notification(notification)
            if notification.method() == KnownMethod::Cancelled.name() =>
        {
            let params = notification.params().and_then(ParamsView::of)?;
            session.request(params.request_id()?)
        }
        _ => Some(session.inbox.clone()),
    }
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

/// Returns a copy of the params of a request, unless they are too long to be kept.
fn params_of(judged: &Judged) -> Option<Raw> {
    let Ok(Message::Request(request)) = judged.message() else { return None };
    let params = request.params()?.as_bytes();
    (params.len() <= MOST_PARAMS).then(|| Raw::parse(Bytes::copy_from_slice(params)).ok())?
}

/// Returns the revision in the result of `initialize`.
fn agreed(answer: &[u8], judged: &Judged) -> Option<Revision> {
    let Ok(Message::Response(response)) = Message::parse(answer, judged.profile()) else {
        return None;
    };
    Revision::named(response.result()?.member("protocolVersion")?.string()?)
}
