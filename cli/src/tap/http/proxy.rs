//! The way of an exchange through the proxy.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Request, Response, StatusCode};
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
        let body = self.logged(body, exchange, Role::Client);
        self.upstream.rewrite(&mut head, target);
        let waiting = Waiting { log: &self.log, exchange, is_over: false };
        let sent = self.sender.send(Request::from_parts(head, body)).await;
        waiting.end();
        match sent {
            Ok(response) => Ok(self.respond(response, exchange)),
            Err(error) => {
                let causes = causes(&error);
                self.log.push(exchange, Note::Aborted(Role::Server, causes.clone()));
                let words = format!("cannot get a response from {}: {causes}", self.upstream.url());
                Ok(own(StatusCode::BAD_GATEWAY, &words))
            }
        }
    }

    fn respond(&self, response: Response<Incoming>, exchange: u64) -> Response<ResponseBody> {
        let (mut head, body) = response.into_parts();
        self.log.push(exchange, Note::Response(of_response(&head)));
        head::remove_hops(&mut head.headers);
        Response::from_parts(head, Either::Left(self.logged(body, exchange, Role::Server)))
    }

    fn logged(&self, body: Incoming, exchange: u64, from: Role) -> Logged<Incoming> {
        Logged::new(body, self.log.clone(), exchange, from, self.max_body)
    }
}

/// A request that waits for its response. If it is dropped, the client is gone.
struct Waiting<'a> {
    log: &'a Log,
    exchange: u64,
    is_over: bool,
}

impl Waiting<'_> {
    fn end(mut self) {
        self.is_over = true;
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if !self.is_over && !self.log.is_stopping() {
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
