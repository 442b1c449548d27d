//! The senders of the messages in a log of one stream, as far as they can be known.

use std::collections::HashMap;

use tautline_audit::frame::{FrameReport, Kind, MessageReport};
use tautline_mcp::{KnownMethod, Revision, Role};

/// The number of requests whose senders are remembered.
const MOST: usize = 1 << 16;

/// Infers the sender of a message: of a call by the method, if only one side may call it, and of a response by the
/// request.
#[derive(Debug)]
pub struct Senders {
    revision: Revision,
    /// The senders of requests by id, as it was written; `None` if the sender is not known, or if both sides may wait for
    /// a response with this id.
    asked: HashMap<String, Option<Role>>,
}

impl Senders {
    pub fn new(revision: Revision) -> Self {
        Self { revision, asked: HashMap::new() }
    }

    /// Returns the sender of a frame, or `None` if it is not known. All messages of a batch have the same sender.
    pub fn sender(&mut self, report: &FrameReport<'_>) -> Option<Role> {
        let mut sender = None;
        for message in report.messages() {
            sender = sender.or(self.of_message(message));
        }
        sender
    }

    fn of_message(&mut self, message: &MessageReport<'_>) -> Option<Role> {
        let id = message.id.as_deref();
        if let Some(method) = &message.method {
            let sender = self.caller_of(method);
            if let (Kind::Request, Some(id)) = (message.kind, id) {
                if let Some(other) = self.asked.get_mut(id) {
                    other.take_if(|other| Some(*other) != sender);
                } else if self.asked.len() < MOST {
                    self.asked.insert(id.to_owned(), sender);
                }
            }
            return sender;
        }
        // An invalid message may be a response as well.
        self.asked.remove(id?)?.map(Role::other)
    }

    /// Returns the side that calls a method, if only one may.
    fn caller_of(&self, method: &str) -> Option<Role> {
        let method: KnownMethod = method.parse().ok()?;
        let may = method.use_in(self.revision)?;
        match (may.is_for(Role::Client), may.is_for(Role::Server)) {
            (true, false) => Some(Role::Client),
            (false, true) => Some(Role::Server),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use tautline::frame::FramingKind;
    use tautline_audit::frame::{MaxFindings, Piece, Reporter};
    use tautline_audit::judge::OneSide;
    use tautline_mcp::{Revision, Role};

    use super::Senders;

    #[test]
    fn methods_and_requests_reveal_the_sender() {
        let revision = Revision::V2025_11_25;
        let mut senders = Senders::new(revision);
        let mut judge = OneSide::new(revision.profile(), Some(revision));
        let mut reporter = Reporter::new(FramingKind::Ndjson, MaxFindings::All);
        for (frame, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, Some(Role::Client)),
            (r#"{"jsonrpc":"2.0","id":"1","method":"roots/list"}"#, Some(Role::Server)),
            (r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}"#, Some(Role::Server)),
            (r#"{"jsonrpc":"2.0","id":"1","result":{"roots":7}}"#, Some(Role::Client)),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, None),
            (r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#, None),
            (r#"{"jsonrpc":"2.0","id":2,"method":"vendor/own"}"#, None),
            ("ready", None),
            // Both sides may wait for a response with the id 3.
            (r#"{"jsonrpc":"2.0","id":3,"method":"tools/list"}"#, Some(Role::Client)),
            (r#"{"jsonrpc":"2.0","id":3,"method":"roots/list"}"#, Some(Role::Server)),
            (r#"{"jsonrpc":"2.0","id":3,"result":{}}"#, None),
        ] {
            let piece = Piece::whole(frame.as_bytes(), 1);
            let report = reporter.frame(&piece, &mut judge, b"");
            assert_eq!(senders.sender(&report), expected, "{frame}");
        }
    }
}
