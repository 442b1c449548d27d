// Compares ReadBuffer with the SDK's, on one message in chunks of 64 KiB: `node bench.mjs [MEBIBYTES]`. Prints the
// medians and their ratio. It needs the same packages as the tests.

import { ReadBuffer as SecondBuffer } from "@modelcontextprotocol/server";
import { ReadBuffer as FirstBuffer } from "@modelcontextprotocol/sdk/shared/stdio.js";
import { ReadBuffer } from "tautline/mcp";

const ROUNDS = 9;
const size = Number(process.argv[2] ?? 10) * 1024 * 1024;
const text = "The quick brown fox jumps over the lazy dog. ".repeat(size / 45 - 2);
const result = { content: [{ type: "text", text }] };
const wire = Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id: 1, result })}\n`);
const chunks = [];
for (let at = 0; at < wire.length; at += 64 * 1024) chunks.push(wire.subarray(at, at + 64 * 1024));

function read(Buffer) {
  const buffer = new Buffer({ maxBufferSize: 2 * size });
  const start = performance.now();
  let message = null;
  for (const chunk of chunks) {
    buffer.append(chunk);
    message = buffer.readMessage() ?? message;
  }
  const time = performance.now() - start;
  if (message?.id !== 1) throw new Error("the message was not read");
  return time;
}

const buffers = { "SDK 1": FirstBuffer, "SDK 2": SecondBuffer, tautline: ReadBuffer };
const times = { "SDK 1": [], "SDK 2": [], tautline: [] };
for (let round = 0; round <= ROUNDS; round++) {
  for (const [name, Buffer] of Object.entries(buffers)) {
    const time = read(Buffer);
    if (round > 0) times[name].push(time);
  }
}
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
console.log(`Node ${process.version}, ${wire.length} bytes in ${chunks.length} chunks, ${ROUNDS} rounds`);
for (const [name, list] of Object.entries(times)) {
  const ratio = median(list) / median(times.tautline);
  console.log(`${name.padEnd(8)} ${median(list).toFixed(1).padStart(8)} ms, ${ratio.toFixed(2)} times tautline's`);
}
