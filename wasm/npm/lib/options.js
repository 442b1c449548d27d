// Options in the form of the API, and in the form that the module expects.

import { missing } from "./engine.js";

/** The revisions of MCP, in the order of the module's numbers. */
export const REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];

const PRESETS = ["jsonrpc", "lsp", ...REVISIONS];
const RULES = ["preset", "strict", "http", "maxDepth"];
const FRAMINGS = ["lines", "content-length", "events", "concatenated"];

const STRICT = 1 << 8;
const HTTP = { request: 1 << 9, response: 1 << 10 };
const DEPTH = 16;

/** The default limit on frames, in bytes, as in the Rust crate. */
export const DEFAULT_MAX_FRAME = 16 * 1024 * 1024;

function choose(what, value, names) {
  const index = names.indexOf(value);
  if (index < 0) {
    throw new TypeError(`${what} is ${JSON.stringify(value)}, and has to be one of ${names.join(", ")}`);
  }
  return index;
}

function integer(what, value, least, most) {
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new RangeError(`${what} is ${value}, and has to be an integer from ${least} to ${most}`);
  }
  return value;
}

/** Returns an object of options. Throws a TypeError if it has other options than these. */
export function known(what, options, names) {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new TypeError(`${what} are ${typeof options === "bigint" ? options : JSON.stringify(options)}, and have to be an object`);
  }
  for (const name of Object.keys(options)) choose(`a name in ${what}`, name, names);
  return options;
}

/** Encodes rules as one number. */
export function encodeRules(engine, rules = "jsonrpc") {
  const chosen = typeof rules === "string" ? { preset: rules } : known("the rules", rules, RULES);
  const { preset = "jsonrpc", strict = false, http, maxDepth } = chosen;
  let choice = choose("the preset of the rules", preset, PRESETS);
  if (typeof strict !== "boolean") throw new TypeError("rules.strict has to be true or false");
  if (strict) {
    if (!engine.isFull) throw missing("strict rules");
    choice |= STRICT;
  }
  if (http !== undefined) {
    choose("http", http, Object.keys(HTTP));
    choice |= HTTP[http];
  }
  if (maxDepth !== undefined) choice |= integer("maxDepth", maxDepth, 1, 255) << DEPTH;
  return choice;
}

/** Encodes a framing as a number. */
export function encodeFraming(engine, framing = "lines") {
  const number = choose("framing", framing, FRAMINGS);
  if (number !== 0 && !engine.isFull) throw missing("framing but lines");
  return number;
}

export function encodeMaxFrame(maxFrame = DEFAULT_MAX_FRAME) {
  return integer("maxFrame", maxFrame, 1, 2 ** 31 - 1);
}
