// A server that misbehaves: it answers a tool call with the lines of the tool's name.

import { serveTools } from "./tools.mjs";

const long = "x".repeat(2 * 1024 * 1024);
const lines = (id) => ({
  banner: `Listening on stdin\n{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}`,
  "bad UTF-8": [Buffer.of(0xff, 0xfe, 10), `{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}\n`],
  "extra member": `{"jsonrpc":"2.0","id":${id},"result":{"content":[]},"extra":1}`,
  "result and error": `{"jsonrpc":"2.0","id":${id},"result":{"content":[]},"error":{"code":1,"message":"x"}}`,
  "no version": `{"id":${id},"result":{"content":[]}}`,
  "null result": `{"jsonrpc":"2.0","id":${id},"result":null}`,
  "illegal _meta": `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"_meta":5}}`,
  "too long": `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"x":"${long}"}}`,
  "no newline": [`{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}`],
});

await serveTools("broken", (id, params) => {
  const answer = lines(id)[params.name];
  for (const part of Array.isArray(answer) ? answer : [`${answer}\n`]) process.stdout.write(part);
  if (params.name === "no newline") process.exit();
});
