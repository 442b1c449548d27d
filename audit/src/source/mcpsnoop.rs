//! Recordings of mcpsnoop: one JSON object per line.

use std::borrow::Cow;
use std::io::BufRead;

use serde::Deserialize;
use serde_json::value::RawValue;
use tautline_mcp::Role;

use super::breaks::{self, Breaks};
use super::lines::Lines;
use super::out::{At, Out, id_of_request};
use super::{Event, SourceError, text, time};

/// The session, the sequence number and the direction are in every record.
#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow)]
    session_id: Cow<'a, str>,
    seq: u64,
    #[serde(borrow, default)]
    ts: Option<Cow<'a, str>>,
    #[serde(borrow)]
    direction: Cow<'a, str>,
    #[serde(borrow, default)]
    transport: Option<Cow<'a, str>>,
    /// A message, as its sender has written it except for white space.
    #[serde(borrow, default, deserialize_with = "text::present")]
    raw: Option<&'a RawValue>,
    /// A line that is not a message.
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
    #[serde(default)]
    batch: bool,
    #[serde(default)]
    truncated: bool,
    #[serde(default)]
    redacted: bool,
    /// The HTTP connection.
    #[serde(borrow, default)]
    conn_id: Option<Cow<'a, str>>,
    /// The status of an HTTP response.
    #[serde(default)]
    status: Option<u16>,
}

const SPACE: &str = "mcpsnoop removes white space between tokens and at the ends of lines, and escapes U+2028 and U+2029";
const BATCH: &str = "mcpsnoop records the messages of a batch one by one";
const REDACTED: &str =
    "mcpsnoop was configured to redact values: the replacements are judged like any other value";
const TRUNCATED: &str = "mcpsnoop has cut lines longer than 16 MiB; they are not judged";
const REPLACED: &str =
    "mcpsnoop replaces bytes that are not UTF-8, by U+FFFD, in lines that are not JSON";

/// Returns whether a line is a record.
pub(super) fn is_record(line: &[u8]) -> bool {
    line.starts_with(b"{\"session_id\":")
        && serde_json::from_str::<Record<'_>>(&text::masked(line))
            .is_ok_and(|record| is_direction(&record.direction))
}

fn is_direction(name: &str) -> bool {
    matches!(name, "c2s" | "s2c" | "stderr" | "meta")
}

/// Reads a recording.
pub(super) fn read(reader: &mut dyn BufRead, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
    let mut lines = Lines::new(reader);
    let mut session = String::new();
    let mut last = 0;
    let mut open = OpenRequests::default();
    let mut breaks = Breaks::default();
    while let Some(line) = lines.next()? {
        if line.content().trim_ascii().is_empty() {
            continue;
        }
        let masked = text::masked(line.bytes);
        let record: Record<'_> = match serde_json::from_str(&masked) {
            Ok(record) => record,
            Err(_) if line.is_cut() => {
                let at = At { line: line.number, time: None };
                out.event(Event::Loss(breaks::cut(&line)), at)?;
                break;
            }
            Err(error) => {
                breaks.add(&line, &format!("this is not a record of mcpsnoop: {error}"));
                let at = At { line: line.number, time: None };
                out.missing(&[Role::Client, Role::Server], at)?;
                continue;
            }
        };
        let at = At { line: line.number, time: record.ts.as_deref().and_then(time::with_zone) };
        if session != record.session_id {
            out.end("the recording of another session follows", at)?;
            record.session_id.as_ref().clone_into(&mut session);
            last = 0;
            open.0.clear();
        }
        let dropped = record.seq.saturating_sub(last).saturating_sub(1);
        if dropped > 0 {
            let frames = if dropped == 1 { "frame" } else { "frames" };
            let words = format!("mcpsnoop has dropped {dropped} {frames} before line {}", at.line);
            out.event(Event::Loss(words), at)?;
            out.missing(&[Role::Client, Role::Server], at)?;
        }
        last = record.seq;
        let raw = record.raw.map(|raw| {
            let raw = text::range(&masked, raw.get());
            line.bytes.get(raw).unwrap_or_default()
        });
        hand_on(&record, raw, &mut open, at, out)?;
    }
    breaks.finish()
}

/// The requests that wait for an HTTP response, each with its connection and its id. A connection has one response at a
/// time.
#[derive(Default)]
struct OpenRequests(Vec<(String, String)>);

impl OpenRequests {
    /// The number of requests that are remembered.
    const MOST: usize = 256;
    /// The maximum length of a connection and an id that are remembered, in bytes.
    const LONGEST: usize = 512;

    fn sent(&mut self, connection: &str, message: &[u8]) {
        let Some(id) = id_of_request(message) else { return };
        if connection.len() + id.len() <= Self::LONGEST {
            if self.0.len() >= Self::MOST {
                self.0.remove(0);
            }
            self.0.push((connection.to_owned(), id));
        }
    }

    /// Removes and returns the ids of the requests that the response on this connection answers.
    fn answered(&mut self, connection: &str) -> Vec<String> {
        self.0.extract_if(.., |(other, _)| other == connection).map(|(_, id)| id).collect()
    }
}

fn hand_on(
    record: &Record<'_>,
    raw: Option<&[u8]>,
    open: &mut OpenRequests,
    at: At,
    out: &mut Out<'_, '_>,
) -> Result<(), SourceError> {
    let from = match record.direction.as_ref() {
        "c2s" => Role::Client,
        "s2c" => Role::Server,
        "stderr" => return out.stderr(record.text.as_deref().unwrap_or_default().as_bytes(), at),
        "meta" => return Ok(()),
        name => {
            let why = format!("nothing goes in the direction {name:?}");
            return Err(SourceError::Format { line: at.line, why });
        }
    };
    out.say(SPACE, at)?;
    if record.transport.as_deref() == Some("http") {
        out.event(Event::Http, at)?;
    }
    if record.batch {
        out.say(BATCH, at)?;
    }
    if record.redacted {
        out.say(REDACTED, at)?;
    }
    if record.truncated {
        out.say(TRUNCATED, at)?;
        return out.missing(&[from], at);
    }
    let mut ended = Vec::new();
    if let Some(connection) = &record.conn_id {
        match from {
            Role::Client => open.sent(connection, raw.unwrap_or_default()),
            Role::Server => ended = open.answered(connection),
        }
    }
    let is_message = record.text.is_none() && raw.is_some_and(text::mentions_jsonrpc);
    if record.status.is_some_and(|status| status >= 400) && !is_message {
        return out.http_failed(ended, at);
    }
    if let Some(raw) = raw {
        return out.frame(from, raw, at);
    }
    // An HTTP response without a body has neither a message nor a text.
    let Some(text) = record.text.as_deref().filter(|text| !text.trim().is_empty()) else {
        return Ok(());
    };
    if text.contains(char::REPLACEMENT_CHARACTER) && record.transport.as_deref() == Some("stdio") {
        out.say(REPLACED, at)?;
    }
    out.frame(from, text.as_bytes(), at)
}
