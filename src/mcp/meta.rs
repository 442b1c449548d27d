//! The names that MCP reserves in `_meta` (basic, `_meta`).

/// In requests: the revision that they are made under. A string, required from 2026-07-28.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// In requests: what the client can do. An object, required from 2026-07-28.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// In requests: who the client is. An object.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// In requests: the least important log message that the client wants. A string.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// In requests: what notifications about their progress are to carry. A string or an integer.
pub const PROGRESS_TOKEN: &str = "progressToken";
/// In notifications: the id of the `subscriptions/listen` that they are for. A string or an integer.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// In results: who the server is. An object.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// The name of the extension for tasks, among the `extensions` of the client's capabilities.
pub(crate) const TASKS: &str = "io.modelcontextprotocol/tasks";
