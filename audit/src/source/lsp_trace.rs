//! Traces of LSP clients, as `vscode-languageclient` writes them: as JSON, or as text.

use std::borrow::Cow;
use std::io::BufRead;

use serde::Deserialize;
use serde_json::value::RawValue;
use tautline_mcp::Role;

use super::lines::{Line, Lines};
use super::lsp_text::{Body, Head};
use super::out::{At, Out};
use super::{Event, SourceError, stamp, text, time};

/// A message in the JSON form.
#[derive(Deserialize)]
struct Traced<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    message: &'a RawValue,
    /// In milliseconds since the Unix epoch.
    #[serde(default)]
    timestamp: Option<f64>,
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
    sender(&traced.kind).map(|_| traced)
}

/// Returns the sender of a message. The trace is written from the client's point of view.
fn sender(kind: &str) -> Option<Role> {
    let (verb, noun) = kind.split_once('-')?;
    let from = match verb {
        "send" => Role::Client,
        "receive" | "recv" => Role::Server,
        _ => return None,
    };
    matches!(noun, "request" | "notification" | "response").then_some(from)
}

/// Returns whether a line begins any record of an output channel.
fn begins_record(line: &str) -> bool {
    let level = line.strip_prefix('[').and_then(|rest| rest.split_once(" - "));
    level.is_some_and(|(level, _)| {
        matches!(level.trim_end(), "Trace" | "LSP" | "Info" | "Warn" | "Error" | "Debug")
    }) || stamp::split(line).is_some()
}

/// Reads a trace.
pub(super) fn read(reader: &mut dyn BufRead, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
    let mut lines = Lines::new(reader);
    let mut pending: Option<Pending> = None;
    while let Some(line) = lines.next()? {
        let masked = text::masked(line.content());
        match parse(&masked) {
            Some((found, time)) => {
                finish(&mut pending, out)?;
                begin(found, time, line, &masked, &mut pending, out)?;
            }
            None if begins_record(&masked) => finish(&mut pending, out)?,
            None => {
                if let Some(pending) = &mut pending {
                    pending.body.push(&masked);
                }
            }
        }
    }
    finish(&mut pending, out)
}

/// A message in the text form, whose body may continue.
struct Pending {
    head: Head<'static>,
    body: Body,
    at: At,
}

fn begin(
    found: Start<'_>,
    time: Option<i64>,
    line: Line<'_>,
    masked: &str,
    pending: &mut Option<Pending>,
    out: &mut Out<'_, '_>,
) -> Result<(), SourceError> {
    let mut at = At { line: line.number, time };
    match found {
        Start::Json(traced) => {
            out.rewritten(REWRITTEN, at)?;
            out.say(UNSEEN, at)?;
            let from = sender(&traced.kind).unwrap_or(Role::Client);
            at.time = traced.timestamp.map(time::microseconds).or(time);
            let message = text::range(masked, traced.message.get());
            out.frame(from, line.bytes.get(message).unwrap_or_default(), at)
        }
        Start::Text(head) => {
            out.rewritten(REBUILT, at)?;
            out.say(UNSEEN, at)?;
            if time.is_none() {
                out.say(NO_TIME, at)?;
            }
            *pending = Some(Pending { head: head.into_owned(), body: Body::default(), at });
            Ok(())
        }
        Start::Other => Ok(()),
    }
}

/// Emits the message that was read last.
fn finish(pending: &mut Option<Pending>, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
    let Some(Pending { head, body, at }) = pending.take() else { return Ok(()) };
    let Some(built) = head.message(&body) else {
        out.say(LOST_ERROR, at)?;
        return out.event(Event::Missing { from: head.from, answers: head.answers() }, at);
    };
    if built.has_lost_body {
        out.say(LOST_BODY, at)?;
    } else if built.lacks_body {
        out.say(NO_BODY, at)?;
    }
    out.frame(head.from, built.message.as_bytes(), at)
}
