// Tests the stdio transports with the official SDK's servers and clients, in both major versions. The packages of
// package.json and this package must be installed in the folder of this file.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { createInterface } from "node:readline";
import { PassThrough } from "node:stream";
import { test } from "node:test";

import { Client as SecondClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as SecondTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  deserializeMessage,
  FrameError,
  ReadBuffer,
  serializeMessage,
  StdioClientTransport,
  StdioServerTransport,
} from "tautline/mcp";

import { Lines } from "./lines.mjs";

const node = process.execPath;
const MAJORS = [
  { major: "1", Client: FirstClient, SdkTransport: FirstTransport },
  { major: "2", Client: SecondClient, SdkTransport: SecondTransport },
];
const info = { name: "test", version: "1.0.0" };

/** Starts a server, which is stopped after the test. */
function serve(t, ...args) {
  const child = spawn(node, ["server.mjs", ...args], { stdio: ["pipe", "pipe", "pipe"] });
  const errors = [];
  createInterface({ input: child.stderr }).on("line", (line) => errors.push(line));
  const exited = new Promise((resolve) => child.once("exit", resolve));
  // A closed server no longer reads, so writing may fail.
  child.stdin.on("error", () => {});
  t.after(async () => {
    child.kill();
    await exited;
  });
  return { errors, exited, stdin: child.stdin, lines: new Lines(child.stdout) };
}

const initialize = {
  jsonrpc: "2.0",
  id: "first",
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: info },
};

async function shakeHands(server) {
  server.stdin.write(`${JSON.stringify(initialize)}\n`);
  assert.equal(JSON.parse(await server.lines.next()).id, "first");
  server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
}

const echo = (id, text, rest = "") =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":{"text":"${text}"}}${rest}}`;
const echoed = (id, text) => (line) => {
  assert.ok(line.endsWith(`"id":${id}}`) || line.includes(`"id":${id},`), line);
  assert.equal(JSON.parse(line).result.content[0].text, text);
};
/** Checks an error reply, which says which rule is broken, where, and how to mend it. */
const refused = (code, message) => (id, rule) => (line) => {
  const { id: answered, error } = JSON.parse(line);
  assert.deepEqual(answered, id);
  assert.deepEqual([error.code, error.message], [code, message]);
  assert.deepEqual(Object.keys(error.data), ["rule", "at", "message", "help"]);
  if (rule !== undefined) assert.equal(error.data.rule, rule);
  assert.ok(Number.isInteger(error.data.at) && error.data.message !== "" && error.data.help !== "");
};
const invalid = refused(-32600, "Invalid Request");
const unparseable = refused(-32700, "Parse error");

/** Inputs of a client, each with a check of the answer. Without a check, there must be no answer. */
const INPUTS = {
  "text that is not JSON": ["hello"],
  "a truncated message": ['{"jsonrpc":"2.0","id":1,"method":"ping"', unparseable(1, "not-json")],
  "a message that is truncated in its id": ['{"jsonrpc":"2.0","method":"ping","id":1'],
  "a message in several lines": ['{\n  "jsonrpc": "2.0",\n  "id": 12,\n  "method": "ping"\n}', unparseable(12, "embedded-newline")],
  "a blank line": [""],
  "an id that is null": ['{"jsonrpc":"2.0","id":null,"method":"ping"}', invalid(undefined, "id-null")],
  "an id that is a fraction": ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', invalid(undefined)],
  "an id that is an object": ['{"jsonrpc":"2.0","id":{},"method":"ping"}', invalid(undefined)],
  "no version": ['{"id":7,"method":"ping"}', invalid(7, "missing-jsonrpc")],
  "another version": ['{"jsonrpc":"1.0","id":"a","method":"ping"}', invalid("a")],
  "params that are an array": ['{"jsonrpc":"2.0","id":3,"method":"ping","params":[]}', invalid(3)],
  "a method twice": ['{"jsonrpc":"2.0","id":4,"method":"ping","method":"tools/list"}', invalid(4, "duplicate-member")],
  "a batch": ['[{"jsonrpc":"2.0","id":5,"method":"ping"}]', invalid(5, "batch-not-allowed")],
  "a batch without ids": ['[{"jsonrpc":"2.0","method":"ping"}]', invalid(undefined)],
  "a text in an unknown encoding": [Buffer.from(echo(13, "\u00e9"), "latin1"), echoed(13, "\ufffd")],
  "an id that is not UTF-8": [Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":"'), Buffer.of(0xff), Buffer.from('"}')])],
  "another member": [echo(6, "x", ',"extra":1'), echoed(6, "x")],
  "an id beyond 2^53": [echo("9007199254740993", "x"), echoed("9007199254740993", "x")],
  "an id of 20 digits": [echo("18446744073709551616", "x"), echoed("18446744073709551616", "x")],
  "an id with a decimal point": [echo("1.0", "x"), echoed("1.0", "x")],
  "an id like those that stand for others": [echo('"tautline:1"', "x"), echoed('"tautline:1"', "x")],
  "an empty id": [echo('""', "x"), echoed('""', "x")],
  "illegal _meta": [
    '{"jsonrpc":"2.0","id":8,"method":"ping","params":{"_meta":5}}',
    (line) => assert.equal(JSON.parse(line).error.code, -32602),
  ],
  "an illegal progress token": [
    '{"jsonrpc":"2.0","id":9,"method":"ping","params":{"_meta":{"progressToken":1.5}}}',
    (line) => assert.equal(JSON.parse(line).error.code, -32602),
  ],
  "a message of 11 MiB": [
    echo(10, "x".repeat(11 * 1024 * 1024)),
    (line) => assert.equal(JSON.parse(line).result.content[0].text.length, 11 * 1024 * 1024),
  ],
  "a message over the limit": [echo(11, "x".repeat(17 * 1024 * 1024)), invalid(11)],
};

const ping = (id) => `{"jsonrpc":"2.0","id":"${id}","method":"ping"}\n`;

/**
 * Returns the names of the inputs with unexpected results. Answers may come after the answer to the ping, and the test
 * waits this many milliseconds for them.
 */
async function wrong(server, patience) {
  const names = [];
  for (const [name, [input, check]] of Object.entries(INPUTS)) {
    server.stdin.write(input);
    // The ping shows that the session continues, and that no other answer comes.
    server.stdin.write(`\n${ping(name)}`);
    const answers = [];
    let isAlive = false;
    while (!isAlive || (check !== undefined && answers.length === 0)) {
      const line = await server.lines.next(isAlive ? patience : 60_000);
      if (line === undefined) break;
      if (JSON.parse(line).id === name) isAlive = true;
      else answers.push(line);
    }
    if (!isAlive) return [...names, name, "and it has closed"];
    try {
      assert.equal(answers.length, check === undefined ? 0 : 1);
      check?.(answers[0]);
    } catch {
      names.push(name);
    }
  }
  return names;
}

/** Calls a tool without arguments. The two major versions have the options in different places. */
function call(client, major, name, timeout) {
  const options = { timeout };
  return major === "1" ? client.callTool({ name }, undefined, options) : client.callTool({ name }, options);
}

/** Returns a tool's answer as text. */
const textOf = ({ content }) => content[0].text;

for (const { major, Client, SdkTransport } of MAJORS) {
  const params = { command: node, args: ["server.mjs", major, "tautline"], stderr: "ignore" };
  const broken = { command: node, args: ["broken_server.mjs"], maxFrame: 1024 * 1024 };

  test(`major ${major}: the server answers what it owes, and goes on`, async (t) => {
    const server = serve(t, major, "tautline");
    await shakeHands(server);
    assert.deepEqual(await wrong(server, 60_000), []);
    assert.ok(
      server.errors.some((line) => line.includes("not-json")),
      server.errors.join("\n"),
    );
  });

  test(`major ${major}: the SDK's own server transport does not`, async (t) => {
    const server = serve(t, major, "sdk");
    await shakeHands(server);
    const names = await wrong(server, 300);
    t.diagnostic(names.join(", "));
    assert.ok(names.includes("no version") && names.includes("and it has closed"), names.join("\n"));
  });

  test(`major ${major}: the server answers what came before the end of its input, and exits`, async (t) => {
    const server = serve(t, major, "tautline");
    await shakeHands(server);
    // The last line has no newline.
    server.stdin.end(echo(1, "last").replace("echo", "slow"));
    assert.equal(textOf(JSON.parse(await server.lines.next()).result), "last");
    assert.equal(await server.exited, 0);
  });

  test(`major ${major}: the SDK's client and server over both transports`, async () => {
    const client = new Client(info);
    const transport = new StdioClientTransport(params);
    await client.connect(transport);
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name).sort(), ["echo", "slow"]);
    for (const text of ["", "päivää \u2028 \ud83d\ude00 \"\\", "x".repeat(12 * 1024 * 1024)]) {
      const result = await client.callTool({ name: "echo", arguments: { text } });
      assert.ok(textOf(result) === text);
    }
    const { pid } = transport;
    let hasClosed = false;
    client.onclose = () => (hasClosed = true);
    await client.close();
    assert.ok(hasClosed);
    assert.throws(() => process.kill(pid, 0), "the server has exited");
    await assert.rejects(transport.send({ jsonrpc: "2.0", id: 1, method: "ping" }));
  });

  test(`major ${major}: no answer of a broken server leaves a caller waiting`, async (t) => {
    const client = new Client(info);
    const errors = [];
    client.onerror = (error) => errors.push(error.message);
    await client.connect(new StdioClientTransport(broken));
    t.after(() => client.close());
    const answer = (name) => call(client, major, name, 60_000);
    for (const name of ["banner", "bad UTF-8", "extra member"]) {
      assert.deepEqual((await answer(name)).content, [], name);
    }
    const failures = {
      "result and error": /result-and-error/,
      "no version": /missing-jsonrpc/,
      "null result": /result-type/,
      "illegal _meta": /_meta/,
      "too long": /frame-too-long/,
    };
    for (const [name, reason] of Object.entries(failures)) {
      await assert.rejects(answer(name), reason, name);
      await client.ping();
    }
    assert.deepEqual((await answer("no newline")).content, []);
    assert.ok(errors.some((message) => message.includes("not-json")), errors.join("\n"));
  });

  test(`major ${major}: with the SDK's own client transport, callers wait`, async (t) => {
    const client = new Client(info);
    client.onerror = () => {};
    await client.connect(new SdkTransport(broken));
    t.after(() => client.close());
    await assert.rejects(call(client, major, "extra member", 500), /timed out/i);
    await assert.rejects(call(client, major, "no version", 500), /timed out/i);
  });
}

test("the README's server and client", () => {
  const readme = readFileSync("node_modules/tautline/README.md", "utf8");
  const blocks = Array.from(readme.matchAll(/^```ts\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?/gms));
  const [server, client] = ["Server", "Client"].map((end) => blocks.find(([, code]) => code.includes(`Stdio${end}Transport`)));
  writeFileSync("readme_server.mjs", server[1]);
  writeFileSync("readme_client.mjs", client[1].replace("server.mjs", "readme_server.mjs"));
  const { stdout, stderr } = spawnSync(node, ["readme_client.mjs"], { encoding: "utf8" });
  assert.equal(stdout, client[2], stderr);
});

test("the second major's client finds the server's era by a second process", async () => {
  const client = new SecondClient(info, { versionNegotiation: { mode: "auto" } });
  const params = { command: node, args: ["server.mjs", "2", "tautline"], stderr: "pipe" };
  const transport = new StdioClientTransport(params);
  await client.connect(transport);
  assert.equal(client.getNegotiatedProtocolVersion(), "2026-07-28");
  const result = await client.callTool({ name: "echo", arguments: { text: "modern" } });
  assert.equal(textOf(result), "modern");
  await client.close();
});

test("a server that ignores signals, and one that can't be started", async () => {
  const stubborn = "process.on('SIGTERM', () => {}); process.stdout.write('x'); setInterval(() => {}, 1000)";
  const transport = new StdioClientTransport({ command: node, args: ["-e", stubborn] });
  await transport.start();
  const { pid } = transport;
  await transport.close();
  assert.throws(() => process.kill(pid, 0));
  const absent = new StdioClientTransport({ command: "/nonexistent/server" });
  await assert.rejects(absent.start(), /ENOENT/);
});

/** Creates a transport over new streams, and collects what it delivers, reports and writes. */
async function served(options, handlers = {}) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const transport = new StdioServerTransport(stdin, stdout, options);
  const seen = { received: [], errors: [], written: [], closed: 0 };
  stdout.on("data", (data) => seen.written.push(...data.toString().trimEnd().split("\n")));
  transport.onmessage = (message) => seen.received.push(message) && handlers.onmessage?.(transport);
  transport.onerror = (error) => seen.errors.push(error) && handlers.onerror?.(transport);
  transport.onclose = () => seen.closed++;
  await transport.start();
  return {
    transport,
    seen,
    async send(text) {
      stdin.write(text);
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    },
  };
}

const notification = '{"jsonrpc":"2.0","method":"a"}';

test("handlers may close the transport", async () => {
  const close = (transport) => transport.close();
  const first = await served({}, { onerror: close });
  await first.send(`nonsense\n{"id":1,"method":"ping"}\n${notification}\n`);
  assert.deepEqual([first.seen.errors.length, first.seen.received, first.seen.written], [1, [], []]);
  const second = await served({ rules: "2025-03-26" }, { onmessage: close });
  await second.send(`[${notification},${notification}]\n${notification}\n`);
  assert.deepEqual([second.seen.received.length, second.seen.closed], [1, 1]);
  await assert.rejects(second.transport.start(), /started already/);
  const third = new StdioServerTransport(new PassThrough(), new PassThrough());
  await third.close();
  await assert.rejects(third.start(), /closed/);
});

test("a batch is delivered message by message", async () => {
  const { seen, send } = await served({ rules: "2025-03-26" });
  await send(`[${notification},{"id":2,"method":"ping"},{"jsonrpc":"2.0","id":3,"method":"ping"}]\n`);
  assert.deepEqual(seen.received.map(({ method }) => method), ["a", "ping"]);
  assert.deepEqual(seen.written.map((line) => JSON.parse(line).id), [2]);
});

test("the client answers calls that are invalid, and nothing else", async (t) => {
  // At the end, the server shows the first lines that it received.
  const server = `
    const lines = [];
    const finish = () => { console.error(Buffer.concat(lines).toString()); process.exit(); };
    process.stdin.on("data", (data) => { lines.push(data); setTimeout(finish, 300); });
    setTimeout(finish, 60_000);
    console.log('{"level":30,"msg":"started","id":1}\\n{}\\n"x"\\n{"id":7,"method":"ping"}');`;
  const transport = new StdioClientTransport({ command: node, args: ["-e", server], stderr: "pipe" });
  let printed = "";
  transport.stderr.on("data", (data) => (printed += data));
  const errors = [];
  transport.onerror = (error) => errors.push(error);
  const closed = new Promise((resolve) => (transport.onclose = resolve));
  await transport.start();
  await closed;
  assert.equal(errors.length, 4);
  assert.deepEqual(printed.trim().split("\n").map((line) => JSON.parse(line).id), [7]);
});

test("a client transport is closed twice, before it starts, and while the server sends", async () => {
  const server = `setInterval(() => console.log('${notification}'), 1)`;
  const transport = new StdioClientTransport({ command: node, args: ["-e", server] });
  let closed = 0;
  transport.onclose = () => closed++;
  await transport.start();
  await new Promise((resolve) => (transport.onmessage = resolve));
  const { pid } = transport;
  await Promise.all([transport.close(), transport.close()]);
  assert.equal(closed, 1);
  assert.throws(() => process.kill(pid, 0));
  const early = new StdioClientTransport({ command: node, args: ["-e", server] });
  const start = early.start();
  await early.close();
  await assert.rejects(start, /closed/);
  assert.equal(early.pid, null);
});

test("a server that closes its output and lives on is ended", async () => {
  const server = "require('fs').closeSync(1); setInterval(() => {}, 1000)";
  const transport = new StdioClientTransport({ command: node, args: ["-e", server] });
  const closed = new Promise((resolve) => (transport.onclose = resolve));
  await transport.start();
  const { pid } = transport;
  await closed;
  assert.throws(() => process.kill(pid, 0));
});

test("a server transport over streams: closing, and writing too much", async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough({ highWaterMark: 10 })];
  const transport = new StdioServerTransport(stdin, stdout);
  const received = [];
  let closed = 0;
  transport.onmessage = (message) => received.push(message);
  transport.onclose = () => closed++;
  await transport.start();
  await assert.rejects(transport.start());
  stdin.write('{"jsonrpc":"2.0","method":"a"}\n{"jsonrpc":"2.0",');
  stdin.write('"method":"b","params":{}}\n');
  await new Promise(setImmediate);
  assert.deepEqual(received, [
    { jsonrpc: "2.0", method: "a" },
    { jsonrpc: "2.0", method: "b", params: {} },
  ]);
  // A hundred waiting writes must not leave listeners behind.
  const writes = Array.from({ length: 100 }, () => transport.send({ jsonrpc: "2.0", method: "c" }));
  assert.ok(stdout.listenerCount("drain") + stdout.listenerCount("error") < 5);
  stdout.resume();
  await Promise.all(writes);
  await transport.close();
  await transport.close();
  assert.equal(closed, 1);
  assert.equal(stdin.listenerCount("data"), 0);
  stdout.destroy(new Error("late"));
  await new Promise(setImmediate);
});

test("ReadBuffer takes any cut, and goes on after a fault", () => {
  const wire = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ä"}\r\nnonsense\n\n{"jsonrpc":"2.0","id":1,"result":{}}\n');
  for (let length = 1; length <= wire.length; length++) {
    const buffer = new ReadBuffer();
    const read = [];
    for (let at = 0; at < wire.length; at += length) {
      buffer.append(wire.subarray(at, at + length));
      for (;;) {
        try {
          const message = buffer.readMessage();
          if (message === null) break;
          read.push(message);
        } catch (error) {
          assert.ok(error instanceof FrameError);
          assert.equal(error.excerpt, "nonsense");
          read.push(error.rule);
        }
      }
    }
    assert.deepEqual(read, [
      { jsonrpc: "2.0", id: 1, method: "ä" },
      "not-json",
      { jsonrpc: "2.0", id: 1, result: {} },
    ]);
    buffer.clear();
  }
});

test("ids that JavaScript can't hold are written as they were read", () => {
  for (const id of ['"a"', "1", "-5", "9007199254740993", "1.0", '"tautline:1"', '"\\u0041"']) {
    const { id: read } = deserializeMessage(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    const request = serializeMessage({ jsonrpc: "2.0", id: read, method: "ping" });
    assert.deepEqual(deserializeMessage(request).id, read, request);
    // A response has the id of a request that the SDK has sent, which is a number or a string.
    const response = serializeMessage({ jsonrpc: "2.0", id: read, result: {} });
    assert.deepEqual(deserializeMessage(response).id, id === "1.0" ? 1 : read, response);
    const line = serializeMessage({ jsonrpc: "2.0", id: read, result: {} });
    if (read !== "A") assert.ok(line.includes(`"id":${id}`), line);
  }
  for (const id of ["tautline:", "tautline:}\n", 'tautline:"\n"', "tautline:01", 'tautline:"a" "b"']) {
    assert.equal(deserializeMessage(serializeMessage({ jsonrpc: "2.0", id, result: {} })).id, `tautline:${JSON.stringify(id)}`);
  }
  const { error } = deserializeMessage('{"jsonrpc":"2.0","id":1,"error":{"code":9007199254740993,"message":"x"}}');
  assert.deepEqual(error, { code: -32603, message: "x" });
  assert.throws(() => deserializeMessage('{"jsonrpc":"1.0"}'), FrameError);
});

test("error replies have data unless an option leaves it out", async () => {
  const wire = '{"id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":2,"method":7}x\n';
  const plain = await served({ replyData: false });
  await plain.send(wire);
  assert.deepEqual(plain.seen.written, [
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid Request"}}',
    '{"jsonrpc":"2.0","id":2,"error":{"code":-32700,"message":"Parse error"}}',
  ]);
  const explained = await served({});
  await explained.send(wire);
  assert.deepEqual(explained.seen.written.map((line) => JSON.parse(line).error.data.rule), ["missing-jsonrpc", "not-json"]);
  assert.deepEqual(explained.seen.written, explained.seen.errors.map(({ reply }) => reply));
});

test("responses with rewritten ids complete the request with the same value", async () => {
  const { transport, seen, send } = await served({ rules: "2025-03-26" });
  const ask = (id) => transport.send({ jsonrpc: "2.0", id, method: "ping" });
  const answered = async (text, ...ids) => {
    for (const id of ids) await ask(id);
    await send(`{"jsonrpc":"2.0","id":${text},"result":{}}\n`);
    return [seen.received.pop().id, seen.errors.pop()?.rule];
  };
  assert.deepEqual(await answered("1.0", 1), [1, "response-id-rewritten"]);
  // It has been answered, so another response answers nothing.
  assert.deepEqual(await answered("1.0"), ["tautline:1.0", undefined]);
  assert.deepEqual(await answered('"2"', 2), [2, "response-id-rewritten"]);
  assert.deepEqual(await answered("3e0", 3, "3"), [3, "response-id-rewritten"]);
  assert.deepEqual(await answered("3"), ["3", "response-id-rewritten"]);
  assert.deepEqual(await answered('"4"', 4, "4"), ["4", undefined]);
  assert.deepEqual(await answered('"04"'), ["04", undefined]);
  // A broken response fails the same request.
  await ask(5);
  await send('{"jsonrpc":"2.0","id":5.0,"result":7}\n');
  assert.equal(seen.received.pop().error.data.rule, "result-type");
  assert.equal(seen.errors.length, 1);
});

test("a cancellation reaches a request whose id is kept as text", async () => {
  const { seen, send } = await served({});
  for (const id of ["1.0", "9007199254740993", "9007199254740995", "9007199254740996"]) {
    await send(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
  }
  const cancel = (id) => send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${id},"reason":"r"}}\n`);
  for (const id of ["1.0", "9007199254740993", "9007199254740995", "2"]) await cancel(id);
  const cancelled = seen.received.filter(({ method }) => method === "notifications/cancelled");
  assert.deepEqual(cancelled.map(({ params }) => params), [
    { requestId: "tautline:1.0", reason: "r" },
    { requestId: "tautline:9007199254740993", reason: "r" },
    // Two ids round to this number.
    { requestId: 9007199254740996, reason: "r" },
    { requestId: 2, reason: "r" },
  ]);
});

test("a message in several lines is refused once, and other lines do not count", async () => {
  const { seen, send } = await served({});
  const indented = JSON.stringify({ jsonrpc: "2.0", id: "é}", method: "a", params: { b: ["{", 1] } }, undefined, 2);
  await send(`${indented}\n`);
  assert.deepEqual(seen.written.map((line) => JSON.parse(line)).filter(({ id }) => id !== undefined).map(({ id }) => id), ["é}"]);
  seen.written.length = 0;
  await send(`{\n  "id": 1,\n${notification}\n  "jsonrpc": "2.0", "method": "a"\n}\n`);
  assert.deepEqual(seen.written, []);
  // One line can be refused by itself.
  await send('{"jsonrpc":"2.0","id":2,"method":"a",\n"params":{}}\n');
  assert.deepEqual(seen.written.map((line) => JSON.parse(line).id), [2]);
});

test("log records, and objects inside of text, are not answered", async () => {
  const { transport, seen, send } = await served({});
  await transport.send({ jsonrpc: "2.0", id: 1, method: "ping" });
  await send('{"level":30,"id":1,"x":NaN}\nread {"id":1,"result":{}} from cache\n{"jsonrpc":"2.0","id":1,"result":{"a":\n');
  assert.deepEqual(seen.received.map(({ id, error }) => [id, error.data.rule]), [[1, "not-json"]]);
  assert.deepEqual(seen.received.length, 1);
});

test("ReadBuffer reports invalid UTF-8 and reads the message, and reads ids of responses as numbers", () => {
  const buffer = new ReadBuffer({ replyData: false });
  buffer.append(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\xe9"}\n{"jsonrpc":"2.0","id":2,\xe9"method":"a"}\n', "latin1"));
  assert.throws(() => buffer.readMessage(), ({ rule, reply }) => rule === "invalid-utf8" && reply === undefined);
  assert.deepEqual(buffer.readMessage(), { jsonrpc: "2.0", id: 1, method: "\ufffd" });
  const reply = '{"jsonrpc":"2.0","id":2,"error":{"code":-32700,"message":"Parse error"}}';
  assert.throws(() => buffer.readMessage(), (error) => error.rule === "invalid-utf8" && error.reply === reply);
  assert.equal(buffer.readMessage(), null);
  buffer.append(Buffer.from('{"jsonrpc":"2.0","id":3.0,"result":{}}\n'));
  assert.deepEqual(buffer.readMessage(), { jsonrpc: "2.0", id: 3, result: {} });
});

test("onFinding gets what the judge finds in the messages of both sides", async () => {
  const findings = [];
  const { transport, seen, send } = await served({ onFinding: (finding) => findings.push(finding) });
  await send(`${JSON.stringify({ ...initialize, id: 1 })}\n`);
  const serverInfo = { name: "s", version: "1" };
  const capabilities = { tools: {} };
  await transport.send({ jsonrpc: "2.0", id: 1, result: { protocolVersion: "2025-11-25", capabilities, serverInfo } });
  await send('{"jsonrpc":"2.0","method":"notifications/initialized"}\n{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n');
  assert.deepEqual(findings, []);
  await transport.send({ jsonrpc: "2.0", id: 2, result: { tools: [{ name: "copy" }] } });
  const [{ clause, help, ...finding }, ...rest] = findings.splice(0);
  const at = '{"jsonrpc":"2.0","id":2,"result":{"tools":['.length;
  const place = { path: "result.tools[0]", message: 'the required member "inputSchema" is missing' };
  assert.deepEqual(finding, { from: "server", rule: "missing-member", severity: "error", at, ...place });
  assert.ok(clause.includes("MCP") && help !== "" && rest.length === 0);
  // A request that is not JSON is answered, and its answer is expected.
  await send('{"jsonrpc":"2.0","id":3,"method":"ping",}\n');
  assert.deepEqual(findings.splice(0).map(({ from, rule }) => [from, rule]), [["client", "not-json"]]);
  await send('{"jsonrpc":"2.0","id":2,"method":"no/such"}\n{"jsonrpc":"2.0","id":9,"result":{}}\n');
  const found = findings.splice(0).map(({ rule }) => rule);
  assert.ok(found.includes("response-unexpected"), found.join());
  await transport.close();
  assert.equal(seen.closed, 1);
});

test("a handler of findings may fail or close the transport", async () => {
  const failing = await served({ onFinding: () => { throw new Error("handler"); } });
  await failing.send('nonsense\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  assert.ok(failing.seen.errors.some(({ message }) => message === "handler"));
  assert.equal(failing.seen.received.length, 1);
  let close = () => {};
  const closing = await served({ onFinding: () => close() });
  close = () => closing.transport.close();
  await closing.send(`nonsense\n${notification}\n`);
  assert.deepEqual([closing.seen.closed, closing.seen.received], [1, []]);
  const early = new StdioServerTransport(new PassThrough(), new PassThrough(), { onFinding: () => {} });
  const start = early.start();
  await early.close();
  await assert.rejects(start, /closed/);
});
