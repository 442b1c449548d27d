// A server that answers a tool call with the bad input of the tool's name.

import { closeSync } from "node:fs";

import { responses } from "./bad_inputs.mjs";
import { serveTools, write } from "./tools.mjs";

const ENDINGS = {
  "the server closes its output": () => closeSync(1),
  "the server exits": () => process.exit(),
  "the server exits in the middle of a line": (id) => process.stdout.write(`{"jsonrpc":"2.0","id":${id},`, () => process.exit()),
};

await serveTools("bad", (id, params) => {
  const ending = ENDINGS[params.name];
  if (ending !== undefined) {
    ending(id);
  } else {
    process.stdout.write(Buffer.concat([responses(`${id}`)[params.name].bytes, Buffer.from("\n")]));
    // Shows that the bad input has been read.
    write({ jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "after" } });
  }
});
