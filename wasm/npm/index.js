// The module as text in JavaScript, so that every loader and every bundler has it: the fast build if the engine has
// SIMD, otherwise the small one.

import { text as fast } from "./inline/fast.js";
import { text as small } from "./inline/small.js";
import { bind } from "./lib/bind.js";
import { hasSimd, moduleOf } from "./lib/load.js";

const isFast = hasSimd();

export const { MessageStream, MessageTransform, parse, build } = bind(
  moduleOf(isFast ? fast : small),
  isFast ? "fast" : "small",
);
export { JsonNumber } from "./lib/text.js";
