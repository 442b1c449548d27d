//! The heads of requests and responses: what a proxy changes in them, and how they are recorded.

use std::borrow::Cow;
use std::net::IpAddr;

use hyper::header::{CONNECTION, CONTENT_LENGTH, HOST, TE, TRANSFER_ENCODING, UPGRADE};
use hyper::header::{HeaderName, HeaderValue};
use hyper::http::request;
use hyper::http::response;
use hyper::http::uri::{Authority, PathAndQuery, Scheme};
use hyper::{HeaderMap, StatusCode, Uri, Version};
use tautline_audit::source::{Fields, RequestHead, ResponseHead};

/// The server that gets the requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upstream {
    scheme: Scheme,
    authority: Authority,
    path: PathAndQuery,
}

impl Upstream {
    /// Parses a URL.
    ///
    /// # Errors
    ///
    /// Returns why it can't be used.
    pub fn parse(url: &str) -> Result<Self, String> {
        let uri: Uri = url.parse().map_err(|error| format!("this is not a URL: {error}"))?;
        let parts = uri.into_parts();
        let (Some(scheme), Some(authority)) = (parts.scheme, parts.authority) else {
            return Err(
                "a URL with a scheme and a host is needed, such as http://127.0.0.1:3000/mcp"
                    .to_owned(),
            );
        };
        let is_https = scheme == Scheme::HTTPS;
        if !is_https && scheme != Scheme::HTTP {
            return Err(format!("the scheme {scheme} is not http or https"));
        }
        if is_https && !cfg!(feature = "tls") {
            return Err(
                "this program was built without https: build it with --features tls".to_owned()
            );
        }
        if authority.as_str().contains('@') {
            return Err("a user in a URL is not sent: let the client send Authorization".to_owned());
        }
        let path = parts.path_and_query.unwrap_or_else(|| PathAndQuery::from_static("/"));
        Ok(Self { scheme, authority, path })
    }

    /// Returns the URL of the endpoint.
    pub fn url(&self) -> String {
        let Self { scheme, authority, path } = self;
        format!("{scheme}://{authority}{path}")
    }

    /// Returns whether a target is the endpoint. Others are not part of MCP, but often of OAuth.
    pub fn is_endpoint(&self, target: &str) -> bool {
        target.split('?').next() == Some(self.path())
    }

    /// Returns the path of the endpoint.
    pub fn path(&self) -> &str {
        self.path.path()
    }

    /// Returns where a request goes: those to `/` and to the path of the endpoint go to the endpoint, and others keep their
    /// path. The query is that of the request or, for the endpoint, else that of its URL.
    pub fn target(&self, uri: &Uri) -> PathAndQuery {
        let own = uri.path_and_query();
        let is_endpoint = matches!(uri.path(), "/" | "") || uri.path() == self.path.path();
        match (is_endpoint, uri.query()) {
            (true, None) => self.path.clone(),
            (true, Some(query)) => {
                let text = format!("{}?{query}", self.path.path());
                PathAndQuery::try_from(text).unwrap_or_else(|_| self.path.clone())
            }
            (false, _) => own.cloned().unwrap_or_else(|| self.path.clone()),
        }
    }

    /// Turns the head of a request into the one that the server gets.
    pub fn rewrite(&self, head: &mut request::Parts, target: PathAndQuery) {
        // Trailers are passed on, so the client's wish for them is, too.
        let wants_trailers = head.headers.get_all(TE).iter().any(|value| {
            value.to_str().is_ok_and(|value| {
                value.split(',').any(|part| part.trim().eq_ignore_ascii_case("trailers"))
            })
        });
        remove_hops(&mut head.headers);
        if wants_trailers {
            head.headers.insert(TE, HeaderValue::from_static("trailers"));
            head.headers.insert(CONNECTION, HeaderValue::from_static("TE"));
        }
        if let Ok(host) = HeaderValue::from_str(self.authority.as_str()) {
            head.headers.insert(HOST, host);
        }
        let mut parts = hyper::http::uri::Parts::default();
        parts.scheme = Some(self.scheme.clone());
        parts.authority = Some(self.authority.clone());
        parts.path_and_query = Some(target);
        head.uri = Uri::from_parts(parts).unwrap_or_default();
        head.version = Version::HTTP_11;
    }
}

/// Removes the headers that are about one connection only (RFC 9110, section 7.6.1).
pub fn remove_hops(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        // They are about the message.
        .filter(|name| ![HOST, CONTENT_LENGTH, TRANSFER_ENCODING].contains(name))
        .collect();
    for name in named {
        headers.remove(name);
    }
    // The length is that of the chunks, whatever the other header says (RFC 9112, section 6.3).
    if headers.contains_key(TRANSFER_ENCODING) {
        headers.remove(CONTENT_LENGTH);
    }
    for name in [CONNECTION, TE, TRANSFER_ENCODING, UPGRADE] {
        headers.remove(name);
    }
    headers.remove("keep-alive");
    headers.remove("proxy-connection");
}

/// Returns header fields as they are recorded: each byte of a value is one character.
pub fn fields(headers: &HeaderMap) -> Fields<'static> {
    let text = |value: &HeaderValue| value.as_bytes().iter().copied().map(char::from).collect();
    headers
        .iter()
        .map(|(name, value)| (Cow::Owned(name.as_str().to_owned()), Cow::Owned(text(value))))
        .collect()
}

/// Returns the head of a request as it came, with the target at the server.
pub fn of_request(head: &request::Parts, target: &PathAndQuery) -> RequestHead<'static> {
    let mut headers = fields(&head.headers);
    // HTTP/2 has a pseudo-header instead.
    if let Some(authority) = head.uri.authority().filter(|_| !head.headers.contains_key(HOST)) {
        headers.insert(0, ("host".into(), authority.to_string().into()));
    }
    RequestHead {
        method: head.method.to_string().into(),
        target: target.to_string().into(),
        headers,
    }
}

/// Returns the head of a response as it came.
pub fn of_response(head: &response::Parts) -> ResponseHead<'static> {
    ResponseHead { status: head.status.as_u16(), headers: fields(&head.headers) }
}

/// Returns why a request is refused, if it is.
///
/// The server can no longer see which name the client has used, because `Host` is rewritten. A page whose name resolves to
/// this machine could reach it (DNS rebinding). So a proxy on a loopback address accepts the names of the loopback only.
pub fn refusal(head: &request::Parts, is_loopback: bool) -> Option<(StatusCode, &'static str)> {
    if head.method == hyper::Method::CONNECT {
        return Some((StatusCode::METHOD_NOT_ALLOWED, "this proxy has no CONNECT"));
    }
    let host = head.headers.get(HOST).map(HeaderValue::as_bytes);
    let host = host.and_then(|host| Authority::try_from(host).ok());
    let host = host.or_else(|| head.uri.authority().cloned());
    match host {
        Some(host) if !is_loopback || is_loopback_name(host.host()) => None,
        None if head.version < Version::HTTP_11 => None,
        Some(_) => Some((
            StatusCode::FORBIDDEN,
            "the Host is not a name of this machine, and the proxy listens on a loopback address",
        )),
        None => Some((StatusCode::BAD_REQUEST, "the Host is missing or malformed")),
    }
}

fn is_loopback_name(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || address.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use hyper::HeaderMap;
    use hyper::header::{HeaderName, HeaderValue};

    use super::{Upstream, fields, is_loopback_name, remove_hops};

    #[test]
    fn the_endpoint_has_two_paths_and_others_are_kept() {
        let upstream = Upstream::parse("http://127.0.0.1:3000/mcp?key=1").unwrap();
        for (from, to) in [
            ("/", "/mcp?key=1"),
            ("/mcp", "/mcp?key=1"),
            ("/mcp?a=2", "/mcp?a=2"),
            ("/?a=2", "/mcp?a=2"),
            ("/.well-known/oauth-protected-resource?x", "/.well-known/oauth-protected-resource?x"),
            ("/mcp/", "/mcp/"),
        ] {
            assert_eq!(upstream.target(&from.parse().unwrap()).as_str(), to, "{from}");
        }
    }

    #[test]
    fn urls_that_can_not_be_used_are_refused() {
        for url in ["127.0.0.1:3000", "/mcp", "ftp://a/", "http://user:pw@host/", "http://", "a b"]
        {
            assert!(Upstream::parse(url).is_err(), "{url}");
        }
        assert_eq!(Upstream::parse("https://a").is_ok(), cfg!(feature = "tls"));
        assert_eq!(Upstream::parse("http://a:1").unwrap().url(), "http://a:1/");
    }

    #[test]
    fn headers_of_one_connection_are_removed() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "keep-alive, X-Hop"),
            ("connection", "content-length,host"),
            ("keep-alive", "timeout=5"),
            ("x-hop", "1"),
            ("te", "gzip"),
            ("transfer-encoding", "chunked"),
            ("upgrade", "h2c"),
            ("proxy-connection", "close"),
            ("host", "a"),
            ("content-length", "2"),
            ("trailer", "x-sum"),
            ("authorization", "Bearer x"),
            ("mcp-name", "\u{e9}"),
        ] {
            let value = HeaderValue::from_bytes(value.as_bytes()).unwrap();
            headers.append(name.parse::<HeaderName>().unwrap(), value);
        }
        remove_hops(&mut headers);
        let mut kept = fields(&headers);
        kept.sort();
        let names: Vec<&str> = kept.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["authorization", "host", "mcp-name", "trailer"]);
        assert_eq!(kept[2].1, "\u{c3}\u{a9}");
        // A length that nothing contradicts is kept, even if it is named.
        let mut headers = HeaderMap::new();
        headers.insert("connection", HeaderValue::from_static("content-length"));
        headers.insert("content-length", HeaderValue::from_static("2"));
        remove_hops(&mut headers);
        assert_eq!(fields(&headers), [("content-length".into(), "2".into())]);
    }

    #[test]
    fn only_the_loopback_is_this_machine() {
        for (host, expected) in [
            ("localhost", true),
            ("127.0.0.2", true),
            ("[::1]", true),
            ("evil.example", false),
            ("127.0.0.1.evil.example", false),
            ("10.0.0.1", false),
        ] {
            assert_eq!(is_loopback_name(host), expected, "{host}");
        }
    }
}
