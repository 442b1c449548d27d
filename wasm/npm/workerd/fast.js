// The module as an import, for Cloudflare Workers, which compile modules only before the program starts.

import module from "../fast.wasm";
import { bind } from "../lib/bind.js";

export const { MessageStream, MessageTransform, parse, build } = bind(module, "fast");
export { JsonNumber } from "../lib/text.js";
