// The full build, in a file beside this one: every framing, the strict rules, and findings.

import { bind } from "./lib/bind.js";
import { read } from "./lib/load.js";

const file = new URL("./full.wasm", import.meta.url);

export const { MessageStream, MessageTransform, parse, build } = bind(await read(file), "full");
export { JsonNumber } from "./lib/text.js";
