// A server that answers a tool call with the bad input of the tool's name.

import { closeSync } from "node:fs";
import { createInterface } from "node:readline";

import { responses } from "./bad_inputs.mjs";

const write = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
const ENDINGS = {
  "the server closes its output": () => closeSync(1),
  "the server exits": () => process.exit(),
  "the server exits in the middle of a line": (id) => process.stdout.write(`{"jsonrpc":"2.0","id":${id},`, () => process.exit()),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  if (method === "initialize") {
    const { protocolVersion } = params;
    const serverInfo = { name: "bad", version: "1" };
    write({ jsonrpc: "2.0", id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
  } else if (method === "ping") {
    write({ jsonrpc: "2.0", id, result: {} });
  } else {
    const ending = ENDINGS[params.name];
    if (ending !== undefined) {
      ending(id);
    } else {
      process.stdout.write(Buffer.concat([responses(`${id}`)[params.name].bytes, Buffer.from("\n")]));
      // Shows that the bad input has been read.
      write({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "after" } });
    }
  }
}

