//! The consequences of an answer: a session begins, tools are learned, or the call is repeated.

use bytes::Bytes;
use http::HeaderValue;
use tautline::encode::{EncodeError, Encoder, object};
use tautline::{Message, RawJson, Response};
use tautline_mcp::http::code;
use tautline_mcp::{KnownMethod, ParamsView, ResultView, Revision, meta};

use super::error::PostError;
use super::exchange::{Reply, call, deliver};
use super::incident::Incident;
use super::outgoing::{Kind, Outgoing};
use super::reading::Events;
use super::shared::{Mode, Shared};
use super::tools::Noted;

/// The maximum number of pages that the client reads to learn of one tool.
const MOST_PAGES: usize = 32;

/// Sends a request, and passes its answer on. Returns the rest of the stream on which the answer came.
pub(super) async fn answer(
    shared: &Shared,
    outgoing: &Outgoing,
    id: u64,
    mode: &Mode,
) -> Result<Option<Events>, PostError> {
    let mut reply = call(shared, outgoing, id, mode).await?;
    if let Kind::Initialize(_) = outgoing.kind {
        begin_session(shared, outgoing, &reply);
    } else if mode.is_modern() {
        if let Some(second) = second_attempt(shared, outgoing, id, &reply.answer, mode).await {
            reply = second?;
        }
        if is_list_of_tools(outgoing)
            && let Some(sorted) = sort(shared, &reply.answer, mode)
        {
            reply.answer = sorted;
        }
    }
    shared.pass_line(reply.answer).await;
    Ok(reply.rest)
}

/// Begins a new session as the last one was begun.
pub(super) async fn renew(shared: &Shared, handshake: Bytes) -> Result<(), PostError> {
    let mode = shared.mode();
    let outgoing = Outgoing::read(handshake).map_err(|_| PostError::NotAMessage)?;
    let id = outgoing.id().ok_or(PostError::NotAMessage)?;
    let reply = call(shared, &outgoing, id, &mode).await?;
    let chosen = chosen(&reply.answer, &mode);
    if chosen != Some(mode.revision) {
        return Err(PostError::OtherRevision(chosen));
    }
    begin_session(shared, &outgoing, &reply);
    deliver(shared, &Outgoing::initialized(), &shared.mode()).await
}

/// Records the session that `initialize` has begun. If it has begun none, the peer finds out why.
fn begin_session(shared: &Shared, outgoing: &Outgoing, reply: &Reply) {
    if let Some(revision) = chosen(&reply.answer, &shared.mode()) {
        let session = reply.session.clone().map(secret);
        shared.begin_session(outgoing.text.clone(), revision, session);
    }
}

/// Keeps a value out of the logs of HTTP libraries.
fn secret(mut value: HeaderValue) -> HeaderValue {
    value.set_sensitive(true);
    value
}

/// Returns the revision in the answer to `initialize`.
fn chosen(answer: &[u8], mode: &Mode) -> Option<Revision> {
    let result = response(answer, mode)?.result().and_then(ResultView::of)?;
    Revision::named(result.protocol_version()?)
}

fn response<'a>(answer: &'a [u8], mode: &Mode) -> Option<Response<'a>> {
    match Message::parse(answer, &mode.revision.profile().http_response_body()).ok()? {
        Message::Response(response) => Some(response),
        _ => None,
    }
}

/// Returns whether the message is a request for the list of tools.
fn is_list_of_tools(outgoing: &Outgoing) -> bool {
    matches!(outgoing.message(), Some(Message::Request(request)) if request.method() == KnownMethod::ToolsList.name())
}

/// Learns the tools in a list. Returns the answer without those that are invalid, if there are any.
fn sort(shared: &Shared, answer: &[u8], mode: &Mode) -> Option<Vec<u8>> {
    shared.tools.sort(answer, mode.revision, &mut |noted| match noted {
        Noted::Invalid(name, path) => shared.observe(&Incident::InvalidTool { name, path }),
        Noted::Unlearned(name) => shared.observe(&Incident::UnlearnedTool { name }),
    })
}

/// If the server has refused the call of a tool because of its headers, lists the tools again, and repeats the call if it
/// now has other headers (2026-07-28, basic/transports/streamable-http, client behavior).
async fn second_attempt(
    shared: &Shared,
    outgoing: &Outgoing,
    id: u64,
    answer: &[u8],
    mode: &Mode,
) -> Option<Result<Reply, PostError>> {
    let error = response(answer, mode)?.error()?;
    if error.code()? != code::HEADER_MISMATCH {
        return None;
    }
    let Message::Request(request) = outgoing.message()? else { return None };
    if request.method() != KnownMethod::ToolsCall.name() {
        return None;
    }
    let before = shared.parameters(&outgoing.message()?);
    let params = request.params().and_then(ParamsView::of)?;
    list_until(shared, &params, mode).await.ok()?;
    (shared.parameters(&outgoing.message()?) != before).then_some(())?;
    Some(call(shared, outgoing, id, mode).await)
}

/// Lists the tools, page by page, up to the one that this call names.
async fn list_until(
    shared: &Shared,
    params: &ParamsView<'_>,
    mode: &Mode,
) -> Result<(), PostError> {
    let name = params.name();
    let mut cursor: Option<Vec<u8>> = None;
    for _ in 0..MOST_PAGES {
        let id = shared.own_id();
        let text =
            list_request(id, params, cursor.as_deref()).map_err(|_| PostError::NotAMessage)?;
        let outgoing = Outgoing::read(text.into()).map_err(|_| PostError::NotAMessage)?;
        let reply = call(shared, &outgoing, id, mode).await?;
        sort(shared, &reply.answer, mode);
        let result = response(&reply.answer, mode).and_then(|response| response.result());
        let tools = result.and_then(|result| result.member("tools"));
        let mut tools = tools.and_then(|tools| tools.elements()).into_iter().flatten();
        let is_it = |tool: RawJson<'_>| {
            let found = tool.member("name").and_then(|name| name.string());
            found.is_some() && found == name
        };
        let next = result.and_then(|result| result.member("nextCursor"));
        let next = next.filter(|next| next.string().is_some());
        if tools.any(is_it) || next.is_none() {
            break;
        }
        cursor = next.map(|next| next.as_bytes().to_vec());
    }
    Ok(())
}

/// Returns a request for a page of the list of tools, with the metadata of a call.
fn list_request(
    id: u64,
    params: &ParamsView<'_>,
    cursor: Option<&[u8]>,
) -> Result<Vec<u8>, EncodeError> {
    let members = params.meta().and_then(|meta| meta.object().members());
    let mut encoder = Encoder::new(Vec::new());
    let new = object(|new| {
        if let Some(cursor) = cursor.and_then(|cursor| RawJson::parse(cursor).ok()) {
            new.member("cursor", cursor);
        }
        let meta = object(|meta| {
            for member in members.into_iter().flatten() {
                // The token belongs to the call.
                if let Ok(name) = member.name.decode()
                    && name != meta::PROGRESS_TOKEN
                {
                    meta.member(&name, member.value);
                }
            }
        });
        new.member("_meta", meta);
    });
    encoder.request(id, KnownMethod::ToolsList.name(), Some(new))?;
    Ok(encoder.into_output())
}
