//! The settings of a client.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, Uri};
use serde_json::Value;
use tautline_mcp::Revision;
use tautline_tokio::Options;

use super::incident::Incident;

#[derive(Clone)]
pub(super) struct Settings {
    pub(super) uri: Uri,
    pub(super) headers: HeaderMap,
    /// The revisions to choose from.
    pub(super) revisions: Vec<Revision>,
    pub(super) info: Value,
    pub(super) capabilities: Value,
    /// The maximum length of a message in bytes.
    pub(super) limit: u32,
    /// The maximum number of calls that are under way at the same time.
    pub(super) max_posts: usize,
    pub(super) connect_timeout: Duration,
    pub(super) ack_timeout: Duration,
    pub(super) options: Options,
    pub(super) observer: Arc<dyn Fn(&Incident<'_>) + Send + Sync>,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The values of headers are often secrets.
        f.debug_struct("Client")
            .field("uri", &self.uri)
            .field("headers", &self.headers.keys())
            .field("revisions", &self.revisions)
            .field("limit", &self.limit)
            .field("max_posts", &self.max_posts)
            .finish_non_exhaustive()
    }
}
