//! The output log that VS Code writes for each MCP server.

use std::io::BufRead;

use serde_json::value::RawValue;
use tautline::Rule;
use tautline_mcp::Role;

use super::lines::Lines;
use super::out::{At, Out};
use super::{Event, SourceError, stamp, text, time};
use crate::visible::printable;

const REWRITTEN: &str = "VS Code parses messages and writes them anew: repeated members, white space, and the exact \
    form of numbers and strings are lost, bytes that are not UTF-8 were replaced, and batches were split";
const NO_ZONE: &str =
    "the times in logs of VS Code are local, without a zone: only their differences count";
const CUT: &str = "a line of the log was cut off in a message, which is not judged";

/// The words before a message, in current versions and in versions up to early 2025.
const MESSAGES: [(&str, Role); 4] = [
    ("[editor -> server] ", Role::Client),
    ("[server -> editor] ", Role::Server),
    ("[Client Says] ", Role::Client),
    ("[Server Says] ", Role::Server),
];

/// Other words at the start of a text that occur in no other log.
const OTHERS: [&str; 5] = [
    "Failed to parse message: \"",
    "[server stderr] ",
    "Connection state: ",
    "Starting server ",
    "Waiting for server to respond to `initialize`",
];

/// Words in a text that occur only if the server is reached over HTTP.
const HTTP: [&str; 4] =
    [" status sending message to http", " status connecting to http", "legacy SSE", " as SSE: "];

/// Returns whether a line is a record of such a log.
pub(super) fn is_record(line: &[u8]) -> bool {
    stamp::split(&text::masked(line)).is_some_and(|stamp| {
        let words = MESSAGES.iter().map(|(words, _)| words).chain(&OTHERS);
        words.into_iter().any(|words| stamp.text.starts_with(words))
    })
}

/// Reads a log.
pub(super) fn read(reader: &mut dyn BufRead, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
    let mut lines = Lines::new(reader);
    let mut is_http = false;
    while let Some(line) = lines.next()? {
        let masked = text::masked(line.content());
        // Lines without a time continue the record before them, which is not a message.
        let Some(stamp) = stamp::split(&masked) else { continue };
        let at = At { line: line.number, time: time::without_zone(stamp.time) };
        if HTTP.iter().any(|words| stamp.text.contains(words)) && !is_message(stamp.text) {
            is_http = true;
            out.event(Event::Http, at)?;
        }
        record(stamp.text, line.is_cut(), is_http, at, out)?;
    }
    Ok(())
}

fn is_message(text: &str) -> bool {
    MESSAGES.iter().any(|(words, _)| text.starts_with(words))
}

/// Returns whether a text is the data of an `endpoint` event, with which HTTP+SSE begins a stream: the URI to which the
/// client sends its messages.
fn is_endpoint(text: &[u8]) -> bool {
    [&b"/"[..], b"http://", b"https://"].iter().any(|start| text.starts_with(start))
        && text.iter().all(u8::is_ascii_graphic)
}

fn record(
    words: &str,
    is_cut: bool,
    is_http: bool,
    at: At,
    out: &mut Out<'_, '_>,
) -> Result<(), SourceError> {
    for (before, from) in MESSAGES {
        let Some(message) = words.strip_prefix(before) else { continue };
        out.rewritten(REWRITTEN, at)?;
        out.say(NO_ZONE, at)?;
        if is_cut && serde_json::from_str::<&RawValue>(message).is_err() {
            out.say(CUT, at)?;
            return out.missing(&[from], at);
        }
        return out.frame(from, message.as_bytes(), at);
    }
    if let Some(literal) = words.strip_prefix("Failed to parse message: ") {
        let Ok(literal) = serde_json::from_str(literal) else { return Ok(()) };
        let bytes = text::unescaped(literal).unwrap_or_default();
        let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        // Blank lines are ignored, as in any stream of lines.
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        if is_http && is_endpoint(line) {
            let words = format!(
                "this is the data of an SSE event `endpoint`, which names the URI for messages and is not a message: \
                 {:?}; the event had another name or none, or the client did not read its name",
                printable(line)
            );
            return out.breach(Role::Server, Rule::NOT_JSON, words, at);
        }
        return out.frame(Role::Server, line, at);
    }
    if let Some(text) = words.strip_prefix("[server stderr] ") {
        return out.stderr(text.as_bytes(), at);
    }
    if words.starts_with("Starting server ") && !words.starts_with("Starting server from ") {
        return out.end("the server was started again", at);
    }
    match words.strip_prefix("Connection state: ") {
        Some("Stopped") => out.end("stopped by the editor", at),
        Some(state) => match state.strip_prefix("Error ") {
            Some(error) => out.fail(&failure(error), at),
            None => Ok(()),
        },
        None => Ok(()),
    }
}

/// Returns how the process ended, in words that follow "the process has".
fn failure(error: &str) -> String {
    match error.strip_prefix("Process exited with code ") {
        Some(code) => format!("exited with status {code}"),
        None => format!("failed: {error}"),
    }
}
