// An error reply with the id of a request in flight would answer that request: a peer matches answers by their ids alone
// (JSON-RPC 2.0, section 5). So the transports send none.

import assert from "node:assert/strict";
import { test } from "node:test";

import { parse } from "../npm/index.js";
import { transportOf, turns } from "./transports.mjs";

const SIDES = ["server", "client"];
const MAX_FRAME = 1000;

/** Opens a transport of a side. Returns it with what it delivers and reports, and functions for both directions. */
async function open(side, revision = "2025-11-25") {
  const [transport, input, output] = transportOf(side, { rules: revision, maxFrame: MAX_FRAME });
  const [delivered, errors, written] = [[], [], []];
  transport.onmessage = (message) => delivered.push(message);
  transport.onerror = (error) => errors.push(error);
  output.on("data", (data) => written.push(...data.toString().trimEnd().split("\n")));
  await transport.start();
  transport.setProtocolVersion(revision);
  return {
    transport,
    delivered,
    errors,
    /** Receives a line. Returns the lines that were written since the last call. */
    async receive(line) {
      input.write(`${line}\n`);
      await turns();
      return written.splice(0);
    },
    async end() {
      input.end();
      await turns();
    },
    /** Answers the request with this id, as the transport has delivered it. Returns the lines that were written. */
    async answer(id) {
      await transport.send({ jsonrpc: "2.0", id, result: {} });
      return written.splice(0);
    },
  };
}

const request = (id) => `{"jsonrpc":"2.0","id":${id},"method":"m"}`;
const cancellation = (id) => `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id}}}`;

/** Requests with this id that are not delivered, and whose sender is owed an error with the id. */
const refused = (id) => [
  `{"jsonrpc":"2.0","id":${id},"method":1}`,
  `{"jsonrpc":"2.0","id":${id},"method":"m","params":7}`,
  `{"jsonrpc":"2.0","id":${id},"method":"m","method":"m"}`,
  `{"jsonrpc":"1.0","id":${id},"method":"m"}`,
  `{"id":${id},"method":"m"}`,
  `{"jsonrpc":"2.0","id":${id},"params":{}}`,
  `{"jsonrpc":"2.0","id":${id},"method":"m","params":{}`,
  `{"jsonrpc":"2.0","id":${id},"method":"m","params":{"a":${"[".repeat(200)}${"]".repeat(200)}}}`,
  `{"jsonrpc":"2.0","id":${id},"method":"m","params":{"a":"${"x".repeat(MAX_FRAME)}"}}`,
  `{"jsonrpc":"2.0","method":"m","params":{"a":"${"x".repeat(MAX_FRAME)}"},"id":${id}}`,
  `[${request(id)}]`,
  JSON.stringify(request(id)),
  `{"jsonrpc":"2.0",\n"id":${id},\n"method":"m"\n}`,
  // A request whose params the SDK would drop.
  `{"jsonrpc":"2.0","id":${id},"method":"m","params":{"_meta":7}}`,
];

/** Returns the ids of the errors among lines, as they are written. */
const idsOfErrors = (lines) =>
  lines.map((line) => parse(line)).filter(({ kind }) => kind === "error").map((error) => error.text("id"))
    .filter((id) => id !== undefined);

for (const side of SIDES) {
  test(`${side}: no error has the id of a request in flight`, async () => {
    const { transport, delivered, errors, receive, answer } = await open(side);
    const ids = [["1", "2"], ["1", '"1"'], ['"a"', '"b"'], ['"\\u00e9"', '"e"'], ["9007199254740993", "5"], ["1.0", "3"]];
    for (const [id, other] of ids) {
      await receive(request(id));
      const { id: mine } = delivered.at(-1);
      for (const frame of refused(id)) {
        const reports = errors.length;
        assert.deepEqual(idsOfErrors(await receive(frame)), [], frame);
        assert.ok(errors.length > reports, "the frame is reported");
      }
      for (const frame of refused(other)) assert.deepEqual(idsOfErrors(await receive(frame)), [other], frame);
      // The request gets its answer, and then its id is free.
      const [line] = await answer(mine);
      assert.deepEqual(parse(line).value("result"), {});
      for (const frame of refused(id)) {
        assert.deepEqual(idsOfErrors(await receive(frame)).map((id) => JSON.parse(id)), [JSON.parse(id)], frame);
      }
    }
    await transport.close();
  });

  test(`${side}: ids that peers confuse, and ids that only the frame as a whole has`, async () => {
    const { transport, delivered, receive, answer } = await open(side);
    const invalid = (id) => `{"jsonrpc":"2.0","id":${id},"method":1}`;
    for (const [id, same] of [["7", "7.0"], ["7.0", "7"], ["7", "70e-1"], ['"a"', '"\\u0061"'], ["1e400", "1e400"]]) {
      assert.deepEqual(idsOfErrors(await receive(invalid(same))), [same]);
      await receive(request(id));
      assert.deepEqual(idsOfErrors(await receive(invalid(same))), [], same);
      await answer(delivered.at(-1).id);
      assert.deepEqual(idsOfErrors(await receive(invalid(same))), [same]);
    }
    await transport.close();
  });

  test(`${side}: a cancelled request is no longer in flight, and requests with one id are counted`, async () => {
    const { transport, delivered, receive, answer } = await open(side);
    const [invalid] = refused("1");
    await receive(request("1"));
    await receive(cancellation("1"));
    assert.deepEqual(idsOfErrors(await receive(invalid)), ["1"]);
    await receive(request("1"));
    await receive(request("1"));
    assert.deepEqual(delivered.map(({ method }) => method), ["m", "notifications/cancelled", "m", "m"]);
    await answer(1);
    assert.deepEqual(idsOfErrors(await receive(invalid)), []);
    await answer(1);
    assert.deepEqual(idsOfErrors(await receive(invalid)), ["1"]);
    await transport.close();
  });

  test(`${side}: of several messages in a frame, those in flight get no error`, async () => {
    const { transport, receive } = await open(side);
    await receive(request("2"));
    const batch = `[${["1", "2", "3"].map(request).join(",")}]`;
    assert.deepEqual(idsOfErrors(await receive(batch)), ["1", "3"]);
    await transport.close();
  });
}

test("the server waits for the answers to all requests with one id", async () => {
  const { transport, receive, answer, end } = await open("server");
  let hasClosed = false;
  transport.onclose = () => (hasClosed = true);
  await receive(request("1"));
  await receive(request("1"));
  await end();
  await answer(1);
  await turns();
  assert.equal(hasClosed, false);
  await answer(1);
  await turns();
  assert.equal(hasClosed, true);
});

test("a client sends no error to a server of 2026-07-28", async () => {
  const { transport, receive } = await open("client", "2026-07-28");
  for (const frame of refused("1")) assert.deepEqual(await receive(frame), [], frame);
  await transport.close();
});
