// Writes the generated parts of the npm package, from the modules that are in it: `node wasm/assemble.mjs ESBUILD`.
// wasm/build calls it.
//
//   inline/      the modules as text
//   cjs/         the same JavaScript for require(), with the declarations
//   source/      the Rust crate of the modules, with a manifest that needs no workspace
//   CHANGELOG.md and the licences

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { sourcesOf } from "./npm/prepack.mjs";

const [esbuild] = process.argv.slice(2);
const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.join(here, "..");
const npm = path.join(here, "npm");
const at = (...names) => path.join(npm, ...names);
const text = (file) => readFileSync(file, "utf8");

function fresh(name) {
  rmSync(at(name), { recursive: true, force: true });
  mkdirSync(at(name));
}

fresh("inline");
for (const name of ["small", "fast", "full"]) {
  const module = readFileSync(at(`${name}.wasm`)).toString("base64");
  writeFileSync(at("inline", `${name}.js`), `export const text =\n  "${module}";\n`);
}

// What Node loads. A page has a loader for ES modules, and Workers have one.
fresh("cjs");
const { scripts, declarations, digest } = sourcesOf(npm);
execFileSync(
  esbuild,
  [...scripts, "--format=cjs", "--platform=node", "--target=node18", "--outdir=cjs", "--outbase=.", "--log-level=warning", "--log-override:empty-import-meta=silent"],
  { cwd: npm, stdio: "inherit" },
);
for (const name of declarations) copyFileSync(at(name), at("cjs", name));
// The digest is of the files that these were made from. prepack.mjs compares it.
writeFileSync(at("cjs", "package.json"), `${JSON.stringify({ type: "commonjs", sources: digest })}\n`);

fresh("source");
mkdirSync(at("source", "src"));
for (const name of readdirSync(path.join(here, "src"))) copyFileSync(path.join(here, "src", name), at("source/src", name));
writeFileSync(at("source", "Cargo.toml"), standalone());

copyFileSync(path.join(root, "CHANGELOG.md"), at("CHANGELOG.md"));
for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) copyFileSync(path.join(root, name), at(name));

/** Returns the manifest of the crate with the values of the workspace, and with the profiles of the modules. */
function standalone() {
  const workspace = text(path.join(root, "Cargo.toml"));
  const inherited = (section, key) => {
    const [, body] = workspace.split(`[workspace.${section}]\n`);
    const line = body.split(/^\[/m)[0].split("\n").find((line) => line.startsWith(`${key} =`));
    return line.slice(line.indexOf("=") + 1).trim();
  };
  const manifest = text(path.join(here, "Cargo.toml"))
    .replace(/^(\S+)\.workspace = true$/gm, (_, key) => `${key} = ${inherited("package", key)}`)
    .replace(/^(\S+) = \{ workspace = true, (.*)\}$/gm, (_, key, rest) => {
      const [, version] = /version = ("[^"]*")/.exec(inherited("dependencies", key));
      return `${key} = { version = ${version}, default-features = false, ${rest}}`;
    })
    .replace(/(^#.*\n)*\[lints\]\nworkspace = true\n\n?/m, "");
  const profiles = text(path.join(root, ".cargo/config.toml"));
  return `${manifest}\n[workspace]\n\n${profiles.slice(profiles.indexOf("[profile."))}`;
}
