//! The choice of the revision (2026-07-28, basic/versioning; up to 2025-11-25, basic/lifecycle).

use serde_json::{Value, json};
use tautline_mcp::http::code;
use tautline_mcp::{Era, KnownMethod, Revision, is_of_modern_server};
use tautline_tokio::{CallError, RpcError};

use super::error::{ConnectError, PostError};
use super::shared::Shared;

/// The first revision with Streamable HTTP.
const FIRST: Revision = Revision::V2025_03_26;

/// The number of times that a server may refuse a version which it lists as supported.
const MOST_REFUSALS: usize = 2;

/// The meaning of an answer to `server/discover`.
enum Discovered {
    /// It supports the revision.
    Modern(Value),
    /// It lists other versions.
    Other(Vec<String>),
    /// It is of the legacy era, if it is a server of MCP at all. This is its error, unless it has sent a result that is not
    /// one of this method.
    Legacy(Option<CallError>),
}

/// Chooses a revision, and begins a session in it if it has sessions. Returns the result of `server/discover` or
/// `initialize`.
pub(super) async fn negotiate(shared: &Shared) -> Result<(Revision, Value), ConnectError> {
    let usable = shared.settings.revisions.iter().copied().filter(|revision| *revision >= FIRST);
    let (modern, legacy): (Vec<Revision>, Vec<Revision>) =
        usable.partition(|revision| revision.era() == Era::Modern);
    let mut next = modern.iter().copied().max();
    let mut offered = legacy.clone();
    let mut failure = None;
    for _ in 0..=MOST_REFUSALS {
        let Some(revision) = next else { break };
        match discover(shared, revision).await? {
            Discovered::Modern(result) => return Ok((revision, result)),
            Discovered::Other(versions) => {
                let is_listed =
                    |revision: &Revision| versions.iter().any(|version| version == revision.name());
                next = modern.iter().copied().filter(is_listed).max();
                offered = legacy.iter().copied().filter(is_listed).collect();
                failure = Some(ConnectError::NoCommonRevision(versions));
            }
            Discovered::Legacy(error) => {
                next = None;
                let none = ConnectError::NoCommonRevision(Vec::new());
                failure = Some(error.map_or(none, ConnectError::Call));
            }
        }
    }
    match (offered.iter().copied().max(), failure) {
        (Some(latest), _) => initialize(shared, latest, &offered).await,
        (None, Some(failure)) => Err(failure),
        (None, None) => Err(ConnectError::NoRevision),
    }
}

async fn discover(shared: &Shared, revision: Revision) -> Result<Discovered, ConnectError> {
    shared.set_revision(revision);
    shared.peer.set_revision(revision);
    let method = KnownMethod::ServerDiscover.name();
    let error = match shared.peer.call::<Value>(method, json!({})).await {
        Ok(result) => {
            let Some(versions) = result.get("supportedVersions") else {
                return Ok(Discovered::Legacy(None));
            };
            let versions = strings(Some(versions));
            return Ok(match versions.iter().any(|version| version == revision.name()) {
                true => Discovered::Modern(result),
                false => Discovered::Other(versions),
            });
        }
        Err(error) => error,
    };
    match &error {
        CallError::Peer(refusal) if refusal.code() == code::UNSUPPORTED_VERSION => {
            Ok(Discovered::Other(supported(refusal)))
        }
        CallError::Peer(refusal) if is_of_modern_server(refusal.code()) => {
            Err(ConnectError::Call(error))
        }
        CallError::Peer(_) => Ok(Discovered::Legacy(Some(error))),
        _ if PostError::of(&error).is_some_and(is_of_legacy_server) => {
            Ok(Discovered::Legacy(Some(error)))
        }
        _ => Err(ConnectError::Call(error)),
    }
}

async fn initialize(
    shared: &Shared,
    latest: Revision,
    offered: &[Revision],
) -> Result<(Revision, Value), ConnectError> {
    shared.set_revision(latest);
    shared.peer.set_revision(latest);
    let settings = &shared.settings;
    let params = json!({ "capabilities": settings.capabilities, "clientInfo": settings.info });
    let result: Value = match shared.peer.initialize(offered, params).await {
        Ok(result) => result,
        Err(CallError::NoCommonVersion(version)) => {
            let version = version.as_ref().and_then(Value::as_str).map(str::to_owned);
            return Err(ConnectError::NoCommonRevision(version.into_iter().collect()));
        }
        Err(error) => return Err(ConnectError::Call(error)),
    };
    Ok((shared.mode().revision, result))
}

/// Returns the versions that an error lists.
fn supported(error: &RpcError) -> Vec<String> {
    strings(error.data().and_then(|data| data.get("supported")))
}

fn strings(list: Option<&Value>) -> Vec<String> {
    let elements = list.and_then(Value::as_array).into_iter().flatten();
    elements.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns whether a failure shows a server of the legacy era: a status that a client is at fault for. Those about
/// authorization and about the moment show nothing.
fn is_of_legacy_server(error: &PostError) -> bool {
    const OTHERS: [u16; 5] = [401, 403, 407, 408, 429];
    let status = error.status();
    status.is_some_and(|status| status.is_client_error() && !OTHERS.contains(&status.as_u16()))
}
