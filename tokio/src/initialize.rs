//! The handshake of a client of MCP.

use serde::Serialize;
use serde_json::Value;
use tautline::encode::EncodeError;
use tautline_mcp::{Era, KnownMethod, Revision};

use crate::protocol::Protocol;
use crate::{CallError, FromPayload, Peer, Raw};

impl Peer {
    /// Begins a session of MCP up to 2025-11-25: calls `initialize`, sets the revision that the server has chosen, and
    /// sends `notifications/initialized` (MCP, basic/lifecycle). Returns the server's result.
    ///
    /// `supported` are the revisions that this client supports, in any order. The latest of them that has a handshake
    /// is offered, so 2026-07-28 is passed over. The params are an object with `capabilities` and `clientInfo`;
    /// `protocolVersion` is added. If the server chooses another revision than the one in force, its profile is set as
    /// by [`set_revision`](Self::set_revision).
    ///
    /// ```
    /// use serde_json::{Value, json};
    /// use tautline_tokio::tautline_mcp::Revision;
    /// use tautline_tokio::{CallError, Peer};
    ///
    /// # async fn run(peer: &Peer) -> Result<(), CallError> {
    /// let params = json!({
    ///     "capabilities": {},
    ///     "clientInfo": { "name": "example", "version": "1" },
    /// });
    /// let supported = [Revision::V2025_11_25, Revision::V2025_06_18];
    /// let welcome: Value = peer.initialize(&supported, params).await?;
    /// println!("{} speaks {}", welcome["serverInfo"]["name"], welcome["protocolVersion"]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`CallError::NoCommonVersion`] if the server chooses a version that is not in `supported`. Then close the
    /// connection. Returns the other errors as [`call`](Self::call) does. The notification is sent only if there is no
    /// error.
    pub async fn initialize<R: FromPayload>(
        &self,
        supported: &[Revision],
        params: impl Serialize,
    ) -> Result<R, CallError> {
        let legacy = supported.iter().filter(|revision| revision.era() == Era::Legacy);
        let offered = legacy.clone().max().ok_or(CallError::NoCommonVersion(None))?;
        let params = with_version(params, *offered).map_err(CallError::NotSent)?;
        let answer: Raw = self.call(KnownMethod::Initialize.name(), params).await?;
        let version = answer.json().member("protocolVersion");
        let name = version.and_then(|version| version.string());
        let revision = name.and_then(|name| legacy.clone().find(|known| name == known.name()));
        let Some(&revision) = revision else {
            let version = version.and_then(|version| version.deserialize().ok());
            return Err(CallError::NoCommonVersion(Some(version.unwrap_or_default())));
        };
        let result = answer.read()?;
        if !matches!(self.shared().agreed().protocol, Protocol::Mcp(now) if now == revision) {
            self.set_revision(revision);
        }
        self.notify(KnownMethod::Initialized.name(), ()).await?;
        Ok(result)
    }
}

/// Adds the offered version to the params of `initialize`.
fn with_version(params: impl Serialize, offered: Revision) -> Result<Value, EncodeError> {
    let mut params = serde_json::to_value(params).map_err(|_| EncodeError::Payload)?;
    let members = params.as_object_mut().ok_or(EncodeError::ParamsType)?;
    members.insert("protocolVersion".to_owned(), offered.name().into());
    Ok(params)
}
