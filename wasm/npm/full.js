// The full build: every framing, the strict rules, and findings.

import { text } from "./inline/full.js";
import { bind } from "./lib/bind.js";
import { moduleOf } from "./lib/load.js";

export const { MessageStream, MessageTransform, parse, build } = bind(moduleOf(text), "full");
export { JsonNumber } from "./lib/text.js";
