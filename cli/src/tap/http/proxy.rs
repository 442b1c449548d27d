//! The way of an exchange through the proxy.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Request, Response, StatusCode};
use tautline_audit::credentials::without_secrets;
use tautline_mcp::Role;

use super::body::Logged;
use super::client::{Sender, causes, text};
use super::head::{self, Upstream, of_request, of_response};
use super::log::{Log, Note};

/// The body of a response: the server's, or the proxy's own.
pub type ResponseBody = Either<Logged<Incoming>, Full<Bytes>>;

/// The state that all exchanges share.
pub struct Proxy {
    pub upstream: Upstream,
    pub sender: Sender,
    pub log: Arc<Log>,
    /// The most bytes of a body that are recorded.
    pub max_body: u64,
    /// True if credentials are recorded.
    pub keeps_credentials: bool,
    /// True if the proxy listens on a loopback address.
    pub is_loopback: bool,
    pub count: AtomicU64,
}

impl Proxy {
    /// Passes on a request, and returns the response.
    ///
    /// # Errors
    ///
    /// Never fails: an error becomes a response.
    pub async fn serve(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<Response<ResponseBody>, Infallible> {
        let (mut head, body) = request.into_parts();
        if let Some((status, why)) = head::refusal(&head, self.is_loopback) {
            return Ok(own(status, why));
        }
        let exchange = self.count.fetch_add(1, Ordering::Relaxed) + 1;
        let target = self.upstream.target(&head.uri);
        self.log.push(exchange, Note::Request(of_request(&head, &target)));
        // The bodies of other requests are left out, because those of OAuth have credentials.
        let is_recorded = self.keeps_credentials || self.upstream.is_endpoint(target.as_str());
        let room = if is_recorded { self.max_body } else { 0 };
        let body = self.logged(body, exchange, Role::Client, room);
        let is_over = body.failure();
        self.upstream.rewrite(&mut head, target);
        let waiting = Waiting { log: &self.log, exchange, is_over };
        let sent = self.sender.send(Request::from_parts(head, body)).await;
        let had_failed = waiting.end();
        match sent {
            Ok(response) => Ok(self.respond(response, exchange, room)),
            Err(error) => {
                let causes = causes(&error);
                // An exchange ends once, and a client whose body breaks is no fault of the server.
                if !had_failed {
                    self.log.push(exchange, Note::Aborted(Role::Server, causes.clone()));
                }
                let url = without_secrets(&self.upstream.url());
                let words = format!("cannot get a response from {url}: {causes}");
                Ok(own(StatusCode::BAD_GATEWAY, &words))
            }
        }
    }

    fn respond(
        &self,
        response: Response<Incoming>,
        exchange: u64,
        room: u64,
    ) -> Response<ResponseBody> {
        let (mut head, body) = response.into_parts();
        self.log.push(exchange, Note::Response(of_response(&head)));
        head::remove_hops(&mut head.headers);
        Response::from_parts(head, Either::Left(self.logged(body, exchange, Role::Server, room)))
    }

    fn logged(&self, body: Incoming, exchange: u64, from: Role, room: u64) -> Logged<Incoming> {
        Logged::new(body, self.log.clone(), exchange, from, room)
    }
}

/// A request that waits for its response. If it is dropped, the client is gone.
struct Waiting<'a> {
    log: &'a Log,
    exchange: u64,
    /// True once the exchange has failed or was answered.
    is_over: Arc<AtomicBool>,
}

impl Waiting<'_> {
    /// Ends the wait. Returns whether the exchange had failed before.
    fn end(self) -> bool {
        self.is_over.swap(true, Ordering::Relaxed)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if !self.is_over.load(Ordering::Relaxed) && !self.log.is_stopping() {
            let why = "the client has closed the connection".to_owned();
            self.log.push(self.exchange, Note::Aborted(Role::Client, why));
        }
    }
}

/// Returns a response of the proxy itself.
fn own(status: StatusCode, words: &str) -> Response<ResponseBody> {
    let mut response = Response::new(Either::Right(text(words)));
    *response.status_mut() = status;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, plain);
    response
}
