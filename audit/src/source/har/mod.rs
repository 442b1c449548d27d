//! HTTP Archives (HAR 1.2), as browsers and proxies write them.

mod body;
mod document;
mod exchange;

use std::io::BufRead;

use tautline_mcp::Role;

use self::body::Body;
use self::document::Document;
use self::exchange::Exchange;
use super::http::{Exchanges, HeadReport, Part};
use super::out::{At, Out};
use super::whole::{self, LineNumbers};
use super::{Event, SourceError, text};

const NO_TIMES: &str = "an HTTP archive has no times within a stream of events: requests of the server are taken for \
    early, and other messages for late";
const RESTORED: &str =
    "the tool has decoded streams of events as windows-1252 or Latin-1; their bytes were restored";
const NO_STREAM: &str = "the archive lacks the bodies of some streams of events: what the server has sent there is not \
    judged";
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

/// A step of an exchange. The variants are in the order of steps that have the same time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
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
        parts.push((start, index, Step::Request));
        if exchange.is_stream {
            parts.push((start, index, Step::Early));
        }
        parts.push((end, index, Step::Response));
    }
    parts.sort();
    let mut exchanges = Exchanges::new(None, out.limit());
    for (time, index, step) in parts {
        let Some(exchange) = session.get(index) else { continue };
        let at = At { line: exchange.line, time };
        let mut player = Player { exchange, number: index as u64, exchanges: &mut exchanges, out };
        match step {
            Step::Request => player.request(at)?,
            Step::Early => player.stream(at, Step::Early)?,
            Step::Response if exchange.is_stream => player.stream(at, step)?,
            Step::Response => player.response(at)?,
        }
    }
    Ok(())
}

/// Plays the parts of an exchange.
struct Player<'p, 'e, 'r, 'a> {
    exchange: &'p Exchange<'e>,
    number: u64,
    exchanges: &'p mut Exchanges,
    out: &'p mut Out<'r, 'a>,
}

impl Player<'_, '_, '_, '_> {
    fn part(&mut self, part: &Part<'_>, at: At) -> Result<(), SourceError> {
        let Self { exchange, number, exchanges, out } = self;
        let mut failure = None;
        let result = exchanges.part(*number, part, at.into(), &mut |_, event, place| {
            // The rules would miss the headers.
            let is_unseen =
                |report: &HeadReport| report.from == Role::Server && !exchange.has_headers;
            if matches!(&event, Event::Head(report) if is_unseen(report)) {
                return Ok(());
            }
            let at = At { line: place.line.unwrap_or(exchange.line), time: place.time };
            out.pass_on(event, at).map_err(|error| {
                failure = Some(error);
                std::io::ErrorKind::Other.into()
            })
        });
        match (result, failure) {
            (_, Some(failure)) => Err(failure),
            (Err(error), None) => Err(SourceError::Receive(error)),
            (Ok(()), None) => Ok(()),
        }
    }

    fn bytes(&mut self, from: Role, bytes: &[u8], at: At) -> Result<(), SourceError> {
        self.part(&Part::Bytes { from, bytes }, at)
    }

    fn close(&mut self, from: Role, at: At) -> Result<(), SourceError> {
        self.part(&Part::Closed { from, trailers: Vec::new() }, at)
    }

    fn request(&mut self, at: At) -> Result<(), SourceError> {
        let from = Role::Client;
        self.part(&Part::Request(self.exchange.sent.clone()), at)?;
        match self.exchange.request.as_ref().map(body::of_request) {
            Some(Body::Bytes { bytes, .. }) => self.bytes(from, &bytes, at)?,
            Some(Body::Missing) => self.part(&Part::Omitted { from, count: 0 }, at)?,
            Some(Body::Empty) | None => {}
        }
        self.close(from, at)
    }

    fn response(&mut self, at: At) -> Result<(), SourceError> {
        let from = Role::Server;
        let Some(head) = self.exchange.received.clone() else { return self.lost(at) };
        self.part(&Part::Response(head), at)?;
        match body::of_response(self.exchange) {
            Body::Bytes { bytes, .. } => self.bytes(from, &bytes, at)?,
            Body::Missing => self.part(&Part::Omitted { from, count: 0 }, at)?,
            Body::Empty => {}
        }
        self.close(from, at)
    }

    fn lost(&mut self, at: At) -> Result<(), SourceError> {
        self.part(&Part::Aborted { from: Role::Server, why: "no response".into() }, at)
    }

    /// Plays one of the two parts of an event stream.
    fn stream(&mut self, at: At, step: Step) -> Result<(), SourceError> {
        let from = Role::Server;
        let Some(head) = self.exchange.received.clone() else { return self.lost(at) };
        let (bytes, is_restored) = match body::of_response(self.exchange) {
            Body::Bytes { bytes, is_restored } => (bytes, is_restored),
            Body::Empty => (Vec::new(), false),
            Body::Missing => {
                self.out.say(NO_STREAM, at)?;
                self.out.missing(&[from], at)?;
                (Vec::new(), false)
            }
        };
        if is_restored {
            self.out.say(RESTORED, at)?;
        }
        let split = body::end_of_requests(&bytes);
        let (early, late) = bytes.split_at_checked(split).unwrap_or((&bytes, b""));
        match step {
            Step::Early => {
                self.part(&Part::Response(head), at)?;
                // The time of an early event is not known, only that it was after the start.
                self.bytes(from, early, At { time: None, ..at })
            }
            _ => {
                self.bytes(from, late, at)?;
                self.close(from, at)
            }
        }
    }
}
