// The module as text in JavaScript, for single-file programs, and for environments that can't fetch files.

import { bind } from "./lib/bind.js";
import { compileText, hasSimd } from "./lib/load.js";

const isFast = hasSimd();
const { text } = isFast ? await import("./inline/fast.js") : await import("./inline/small.js");

export const { MessageStream, MessageTransform, parse, build } = bind(
  await compileText(text),
  isFast ? "fast" : "small",
);
export { JsonNumber } from "./lib/text.js";
