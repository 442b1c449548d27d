//! Logs that mix the messages of several servers.
//!
//! The lines of the server that comes first are read at once. The lines of the others are kept, and read when the log
//! has ended, one server after the other.

use std::collections::HashMap;

use tautline_mcp::Role;

use super::lines::Line;
use super::out::{At, Out};
use super::{Event, SourceError};
use crate::visible::printable;

/// The maximum size of the lines that are kept, in bytes.
const MOST: usize = 256 * 1024 * 1024;

/// The size of a line that is kept, beyond its bytes.
const OVERHEAD: usize = 64;

/// The number of servers that a note lists.
const LISTED: usize = 20;

const FULL: &str = "the log mixes several servers, and more lines of all but the first than can be kept: \
    some lines were not read";

/// The servers of a log, in the order in which they occur.
#[derive(Default)]
pub(super) struct Servers {
    first: Option<String>,
    others: Vec<Server>,
    by_name: HashMap<String, usize>,
    size: usize,
    is_full: bool,
}

/// A server, and its lines.
pub(super) struct Server {
    name: String,
    lines: Vec<KeptLine>,
}

/// A line that was kept.
pub(super) struct KeptLine {
    number: u64,
    offset: u64,
    bytes: Vec<u8>,
}

impl KeptLine {
    pub fn line(&self) -> Line<'_> {
        Line { number: self.number, offset: self.offset, bytes: &self.bytes }
    }
}

impl Servers {
    /// Returns whether a line is to be read now, because it belongs to the first server. Keeps it otherwise.
    pub fn is_due(&mut self, name: &str, line: Line<'_>) -> bool {
        if *self.first.get_or_insert_with(|| name.to_owned()) == name {
            return true;
        }
        let size = line.bytes.len() + name.len() + OVERHEAD;
        if self.size.saturating_add(size) > MOST {
            self.is_full = true;
            return false;
        }
        self.size += size;
        let others = &mut self.others;
        let index = *self.by_name.entry(name.to_owned()).or_insert_with(|| {
            others.push(Server { name: name.to_owned(), lines: Vec::new() });
            others.len() - 1
        });
        if let Some(server) = others.get_mut(index) {
            let Line { number, offset, bytes } = line;
            server.lines.push(KeptLine { number, offset, bytes: bytes.to_vec() });
        }
        false
    }

    /// Reads the lines that were kept: `read` gets all lines of one server at a time.
    pub fn read_others(
        self,
        out: &mut Out<'_, '_>,
        mut read: impl FnMut(&[KeptLine], &mut Out<'_, '_>) -> Result<(), SourceError>,
    ) -> Result<(), SourceError> {
        let Some(start) = self.others.first().and_then(|server| server.lines.first()) else {
            return Ok(());
        };
        let at = At { line: start.number, time: None };
        if self.is_full {
            out.say(FULL, at)?;
        }
        let names = self.first.iter().chain(self.others.iter().map(|server| &server.name));
        let listed: Vec<_> = names.take(LISTED).map(|name| printable(name.as_bytes())).collect();
        let (count, listed) = (self.others.len() + 1, listed.join(", "));
        let more = if count > LISTED { ", …" } else { "" };
        let words = format!(
            "the log mixes {count} servers; each has its own sessions, in this order: {listed}{more}"
        );
        out.event(Event::Loss(words), at)?;
        for server in &self.others {
            let Some(first) = server.lines.first() else { continue };
            let at = At { line: first.number, time: None };
            out.end("the log of another server follows", at)?;
            if self.is_full {
                out.missing(Role::ALL, at)?;
            }
            read(&server.lines, out)?;
        }
        Ok(())
    }
}
