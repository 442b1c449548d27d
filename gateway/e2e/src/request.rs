//! Requests that are read from a case, to be sent in other ways: many on a connection, in small pieces, over HTTP/2.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Version};
use http_body_util::Full;

use crate::case::{plays, send_all};
use crate::outcome::Outcome;
use crate::upstream::{Record, Upstream};

/// The fields that belong to a connection, and those that an HTTP library writes.
const OF_CONNECTIONS: [&str; 9] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-connection",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// A request that HTTP can read.
#[derive(Clone, Debug)]
pub struct Plain {
    method: String,
    target: String,
    host: String,
    headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl Plain {
    /// Returns the request that a server without any rules has read from a case, unless it has fields of a connection,
    /// or another number of hosts than one.
    #[must_use]
    pub fn of(record: &Record) -> Option<Self> {
        let mut hosts = record.headers.get_all("host").iter();
        let host = hosts.next()?.to_str().ok()?.to_owned();
        host.parse::<http::uri::Authority>().ok()?;
        if hosts.next().is_some() || !record.is_whole || record.trailers.is_some() {
            return None;
        }
        let usual = ["host", "content-length", "transfer-encoding"];
        let mut of_connections = OF_CONNECTIONS.iter().filter(|name| !usual.contains(name));
        if of_connections.any(|name| record.headers.contains_key(*name)) {
            return None;
        }
        let mut headers = record.headers.clone();
        for name in OF_CONNECTIONS {
            headers.remove(name);
        }
        let Record { method, target, body, .. } = record.clone();
        Some(Self { method, target, host, headers, body })
    }

    /// Returns a POST of the revision 2025-11-25 with this body.
    ///
    /// # Panics
    ///
    /// Never: the header fields are valid.
    #[must_use]
    pub fn post(body: impl Into<Bytes>) -> Self {
        let fields = [
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", "2025-11-25"),
            ("mcp-session-id", "session-1"),
        ];
        let fields = fields
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        Self {
            method: "POST".to_owned(),
            target: "/mcp".to_owned(),
            host: "localhost:8080".to_owned(),
            headers: fields.into_iter().collect(),
            body: body.into(),
        }
    }

    /// Returns a valid request with this id.
    #[must_use]
    pub fn ping(id: usize) -> Self {
        Self::post(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#))
    }

    /// Returns a request with this id that is to be refused for its body: its version of JSON-RPC is wrong.
    #[must_use]
    pub fn broken(id: usize) -> Self {
        Self::post(format!(r#"{{"jsonrpc":"2.1","id":{id},"method":"ping"}}"#))
    }

    /// Returns whether the request has this header.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.headers.contains_key(name)
    }

    /// Returns a valid request with the id 77 and a body of this length.
    ///
    /// # Panics
    ///
    /// Panics if the length is too small.
    #[must_use]
    pub fn long(length: usize) -> Self {
        let start = br#"{"jsonrpc":"2.0","id":77,"method":"ping","params":{"a":""#;
        let end = br#""}}"#;
        let mut body = start.to_vec();
        body.resize(length - end.len(), b'a');
        body.extend_from_slice(end);
        Self::post(body)
    }

    /// Returns a valid request with this id for a method that settings may deny.
    #[must_use]
    pub fn list(id: usize) -> Self {
        Self::post(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#))
    }

    /// Adds a header field.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        self
    }

    /// Returns the head for HTTP/1.1, with this line for the length of the body.
    #[must_use]
    pub fn head(&self, framing: &str) -> Vec<u8> {
        let Self { method, target, host, headers, .. } = self;
        let mut head = format!("{method} {target} HTTP/1.1\r\nHost: {host}\r\n").into_bytes();
        for (name, value) in headers {
            head.extend_from_slice(name.as_ref());
            head.extend_from_slice(b": ");
            head.extend_from_slice(value.as_bytes());
            head.extend_from_slice(b"\r\n");
        }
        head.extend_from_slice(framing.as_bytes());
        head.extend_from_slice(b"\r\n\r\n");
        head
    }

    /// Returns the head for HTTP/1.1 of a request whose body is sent in chunks.
    #[must_use]
    pub fn chunked(&self) -> Vec<u8> {
        self.head("Transfer-Encoding: chunked")
    }

    /// Returns the bytes for HTTP/1.1.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.head(&format!("Content-Length: {}", self.body.len()));
        bytes.extend_from_slice(&self.body);
        bytes
    }

    /// Returns the request for HTTP/2, with this body.
    ///
    /// # Panics
    ///
    /// Never: the parts come from a request.
    #[must_use]
    pub fn http2<B>(&self, body: B) -> Request<B> {
        let uri = format!("http://{}{}", self.host, self.target);
        let request = Request::builder().version(Version::HTTP_2).uri(uri);
        let mut request = request.method(self.method.as_str()).body(body).expect("a request");
        *request.headers_mut() = self.headers.clone();
        request
    }

    /// Returns the request for HTTP/2, with its own body.
    #[must_use]
    pub fn whole(&self) -> Request<Full<Bytes>> {
        self.http2(Full::new(self.body.clone()))
    }
}

/// Returns a chunk of a body.
#[must_use]
pub fn chunk(bytes: &[u8]) -> Vec<u8> {
    let size = format!("{:x}\r\n", bytes.len());
    [size.as_bytes(), bytes, b"\r\n"].concat()
}

/// Returns the cases that are one request, each with its name. A server without rules shows what they ask for.
pub async fn plain_cases() -> Vec<(String, Plain)> {
    let (plays, upstream) = (plays(), Upstream::start().await);
    let played = send_all(&plays, upstream.address).await;
    let plain = plays.iter().zip(&played).filter_map(|(play, played)| {
        let [reply] = played.replies.as_slice() else { return None };
        let Outcome::Reached(record) = Outcome::of(reply, &upstream) else { return None };
        Some((play.name(), Plain::of(&record)?))
    });
    plain.collect()
}
