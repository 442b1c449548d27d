//! The messages in a response: which of them is the answer.

use tautline::encode::{Encoder, NewError};
use tautline::{Fault, Id, Message, Profile, Response};
use tautline_mcp::http::{Exchange, Finding, Received};

use super::error::PostError;
use super::incident::Incident;
use super::outgoing::number_of;
use super::shared::{Mode, Shared, line_of};

impl Shared {
    /// Checks a message in a stream. Returns it as a line if it is the answer to the request with this id, and otherwise
    /// passes it on.
    ///
    /// An error without an id is the answer, too: the server could not read the id.
    pub(super) async fn receive(
        &self,
        exchange: &mut Exchange<'_>,
        data: &[u8],
        call: Option<u64>,
        mode: &Mode,
    ) -> Result<Option<Vec<u8>>, PostError> {
        let parsed = Message::parse(data, &exchange.profile());
        let (received, broken) = self.check(exchange, parsed);
        if let Some(error) = call.and_then(|call| error_without_id(data, &exchange.profile(), call))
        {
            return Ok(Some(error));
        }
        let message = match parsed {
            Ok(message) => message,
            // The fault was reported.
            Err(fault) => {
                let is_answer = call.is_some_and(|call| names(&fault, call));
                return broken
                    .filter(|_| is_answer)
                    .map_or(Ok(None), |rule| Err(PostError::Broken(rule)));
            }
        };
        if call.is_some_and(|call| answers(&message, call)) {
            return Ok(line_of(&message));
        }
        if received == Received::Stray && mode.is_modern() {
            self.observe(&Incident::Stray);
        } else {
            // Up to 2025-11-25, some servers send an answer on another stream. The peer knows whether it waits for it.
            self.pass_on(&message).await;
        }
        Ok(None)
    }

    /// Reads the only message of a successful response, which is the answer to the request with this id.
    ///
    /// An error without an id is the answer, too: the server could not read the id.
    pub(super) fn read_answer(
        &self,
        exchange: &mut Exchange<'_>,
        body: &[u8],
        call: u64,
    ) -> Result<Vec<u8>, PostError> {
        let parsed = Message::parse(body, &exchange.profile());
        let (_, broken) = self.check(exchange, parsed);
        let answer = parsed.ok().filter(|message| answers(message, call));
        let line = answer.and_then(|message| line_of(&message));
        line.or_else(|| error_without_id(body, &exchange.profile(), call))
            .ok_or_else(|| broken.map_or(PostError::Unanswered, PostError::Broken))
    }

    /// Reads the error in a response that has a status of failure. It answers the request that was sent, even if it has
    /// another id.
    pub(super) fn read_failure(
        &self,
        exchange: &mut Exchange<'_>,
        body: &[u8],
        call: u64,
    ) -> Option<Vec<u8>> {
        self.check(exchange, Message::parse(body, &exchange.profile()));
        error_in(body, &exchange.profile(), call, |_| true)
    }

    /// Checks a message. Returns its kind and the last rule that it breaks.
    fn check(
        &self,
        exchange: &mut Exchange<'_>,
        parsed: Result<Message<'_>, Fault<'_>>,
    ) -> (Received, Option<Finding>) {
        let mut last = None;
        let received = exchange.message(parsed, |finding| {
            self.report(&finding);
            last = Some(finding);
        });
        (received, last)
    }
}

/// Returns the error in a body as the answer to the request with this id, if the error has none or a null id.
fn error_without_id(body: &[u8], profile: &Profile, call: u64) -> Option<Vec<u8>> {
    error_in(body, profile, call, |response| response.id().is_none_or(|id| id == Id::Null))
}

/// Returns the error in a body as the answer to the request with this id.
fn error_in(
    body: &[u8],
    profile: &Profile,
    call: u64,
    is_it: impl Fn(&Response<'_>) -> bool,
) -> Option<Vec<u8>> {
    // Many servers send a null id, as JSON-RPC demands and no revision of MCP allows.
    let profiles = [profile, &Profile::JSON_RPC];
    let error =
        profiles.iter().find_map(|profile| match Message::parse(body, profile).ok()? {
            Message::Response(response) if is_it(&response) => response.error(),
            _ => None,
        })?;
    let text = error.message().decode().ok()?;
    let new = NewError::new(error.code()?, &text).with_optional_data(error.data());
    let mut encoder = Encoder::new(Vec::new());
    encoder.error(call, new).ok()?;
    Some(encoder.into_output())
}

/// Returns whether a message has the answer to the request with this id.
fn answers(message: &Message<'_>, call: u64) -> bool {
    match message {
        Message::Response(response) => response.id().as_ref().and_then(number_of) == Some(call),
        // A batch never contains batches.
        Message::Batch(batch) => {
            let mut elements = batch.iter().filter_map(|element| element.message().ok());
            elements.any(|element| answers(&element, call))
        }
        Message::Request(_) | Message::Notification(_) => false,
    }
}

/// Returns whether a broken message is the answer to the request with this id.
fn names(fault: &Fault<'_>, call: u64) -> bool {
    let id = fault.id().and_then(Id::of);
    id.as_ref().and_then(number_of) == Some(call) && fault.may_be_response()
}
