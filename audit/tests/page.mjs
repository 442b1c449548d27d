// Runs the script of a report in HTML without a browser: `node page.mjs report.html`.
//
// Every element is a mock that accepts any operation. So this test shows that the script runs, and which frames it
// shows under each filter, but not how they look. The report must have two sessions or more.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import vm from "node:vm";

const page = readFileSync(process.argv[2], "utf8");
const data = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page)[1];
const script = [...page.matchAll(/<script>(.*?)<\/script>/gs)].at(-1)[1];

/** A value that can be called, changed, read as a number, and iterated over as if it were empty. */
function standIn(members = {}) {
  return new Proxy(function () {}, {
    get(_, name) {
      if (name === Symbol.toPrimitive) return () => 0;
      if (name === Symbol.iterator) return () => [][Symbol.iterator]();
      if (!(name in members)) members[name] = standIn();
      return members[name];
    },
    set(_, name, value) {
      members[name] = value;
      return true;
    },
    apply: () => standIn(),
    construct: () => standIn(),
  });
}

const elements = new Map([["data", standIn({ textContent: data })]]);
function getElementById(id) {
  if (!elements.has(id)) elements.set(id, standIn());
  return elements.get(id);
}

const context = vm.createContext({
  document: standIn({ getElementById, title: "report" }),
  window: standIn({ innerWidth: 1200 }),
  location: { hash: "" },
  matchMedia: () => standIn({ matches: false }),
  history: standIn(),
  localStorage: standIn({ getItem: () => null }),
  getComputedStyle: standIn(),
  ResizeObserver: standIn(),
  requestAnimationFrame: (draw) => void draw(),
  cancelAnimationFrame() {},
  TextDecoder,
  TextEncoder,
  atob,
  clearTimeout,
  performance,
  setTimeout,
});
const run = (code) => vm.runInContext(code, context);
run(script);
await new Promise((done) => setTimeout(done)); // the second half of the start

const frames = run("frames");
assert(frames.length > 1 && run("audit.sessions.length") > 1);
const none = { text: "", side: "", kind: "", findings: "", session: "" };
const severities = new Map();
for (const { frame, severity } of run("findings")) severities.set(frame, [...(severities.get(frame) ?? []), severity]);
const filters = [
  ["session", "0", (frame) => frame.session === 0],
  ["session", "1", (frame) => frame.session === 1],
  ["side", "server", (frame) => frame.from === "server"],
  ["kind", "request", (frame) => frame.kind === "request"],
  ["kind", "unanswered", (frame) => frame.kind === "request" && frame.pair === undefined],
  ["findings", "any", (frame) => severities.has(frame.number)],
  ["findings", "error", (frame) => severities.get(frame.number)?.includes("error")],
  ["text", "tools/LIST", (frame) => frame.method === "tools/list"],
];
for (const [name, value, passes] of filters) {
  await run("setFilter")({ ...none, [name]: value });
  const shown = run("state.shownFrames").map((frame) => frame.number);
  const expected = frames.filter(passes).map((frame) => frame.number);
  assert.deepEqual([...shown], [...expected], `${name}: ${value}`);
}
await run("setFilter")(none);

run("TABS.forEach((tab) => showTab(tab.name))");
run("showTab('timeline')");
run("frames.forEach((frame) => selectFrame(frame.number, { open: true }))");
run("findings.forEach((finding) => selectFinding(finding, { open: true }))");
run("setFormatted(true)");
for (const key of "jkgGnprft") run(`keyAction({ key: '${key}', target: document.body })()`);
run("drawPrint()");
console.log(`page: ${frames.length} frames under ${filters.length} filters`);
