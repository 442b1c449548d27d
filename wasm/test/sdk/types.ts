// Checks that the transports fit the SDK's types, in both major versions.

import type { Transport as SecondTransport } from "@modelcontextprotocol/client";
import type { Transport as FirstTransport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { deserializeMessage, FrameError, ReadBuffer, serializeMessage } from "tautline/mcp";
import { StdioClientTransport, StdioServerTransport } from "tautline/mcp";

const client = new StdioClientTransport({ command: "node", args: ["server.mjs"], maxFrame: 1024, stderr: "pipe" });
const server = new StdioServerTransport(process.stdin, process.stdout, { rules: "2025-06-18", drainTimeout: 10 });
new StdioServerTransport(process.stdin, process.stdout, {
  onFinding: ({ from, rule, severity, at, path }) => console.error(from, rule, severity === "error", at, path?.length),
});
const first: FirstTransport[] = [client, server];
const second: SecondTransport[] = [client, server];
for (const transport of [...first, ...second]) {
  transport.onerror = (error) => {
    if (error instanceof FrameError) console.error(error.rule, error.at, error.line, error.excerpt);
  };
}

const buffer = new ReadBuffer({ maxBufferSize: 1024 });
buffer.append(Buffer.from(serializeMessage(deserializeMessage('{"jsonrpc":"2.0","id":1,"result":{}}'))));
buffer.readMessage();
// @ts-expect-error: there is no such revision
new ReadBuffer({ rules: "2025-01-01" });
