// Compares the package with TextDecoder, JSON.parse and the same checks in plain JavaScript, on the corpora of the
// benchmarks, in one process: `node wasm/test/bench.mjs FOLDER [--rounds N]`. To write the folder, run `cargo run
// --release --package tautline-wasm --example native -- corpora FOLDER`. Prints, for each corpus, the medians and their
// ratio.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

import { forEachLine } from "./lines.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "9" }, build: { type: "string", default: "index" } },
});
const { MessageStream, build } = await import(`../npm/${values.build}.js`);

const CHUNK = 64 * 1024;
const KINDS = { request: 0, notification: 0, result: 0, error: 0, fault: 0 };

/** Splits, validates and classifies the messages. This includes the copy into the module's memory. */
function ours(chunks) {
  const counts = { ...KINDS };
  const stream = new MessageStream({ rules: "jsonrpc", maxFrame: 64 * 1024 * 1024 });
  for (const chunk of chunks) {
    for (const received of stream.push(chunk)) counts[received.kind]++;
  }
  for (const received of stream.finish()) counts[received.kind]++;
  stream.free();
  return counts;
}

const decoder = new TextDecoder("utf-8", { fatal: true });
const isObject = (value) => typeof value === "object" && value !== null;
const isId = (value) => value === null || typeof value === "string" || typeof value === "number";

function classify(line) {
  let message;
  try {
    message = JSON.parse(decoder.decode(line));
  } catch {
    return "fault";
  }
  if (!isObject(message) || Array.isArray(message) || message.jsonrpc !== "2.0") return "fault";
  const hasId = Object.hasOwn(message, "id");
  if (hasId && !isId(message.id)) return "fault";
  const hasResult = Object.hasOwn(message, "result");
  const hasError = Object.hasOwn(message, "error");
  if (Object.hasOwn(message, "method")) {
    if (typeof message.method !== "string" || hasResult || hasError) return "fault";
    if (message.params !== undefined && !isObject(message.params)) return "fault";
    return hasId ? "request" : "notification";
  }
  if (!hasId || hasResult === hasError) return "fault";
  if (hasResult) return "result";
  const { error } = message;
  const isError = isObject(error) && Number.isInteger(error.code) && typeof error.message === "string";
  return isError ? "error" : "fault";
}

function plain(chunks) {
  const counts = { ...KINDS };
  forEachLine(chunks, (line) => counts[classify(line)]++);
  return counts;
}

const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];

console.log(`${build.name}, Node ${process.version}, ${values.rounds} rounds, chunks of ${CHUNK} bytes`);
for (const name of ["small", "tools", "text", "blob", "numbers", "lsp"]) {
  const wire = readFileSync(`${positionals[0]}/${name}.ndjson`);
  const chunks = [];
  for (let at = 0; at < wire.length; at += CHUNK) chunks.push(wire.subarray(at, at + CHUNK));
  const times = { ours: [], plain: [] };
  let counts;
  for (let round = 0; round <= Number(values.rounds); round++) {
    const runs = { ours, plain };
    const order = round % 2 === 0 ? ["ours", "plain"] : ["plain", "ours"];
    const answers = {};
    for (const run of order) {
      const start = performance.now();
      answers[run] = runs[run](chunks);
      if (round > 0) times[run].push(performance.now() - start);
    }
    counts = answers.ours;
    if (JSON.stringify(answers.ours) !== JSON.stringify(answers.plain)) {
      throw new Error(`${name}: ${JSON.stringify(answers)}`);
    }
  }
  const messages = Object.values(counts).reduce((sum, count) => sum + count);
  const [mine, theirs] = [median(times.ours), median(times.plain)];
  const each = ((mine * 1e6) / messages).toFixed(0);
  const speed = (wire.length / mine / 1e6).toFixed(2);
  const ratio = (theirs / mine).toFixed(2);
  console.log(`${name.padEnd(8)} ${ratio.padStart(6)} times, ${each.padStart(8)} ns each, ${speed} GB/s`);
}
