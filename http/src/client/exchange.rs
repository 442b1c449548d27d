//! The exchange of one message: a POST, and its response.

use http::{HeaderValue, StatusCode};
use tautline_mcp::http::{Content, Exchange};
use tokio::time::timeout;

use super::error::PostError;
use super::head::SESSION;
use super::outgoing::Outgoing;
use super::reading::{Events, whole};
use super::shared::{Mode, Shared};
use super::stream::{Cursor, check_head, resume, unreadable};

/// The response to a call.
pub(super) struct Reply {
    /// The answer, as a line.
    pub(super) answer: Vec<u8>,
    /// The id of the session, if the response has one.
    pub(super) session: Option<HeaderValue>,
    /// The rest of the stream on which the answer came.
    pub(super) rest: Option<Events>,
}

/// Sends a request, and reads its response up to the answer. Other messages in it are passed on.
pub(super) async fn call(
    shared: &Shared,
    outgoing: &Outgoing,
    id: u64,
    mode: &Mode,
) -> Result<Reply, PostError> {
    let limit = shared.settings.limit;
    let message = outgoing.message().ok_or(PostError::NotAMessage)?;
    let mut exchange = Exchange::post(mode.revision, message);
    let exchanged = shared.send(shared.post(outgoing, &message, mode));
    let (head, body) = exchanged.await.map_err(PostError::Unreachable)?.into_parts();
    if has_ended(head.status, mode) {
        return Err(PostError::SessionEnded);
    }
    let session = head.headers.get(SESSION).cloned();
    let content = check_head(shared, &mut exchange, head.status, &head.headers);
    match content {
        Content::Message if head.status.is_success() => {
            let body = whole(body, limit).await?;
            let answer = shared.read_answer(&mut exchange, &body, id)?;
            Ok(Reply { answer, session, rest: None })
        }
        Content::Message => {
            // Without a whole body, the status is all that is known.
            let body = whole(body, limit).await.unwrap_or_default();
            let answer = shared.read_failure(&mut exchange, &body, id);
            let answer = answer.ok_or(PostError::Status(head.status))?;
            Ok(Reply { answer, session, rest: None })
        }
        Content::Events => {
            let events = Events::new(body, limit);
            let (answer, rest) = read_events(shared, events, exchange, id, mode).await?;
            Ok(Reply { answer, session, rest: Some(rest) })
        }
        _ => Err(unreadable(head.status, &head.headers)),
    }
}

/// Reads the events of a response up to the answer, and resumes the response if need be.
async fn read_events(
    shared: &Shared,
    mut events: Events,
    mut exchange: Exchange<'_>,
    id: u64,
    mode: &Mode,
) -> Result<(Vec<u8>, Events), PostError> {
    let mut cursor = Cursor::default();
    loop {
        let ended = match events.next().await {
            Ok(Some(data)) => match shared.receive(&mut exchange, &data, Some(id), mode).await? {
                Some(answer) => return Ok((answer, events)),
                None => continue,
            },
            Ok(None) => PostError::Unanswered,
            Err(error @ PostError::Cut(_)) => error,
            Err(error) => return Err(error),
        };
        cursor.note(&events);
        // The rest of the response still belongs to the exchange.
        events = match resume(shared, id, ended, &mut cursor, mode).await {
            Ok(events) => events,
            Err(error) => {
                exchange.end(|finding| shared.report(&finding));
                return Err(error);
            }
        };
    }
}

/// Sends a notification or an answer, and waits for the acknowledgement.
pub(super) async fn deliver(
    shared: &Shared,
    outgoing: &Outgoing,
    mode: &Mode,
) -> Result<(), PostError> {
    let message = outgoing.message().ok_or(PostError::NotAMessage)?;
    let mut exchange = Exchange::post(mode.revision, message);
    let request = shared.post(outgoing, &message, mode);
    let within = shared.settings.ack_timeout;
    let response = timeout(within, shared.send(request)).await;
    let response = response.map_err(|_| PostError::TimedOut(within))?;
    let (head, _) = response.map_err(PostError::Unreachable)?.into_parts();
    if has_ended(head.status, mode) {
        return Err(PostError::SessionEnded);
    }
    check_head(shared, &mut exchange, head.status, &head.headers);
    if head.status.is_success() { Ok(()) } else { Err(PostError::Status(head.status)) }
}

/// Ends the session, if there is one. A server that does not allow that answers with 405.
pub(super) async fn end_session(shared: &Shared, mode: &Mode) -> Result<(), PostError> {
    if mode.is_modern() || mode.session.is_none() {
        return Ok(());
    }
    let mut exchange = Exchange::delete(mode.revision);
    let within = shared.settings.ack_timeout;
    let response = timeout(within, shared.send(shared.delete(mode))).await;
    let response = response.map_err(|_| PostError::TimedOut(within))?;
    let (head, _) = response.map_err(PostError::Unreachable)?.into_parts();
    check_head(shared, &mut exchange, head.status, &head.headers);
    match head.status {
        StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_FOUND => Ok(()),
        status if status.is_success() => Ok(()),
        status => Err(PostError::Status(status)),
    }
}

/// Returns whether the server has ended the session that a request named.
fn has_ended(status: StatusCode, mode: &Mode) -> bool {
    status == StatusCode::NOT_FOUND && mode.session.is_some() && !mode.is_modern()
}
