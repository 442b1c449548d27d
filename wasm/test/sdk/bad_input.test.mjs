// Compares what becomes of bad input with the SDK's transports and with these, and holds docs/transports.md to it. To
// write the table again, run it with TAUTLINE_BLESS=1.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";

import { compare, isAnswer } from "./compare.mjs";

const PAGE = new URL("../../../docs/transports.md", import.meta.url);

const HEADS = {
  server: "A client sends it to a server",
  client: "A server sends it to a client that waits for a response",
};

const section = (tables) =>
  Object.entries(tables).map(([direction, rows]) => {
    const lines = rows.map(({ name, sdk, ours }) => `| ${[name, ...both(sdk), ...both(ours)].join(" | ")} |`);
    const head = `| ${HEADS[direction]} | SDK 1 and 2 | \`tautline/mcp\` |\n|---|---|---|\n`;
    return `${head}${lines.join("\n")}\n`;
  }).join("\n");

/** Returns the outcomes in both major versions as one text. */
const both = ([first, second]) => [first === second ? first : `${first}, ${second}`];

test("no input is handled worse than by the SDK, and no caller waits for an answer with a readable id", async () => {
  const tables = await compare();
  const worse = [];
  for (const [direction, rows] of Object.entries(tables)) {
    for (const { name, isReadable, sdk, ours } of rows) {
      ours.forEach((outcome, index) => {
        const isWorse = isAnswer(sdk[index]) && !isAnswer(outcome);
        if (isWorse || (isReadable && !isAnswer(outcome))) worse.push(`${direction}, major ${index + 1}: ${name}: ${outcome}`);
      });
    }
  }
  assert.deepEqual(worse, []);
  const page = readFileSync(PAGE, "utf8");
  const [before, rest] = page.split("<!-- bad input -->\n");
  const after = rest.slice(rest.indexOf("<!-- end of bad input -->"));
  const wanted = `${before}<!-- bad input -->\n${section(tables)}${after}`;
  if (process.env.TAUTLINE_BLESS) writeFileSync(PAGE, wanted);
  else assert.equal(page, wanted, "docs/transports.md is out of date: run this test with TAUTLINE_BLESS=1");
});
