//! The memory of a request while its response is awaited.

use tautline::encode::{EncodeError, Encoder, NO_PARAMS};
use tautline::{Batch, Id, Message, Profile, RawStr, Request};
use tautline_mcp::http::{Accepted, Action, Exchange, Resuming};
use tautline_mcp::{KnownMethod, Revision};

/// The maximum number of requests in a batch that are kept. An exchange looks at 64, and at one more to know that there
/// are more.
const MOST: usize = 65;

/// The maximum length of a stub, in bytes. It is read again for each piece of the response, so it must be short.
const LONGEST: usize = 16 * 1024;

/// An unknown method, which no rule about responses depends on.
const UNKNOWN: &str = "unknown";

/// The part of an accepted request that the filter keeps while the response is awaited.
///
/// Of a POST it keeps a stub: for each request in the body a JSON-RPC request with the same id, byte for byte, and the
/// name of its method. An [`Exchange`] finds the same with the stub as with the body.
#[derive(Clone, Debug)]
pub struct Asked {
    revision: Revision,
    sent: Sent,
    listens: bool,
    owes_errors: bool,
}

#[derive(Clone, Debug)]
enum Sent {
    /// The stub of a body with a request.
    Requests(Vec<u8>),
    /// A body with notifications or responses only.
    Others,
    /// A body with ids too long to be kept.
    LongIds,
    Get(Resuming),
    Delete,
}

impl Asked {
    /// Keeps what is needed of a request. A GET resumes a stream if it has a `Last-Event-ID`.
    #[must_use]
    pub fn new(accepted: &Accepted<'_>, resuming: Resuming) -> Self {
        let sent = match (accepted.message(), accepted.action()) {
            (Some(message), _) => match stub(message) {
                Ok(stub) if stub.len() > LONGEST => Sent::LongIds,
                Ok(stub) if stub.is_empty() => Sent::Others,
                Ok(stub) => Sent::Requests(stub),
                Err(_) => Sent::LongIds,
            },
            (None, Action::EndSession) => Sent::Delete,
            (None, _) => Sent::Get(resuming),
        };
        let is_faulty = |batch: &Batch<'_>| {
            batch
                .iter()
                .any(|element| element.message().is_err_and(|fault| fault.reply().is_some()))
        };
        let owes_errors =
            matches!(accepted.message(), Some(Message::Batch(batch)) if is_faulty(batch));
        let listens = accepted.action() == Action::Listen;
        Self { revision: accepted.revision(), sent, listens, owes_errors }
    }

    /// Returns the revision of the request.
    #[must_use]
    pub const fn revision(&self) -> Revision {
        self.revision
    }

    /// Returns whether the request is `subscriptions/listen`, whose stream may end without an answer.
    pub(super) const fn listens(&self) -> bool {
        self.listens
    }

    /// Returns whether an element of the batch is owed an error, which an exchange does not expect.
    pub(super) const fn owes_errors(&self) -> bool {
        self.owes_errors
    }

    /// Returns whether the ids are too long to be kept, so that the response cannot be judged.
    pub(super) const fn has_long_ids(&self) -> bool {
        matches!(self.sent, Sent::LongIds)
    }

    /// Returns whether the request ends a session.
    pub(super) const fn ends_session(&self) -> bool {
        matches!(self.sent, Sent::Delete)
    }

    /// Returns the exchange before anything has come back.
    pub(super) fn exchange(&self) -> Exchange<'_> {
        const NOTE: &[u8] = br#"{"jsonrpc":"2.0","method":"unknown"}"#;
        let text = match &self.sent {
            Sent::Requests(stub) => stub,
            Sent::Others => NOTE,
            Sent::LongIds => b"",
            Sent::Get(resuming) => return Exchange::get(self.revision, *resuming),
            Sent::Delete => return Exchange::delete(self.revision),
        };
        match Message::parse(text, &Profile::JSON_RPC) {
            Ok(message) => Exchange::post(self.revision, message),
            // Nothing is known about the request, so any message may answer it.
            Err(_) => Exchange::get(self.revision, Resuming::Yes),
        }
    }

    /// Returns the message with the requests that have been kept.
    pub(super) fn requests(&self) -> Option<Message<'_>> {
        let Sent::Requests(stub) = &self.sent else { return None };
        Message::parse(stub, &Profile::JSON_RPC).ok()
    }

    /// Calls a function with the id of each request that was kept.
    pub(super) fn each_id(&self, visit: &mut dyn FnMut(Id<'_>)) {
        match self.requests() {
            Some(Message::Request(request)) => visit(request.id()),
            Some(Message::Batch(batch)) => {
                requests_of(&batch).for_each(|request| visit(request.id()));
            }
            _ => {}
        }
    }

    /// Returns whether the batch has more requests than an exchange looks at.
    pub(super) fn is_long_batch(&self) -> bool {
        let mut count = 0_usize;
        self.each_id(&mut |_| count = count.saturating_add(1));
        count >= MOST
    }
}

/// Writes the stub of a body. It is empty if there is no request in it.
fn stub(message: &Message<'_>) -> Result<Vec<u8>, EncodeError> {
    let mut stub = Vec::new();
    let mut encoder = Encoder::new(&mut stub);
    match message {
        Message::Request(request) => {
            encoder.request(request.id(), name(request.method()), NO_PARAMS)?;
        }
        Message::Batch(batch) if requests_of(batch).next().is_some() => {
            encoder.batch(|stub| {
                for request in requests_of(batch).take(MOST) {
                    stub.request(request.id(), name(request.method()), NO_PARAMS);
                }
            })?;
        }
        _ => {}
    }
    Ok(stub)
}

fn name(method: RawStr<'_>) -> &'static str {
    KnownMethod::named(method).map_or(UNKNOWN, KnownMethod::name)
}

fn requests_of<'a>(batch: &Batch<'a>) -> impl Iterator<Item = Request<'a>> {
    batch.iter().filter_map(|element| match element.message() {
        Ok(Message::Request(request)) => Some(request),
        _ => None,
    })
}
