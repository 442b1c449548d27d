//! The service: a request is judged, and then refused or passed on.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE, EXPECT, HOST};
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body::Body;
use tautline::{Fault, Message};
use tautline_mcp::KnownMethod;
use tautline_mcp::http::{Accepted, Finding, Refusal, Verdict};
use tower_service::Service;

use super::read::{Read, Reading};
use super::{Judged, RequestBody, ResponseBody, Settings};

/// The service of an [`McpLayer`](crate::McpLayer).
#[derive(Clone)]
pub struct McpService<S> {
    pub(crate) inner: S,
    pub(crate) settings: Arc<Settings>,
}

impl<S: fmt::Debug> fmt::Debug for McpService<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpService")
            .field("inner", &self.inner)
            .field("layer", &self.settings)
            .finish()
    }
}

impl<S, B, R> Service<Request<B>> for McpService<S>
where
    S: Service<Request<RequestBody<B>>, Response = Response<R>> + Clone,
    B: Body,
{
    type Response = Response<ResponseBody<R>>;
    type Error = S::Error;
    type Future = ResponseFuture<S, B>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        // The service that is ready serves this request.
        let next = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, next);
        let settings = Arc::clone(&self.settings);
        let (mut parts, body) = request.into_parts();
        // Another layer may have judged it.
        parts.extensions.remove::<Judged>();
        let is_judged = !is_short(&parts, &body);
        let decision = is_judged.then(|| settings.judge_head(&parts)).flatten();
        let state = match decision {
            Some(Decision::Refuse(response)) => State::Refused { response: Some(response) },
            Some(Decision::Pass(judged)) => {
                if let Some(judged) = judged {
                    parts.extensions.insert(*judged);
                }
                let request = Request::from_parts(parts, RequestBody::unread(body));
                State::Served { served: inner.call(request) }
            }
            None => {
                let reading = Reading::new(body, settings.limit, settings.enforces);
                let head = if is_judged { Judgement::Done } else { Judgement::Due };
                State::Reading { reading: Some((reading, parts, inner)), head }
            }
        };
        ResponseFuture { state, settings }
    }
}

/// The media type of a message.
const JSON: &str = "application/json";

/// A refusal as a response.
type Refused = Response<Bytes>;

/// The length of a body in bytes that is read before the head is judged. Most bodies are as short, and have arrived with
/// their heads.
const SHORT: u64 = 64 << 10;

/// Returns whether the body is short, and the client does not wait for a permission to send it (RFC 9110, section 10.1.1).
fn is_short(parts: &Parts, body: &impl Body) -> bool {
    let is_short = body.size_hint().upper().is_some_and(|length| length <= SHORT);
    is_short && parts.method == Method::POST && !parts.headers.contains_key(EXPECT)
}

/// The next step for a request.
enum Decision {
    Refuse(Refused),
    Pass(Option<Box<Judged>>),
}

impl Settings {
    /// Judges the method and the headers. Returns `None` if the body has to be judged with them.
    fn judge_head(&self, parts: &Parts) -> Option<Decision> {
        let report = |finding: Finding| (self.report)(finding);
        let headers = headers(parts);
        let method = parts.method.as_str().as_bytes();
        let head = self.policy.head(method, headers.iter().copied(), &*self.server, report);
        let verdict =
            if self.enforces { head.verdict(report) } else { head.verdict_in_report(report) };
        Some(self.decide(&verdict?, &Bytes::new()))
    }

    /// Judges a request with its body.
    fn judge_body(&self, parts: &Parts, read: &mut Read, head: Judgement) -> Decision {
        let report = |finding: Finding| (self.report)(finding);
        let method = parts.method.as_str().as_bytes();
        let headers = headers(parts);
        let (headers, server) = (headers.iter().copied(), &*self.server);
        let head = match head {
            // The findings in the head were reported before the body was read.
            Judgement::Done => self.policy.head(method, headers, server, |_| {}),
            Judgement::Due => {
                let head = self.policy.head(method, headers, server, report);
                let verdict = if self.enforces {
                    head.verdict(report)
                } else {
                    head.verdict_in_report(report)
                };
                if let Some(verdict) = verdict {
                    return self.decide(&verdict, &Bytes::new());
                }
                head
            }
        };
        match read {
            Read::All(body, _) => {
                let message = Message::parse(body.as_ref(), &head.profile());
                let verdict = head.judge(&*self.server, message, report);
                self.decide(&verdict, body)
            }
            Read::Skimmed(skimmer) => {
                let fault = skimmer.finish().too_long(&head.profile());
                self.decide(&head.judge(&*self.server, Err(fault), report), &Bytes::new())
            }
            Read::Cut | Read::Begun(_) => {
                let fault = Fault::of_unread(&head.profile());
                self.decide(&head.judge(&*self.server, Err(fault), report), &Bytes::new())
            }
        }
    }

    /// Judges a request again, now that more is known of the server. Returns the response if it is refused.
    #[cfg(feature = "server")]
    pub(crate) fn refusal(&self, parts: &Parts, body: &Bytes) -> Option<Response<Bytes>> {
        let mut read = Read::All(body.clone(), None);
        match self.judge_body(parts, &mut read, Judgement::Done) {
            Decision::Refuse(response) => Some(response),
            Decision::Pass(_) => None,
        }
    }

    fn decide(&self, verdict: &Verdict<'_>, body: &Bytes) -> Decision {
        match verdict {
            Verdict::Accepted(accepted) => {
                Decision::Pass(Some(Box::new(self.judged(accepted, body))))
            }
            Verdict::Refused(refusal) if self.enforces => Decision::Refuse(response(refusal)),
            Verdict::Refused(_) => Decision::Pass(None),
        }
    }

    fn judged(&self, accepted: &Accepted<'_>, body: &Bytes) -> Judged {
        let revision = accepted.revision();
        let method = match accepted.message() {
            Some(Message::Request(request)) => KnownMethod::named(request.method()),
            _ => None,
        };
        Judged {
            revision,
            action: accepted.action(),
            parameters: accepted.parameters(),
            body: body.clone(),
            profile: self.policy.profile(revision),
            method,
        }
    }
}

/// The state of the head of a request whose body was read.
#[derive(Clone, Copy, Debug)]
enum Judgement {
    Done,
    Due,
}

/// Returns the header fields. The authority of HTTP/2 is one more `Host`, unless it is the same (RFC 9113, section 8.3.1).
fn headers(parts: &Parts) -> Vec<(&[u8], &[u8])> {
    let is_other = |authority: &&Authority| {
        let host = parts.headers.get(HOST).map(HeaderValue::as_bytes);
        host.is_none_or(|host| !host.eq_ignore_ascii_case(authority.as_str().as_bytes()))
    };
    let authority = parts.uri.authority().filter(is_other);
    let host = authority.map(|host| (HOST.as_str().as_bytes(), host.as_str().as_bytes()));
    let fields = parts.headers.iter().map(|(name, value)| {
        let name: &[u8] = name.as_ref();
        (name, value.as_bytes())
    });
    host.into_iter().chain(fields).collect()
}

fn response(refusal: &Refusal<'_>) -> Refused {
    let mut body = Vec::new();
    let is_written = refusal.write(&mut body).is_ok();
    let status = if is_written { refusal.status() } else { 500 };
    let mut response = Response::new(Bytes::from(body));
    *response.status_mut() =
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if !response.body().is_empty() {
        let json = HeaderValue::from_static(JSON);
        response.headers_mut().insert(CONTENT_TYPE, json);
    }
    if let Some(methods) = refusal.allow() {
        response.headers_mut().insert(ALLOW, HeaderValue::from_static(methods));
    }
    response
}

pin_project_lite::pin_project! {
    /// The future response of an [`McpService`].
    pub struct ResponseFuture<S, B>
    where
        S: Service<Request<RequestBody<B>>>,
        B: Body,
    {
        #[pin]
        state: State<S, B, S::Future>,
        settings: Arc<Settings>,
    }
}

pin_project_lite::pin_project! {
    #[project = Projected]
    enum State<S, B, F> {
        Refused {
            response: Option<Refused>,
        },
        Reading {
            // Taken when the body is read.
            reading: Option<(Reading<B>, Parts, S)>,
            head: Judgement,
        },
        Served {
            #[pin]
            served: F,
        },
    }
}

impl<S, B> fmt::Debug for ResponseFuture<S, B>
where
    S: Service<Request<RequestBody<B>>>,
    B: Body,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture").finish_non_exhaustive()
    }
}

impl<S, B, R> Future for ResponseFuture<S, B>
where
    S: Service<Request<RequestBody<B>>, Response = Response<R>>,
    B: Body,
{
    type Output = Result<Response<ResponseBody<R>>, S::Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            let next = match this.state.as_mut().project() {
                Projected::Served { served } => {
                    let response = ready!(served.poll(context))?;
                    return Poll::Ready(Ok(response.map(ResponseBody::served)));
                }
                Projected::Refused { response } => {
                    let response = response.take().unwrap_or_default();
                    return Poll::Ready(Ok(response.map(ResponseBody::refused)));
                }
                Projected::Reading { reading, head } => {
                    let head = *head;
                    let read = match reading {
                        Some((open, ..)) => Some(ready!(open.poll(context))),
                        None => None,
                    };
                    match read.zip(reading.take()) {
                        Some((read, (reading, parts, inner))) => {
                            this.settings.after(read, reading, head, parts, inner)
                        }
                        // The future was polled again after a panic.
                        None => empty(StatusCode::INTERNAL_SERVER_ERROR),
                    }
                }
            };
            this.state.set(next);
        }
    }
}

impl Settings {
    /// Returns the state after a body was read.
    fn after<S, B>(
        &self,
        read: Result<Read, (Bytes, B::Error)>,
        reading: Reading<B>,
        head: Judgement,
        mut parts: Parts,
        mut inner: S,
    ) -> State<S, B, S::Future>
    where
        S: Service<Request<RequestBody<B>>>,
        B: Body,
    {
        let mut read = match read {
            Ok(read) => read,
            Err(_) if self.enforces => return empty(StatusCode::BAD_REQUEST),
            Err((read, error)) => {
                let request = Request::from_parts(parts, RequestBody::failed(read, error));
                return State::Served { served: inner.call(request) };
            }
        };
        let judged = match self.judge_body(&parts, &mut read, head) {
            Decision::Refuse(response) => return State::Refused { response: Some(response) },
            Decision::Pass(judged) => judged,
        };
        if let Some(judged) = judged {
            parts.extensions.insert(*judged);
        }
        let body = match read {
            Read::All(bytes, trailers) => RequestBody::all(bytes, trailers),
            Read::Begun(bytes) => RequestBody::begun(bytes, reading.into_rest()),
            // Such a body is refused.
            Read::Skimmed(_) | Read::Cut => RequestBody::all(Bytes::new(), None),
        };
        State::Served { served: inner.call(Request::from_parts(parts, body)) }
    }
}

/// Returns the state of a response without a body.
fn empty<S, B, F>(status: StatusCode) -> State<S, B, F> {
    let mut response = Refused::default();
    *response.status_mut() = status;
    State::Refused { response: Some(response) }
}
