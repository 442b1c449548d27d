//! The names that MCP reserves in `_meta` (basic, `_meta`).

/// In requests: the revision that the request uses. A string, required from 2026-07-28.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// In requests: the client's capabilities. An object, required from 2026-07-28.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// In requests: the identity of the client. An object.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// In requests: the minimum level of the log messages that the client wants. A string.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// In requests: the token for progress notifications about this request. A string or an integer.
pub const PROGRESS_TOKEN: &str = "progressToken";
/// In notifications and results: the id of the `subscriptions/listen` request that they belong to. A string or an
/// integer.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// In results: the identity of the server. An object.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The name of the extension for tasks, among the `extensions` of the client's capabilities.
pub(crate) const TASKS: &str = "io.modelcontextprotocol/tasks";
