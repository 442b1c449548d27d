//! HTTP Archives (HAR 1.2), as browsers and proxies write them.

mod body;
mod document;
mod exchange;

use std::io::BufRead;

use tautline_mcp::Role;

use self::body::Body;
use self::document::Document;
use self::exchange::Exchange;
use super::out::{At, Out, id_of_request};
use super::whole::{self, LineNumbers};
use super::{Event, SourceError, text};

const NO_TIMES: &str = "an HTTP archive has no times within a stream of events: requests of the server are taken for \
    early, and other messages for late";
const RESTORED: &str =
    "the tool has decoded streams of events as windows-1252 or Latin-1; their bytes were restored";
const NO_STREAM: &str = "the archive lacks the bodies of some streams of events: what the server has sent there is not \
    judged";
const NO_BODY: &str = "the archive lacks some bodies: what was sent there is not judged";
const NO_MCP: &str = "the archive has no exchange that carries MCP: a POST with a message of JSON-RPC, or with a \
    header Mcp-Session-Id";
const UNREADABLE: &str =
    "some entries of the archive have no request or no response, and were left out";
const UNSEEN: &str = "an HTTP archive does not record standard error and how the process ended";
const SESSIONS: &str =
    "the archive has several sessions: they were taken apart by URL and Mcp-Session-Id";

/// Returns whether a file begins like an archive.
pub(super) fn is_archive(start: &[u8]) -> bool {
    let after = |bytes: &'static [u8], text: &mut &[u8]| {
        let rest = text.trim_ascii_start().strip_prefix(bytes);
        rest.map(|rest| *text = rest).is_some()
    };
    let mut rest = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    [&b"{"[..], b"\"log\"", b":", b"{"].iter().all(|&token| after(token, &mut rest))
}

/// Reads an archive.
pub(super) fn read(reader: &mut dyn BufRead, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
    let bytes = whole::read(reader)?;
    let text = text::masked(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes));
    let mut part = String::new();
    let (document, text, broken): (Document<'_>, _, _) =
        whole::parse(&text, &mut part, "this is not a HAR")?;
    let start = At { line: 1, time: None };
    if document.is_of_mcpsnoop() {
        let why = "mcpsnoop has made this HAR from params and results, without ids: use its JSONL instead";
        return Err(SourceError::Format { line: 1, why: why.to_owned() });
    }
    let mut lines = LineNumbers::new(text);
    let (exchanges, unreadable) = exchange::of_document(&document, &mut lines);
    let sessions = exchange::sessions(&exchanges);
    if sessions.is_empty() {
        let none = SourceError::Format { line: 1, why: NO_MCP.to_owned() };
        return Err(broken.unwrap_or(none));
    }
    out.event(Event::Http, start)?;
    out.say(UNSEEN, start)?;
    out.say(NO_TIMES, start)?;
    if unreadable > 0 {
        out.say(UNREADABLE, start)?;
    }
    if sessions.len() > 1 {
        out.say(SESSIONS, start)?;
    }
    for (number, session) in sessions.iter().enumerate() {
        if number > 0 {
            out.end("the messages of another session follow", start)?;
        }
        one_session(session, out)?;
    }
    match broken {
        Some(error) => {
            out.missing(&[Role::Client, Role::Server], start)?;
            Err(error)
        }
        None => Ok(()),
    }
}

/// A part of an exchange. The variants are in the order of parts that have the same time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Request,
    /// The start of a stream of events, up to the last request of the server.
    Early,
    /// The rest of the response.
    Response,
}

fn one_session(session: &[&Exchange<'_>], out: &mut Out<'_, '_>) -> Result<(), SourceError> {
    let mut parts = Vec::with_capacity(session.len() * 2);
    for (index, exchange) in session.iter().enumerate() {
        let (start, end) = (exchange.start, exchange.end());
        parts.push((start, index, Part::Request));
        if exchange.is_stream {
            parts.push((start, index, Part::Early));
        }
        parts.push((end, index, Part::Response));
    }
    parts.sort();
    for (time, index, part) in parts {
        let Some(exchange) = session.get(index) else { continue };
        let at = At { line: exchange.line, time };
        match part {
            Part::Request => request(exchange, at, out)?,
            Part::Early => stream(exchange, at, Part::Early, out)?,
            Part::Response if exchange.is_stream => stream(exchange, at, part, out)?,
            Part::Response => response(exchange, at, out)?,
        }
    }
    Ok(())
}

fn request(exchange: &Exchange<'_>, at: At, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
    let Some(sent) = &exchange.request else { return Ok(()) };
    match body::of_request(sent) {
        Body::Bytes { bytes, .. } => out.frame(Role::Client, &bytes, at),
        Body::Empty => Ok(()),
        Body::Missing => {
            out.say(NO_BODY, at)?;
            out.missing(&[Role::Client], at)
        }
    }
}

fn response(exchange: &Exchange<'_>, at: At, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
    if !exchange.is_json {
        return if exchange.has_failed { failure(exchange, at, out) } else { Ok(()) };
    }
    match body::of_response(exchange) {
        // Servers and proxies may report a failure as JSON that is not JSON-RPC.
        Body::Bytes { bytes, .. } if exchange.has_failed && !text::mentions_jsonrpc(&bytes) => {
            failure(exchange, at, out)
        }
        Body::Bytes { bytes, .. } => out.frame(Role::Server, &bytes, at),
        Body::Empty => Ok(()),
        Body::Missing => {
            out.say(NO_BODY, at)?;
            out.missing(&[Role::Server], at)
        }
    }
}

/// Notes that the HTTP exchange failed.
fn failure(exchange: &Exchange<'_>, at: At, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
    let id = match exchange.request.as_ref().map(body::of_request) {
        Some(Body::Bytes { bytes, .. }) => id_of_request(&bytes),
        _ => None,
    };
    out.http_failed(id, at)
}

/// Emits one of the two parts of an event stream.
fn stream(
    exchange: &Exchange<'_>,
    at: At,
    part: Part,
    out: &mut Out<'_, '_>,
) -> Result<(), SourceError> {
    let (bytes, is_restored) = match body::of_response(exchange) {
        Body::Bytes { bytes, is_restored } => (bytes, is_restored),
        Body::Empty => return Ok(()),
        Body::Missing => {
            out.say(NO_STREAM, at)?;
            return out.missing(&[Role::Server], at);
        }
    };
    if is_restored {
        out.say(RESTORED, at)?;
    }
    let split = body::end_of_requests(&bytes);
    let (early, late) = bytes.split_at_checked(split).unwrap_or((&bytes, b""));
    // The time of an early event is not known, only that it was after the start.
    match part {
        Part::Early => {
            out.server_sent_events(Role::Server, early, &mut |_| At { time: None, ..at })
        }
        _ => out.server_sent_events(Role::Server, late, &mut |_| at),
    }
}
