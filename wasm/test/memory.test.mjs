// Tests how much memory the modules take: `node --test wasm/test/memory.test.mjs`. Each test has its own instance,
// because the memory of an instance never shrinks.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { bind } from "../npm/lib/bind.js";

const KIB = 1024;
const MIB = 1024 * KIB;
/** The memory for everything except frames: input, rows, findings, stack, state and the rounding of blocks. */
const CONSTANT = 512 * KIB;
const CHUNK = new Uint8Array(60_000).fill(0x78);

function fresh(name) {
  const module = new WebAssembly.Module(readFileSync(new URL(`../npm/${name}.wasm`, import.meta.url)));
  return bind(module, name);
}

/** Pushes a request with this many bytes of params, and returns the kinds of the items. */
function send(stream, length) {
  const kinds = [];
  const push = (chunk) => {
    for (const { kind } of stream.push(chunk)) kinds.push(kind);
  };
  push('{"jsonrpc":"2.0","id":1,"method":"a","params":["');
  for (let left = length; left > 0; left -= CHUNK.length) push(CHUNK.subarray(0, left));
  push('"]}\n');
  return kinds;
}

const report = (name, what, size) => console.log(`${name}: ${what}: ${(size / KIB).toFixed(0)} KiB`);

for (const name of ["fast", "small", "full"]) {
  test(`${name}: memory grows to the limit and no further`, () => {
    const { build, MessageStream } = fresh(name);
    report(name, "at the start", build.memorySize);
    assert(build.memorySize <= CONSTANT);
    const limit = 4 * MIB;
    const stream = new MessageStream({ maxFrame: limit });
    assert.deepEqual(send(stream, limit - 100), ["request"]);
    report(name, "a frame of 4 MiB under a limit of 4 MiB", build.memorySize);
    assert(build.memorySize >= limit && build.memorySize <= limit + CONSTANT);
    const { memorySize } = build;
    assert.deepEqual(send(stream, 100 * MIB), ["oversized"]);
    assert.deepEqual(send(stream, limit - 100), ["request"]);
    report(name, "and one of 100 MiB", build.memorySize);
    assert.equal(build.memorySize, memorySize);
    stream.free();
  });

  test(`${name}: a line of 100 MiB stays within a limit of 4 MiB`, () => {
    const { build, MessageStream } = fresh(name);
    const stream = new MessageStream({ maxFrame: 4 * MIB });
    assert.deepEqual(send(stream, 100 * MIB), ["oversized"]);
    report(name, "a line of 100 MiB under a limit of 4 MiB", build.memorySize);
    assert(build.memorySize <= 4 * MIB + CONSTANT);
    stream.free();
  });

  test(`${name}: memory of large frames is used again`, () => {
    const { build, MessageStream } = fresh(name);
    const stream = new MessageStream();
    send(stream, MIB);
    const { memorySize } = build;
    for (let round = 0; round < 100; round++) assert.deepEqual(send(stream, MIB), ["request"]);
    report(name, "100 frames of 1 MiB", build.memorySize);
    assert.equal(build.memorySize, memorySize);
    assert(memorySize <= 2 * MIB + CONSTANT);
    stream.free();
  });

  test(`${name}: a stream that was freed leaves its memory to the next one`, () => {
    const { build, MessageStream } = fresh(name);
    const sizes = new Set();
    for (let round = 0; round < 20; round++) {
      const stream = new MessageStream();
      // The stream is freed inside a frame, so it still holds one.
      for (let left = 4 * MIB; left > 0; left -= CHUNK.length) assert.deepEqual([...stream.push(CHUNK)], []);
      stream.free();
      sizes.add(build.memorySize);
    }
    report(name, "20 streams, one after another, each with 4 MiB of a frame", build.memorySize);
    assert.equal(sizes.size, 1);
    assert(build.memorySize <= 8 * MIB + CONSTANT);
  });

  test(`${name}: streams share an instance, and not their frames`, () => {
    const { build, MessageStream } = fresh(name);
    const streams = Array.from({ length: 50 }, () => new MessageStream({ maxFrame: 256 * KIB }));
    const ids = streams.map(() => []);
    const wires = streams.map((_, which) =>
      Array.from({ length: 4 }, (_, index) => {
        const params = ["ä".repeat(1000 * index)];
        return `${JSON.stringify({ jsonrpc: "2.0", id: `${which}/${index}`, method: "a", params })}\n`;
      }).join(""),
    );
    const bytes = wires.map((wire) => new TextEncoder().encode(wire));
    for (let at = 0; bytes.some((wire) => at < wire.length); at += 997) {
      for (const [which, stream] of streams.entries()) {
        for (const { id } of stream.push(bytes[which].subarray(at, at + 997))) ids[which].push(id);
      }
    }
    for (const [which, stream] of streams.entries()) {
      assert.deepEqual(ids[which], [0, 1, 2, 3].map((index) => `${which}/${index}`));
      stream.free();
    }
    report(name, "50 streams with frames of up to 6 KiB", build.memorySize);
    // A stream allocates 64 KiB at once when it has to keep something.
    assert(build.memorySize <= 50 * 64 * KIB + CONSTANT);
  });

  test(`${name}: parse() needs one copy of the message`, () => {
    const { build, parse } = fresh(name);
    for (let round = 0; round < 20; round++) {
      for (const length of [round * 100 * KIB, MIB]) {
        assert.equal(parse(`{"jsonrpc":"2.0","method":"a","params":["${"x".repeat(length)}"]}`).kind, "notification");
      }
    }
    report(name, "messages of up to 1.9 MiB through parse()", build.memorySize);
    assert(build.memorySize <= 2 * MIB + CONSTANT);
  });
}

test("full: every framing stays within the limit", () => {
  for (const [framing, before, after] of [
    ["content-length", `Content-Length: ${100 * MIB}\r\n\r\n{"`, ""],
    ["events", 'data: {"', "\n\n"],
    ["concatenated", '{"', '":1}'],
  ]) {
    const { build, MessageStream } = fresh("full");
    const stream = new MessageStream({ framing, maxFrame: 4 * MIB });
    const kinds = [];
    const push = (chunk) => {
      for (const { kind } of stream.push(chunk)) kinds.push(kind);
    };
    push(before);
    for (let left = 100 * MIB - 2; left > 0; left -= CHUNK.length) push(CHUNK.subarray(0, left));
    push(after);
    assert.deepEqual(kinds, ["oversized"], framing);
    report("full", `${framing}: a frame of 100 MiB under a limit of 4 MiB`, build.memorySize);
    assert(build.memorySize <= 4 * MIB + CONSTANT);
    stream.free();
  }
});
