//! The stream of messages of MCPJam Inspector: server-sent events, each with one message in an object.

use std::borrow::Cow;
use std::io::BufRead;

use serde::Deserialize;
use serde_json::value::RawValue;
use tautline_mcp::Role;

use super::breaks::{self, Breaks};
use super::lines::Lines;
use super::out::{At, Out};
use super::{Event, SourceError, text, time};

#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default, rename = "serverId")]
    server: Option<Cow<'a, str>>,
    #[serde(borrow)]
    direction: Cow<'a, str>,
    #[serde(borrow, default)]
    timestamp: Option<Cow<'a, str>>,
    #[serde(borrow)]
    message: &'a RawValue,
}

const REWRITTEN: &str = "MCPJam Inspector parses messages and writes them anew: repeated members, white space, \
    and the exact form of numbers and strings are lost, and bytes that are not UTF-8 were replaced";
const UNSEEN: &str = "MCPJam Inspector does not record lines that are not JSON, standard error, and how the process ended";
const SERVERS: &str =
    "the stream has the messages of several servers: only those of the first were read";

/// Returns whether a line is an event with a record.
pub(super) fn is_record(line: &[u8]) -> bool {
    parse(&text::masked(line)).is_some_and(|record| record.is_ok_and(|record| record.kind == "rpc"))
}

/// Returns the record of a line; `None` if it has none.
fn parse(line: &str) -> Option<serde_json::Result<Record<'_>>> {
    line.strip_prefix("data:").map(serde_json::from_str)
}

/// Reads a stream.
pub(super) fn read(reader: &mut dyn BufRead, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
    let mut lines = Lines::new(reader);
    let mut first = None;
    let mut breaks = Breaks::default();
    while let Some(line) = lines.next()? {
        let masked = text::masked(line.content());
        let record = match parse(&masked) {
            None => continue,
            Some(Ok(record)) if record.kind == "rpc" => record,
            Some(Err(_)) if line.is_cut() => {
                let at = At { line: line.number, time: None };
                out.event(Event::Loss(breaks::cut(&line)), at)?;
                break;
            }
            Some(Ok(_)) => continue,
            Some(Err(error)) => {
                breaks.add(&line, &format!("this is not an event of MCPJam Inspector: {error}"));
                let at = At { line: line.number, time: None };
                out.missing(&[Role::Client, Role::Server], at)?;
                continue;
            }
        };
        let at =
            At { line: line.number, time: record.timestamp.as_deref().and_then(time::with_zone) };
        out.rewritten(REWRITTEN, at)?;
        out.say(UNSEEN, at)?;
        let server = record.server.map(Cow::into_owned);
        if *first.get_or_insert_with(|| server.clone()) != server {
            out.say(SERVERS, at)?;
            continue;
        }
        let from = match record.direction.as_ref() {
            "send" => Role::Client,
            "receive" => Role::Server,
            name => {
                breaks.add(&line, &format!("nothing goes in the direction {name:?}"));
                out.missing(&[Role::Client, Role::Server], at)?;
                continue;
            }
        };
        let range = text::range(&masked, record.message.get());
        out.frame(from, line.bytes.get(range).unwrap_or_default(), at)?;
    }
    breaks.finish()
}
