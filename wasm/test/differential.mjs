// Tests that every build gives the native build's verdicts, however the wire is cut: `node wasm/test/differential.mjs
// FOLDER`. To write the folder, run `cargo run --release --package tautline-wasm --example native -- verdicts FOLDER
// COUNT`.

import { readFileSync } from "node:fs";

const folder = process.argv[2];
const wire = readFileSync(`${folder}/wire.ndjson`);
const presets = ["jsonrpc", "lsp", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
const MAX_FRAME = 4096;

/** The members of each kind of message, in the order of the native description. */
const MEMBERS = {
  request: ["id", "method", "params"],
  notification: ["id", "method", "params"],
  result: ["id", "result"],
  error: ["id", "code", "message", "data"],
};

/** Describes an item in the same words as the native side. */
function describe(received) {
  const { kind } = received;
  if (kind === "batch") return `batch ${received.length}`;
  if (kind in MEMBERS) {
    const places = MEMBERS[kind].map((name) => {
      const span = received.span(name);
      return span === undefined ? "-" : `${span.start}-${span.end}`;
    });
    return [kind, ...places].join(" ");
  }
  const { rule, at, message, reply } = received;
  return `${kind} ${rule} ${at} ${received.text("id") ?? "-"} ${message} ${reply ?? ""}`;
}

function line(received) {
  const length = received.kind === "oversized" ? received.length : received.bytes.length;
  let said = `${received.offset} ${received.line} ${length} ${received.isTerminated} ${describe(received)}`;
  if (received.kind === "oversized") said += ` ${received.method ?? "-"}`;
  if (received.kind === "batch") {
    for (const element of received) said += ` | ${describe(element)}`;
  }
  return said;
}

/** Yields the pieces of the wire: of this length or, if it is 0, of random lengths. */
function* cuts(length) {
  let seed = 1;
  for (let at = 0; at < wire.length; ) {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    const next = at + (length || 1 + ((seed >>> 8) % [7, 300, 100000][seed % 3]));
    yield wire.subarray(at, next);
    at = next;
  }
}

/** Compares all items with the lines that the native side has written. */
function compare(build, rules, expected, length) {
  const stream = new build.MessageStream({ rules, maxFrame: MAX_FRAME });
  let number = 0;
  const check = (items) => {
    for (const received of items) {
      const said = line(received);
      if (said !== expected[number]) {
        throw new Error(
          `${build.build.name}, ${JSON.stringify(rules)}, cuts of ${length || "random"} bytes, item ${number}:\n` +
            `here:   ${said}\nnative: ${expected[number]}\ntext:   ${received.text()}`,
        );
      }
      number++;
    }
  };
  for (const chunk of cuts(length)) check(stream.push(chunk));
  check(stream.finish());
  if (number !== expected.length) throw new Error(`${number} items, and ${expected.length} natively`);
  stream.free();
  return number;
}

let compared = 0;
for (const name of ["index", "small", "full"]) {
  const build = await import(`../npm/${name}.js`);
  for (const preset of presets) {
    for (const strict of name === "full" ? [false, true] : [false]) {
      const file = `${folder}/${preset}${strict ? ".strict" : ""}.txt`;
      const expected = readFileSync(file, "utf8").trimEnd().split("\n");
      // Short pieces take long, so they are tested with one preset only.
      const lengths = preset === "2025-11-25" ? [64 * 1024, 0, 1] : [64 * 1024, 0];
      for (const length of lengths) {
        compared += compare(build, { preset, strict }, expected, length);
      }
    }
  }
  console.log(`${build.build.name}: equal, and ${build.build.memorySize} bytes of memory`);
}
console.log(`${compared} verdicts are those of the native build`);
