//! The programs on the two sides, as they introduce themselves.

use serde::{Deserialize, Serialize};
use tautline::{Message, RawJson};
use tautline_mcp::{KnownMethod, ParamsView, ResultView, Role};

/// The length of a name or version that is kept, in characters.
const LONGEST: usize = 200;

/// A program, as it calls itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Peer {
    /// Its name.
    pub name: String,
    /// Its version.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub version: String,
}

/// The programs on both sides of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Peers {
    pub client: Option<Peer>,
    pub server: Option<Peer>,
}

#[derive(Deserialize)]
struct Implementation {
    name: Option<String>,
    version: Option<String>,
}

impl Peers {
    pub fn observe(&mut self, from: Role, message: &Message<'_>) {
        match (from, message) {
            (Role::Client, Message::Request(request)) if self.client.is_none() => {
                let Some(params) = request.params().and_then(ParamsView::of) else { return };
                let is_initialize =
                    KnownMethod::named(request.method()) == Some(KnownMethod::Initialize);
                let info = params.client_info().filter(|_| is_initialize);
                let info = info.or_else(|| params.meta()?.client_info());
                self.client = info.and_then(peer);
            }
            (Role::Server, Message::Response(response)) if self.server.is_none() => {
                let Some(result) = response.result().and_then(ResultView::of) else { return };
                let info = result.server_info().or_else(|| result.meta()?.server_info());
                self.server = info.and_then(peer);
            }
            _ => {}
        }
    }
}

fn peer(info: RawJson<'_>) -> Option<Peer> {
    let info: Implementation = serde_json::from_slice(info.as_bytes()).ok()?;
    let short = |text: String| text.chars().take(LONGEST).collect();
    let (name, version) = (info.name?, info.version.unwrap_or_default());
    Some(Peer { name: short(name), version: short(version) })
}
