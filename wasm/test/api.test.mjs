// Tests the API of the npm package, in each of its builds: `node --test wasm/test/api.test.mjs`. The modules must have
// been built by wasm/build.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import * as fast from "../npm/index.js";
import * as full from "../npm/full.js";
import * as inline from "../npm/inline.js";
import { bind } from "../npm/lib/bind.js";
import * as small from "../npm/small.js";

const { JsonNumber, MessageStream, MessageTransform, parse } = fast;
const SMALL = new URL("../npm/small.wasm", import.meta.url);
const encode = (text) => new TextEncoder().encode(text);
const KIB = 1024;
const MIB = 1024 * KIB;

/** Pushes chunks into a new stream, ends it, and returns its items, detached. */
function receive(chunks, options, build = fast) {
  const stream = new build.MessageStream(options);
  const items = [];
  for (const chunk of chunks) for (const received of stream.push(chunk)) items.push(received.detach());
  for (const received of stream.finish()) items.push(received.detach());
  stream.free();
  return items;
}

const kinds = (items) => Array.from(items, ({ kind }) => kind);
const line = (message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
const ping = (id) => line({ id, method: "ping" });

const STALE = /valid until the next push/;

test("the builds are what they are called", () => {
  assert.equal(fast.build.name, "fast");
  assert.equal(small.build.name, "small");
  assert.equal(full.build.name, "full");
  assert.equal(inline.build.name, "fast");
});

for (const build of [fast, small, full, inline]) {
  test(`${build.build.name}: each line gets its kind`, () => {
    const wire = [
      line({ id: 1, method: "a", params: [1] }),
      line({ method: "b", params: { x: null } }),
      line({ id: "c", result: null }),
      line({ id: 4, error: { code: -32601, message: "no \"such\" method", data: [4] } }),
      "\n",
      `[${ping(5).trim()},7]\r\n`,
      "hello\n",
      line({ id: 7, method: "long", params: ["x".repeat(300)] }),
      '{"jsonrpc":"2.0","method":"unterminated"}',
    ].join("");
    for (const length of [1, 7, wire.length]) {
      const chunks = [];
      for (let at = 0; at < wire.length; at += length) chunks.push(wire.slice(at, at + length));
      const items = receive(chunks, { maxFrame: 200 }, build);
      const [a, b, c, d, e, f, g, h] = items;
      assert.deepEqual(kinds(items), [
        "request", "notification", "result", "error", "batch", "fault", "oversized", "notification",
      ]);
      assert.deepEqual([a.id, a.method, a.params, a.unknownMembers], [1, "a", [1], 0]);
      assert.deepEqual([b.id, b.method, b.params], [undefined, "b", { x: null }]);
      assert.deepEqual([c.id, c.result], ["c", null]);
      assert.deepEqual([d.id, d.code, d.message, d.data], [4, -32601, 'no "such" method', [4]]);
      assert.deepEqual([e.id, e.length, kinds(e), kinds(e.elements())], [undefined, 2, ["request", "fault"], ["request", "fault"]]);
      assert.deepEqual([f.rule, f.at, f.line, f.severity], ["not-json", 0, 7, "error"]);
      assert.deepEqual([g.length, g.id, g.method, g.line], [wire.split("\n")[7].length, 7, "long", 8]);
      assert.deepEqual(items.map((item) => item.line), [1, 2, 3, 4, 6, 7, 8, 9]);
      assert.deepEqual(items.map((item) => wire.slice(item.offset).charCodeAt(0)), Array.from("{{{{[h{{", (c) => c.charCodeAt(0)));
      assert.deepEqual(items.map((item) => item.isTerminated), [true, true, true, true, true, true, true, false]);
      assert.deepEqual(h.value(), { jsonrpc: "2.0", method: "unterminated" });
    }
  });
}

test("ids are exact", () => {
  const id = (text) => parse(`{"jsonrpc":"2.0","id":${text},"method":"a"}`).id;
  assert.equal(id('"a-1"'), "a-1");
  assert.equal(id('"\\u00e9\\n"'), "é\n");
  assert.equal(id('""'), "");
  assert.equal(id("0"), 0);
  assert.equal(id("-7"), -7);
  assert.equal(id("9007199254740991"), Number.MAX_SAFE_INTEGER);
  assert.equal(id("9007199254740993"), 9007199254740993n);
  assert.equal(id("-123456789012345678901234567890"), -123456789012345678901234567890n);
  assert.equal(id("null"), null);
  for (const text of ["1.0", "1e3", "-0", "0.5", "9".repeat(2000)]) {
    const number = id(text);
    assert(number instanceof JsonNumber);
    assert.equal(number.text, text);
    assert.equal(String(number), text);
    assert.equal(JSON.stringify(number), JSON.stringify(Number(text)));
  }
  assert.equal(parse('{"jsonrpc":"2.0","method":"a"}').id, undefined);
});

test("a response has the id as it came", () => {
  for (const id of ['"\\u0041"', "1.0", "9007199254740993", "null", "7"]) {
    const request = parse(`{"jsonrpc":"2.0","id":${id},"method":"a"}`);
    assert.equal(request.answer({ x: 1 }), `{"jsonrpc":"2.0","id":${id},"result":{"x":1}}`);
    assert.equal(request.answer(undefined), `{"jsonrpc":"2.0","id":${id},"result":null}`);
    assert.equal(
      request.answerError(-32601, "Method not found"),
      `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"Method not found"}}`,
    );
    assert.equal(parse(request.answer(1)).text("id"), id);
    assert.deepEqual(parse(request.answerError(1, "a", { b: [] })).data, { b: [] });
  }
});

test("spans count bytes, and texts and values are those of the wire", () => {
  const text = '{"jsonrpc":"2.0","params":{"größe":"5 €"},"method":"m\\u00e4h\\"","id":"😀"}';
  const bytes = encode(text);
  const request = parse(bytes);
  assert.equal(request.method, 'mäh"');
  assert.equal(request.text("method"), '"m\\u00e4h\\""');
  assert.equal(request.value("method"), 'mäh"');
  assert.equal(request.id, "😀");
  assert.equal(request.text("params"), '{"größe":"5 €"}');
  assert.deepEqual(request.params, { größe: "5 €" });
  assert.deepEqual(request.value(), JSON.parse(text));
  assert.equal(request.text(), text);
  assert.deepEqual(request.bytes, bytes);
  for (const name of ["id", "method", "params"]) {
    const { start, end } = request.span(name);
    assert.equal(new TextDecoder().decode(bytes.subarray(start, end)), request.text(name));
  }
  for (const name of ["result", "error", "toString", "constructor", "__proto__", "0"]) {
    assert.equal(request.span(name), undefined);
    assert.equal(request.text(name), undefined);
    assert.equal(request.value(name), undefined);
  }
  const call = parse('{"jsonrpc":"2.0","method":"a","\\u0069d":3,"a":1,"b":2}');
  assert.deepEqual([call.span("params"), call.text("params"), call.params, call.unknownMembers], [undefined, undefined, undefined, 2]);
});

test("codes of errors are exact", () => {
  const code = (text) => parse(`{"jsonrpc":"2.0","id":1,"error":{"code":${text},"message":""}}`).code;
  assert.equal(code("-32000"), -32000);
  assert.equal(code("9007199254740993"), 9007199254740993n);
  assert.equal(code("1e2").text, "1e2");
});

test("a fault says what, where and why, and what is owed", () => {
  const fault = parse('{"jsonrpc":"2.0","id":"ä\\"","method":"a","method":"b"}');
  assert.equal(fault.kind, "fault");
  assert.equal(fault.rule, "duplicate-member");
  assert.equal(fault.at, encode('{"jsonrpc":"2.0","id":"ä\\"","method":"a",').length);
  assert.match(fault.message, /same member appears twice/);
  assert.match(fault.clause, /RFC 8259/);
  assert.match(fault.help, /once/);
  assert.equal(fault.severity, "error");
  assert.equal(fault.id, 'ä"');
  assert.equal(fault.reply, '{"jsonrpc":"2.0","id":"ä\\"","error":{"code":-32600,"message":"Invalid Request"}}');
  const broken = parse('{"jsonrpc":"2.0",x}', { preset: "jsonrpc", http: "request" });
  assert.equal(broken.message, "a member name in double quotes was expected here");
  assert.deepEqual(JSON.parse(broken.reply), {
    jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error" },
  });
  assert.throws(() => broken.value(), SyntaxError);
  assert.equal(parse('{"jsonrpc":"2.0","method":3}', { http: "response" }).reply, undefined);
});

test("an oversized frame is skimmed", () => {
  const wire = line({ id: "a", method: "ta\u00e4", params: ["x".repeat(3 * 64 * KIB)] });
  const [received, ...others] = receive([wire, ping(1)], { maxFrame: 100 });
  assert.deepEqual(kinds(others), ["request"]);
  assert.deepEqual(
    [received.kind, received.id, received.method, received.rule, received.length],
    ["oversized", "a", "taä", "frame-too-long", encode(wire).length - 1],
  );
  assert.deepEqual([received.bytes.length, received.text(), received.span("id"), received.text("id")], [0, "", undefined, '"a"']);
  assert.deepEqual(JSON.parse(received.reply), { jsonrpc: "2.0", id: "a", error: { code: -32600, message: "Invalid Request" } });
  const [silent] = receive([line({ method: "a", params: ["x".repeat(100)] })], { maxFrame: 100 });
  assert.deepEqual([silent.kind, silent.id, silent.reply], ["oversized", undefined, undefined]);
});

test("elements of a batch have verdicts of their own, and places in the batch", () => {
  const elements = ['{"jsonrpc":"2.0","id":1,"method":"ä"}', "[]", '{"jsonrpc":"2.0","id":2}', '{"jsonrpc":"2.0","id":3,"result":0}'];
  const text = `[${elements.join(", ")}]`;
  const bytes = encode(text);
  const [first, batch] = receive([`${ping(0)}${text}\n`]);
  assert.equal(first.kind, "request");
  const found = [...batch];
  assert.deepEqual(kinds(found), ["request", "fault", "fault", "result"]);
  assert.deepEqual(found.map((element) => element.text()), elements);
  assert.deepEqual(found.map(({ offset }) => offset), Array(4).fill(batch.offset));
  assert.deepEqual(found.map(({ line }) => line), [2, 2, 2, 2]);
  assert(found.every(({ isTerminated }) => isTerminated));
  for (const element of found) {
    const span = element.span("id");
    if (span === undefined) continue;
    assert.equal(new TextDecoder().decode(bytes.subarray(span.start, span.end)), element.text("id"));
  }
  assert.deepEqual(found.map(({ id }) => id), [1, undefined, 2, 3]);
  assert.equal(found[1].at, bytes.indexOf(0x5b, 1));
  assert.equal(JSON.parse(found[2].reply).id, 2);
  // This is more elements than the answer has rows.
  const many = parse(`[${Array.from({ length: 1000 }, (_, id) => ping(id).trim())}]`);
  assert.deepEqual(Array.from(many, ({ id }) => id), Array.from({ length: 1000 }, (_, id) => id));
});

test("elements are as valid as their batch", () => {
  const stream = new MessageStream();
  const [batch] = stream.push(`[${ping(1)},${ping(2)}]`.replaceAll("\n", "") + "\n");
  const [one, two] = batch;
  two.detach();
  stream.push("");
  assert.throws(() => one.id, STALE);
  assert.throws(() => [...batch], STALE);
  assert.throws(() => one.detach(), STALE);
  assert.equal(two.id, 2);
  // Elements that are read later are no longer valid.
  const [long] = stream.push(`[${Array.from({ length: 1000 }, (_, id) => ping(id).trim())}]\n`);
  const elements = long.elements();
  assert.equal(elements.next().value.id, 0);
  stream.push("");
  let last;
  for (const element of elements) last = element;
  assert.throws(() => last.id, STALE);
  stream.free();
  const [kept] = receive([`[${ping(1).trim()}]\n`]);
  assert.equal([...kept][0].id, 1);
});

test("push takes bytes of any kind, and text", () => {
  const wire = encode(ping(7));
  const padded = Buffer.concat([Buffer.from("xxx"), wire, Buffer.from("xxx")]);
  const subarray = padded.subarray(3, 3 + wire.length);
  const words = new Uint16Array(Math.ceil(wire.length / 2));
  new Uint8Array(words.buffer).set(wire);
  const odd = encode(" ").slice(0, wire.length % 2);
  for (const chunk of [
    wire,
    ping(7),
    wire.buffer.slice(0),
    new DataView(subarray.buffer, subarray.byteOffset, subarray.length),
    subarray,
    odd.length === 0 ? words : wire,
  ]) {
    assert.deepEqual(receive([chunk]).map(({ id }) => id), [7]);
    assert.equal(parse(chunk).id, 7);
  }
  const stream = new MessageStream();
  for (const chunk of [undefined, null, 1, {}, [1]]) {
    assert.throws(() => stream.push(chunk), TypeError);
    assert.throws(() => parse(chunk), TypeError);
  }
  assert.deepEqual(kinds(stream.push(wire)), ["request"]);
  stream.free();
});

test("a loop that is left early leaves the rest to the next one", () => {
  const stream = new MessageStream();
  const ids = [];
  const chunk = encode([1, 2, 3].map(ping).join("") + ping(4).slice(0, 9));
  for (const { id } of stream.push(chunk)) {
    ids.push(id);
    break;
  }
  // The owner may overwrite the chunk now.
  chunk.fill(0x20);
  const rest = encode(ping(4).slice(9) + ping(5));
  for (const { id } of stream.push(rest)) {
    ids.push(id);
    if (id === 2) break;
  }
  rest.fill(0x20);
  for (const { id } of stream.finish()) {
    ids.push(id);
    if (id === 4) break;
  }
  assert.throws(() => stream.finish(), /has ended/);
  stream.free();
  assert.deepEqual(ids, [1, 2, 3, 4]);
});

test("chunks wait in their order", () => {
  const stream = new MessageStream();
  const ids = [];
  for (const wire of [ping(1) + ping(2), ping(3), ping(4), ""]) {
    for (const { id } of stream.push(wire)) {
      ids.push(id);
      break;
    }
  }
  assert.deepEqual(ids, [1, 2, 3, 4]);
  stream.free();
});

test("pushes that nobody iterates cost what they hold, and keep their bytes", () => {
  const stream = new MessageStream();
  const chunk = encode(ping(0));
  const count = 100_000;
  for (let each = 0; each < count; each++) stream.push(chunk);
  assert.equal(kinds(stream.push("")).length, count);
  const first = encode(ping(1));
  stream.push(first);
  const second = stream.push(encode(ping(2)));
  first.fill(32);
  assert.deepEqual(Array.from(second, ({ id }) => id), [1, 2]);
  stream.free();
});

test("a chunk whose buffer shrinks or is transferred ends early", { skip: !("resizable" in ArrayBuffer.prototype) }, () => {
  const text = ping(0).repeat(6000);
  for (const spoil of [(buffer) => buffer.resize(10), (buffer) => structuredClone(buffer, { transfer: [buffer] })]) {
    const stream = new MessageStream();
    const buffer = new ArrayBuffer(text.length, { maxByteLength: text.length });
    const chunk = new Uint8Array(buffer);
    chunk.set(encode(text));
    let count = 0;
    for (const _ of stream.push(chunk)) if (count++ === 0) spoil(buffer);
    assert(count > 0 && count < 6000, String(count));
    assert(kinds(stream.push(`\n${ping(1)}`)).includes("request"));
    stream.free();
  }
});

test("the end of a stream can be read in several loops", () => {
  const stream = new MessageStream();
  stream.push(ping(1) + ping(2) + ping(3).trim());
  const rest = stream.finish();
  const ids = [];
  for (let round = 0; round < 4; round++) {
    for (const { id } of rest) {
      ids.push(id);
      break;
    }
  }
  assert.deepEqual(ids, [1, 2, 3]);
  stream.free();
});

test("leaving loops early does not copy a long chunk each time", () => {
  const stream = new MessageStream();
  const count = 20_000;
  const chunk = encode(ping(1).repeat(count));
  let seen = 0;
  const { slice } = Uint8Array.prototype;
  let copied = 0;
  Uint8Array.prototype.slice = function (...range) {
    const copy = slice.apply(this, range);
    copied += copy.length;
    return copy;
  };
  try {
    let items = stream.push(chunk);
    for (let round = 0; round < count; round++) {
      for (const _ of items) {
        seen++;
        break;
      }
    }
  } finally {
    Uint8Array.prototype.slice = slice;
  }
  assert.equal(seen, count);
  assert(copied < 3 * chunk.length, `${copied} bytes were copied`);
  stream.free();
});

test("finish ends the stream at once", () => {
  const stream = new MessageStream();
  stream.finish();
  assert.throws(() => stream.push(ping(1)), /has ended/);
  assert.throws(() => stream.finish(), /has ended/);
  stream.free();
});

test("a stream that was freed can't be used", () => {
  const stream = new MessageStream();
  const [received] = stream.push(ping(1));
  stream.free();
  stream.free();
  assert.throws(() => stream.push(ping(1)), /was freed/);
  assert.throws(() => stream.finish(), /was freed/);
  assert.throws(() => stream.resync(), /was freed/);
  assert.throws(() => stream.setRules("lsp"), /was freed/);
  assert.throws(() => received.id, STALE);
  const other = new MessageStream();
  const ids = [];
  for (const { id } of other.push(ping(1) + ping(2))) {
    ids.push(id);
    other.free();
  }
  assert.deepEqual(ids, [1]);
});

test("options are checked", () => {
  const make = (options, build = fast) => new build.MessageStream(options).free();
  assert.throws(() => make({ rules: "json" }), { name: "TypeError", message: /"json".*2026-07-28/ });
  assert.throws(() => make({ rules: { preset: "toString" } }), TypeError);
  assert.throws(() => make({ rules: { http: "body" } }), TypeError);
  assert.throws(() => make({ framing: "ndjson" }), TypeError);
  for (const options of [null, "jsonrpc", 7, [], { maxframe: 5 }, { rules: null }, { rules: 5 }, { rules: 1n }, { rules: [] }]) {
    assert.throws(() => make(options), { name: "TypeError", message: /has to be one of|have to be an object/ });
  }
  assert.throws(() => make({ rules: { maxdepth: 1 } }), { name: "TypeError", message: /"maxdepth".*maxDepth/ });
  for (const maxDepth of [0, 256, 1.5, "3", NaN]) assert.throws(() => make({ rules: { maxDepth } }), RangeError);
  for (const maxFrame of [0, 2 ** 31, -1, 0.5, "1", Infinity]) assert.throws(() => make({ maxFrame }), RangeError);
  for (const build of [fast, small, inline]) {
    assert.throws(() => make({ rules: { strict: true } }, build), /tautline\/full/);
    assert.throws(() => make({ framing: "events" }, build), /tautline\/full/);
    assert.throws(() => build.parse(ping(1)).findings(), /tautline\/full/);
  }
  make({ rules: { strict: true }, framing: "events" }, full);
  make({ rules: undefined, framing: undefined, maxFrame: undefined });
  make({ rules: { preset: undefined, strict: undefined, http: undefined, maxDepth: undefined } });
  make({ maxFrame: 2 ** 31 - 1 });
  assert.equal(parse(line({ method: "a", params: [[[]]] }), { maxDepth: 3 }).rule, "too-deep");
  assert.equal(parse(line({ method: "a", params: [[[]]] }), { maxDepth: 4 }).kind, "notification");
});

test("rules can be set between chunks", () => {
  const stream = new MessageStream({ rules: "2025-03-26" });
  const batch = `[${ping(1).trim()}]\n`;
  assert.deepEqual(kinds(stream.push(batch)), ["batch"]);
  stream.setRules("2025-06-18");
  assert.deepEqual(Array.from(stream.push(batch), ({ rule }) => rule), ["batch-not-allowed"]);
  assert.throws(() => stream.setRules("none"), TypeError);
  stream.free();
});

test("items of a stream are valid until the next push", () => {
  for (const after of [
    (stream) => void [...stream.push(ping(2))],
    (stream) => void stream.push(""),
    (stream) => void stream.finish(),
    (stream) => stream.free(),
    // The memory grows, so the module has a new buffer.
    (stream) => {
      const { memorySize } = fast.build;
      const wire = line({ id: 2, method: "a", params: ["x".repeat(memorySize)] });
      for (let at = 0; at < wire.length; at += 60_000) void [...stream.push(wire.slice(at, at + 60_000))];
      assert(fast.build.memorySize > memorySize);
    },
  ]) {
    const stream = new MessageStream({ maxFrame: 64 * MIB });
    const half = ping("half");
    // One item is in its chunk, and the module has assembled the other one.
    void [...stream.push(half.slice(0, 20))];
    const items = [...stream.push(`${half.slice(20)}${ping("whole")}${ping("kept")}{}\n`)];
    const [lent, whole, kept, fault] = items;
    assert.deepEqual([lent.id, whole.id, kept.id], ["half", "whole", "kept"]);
    lent.detach();
    assert.equal(kept.detach(), kept);
    after(stream);
    for (const read of [
      () => whole.id,
      () => whole.method,
      () => whole.params,
      () => whole.bytes,
      () => whole.text(),
      () => whole.text("id"),
      () => whole.span("id"),
      () => whole.value(),
      () => whole.detach(),
      () => whole.answer(1),
      () => fault.bytes,
    ]) {
      assert.throws(read, STALE, String(read));
    }
    assert.deepEqual([whole.kind, whole.line, fault.rule, fault.at], ["request", 2, "missing-jsonrpc", 0]);
    assert.deepEqual([lent.id, lent.method, kept.id, kept.text()], ["half", "ping", "kept", ping("kept").trim()]);
    assert.equal(kept.detach(), kept);
    stream.free();
  }
});

test("items stay as they are while the module reads on", () => {
  const { build, MessageStream } = bind(new WebAssembly.Module(readFileSync(SMALL)), "small");
  const stream = new MessageStream();
  void [...stream.push(ping("half").slice(0, 20))];
  const [item] = stream.push(ping("half").slice(20));
  const { memorySize } = build;
  const other = new MessageStream();
  void [...other.push("x".repeat(4 * MIB))];
  assert(build.memorySize > memorySize);
  assert.deepEqual([item.id, item.text()], ["half", ping("half").trim()]);
  stream.free();
  other.free();
});

test("a detached item does not depend on its chunk", () => {
  const chunk = encode(ping("a"));
  const stream = new MessageStream();
  const [received] = stream.push(chunk);
  received.detach();
  const parsed = parse(chunk).detach();
  const batch = encode(`[${ping("a").trim()}]`);
  const [element] = parse(batch);
  element.detach();
  batch.fill(0x20);
  chunk.fill(0x20);
  assert.deepEqual([received.id, parsed.id, element.id], ["a", "a", "a"]);
  stream.free();
});

test("items can be shown", async () => {
  const { inspect } = await import("node:util");
  const stream = new MessageStream();
  const [received, fault] = stream.push(ping("a") + '{"jsonrpc":"2.0","id":9007199254740993}\n');
  assert.equal(JSON.stringify(received), '{"kind":"request","offset":0,"line":1,"id":"\\"a\\"","method":"ping"}');
  assert.match(JSON.stringify(fault), /"id":"9007199254740993","rule":"no-shape"/);
  assert.match(inspect(received), /kind: 'request'/);
  stream.free();
  assert.match(inspect(received), /isValid: false/);
});

test("a transform stream yields items that stay valid", async () => {
  const wire = encode([1, 2, 3].map(ping).join("") + ping(4).trim());
  const source = new ReadableStream({
    start(controller) {
      for (let at = 0; at < wire.length; at += 10) controller.enqueue(wire.slice(at, at + 10));
      controller.close();
    },
  });
  const items = [];
  for await (const received of source.pipeThrough(new MessageTransform({ rules: "2025-11-25" }))) items.push(received);
  assert.deepEqual(items.map(({ id }) => id), [1, 2, 3, 4]);
  const transform = new MessageTransform();
  const writer = transform.writable.getWriter();
  const reader = transform.readable.getReader();
  const failed = assert.rejects(reader.read(), TypeError);
  await assert.rejects(writer.write(7), TypeError);
  await failed;
});

test("full: findings of frames, of elements, and of oversized frames", () => {
  const text = '{"jsonrpc":"2.0","id":1.0,"method":"a","x":1}';
  const places = (found) => found.map(({ rule, severity, at }) => [rule, severity, at]);
  const found = full.parse(text).findings();
  assert.deepEqual(places(found), [
    ["id-not-plain-integer", "warning", 22],
    ["unknown-member", "note", 39],
  ]);
  for (const name of ["message", "clause", "help"]) assert.equal(typeof found[0][name], "string");
  assert.deepEqual(places(full.parse('{"id":1,"method":"a"}').findings()), [["missing-jsonrpc", "error", 0]]);
  const batch = full.parse(`[[], ${text}]`);
  assert.deepEqual(batch.findings(), []);
  const [fault, element] = batch;
  assert.deepEqual(places(fault.findings()), [["not-an-object", "error", fault.at]]);
  assert.deepEqual(places(element.findings()), [
    ["id-not-plain-integer", "warning", element.span("id").start],
    ["unknown-member", "note", 39 + 5],
  ]);
  const [oversized] = receive([ping(1)], { maxFrame: 8 }, full);
  assert.deepEqual(places(oversized.findings()), [["frame-too-long", "error", 0]]);
  // The cause of a fault is named in its place, with the message that is lost.
  const [cause, ...others] = full.parse("{'id': 7, 'method': 'go'}").findings();
  assert.deepEqual([cause.rule, cause.severity, others.length], ["language-repr", "error", 0]);
  assert.match(cause.message, /the request "go" with the id 7 is lost/);
  // A carriage return is a finding only in line framing.
  const [received] = receive([`{"jsonrpc":"2.0",\r"method":"a"}\n`], {}, full);
  assert.deepEqual(received.findings().map(({ rule }) => rule), ["raw-carriage-return"]);
  assert.deepEqual(full.parse(`{"jsonrpc":"2.0",\r"method":"a"}`).findings(), []);
});

test("full: strict rules", () => {
  const text = '{"jsonrpc":"2.0","method":"a","Method":"b"}';
  assert.equal(full.parse(text).kind, "notification");
  assert.equal(full.parse(text, { strict: true }).kind, "fault");
});

test("full: other framings", () => {
  const message = ping(1).trim();
  const header = `Content-Length: ${message.length}\r\n\r\n`;
  const wires = {
    "content-length": [header + message + header + message.slice(1), ["request", "unfinished"]],
    concatenated: [`${message}\n${message} {"a"`, ["request", "request", "unfinished"]],
    events: [`data: ${message}\n\nid: 7\ndata:\n\ndata: ${message.replace(",", ",\ndata: ")}\n\ndata`, ["request", "no-message", "request", "unfinished"]],
  };
  for (const [framing, [wire, expected]] of Object.entries(wires)) {
    for (const chunks of [[wire], [...wire]]) {
      const items = receive(chunks, { framing }, full);
      assert.deepEqual(kinds(items), expected, framing);
      const last = items.at(-1);
      assert.deepEqual([last.line, last.isTerminated], [undefined, false]);
      assert(last.length > 0 && last.offset > 0);
      assert.deepEqual([last.bytes.length, last.text(), last.findings()], [0, "", []]);
      if (framing === "events") {
        assert.deepEqual([items[1].offset > 0, items[1].line, items[1].isTerminated], [true, 4, true]);
      }
    }
  }
});

test("full: a stream that has lost its place continues when it is asked to", () => {
  const message = ping(1).trim();
  const good = `Content-Length: ${message.length}\r\n\r\n${message}`;
  const wire = `${good}oops\r\n\r\n${good}`;
  const run = (react) => {
    const stream = new full.MessageStream({ framing: "content-length" });
    const seen = [];
    const all = (items) => {
      for (const received of items) {
        seen.push(received.kind);
        if (received.kind === "desynchronised") {
          assert.equal(received.cause, "header-malformed");
          assert.match(received.message, /not a header/);
          react(stream);
        }
      }
    };
    const chunk = encode(wire);
    all(stream.push(chunk));
    chunk.fill(0x20);
    return { stream, seen, all };
  };
  const within = run((stream) => stream.resync());
  assert.deepEqual(within.seen, ["request", "desynchronised", "request"]);
  const never = run(() => {});
  never.all(never.stream.push(good));
  never.all(never.stream.finish());
  assert.deepEqual(never.seen, ["request", "desynchronised"]);
  // After the loop, the chunk may have been overwritten.
  const later = run(() => {});
  later.stream.resync();
  later.all(later.stream.push(good));
  assert.deepEqual(later.seen, ["request", "desynchronised", "request", "request"]);
  // Chunks that are pushed before the resync are discarded.
  const discarded = run(() => {});
  discarded.all(discarded.stream.push(good));
  discarded.stream.resync();
  discarded.all(discarded.stream.push(good));
  assert.deepEqual(discarded.seen, ["request", "desynchronised", "request"]);
  const atEnd = run(() => {});
  atEnd.stream.resync();
  atEnd.all(atEnd.stream.finish());
  assert.deepEqual(atEnd.seen, ["request", "desynchronised", "request"]);
  for (const { stream } of [within, never, later, discarded, atEnd]) stream.free();
});

test("streams that are forgotten give their memory back", async () => {
  const { setFlagsFromString } = await import("node:v8");
  const { runInNewContext } = await import("node:vm");
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  const use = () => {
    const stream = new MessageStream({ maxFrame: 8 * MIB });
    void [...stream.push("x".repeat(4 * MIB))];
  };
  const fourStreams = async () => {
    for (let round = 0; round < 4; round++) {
      use();
      // Finalizers run in separate tasks.
      for (let turn = 0; turn < 3; turn++) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        collect();
      }
    }
  };
  await fourStreams();
  const { memorySize } = fast.build;
  await fourStreams();
  assert.equal(fast.build.memorySize, memorySize);
});

for (const build of [fast, small, full]) {
  test(`${build.build.name}: many small messages are read as each of them alone`, () => {
    const names = ["a", "tools/call", "größe", 'quo"ted', "\u2028", "x".repeat(70), "notifications/message", "\ud83d\ude00"];
    const texts = ["plain", "Zürich", "\ufffd", "\\", "\u0001", "漢字"];
    const ids = [0, 7, 123456789012345, 1234567890123456, -1, "s", "ü", "5f0c8a2e-77b1-4e0e-9c1a-000000000000", "a\"b"];
    const messages = [];
    for (let at = 0; at < 3000; at++) {
      // Some stretches are ASCII alone.
      const pick = (list) => list[(at >> 9) % 2 === 0 ? at % 2 : at % list.length];
      messages.push({ jsonrpc: "2.0", id: pick(ids), method: pick(names), params: { [pick(names)]: [pick(texts), at] } });
    }
    const lines = messages.map((message) => `${JSON.stringify(message)}\n`);
    for (const length of [1000, 30_011, 1_000_000]) {
      const bytes = encode(lines.join(""));
      const stream = new build.MessageStream();
      let at = 0;
      for (let from = 0; from < bytes.length; from += length) {
        for (const received of stream.push(bytes.subarray(from, from + length))) {
          const { id, method, params } = received;
          assert.deepEqual({ jsonrpc: "2.0", id, method, params }, messages[at]);
          assert.equal(received.text("method"), JSON.stringify(method));
          assert.deepEqual(received.value("params"), params);
          const detached = received.detach();
          assert.deepEqual([detached.id, detached.method, detached.params], [id, method, params]);
          at++;
        }
      }
      assert.equal(at, messages.length);
      stream.free();
    }
  });
}

test("ids that digits do not give exactly keep their value", () => {
  for (const [written, id] of [
    ["0", 0],
    ["-0", new JsonNumber("-0")],
    ["999999999999999", 999999999999999],
    ["9007199254740991", 9007199254740991],
    ["9007199254740993", 9007199254740993n],
    ["1e3", new JsonNumber("1e3")],
    ["10.0", new JsonNumber("10.0")],
  ]) {
    const [received] = receive([`{"jsonrpc":"2.0","id":${written},"method":"a"}\n`]);
    assert.deepEqual(received.id, id, written);
    assert.deepEqual(parse(`{"jsonrpc":"2.0","id":${written},"method":"a"}`).id, id, written);
  }
});

test("a stream is disposed of as it is freed", () => {
  const stream = new MessageStream();
  const [received] = stream.push(ping(1));
  stream[Symbol.dispose ?? Symbol.for("Symbol.dispose")]();
  assert.throws(() => received.id, STALE);
  assert.throws(() => stream.push(""), /the stream was freed/);
});
