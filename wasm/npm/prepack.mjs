// Refuses to pack or publish a package whose generated files are missing or old. npm runs it. It writes nothing to the
// standard output, because that belongs to npm.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The entries that need an ES module's loader, or the one of Workers. */
const ONLY_ESM = ["fetch"];

/** Returns the scripts that require() loads, their declarations, and the digest of both. */
export function sourcesOf(folder) {
  const list = (name) => readdirSync(path.join(folder, name)).map((file) => path.posix.join(name, file));
  const files = [".", "lib", "lib/mcp", "inline"].flatMap(list).sort();
  const isEntry = (file) => !ONLY_ESM.includes(path.basename(file).split(".")[0]);
  const declarations = files.filter((file) => file.endsWith(".d.ts") && file !== "workerd.d.ts" && isEntry(file));
  const scripts = files.filter((file) => file.endsWith(".js") && isEntry(file));
  const hash = createHash("sha256");
  for (const file of [...scripts, ...declarations]) hash.update(`${file}\n`).update(readFileSync(path.join(folder, file)));
  return { scripts, declarations, digest: hash.digest("hex") };
}

/** Returns the reasons why the package in this folder can't be packed. */
export function reasons(folder) {
  const at = (...names) => path.join(folder, ...names);
  const found = [];
  for (const name of ["small", "fast", "full"]) {
    const module = existsSync(at(`${name}.wasm`)) ? readFileSync(at(`${name}.wasm`)) : undefined;
    if (module === undefined) found.push(`${name}.wasm is missing`);
    else if (!WebAssembly.validate(module)) found.push(`${name}.wasm is not a module`);
    else if (!existsSync(at("inline", `${name}.js`))) found.push(`inline/${name}.js is missing`);
    else if (!readFileSync(at("inline", `${name}.js`), "utf8").includes(`"${module.toString("base64")}"`)) {
      found.push(`inline/${name}.js is not ${name}.wasm`);
    }
  }
  if (!existsSync(at("judge.wasm"))) found.push("judge.wasm is missing");
  const manifest = at("cjs/package.json");
  if (!existsSync(manifest)) found.push("cjs is missing");
  else if (found.length === 0 && JSON.parse(readFileSync(manifest, "utf8")).sources !== sourcesOf(folder).digest) {
    found.push("cjs is older than the files that it is made from");
  }
  for (const name of ["CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE", "source/Cargo.toml", "source/src/lib.rs"]) {
    if (!existsSync(at(name))) found.push(`${name} is missing`);
  }
  return found;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const found = reasons(path.dirname(fileURLToPath(import.meta.url)));
  if (found.length > 0) {
    console.error(`tautline can't be packed: ${found.join("; ")}. Run wasm/build first.`);
    process.exit(1);
  }
}
