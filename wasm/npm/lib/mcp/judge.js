// The judge of a session, which is in a module of its own: it checks payloads against the schema, and each message
// against what both sides have sent before.

import { Engine } from "../engine.js";
import { read } from "../load.js";
import { describe, SEVERITIES } from "../rules.js";
import { decode } from "../text.js";
import { MCP_RULES } from "./mcp-rules.js";

/** The instance that all judges share. It is loaded when it is needed first. */
let shared;

/** Returns the place of the module. The copy of this file for require() is a folder deeper, and has no import.meta. */
async function place() {
  if (typeof __filename !== "string") return new URL("../../judge.wasm", import.meta.url);
  const name = "node:url";
  const { pathToFileURL } = await import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ name);
  return new URL("../../../judge.wasm", pathToFileURL(__filename));
}

async function load() {
  const module = await read(await place());
  return new Engine(await WebAssembly.instantiate(module));
}

/** Returns a judge of a session that has not begun. */
export async function newJudge() {
  shared ??= load();
  return new Judge(await shared);
}

/** Frees the memory of a judge when it is garbage-collected. */
const forgotten = new FinalizationRegistry(({ engine, address }) => engine.exports.judge_free(address));

class Judge {
  #engine;
  #address;

  constructor(engine) {
    this.#engine = engine;
    this.#address = engine.exports.judge_new() >>> 0;
    if (this.#address === 0) throw new RangeError("there is no memory for a judge");
    forgotten.register(this, { engine, address: this.#address }, this);
  }

  /** Observes a line of the "client" or the "server". Returns what is found in it. */
  observe(from, line) {
    const { exports } = this.#engine;
    const at = this.#engine.put(line);
    return this.#findings(from, exports.judge_observe(this.#address, from === "server" ? 1 : 0, at, line.length));
  }

  /** Ends the session, and frees the memory. Returns the messages of a server that were due. */
  finish() {
    const { exports } = this.#engine;
    const found = this.#findings("server", exports.judge_finish(this.#address));
    forgotten.unregister(this);
    exports.judge_free(this.#address);
    return found;
  }

  #findings(from, length) {
    if (length === 0) return [];
    const lines = decode(this.#engine.lent(length)).trimEnd().split("\n");
    return lines.map((line) => {
      const [number, severity, at, path, message] = line.split("\t");
      const { rule, clause, help } = described(Number(number));
      const place = { at: at === "" ? undefined : Number(at), path: path === "" ? undefined : path };
      return { from, rule, severity: SEVERITIES[severity], ...place, message, clause, help };
    });
  }
}

/** Returns what a rule of any table says. */
function described(number) {
  const mcp = MCP_RULES.get(number);
  if (mcp === undefined) return describe(number, 0);
  const [rule, , clause, help] = mcp;
  return { rule, clause, help };
}
