//! The logs that Claude Desktop writes for each MCP server, `mcp-server-NAME.log`.

use std::io::BufRead;

use tautline::Rule;
use tautline_mcp::Role;

use super::lines::Lines;
use super::out::{At, Out};
use super::{Event, SourceError, stamp, text, time};

const REWRITTEN: &str = "Claude Desktop parses messages and writes them anew: repeated members, white space, and the \
    exact form of numbers and strings are lost, and bytes that are not UTF-8 were replaced";
const TRUNCATED: &str = "Claude Desktop cuts long messages in the middle; these are not judged";
const CUT: &str = "a line of the log holds only a part of a message, which is not judged";
const NOT_JSON: &str =
    "Claude Desktop does not record lines that are not JSON, only that they could not be parsed";
const NO_STATUS: &str = "Claude Desktop does not record how the process ended, and mixes its standard error with the \
    rest of the log";

/// A record.
struct Record<'a> {
    time: &'a str,
    /// True if the name of the server comes before the level, as in the log of one server.
    is_of_server: bool,
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
            let (_, text) = rest.split_once("] ")?;
            return Some(Record { time, is_of_server: false, is_error, text });
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
    Some(Record { time, is_of_server: true, is_error: level == "error", text })
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

/// Returns whether a line is a record of such a log.
pub(super) fn is_record(line: &[u8]) -> bool {
    split(&text::masked(line)).is_some_and(|record| {
        let words = MESSAGES.iter().map(|(words, _)| words).chain(&OTHERS);
        words.into_iter().any(|words| record.text.starts_with(words))
    })
}

/// Reads a log.
pub(super) fn read(reader: &mut dyn BufRead, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
    let mut lines = Lines::new(reader);
    while let Some(line) = lines.next()? {
        let masked = text::masked(line.content());
        // Other lines continue a record, or are the standard error of the server.
        let Some(record) = split(&masked) else { continue };
        let at = At { line: line.number, time: time::with_zone(record.time) };
        hand_on(&record, at, out)?;
    }
    Ok(())
}

fn hand_on(record: &Record<'_>, at: At, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
    let words = record.text;
    for (before, from) in MESSAGES {
        let Some(message) = words.strip_prefix(before) else { continue };
        if !record.is_of_server {
            let why = "this is mcp.log, which has the messages of all servers: use the \
                mcp-server-NAME.log of one";
            return Err(SourceError::Format { line: at.line, why: why.to_owned() });
        }
        out.rewritten(REWRITTEN, at)?;
        out.say(NO_STATUS, at)?;
        return self::message(from, message, at, out);
    }
    if record.is_error && is_parse_error(words) {
        out.say(NOT_JSON, at)?;
        let words = "the client could not parse a line as JSON; the log does not have the line";
        let rule = Rule::NOT_JSON;
        return out.breach(Role::Server, rule, words.to_owned(), at);
    }
    if words.starts_with("Initializing server...") {
        return out.end("the server was started again", at);
    }
    if words.starts_with("Server transport closed unexpectedly") {
        return out.fail("closed its output unexpectedly", at);
    }
    Ok(())
}

/// Returns whether a text is an error message of V8's `JSON.parse`.
fn is_parse_error(text: &str) -> bool {
    let has = |words: &str| text.contains(words);
    has(" is not valid JSON")
        || has("Unexpected end of JSON input")
        || has(" in JSON at position ")
        || has(" after JSON at position ")
}

fn message(from: Role, message: &str, at: At, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
    // A cut within a string leaves valid JSON.
    if let Some((start, end)) = truncated(message) {
        out.say(TRUNCATED, at)?;
        let answers = answered(start, end);
        return out.event(Event::Missing { from, answers }, at);
    }
    match text::first_value(message) {
        // The log's metadata follows.
        Some((value, _)) => out.frame(from, value.get().as_bytes(), at),
        None => {
            out.say(CUT, at)?;
            out.missing(&[from], at)
        }
    }
}

/// The number of UTF-16 code units that are left at either end of a message that was cut.
const LEFT: usize = 256;

/// Returns both ends of a message that was cut in the middle, or `None` if it is whole.
fn truncated(message: &str) -> Option<(&str, &str)> {
    let mut units = 0;
    // The cut may split a surrogate pair, so the length may be off by one.
    let at = message.char_indices().find_map(|(at, c)| {
        let here = units;
        units += c.len_utf16();
        (here >= LEFT - 1 && message.get(at..)?.starts_with("...[") || here > LEFT).then_some(at)
    })?;
    let (start, rest) = message.split_at_checked(at)?;
    let (count, end) = rest.strip_prefix("...[")?.split_once(" chars truncated]...")?;
    let is_count = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
    is_count.then_some((start, end))
}

/// Returns the id of the request that a truncated message answers, if it is known.
fn answered(start: &str, end: &str) -> Option<String> {
    if let Some(rest) = start.strip_prefix(r#"{"jsonrpc":"2.0","id":"#) {
        let (id, rest) = text::first_value(rest)?;
        let is_response = rest.starts_with(r#","result":"#) || rest.starts_with(r#","error":"#);
        return is_response.then(|| id.get().to_owned());
    }
    // Servers with the TypeScript SDK write the id last. The log may add its metadata.
    let is_response = start.starts_with(r#"{"result":"#) || start.starts_with(r#"{"error":"#);
    let (_, rest) = end.rsplit_once(r#","jsonrpc":"2.0","id":"#).filter(|_| is_response)?;
    let (id, rest) = text::first_value(rest)?;
    rest.starts_with('}').then(|| id.get().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{answered, split, truncated};

    #[test]
    fn names_of_servers_may_have_brackets() {
        let line = "2026-01-05T10:00:00.100Z [A [b] (c)] [error] Message from client: {}";
        let record = split(line).unwrap();
        assert!(record.is_of_server && record.is_error);
        assert_eq!(record.text, "Message from client: {}");
        let swapped = split("2026-01-05T10:00:00.100Z [info] [demo] text").unwrap();
        assert!(!swapped.is_of_server);
        assert_eq!(swapped.text, "text");
        assert!(split("2026-01-05T10:00:00.100Z text [info] x").is_none());
    }

    #[test]
    fn the_id_of_a_cut_response_is_found() {
        let fill = |start: &str| format!("{start}{}", "é".repeat(256 - start.len()));
        let cut = |start: &str, end: &str| {
            let message = format!("{}...[10 chars truncated]...{end}", fill(start));
            let (start, end) = truncated(&message).unwrap();
            answered(start, end)
        };
        let response = r#"{"jsonrpc":"2.0","id":7,"result":{"text":""#;
        assert_eq!(cut(response, "\"}}").as_deref(), Some("7"));
        let last = r#""},"jsonrpc":"2.0","id":"x"} { metadata: undefined }"#;
        assert_eq!(cut(r#"{"result":{"text":""#, last).as_deref(), Some("\"x\""));
        let request = r#"{"jsonrpc":"2.0","id":7,"method":"roots/list","params":{"a":""#;
        assert_eq!(cut(request, "\"}}"), None);
        assert_eq!(truncated(&fill("...[1 chars truncated]...")), None);
    }
}
