//! The exchanges of an archive that carry MCP, by session.

use std::collections::{HashMap, HashSet};

use super::document::{Content, Document, Entry, Header, PostData, Request, Response, value_of};
use crate::source::whole::LineNumbers;
use crate::source::{Fields, RequestHead, ResponseHead, text, time};

/// An HTTP request and its response.
pub(super) struct Exchange<'a> {
    /// The line in the archive.
    pub line: u64,
    pub start: Option<i64>,
    /// In microseconds.
    duration: i64,
    url: String,
    session: Option<String>,
    /// The body of a POST.
    pub request: Option<PostData<'a>>,
    pub content: Option<Content<'a>>,
    pub is_stream: bool,
    /// True if the response names the encoding of its text.
    pub has_charset: bool,
    is_of_mcp: bool,
    pub sent: RequestHead<'static>,
    /// `None` if there was no response.
    pub received: Option<ResponseHead<'static>>,
    /// True if the archive has the headers of the response.
    pub has_headers: bool,
}

impl Exchange<'_> {
    pub fn end(&self) -> Option<i64> {
        self.start.map(|start| start.saturating_add(self.duration))
    }
}

/// Returns the exchanges that carry MCP, and the number of entries that can't be read.
pub(super) fn of_document<'a>(
    document: &Document<'a>,
    lines: &mut LineNumbers<'_>,
) -> (Vec<Exchange<'a>>, usize) {
    let mut unreadable = 0;
    let mut exchanges: Vec<_> = document
        .log
        .entries
        .iter()
        .filter_map(|raw| {
            let line = lines.line_of(raw.get());
            let entry = serde_json::from_str::<Entry<'_>>(raw.get()).ok();
            unreadable += usize::from(entry.is_none());
            entry.map(|entry| of_entry(entry, line))
        })
        .collect();
    let urls: HashSet<String> = exchanges
        .iter()
        .filter(|exchange| exchange.is_of_mcp && exchange.request.is_some())
        .map(|exchange| exchange.url.clone())
        .collect();
    exchanges.retain(|exchange| {
        exchange.is_of_mcp
            || exchange.is_stream && exchange.request.is_none() && urls.contains(&exchange.url)
    });
    (exchanges, unreadable)
}

const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";

fn of_entry(entry: Entry<'_>, line: u64) -> Exchange<'_> {
    let Entry { request, response, .. } = entry;
    let sent = sent(&request);
    let is_post = request.method.0.eq_ignore_ascii_case("POST");
    let is_get = request.method.0.eq_ignore_ascii_case("GET");
    let has = |headers: &[Header], name| value_of(headers, name).is_some();
    let session = value_of(&request.headers, SESSION)
        .or_else(|| value_of(&response.headers, SESSION))
        .map(str::to_owned);
    let content_type = value_of(&response.headers, "content-type").unwrap_or_default();
    let mime_type = response.content.as_ref().map(|content| content.mime_type.0.as_str());
    let types = format!("{content_type};{}", mime_type.unwrap_or_default()).to_ascii_lowercase();
    let is_type = |name: &str| types.split([';', ',']).any(|part| part.trim() == name);
    let is_stream = is_type("text/event-stream");
    let body = request.post_data.filter(|_| is_post);
    // An MCP client accepts JSON and event streams. The body is not a criterion, because a broken body need not look
    // like a message.
    let accept = value_of(&request.headers, "accept").unwrap_or_default();
    let takes_both = accept.contains("application/json") && accept.contains("text/event-stream");
    let has_headers = session.is_some() || has(&request.headers, VERSION) || takes_both;
    let mentions_it = body.as_ref().and_then(|body| body.text).is_some_and(|text| {
        text::unescaped(text).is_some_and(|text| text::mentions_jsonrpc(&text))
    });
    let type_of_body = match content_type {
        "" => mime_type.map(str::to_owned),
        _ => None,
    };
    let received = received(&response, type_of_body);
    Exchange {
        line,
        start: time::with_zone(&entry.started_date_time.0),
        duration: time::microseconds(entry.time.unwrap_or_default()),
        url: request.url.0,
        is_of_mcp: is_post && body.is_some() && (has_headers || mentions_it)
            || is_get && is_stream && (session.is_some() || has(&request.headers, VERSION)),
        session,
        request: body,
        content: response.content,
        is_stream,
        has_charset: types.contains("charset="),
        has_headers: !response.headers.is_empty(),
        sent,
        received,
    }
}

fn sent(request: &Request<'_>) -> RequestHead<'static> {
    RequestHead {
        method: request.method.0.to_ascii_uppercase().into(),
        target: request.url.0.clone().into(),
        headers: fields(&request.headers),
    }
}

/// Returns the head of a response, unless there was none. Bodies in archives are decoded.
fn received(
    response: &Response<'_>,
    type_of_body: Option<String>,
) -> Option<ResponseHead<'static>> {
    let mut headers = fields(&response.headers);
    headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-encoding"));
    headers.extend(type_of_body.map(|value| ("content-type".into(), value.into())));
    match u16::try_from(response.status) {
        // A tool that does not record it has recorded a body.
        Ok(0) | Err(_) => response.content.as_ref().map(|_| ResponseHead { status: 200, headers }),
        Ok(status) => Some(ResponseHead { status, headers }),
    }
}

fn fields(headers: &[Header]) -> Fields<'static> {
    headers
        .iter()
        .map(|header| (header.name.0.clone().into(), header.value.0.clone().into()))
        .collect()
}

/// Returns the exchanges of each session, the earliest first.
pub(super) fn sessions<'e, 'a>(exchanges: &'e [Exchange<'a>]) -> Vec<Vec<&'e Exchange<'a>>> {
    let mut indexes = HashMap::new();
    let mut sessions: Vec<Vec<&Exchange<'_>>> = Vec::new();
    for exchange in exchanges {
        let key = (exchange.url.as_str(), exchange.session.as_deref());
        let index = *indexes.entry(key).or_insert(sessions.len());
        match sessions.get_mut(index) {
            Some(session) => session.push(exchange),
            None => sessions.push(vec![exchange]),
        }
    }
    // The sort is stable: exchanges with the same time stay in the order of the file.
    for session in &mut sessions {
        session.sort_by_key(|exchange| exchange.start);
    }
    sessions.sort_by_key(|session| session.first().and_then(|exchange| exchange.start));
    sessions
}
