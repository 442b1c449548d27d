// Compares what reading costs with JSON.parse, on small messages, in one process: `node wasm/test/readers.mjs [--rounds
// N] [--entry NAME]`. In each round, every reader runs once, in another order. Prints, for each corpus, the best time of
// each reader as messages per second, and its ratio to JSON.parse alone.
//
// JSON.parse alone finds the line ends, decodes each line with a TextDecoder, and parses it. It checks nothing.

import { cpus } from "node:os";
import { parseArgs } from "node:util";

import { forEachLine } from "./lines.mjs";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "25" }, entry: { type: "string", default: "index" } },
});
const { MessageStream, build } = await import(`../npm/${values.entry}.js`);

const COUNT = 20_000;
const CHUNK = 64 * 1024;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Returns chunks of this many messages. */
function chunksOf(message) {
  const wire = Buffer.from(Array.from({ length: COUNT }, (_, index) => `${JSON.stringify(message(index))}\n`).join(""));
  const chunks = [];
  for (let at = 0; at < wire.length; at += CHUNK) chunks.push(wire.subarray(at, at + CHUNK));
  return { chunks, length: wire.length / COUNT };
}

const call = (id, name, text) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: { city: text, units: "metric", days: 3 } },
});
const CORPORA = {
  "tool calls": (index) => call(index, "forecast", "Lisbon"),
  "tool calls, not ASCII": (index) => call(index, "forecast", "Zürich"),
  "ids of 36 characters": (index) => call(`5f0c8a2e-77b1-4e0e-9c1a-${String(index).padStart(12, "0")}`, "forecast", "Lisbon"),
  pings: (index) => ({ jsonrpc: "2.0", id: index, method: "ping" }),
  progress: (index) => ({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken: "token-17", progress: index, total: COUNT, message: "Reading the archive" },
  }),
};

/** The params of each message, as the part of a text. */
function paramsOf(chunks) {
  const text = Buffer.concat(chunks).toString();
  return text.split("\n").filter((line) => line.includes('"params":')).map((line) => line.slice(line.indexOf('"params":') + 9, -1));
}

/** Reads all messages. `read` returns a number, so that nothing is optimised away. */
const reader = (read) => (chunks) => {
  let sum = 0;
  const stream = new MessageStream();
  for (const chunk of chunks) for (const received of stream.push(chunk)) sum += read(received);
  stream.free();
  return sum;
};

const READERS = {
  "JSON.parse alone": (chunks) => {
    let sum = 0;
    forEachLine(chunks, (line) => {
      sum += JSON.parse(decoder.decode(line)).jsonrpc.length;
    });
    return sum;
  },
  "JSON.parse of params alone": (_, params) => {
    let sum = 0;
    for (const text of params) sum += JSON.parse(text) === undefined ? 0 : 1;
    return sum;
  },
  kind: reader((received) => received.kind.length),
  id: reader((received) => (received.id === undefined ? 0 : 1)),
  method: reader((received) => received.method.length),
  "id and method": reader((received) => (received.id === undefined ? 0 : 1) + received.method.length),
  "id, method and text of params": reader((received) => (received.id === undefined ? 0 : 1) + received.method.length + (received.text("params")?.length ?? 0)),
  params: reader((received) => (received.params === undefined ? 0 : 1)),
  "id, method and params": reader((received) => (received.id === undefined ? 0 : 1) + received.method.length + (received.params === undefined ? 0 : 1)),
};

console.log(`${build.name}, Node.js ${process.version}, ${cpus()[0].model.trim()}, best of ${values.rounds} rounds`);
for (const [corpus, message] of Object.entries(CORPORA)) {
  const { chunks, length } = chunksOf(message);
  const params = paramsOf(chunks);
  const best = {};
  const names = Object.keys(READERS);
  for (let round = 0; round < Number(values.rounds); round++) {
    names.push(names.shift());
    for (const name of names) {
      const start = performance.now();
      READERS[name](chunks, params);
      best[name] = Math.min(best[name] ?? Infinity, performance.now() - start);
    }
  }
  console.log(`${corpus}: ${length.toFixed(0)} bytes each`);
  for (const name of Object.keys(READERS)) {
    const ratio = best["JSON.parse alone"] / best[name];
    console.log(`  ${name.padEnd(30)} ${(COUNT / best[name]).toFixed(0).padStart(6)} thousand a second, ${ratio.toFixed(2).padStart(5)} times`);
  }
}
