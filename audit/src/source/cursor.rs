//! The log that Cursor writes for its MCP servers. It has no messages, but quotes lines that are not JSON.

use std::io::BufRead;

use super::json_error::JsonError;
use super::lines::{Line, Lines};
use super::out::{At, Out};
use super::servers::{KeptLine, Servers};
use super::{Event, SourceError, stamp, text, time};

const NO_MESSAGES: &str = "Cursor's log has no messages at any level: only lines that are not JSON are judged, of which \
    it quotes a few characters at most";
const NO_ZONE: &str =
    "the times in logs of Cursor are local, without a zone: only their differences count";

/// The words in a text that occur in no other log, wherever they are.
const WORDS: [&str; 14] = [
    "[V2 FSM] ",
    "CreateClient ",
    "Client error: ",
    "Client error for command",
    "Client closed for command",
    "Handling ListOfferings",
    "listOfferings",
    "Handling CallTool",
    "Creating stdio transport",
    "Creating streamableHttp transport",
    "Starting new stdio process with command",
    "Successfully connected to stdio server",
    "Successfully connected to streamableHttp server",
    "No server info found",
];

/// The words with which the server is started.
const STARTS: [&str; 3] = [
    "Handling CreateClient",
    "Creating stdio transport",
    "Starting new stdio process with command",
];

/// The words that name a transport other than stdio.
const HTTP: [&str; 4] = ["streamableHttp", "SSE transport", "SSE server", "transport: http"];

/// A record.
struct Record<'a> {
    time: &'a str,
    is_error: bool,
    /// The server, in a log that mixes several.
    server: &'a str,
    text: &'a str,
}

fn split(line: &str) -> Option<Record<'_>> {
    let stamp = stamp::split(line)?;
    let words = stamp.text;
    // A name has no spaces, and stands before the words of the record.
    let named = words.split_once(": ").filter(|(name, text)| {
        !name.contains(' ') && !matches!(*name, "Error" | "Warning") && is_known(text)
    });
    let (server, text) = named.unwrap_or(("", words));
    Some(Record { time: stamp.time, is_error: stamp.level == "error", server, text })
}

fn is_known(text: &str) -> bool {
    WORDS.iter().any(|words| text.contains(words))
}

/// Returns whether a line is a record of such a log.
pub(super) fn is_record(line: &[u8]) -> bool {
    stamp::split(&text::masked(line)).is_some_and(|stamp| {
        is_known(stamp.text) || stamp.level == "error" && JsonError::first_in(stamp.text).is_some()
    })
}

/// Reads a log.
pub(super) fn read(reader: &mut dyn BufRead, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
    let mut lines = Lines::new(reader);
    let mut servers = Servers::default();
    while let Some(line) = lines.next()? {
        let masked = text::masked(line.content());
        // Lines without a time continue the record before them.
        let Some(record) = split(&masked) else { continue };
        if record.server.is_empty() || servers.is_due(record.server, line) {
            hand_on(&record, line, out)?;
        }
    }
    servers.read_others(out, |lines, out| {
        lines.iter().map(KeptLine::line).try_for_each(|line| {
            let masked = text::masked(line.content());
            split(&masked).map_or(Ok(()), |record| hand_on(&record, line, out))
        })
    })
}

fn hand_on(record: &Record<'_>, line: Line<'_>, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
    let at = At { line: line.number, time: time::without_zone(record.time) };
    let words = record.text;
    if HTTP.iter().any(|http| words.contains(http)) {
        return out.event(Event::Http, at);
    }
    if record.is_error
        && let Some(error) = JsonError::first_in(words)
    {
        out.say(NO_MESSAGES, at)?;
        out.say(NO_ZONE, at)?;
        return out.json_error(&error, at);
    }
    if STARTS.iter().any(|start| words.starts_with(start)) {
        return out.end("the server was started again", at);
    }
    if words.starts_with("Client closed") {
        return out.end("the connection was closed", at);
    }
    Ok(())
}
