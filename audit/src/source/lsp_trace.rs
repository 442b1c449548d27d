//! Traces of LSP, as `vscode-languageclient`, LSP4J and others write them: as JSON, one message on a line or an array of
//! messages, or as text.

use std::borrow::Cow;
use std::io::BufRead;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::lines::{Line, Lines};
use super::lsp_text::{Body, Head};
use super::out::{At, Out};
use super::sides::{Sides, Way};
use super::whole::{self, LineNumbers};
use super::{SourceError, stamp, text, time};

/// A message in the JSON form.
#[derive(Deserialize)]
struct Traced<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    message: &'a RawValue,
    /// In milliseconds since the Unix epoch, or in the format of RFC 3339.
    #[serde(borrow, default)]
    timestamp: Option<&'a RawValue>,
}

impl Traced<'_> {
    fn way(&self) -> Option<Way> {
        let (verb, noun) = self.kind.split_once('-')?;
        let way = match verb {
            "send" => Way::Out,
            "receive" | "recv" => Way::In,
            _ => return None,
        };
        matches!(noun, "request" | "notification" | "response" | "error").then_some(way)
    }

    fn time(&self) -> Option<i64> {
        let time = self.timestamp?.get();
        match time.parse() {
            Ok(milliseconds) => time::since_epoch(milliseconds),
            Err(_) => time::with_zone(time.trim_matches('"')),
        }
    }
}

const REWRITTEN: &str = "the trace has messages that were parsed and written anew: repeated members, white space, and \
    the exact form of numbers and strings are lost";
const REBUILT: &str = "the trace has no messages, but their parts as text: the messages were rebuilt from them, and \
    the types of ids and the order of members are guesses";
const UNSEEN: &str = "frames that could not be parsed are not in the trace";
const NO_TIME: &str = "the times in the trace are whole seconds without a date: they were left out";
const NO_BODY: &str =
    "the trace was recorded without params and results: messages were rebuilt without them";
const LOST_BODY: &str =
    "the params or the result of some messages could not be read, and were left out";
const CUT: &str = "the trace ends before its array does";
const LOST_ERROR: &str = "some errors in the trace have no end, and are not judged";

/// Returns whether a line begins a record of a trace.
pub(super) fn is_record(line: &[u8]) -> bool {
    let masked = text::masked(line);
    parse(&masked).is_some()
}

/// The start of a record.
enum Start<'a> {
    /// It is a whole message.
    Json(Traced<'a>),
    /// It is the head of a message; its body may follow.
    Text(Head<'a>),
    /// It is something else, which ends the record before it.
    Other,
}

/// Parses the first line of a record. Also returns the time at its start, if there is one.
fn parse(line: &str) -> Option<(Start<'_>, Option<i64>)> {
    if let Some(stamp) = stamp::split(line) {
        let time = time::without_zone(stamp.time);
        return start(stamp.text).map(|start| (start, time));
    }
    if line.starts_with('{') {
        return traced(line).map(|traced| (Start::Json(traced), None));
    }
    let (name, rest) = line.strip_prefix('[')?.split_once(" - ")?;
    if !matches!(name.trim_end(), "Trace" | "LSP") {
        return None;
    }
    let (_, words) = rest.split_once("] ")?;
    Some((start(words).unwrap_or(Start::Other), None))
}

fn start(words: &str) -> Option<Start<'_>> {
    if words.starts_with('{') {
        return traced(words).map(Start::Json);
    }
    Head::parse(words).map(Start::Text)
}

fn traced(json: &str) -> Option<Traced<'_>> {
    let traced: Traced<'_> = serde_json::from_str(json).ok()?;
    traced.way().map(|_| traced)
}

/// Returns whether a line begins any record of an output channel.
fn begins_record(line: &str) -> bool {
    let level = line.strip_prefix('[').and_then(|rest| rest.split_once(" - "));
    level.is_some_and(|(level, _)| {
        matches!(level.trim_end(), "Trace" | "LSP" | "Info" | "Warn" | "Error" | "Debug")
    }) || stamp::split(line).is_some()
}

/// Returns whether a file is an array of messages, or has messages over several lines.
pub(super) fn is_document(start: &[u8]) -> bool {
    let start = text::masked(start);
    let first = start.trim_start();
    let is_array = first.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with('{'));
    let is_indented = first.strip_prefix('{').is_some_and(|rest| {
        rest.find(|c: char| !c.is_ascii_whitespace())
            .is_some_and(|at| rest.get(..at).unwrap_or_default().contains('\n'))
    });
    let has_kind = || {
        ["send", "receive", "recv"].iter().any(|verb| {
            let nouns = ["request", "notification", "response"];
            nouns.iter().any(|noun| first.contains(&format!("\"{verb}-{noun}\"")))
        })
    };
    (is_array || is_indented)
        && ["\"type\"", "\"message\""].iter().all(|name| first.contains(name))
        && has_kind()
}

/// Reads a trace.
pub(super) fn read(reader: &mut dyn BufRead, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
    let start = reader.fill_buf().map_err(|error| SourceError::Read { source: 0, error })?;
    let mut sides = Sides::default();
    if is_document(start) {
        read_document(&whole::read(reader)?, &mut sides, out)?;
    } else {
        read_lines(reader, &mut sides, out)?;
    }
    sides.finish(out)
}

/// Reads an array of messages, or messages one after the other.
fn read_document(
    bytes: &[u8],
    sides: &mut Sides,
    out: &mut Out<'_, '_>,
) -> Result<(), SourceError> {
    let document = text::masked(bytes);
    let mut lines = LineNumbers::new(&document);
    let rest = document.trim_start();
    let (mut rest, is_array) = match rest.strip_prefix('[') {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        let at = At { line: lines.line_of(rest), time: None };
        if is_array && rest.starts_with(']') {
            return Ok(());
        }
        let Some((entry, after)) = text::first_value(rest) else {
            return if is_array || !rest.is_empty() { out.say(CUT, at) } else { Ok(()) };
        };
        rest = after;
        // Other entries are not messages.
        let Some(traced) = traced(entry.get()) else { continue };
        let at = At { line: lines.line_of(traced.message.get()), time: traced.time() };
        json(&traced, traced.message.get().as_bytes(), at, sides, out)?;
    }
}

fn json(
    traced: &Traced<'_>,
    message: &[u8],
    at: At,
    sides: &mut Sides,
    out: &mut Out<'_, '_>,
) -> Result<(), SourceError> {
    out.rewritten(REWRITTEN, at)?;
    out.say(UNSEEN, at)?;
    traced.way().map_or(Ok(()), |way| sides.message(way, message, at, out))
}

/// Reads a trace line by line.
fn read_lines(
    reader: &mut dyn BufRead,
    sides: &mut Sides,
    out: &mut Out<'_, '_>,
) -> Result<(), SourceError> {
    let mut lines = Lines::new(reader);
    let mut pending: Option<Pending> = None;
    while let Some(line) = lines.next()? {
        let masked = text::masked(line.content());
        match parse(&masked) {
            Some((found, time)) => {
                finish(&mut pending, sides, out)?;
                pending = begin(found, time, line, &masked, sides, out)?;
            }
            None if begins_record(&masked) => finish(&mut pending, sides, out)?,
            None => {
                if let Some(pending) = &mut pending {
                    pending.body.push(&masked);
                }
            }
        }
    }
    finish(&mut pending, sides, out)
}

/// A message in the text form, whose body may continue.
struct Pending {
    head: Head<'static>,
    body: Body,
    at: At,
}

/// Emits the message that a line has, or returns the one that it begins.
fn begin(
    found: Start<'_>,
    time: Option<i64>,
    line: Line<'_>,
    masked: &str,
    sides: &mut Sides,
    out: &mut Out<'_, '_>,
) -> Result<Option<Pending>, SourceError> {
    let at = At { line: line.number, time };
    match found {
        Start::Json(traced) => {
            let at = At { time: traced.time().or(time), ..at };
            let message = text::range(masked, traced.message.get());
            let message = line.bytes.get(message).unwrap_or_default();
            json(&traced, message, at, sides, out)?;
            Ok(None)
        }
        Start::Text(head) => {
            out.rewritten(REBUILT, at)?;
            out.say(UNSEEN, at)?;
            if time.is_none() {
                out.say(NO_TIME, at)?;
            }
            Ok(Some(Pending { head: head.into_owned(), body: Body::default(), at }))
        }
        Start::Other => Ok(None),
    }
}

/// Emits the message that was read last.
fn finish(
    pending: &mut Option<Pending>,
    sides: &mut Sides,
    out: &mut Out<'_, '_>,
) -> Result<(), SourceError> {
    let Some(Pending { head, body, at }) = pending.take() else { return Ok(()) };
    let Some(built) = head.message(&body) else {
        out.say(LOST_ERROR, at)?;
        return sides.missing(head.way, head.answers(), at, out);
    };
    if built.has_lost_body {
        out.say(LOST_BODY, at)?;
    } else if built.lacks_body {
        out.say(NO_BODY, at)?;
    }
    sides.message(head.way, built.message.as_bytes(), at, out)
}
