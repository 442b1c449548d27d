//! The protocol export of MCP Inspector: a JSON array of messages, with each response in the entry of its request.

use std::borrow::Cow;
use std::io::BufRead;

use serde::Deserialize;
use serde_json::value::RawValue;
use tautline_mcp::Role;

use super::out::{At, Out};
use super::whole::{self, LineNumbers};
use super::{SourceError, text, time};

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(borrow)]
    timestamp: Cow<'a, str>,
    /// `request`, `response` or `notification`.
    #[serde(borrow)]
    direction: Cow<'a, str>,
    /// The sender of the message. Older versions do not record it.
    #[serde(borrow, default)]
    origin: Option<Cow<'a, str>>,
    #[serde(borrow)]
    message: &'a RawValue,
    #[serde(borrow, default)]
    response: Option<&'a RawValue>,
    /// The time to the response, in milliseconds.
    #[serde(default)]
    duration: Option<f64>,
}

/// A message, and when it was sent. Messages of the same millisecond are put in the most likely order: what a server
/// sends before a response, then the response, and then what a client sends because of it.
struct Sent<'a> {
    from: Role,
    message: &'a RawValue,
    at: At,
    rank: u8,
}

/// The number of entries that MCP Inspector keeps.
const KEPT: usize = 1000;

const REWRITTEN: &str = "MCP Inspector parses messages and writes them anew: repeated members, white space, \
    and the exact form of numbers and strings are lost, and bytes that are not UTF-8 were replaced";
const UNSEEN: &str = "MCP Inspector does not record lines that are not JSON, batches as such, standard error, and how \
    the process ended";
const WHAT: &str = "this is not a protocol export of MCP Inspector";
const FULL: &str =
    "MCP Inspector keeps the last 1000 entries: there were probably more before the first";
const NO_ORIGIN: &str =
    "this version of MCP Inspector does not record the sender of a message: the methods show it";

/// Reads an export.
pub(super) fn read(reader: &mut dyn BufRead, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
    let bytes = whole::read(reader)?;
    let document = text::masked(&bytes);
    let mut part = String::new();
    let (entries, text, broken): (Vec<Entry<'_>>, _, _) = whole::parse(&document, &mut part, WHAT)?;
    let start = At { line: 1, time: None };
    if entries.is_empty() {
        return broken.map_or(Ok(()), Err);
    }
    out.rewritten(REWRITTEN, start)?;
    out.say(UNSEEN, start)?;
    if entries.len() >= KEPT {
        out.say(FULL, start)?;
        out.missing(&[Role::Client, Role::Server], start)?;
    }
    if entries.iter().any(|entry| entry.origin.is_none()) {
        out.say(NO_ORIGIN, start)?;
    }
    let mut sent = messages(text, &entries);
    sent.sort_by_key(|sent| (sent.at.time, sent.rank));
    for sent in &sent {
        out.frame(sent.from, sent.message.get().as_bytes(), sent.at)?;
    }
    match broken {
        Some(error) => {
            out.missing(&[Role::Client, Role::Server], start)?;
            Err(error)
        }
        None => Ok(()),
    }
}

fn messages<'a>(document: &str, entries: &[Entry<'a>]) -> Vec<Sent<'a>> {
    let mut lines = LineNumbers::new(document);
    let mut sent = Vec::with_capacity(entries.len() * 2);
    for entry in entries {
        let from = sender(entry);
        let time = time::with_zone(&entry.timestamp);
        let mut parts = [
            Some((entry.message, from, time, u8::from(from == Role::Client) * 2)),
            entry.response.map(|response| {
                let duration = time::microseconds(entry.duration.unwrap_or_default());
                let rank = if duration > 0 { 1 } else { 3 };
                (response, from.other(), time.map(|time| time.saturating_add(duration)), rank)
            }),
        ];
        // The two members may be in any order in the entry.
        parts.sort_by_key(|part| {
            part.map(|(message, ..)| text::range(document, message.get()).start)
        });
        for (message, from, time, rank) in parts.into_iter().flatten() {
            let at = At { line: lines.line_of(message.get()), time };
            sent.push(Sent { from, message, at, rank });
        }
    }
    sent
}

fn sender(entry: &Entry<'_>) -> Role {
    match entry.origin.as_deref() {
        Some("client") => Role::Client,
        Some("server") => Role::Server,
        _ => guess(entry),
    }
}

/// Returns the side that sends messages of this method.
fn guess(entry: &Entry<'_>) -> Role {
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(borrow, default)]
        method: Option<Cow<'a, str>>,
    }
    let named = serde_json::from_str::<Named<'_>>(entry.message.get()).ok();
    let method = named.and_then(|named| named.method);
    let is_of_server = match method.as_deref() {
        Some("notifications/initialized" | "notifications/roots/list_changed") => false,
        Some("sampling/createMessage" | "elicitation/create" | "roots/list") => true,
        Some(_) => entry.direction == "notification",
        None => true,
    };
    if is_of_server { Role::Server } else { Role::Client }
}
