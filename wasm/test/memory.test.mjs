// Tests how much memory the modules take: `node --test wasm/test/memory.test.mjs`. Each test has its own instance,
// because the memory of an instance never shrinks.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { bind } from "../npm/lib/bind.js";

const KIB = 1024;
const MIB = 1024 * KIB;
/** The memory for everything except frames: input, rows, findings, stack, state and the rounding of blocks. */
const CONSTANT = 512 * KIB;
const CHUNK = new Uint8Array(60_000).fill(0x78);

/** Returns a new instance, whose memory can't grow beyond `most` bytes. */
function fresh(name, most) {
  const bytes = readFileSync(new URL(`../npm/${name}.wasm`, import.meta.url));
  return bind(new WebAssembly.Module(most === undefined ? bytes : limited(bytes, most)), name);
}

/** Returns a module whose only memory has this maximum. */
function limited(bytes, most) {
  // After the header, each section has a number, a length as LEB128, and so many bytes. Number 5 has the memory: one, with
  // flags, and the least number of pages.
  let at = 8;
  for (;;) {
    const [section, start] = [bytes[at], at];
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[++at];
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    const body = bytes.subarray(at + 1, at + 1 + length);
    at += 1 + length;
    if (section !== 5) continue;
    assert.deepEqual([body.length, body[0], body[1]], [3, 1, 0]);
    const pages = most / (64 * KIB);
    assert(pages < 128);
    const memory = [5, 4, 1, 1, body[2], pages];
    return Buffer.concat([bytes.subarray(0, start), Buffer.from(memory), bytes.subarray(at)]);
  }
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
    assert(build.memorySize <= 50 * 16 * KIB + CONSTANT);
  });

  test(`${name}: 20,000 streams that were not freed are small`, () => {
    for (const [what, begun, most] of [["idle", "", 20], ["with a frame that has begun", '{"jsonrpc":', 40]]) {
      const { build, MessageStream } = fresh(name);
      const start = performance.now();
      const streams = Array.from({ length: 20_000 }, () => {
        const stream = new MessageStream();
        if (begun !== "") assert.deepEqual([...stream.push(begun)], []);
        return stream;
      });
      const module = build.memorySize;
      report(name, `20,000 streams, ${what}`, module);
      // The state of any framing is twice as large as that of lines.
      assert(module <= (name === "full" ? 2 : 1) * (most / 2) * 1.1e6, what);
      // Growing the memory by pages took half a minute.
      assert(performance.now() - start < 10_000, what);
      for (const [at, stream] of streams.entries()) {
        const rest = begun === "" ? '{"jsonrpc":' : "";
        assert.equal([...stream.push(`${rest}"2.0","id":${at},"method":"a"}\n`)][0].id, at);
        stream.free();
      }
      assert.equal(build.memorySize, module);
    }
  });

  test(`${name}: 1,000,000 messages leave no memory behind`, () => {
    const { build, MessageStream } = fresh(name);
    const stream = new MessageStream();
    const wire = Array.from({ length: 1000 }, (_, at) => `{"jsonrpc":"2.0","id":"${at}-","method":"m${at}","params":{"a":"ä${at}"}}\n`).join("");
    const bytes = new TextEncoder().encode(wire);
    const sizes = new Set();
    let count = 0;
    for (let round = 0; round < 1000; round++) {
      // The chunks are cut in another place each time.
      const cut = (round * 977) % bytes.length;
      for (const chunk of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
        for (const received of stream.push(chunk)) {
          if (received.id !== undefined && received.method.startsWith("m")) count++;
        }
      }
      if (round >= 10) sizes.add(build.memorySize);
    }
    assert.equal(count, 1_000_000);
    assert.equal(sizes.size, 1);
    report(name, "1,000,000 messages", build.memorySize);
    assert(build.memorySize <= CONSTANT);
    stream.free();
  });

  test(`${name}: without memory for more streams, the error says free()`, () => {
    const { build, MessageStream, parse } = fresh(name, 4 * MIB);
    const streams = [];
    const message = /^RangeError: there is no memory for a (stream|frame of \d+ bytes): call free\(\) on the streams/;
    assert.throws(() => {
      for (;;) streams.push(new MessageStream());
    }, message);
    assert(streams.length > 3000, `${streams.length} streams`);
    assert.throws(() => parse("x".repeat(MIB)), message);
    assert(build.memorySize <= 4 * MIB);
    for (const stream of streams) stream.free();
    assert.equal(parse(`{"jsonrpc":"2.0","method":"a","params":["${"x".repeat(MIB)}"]}`).kind, "notification");
    assert.deepEqual(send(new MessageStream(), MIB / 2), ["request"]);
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

test("20,000 streams that were not freed take little of the process", () => {
  const script = (begun) => `
    import { MessageStream } from ${JSON.stringify(new URL("../npm/index.js", import.meta.url))};
    const push = (stream) => { for (const received of stream.push(${JSON.stringify(begun)})) throw received; };
    const kept = [];
    // The first calls are compiled.
    for (let at = 0; at < 1000; at++) { const stream = new MessageStream(); push(stream); stream.free(); }
    for (let round = 0; round < 4; round++) gc();
    const before = process.memoryUsage().rss;
    for (let at = 0; at < 20_000; at++) { const stream = new MessageStream(); ${begun === "" ? "" : "push(stream);"} kept.push(stream); }
    for (let round = 0; round < 4; round++) gc();
    console.log(process.memoryUsage().rss - before);
  `;
  for (const [what, begun, most] of [["idle", "", 20e6], ["with 11 bytes of a frame", '{"jsonrpc":', 40e6]]) {
    const args = ["--expose-gc", "--input-type=module", "--eval", script(begun)];
    const size = Number(execFileSync(process.execPath, args, { encoding: "utf8" }));
    report("fast", `20,000 streams, ${what}: process`, size);
    assert(size > 0 && size <= most, `${what}: ${size}`);
  }
});

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
