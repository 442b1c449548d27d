// The module as an import, for Cloudflare Workers, which compile modules only before the program starts.

import module from "../small.wasm";
import { bind } from "../lib/bind.js";

export const { MessageStream, MessageTransform, parse, build } = bind(module, "small");
export { JsonNumber } from "../lib/text.js";
