//! Requests of 2025-03-26 to 2025-11-25: sessions, and handlers that outlive the response to their request.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use http::request::Parts;
use http::{HeaderName, HeaderValue, StatusCode};
use tautline::Message;
use tautline_mcp::http::Action;
use tautline_mcp::{KnownMethod, Revision};
use tautline_tokio::{Exchange, Offered, Raw};

use super::body::Source;
use super::endpoint::{Reply, State, empty, json, refusal, too_many, unavailable};
use super::event;
use super::held::HttpSession;
use super::kept;
use super::request::HttpRequest;
use super::session::{Session, Visit, call_ids};
use super::sessions::new_id;
use super::stream::{Kind, Reader, Stream};
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
        match (session, judged.action() == Action::Acknowledge) {
            (Some(session), true) => match self.deliver(&session, &judged, &message).await {
                Offered::Full => too_many(None),
                _ if session.has_ended() => empty(StatusCode::NOT_FOUND),
                _ => empty(StatusCode::ACCEPTED),
            },
            (None, true) => {
                let (mut exchange, _) = self.legacy(parts, judged.revision(), None, None);
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
    pub(super) fn legacy(
        &self,
        parts: Parts,
        revision: Revision,
        number: Option<u64>,
        session: Option<&Arc<HttpSession>>,
    ) -> (Exchange, Arc<HttpRequest>) {
        // A client finds a stream again by its session and the id of an event, which the first event has since 2025-11-25.
        let is_of_request = session.is_some() && number.is_some_and(|number| number > 0);
        let is_resumable = is_of_request && revision >= Revision::V2025_11_25;
        let closing = self.closing.clone();
        let request = HttpRequest::new(parts, closing, session.cloned(), is_resumable);
        let request = Arc::new(request);
        let options = self.options.connection.clone();
        let options = match number {
            Some(number) => options.with_call_ids(call_ids(number)),
            None => options.without_calls(),
        };
        let options = options.with_shared_attachment(Arc::<HttpRequest>::clone(&request));
        (self.exchange(options, revision), request)
    }

    /// Responds with the events of a reader.
    pub(super) fn stream(
        &self,
        reader: Reader,
        revision: Revision,
        session: Option<Visit>,
    ) -> Reply {
        let has_priming = session.is_some() && revision >= Revision::V2025_11_25;
        let first = has_priming.then(|| event::priming(reader.position(), self.options.retry));
        self.events(first, Source::Stream { reader, _session: session })
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
        let (answer, code) = loop {
            match (poll_fn(|cx| exchange.poll_message(cx)).await, exchange.taken_answer()) {
                (Some(message), Some(code)) => break (message, code),
                (Some(message), None) => before.push(message),
                (None, _) => return empty(StatusCode::INTERNAL_SERVER_ERROR),
            }
        };
        let (Some(agreed), Some(held)) = (agreed(&answer, judged), held) else {
            return json(answer, revision, code);
        };
        let stream = Stream::new(0, Kind::Lossy, self.options.history);
        for message in before {
            stream.push(message, None).await;
        }
        let (mut exchange, _) = self.legacy(kept, agreed, Some(0), Some(&held));
        held.opened(exchange.peer().clone());
        let id = HeaderValue::from_str(held.id());
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
            Some(reader) => self.stream(reader, session.revision, Some(session)),
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

/// Moves the next message of the handlers of notifications to the stream of the session.
async fn drive_session(exchange: &mut Exchange, stream: &Stream) {
    let message = poll_fn(|cx| match exchange.poll_message(cx) {
        Poll::Ready(Some(message)) => Poll::Ready(message),
        // More notifications may come.
        Poll::Ready(None) | Poll::Pending => Poll::Pending,
    });
    stream.push(message.await, None).await;
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
