//! The description of a server of MCP, which answers `initialize` and `server/discover`.

use std::borrow::Cow;
use std::sync::Arc;

use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};
use tautline::ErrorCode;
use tautline_mcp::{Era, KnownMethod, Revision, meta};

use crate::{Context, Handlers, RpcError};

/// The code of UnsupportedProtocolVersion (MCP 2026-07-28, basic/versioning).
const UNSUPPORTED_VERSION: ErrorCode = ErrorCode::new(-32022);

/// The revisions that the transport serves, if it does not serve all.
type Served = Option<&'static [Revision]>;

/// The description of a server of MCP: its name, its revisions and its capabilities.
///
/// [`Handlers::with_server_info`] answers `initialize` (up to 2025-11-25, basic/lifecycle) and `server/discover` (2026-07-28,
/// server/discover) with it.
///
/// ```
/// use serde_json::json;
/// use tautline_tokio::{Handlers, ServerInfo};
///
/// let info = ServerInfo::new("example", "1.0.0")
///     .with_capabilities(json!({ "tools": {} }))
///     .with_instructions("Ask for the weather of a city.");
/// let handlers = Handlers::new(()).with_server_info(info);
/// # let _ = handlers;
/// ```
#[derive(Clone, Debug)]
pub struct ServerInfo {
    revisions: Cow<'static, [Revision]>,
    implementation: Map<String, Value>,
    capabilities: Value,
    instructions: Option<String>,
}

impl ServerInfo {
    /// Describes a server of all revisions, with this name and version, and without capabilities.
    #[must_use]
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        let mut implementation = Map::new();
        implementation.insert("name".to_owned(), Value::String(name.into()));
        implementation.insert("version".to_owned(), Value::String(version.into()));
        Self {
            revisions: Cow::Borrowed(Revision::ALL),
            implementation,
            capabilities: json!({}),
            instructions: None,
        }
    }

    /// Sets the revisions that the server supports, in any order.
    #[must_use]
    pub fn with_revisions(mut self, revisions: impl Into<Cow<'static, [Revision]>>) -> Self {
        self.revisions = revisions.into();
        self
    }

    /// Sets the capabilities: an object as the schema's `ServerCapabilities`.
    #[must_use]
    pub fn with_capabilities(mut self, capabilities: Value) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Sets a text that tells a model how to use the server.
    #[must_use]
    pub fn with_instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Sets a member of the schema's `Implementation`, such as `title` or `websiteUrl`.
    #[must_use]
    pub fn with_member(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.implementation.insert(name.into(), value.into());
        self
    }

    /// Returns the revisions that the server supports.
    #[must_use]
    pub fn revisions(&self) -> &[Revision] {
        &self.revisions
    }

    /// Returns the revisions that this server supports and that the transport of a connection serves.
    fn supported(&self, served: Served) -> impl Iterator<Item = Revision> + Clone {
        let is_served = move |one: &Revision| served.is_none_or(|served| served.contains(one));
        self.revisions.iter().copied().filter(is_served)
    }

    /// Chooses the revision of a session: the requested one, or else the latest of the legacy era.
    fn choose(&self, requested: &str, served: Served) -> Option<Revision> {
        let legacy = self.supported(served).filter(|one| one.era() == Era::Legacy);
        legacy.clone().find(|one| one.name() == requested).or_else(|| legacy.max())
    }

    /// Returns the result of `initialize`.
    fn welcome(&self, revision: Revision) -> Value {
        self.instructed(json!({
            "protocolVersion": revision.name(),
            "capabilities": self.capabilities,
            "serverInfo": self.implementation,
        }))
    }

    /// Returns the result of `server/discover`.
    fn discovered(&self, served: Served) -> Value {
        self.instructed(json!({
            "resultType": "complete",
            "supportedVersions": self.names(served),
            "capabilities": self.capabilities,
            // The answer is the same for all clients, and changes with the program only.
            "ttlMs": 3_600_000,
            "cacheScope": "public",
            "_meta": { meta::SERVER_INFO: self.implementation },
        }))
    }

    /// Adds the instructions to a result.
    fn instructed(&self, mut result: Value) -> Value {
        if let (Some(instructions), Some(members)) = (&self.instructions, result.as_object_mut()) {
            members.insert("instructions".to_owned(), instructions.as_str().into());
        }
        result
    }

    fn names(&self, served: Served) -> Vec<&'static str> {
        self.supported(served).map(Revision::name).collect()
    }
}

impl<S: Send + Sync + 'static> Handlers<S> {
    /// Adds handlers of `initialize` and `server/discover`, which answer with this description. They replace earlier ones.
    ///
    /// The handler of `initialize` chooses the requested revision if the server supports it, or else the latest one that has
    /// a handshake, and [sets](crate::Peer::set_revision) it. A server of no such revision refuses with -32022, whose data
    /// lists the versions that it supports. Revisions that the transport [does not
    /// serve](crate::Options::with_served_revisions) count as unsupported.
    #[must_use]
    pub fn with_server_info(self, info: ServerInfo) -> Self {
        let info = Arc::new(info);
        let welcome = Arc::clone(&info);
        let initialize = move |context: Context<S>, params: Value| {
            let info = Arc::clone(&welcome);
            async move {
                let requested = params.get("protocolVersion").and_then(Value::as_str);
                let requested = requested
                    .ok_or_else(|| RpcError::invalid_params("protocolVersion is no string"))?;
                let served = context.peer().served_revisions();
                let Some(revision) = info.choose(requested, served) else {
                    let data = json!({ "supported": info.names(served), "requested": requested });
                    let error = RpcError::new(UNSUPPORTED_VERSION, "Unsupported protocol version");
                    return Err(error.with_data(data));
                };
                context.peer().set_revision(revision);
                Ok(info.welcome(revision))
            }
        };
        let discover = move |context: Context<S>, _: IgnoredAny| {
            let result = info.discovered(context.peer().served_revisions());
            async move { Ok(result) }
        };
        self.request(KnownMethod::Initialize.name(), initialize)
            .request(KnownMethod::ServerDiscover.name(), discover)
    }
}
