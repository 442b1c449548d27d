//! The capabilities and versions that the two sides have declared, and their era.

use serde::Deserialize;
use tautline::{ErrorCode, Response};
use tautline_mcp::session::{Capabilities, Capability};
use tautline_mcp::{Era, KnownMethod, ResultView, Revision, Role};

use super::asked::Asked;

/// The number of versions that are kept.
const MOST: usize = 64;

/// The capabilities and versions that the two sides have declared.
#[derive(Debug, Default)]
pub(super) struct Declared {
    client: Option<Capabilities>,
    server: Option<Capabilities>,
    /// The versions that the server supports, if it has named them.
    versions: Option<Vec<String>>,
    /// True if the server has shown that it knows requests with metadata.
    is_server_modern: bool,
    /// True if the client has sent `initialize`, so that requests may belong to a session.
    has_initialize: bool,
}

#[derive(Deserialize)]
struct Supported {
    #[serde(alias = "supportedVersions")]
    supported: Vec<String>,
}

impl Declared {
    pub fn request(&mut self, asked: &Asked<'_, '_>) {
        if asked.from == Role::Client && asked.method == Some(KnownMethod::Initialize) {
            self.has_initialize = true;
            self.client =
                asked.params.and_then(|params| params.capabilities()).map(Capabilities::of);
        }
    }

    /// Records the server's response to a request of this method.
    pub fn response(&mut self, method: &str, response: &Response<'_>) {
        let is = |known: KnownMethod| method == known.name();
        if let Some(error) = response.error() {
            let code = error.code().map(ErrorCode::value);
            self.is_server_modern |= matches!(code, Some(-32022..=-32020));
            if code == Some(-32022) {
                self.keep_versions(error.data().map(|data| data.as_bytes()));
            }
            return;
        }
        let is_other = !is(KnownMethod::ServerDiscover) && !is(KnownMethod::Initialize);
        // What the server knows does not matter to a session that has begun with a handshake.
        if is_other && self.has_initialize {
            return;
        }
        let Some(result) = response.result() else { return };
        let Some(view) = ResultView::of(result) else { return };
        if is_other {
            self.is_server_modern |= view.result_type().is_some();
            return;
        }
        if is(KnownMethod::ServerDiscover) {
            self.is_server_modern = true;
            self.keep_versions(Some(result.as_bytes()));
        }
        self.server = view.capabilities().map(Capabilities::of);
    }

    fn keep_versions(&mut self, object: Option<&[u8]>) {
        let told = object.and_then(|object| serde_json::from_slice::<Supported>(object).ok());
        if let Some(told) = told.filter(|told| told.supported.len() <= MOST) {
            self.versions = Some(told.supported);
        }
    }

    /// Returns whether a side has declared a capability, or `None` if its capabilities are unknown.
    pub fn has(&self, side: Role, capability: Capability) -> Option<bool> {
        let declared = match side {
            Role::Client => self.client,
            Role::Server => self.server,
        };
        declared.map(|declared| declared.has(capability))
    }

    /// Returns whether the server has listed its versions, and this version is not among them.
    pub fn lacks_version(&self, version: &str) -> bool {
        self.versions.as_ref().is_some_and(|all| !all.iter().any(|one| one == version))
    }

    /// Returns whether the server has listed this version as supported.
    pub fn has_version(&self, version: &str) -> bool {
        self.versions.as_ref().is_some_and(|all| all.iter().any(|one| one == version))
    }

    /// Returns whether the handshake was seen.
    pub const fn has_initialize(&self) -> bool {
        self.has_initialize
    }

    /// Returns whether the server knows requests with metadata, and the client has not sent `initialize`.
    pub const fn is_modern(&self) -> bool {
        self.is_server_modern && !self.has_initialize
    }

    /// Returns whether the server has listed its versions, and all of them require metadata in each request.
    pub fn is_only_modern(&self) -> bool {
        let first = Revision::ALL.iter().find(|revision| revision.era() == Era::Modern);
        let is_modern =
            |version: &String| first.is_some_and(|first| version.as_str() >= first.name());
        self.versions.as_ref().is_some_and(|all| !all.is_empty() && all.iter().all(is_modern))
    }

    /// Returns whether an error names one of the versions that the server supports, or lists them.
    pub fn is_named_in(&self, message: &str, data: Option<&[u8]>) -> bool {
        let lists = data.is_some_and(|data| serde_json::from_slice::<Supported>(data).is_ok());
        let names = |version: &String| message.contains(version.as_str());
        lists || self.versions.as_ref().is_some_and(|all| all.iter().any(names))
    }
}
