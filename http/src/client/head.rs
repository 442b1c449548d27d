//! The heads of requests: the headers that each of them has.

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request};
use http_body_util::Full;
use tautline::Message;
use tautline_mcp::http::{Field, mirrored};
use tautline_mcp::{KnownMethod, ParamsView};

use super::outgoing::{Kind, Outgoing};
use super::shared::{Mode, Shared};

const JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENTS: HeaderValue = HeaderValue::from_static("text/event-stream");
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

impl Shared {
    /// Returns the POST of a message.
    pub(super) fn post(
        &self,
        outgoing: &Outgoing,
        message: &Message<'_>,
        mode: &Mode,
    ) -> Request<Full<Bytes>> {
        let mut request = self.request(Method::POST, outgoing.text.clone());
        let headers = request.headers_mut();
        headers.insert(ACCEPT, BOTH);
        headers.insert(CONTENT_TYPE, JSON);
        if mode.is_modern() {
            headers.insert(VERSION, HeaderValue::from_static(mode.revision.name()));
            self.mirror(message, headers);
        } else if !matches!(outgoing.kind, Kind::Initialize(_)) {
            identify(headers, mode);
        }
        request
    }

    /// Returns the GET that opens a stream, or resumes one after an event.
    pub(super) fn get(&self, after: Option<HeaderValue>, mode: &Mode) -> Request<Full<Bytes>> {
        let mut request = self.request(Method::GET, Bytes::new());
        let headers = request.headers_mut();
        headers.insert(ACCEPT, EVENTS);
        identify(headers, mode);
        if let Some(after) = after {
            headers.insert(LAST_EVENT, after);
        }
        request
    }

    /// Returns the DELETE that ends a session.
    pub(super) fn delete(&self, mode: &Mode) -> Request<Full<Bytes>> {
        let mut request = self.request(Method::DELETE, Bytes::new());
        identify(request.headers_mut(), mode);
        request
    }

    /// Returns the headers that repeat the arguments of a tool.
    pub(super) fn parameters(&self, message: &Message<'_>) -> Vec<(HeaderName, HeaderValue)> {
        let Message::Request(request) = message else { return Vec::new() };
        if request.method() != KnownMethod::ToolsCall.name() {
            return Vec::new();
        }
        let params = request.params().and_then(ParamsView::of);
        let call = params.and_then(|params| Some((params.name()?, params.arguments()?)));
        call.map(|(tool, arguments)| self.tools.headers(tool, arguments)).unwrap_or_default()
    }

    /// Adds the headers that repeat the body (2026-07-28).
    fn mirror(&self, message: &Message<'_>, headers: &mut HeaderMap) {
        mirrored(message, |field, value| {
            let name = match field {
                Field::ProtocolVersion => VERSION,
                Field::Method => METHOD,
                Field::Name => NAME,
                _ => return,
            };
            // A method that no header can hold is one that no server has.
            if let Ok(value) = HeaderValue::try_from(value.to_string()) {
                headers.insert(name, value);
            }
        });
        for (name, value) in self.parameters(message) {
            headers.insert(name, value);
        }
    }

    fn request(&self, method: Method, body: Bytes) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = self.settings.uri.clone();
        *request.headers_mut() = self.settings.headers.clone();
        request
    }
}

/// Adds the headers of the legacy era.
fn identify(headers: &mut HeaderMap, mode: &Mode) {
    headers.insert(VERSION, HeaderValue::from_static(mode.revision.name()));
    if let Some(session) = &mode.session {
        headers.insert(SESSION, session.clone());
    }
}

#[cfg(test)]
mod tests {
    use tautline_mcp::http::Field;

    use super::{LAST_EVENT, METHOD, NAME, SESSION, VERSION};

    #[test]
    fn the_headers_are_those_of_the_protocol() {
        for (header, field) in [
            (VERSION, Field::ProtocolVersion),
            (METHOD, Field::Method),
            (NAME, Field::Name),
            (SESSION, Field::SessionId),
            (LAST_EVENT, Field::LastEventId),
        ] {
            assert_eq!(Field::named(header.as_str().as_bytes()), Some(field));
        }
    }
}
