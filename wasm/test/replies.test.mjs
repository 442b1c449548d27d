// Checks what a peer gets from the transports for each rule and revision, and holds docs/transports.md to it. To write
// the table again, run it with TAUTLINE_BLESS=1: `node --test wasm/test/replies.test.mjs`.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";

import { REVISIONS } from "../npm/lib/options.js";
import { transportOf, turns } from "./transports.mjs";

const PAGE = new URL("../../docs/transports.md", import.meta.url);
/** The names of the rules that are errors, which a test in Rust writes. */
const ERRORS = JSON.parse(readFileSync(new URL("errors.json", import.meta.url), "utf8"));

/** Errors of other framings and of strict profiles. */
const ELSEWHERE = [
  "duplicate-nested-member",
  "nul-character",
  "too-many-names",
  "unfinished-frame",
  "header-malformed",
  "header-line-end",
  "header-too-long",
  "content-length-missing",
  "content-length-invalid",
  "content-length-conflict",
  "charset-unsupported",
  "value-expected",
];

const MAX_FRAME = 100_000;

/** The kinds of messages, as members with texts. The id of the responses is that of a pending request. */
const version = ["jsonrpc", '"2.0"'];
const SHAPES = {
  "a request": [version, ["id", "9"], ["method", '"m"'], ["params", "{}"]],
  "a request without a legal id": [version, ["id", "{}"], ["method", '"m"'], ["params", "{}"]],
  "a notification": [version, ["method", '"m"'], ["params", "{}"]],
  "a response": [version, ["id", "7"], ["result", "{}"]],
  "an error response": [version, ["id", "7"], ["error", '{"code":1,"message":"m"}']],
};

const object = (members) => `{${members.map(([name, value]) => `"${name}":${value}`).join(",")}}`;
const beside = (name, value) => (members) => object([...members, [name, value]]);
const instead = (name, value) => (members) =>
  object(members.map((member) => (member[0] === name ? [name, value] : member)));
const without = (name) => (members) => object(members.filter((member) => member[0] !== name));
const RESPONSES = ["a response", "an error response"];

/** For each rule, how a message is made to break it. */
const BREAKS = {
  "not-json": (members) => `${object(members)},`,
  "invalid-utf8": (members) => Buffer.from(`${object(members).slice(0, -1)}\xff}`, "latin1"),
  "invalid-utf8 in a string": (members) => Buffer.from(beside("text", '"\xff"')(members), "latin1"),
  "too-deep": beside("deep", `${"[".repeat(200)}${"]".repeat(200)}`),
  "frame-too-long": beside("long", `"${"x".repeat(MAX_FRAME)}"`),
  "raw-carriage-return": (members) => object(members).replace(",", ",\r"),
  "batch-not-allowed": (members) => `[${object(members)}]`,
  "batch-empty": () => "[]",
  "batch-too-long": (members) => `[${object(members)}${",0".repeat(1024)}]`,
  "batch-mixed": (members) =>
    `[${object(members)},${RESPONSES.some((name) => SHAPES[name] === members) ? '{"jsonrpc":"2.0","method":"m"}' : '{"jsonrpc":"2.0","id":8,"result":{}}'}]`,
  "not-an-object": (members) => JSON.stringify(object(members)),
  "duplicate-member": beside("jsonrpc", '"2.0"'),
  "lone-surrogate": instead("method", '"\\ud800"'),
  "missing-jsonrpc": without("jsonrpc"),
  "wrong-version": instead("jsonrpc", '"1.0"'),
  "result-and-error": (members) => object([...members, ["result", "{}"], ["error", '{"code":1,"message":"m"}']]
    .filter(([name], index, all) => all.findIndex((other) => other[0] === name) === index)),
  "method-in-response": (members) =>
    object([...members, members.some(([name]) => name === "method") ? ["result", "{}"] : ["method", '"m"']]),
  "no-shape": (members) => object(members.filter(([name]) => ["jsonrpc", "id", "params"].includes(name))),
  "id-type": instead("id", "true"),
  "id-null": instead("id", "null"),
  "id-fraction": instead("id", "7.5"),
  "response-without-id": without("id"),
  "method-type": instead("method", "7"),
  "params-type": instead("params", "[]"),
  "result-type": instead("result", "null"),
  "error-type": instead("error", '"m"'),
  "error-code-missing": instead("error", '{"message":"m"}'),
  "error-code-type": instead("error", '{"code":"1","message":"m"}'),
  "error-message-missing": instead("error", '{"code":1}'),
  "error-message-type": instead("error", '{"code":1,"message":null}'),
};

/** Returns the rule of an entry, which may have more words. */
const ruleOf = (entry) => entry.split(" ")[0];

/** Returns what becomes of a frame, or undefined if its first fault is another one than this rule. */
async function outcome(side, revision, rule, frame) {
  const [transport, input, output] = transportOf(side, { rules: revision, maxFrame: MAX_FRAME });
  const [errors, delivered] = [[], []];
  let written = "";
  transport.onerror = (error) => errors.push(error);
  transport.onmessage = (message) => delivered.push(message);
  output.on("data", (data) => (written += data));
  await transport.start();
  transport.setProtocolVersion(revision);
  await transport.send({ jsonrpc: "2.0", id: 7, method: "mine" });
  await turns();
  written = "";
  input.write(Buffer.concat([Buffer.from(frame, "utf8"), Buffer.from("\n")]));
  await turns();
  await transport.close();
  if (errors.length > 0 && errors[0].rule !== rule) return undefined;
  const outcomes = written.split("\n").filter((line) => line !== "").map((line) => {
    const { id, error } = JSON.parse(line);
    assert.equal(error.data.rule, rule);
    assert.equal(errors[0].reply.split("\n").includes(line), true, "the error has the reply");
    return `${error.code} ${id === undefined ? "without an id" : id === null ? "with the id null" : "with its id"}`;
  });
  for (const message of delivered) {
    const isFailure = message.error?.data?.rule === rule;
    if (isFailure) assert.equal(message.id, 7);
    outcomes.push(isFailure ? "its call fails" : "delivered");
  }
  return outcomes.length === 0 ? "nothing" : Array.from(new Set(outcomes)).join(", ");
}

/** Returns a range of revisions as text. */
function revisions(from, to) {
  if (from === to && to < REVISIONS.length - 1) return `in ${REVISIONS[from]}`;
  if (from === 0) return `until ${REVISIONS[to]}`;
  return to === REVISIONS.length - 1 ? `since ${REVISIONS[from]}` : `in ${REVISIONS[from]} to ${REVISIONS[to]}`;
}

/** Returns outcomes by revision as one text. If there is none, the other revisions give the frame another fault. */
function folded(outcomes) {
  if (outcomes.every((each) => each === undefined || each === "delivered")) return "–";
  const parts = [];
  for (let from = 0; from < outcomes.length; from++) {
    let to = from;
    while (to + 1 < outcomes.length && outcomes[to + 1] === outcomes[from]) to++;
    const isAll = from === 0 && to === outcomes.length - 1;
    if (outcomes[from] !== undefined) parts.push(isAll ? outcomes[from] : `${outcomes[from]} ${revisions(from, to)}`);
    from = to;
  }
  return parts.join("; ");
}

async function table(side) {
  const peer = side === "server" ? "client" : "server";
  const names = Object.keys(SHAPES);
  const rows = [`| what the ${side}'s transport does if a ${peer} sends … | ${names.join(" | ")} |`];
  rows.push(`|---|${"---|".repeat(names.length)}`);
  for (const [entry, broken] of Object.entries(BREAKS)) {
    const [rule, ...rest] = entry.split(" ");
    const isServed = rest.length > 0;
    const cells = [];
    for (const members of Object.values(SHAPES)) {
      const frame = broken(members);
      const isBroken = Buffer.compare(Buffer.from(frame), Buffer.from(object(members))) !== 0;
      const outcomes = [];
      for (const revision of REVISIONS) outcomes.push(isBroken ? await outcome(side, revision, rule, frame) : undefined);
      cells.push(isServed ? outcomes[0] : folded(outcomes));
      if (isServed) assert.equal(new Set(outcomes).size, 1);
    }
    assert.ok(cells.some((cell) => cell !== "–"), rule);
    rows.push(`| ${[`\`${rule}\``, ...rest].join(" ")} | ${cells.join(" | ")} |`);
  }
  return `${rows.join("\n")}\n`;
}

test("every error about lines has an example", () => {
  const broken = new Set(Object.keys(BREAKS).map(ruleOf));
  const named = [...broken, ...ELSEWHERE];
  assert.deepEqual(ERRORS.filter((rule) => !named.includes(rule)), []);
  assert.deepEqual(named.filter((rule) => !ERRORS.includes(rule)), []);
});

test("the table of replies is what the transports do", async () => {
  const page = readFileSync(PAGE, "utf8");
  const [before, rest] = page.split("<!-- replies -->\n");
  const after = rest.slice(rest.indexOf("<!-- end of replies -->"));
  const wanted = `${before}<!-- replies -->\n${await table("server")}\n${await table("client")}${after}`;
  if (process.env.TAUTLINE_BLESS) writeFileSync(PAGE, wanted);
  else assert.equal(page, wanted, "docs/transports.md is out of date: run this test with TAUTLINE_BLESS=1");
});
