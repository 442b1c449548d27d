//! Echoes: lines of the client that come back as lines of the server, because a terminal stands between the two.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

use tautline::{Message, Profile};
use tautline_mcp::{KnownMethod, Revision, Role};

/// The number of lines of the client that are remembered. An echo comes before the client writes much more.
const MOST: usize = 256;

/// The number of lines of the server among which the first echo is. A terminal returns the first line of the client as
/// well.
const MOST_HEARD: usize = 64;

/// The lines that may come back.
#[derive(Debug, Default)]
pub(crate) struct Echo {
    sent: VecDeque<Sent>,
    /// The line of the server with the first echo.
    first: Option<u64>,
    /// The number of lines of the server, until the first echo.
    heard: usize,
}

/// A line of the client.
#[derive(Debug)]
struct Sent {
    hash: u64,
    length: usize,
    /// True if a server has no reason to write the same line.
    is_distinctive: bool,
}

/// A line of the server that is an echo.
pub(crate) enum Echoed {
    First,
    /// Another echo was on this line.
    After(u64),
}

impl Echo {
    /// Remembers a line of the client.
    pub fn sent(&mut self, line: &[u8]) {
        if self.heard > MOST_HEARD {
            return;
        }
        if self.sent.len() >= MOST {
            self.sent.pop_front();
        }
        let is_distinctive = is_distinctive(line);
        self.sent.push_back(Sent { hash: hash(line), length: line.len(), is_distinctive });
    }

    /// Returns whether a line of the server is an echo. A terminal returns the lines in their order, so that those before
    /// this one do not come back any more.
    pub fn recognize(&mut self, line: &[u8], number: u64) -> Option<Echoed> {
        let is_known = self.first.is_some();
        if !is_known {
            self.heard = self.heard.saturating_add(1);
        }
        if self.heard > MOST_HEARD {
            self.sent.clear();
            return None;
        }
        let mut hashed = None;
        let at = self.sent.iter().position(|sent| {
            sent.length == line.len()
                && (is_known || sent.is_distinctive)
                && sent.hash == *hashed.get_or_insert_with(|| hash(line))
        })?;
        self.sent.drain(..=at);
        let before = self.first;
        self.first = before.or(Some(number));
        Some(before.map_or(Echoed::First, Echoed::After))
    }
}

/// Returns whether a line of the client is a call that its server would not make. In protocols other than MCP, both sides
/// may call the same methods.
fn is_distinctive(line: &[u8]) -> bool {
    let method = match Message::parse(line, &Profile::JSON_RPC) {
        Ok(Message::Request(request)) => KnownMethod::named(request.method()),
        Ok(Message::Notification(note)) => KnownMethod::named(note.method()),
        _ => return false,
    };
    let is_for_server = |method: KnownMethod| {
        let mut uses = Revision::ALL.iter().filter_map(|revision| method.use_in(*revision));
        uses.any(|method| method.is_for(Role::Server))
    };
    method.is_some_and(|method| !is_for_server(method))
}

fn hash(line: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}
