// Tests what is read of frames that are not messages: `node --test wasm/test/salvage.test.mjs`.

import assert from "node:assert/strict";
import { test } from "node:test";

import { salvage } from "../npm/lib/mcp/salvage.js";

const read = (text, at) => salvage(Buffer.from(text), at ?? Buffer.byteLength(text));

/** Messages with the same id, in different orders, with texts that look like members. */
const IDS = ["12", '"a\\"b\\u00e9"', "-3e0", "4.0"];
const MESSAGES = IDS.flatMap((id) => [
  { id, shape: "call", text: `{"jsonrpc":"2.0","id":${id},"method":"m","params":{"id":5,"x":["}",{"id":6}]}}` },
  { id, shape: "call", text: `{ "method" : "m" , "params" : {"a":"\\",\\"id\\":7"} , "id" : ${id} , "jsonrpc" : "2.0" }` },
  { id, shape: "response", text: `{"jsonrpc":"2.0","result":{"error":{"id":8}},"id":${id}}` },
  { id, shape: "response", text: `{"id":${id},"error":{"code":1,"message":"{[,\\\\"},"jsonrpc":"2.0"}` },
  { id, shape: "unknown", text: `{"jsonrpc":"2.0","id":${id},"Result":{}}` },
  { id, shape: "record", text: `{"level":30,"id":${id},"x":[1,{"id":2}]}` },
]);

test("a whole message has its id and its shape, in whatever it stands", () => {
  for (const { text, id, shape } of MESSAGES) {
    assert.deepEqual(read(text, 0), [{ id, shape }], text);
    assert.deepEqual(read(`\ufeff ${text}`, 0), [{ id, shape }]);
    // Behind other text, only the version tells a message from a record.
    const behind = shape === "record" ? [] : [{ id, shape }];
    for (const prefix of ["don't [x] ", '12:00 {"a":"{"} ', "\0"]) {
      assert.deepEqual(read(prefix + text, 0).filter((each) => each.id !== undefined), behind, prefix);
    }
    const utf16 = Buffer.from(text, "utf16le");
    for (const bytes of [utf16, Buffer.concat([Buffer.of(0xff, 0xfe), utf16]), Buffer.concat([Buffer.of(0), utf16])]) {
      assert.deepEqual(salvage(bytes, 0), [{ id, shape }]);
    }
    const big = Buffer.concat([Buffer.from(utf16).swap16(), Buffer.of(0)]);
    assert.deepEqual(salvage(big, 0), [{ id, shape }]);
  }
  const wire = MESSAGES.filter(({ shape }) => shape !== "record");
  const expected = wire.map(({ id, shape }) => ({ id, shape }));
  assert.deepEqual(read(wire.map(({ text }) => text).join(""), 0), expected);
  assert.deepEqual(read(`[${wire.map(({ text }) => text).join(",")}]`, 0), expected);
});

test("a message that is cut anywhere has its id or none", () => {
  for (const { text, id } of MESSAGES) {
    const bytes = Buffer.from(text);
    for (let end = 1; end < bytes.length; end++) {
      const cut = bytes.subarray(0, end);
      const [message, ...rest] = salvage(cut, end);
      assert.deepEqual(rest, []);
      // The id is certain from the comma after it on.
      const isWhole = cut.includes(`"id":${id},`) || cut.includes(`"id" : ${id} ,`);
      assert.equal(message?.id, isWhole ? id : undefined, cut.toString());
    }
  }
});

test("what comes after the fault counts only in whole objects", () => {
  const text = '{"jsonrpc":"2.0","x":NaN,"id":1,"method":"m"';
  assert.deepEqual(read(text, 21), [{ id: undefined, shape: "call" }]);
  assert.deepEqual(read(`${text}}`, 21), [{ id: "1", shape: "call" }]);
});

test("ids that can't be repeated are not read, and the last of several is", () => {
  for (const id of ["null", "true", "{}", "[1]", "1.5", "1e400", "01", "+1", "'a'", '"a', `"${"x".repeat(2000)}"`]) {
    assert.equal(read(`{"jsonrpc":"2.0","id":${id},"method":"m","x":1}`, 0)[0].id, undefined, id);
  }
  assert.equal(salvage(Buffer.from('{"id":"\xff","method":"m"}', "latin1"), 7)[0].id, undefined);
  assert.equal(read('{"id":1,"\\u0069d":2,"method":"m"}', 0)[0].id, "2");
});

test("any bytes are read in linear time, without an exception", () => {
  let state = 1;
  const next = (limit) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % limit;
  };
  const alphabet = Buffer.from('{}[]:,"\\ idx1.\n\0\xff\xc3', "latin1");
  for (let round = 0; round < 20_000; round++) {
    const bytes = Buffer.from(MESSAGES[next(MESSAGES.length)].text);
    for (let change = next(6); change >= 0; change--) bytes[next(bytes.length)] = alphabet[next(alphabet.length)];
    salvage(bytes, next(bytes.length));
    salvage(bytes.subarray(next(bytes.length)), 0);
  }
  for (const piece of ["{", "[", "{}", '"', '{"', "\\", '{"id":', "{\0", '{"id":1,', "[{},"]) {
    for (const size of [1, 1_000_000]) salvage(Buffer.from(piece.repeat(size)), 0);
  }
  // A batch has at most this many elements.
  assert.equal(read(`[${Array(3000).fill(MESSAGES[0].text).join(",")}]`, 0).length, 1024);
});
