// The stdio transports of the official TypeScript SDK, over this package's reader, for Node and compatible runtimes.

export { DEFAULT_INHERITED_ENV_VARS, getDefaultEnvironment, StdioClientTransport } from "./lib/mcp/client.js";
export { FrameError } from "./lib/mcp/frame-error.js";
export { deserializeMessage, serializeMessage } from "./lib/mcp/messages.js";
export { ReadBuffer } from "./lib/mcp/read-buffer.js";
export { StdioServerTransport } from "./lib/mcp/server.js";
