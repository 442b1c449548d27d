// The module as an import, for the edge runtime of Next.js, whose bundler recognises it by the suffix.

import module from "../full.wasm?module";
import { bind } from "../lib/bind.js";

export const { MessageStream, MessageTransform, parse, build } = bind(module, "full");
export { JsonNumber } from "../lib/text.js";
