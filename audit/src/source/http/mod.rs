//! HTTP exchanges: their parts in, the events of sessions out.
//!
//! The recordings of tautline, HTTP archives and live traffic all come through here, so the same rules apply to each.

mod answer;
mod body;
mod checks;
mod coding;
mod exchange;
mod known;
mod part;
mod report;
mod rules;
mod sent;
mod sessions;
mod skeleton;
mod tail;
mod words;

use std::collections::BTreeMap;
use std::io;

use tautline_mcp::Role;

pub(crate) use self::checks::{Checked, checks};
use self::exchange::{Exchange, Shared};
pub use self::part::Part;
pub use self::report::HeadReport;
use super::out::{At, Out};
use super::recording::RequestHead;
use super::{Event, Place, Receive, SourceError};

/// The most exchanges that are open at the same time.
const MOST: usize = 4096;

/// The most bytes of heads and bodies that are kept at the same time.
const MOST_BYTES: usize = 256 * 1024 * 1024;

const TOO_MANY: &str =
    "more exchanges were open at once than can be remembered: some of them are not judged";

/// A receiver of events, each with the number of its session from 0.
pub type ReceiveOf<'a> = dyn FnMut(usize, Event<'_>, Place) -> io::Result<()> + 'a;

/// The exchanges with one endpoint.
#[derive(Debug)]
pub struct Exchanges {
    limit: u32,
    /// The path of the endpoint. Exchanges with other paths are not part of MCP.
    path: Option<String>,
    shared: Shared,
    open: BTreeMap<u64, Exchange>,
    /// The bytes of heads and bodies that the open exchanges keep.
    kept: usize,
}

impl Exchanges {
    /// Creates the exchanges with an endpoint, whose URL may not be known. The maximum length of a message is `limit`
    /// bytes.
    #[must_use]
    pub fn new(endpoint: Option<&str>, limit: u32) -> Self {
        let path = endpoint.map(|url| path_of(url).to_owned());
        Self { limit, path, shared: Shared::default(), open: BTreeMap::new(), kept: 0 }
    }

    /// Observes a part of the exchange with this number.
    ///
    /// # Errors
    ///
    /// Returns the error of `receive`.
    pub fn part(
        &mut self,
        number: u64,
        part: &Part<'_>,
        place: Place,
        receive: &mut ReceiveOf<'_>,
    ) -> io::Result<()> {
        let at = At { line: place.line.unwrap_or(1), time: place.time };
        if let Part::Request(head) = part {
            if !self.is_of_mcp(head) {
                return Ok(());
            }
            if self.open.len() >= MOST {
                return receive(0, Event::Loss(TOO_MANY.to_owned()), place);
            }
            if let Some(mut earlier) = self.open.insert(number, Exchange::new(head, self.limit)) {
                self.kept = self.kept.saturating_sub(earlier.kept());
                earlier.forget(&mut self.shared.sessions);
            }
        }
        // Parts of other exchanges are ignored.
        let Some(mut exchange) = self.open.remove(&number) else { return Ok(()) };
        self.kept = self.kept.saturating_sub(exchange.kept());
        let shared = &mut self.shared;
        exchange.find_session(part, shared);
        let session = exchange.session.unwrap_or_default();
        let mut pass_on = |event: Event<'_>, place: Place| receive(session, event, place);
        let pass_on: &mut Receive<'_> = &mut pass_on;
        let out = &mut Out::new(pass_on, self.limit);
        let is_open = exchange.part(part, at, shared, out).map_err(error_of)?;
        if is_open {
            if self.kept + exchange.kept() > MOST_BYTES {
                exchange.cut(at, out).map_err(error_of)?;
            }
            // Only heads are left.
            if self.kept + exchange.kept() > MOST_BYTES {
                out.say(TOO_MANY, at).map_err(error_of)?;
                out.missing(&[Role::Client, Role::Server], at).map_err(error_of)?;
                exchange.forget(&mut self.shared.sessions);
                return Ok(());
            }
            self.kept += exchange.kept();
            self.open.insert(number, exchange);
        } else {
            exchange.forget(&mut self.shared.sessions);
        }
        Ok(())
    }

    /// Ends the recording. The exchanges that are open may have been answered later.
    ///
    /// # Errors
    ///
    /// Returns the error of `receive`.
    pub fn finish(&mut self, place: Place, receive: &mut ReceiveOf<'_>) -> io::Result<()> {
        self.kept = 0;
        for exchange in std::mem::take(&mut self.open).into_values() {
            if let Some((session, id)) = exchange.waits() {
                receive(session, Event::Answered { from: Role::Server, id }, place)?;
            }
        }
        Ok(())
    }

    fn is_of_mcp(&self, head: &RequestHead<'_>) -> bool {
        // Preflights of browsers, and questions about other resources.
        let is_other = matches!(&*head.method, "OPTIONS" | "HEAD" | "CONNECT" | "TRACE");
        !is_other && self.path.as_ref().is_none_or(|path| *path == path_of(&head.target))
    }
}

fn error_of(error: SourceError) -> io::Error {
    match error {
        SourceError::Receive(error) | SourceError::Read { error, .. } => error,
        SourceError::Format { why, .. } => io::Error::other(why),
    }
}

/// Returns the path of a URL or of a target, without the query.
fn path_of(url: &str) -> &str {
    let start = match url.split_once("://") {
        Some((_, rest)) => rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("/"),
        None => url,
    };
    start.split(['?', '#']).next().unwrap_or(start)
}

/// Returns the side that a part comes from.
const fn sender(part: &Part<'_>) -> Role {
    match part {
        Part::Request(_) => Role::Client,
        Part::Response(_) => Role::Server,
        Part::Bytes { from, .. }
        | Part::Omitted { from, .. }
        | Part::Closed { from, .. }
        | Part::Aborted { from, .. } => *from,
    }
}

#[cfg(test)]
mod tests {
    use super::path_of;

    #[test]
    fn paths_have_no_host_and_no_query() {
        for (url, path) in [
            ("http://127.0.0.1:3000/mcp?x=/y", "/mcp"),
            ("https://example.com", "/"),
            ("/mcp#a", "/mcp"),
            ("/", "/"),
        ] {
            assert_eq!(path_of(url), path);
        }
    }
}
