//! The logs that Claude Desktop writes: `mcp-server-NAME.log` for each MCP server, and `mcp.log` for all of them.

use std::io::BufRead;

use tautline_mcp::Role;

use super::claude_cut::{answered, truncated};
use super::json_error::JsonError;
use super::lines::{Line, Lines};
use super::out::{At, Out};
use super::servers::Servers;
use super::windows::Windows;
use super::{Ending, Event, SourceError, stamp, text, time};

const REWRITTEN: &str = "Claude Desktop parses messages and writes them anew: repeated members, white space, and the \
    exact form of numbers and strings are lost, and bytes that are not UTF-8 were replaced";
const TRUNCATED: &str = "Claude Desktop cuts long messages in the middle; these are not judged";
const CUT: &str = "a line of the log holds only a part of a message, which is not judged";
const NOT_JSON: &str = "Claude Desktop does not record lines that are not JSON, only the error of its parser, which \
    quotes a few characters at most";
const NO_STATUS: &str = "Claude Desktop does not record how the process ended, and mixes its standard error with the \
    rest of the log";

/// A record.
struct Record<'a> {
    time: &'a str,
    /// The server, in a log that mixes several.
    server: Option<&'a str>,
    is_error: bool,
    text: &'a str,
}

const LEVELS: [&str; 5] = ["info", "error", "warn", "debug", "warning"];

/// Splits a line into its parts; `None` if it does not begin a record.
fn split(line: &str) -> Option<Record<'_>> {
    let (time, rest) = stamp::split_time(line, "0000-00-00T00:00:00.000Z")?;
    let names = rest.strip_prefix(" [")?;
    // The name of a server may contain brackets, so the level shows where it ends.
    for level in LEVELS {
        let is_error = level == "error";
        if let Some(rest) = names.strip_prefix(level).and_then(|rest| rest.strip_prefix("] [")) {
            let (server, text) = split_name(rest)?;
            return Some(Record { time, server: Some(server), is_error, text });
        }
    }
    let (at, level, end) = LEVELS
        .into_iter()
        .filter_map(|level| {
            let words = format!("] [{level}] ");
            names.find(&words).map(|at| (at, level, at + words.len()))
        })
        .min_by_key(|&(at, ..)| at)?;
    let text = names.get(end..).filter(|_| at > 0)?;
    Some(Record { time, server: None, is_error: level == "error", text })
}

/// Splits `name] text`. The name may contain brackets: known words show where it ends.
fn split_name(rest: &str) -> Option<(&str, &str)> {
    const END: &str = "] ";
    let (name, text) = rest.split_once(END)?;
    if is_known(text) {
        return Some((name, text));
    }
    // A name has few brackets.
    let ends = rest.match_indices(END).take(8);
    let known = ends.filter_map(|(at, _)| Some((rest.get(..at)?, rest.get(at + END.len()..)?)));
    Some(known.into_iter().find(|(_, text)| is_known(text)).unwrap_or((name, text)))
}

const MESSAGES: [(&str, Role); 2] =
    [("Message from client: ", Role::Client), ("Message from server: ", Role::Server)];

/// Other words at the start of a text that occur in no other log.
const OTHERS: [&str; 5] = [
    "Initializing server...",
    "Using MCP server command: ",
    "Server started and connected successfully",
    "Client transport closed",
    "Server transport closed",
];

/// Returns whether a text begins with words that occur in no other log.
fn is_known(text: &str) -> bool {
    MESSAGES.iter().map(|(words, _)| words).chain(&OTHERS).any(|words| text.starts_with(words))
}

/// Returns whether a line is a record of such a log.
pub(super) fn is_record(line: &[u8]) -> bool {
    split(&text::masked(line)).is_some_and(|record| {
        is_known(record.text) || record.is_error && JsonError::first_in(record.text).is_some()
    })
}

/// Reads a log.
pub(super) fn read(reader: &mut dyn BufRead, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
    let mut lines = Lines::new(reader);
    let mut servers = Servers::default();
    let mut windows = Windows::default();
    while let Some(line) = lines.next()? {
        let masked = text::masked(line.content());
        // Other lines continue a record, or are the standard error of the server.
        let Some(record) = split(&masked) else { continue };
        if record.server.is_none_or(|server| servers.is_due(server, line)) {
            hand_on(&record, line, &mut windows, out)?;
        }
    }
    windows.finish(out)?;
    servers.read_others(out, |lines, out| {
        let mut windows = Windows::default();
        for line in lines {
            let masked = text::masked(line.line().content());
            if let Some(record) = split(&masked) {
                hand_on(&record, line.line(), &mut windows, out)?;
            }
        }
        windows.finish(out)
    })
}

fn hand_on(
    record: &Record<'_>,
    line: Line<'_>,
    windows: &mut Windows,
    out: &mut Out<'_, '_>,
) -> Result<(), SourceError> {
    let at = At { line: line.number, time: time::with_zone(record.time) };
    let words = record.text;
    for (before, from) in MESSAGES {
        let Some(message) = words.strip_prefix(before) else { continue };
        out.rewritten(REWRITTEN, at)?;
        out.say(NO_STATUS, at)?;
        return self::message(from, message, windows, at, out);
    }
    if record.is_error
        && let Some(error) = JsonError::first_in(words)
    {
        out.say(NOT_JSON, at)?;
        if windows.is_copy(error.words, at.time) {
            return Ok(());
        }
        return out.json_error(&error, at);
    }
    for words in ["Initializing server...", "Server started and connected"] {
        if record.text.starts_with(words) {
            windows.started();
            return Ok(());
        }
    }
    if words.starts_with("Server transport closed unexpectedly") {
        windows.closed("closed its output unexpectedly", Ending::Failed, at);
    } else if words.starts_with("Server transport closed")
        || words.starts_with("Client transport closed")
        || words.starts_with("Server disconnected")
    {
        windows.closed("the connection was closed", Ending::Normal, at);
    }
    Ok(())
}

fn message(
    from: Role,
    message: &str,
    windows: &mut Windows,
    at: At,
    out: &mut Out<'_, '_>,
) -> Result<(), SourceError> {
    // A cut within a string leaves valid JSON.
    if let Some((start, end)) = truncated(message) {
        out.say(TRUNCATED, at)?;
        let answers = answered(start, end);
        if let Some(id) = &answers {
            windows.has_answered(id);
        }
        return out.event(Event::Missing { from, answers }, at);
    }
    match text::first_value(message) {
        // The log's metadata follows.
        Some((value, _)) => windows.message(from, value.get().as_bytes(), at, out),
        None => {
            out.say(CUT, at)?;
            out.missing(&[from], at)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn names_of_servers_may_have_brackets() {
        let line = "2026-01-05T10:00:00.100Z [A [b] (c)] [error] Message from client: {}";
        let record = split(line).unwrap();
        assert!(record.server.is_none() && record.is_error);
        assert_eq!(record.text, "Message from client: {}");
        for text in ["text", "Message from client: {\"a\":\"] \"}"] {
            let line = format!("2026-01-05T10:00:00.100Z [info] [A [b] (c)] {text}");
            let expected = if text == "text" { "A [b" } else { "A [b] (c)" };
            assert_eq!(split(&line).unwrap().server, Some(expected), "{text}");
        }
        let simple = split("2026-01-05T10:00:00.100Z [info] [demo] text").unwrap();
        assert_eq!((simple.server, simple.text), (Some("demo"), "text"));
        assert!(split("2026-01-05T10:00:00.100Z text [info] x").is_none());
    }
}
