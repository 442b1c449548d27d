// Transports over streams, for tests.

import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";

import { StdioClientTransport, StdioServerTransport } from "../npm/mcp.js";

/** Creates a transport of a side over streams. Returns it with the stream that it reads, and the one that it writes. */
export function transportOf(side, options) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  if (side === "server") return [new StdioServerTransport(input, output, options), input, output];
  const child = Object.assign(new EventEmitter(), { stdin: output, stdout: input, stderr: null, exitCode: 0, kill() {} });
  const spawn = () => {
    setImmediate(() => child.emit("spawn"));
    return child;
  };
  return [new StdioClientTransport({ ...options, command: "server", spawn }), input, output];
}

/** Waits until what was written has been read and answered. */
export async function turns() {
  for (let turn = 0; turn < 8; turn++) await new Promise(setImmediate);
}
