// Runs the bad inputs on the SDK's stdio transports and on these, in both directions and major versions:
// `node compare.mjs` prints the table.

import { spawn } from "node:child_process";
import process from "node:process";
import { pathToFileURL } from "node:url";

import { Client as SecondClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as SecondTransport } from "@modelcontextprotocol/client/stdio";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StdioClientTransport } from "tautline/mcp";

import { requests, responses } from "./bad_inputs.mjs";
import { Lines } from "./lines.mjs";

const node = process.execPath;
const info = { name: "test", version: "1.0.0" };
const SECOND = 1000;
/** How long an answer may take after a later message has arrived. */
const PATIENCE = SECOND / 2;
/** How long a client waits for the end of a server. */
const END = 4 * SECOND;
/** How long a sign of life may take. */
const LONG = 120 * SECOND;

/** The endings of a server that are inputs of a client. */
const ENDINGS = ["the server closes its output", "the server exits", "the server exits in the middle of a line"];

/** The outcomes, from the best to the worst. With the first two, no caller waits. */
export const OUTCOMES = ["served", "answered", "rejected", "answered without an id", "dropped", "closed"];
export const isAnswer = (outcome) => OUTCOMES.indexOf(outcome) < 3;

/** A server's process, and the lines that it writes. */
class Server {
  #child;
  #lines;

  constructor(major, choice) {
    this.#child = spawn(node, ["server.mjs", major, choice], { stdio: ["pipe", "pipe", "ignore"] });
    this.#child.stdin.on("error", () => {});
    this.#lines = new Lines(this.#child.stdout);
    this.send(JSON.stringify({
      jsonrpc: "2.0",
      id: "first",
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: info },
    }));
  }

  send(bytes) {
    this.#child.stdin.write(bytes);
    this.#child.stdin.write("\n");
  }

  /** Returns the next message, or undefined if none comes in time or the output ends. */
  async next(timeout) {
    const line = await this.#lines.next(timeout);
    return line === undefined ? undefined : JSON.parse(line);
  }

  async stop() {
    if (!this.#lines.hasEnded) this.#child.kill("SIGKILL");
    while (!this.#lines.hasEnded) await this.next(PATIENCE);
  }
}

/** Returns the outcome of each request of an input on a server. */
async function outcomeOfRequest(server, { bytes, ids }, sentinel) {
  server.send(bytes);
  server.send(`{"jsonrpc":"2.0","id":"${sentinel}","method":"ping"}`);
  const waiting = new Set(ids.map((id) => JSON.stringify(JSON.parse(id))));
  const outcomes = [];
  let isAlive = false;
  let hasUncorrelated = false;
  while (!isAlive || waiting.size > 0) {
    const answer = await server.next(isAlive ? PATIENCE : LONG);
    if (answer === undefined) break;
    const id = JSON.stringify(answer.id ?? null);
    if (answer.id === sentinel) isAlive = true;
    else if (waiting.delete(id)) outcomes.push(answer.error === undefined ? "served" : "answered");
    else if (id === "null") hasUncorrelated = true;
  }
  if (waiting.size > 0 || ids.length === 0) outcomes.push(hasUncorrelated ? "answered without an id" : "dropped");
  return { isAlive, outcome: isAlive ? worst(outcomes) : "closed" };
}

const worst = (outcomes) => OUTCOMES[Math.max(...outcomes.map((outcome) => OUTCOMES.indexOf(outcome)))];

async function runServer(major, choice) {
  const outcomes = {};
  let server;
  for (const [index, [name, input]] of Object.entries(requests("1")).entries()) {
    if (server === undefined) {
      server = new Server(major, choice);
      if ((await server.next(LONG))?.id !== "first") throw new Error("the server does not start");
      server.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    }
    const { isAlive, outcome } = await outcomeOfRequest(server, input, `ping ${index}`);
    outcomes[name] = outcome;
    if (!isAlive) {
      await server.stop();
      server = undefined;
    }
  }
  await server?.stop();
  return outcomes;
}

const MAJORS = {
  1: { Client: FirstClient, SdkTransport: FirstTransport },
  2: { Client: SecondClient, SdkTransport: SecondTransport },
};

/** Returns the outcome of a call that is answered by this input. */
async function outcomeOfResponse(major, choice, name) {
  const { Client, SdkTransport } = MAJORS[major];
  const Transport = choice === "sdk" ? SdkTransport : StdioClientTransport;
  const client = new Client(info);
  client.onerror = () => {};
  const transport = new Transport({ command: node, args: ["bad_server.mjs"], stderr: "ignore" });
  await client.connect(transport);
  const isEnding = ENDINGS.includes(name);
  const options = { timeout: isEnding ? END : LONG };
  const call = major === "1" ? client.callTool({ name }, undefined, options) : client.callTool({ name }, options);
  const { onmessage } = transport;
  const silence = new Promise((resolve) => {
    transport.onmessage = (message, extra) => {
      if (message.method === "notifications/message") setTimeout(() => resolve("dropped"), PATIENCE);
      onmessage(message, extra);
    };
  });
  const failed = (error) => {
    if (/timed out/i.test(error.message)) return "dropped";
    // The ends of servers are to be reported as such.
    return /connection closed/i.test(error.message) && !isEnding ? "closed" : "rejected";
  };
  const outcome = await Promise.race([call.then(() => "served", failed), silence]);
  client.close().catch(() => {});
  return outcome;
}

async function runClient(major, choice) {
  const names = [...Object.keys(responses("1")), ...ENDINGS];
  const outcomes = {};
  const run = async () => {
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      outcomes[name] = await outcomeOfResponse(major, choice, name);
    }
  };
  await Promise.all(Array.from({ length: 6 }, run));
  return outcomes;
}

const RUNS = [["1", "sdk"], ["2", "sdk"], ["1", "tautline"], ["2", "tautline"]];

const runServers = () => Promise.all(RUNS.map(([major, choice]) => runServer(major, choice)));

/** All clients share this process, so they run after each other. */
async function runClients() {
  const columns = [];
  for (const [major, choice] of RUNS) columns.push(await runClient(major, choice));
  return columns;
}

/** Returns a table for each direction: names of inputs, whether an id is readable, and the outcomes. */
export async function compare() {
  const tables = {};
  for (const [direction, run, inputs] of [["server", runServers, requests("1")], ["client", runClients, responses("1")]]) {
    const columns = await run();
    tables[direction] = Object.keys(columns[0]).map((name) => {
      const isReadable = inputs[name] === undefined || inputs[name].ids.length > 0;
      const [first, second, ...ours] = columns.map((column) => column[name]);
      return { name, isReadable, sdk: [first, second], ours };
    }).sort((a, b) => order(inputs, a.name) - order(inputs, b.name));
  }
  return tables;
}

const order = (inputs, name) => (Object.keys(inputs).indexOf(name) + 1 || 1000);

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  for (const [direction, rows] of Object.entries(await compare())) {
    console.log(direction);
    for (const { name, isReadable, sdk, ours } of rows) {
      const isWorse = ours.some((outcome, index) => isAnswer(sdk[index]) && !isAnswer(outcome));
      const waits = isReadable && !ours.every(isAnswer);
      console.log(`${isWorse ? "!" : waits ? "?" : " "} ${name.padEnd(45)} ${[...sdk, ...ours].map((o) => o.padEnd(24)).join("")}`);
    }
  }
  process.exit();
}
