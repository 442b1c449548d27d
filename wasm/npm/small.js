// The small build, in a file beside this one.

import { bind } from "./lib/bind.js";
import { read } from "./lib/load.js";

const file = new URL("./small.wasm", import.meta.url);

export const { MessageStream, MessageTransform, parse, build } = bind(await read(file), "small");
export { JsonNumber } from "./lib/text.js";
