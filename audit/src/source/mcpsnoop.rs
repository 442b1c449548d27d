//! Recordings of mcpsnoop: one JSON object a line.

use std::borrow::Cow;
use std::io::BufRead;

use serde::Deserialize;
use serde_json::value::RawValue;
use tautline::mcp::Role;

use super::lines::Lines;
use super::out::{At, Out};
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
    /// A message, as its sender has written it but for its white space.
    #[serde(borrow, default, deserialize_with = "text::present")]
    raw: Option<&'a RawValue>,
    /// A line that is no message.
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
    #[serde(default)]
    batch: bool,
    #[serde(default)]
    truncated: bool,
    #[serde(default)]
    redacted: bool,
    /// The status of a response of HTTP.
    #[serde(default)]
    status: Option<u16>,
}

const SPACE: &str = "mcpsnoop removes white space between tokens and at the ends of lines, and escapes U+2028 and U+2029";
const BATCH: &str = "mcpsnoop records the messages of a batch one by one";
const REDACTED: &str =
    "mcpsnoop was told to redact values: what stands in their place is judged like any other value";
const TRUNCATED: &str = "mcpsnoop has cut lines longer than 16 MiB; they are not judged";
const FAILURES: &str =
    "some responses of HTTP failed without a message of JSON-RPC in them, and are not judged";
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
    while let Some(line) = lines.next()? {
        if line.content().trim_ascii().is_empty() {
            continue;
        }
        let masked = text::masked(line.bytes);
        let record: Record<'_> = match serde_json::from_str(&masked) {
            Ok(record) => record,
            Err(_) if line.is_cut() => break,
            Err(error) => {
                let why = format!("this is not a record of mcpsnoop: {error}");
                return Err(SourceError::Format { line: line.number, why });
            }
        };
        let at = At { line: line.number, time: record.ts.as_deref().and_then(time::with_zone) };
        if session != record.session_id {
            out.end("the recording of another session follows", at)?;
            session.clone_from(&record.session_id.clone().into_owned());
            last = 0;
        }
        let dropped = record.seq.saturating_sub(last).saturating_sub(1);
        if dropped > 0 {
            let words = format!("mcpsnoop has dropped {dropped} frames before line {}", at.line);
            out.event(Event::Loss(words), at)?;
            out.missing(&[Role::Client, Role::Server], at)?;
        }
        last = record.seq;
        let raw = record.raw.map(|raw| {
            let raw = text::range(&masked, raw.get());
            line.bytes.get(raw).unwrap_or_default()
        });
        hand_on(&record, raw, at, out)?;
    }
    Ok(())
}

fn hand_on(
    record: &Record<'_>,
    raw: Option<&[u8]>,
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
    let is_message = record.text.is_none() && raw.is_some_and(text::mentions_jsonrpc);
    if record.status.is_some_and(|status| status >= 400) && !is_message {
        return out.say(FAILURES, at);
    }
    if let Some(raw) = raw {
        return out.frame(from, raw, at);
    }
    // A response of HTTP without a body has neither.
    let Some(text) = record.text.as_deref().filter(|text| !text.trim().is_empty()) else {
        return Ok(());
    };
    if text.contains(char::REPLACEMENT_CHARACTER) && record.transport.as_deref() == Some("stdio") {
        out.say(REPLACED, at)?;
    }
    out.frame(from, text.as_bytes(), at)
}
