// A project with the packed package, and the tools that tests run on it.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
/** The folder of the package. */
export const source = path.join(here, "../npm");
const target = path.join(here, "../../target");

export const json = (value) => JSON.stringify(value, null, 2);

/** Runs a program, and returns what it printed. */
export function run(program, args, { input = "", ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, { maxBuffer: 1 << 26, ...options }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${program} ${args.join(" ")}\n${stdout}${stderr}`));
      else resolve(stdout);
    });
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

/** Packs the package into this folder, and returns what npm says about the tarball. */
export async function pack(folder) {
  const [packed] = JSON.parse(await run("npm", ["pack", "--json", "--pack-destination", folder], { cwd: source }));
  return { ...packed, file: path.join(folder, packed.filename) };
}

/** Installs a tarball into a new project in this folder. */
export async function install(project, file, manifest = {}) {
  mkdirSync(project, { recursive: true });
  writeFileSync(path.join(project, "package.json"), json({ name: "project", private: true, ...manifest }));
  await run("npm", ["install", "--offline", "--no-fund", "--no-audit", file], { cwd: project });
}

/**
 * Installs tools from npm in these versions, and keeps them in target/NAME. Returns the function from the name of a tool
 * to its folder.
 */
export async function tools(name, versions) {
  const folder = path.join(target, name);
  const manifest = json({ private: true, dependencies: versions });
  const stamp = path.join(folder, "installed");
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== manifest) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "package.json"), manifest);
    // Packages such as those of Deno and Bun get their binaries from install scripts, but the packages for each platform
    // contain them.
    const quietly = ["--ignore-scripts", "--no-fund", "--no-audit", "--no-package-lock", "--loglevel=error"];
    await run("npm", ["install", ...quietly], { cwd: folder });
    writeFileSync(stamp, manifest);
  }
  return (tool) => path.join(folder, "node_modules", tool);
}

/** The versions of tools, without the names under which npm has them. */
export const versionOf = (version) => version.replace(/^npm:.*@/, "");
