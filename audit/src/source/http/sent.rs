//! A request after it was sent.

use tautline::Message;
use tautline_mcp::http::{Exchange as Rules, Progress, Resuming};
use tautline_mcp::{KnownMethod, Revision};

use super::report::HeadReport;
use crate::source::out::{At, Out};
use crate::source::{Event, SourceError};

pub(super) const NO_BODY: &str =
    "the recording lacks some bodies of HTTP: what was sent there is not judged";

/// The request after it was sent, as far as its response depends on it.
#[derive(Debug)]
pub(super) struct Sent {
    pub revision: Revision,
    pub kind: SentKind,
    pub method: Option<KnownMethod>,
    /// The id of the request, as it was written.
    pub id: Option<String>,
    /// The id of the session.
    pub session_id: Option<Vec<u8>>,
    pub progress: Option<Progress>,
}

#[derive(Debug)]
pub(super) enum SentKind {
    /// A message with the ids and the methods of the body, and whether it has a request.
    Post(Vec<u8>, bool),
    Get(Resuming),
    Delete,
    /// The body is missing, or is no message.
    Unknown,
}

impl Sent {
    /// Calls a function with the exchange so far, unless the request is not known.
    pub fn with<R>(&mut self, call: impl FnOnce(&mut Rules<'_>) -> R) -> Option<R> {
        let revision = self.revision;
        let rules = match &self.kind {
            SentKind::Post(message, _) => {
                let profile = revision.profile().http_request_body();
                Rules::post(revision, Message::parse(message.as_slice(), &profile).ok()?)
            }
            SentKind::Get(resuming) => Rules::get(revision, *resuming),
            SentKind::Delete => Rules::delete(revision),
            SentKind::Unknown => return None,
        };
        let mut rules = match self.progress {
            Some(progress) => rules.resumed(progress),
            None => rules,
        };
        let result = call(&mut rules);
        self.progress = Some(rules.progress());
        Some(result)
    }

    /// Returns the id of the request, if it was not answered.
    pub fn waiting(&mut self) -> Option<String> {
        let is_answered = self.with(|rules| rules.is_answered()).unwrap_or(false);
        self.id.take().filter(|_| !is_answered)
    }

    /// Returns whether the body has a request, if it is known.
    pub const fn has_request(&self) -> Option<bool> {
        match self.kind {
            SentKind::Post(_, has_request) => Some(has_request),
            _ => None,
        }
    }
}

/// Emits the findings around a message, if there are any.
pub(super) fn emit(report: HeadReport, at: At, out: &mut Out<'_, '_>) -> Result<(), SourceError> {
    if report.is_empty() {
        return Ok(());
    }
    out.event(Event::Head(Box::new(report)), at)
}
