// The small build.

import { text } from "./inline/small.js";
import { bind } from "./lib/bind.js";
import { moduleOf } from "./lib/load.js";

export const { MessageStream, MessageTransform, parse, build } = bind(moduleOf(text), "small");
export { JsonNumber } from "./lib/text.js";
